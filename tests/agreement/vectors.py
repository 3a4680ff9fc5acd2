"""The numbers that we must agree with, found in the vectors folders.

Every agreement test takes its parameters from here, one for each case, none chosen by name:

    @pytest.mark.parametrize("case", parameters("fanoutqa", "edge_cases.json", edge_cases))

``ARGUE_BENCH_VECTORS=DIR`` replaces every folder by ``DIR/<folder>``. Without it a folder is
``tests/agreement/vectors/<folder>``, and, for files that it does not hold since they rest on other
people's data, ``vectors/<folder>`` of the shared material. Where a named folder (or a clone without
the shared material) lacks a source, one test is skipped and says so. A default run that has both
folders leaves out a test for which neither holds a case: a missing case is then no fault of the run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
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
    """The files of a vectors folder whose name matches, ours before the shared ones."""
    return [
        path for place in folders(folder) for path in sorted(place.glob(pattern)) if path.is_file()
    ]


def parameters(folder: str, pattern: str, expand: Expand) -> list[Any]:
    """One pytest parameter for each case; of two with one file name and id, ours."""
    cases: dict[tuple[str, str], Any] = {}
    for path in files(folder, pattern):
        for name, case in expand(path):
            cases.setdefault((path.name, name), pytest.param(case, id=name))
    if cases:
        return list(cases.values())
    if "ARGUE_BENCH_VECTORS" not in os.environ and SHARED.is_dir():
        return [pytest.param(None, id="missing", marks=pytest.mark.no_case)]
    looked = ", ".join(map(str, folders(folder)))
    reason = f"no case of {folder}/{pattern} in {looked}; ARGUE_BENCH_VECTORS names another folder"
    return [pytest.param(None, id="missing", marks=pytest.mark.skip(reason=reason))]


def read(path: Path) -> Any:
    """The JSON value of a file, or the list of values of a JSON Lines file."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.split("\n") if line.strip()]
    return json.loads(text)


def cases_of(path: Path) -> Iterator[tuple[str, Any]]:
    """The cases of a file ``{"cases": [{"id": ...}, ...]}``, each after its id."""
    for case in read(path)["cases"]:
        yield case["id"], case
