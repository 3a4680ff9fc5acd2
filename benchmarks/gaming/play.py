"""Plays the games on a set, some questions at a time, in several processes.

Most systems have the judge decide the same of a question, and of no other question. So each process takes
a few questions through all systems, remembers their verdicts and the answers it has scored (what is left of an
honest answer is often all of it), and hands back tallies. Scores are averaged over all questions at the end.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from typing import NamedTuple

import numpy as np

from argue_bench.errors import MissingExtra
from argue_bench.eval import evaluate
from argue_bench.judges.base import Reply
from argue_bench.judges.lexical import Lexical
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import parse
from argue_bench.metrics.base import Metric, Tallies
from argue_bench.records import JudgeRequest, Question, Verdict
from argue_bench.stats.averages import columns_of, value_of
from argue_bench.stats.bootstrap import replicates
from benchmarks.gaming.field import Answers, Field
from benchmarks.gaming.sets import LOADERS, SETS

RESAMPLES = 2_000
AT_ONCE = 4
"""Questions that a process takes through all systems before it begins the next."""
HONEST, TOLD, GAME, BEFORE, AFTER = "honest", "told", "game", "before", "after"
PUBLISHED_ALONE = {"citations": ("recall",)}
"""By metric, scores that a board may rank by under published rules, and not under our own."""
Counted = Mapping[str, list[Tallies | None]]
Played = dict[tuple[str, str], dict[str, list[Tallies | None]]]
"""By kind and name of a system, by metric text: the tallies of its questions."""
Known = dict[tuple[str, str], Mapping[str, Tallies | None]]
"""By question and answer, by metric text: its tallies."""
Scores = Mapping[str, float]


class Found(NamedTuple):
    """The best of the honest systems, the best game, and the game that adds most to an honest answer.

    ``lead`` and ``gain`` are half of the 95 % intervals, over questions, of what the game has more than the
    honest system, and of what was added.
    """

    honest: tuple[str, float]
    game: tuple[str, float]
    added: tuple[str, float]
    lead: float = 0.0
    gain: float = 0.0


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


def play(name: str, questions: int, workers: int) -> tuple[dict[str, Found], int]:
    """What honest systems, games and touched answers earn on a set, score by score, and on how many
    questions."""
    questions = min(questions, len(_dataset(name)))
    starts = range(0, questions, AT_ONCE)
    context = multiprocessing.get_context("spawn")
    together: Played = {}
    with ProcessPoolExecutor(workers, context) as pool:
        parts = [pool.submit(_play, name, at, min(at + AT_ONCE, questions)) for at in starts]
        for part in parts:
            for system, counted in part.result().items():
                for text, rows in counted.items():
                    together.setdefault(system, {}).setdefault(text, []).extend(rows)
    return compared(together), questions


def compared(played: Played) -> dict[str, Found]:
    """Score by score, what the best of each kind earn."""
    scores = {system: _scores(counted) for system, counted in played.items()}
    honest = {system: one for (kind, system), one in scores.items() if kind == HONEST}
    games = {system: one for (kind, system), one in scores.items() if kind == GAME}
    added = _added(scores)
    found = {}
    for key in filter(ranks, next(iter(honest.values()))):
        best, game = _best(honest, key), _best(games, key)
        what, base, gain = added[key]
        found[key] = Found(
            best,
            game,
            (what, gain),
            _half_width(key, played[GAME, game[0]], played[HONEST, best[0]]),
            _half_width(key, played[AFTER, what], played[base]),
        )
    return found


_dataset = cache(lambda name: LOADERS[name]())
"""A process opens a set once."""


def _play(name: str, start: int, end: int) -> Played:
    """Takes some questions of a set through all systems."""
    field, judge = Field(_dataset(name)[start:end]), Remembering()
    metrics = [metric for text in SETS[name] if _installed(metric := parse(text))]
    known: Known = {}
    return {
        system: _tallies(field.dataset, metrics, judge, answers, known)
        for system, answers in _systems(field)
    }


def _systems(field: Field) -> Iterator[tuple[tuple[str, str], Answers]]:
    honest = field.honest()
    told = field.mostly_told(honest["nearest-sentences"])
    yield from (((HONEST, name), one) for name, one in honest.items())
    yield from (((TOLD, name), one) for name, one in told.items())
    yield from (((GAME, name), one) for name, one in field.games().items())
    for what, touched, as_it_stands in field.touched(honest | told):
        yield (AFTER, what), touched
        yield (BEFORE, what), as_it_stands


def _tallies(
    dataset: Dataset,
    metrics: Sequence[Metric],
    judge: Remembering,
    answers: Answers,
    known: Known,
) -> dict[str, list[Tallies | None]]:
    """The tallies of some answers, question by question; ``known`` grows by those that are new."""
    new = {id: text for id, text in answers.items() if (id, text) not in known}
    if new:
        rows = [
            {"id": id, "answer": _numbered(text, dataset.question(id))} for id, text in new.items()
        ]
        found = evaluate(dataset, rows, list(metrics), judge=judge, only_answered=True).per_question
        known.update(((id, text), found[id]) for id, text in new.items())
    return {str(one): [known[q.id, answers[q.id]][str(one)] for q in dataset] for one in metrics}


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
    scores: Mapping[tuple[str, str], Scores],
) -> dict[str, tuple[str, tuple[str, str], float]]:
    """By score: what adds most to an honest answer, to which answers, and how much."""
    added: dict[str, tuple[str, tuple[str, str], float]] = {}
    for (kind, what), touched in scores.items():
        if kind != AFTER:
            continue
        # Less of an honest answer can be better than all of it, by its author's own choice.
        whole = next(key for key in scores if key[0] in (HONEST, TOLD) and key[1] in what)
        for key, value in touched.items():
            before = [(one, scores[one]) for one in ((BEFORE, what), whole)]
            base, least = max(
                ((name, one.get(key, value)) for name, one in before), key=lambda one: one[1]
            )
            if key not in added or value - least > added[key][2]:
                added[key] = (what, base, value - least)
    return added


def _half_width(key: str, one: Counted, other: Counted) -> float:
    """Half of the 95 % interval of the difference between two systems, by resampled questions."""
    text, _, name = key.rpartition(".")
    average = parse(text).averages(columns_of(one[text]))[name]
    first, second = (
        replicates({name: average}, columns_of(counted[text]), resamples=RESAMPLES)[name]
        for counted in (one, other)
    )
    low, high = np.nanquantile(first - second, (0.025, 0.975))
    return float(high - low) / 2


def ranks(key: str) -> bool:
    """Whether a board may rank by this score."""
    text, _, name = key.rpartition(".")
    metric = parse(text)
    published = PUBLISHED_ALONE.get(metric.name, ()) if metric.frozen else ()
    return name in (*(metric.ranking or metric.ranked_by), *published)


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
