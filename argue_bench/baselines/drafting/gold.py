"""Drafts on disk: ``drafts.jsonl`` for people to edit, gold of the core format and nugget files made of it.

A line of drafts.jsonl is one nugget with the sentence that it was found in and its state: "drafted"
and "accepted" nuggets are gold, "rejected" ones are kept here alone, so that nothing is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, NamedTuple

from argue_bench.baselines.drafting.steps import Draft, DraftedNugget
from argue_bench.errors import Code, DataError
from argue_bench.loaders.banks import write_topics
from argue_bench.loaders.core.writing import replace_nuggets, write_lines
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import Findings
from argue_bench.records import Gold
from argue_bench.records.untrusted import GOLD_LIMITS, read_lines
from argue_bench.records.validation import validate

DRAFTS, NUGGETS = "drafts.jsonl", "nuggets"


def editable(drafts: Iterable[Draft]) -> list[DraftedNugget]:
    """The nuggets of drafts, and the dropped ones as rejected."""
    found: list[DraftedNugget] = []
    for draft in drafts:
        found += draft.nuggets
        found += [
            DraftedNugget(draft.topic, text, state="rejected")
            for text in dict.fromkeys(draft.dropped)
        ]
    return found


def read_drafts(folder: Path, dataset: Dataset) -> list[DraftedNugget]:
    """The nuggets in drafts.jsonl; where there is no such file, those of the gold, accepted.

    Raises DataError with every finding.
    """
    path = folder / DRAFTS
    if not path.is_file():
        return [
            DraftedNugget(
                question.id,
                answer.text,
                "" if nugget.question == question.text else nugget.question,
                nugget.weight or "okay",
                answer.references,
                state="accepted",
            )
            for question in dataset
            for nugget in (question.gold.nuggets if question.gold else ())
            for answer in nugget.answers
        ]
    found = Findings(path)
    read: list[DraftedNugget] = []
    for line in read_lines(path, GOLD_LIMITS):
        found.extend(line.findings)
        if line.read:
            try:
                read.append(nugget_from_json(line.value, dataset, path, line.number))
            except DataError as error:
                found.extend(error.findings)
    found.raise_errors()
    return read


def nugget_from_json(
    value: Any, dataset: Dataset, file: str | Path = "", line: int | None = None
) -> DraftedNugget:
    """A nugget that a page or a file gives. Raises DataError, saying what is wrong with it."""
    nugget = validate(DraftedNugget, value, Code.WRONG_SHAPE, file, line)
    if nugget.topic not in dataset.by_id:
        why = f"there is no question {nugget.topic!r:.80}"
        raise DataError.of(Code.WRONG_SHAPE, why, file, line)
    if missing := [id for id in nugget.references if id not in dataset.documents]:
        why = f"there is no document {missing[0]!r:.80}"
        raise DataError.of(Code.WRONG_SHAPE, why, file, line)
    return nugget


class Saved(NamedTuple):
    """How many nuggets are gold now, and the topics whose ids cannot name a nugget file."""

    nuggets: int
    without_file: tuple[str, ...]


def save(folder: Path, nuggets: Sequence[DraftedNugget]) -> Saved:
    """Writes drafts.jsonl, the gold of the topics that it names, and their nugget files (v3).

    Other gold of these questions (answers, claims) stays. Raises DataError.
    """
    from argue_bench.loaders.core import load_folder

    dataset = load_folder(folder)
    gold: dict[str, Gold] = {}
    for topic in dict.fromkeys(one.topic for one in nuggets):
        question = dataset.question(topic)
        own = {
            nugget.id: nugget
            for one in nuggets
            if one.topic == topic and one.state != "rejected"
            for nugget in [one.as_nugget(question.text)]
        }
        gold[topic] = replace(question.gold or Gold(), nuggets=tuple(own.values()))
    write_lines(folder / DRAFTS, (asdict(one) for one in nuggets))
    now = replace_nuggets(folder, gold)
    odd = tuple(topic for topic in gold if set(topic) & set("/_\\"))
    write_topics(folder / NUGGETS, (now.question(topic) for topic in gold if topic not in odd))
    return Saved(sum(len(one.nuggets) for one in gold.values()), odd)
