"""Drafts on disk: ``drafts.jsonl`` for people to edit, gold of the core format and nugget files made of it.

A line of drafts.jsonl is one nugget with the sentence that it was found in and its state: "drafted"
and "accepted" nuggets are gold, "rejected" ones are kept here alone, so that nothing is lost.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

from argue_bench.baselines.drafting.steps import Draft
from argue_bench.errors import Code
from argue_bench.loaders.banks import write_topics
from argue_bench.loaders.core.writing import replace_nuggets, write_lines
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import Findings
from argue_bench.records import Gold, Nugget, NuggetAnswer
from argue_bench.records.untrusted import GOLD_LIMITS, read_lines

DRAFTS, NUGGETS = "drafts.jsonl", "nuggets"
State = Literal["drafted", "accepted", "rejected"]
# Characters of a nugget, a question of its own, or an id.
LONGEST = 2_000


@dataclass(frozen=True)
class EditableNugget:
    """One nugget of a topic as a person edits it."""

    topic: str
    text: str
    question: str = ""
    importance: Literal["vital", "okay"] = "okay"
    references: tuple[str, ...] = ()
    passage: str = ""
    sentence: str = ""
    state: State = "drafted"

    def as_nugget(self, asked: str) -> Nugget:
        """As gold; its id rests on topic and words, so it stays where the words do."""
        id = hashlib.md5(f"{self.topic} {self.question} {self.text}".encode()).hexdigest()
        answer = NuggetAnswer(self.text, self.references)
        return Nugget(id, self.question or asked, (answer,), "any", self.importance)


def editable(drafts: Iterable[Draft]) -> list[EditableNugget]:
    """The nuggets of drafts, and the dropped ones as rejected."""
    found: list[EditableNugget] = []
    for draft in drafts:
        found += [EditableNugget(draft.topic, **asdict(one)) for one in draft.nuggets]
        found += [
            EditableNugget(draft.topic, text, state="rejected")
            for text in dict.fromkeys(draft.dropped)
        ]
    return found


def read_drafts(folder: Path, dataset: Dataset) -> list[EditableNugget]:
    """The nuggets in drafts.jsonl; where there is no such file, those of the gold, accepted.

    Raises DataError with every finding.
    """
    path = folder / DRAFTS
    if not path.is_file():
        return [
            EditableNugget(
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
    read: list[EditableNugget] = []
    for line in read_lines(path, GOLD_LIMITS):
        found.extend(line.findings)
        if line.read:
            try:
                read.append(nugget_from_json(line.value, dataset))
            except ValueError as error:
                found.add(Code.WRONG_SHAPE, str(error), line.number)
    found.raise_errors()
    return read


def nugget_from_json(value: Any, dataset: Dataset) -> EditableNugget:
    """A nugget that a page or a file gives. Raises ValueError, saying what is wrong with it."""
    if not isinstance(value, dict) or (unknown := value.keys() - _FIELDS.keys()):
        raise ValueError(
            f"a nugget has {', '.join(_FIELDS)}"
            + (f", not {min(unknown)}" if isinstance(value, dict) else "")
        )
    for name, kind in _FIELDS.items():
        given = value.get(name, kind())
        texts = given if isinstance(given, list) else [given]
        if not isinstance(given, kind) or not all(
            isinstance(one, str) and len(one) <= 10 * LONGEST for one in texts
        ):
            raise ValueError(f"{name} is not {'a list of texts' if kind is list else 'a text'}")
    filled = {"topic": "", "text": "", **value, "references": tuple(value.get("references", ()))}
    nugget = EditableNugget(**filled)
    if nugget.topic not in dataset.by_id:
        raise ValueError(f"there is no question {nugget.topic!r:.80}")
    if not any(map(str.isalnum, nugget.text)) or len(nugget.text) > LONGEST:
        raise ValueError(f"the text of a nugget has 1 to {LONGEST:,} characters")
    if nugget.importance not in ("vital", "okay"):
        raise ValueError(f"importance is {nugget.importance!r:.40}, not vital or okay")
    if nugget.state not in get_args(State):
        raise ValueError(f"state is {nugget.state!r:.40}, not {', '.join(get_args(State))}")
    if missing := [id for id in nugget.references if id not in dataset.documents]:
        raise ValueError(f"there is no document {missing[0]!r:.80}")
    return nugget


_FIELDS: Mapping[str, type] = {
    "topic": str,
    "text": str,
    "question": str,
    "importance": str,
    "references": list,
    "passage": str,
    "sentence": str,
    "state": str,
}


class Saved(NamedTuple):
    """How many nuggets are gold now, and the topics whose ids cannot name a nugget file."""

    nuggets: int
    without_file: tuple[str, ...]


def save(folder: Path, nuggets: Sequence[EditableNugget]) -> Saved:
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
