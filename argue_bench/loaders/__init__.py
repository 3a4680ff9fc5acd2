"""Data sets and answers from every format that is read: `load`, `load_dev`, `load_test`, `read_answers`.

    format                                        read in                   source
    core: set.json, questions, documents, gold    core/                     docs/data.md, schemas/
    FanOutQA, dev and test                        fanoutqa                  Zhu et al. 2024
    ALCE data files, results of ALCE and rageval  alce                      Gao et al. 2023
    Luciole, both published layouts               luciole                   OpenLLM-France
    TREC topics: nuggets, requests, qrels         nuggets                   Auto-ARGUE, NIST
    answers that cite web pages, and responses    web                       the products' references
    document collections, looked up on disk       collection/               TREC's collections
    answers: {"id", "answer"} and TREC reports    answers                   TREC's guidelines
    report runs, checked by a track's rules       trec/check, tracks.toml   TREC's guidelines
    Auto-ARGUE's judgments and scores.tsv         auto_argue/               Auto-ARGUE

Every format becomes the same records. A data set is named (see DATASETS) or is a folder of the core
format. Where a named set is neither in the package nor at ``path``, it is fetched from its published
place with a checksum, once. Whatever is wrong with a file is a finding (`findings`), all at once.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from argue_bench.errors import UnknownName, UsageError
from argue_bench.loaders import alce, core, fanoutqa, luciole, nuggets
from argue_bench.loaders.answers import as_answers
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.web import read_web_answers
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


@dataclass(frozen=True)
class DatasetEntry:
    """One line of the list of data sets."""

    summary: str
    splits: tuple[str, ...]
    load: Callable[[str, Path | None], Dataset]
    """(split, local path or None) to the data set."""
    contained: Callable[[Path], bool] | None = None
    """Whether a file of answers holds the data set too (ALCE's result files)."""


def _alce(kind: alce.Kind, summary: str) -> DatasetEntry:
    load = partial(alce.load_alce, kind)
    return DatasetEntry(
        f"{summary} (Gao et al. 2023)", tuple(alce.FILES[kind]), load, alce.is_result
    )


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
        nuggets.load_trec,
    ),
    "alce-asqa": _alce("asqa", "ambiguous questions with retrieved passages to cite"),
    "alce-eli5": _alce("eli5", "how and why questions with retrieved passages to cite"),
    "alce-qampari": _alce(
        "qampari", "questions whose answer is a list, each item with what it cites"
    ),
    "luciole": DatasetEntry(
        "grounded questions over retrieved chunks, with refusals, in English and French",
        tuple(luciole.SUBSETS),
        luciole.load_luciole,
    ),
    "luciole-v1": DatasetEntry(
        "the same as it was first published, with seven subsets",
        tuple(luciole.SUBSETS),
        luciole.load_luciole_v1,
    ),
}


@dataclass(frozen=True)
class AnswerFormat:
    """One line of the list of formats in which answers come."""

    summary: str
    read: Callable[[Path, Dataset], dict[str, Answer]]


def _by_content(path: Path, dataset: Dataset) -> dict[str, Answer]:
    if contains_dataset(dataset.name, path):
        return alce.read_alce_result(path, dataset)
    return as_answers(path, dataset)


FORMATS: dict[str, AnswerFormat] = {
    "auto": AnswerFormat(
        'lines {"id", "answer"} and TREC report objects, told apart line by line; ALCE results',
        _by_content,
    ),
    "web": AnswerFormat(
        'lines {"id", "answer"} that cite addresses, or {"id", "response"} as a product returned it',
        read_web_answers,
    ),
    "alce": AnswerFormat(
        'results of ALCE and rageval: {"args", "data"} or a list', alce.read_alce_result
    ),
}


def read_answers(path: Path, dataset: Dataset, format: str = "auto") -> dict[str, Answer]:
    """One system's answers by question id. Raises UnknownName and DataError."""
    if format not in FORMATS:
        raise UnknownName("format", format, tuple(FORMATS), see="argue-bench list formats")
    return FORMATS[format].read(path, dataset)


def contains_dataset(name: str, answers: Path) -> bool:
    """Whether this file of answers also holds the data set of this name, and so can be its path."""
    entry = DATASETS.get(name)
    return entry is not None and entry.contained is not None and entry.contained(answers)


def load(name: str | Path, split: str = "", path: str | Path | None = None) -> Dataset:
    """The data set of this name, or the folder of the core format at this path.

    ``path`` names a local copy of a named set. Raises UnknownName, UsageError (no such split) and
    DataError (a file that is not what it should be, every finding at once).
    """
    if isinstance(name, Path) or name not in DATASETS:
        folder = Path(name)
        if folder.is_dir():
            return replace(core.load_folder(folder), source={"folder": (str(folder),)})
        if isinstance(name, Path) or "/" in name:
            raise UsageError(f"No such folder: {name}. No data set has this name either.")
        raise UnknownName("data set", name, tuple(DATASETS), see="argue-bench list datasets")
    entry = DATASETS[name]
    split = split or entry.splits[0]
    if split not in entry.splits:
        raise UsageError(f"{name} has no split {split!r}; it has: {', '.join(entry.splits)}")
    if path is None:
        return entry.load(split, None)
    source = {"dataset": (name,), "split": (split,), "data": (str(path),)}
    return replace(entry.load(split, Path(path)), source=source)


def load_dev(name: str = "core", path: str | Path | None = None) -> Dataset:
    """The split with gold, to develop on."""
    return load(name, "dev", path)


def load_test(name: str = "core", path: str | Path | None = None) -> Dataset:
    """The split to submit on: ``question.gold`` is None."""
    return load(name, "test", path)
