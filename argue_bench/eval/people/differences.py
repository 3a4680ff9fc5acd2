"""Differences between systems, corrected by people's labels of some answers of both.

The bootstrap form of prediction-powered inference on the questions that were labelled for both
(`argue_bench.stats.prediction_powered`): one system's score minus the other's, by people's verdicts where
there are some, helped by the judge's on all questions.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Protocol

import numpy as np

from argue_bench.eval.people.corrections import (
    Correction,
    Scored,
    correct,
    scored_together,
    undecided,
)
from argue_bench.eval.report import Report
from argue_bench.stats.averages import Average, Columns, columns_of, stack, take
from argue_bench.stats.bootstrap import RESAMPLES, estimate
from argue_bench.stats.clusters import Clusters
from argue_bench.stats.prediction_powered import is_mean


@dataclass(frozen=True)
class CorrectedDifference:
    """The first system's score minus the second's, corrected by people's labels."""

    score: str
    first: str
    second: str
    judged: float
    """The difference by the judge, on all questions."""
    correction: Correction


class Compared(Protocol):
    """One score of all systems: columns (questions, systems)."""

    @property
    def key(self) -> str: ...
    @property
    def average(self) -> Average: ...
    @property
    def columns(self) -> Columns: ...
    @property
    def questions(self) -> tuple[str, ...]: ...
    @property
    def clusters(self) -> Clusters | None: ...


Pair = tuple[int, int]
MOST_SETS = 16
"""Sets of labelled questions that pairs of systems are compared on; a draw for each takes its time."""
_TOGETHER = 64
"""Pairs whose resamples are in memory at once."""


def corrected_differences(
    compared: Sequence[Compared], reports: Mapping[str, Report], resamples: int = RESAMPLES
) -> Iterator[CorrectedDifference]:
    """Each score and pair of systems of which both have labels.

    A pair is compared on the questions labelled for both. Pairs with the same ones share their resamples;
    beyond `MOST_SETS` different sets, pairs are compared on the questions labelled for every system.
    """
    for one in compared:
        sides = list(_labelled(one, reports))
        judged = estimate(one.average, one.columns)
        found: dict[Pair, Correction] = {}
        for labelled, pairs in _by_questions([side.labelled for side in sides]):
            found.update(_of_pairs(one, sides, labelled, pairs, resamples))
        for a, b in sorted(found):
            first, second = sides[a], sides[b]
            gap = float(judged[first.place] - judged[second.place])
            correction = replace(found[a, b], unit=one.average.unit)
            yield CorrectedDifference(one.key, first.system, second.system, gap, correction)


def corrected_scores(
    one: Compared, reports: Mapping[str, Report], resamples: int = RESAMPLES
) -> dict[str, Correction]:
    """System to its score as people's labels correct it, of the systems that have some."""
    found: dict[str, Correction] = {}
    alike: dict[bytes, list[_Labelled]] = {}
    for side in _labelled(one, reports):
        judged = take(one.columns, np.s_[:, side.place])
        if is_mean(one.average, take(side.people, side.labelled), judged, side.labelled):
            found[side.system] = correct(
                one.average, side.people, judged, side.labelled, one.clusters, resamples
            )
        else:
            alike.setdefault(side.labelled.tobytes(), []).append(side)
    for sides in alike.values():
        scored = _together(one, sides, sides[0].labelled, resamples)
        found |= zip((side.system for side in sides), scored.corrections(), strict=True)
    return {name: replace(found[name], unit=one.average.unit) for name in reports if name in found}


@dataclass(frozen=True)
class _Labelled:
    """A system of whose answers people labelled some."""

    system: str
    place: int
    """Its place in the columns of all systems."""
    people: Columns
    """(n,), empty where a question is not labelled."""
    labelled: np.ndarray


def _labelled(one: Compared, reports: Mapping[str, Report]) -> Iterator[_Labelled]:
    """The systems whose score labels can correct."""
    text, read = one.key.rpartition(".")[0], one.average.columns_read
    for place, (name, report) in enumerate(reports.items()):
        if "labels" not in report.signature[text]:
            continue
        rows = [report.people.get(q, {}).get(text) for q in one.questions]
        given = columns_of(rows)
        if any(column not in given for column in read) or undecided(rows, read):
            continue
        labelled = np.array([row is not None and all(c in row for c in read) for row in rows])
        yield _Labelled(name, place, {column: given[column] for column in read}, labelled)


def _by_questions(labelled: Sequence[np.ndarray]) -> Iterator[tuple[np.ndarray, list[Pair]]]:
    """The pairs of systems by the questions labelled for both, the commonest of these first."""
    groups: dict[bytes, tuple[np.ndarray, list[Pair]]] = {}
    for a, b in combinations(range(len(labelled)), 2):
        both = labelled[a] & labelled[b]
        groups.setdefault(both.tobytes(), (both, []))[1].append((a, b))
    ordered = sorted(groups.values(), key=lambda group: -len(group[1]))
    yield from ordered[:MOST_SETS]
    if rest := [pair for _, pairs in ordered[MOST_SETS:] for pair in pairs]:
        yield np.logical_and.reduce(labelled), rest


def _of_pairs(
    one: Compared,
    sides: Sequence[_Labelled],
    labelled: np.ndarray,
    pairs: Sequence[Pair],
    resamples: int,
) -> Iterator[tuple[Pair, Correction]]:
    """The corrected difference of each pair on the same labelled questions."""
    numbers = sorted({number for pair in pairs for number in pair})
    at = {number: place for place, number in enumerate(numbers)}
    scored = _together(one, [sides[number] for number in numbers], labelled, resamples)
    for start in range(0, len(pairs), _TOGETHER):
        some = pairs[start : start + _TOGETHER]
        first, second = ([at[pair[side]] for pair in some] for side in (0, 1))
        yield from zip(some, scored.pairs(first, second).corrections(), strict=True)


def _together(
    one: Compared, sides: Sequence[_Labelled], labelled: np.ndarray, resamples: int
) -> Scored:
    """The score of some systems, of whose labels those of the questions ``labelled`` count."""
    people = stack([side.people for side in sides], one.average.columns_read)
    judged = take(one.columns, np.s_[:, [side.place for side in sides]])
    return scored_together(
        one.average.values,
        take(people, labelled),
        judged,
        labelled,
        one.clusters,
        resamples=resamples,
    )
