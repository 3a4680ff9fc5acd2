"""What is decided about a row: it passes, with flags or without, or it is held until a maintainer has looked.

A row is held where more of its answers are flagged than of any honest row that we know of, twice over, and
where it shares more than half of its sequences of five words with another author's row. Of FanOutQA's 27
published files none is held: their answers are lists of names, and at most 22 % of a file's are flagged for any
one thing.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress

import numpy as np

from argue_bench.errors import Code, Finding
from argue_bench.leaderboard.formats.results import AnswerFacts
from argue_bench.leaderboard.screening.answers import fold, look, sequences
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Answer

HELD_ABOVE = {"instructions": 0.02, "unseen": 0.02}
"""The share of flagged answers above which a row is held: a score is an average, so a few earn nothing."""
HELD = 0.4
"""The same of what honest answers have too, now and then."""
SHARED = 0.5
"""The share of its sequences that a row may have in common with another author's; honest rows reach .24."""
HONEST = ("bm25-extractive", "lead-sentences", "nearest-sentences")
SAMPLED, LIKELY = 40, 0.3
"""Answers of a row that are compared first, and the share from which all of them are: most rows are far below."""
Texts = Mapping[str, str]
"""Answers by question, as they were written."""


def screen_flags(facts: AnswerFacts, count: int, path: str, looked: bool) -> Iterator[Finding]:
    """A finding for each kind of flag; an error where it holds the row, unless a maintainer has ``looked``."""
    for name, many in sorted(facts.flags.items()):
        held = many > count * HELD_ABOVE.get(name, HELD)
        why = f"{many:,} of {count:,} answers are flagged: {name}"
        yield _finding(why, path, held, looked)


def screen_copies(
    own: Texts, others: Iterable[tuple[str, Callable[[], bytes]]], path: str, looked: bool
) -> Iterator[Finding]:
    """A finding for each row that shares more than half of this one's sequences; names and readers of rows."""
    sampled = {id: own[id] for id in sorted(own)[:: max(1, len(own) // SAMPLED)]}
    first, whole = (texts_shared(texts) for texts in (sampled, own))
    for label, read in others:
        texts = texts_of(read())
        if (
            shared(first, texts, sampled) > LIKELY
            and (share := shared(whole, texts, texts)) > SHARED
        ):
            why = f"{100 * share:.0f} % of its sequences of five words are those of {label}"
            yield _finding(why, path, True, looked)


def shared(mine: set[tuple[str, ...]], texts: Texts, ids: Iterable[str]) -> float:
    """The share of these sequences that stand in another row's answers to these questions."""
    found: set[tuple[str, ...]] = set()
    for id in ids:
        found |= mine.intersection(sequences(fold(texts.get(id, ""))))
    return len(found) / len(mine) if mine else 0.0


def texts_of(content: bytes) -> dict[str, str]:
    """The answers of a file by question; lines that are none are passed over: another check says so."""
    texts: dict[str, str] = {}
    for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        with suppress(ValueError, RecursionError, AttributeError):
            row = json.loads(line)
            about = row.get("metadata") if isinstance(row.get("metadata"), dict) else row
            id = next((about[k] for k in ("id", "topic_id", "request_id") if k in about), None)
            said = row.get("responses", row.get("answer", ""))
            parts = [said] if isinstance(said, str) else [one.get("text", "") for one in said]
            texts[str(id)] = " ".join(part for part in parts if isinstance(part, str))
    return texts


def usual_range(answers: Iterable[Answer], dataset: Dataset) -> dict[str, tuple[float, float]]:
    """Of each value what 90 in 100 answers have: its 5th and its 95th percentile."""
    values: dict[str, list[float]] = {}
    for answer in answers:
        for name, value in look(answer, dataset.by_id[answer.id]).items():
            values.setdefault(name, []).append(value)
    return {
        name: (float(np.percentile(rows, 5)), float(np.percentile(rows, 95)))
        for name, rows in values.items()
    }


def honest_baselines(dataset: Dataset) -> Iterator[Answer]:
    """The answers of the baselines that read the set's documents; none where it has none."""
    from argue_bench.baselines import generate
    from argue_bench.loaders.answers import as_answers

    for name in HONEST if dataset.documents else ():
        yield from as_answers(list(generate(name, dataset, "evidenceprovided")), dataset).values()


def texts_shared(texts: Texts) -> set[tuple[str, ...]]:
    """The sequences of five words of these answers."""
    return {one for text in texts.values() for one in sequences(fold(text))}


def _finding(why: str, path: str, held: bool, looked: bool) -> Finding:
    if held and not looked:
        hint = (
            "A maintainer looks at it (board screen) and sets the label 'screened', or closes it."
        )
        return Finding(Code.HELD, why, path, hint=hint)
    return Finding(Code.FLAGGED, why, path, level="warning")
