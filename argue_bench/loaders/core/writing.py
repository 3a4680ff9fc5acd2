"""A data set of any kind as a folder of the core format, and nuggets added to one that is there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from argue_bench.loaders.core import FILES, data_digest, load_folder
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Gold
from argue_bench.records.atomic import write_json, write_lines
from argue_bench.records.untrusted import read_json

_FORBIDDEN = re.compile(r"[\s\[\]]+")
# Characters of an id, as the schemas of the core format allow.
_LONGEST = 128


def is_core_folder(path: Path) -> bool:
    """Whether a path is a folder of the core format."""
    return path.is_dir() and (path / "set.json").is_file()


def write_folder(folder: Path, dataset: Dataset) -> None:
    """Writes set.json, questions, documents and, where open, gold. Raises DataError.

    Ids are written as the format allows them: without blanks and brackets, at most 128 characters.
    """
    ids = _named(dataset.documents)
    write_lines(
        folder / "documents.jsonl",
        ({**asdict(one), "id": ids[one.id]} for one in dataset.documents.values()),
    )
    questions = _named(dataset.by_id)
    ours = ("gold", "pairing", "names", "metrics")
    rows = []
    for question in dataset:
        row = {key: value for key, value in asdict(question).items() if key not in ours}
        if not row["evidence"]:
            del row["evidence"]
        documents = [ids[id] for id in question.documents if id in ids]
        rows.append({**row, "id": questions[question.id], "documents": documents})
    write_lines(folder / "questions.jsonl", rows)
    gold = {questions[q.id]: q.gold or Gold() for q in dataset}
    if not dataset.sealed:
        write_gold(folder, gold)
    name = re.sub(r"[^a-z0-9]+", "-", dataset.name.lower()).strip("-") or "rows"
    _describe(folder, {"name": name, "version": "1", "split": dataset.split or "dev"})


def write_gold(folder: Path, gold: Mapping[str, Gold]) -> None:
    """Writes gold.jsonl, a line a question. Raises DataError."""
    write_lines(folder / "gold.jsonl", ({"id": id, **_full(one)} for id, one in gold.items()))


def replace_nuggets(folder: Path, nuggets: Mapping[str, Gold]) -> Dataset:
    """Replaces the gold of some questions of a folder, keeps that of all others, and returns
    the new set.

    The digest in set.json is made anew where it has one. Raises DataError.
    """
    dataset = load_folder(folder)
    # gold.jsonl has a line for every question, also for those whose gold is still empty.
    whole = {q.id: nuggets.get(q.id, q.gold or Gold()) for q in dataset}
    write_gold(folder, whole)
    about = read_json(folder / "set.json")
    if isinstance(about, dict) and about.get("digest"):
        _describe(folder, about)
    questions = tuple(replace(q, gold=whole[q.id]) for q in dataset)
    return replace(dataset, questions=questions)


def _describe(folder: Path, about: Mapping[str, Any]) -> None:
    content = {name: (folder / name).read_bytes() for name in FILES if (folder / name).is_file()}
    language = about.get("language", "en")
    whole = {**about, "language": language, "digest": data_digest(content)}
    write_json(folder / "set.json", whole)


def _full(gold: Gold) -> dict[str, Any]:
    """The fields of gold that are not empty; relevance is not part of the format."""
    whole = asdict(gold)
    del whole["relevance"]
    kept = {key: value for key, value in whole.items() if value not in (None, (), [], "")}
    return {**kept, "answerable": gold.answerable}


def _named(given: Iterable[str]) -> dict[str, str]:
    """Ids as the format allows them, each its own."""
    found: dict[str, str] = {}
    taken: set[str] = set()
    for id in given:
        name = _FORBIDDEN.sub("-", id.strip())[:_LONGEST].strip("-") or "id"
        # Two ids that differ only in forbidden characters must not become one.
        number = 2
        while name in taken:
            ending = f"-{number}"
            name, number = name[: _LONGEST - len(ending)] + ending, number + 1
        taken.add(name)
        found[id] = name
    return found
