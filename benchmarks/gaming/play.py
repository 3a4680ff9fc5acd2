"""Plays the games on a set, some questions at a time, in several processes.

What a question is asked is asked of it again by most systems, and of no other question. So each process
takes a few questions through all systems, remembers the verdicts on them, and hands back tallies; the
scores are averaged over all questions at the end.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import NamedTuple

from argue_bench.errors import MissingExtra
from argue_bench.eval import evaluate
from argue_bench.judges.base import Reply
from argue_bench.judges.lexical import Lexical
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import parse
from argue_bench.metrics.base import Metric, Tallies
from argue_bench.records import JudgeRequest, Question, Verdict
from argue_bench.stats.averages import columns_of, value_of
from benchmarks.gaming.field import TOUCHED, Answers, Field
from benchmarks.gaming.sets import LOADERS, SETS

AT_ONCE = 4
"""Questions that a process takes through all systems before it begins the next."""
HONEST, GAME, BEFORE, AFTER = "honest", "game", "before", "after"
Played = dict[tuple[str, str], dict[str, list[Tallies | None]]]
"""By kind and name of a system, by metric text: the tallies of its questions."""
Scores = Mapping[str, float]


class Found(NamedTuple):
    """The best of the honest systems, the best game, and the game that adds most to an honest answer."""

    honest: tuple[str, float]
    game: tuple[str, float]
    added: tuple[str, float]


class Remembering(Lexical):
    """The lexical judge, which is asked the same of many systems."""

    def __init__(self) -> None:
        super().__init__()
        self._known: dict[JudgeRequest, Verdict] = {}

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        new = [request for request in requests if request not in self._known]
        async for request, verdict in super().judge(new):
            assert isinstance(verdict, Verdict)
            self._known[request] = verdict
        for request in requests:
            yield request, self._known[request]


def play(name: str, questions: int, workers: int) -> dict[str, Found]:
    """What honest systems, games and touched answers earn on a set, score by score."""
    starts = range(0, min(questions, len(_dataset(name))), AT_ONCE)
    context = multiprocessing.get_context("spawn")
    together: Played = {}
    with ProcessPoolExecutor(workers, context) as pool:
        parts = [pool.submit(_play, name, at, min(at + AT_ONCE, questions)) for at in starts]
        for part in parts:
            for system, counted in part.result().items():
                for text, rows in counted.items():
                    together.setdefault(system, {}).setdefault(text, []).extend(rows)
    scores = {system: _scores(counted) for system, counted in together.items()}
    honest = {system: one for (kind, system), one in scores.items() if kind == HONEST}
    games = {system: one for (kind, system), one in scores.items() if kind == GAME}
    added = _added(scores, honest)
    return {
        key: Found(_best(honest, key), _best(games, key), added.get(key, ("", 0.0)))
        for key in next(iter(honest.values()))
        if ranks(key)
    }


_dataset = cache(lambda name: LOADERS[name]())
"""A process opens a set once."""


def _play(name: str, start: int, end: int) -> Played:
    """Takes some questions of a set through all systems."""
    field, judge = Field(_dataset(name)[start:end]), Remembering()
    metrics = [metric for text in SETS[name] if _installed(metric := parse(text))]
    return {
        system: _tallies(field.dataset, metrics, judge, answers)
        for system, answers in _systems(field)
    }


def _systems(field: Field) -> Iterator[tuple[tuple[str, str], Answers]]:
    honest = field.honest()
    yield from (((HONEST, name), one) for name, one in honest.items())
    yield from (((GAME, name), one) for name, one in field.games().items())
    for what, touched, as_it_stands in field.touched(honest):
        yield (AFTER, what), touched
        yield (BEFORE, what), as_it_stands


def _tallies(
    dataset: Dataset, metrics: Sequence[Metric], judge: Remembering, answers: Answers
) -> dict[str, list[Tallies | None]]:
    rows = [
        {"id": id, "answer": _numbered(text, dataset.question(id))} for id, text in answers.items()
    ]
    found = evaluate(dataset, rows, list(metrics), judge=judge, resamples=0).per_question
    return {str(one): [found[q.id][str(one)] for q in dataset] for one in metrics}


def _numbered(text: str, question: Question) -> str:
    """The text with numbers for ids, which is how all rules read citations."""
    for place, id in enumerate(question.documents, 1):
        text = text.replace(f"[{id}]", f"[{place}]")
    return text


def _scores(counted: Mapping[str, Sequence[Tallies | None]]) -> Scores:
    """Every share that was earned, turned so that more is better."""
    found = {}
    for text, rows in counted.items():
        columns = columns_of(rows)
        for name, average in parse(text).averages(columns).items():
            value = value_of(average, columns)
            if value is not None and average.unit in ("share", "rating"):
                found[f"{text}.{name}"] = -value if average.better == "lower" else value
    return found


def _added(
    scores: Mapping[tuple[str, str], Scores], honest: Mapping[str, Scores]
) -> dict[str, tuple[str, float]]:
    """By score: what adds most to an honest answer, and how much."""
    added: dict[str, tuple[str, float]] = {}
    for (kind, what), touched in scores.items():
        if kind != AFTER:
            continue
        # Less of an honest answer can be better than all of it, by its author's own choice.
        whole = honest[next(one for one in TOUCHED if one in what)]
        before = scores[BEFORE, what]
        for key, value in touched.items():
            gain = value - max(before.get(key, value), whole.get(key, value))
            if gain > added.get(key, ("", -1.0))[1]:
                added[key] = (what, gain)
    return added


def ranks(key: str) -> bool:
    """Whether a board may rank by this score."""
    text, _, name = key.rpartition(".")
    metric = parse(text)
    return name in (metric.ranking or metric.ranked_by)


def _best(systems: Mapping[str, Scores], key: str) -> tuple[str, float]:
    return max(
        ((name, one[key]) for name, one in systems.items() if key in one), key=lambda one: one[1]
    )


def _installed(metric: Metric) -> bool:
    try:
        metric.require()
    except MissingExtra:
        return False
    return True
