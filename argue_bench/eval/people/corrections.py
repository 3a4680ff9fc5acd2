"""Scores by a judge, corrected by the labels that people gave for some of the questions.

Which method applies depends on the score and on the labels, and every correction says which: for a
mean over questions prediction-powered inference with power tuning, for other scores and where
questions form clusters its bootstrap form (`argue_bench.stats.prediction_powered`), and for labels of
another set the judge's sensitivity and specificity (`argue_bench.stats.calibration`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from argue_bench.metrics.base import Tallies
from argue_bench.stats.averages import AllButOne, Average, Columns, Unit, columns_of, take
from argue_bench.stats.bootstrap import RESAMPLES
from argue_bench.stats.clusters import Clusters, take_clusters, units_of
from argue_bench.stats.prediction_powered import (
    FEWEST,
    FEWEST_RARE,
    Corrected,
    Score,
    corrected_mean,
    corrected_score,
    is_mean,
    labels_that_halve,
    rarer,
    scored_alone,
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
    given = scored_alone(score, people)
    told, applies = (
        int(np.count_nonzero(~np.isnan(values))) for values in (given, scored_alone(score, judge))
    )
    within = 0 if clusters is None else int(units_of(clusters, labelled))
    about = Correction(labelled=told, n=max(applies, told), clusters=within)
    if told < FEWEST_FOR_A_VALUE:
        return replace(about, reason=f"{told} labelled questions say too little: label {FEWEST}")
    if clusters is None:
        parts = (people, take(judge, labelled), take(judge, ~labelled))
        about = replace(about, halved_by=labels_that_halve(*(_influence(score, p) for p in parts)))
    if mean and clusters is None:
        rest = scored_alone(score, take(judge, ~labelled))
        found = corrected_mean(given, scored_alone(score, take(judge, labelled)), rest)
    else:
        about = replace(about, method="bootstrap")
        found = corrected_score(
            score, people, judge, labelled, clusters=clusters, resamples=resamples or RESAMPLES
        )
    return _shown(about, found, given)


def _influence(score: Score, columns: Columns) -> np.ndarray:
    """What each question adds to a score, (n,): of a mean its values (jackknife pseudo-values)."""
    n = len(next(iter(columns.values())).numerator)
    if n < 2:
        return np.zeros(n)
    whole, left_out = score(columns, np.ones((1, n))), score(columns, AllButOne())
    return np.asarray(np.nan_to_num(n * whole - (n - 1) * left_out, nan=float(whole[0])))


def _shown(about: Correction, found: Corrected, given: np.ndarray) -> Correction:
    """The correction with its interval, or with the reason why there is none."""
    about = replace(
        about,
        value=float(found.value),
        bias=float(found.bias),
        tuning=float(found.tuning),
        standard_error=float(found.standard_error),
    )
    rare = int(rarer(given))
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
            bias_low=float(found.bias_low),
            bias_high=float(found.bias_high),
        )
    return replace(about, reason=why, halved_by=None, standard_error=None)
