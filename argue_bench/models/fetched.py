"""Published models that are fetched by name, once, and held to the digests of that fetch.

`fetched.toml` lists them. The first fetch of a model whose digests nobody published trusts what the hub serves
and records it beside the files; from then on every fetch and check is held to the record. Weights and texts are
fetched, code never.
"""

from __future__ import annotations

import fnmatch
import hashlib
import json
import os
import shutil
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, MissingExtra, UnknownName
from argue_bench.records.untrusted import read_json

_RECORD = "fetched.json"
_WEIGHTS = ("*.safetensors", "pytorch_model*.bin")
_TEXTS = ("*.json", "*.txt", "*.model")
_OF_TOKENIZER = ("tokenizer*", "special_tokens_map.json", "spiece.model")
# A model is at most so many times as large as the table says: half-size copies in other forms lie beside some.
_MOST_TIMES = 2


@dataclass(frozen=True)
class FetchedModel:
    """A row of the table. ``files`` are digests by path, ``seconds`` those of 400 tokens on one core."""

    repository: str
    licence: str
    gigabytes: float
    seconds: float
    figure: str
    tokenizer: str = ""
    revision: str = ""
    files: Mapping[str, str] = field(default_factory=dict)


@cache
def fetched_models() -> dict[str, FetchedModel]:
    """The models of the table, by the name that `judge get` and ``--judge`` take."""
    text = Path(__file__).with_name("fetched.toml").read_text(encoding="utf-8")
    return {name: FetchedModel(**row) for name, row in tomllib.loads(text).items()}


def fetched_folder(name: str) -> Path:
    """Where the model of this name lies once it is fetched."""
    from argue_bench.store.fetch import cache_folder

    return cache_folder() / "models" / name


def fetch_model(name: str) -> tuple[Path, dict[str, Any], bool]:
    """The folder of a model, its record (repository, revision, digests), and whether it was fetched just now.

    A model that is there is read whole and held to its record. Raises UnknownName, MissingExtra, and DataError
    where the hub cannot be reached or serves other files than were published or fetched before.
    """
    if name not in fetched_models():
        raise UnknownName("published model", name, tuple(fetched_models()))
    model, folder = fetched_models()[name], fetched_folder(name)
    record = read_json(folder / _RECORD) if (folder / _RECORD).is_file() else {}
    if record and _digests(folder) == record["files"]:
        return folder, record, False
    beside = folder.with_name(f".{name}.{os.getpid()}.part")
    try:
        revision = _download(model, record.get("revision") or model.revision, beside)
        found = _digests(beside)
        for path, digest in {**record.get("files", {}), **model.files}.items():
            if found.get(path) != digest:
                raise DataError.of(
                    Code.OTHER_DIGEST,
                    f"{path} of {name} has another digest, {found.get(path, 'none: it is not there')}",
                    model.repository,
                    hint=f"Expected is {digest}. If its publisher changed it on purpose, remove {folder}.",
                )
        record = {"repository": model.repository, "revision": revision, "files": found}
        (beside / _RECORD).write_text(f"{json.dumps(record, indent=1)}\n", encoding="utf-8")
        shutil.rmtree(folder, ignore_errors=True)
        os.replace(beside, folder)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return folder, record, True


def _download(model: FetchedModel, revision: str, folder: Path) -> str:
    """Puts the files into the folder and returns the revision that they are of."""
    try:
        import httpx
        from huggingface_hub import HfApi
    except ImportError:
        raise MissingExtra("fetching a model", "neural") from None
    api = HfApi()
    place = f"https://huggingface.co/{model.repository}"
    try:
        about = api.model_info(model.repository, revision=revision or None, files_metadata=True)
        sizes = {one.rfilename: one.size or 0 for one in about.siblings or ()}
        # The weights in the first form that is there: others are copies.
        weights = next(filter(None, (fnmatch.filter(sizes, form) for form in _WEIGHTS)), [])
        texts = [path for form in _TEXTS for path in fnmatch.filter(sizes, form)]
        chosen = [path for path in (*weights, *texts) if "/" not in path]
        if sum(sizes[path] for path in chosen) > _MOST_TIMES * model.gigabytes * 1e9:
            why = f"its files are more than {_MOST_TIMES} x {model.gigabytes} GB, the size of the model"
            raise DataError.of(Code.TOO_LARGE, why, place)
        wanted = [(model.repository, about.sha, chosen)]
        if model.tokenizer:
            wanted.append((model.tokenizer, None, list(_OF_TOKENIZER)))
        for repository, commit, patterns in wanted:
            api.snapshot_download(
                repository, revision=commit, local_dir=folder, allow_patterns=patterns
            )
    except (OSError, ValueError, httpx.HTTPError) as error:
        # Faults of the disk and of the hub, refused names, faults of the connection.
        reason = f"{type(error).__name__}: {str(error).partition(chr(10))[0]:.200}"
        raise DataError.of(
            Code.NOT_FETCHED,
            f"the model could not be fetched: {reason}",
            place,
            hint="Try where there is a network and HF_HUB_OFFLINE is not set, or fetch it by other means and name "
            "its folder: nli:DIR.",
        ) from None
    shutil.rmtree(folder / ".cache", ignore_errors=True)  # the client's own notes
    return str(about.sha)


def _digests(folder: Path) -> dict[str, str]:
    """The SHA-256 of the files of a folder, without the record."""
    found = {}
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.name != _RECORD:
            with path.open("rb") as file:
                found[path.name] = hashlib.file_digest(file, "sha256").hexdigest()
    return found
