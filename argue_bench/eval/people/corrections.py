"""Scores by a judge, corrected by the labels that people gave for some of the questions.

Which method applies depends on the score and on the labels, and every correction says which: for a
mean over questions prediction-powered inference with power tuning, for other scores and where
questions form clusters its bootstrap form (`argue_bench.stats.prediction_powered`), and for labels of
another set the judge's sensitivity and specificity (`argue_bench.stats.calibration`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from argue_bench.metrics.base import Tallies
from argue_bench.stats.averages import AllButOne, Array, Average, Columns, Unit, columns_of, take
from argue_bench.stats.bootstrap import RESAMPLES
from argue_bench.stats.clusters import Clusters, take_clusters
from argue_bench.stats.prediction_powered import (
    FEWEST,
    FEWEST_RARE,
    Corrected,
    Resampled,
    Score,
    corrected_mean,
    corrected_resampled,
    is_mean,
    labels_that_halve,
    rarer,
    resampled,
    scored_alone,
    units_drawn,
)

Method = Literal["mean", "bootstrap", "calibration"]
UNDECIDED = "people's verdicts lead to requests that nobody labelled"
"""The note of a tally that cannot be counted yet, just where people differ from the judge."""
FEWEST_FOR_A_VALUE = 5
"""Labelled questions below which nothing is corrected."""
FEWEST_CLUSTERS = 10
"""Clusters with labelled questions below which no interval is given."""


@dataclass(frozen=True)
class Correction:
    """A corrected score with its 95 % interval; ``reason`` says why there is no value or interval.

    ``n`` counts the questions that the score applies to, ``labelled`` those among them that people
    labelled.
    """

    value: float | None = None
    low: float | None = None
    high: float | None = None
    standard_error: float | None = None
    bias: float | None = None
    """The judge's score minus people's, on the labelled questions."""
    bias_low: float | None = None
    bias_high: float | None = None
    tuning: float | None = None
    """From 0 (the judge is ignored) to 1."""
    labelled: int = 0
    n: int = 0
    clusters: int = 0
    halved_by: int | None = None
    """How many labelled questions would make the interval half as wide; None where none would."""
    method: Method = "mean"
    unit: Unit = "share"
    reason: str = ""


def corrections(
    averages: Mapping[str, Average],
    judged: Sequence[Tallies | None],
    people: Sequence[Tallies | None],
    clusters: Clusters | None = None,
    resamples: int = RESAMPLES,
) -> Iterator[tuple[str, Correction]]:
    """The correction of each score of a metric, by name, from tallies of all questions.

    ``people`` has None where a question is not labelled. Scores that no label is about have none.
    """
    if any(row is None for row in judged):
        return
    by_judge, by_people = columns_of(judged), columns_of(people)
    for name, average in averages.items():
        read = average.columns_read
        if not average.resampled or any(
            one not in by_people or one not in by_judge for one in read
        ):
            continue
        if undecided(people, read):
            yield name, Correction(reason=UNDECIDED, unit=average.unit)
            continue
        labelled = np.array([row is not None and all(one in row for one in read) for row in people])
        mine = {one: by_people[one] for one in read}
        its = {one: by_judge[one] for one in read}
        found = correct(average, mine, its, labelled, clusters, resamples)
        yield name, replace(found, unit=average.unit)


def undecided(people: Iterable[Tallies | None], read: Sequence[str]) -> bool:
    """Whether people's tallies hang on requests that nobody labelled, in one of the columns read."""
    return any(row[one].note == UNDECIDED for row in people if row for one in read if one in row)


def correct(
    average: Average,
    people: Columns,
    judge: Columns,
    labelled: np.ndarray,
    clusters: Clusters | None = None,
    resamples: int = RESAMPLES,
) -> Correction:
    """The correction of one score; columns of all questions (n,), people's empty where not labelled."""
    mean = is_mean(average, take(people, labelled), judge, labelled)
    if mean:
        # Questions to which the score does not apply are no part of a mean.
        applies = judge[average.columns_read[0]].denominator != 0
        judge, people, labelled = take(judge, applies), take(people, applies), labelled[applies]
        clusters = take_clusters(clusters, applies)
    return correct_score(
        average.values, take(people, labelled), judge, labelled, clusters, mean, resamples
    )


def correct_score(
    score: Score,
    people: Columns,
    judge: Columns,
    labelled: np.ndarray,
    clusters: Clusters | None = None,
    mean: bool = False,
    resamples: int = RESAMPLES,
) -> Correction:
    """The correction of any score: people's columns of labelled questions, the judge's of all (n,).

    ``mean``: whether it is the plain mean of its values on single questions.
    """
    one, other = (take(columns, np.s_[:, None]) for columns in (people, judge))
    scored = scored_together(score, one, other, labelled, clusters, mean, resamples)
    return next(scored.corrections())


class Scored(NamedTuple):
    """One score of several systems of which people labelled the same questions; arrays (..., systems)."""

    people: Array
    """People's score on each labelled question alone, NaN where it does not apply."""
    judge: Array
    """The judge's on each question alone."""
    added: tuple[Array, Array, Array]
    """What each question adds to the score: people's, the judge's on the same, and on the rest."""
    drawn: Resampled | None
    """None of a plain mean, whose interval needs no resamples."""
    labelled: np.ndarray
    units: int
    """Labelled questions, or clusters that hold some."""
    clustered: bool

    def pairs(self, first: Sequence[int], second: Sequence[int]) -> Scored:
        """The differences of some systems from others: (..., pairs)."""
        people, judge, mine, its, rest = (
            part[:, first] - part[:, second] for part in (self.people, self.judge, *self.added)
        )
        drawn = None if self.drawn is None else self.drawn.pairs(first, second)
        return self._replace(people=people, judge=judge, added=(mine, its, rest), drawn=drawn)

    def corrections(self) -> Iterator[Correction]:
        """The correction of each system, or pair."""
        told, applies = (np.count_nonzero(~np.isnan(one), axis=0) for one in self[:2])
        enough = np.flatnonzero(told >= FEWEST_FOR_A_VALUE)
        rare, places = rarer(self.people), {at: place for place, at in enumerate(enough.tolist())}
        found = self._found(enough, rare) if len(enough) else None
        halved = self._halved(enough)
        for at in range(len(told)):
            about = Correction(
                labelled=int(told[at]),
                n=int(max(applies[at], told[at])),
                clusters=self.units if self.clustered else 0,
                method="mean" if self.drawn is None else "bootstrap",
            )
            if found is None or at not in places:
                why = f"{told[at]} labelled questions say too little: label {FEWEST}"
                yield replace(about, method="mean", reason=why)
                continue
            number = halved[places[at]]
            about = replace(about, halved_by=None if np.isnan(number) else int(number))
            yield _shown(about, Corrected(*(part[places[at]] for part in found)), int(rare[at]))

    def _found(self, at: np.ndarray, rare: np.ndarray) -> Corrected:
        if self.drawn is not None:
            drawn = self.drawn if len(at) == len(rare) else self.drawn.of(at)
            return corrected_resampled(drawn, rare[at], self.units)
        judge = self.judge[:, at]
        return corrected_mean(self.people[:, at], judge[self.labelled], judge[~self.labelled])

    def _halved(self, at: np.ndarray) -> Array:
        if self.clustered or not len(at):
            return np.full(len(at), np.nan)
        return labels_that_halve(*(part[:, at] for part in self.added))


def scored_together(
    score: Score,
    people: Columns,
    judge: Columns,
    labelled: np.ndarray,
    clusters: Clusters | None = None,
    mean: bool = False,
    resamples: int = RESAMPLES,
) -> Scored:
    """A score of several systems, to be corrected: people's columns of the labelled questions (n, systems),
    the judge's of all questions."""
    parts = (people, take(judge, labelled), take(judge, ~labelled))
    drawn = None
    if labelled.any() and (clusters is not None or not mean):
        drawn = resampled(
            score, people, judge, labelled, clusters=clusters, resamples=resamples or RESAMPLES
        )
    mine, its, rest = (_added(score, part) for part in parts)
    return Scored(
        scored_alone(score, people),
        scored_alone(score, judge),
        (mine, its, rest),
        drawn,
        labelled,
        units_drawn(labelled, clusters),
        clusters is not None,
    )


def _added(score: Score, columns: Columns) -> Array:
    """What each question adds to a score, (n, systems): of a mean its values (jackknife pseudo-values)."""
    shape = next(iter(columns.values())).numerator.shape
    n = shape[0]
    if n < 2:
        return np.zeros(shape)
    whole, left_out = score(columns, np.ones((1, n))), score(columns, AllButOne())
    added = n * whole - (n - 1) * left_out
    # A score that applies to one question is not known without it.
    return np.nan_to_num(np.where(np.isnan(added), whole, added))


def _shown(about: Correction, found: Corrected, rare: int) -> Correction:
    """The correction with its interval, or with the reason why there is none."""
    about = replace(
        about,
        value=float(found.value),
        bias=_known(found.bias),
        tuning=float(found.tuning),
        standard_error=float(found.standard_error),
    )
    if about.labelled < FEWEST:
        why = f"{about.labelled} labelled questions give no interval: label {FEWEST}"
    elif not rare:
        why = "people gave all labelled questions one value, so there is no interval: label more"
    elif rare < FEWEST_RARE:
        why = (
            f"only {rare} labelled questions differ from the commonest value, so there is no "
            f"interval: label until {FEWEST_RARE} do"
        )
    elif about.clusters and about.clusters < FEWEST_CLUSTERS:
        why = f"{about.clusters} clusters with labels give no interval: label {FEWEST_CLUSTERS}"
    else:
        return replace(
            about,
            low=float(found.low),
            high=float(found.high),
            bias_low=_known(found.bias_low),
            bias_high=_known(found.bias_high),
        )
    return replace(about, reason=why, halved_by=None, standard_error=None)


def _known(value: Array) -> float | None:
    """None for NaN: the judge's score applies to no labelled question."""
    return None if np.isnan(value) else float(value)
