"""Answers at the bounds of a board: how much is asked and done for them, counted and not timed.

400 such answers take four to nine minutes of one core. Seconds depend on the machine, so what is held
here is what they rest on: judge requests, and calls of functions.
"""

from __future__ import annotations

import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from types import FrameType

import pytest

from argue_bench import load
from argue_bench.eval import evaluate
from argue_bench.judges.lexical import Lexical, reading
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.limits import MOST_CITATIONS, MOST_OF_A_SENTENCE, MOST_SENTENCES
from argue_bench.records import JudgeRequest, Verdict

METRICS = (
    *("argue", "citations", "faithfulness", "support"),
    *("grounding", "accuracy", "str_em", "rouge"),
)


@cache
def core() -> Dataset:
    """One question, which may cite every document."""
    dataset = load("core", "dev")
    return replace(dataset, questions=(replace(dataset.questions[0], documents=()),))


def words() -> list[str]:
    """Names and figures of some documents."""
    texts = " ".join(one.text for one in list(core().documents.values())[:14])
    return [one[:7] for one in re.findall(r"\b[A-Z][a-z]{2,}\b|\d[\d,]*", texts)]


def cited(size: int) -> str:
    """Short sentences, each of which cites as many of fourteen documents as a whole answer may."""
    draw, known, ids = random.Random(1), words(), list(core().documents)[:14]
    each = MOST_CITATIONS // MOST_SENTENCES
    return " ".join(
        f"The {draw.choice(known)} {draw.choice(('met', 'won', 'saw'))} {draw.choice(known)} "
        f"{''.join(f'[{id}]' for id in draw.choices(ids, k=each))}."
        for _ in range(size)
    )


def together(size: int, seed: int = 1) -> str:
    """What only three documents together support, said with all others beside them that it may cite."""
    draw, documents = random.Random(seed), list(core().documents.values())
    said = []
    for _ in range(size * MOST_CITATIONS // (MOST_SENTENCES * MOST_OF_A_SENTENCE)):
        three = draw.sample(documents, 3)
        lines = [re.search(r"[A-Z][^.\n]{30,120}(?=\.)", one.text) for one in three]
        names = [one.id for one in (*draw.sample(documents, MOST_OF_A_SENTENCE - 3), *three)]
        said.append(
            f"{'; '.join(one[0] for one in lines if one)} {''.join(f'[{id}]' for id in names)}."
        )
    return " ".join(said)


def uncited(size: int) -> str:
    draw, known = random.Random(1), words()
    return " ".join(f"The {' '.join(draw.sample(known, 3))} met." for _ in range(size))


def denied(size: int) -> str:
    draw, known = random.Random(1), words()
    return " ".join(
        f"It is not known who won {' '.join(draw.sample(known, 2))}." for _ in range(size)
    )


KINDS: dict[str, Callable[[int], str]] = {
    one.__name__: one for one in (cited, together, uncited, denied)
}


class Counting(Lexical):
    """The lexical judge, which counts what it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: Counter[str] = Counter()

    def decide(self, request: JudgeRequest) -> Verdict:
        self.asked[type(request).__name__] += 1
        return super().decide(request)


@contextmanager
def counted_calls() -> Iterator[Counter[str]]:
    """Counts the calls of functions, those of C too."""
    calls: Counter[str] = Counter()

    def count(frame: FrameType, event: str, given: object) -> None:
        calls[event] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        yield calls
    finally:
        sys.setprofile(before)


def scored(kind: str, size: int) -> tuple[Counter[str], int]:
    """What was asked about one answer of this kind under all metrics, and how many calls that took."""
    question, judge = core().questions[0], Counting()
    rows = [{"id": question.id, "answer": KINDS[kind](size)}]
    with counted_calls() as calls:
        report = evaluate(core(), rows, METRICS, judge=judge)
    assert not report.failures
    return judge.asked, calls["call"] + calls["c_call"]


@pytest.mark.release
@pytest.mark.parametrize("kind", KINDS)
def test_an_answer_at_the_bounds_asks_and_does_a_bounded_amount(kind: str) -> None:
    asked, calls = scored(kind, MOST_SENTENCES)
    gold = core().questions[0].gold
    assert gold is not None
    answers = sum(len(one.answers) + len(one.wrong) for one in gold.nuggets)
    # Each citation alone, all of a sentence together, and parts of these by halves.
    assert asked["Entails"] <= 4 * MOST_CITATIONS
    assert asked["Answers"] <= MOST_SENTENCES * answers
    assert asked["Confirms"] <= MOST_SENTENCES * len(gold.nuggets)
    for one in ("NeedsCitation", "NegativeAssertion", "FirstInstance"):
        assert asked[one] <= MOST_SENTENCES
    # The level of each sentence by what it cites and by all, and three further documents.
    assert asked["SupportLevel"] <= MOST_CITATIONS + 8 * MOST_SENTENCES
    assert calls <= 12_000_000


@pytest.mark.slow
def test_a_source_is_read_a_few_times_whatever_else_is_scored(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Answers like these were judged side by side, and each drove out what was read for the others."""
    original, read = reading.sentence_bounds, Counter[str]()

    def counted(text: str) -> Iterator[tuple[int, int]]:
        read["characters"] += len(text)
        return original(text)

    monkeypatch.setattr(reading, "sentence_bounds", counted)
    dataset = load("core", "dev")
    dataset = replace(dataset, questions=dataset.questions[:3])
    rows = [
        {"id": one.id, "answer": together(MOST_SENTENCES, seed)}
        for seed, one in enumerate(dataset.questions)
    ]
    cited = [id for row in rows for id in re.findall(r"\[([^\]]+)\]", row["answer"])]
    reading.forget_readings()
    report = evaluate(dataset, rows, ["citations"], judge="lexical")
    value = report.scores["citations.recall"].value
    assert value is not None
    assert value > 0.9
    assert read["characters"] <= 2 * sum(len(dataset.documents[id].text) for id in cited)
