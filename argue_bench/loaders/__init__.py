"""Data sets and answers from every format that is read: `load`, `load_dev`, `load_test`, `read_answers`.

    format                                        read in                   source
    core: set.json, questions, documents, gold    core/                     docs/data.md, schemas/
    own rows, exports and traces of products      rows/                     the products' references
    TREC topics and collections                   published/trec/           Auto-ARGUE, NIST
    answers: {"id", "answer"} and TREC reports    answers                   TREC's guidelines
    published sets and their results              published/NAME/data       each paper
    answers that cite web pages, and responses    web/                      the products' references

Every format becomes the same records. A data set is named (see DATASETS) or is a folder of the core
format. Where a named set is neither in the package nor at ``path``, it is fetched from its published
place with a checksum, once. Whatever is wrong with a file is a finding (`findings`), all at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from argue_bench import satellites
from argue_bench.errors import UnknownName, UsageError
from argue_bench.loaders import core
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Answer, Document

__all__ = [
    "DATASETS",
    "FORMATS",
    "Dataset",
    "contains_dataset",
    "load",
    "load_dev",
    "load_test",
    "load_topics",
    "open_collection",
    "read_answers",
]


@dataclass(frozen=True)
class DatasetEntry:
    """One line of the list of data sets."""

    summary: str
    splits: tuple[str, ...]
    # ``module:function`` of this package: (split, local path or None) to the data set.
    loader: str
    # ``module:function``: whether a file of answers holds the data set too (ALCE's result files).
    contained: str = ""

    def load(self, split: str, path: Path | None) -> Dataset:
        """The data set; its loader is imported now, not before."""
        return cast("Dataset", satellites.import_text(self.loader)(split, path))


DATASETS: dict[str, DatasetEntry] = {
    "core": DatasetEntry(
        "fictional news with exact gold, for first runs, rehearsal and calibration",
        ("dev", "test", "sample"),
        "loaders.core:load_embedded",
    ),
} | {name: DatasetEntry(*entry) for name, entry in satellites.DATASETS.items()}


@dataclass(frozen=True)
class AnswerFormat:
    """One line of the list of formats in which answers come."""

    summary: str
    # ``module:function`` of this package: (path, data set) to the answers by question id.
    reader: str


FORMATS: dict[str, AnswerFormat] = {
    "auto": AnswerFormat(
        'lines {"id", "answer"} and TREC report objects, told apart line by line; ALCE results',
        "loaders.answers:as_answers",
    ),
} | {name: AnswerFormat(*entry) for name, entry in satellites.FORMATS.items()}


def read_answers(path: Path, dataset: Dataset, format: str = "auto") -> Mapping[str, Answer]:
    """One system's answers by question id. Raises UnknownName and DataError."""
    if format not in FORMATS:
        raise UnknownName("format", format, tuple(FORMATS), see="argue-bench list formats")
    # A result file of ALCE holds questions and answers in one file, and is told apart by its
    # content.
    own = format == "auto" and contains_dataset(dataset.name, path)
    return cast(
        "Mapping[str, Answer]",
        satellites.import_text(FORMATS["alce" if own else format].reader)(path, dataset),
    )


def contains_dataset(name: str, answers: Path) -> bool:
    """Whether this file of answers also holds the data set of this name, and so can be its path."""
    entry = DATASETS.get(name)
    return (
        entry is not None
        and bool(entry.contained)
        and satellites.import_text(entry.contained)(answers)
    )


def load(name: str | Path, split: str = "", path: str | Path | None = None) -> Dataset:
    """The data set of this name, or the folder of the core format at this path.

    ``path`` names a local copy of a named set. Raises UnknownName, UsageError (no such split) and
    DataError (a file that is not what it should be, every finding at once).
    """
    # A name of the list comes before a folder of the same name.
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


def load_topics(
    nuggets: str | Path,
    documents: Mapping[str, Document] | None = None,
    requests: str | Path | None = None,
    qrels: str | Path | None = None,
) -> Dataset:
    """TREC topics with nuggets (a file or folder of Auto-ARGUE's) as a data set whose questions may cite
    any of the documents. Raises DataError with all findings.
    """
    files = [None if path is None else Path(path) for path in (requests, qrels)]
    return cast(
        "Dataset", satellites.import_text(satellites.TREC_DATASET)(Path(nuggets), documents, *files)
    )


def open_collection(path: str | Path, parts: Sequence[str] = ()) -> Mapping[str, Document]:
    """The documents of a collection, or of these parts of it, by id; each is read when it is looked up.

    ``path`` may be a name in the folder that ``DOC_LOOKUP`` names. Raises UsageError and DataError.
    """
    return cast(
        "Mapping[str, Document]", satellites.import_text(satellites.OPENED_COLLECTION)(path, parts)
    )
