"""What a row earns by the gold of other questions: a list of guesses earns there too, in whatever spelling it stands.

Some published scores count which strings of the gold an answer holds, so a list raises them, be it one for all questions or
one for each. Its answers are counted once more by the same metric, each by the gold of the questions most like its own, and
so is the gold, which those questions may share. On FanOutQA published answers earn so at most 1.9 points more than the gold,
and answers with 800 characters of guesses 6.9.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from heapq import nlargest
from random import SystemRandom
from statistics import fmean

from argue_bench.leaderboard.formats.season import Season
from argue_bench.leaderboard.screening.answers import SMALL, fold
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Answer, Question
from argue_bench.records.question import leaves

# Metrics that a list raises.
COUNTING = ("accuracy", "str_em")
# So many questions most like each, of so many of a set; and by how much more than the gold a row earns that is flagged.
LIKE, SAMPLE, MOST = 8, 1_000, 0.05


def guesses(season: Season, dataset: Dataset, answers: Sequence[Answer]) -> bool:
    """Whether these answers earn `MOST` more of the ranked score by the gold of other questions than their own gold does."""
    earned = chance(season, dataset, answers)
    return earned is not None and earned[0] > earned[1] + MOST


def chance(
    season: Season, dataset: Dataset, answers: Sequence[Answer]
) -> tuple[float, float] | None:
    """The ranked score, 0 to 1, of the answers by the gold of other questions, and of the gold so.

    None where that score is not raised by a list, or the set has too few questions.
    """
    from argue_bench.eval import evaluate
    from argue_bench.metrics import parse

    text, _, score = season.ranked.rpartition(".")
    ranked = next(
        (m for m in map(parse, season.metrics or dataset.metrics) if text in (str(m), m.name)), None
    )
    if ranked is None or ranked.name not in COUNTING or len(dataset) <= LIKE:
        return None
    # Drawn by chance: whoever knew the places would write lists at the others.
    drawn = SystemRandom().sample(range(len(dataset)), min(SAMPLE, len(dataset)))
    some = replace(dataset, questions=[dataset[place] for place in sorted(drawn)])
    turned = [
        replace(
            some,
            questions=tuple(
                replace(one, gold=other.gold) for one, other in zip(some, others, strict=True)
            ),
        )
        for others in _most_like([*some])
    ]

    def earned(given: Sequence[Answer]) -> float:
        reports = (evaluate(one, given, [ranked]) for one in turned)
        return fmean(one.scores[f"{ranked}.{score}"].value or 0.0 for one in reports)

    known = [Answer(one.id, "\n".join(_strings(one))) for one in some]
    return earned([one for one in answers if one.id in some.by_id]), earned(known)


def _strings(question: Question) -> Iterator[str]:
    """What its gold counts, once each."""
    if question.gold is not None:
        yield from leaves(question.gold.answer)
        yield from (one.answers[0] for one in question.gold.short_answers)


def _most_like(questions: Sequence[Question]) -> list[tuple[Question, ...]]:
    """`LIKE` rows of questions: the most like of each by the words that they share, the second most like of each, and so on."""
    words = {one.id: {*fold(one.text)} - SMALL for one in questions}

    def most_like(one: Question) -> list[Question]:
        own, others = words[one.id], (other for other in questions if other is not one)
        return nlargest(LIKE, others, lambda o: len(own & words[o.id]) / (1 + len(words[o.id])))

    return [*zip(*map(most_like, questions), strict=True)]
