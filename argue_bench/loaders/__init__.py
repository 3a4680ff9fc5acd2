"""`load_dev`, `load_test`, `load`: every format becomes the same records here.

A data set is named (see DATASETS) or is a folder of the core format. Where a named set is neither
in the package nor at ``path``, it is fetched from its published place with a checksum, once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from argue_bench.errors import UnknownName, UsageError
from argue_bench.loaders import alce, core, fanoutqa, luciole
from argue_bench.loaders.answers import as_answers
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.trec import dataset as trec
from argue_bench.records import Answer

__all__ = [
    "DATASETS",
    "FORMATS",
    "Dataset",
    "contains_dataset",
    "load",
    "load_dev",
    "load_test",
    "read_answers",
]

Load = Callable[[str, Path | None], Dataset]
"""(split, local path or None) to the data set."""


@dataclass(frozen=True)
class DatasetEntry:
    """One line of the list of data sets."""

    summary: str
    splits: tuple[str, ...]
    load: Load
    contained: Callable[[Path], bool] | None = None
    """Whether a file of answers is the data set too (ALCE's result files)."""


DATASETS: dict[str, DatasetEntry] = {
    "core": DatasetEntry(
        "fictional news with exact gold, for first runs, rehearsal and calibration",
        ("dev", "test", "sample"),
        core.load_embedded,
    ),
    "fanoutqa": DatasetEntry(
        "questions that fan out over many Wikipedia pages (Zhu et al. 2024)",
        ("dev", "test"),
        fanoutqa.load_fanoutqa,
    ),
    "trec": DatasetEntry(
        "report requests with nuggets, and a collection (NeuCLIR, RAGTIME, RAG and their like)",
        ("dev", "test"),
        trec.load_trec,
    ),
    "alce-asqa": DatasetEntry(
        "ambiguous questions with retrieved passages to cite (Gao et al. 2023)",
        ("gtr", "dpr", "oracle"),
        alce.loader("asqa"),
        alce.is_result,
    ),
    "alce-eli5": DatasetEntry(
        "how and why questions with retrieved passages to cite (Gao et al. 2023)",
        ("bm25", "oracle"),
        alce.loader("eli5"),
        alce.is_result,
    ),
    "alce-qampari": DatasetEntry(
        "questions whose answer is a list, each item with what it cites (Gao et al. 2023)",
        ("gtr", "oracle"),
        alce.loader("qampari"),
        alce.is_result,
    ),
    "luciole": DatasetEntry(
        "grounded questions over retrieved chunks, with refusals, in English and French",
        tuple(luciole.SUBSETS),
        luciole.load_luciole,
    ),
}


@dataclass(frozen=True)
class AnswerFormat:
    """One line of the list of formats in which answers come."""

    summary: str
    read: Callable[[Path, Dataset], dict[str, Answer]]


def _as_they_come(path: Path, dataset: Dataset) -> dict[str, Answer]:
    if dataset.name in DATASETS and contains_dataset(dataset.name, path):
        return alce.read_alce_result(path, dataset)
    return as_answers(path, dataset)


FORMATS: dict[str, AnswerFormat] = {
    "auto": AnswerFormat(
        'lines {"id", "answer"} and TREC report objects, told apart line by line; ALCE results',
        _as_they_come,
    ),
    "alce": AnswerFormat(
        'results of ALCE and rageval: {"args", "data"} or a list', alce.read_alce_result
    ),
}


def read_answers(path: Path, dataset: Dataset, format: str = "auto") -> dict[str, Answer]:
    """One system's answers by question id. Raises UnknownName and DataError."""
    if format not in FORMATS:
        raise UnknownName("format", format, tuple(FORMATS), see="argue-bench formats")
    return FORMATS[format].read(path, dataset)


def contains_dataset(name: str, answers: Path) -> bool:
    """Whether this file of answers holds the data set of this name too, so that it can be its path."""
    known = DATASETS.get(name)
    return known is not None and known.contained is not None and known.contained(answers)


def load(name: str | Path, split: str = "", path: str | Path | None = None) -> Dataset:
    """The data set of this name, or the folder of the core format at this path.

    ``path`` names a local copy of a named set. Raises UnknownName, UsageError (no such split) and
    DataError (a file that is not what it should be, every finding at once).
    """
    if isinstance(name, Path) or name not in DATASETS:
        folder = Path(name)
        if folder.is_dir():
            return core.load_folder(folder)
        if isinstance(name, Path) or "/" in name:
            raise UsageError(f"{name}: there is no such folder, and no data set has such a name")
        raise UnknownName("data set", name, tuple(DATASETS), see="argue-bench datasets")
    known = DATASETS[name]
    split = split or known.splits[0]
    if split not in known.splits:
        raise UsageError(f"{name} has no split {split!r}; it has: {', '.join(known.splits)}")
    return known.load(split, None if path is None else Path(path))


def load_dev(name: str = "core", path: str | Path | None = None) -> Dataset:
    """The split with gold, to develop on."""
    return load(name, "dev", path)


def load_test(name: str = "core", path: str | Path | None = None) -> Dataset:
    """The split to submit on: ``question.gold`` is None."""
    return load(name, "test", path)
