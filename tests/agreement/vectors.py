"""Which numbers must we agree with, and where do they lie?

Every agreement test takes its parameters from here, one a case, none chosen by name:

    @pytest.mark.parametrize("case", parameters("fanoutqa", "edge_cases.json", edge_cases))

``ARGUE_BENCH_VECTORS=DIR`` replaces every folder by ``DIR/<folder>``. Without it a folder is
``tests/agreement/vectors/<folder>``, and, for files that it does not hold since they rest on other
people's data, ``vectors/<folder>`` of the shared material. A source that is missing gives one test,
marked as skipped with the reason; nothing else of its module is lost.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from tests.shared import SHARED

OWN = Path(__file__).resolve().parent / "vectors"
Expand = Callable[[Path], Iterable[tuple[str, Any]]]
"""A file to its cases: the id of each test, and what the test is given."""


def folders(folder: str) -> list[Path]:
    """Where the files of a vectors folder are looked for, in this order."""
    if elsewhere := os.environ.get("ARGUE_BENCH_VECTORS"):
        return [Path(elsewhere) / folder]
    return [OWN / folder, SHARED / "vectors" / folder]


def files(folder: str, pattern: str) -> list[Path]:
    """The files of a vectors folder whose name matches; of two with one name, the first."""
    found: dict[str, Path] = {}
    for place in folders(folder):
        for path in sorted(place.glob(pattern)):
            if path.is_file():
                found.setdefault(path.relative_to(place).as_posix(), path)
    return list(found.values())


def parameters(folder: str, pattern: str, expand: Expand) -> list[Any]:
    """One pytest parameter for each case of each matching file; one skipped where there is none."""
    paths = files(folder, pattern)
    cases = [pytest.param(case, id=id) for path in paths for id, case in expand(path)]
    if cases:
        return cases
    lacking = f"no case in {paths[0]}" if paths else f"there is no {folder}/{pattern}"
    looked = ", ".join(map(str, folders(folder)))
    reason = f"{lacking} (looked in {looked}; ARGUE_BENCH_VECTORS names another place)"
    return [pytest.param(None, id="missing", marks=pytest.mark.skip(reason=reason))]


def read(path: Path) -> Any:
    """The JSON value of a file, or the list of values of a JSON Lines file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    return json.loads(text)
