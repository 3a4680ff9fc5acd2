"""How alike are two texts? ``bleurt:MODEL`` asks BLEURT (Sellam et al. 2020), in PyTorch or by Google's package."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from argue_bench.judges.pairs import PairJudge
from argue_bench.models.bleurt import BleurtModel, GoogleBleurtModel
from argue_bench.models.folder import find_model, read_spec, require_neural
from argue_bench.models.pairs import Pair, PairModel
from argue_bench.records import JudgeRequest, Similar

_GOOGLE = "google:"


def bleurt(spec: str) -> PairJudge:
    """The judge ``bleurt:SPEC``; SPEC is a PyTorch folder or name, or a checkpoint of Google's.

    The latter is known by its ``bleurt_config.json``, or named ``google:DIR``. Options: dtype, device,
    batch, tokens. Raises UsageError, UnknownName, MissingExtra, and DataError for a wrong folder.
    """
    name, settings, _ = read_spec(spec)
    path = Path(name.removeprefix(_GOOGLE)).expanduser()
    if name.startswith(_GOOGLE) or (path / "bleurt_config.json").is_file():
        google: PairModel = GoogleBleurtModel(str(path), settings)
        return PairJudge(f"bleurt:google:{path.resolve().name}", Similar, _texts, google)
    require_neural("the judge bleurt")
    folder = find_model(name, "bleurt")
    return PairJudge(f"bleurt:{folder.name}", Similar, _texts, BleurtModel(folder, settings))


def _texts(request: JudgeRequest) -> Pair:
    similar = cast(Similar, request)
    return similar.reference, similar.candidate
