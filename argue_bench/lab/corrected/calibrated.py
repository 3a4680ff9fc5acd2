"""Corrections by labels of another data set: they give the error of the judge, which is applied
to its scores here.

A score can be corrected so where it is the share of one verdict on one kind of request.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from argue_bench.eval.report import Report
from argue_bench.judges.base import Judge
from argue_bench.judges.recorded import Label
from argue_bench.lab.corrected.corrections import Correction
from argue_bench.lab.corrected.labelling import closed_verdicts
from argue_bench.lab.corrected.prediction_powered import FEWEST, FEWEST_RARE
from argue_bench.lab.label_agreement import judge_labels
from argue_bench.metrics.base import Metric, MissingVerdicts, Tallies, replay, tally_steps
from argue_bench.records import JudgeRequest, Tally, Verdict
from argue_bench.stats.averages import Average, Macro, Ratio
from argue_bench.stats.calibration import ErrorRates, corrected_share

if TYPE_CHECKING:
    from argue_bench.eval.driver import Case

Verdicts = tuple[str, str]
"""A kind of request and one of its verdicts."""
# By judgment: a score that is no such share would have to look like one on fifty cases by chance.
TRIED = 50
"""Cases of a run that metrics count under drawn verdicts."""


@dataclass
class VerdictShares:
    """Finds the scores of a run that are shares of one verdict on one kind of request.

    Found by trying: metrics count some cases of the run under verdicts drawn at random, and a score is
    such a share where its tallies are always the counts of one verdict.
    """

    metrics: Sequence[Metric]
    _possible: dict[str, set[Verdicts]] = field(default_factory=dict)
    _rng: random.Random = field(default_factory=lambda: random.Random(0))

    def count(self, case: Case) -> None:
        """Leaves of each score those verdicts whose counts its tallies are on this case."""
        for metric in self.metrics:
            tallies, given = _under_drawn_verdicts(metric, case, self._rng)
            said = Counter((type(one).__name__, verdict.value) for one, verdict in given.items())
            asked = Counter(type(one).__name__ for one in given)
            for name, average in metric.averages(tallies).items():
                possible = self._possible.setdefault(f"{metric}.{name}", _words(metric))
                share = _share(average, tallies)
                if share is None:
                    possible.clear()
                elif share[1]:
                    possible &= {word for word in possible if (said[word], asked[word[0]]) == share}

    def verdicts(self) -> Iterator[tuple[str, Verdicts]]:
        """Each score by its full key, with the one verdict that it is the share of."""
        for key, possible in self._possible.items():
            if len(possible) == 1:
                yield key, next(iter(possible))


def _under_drawn_verdicts(
    metric: Metric, case: Case, rng: random.Random
) -> tuple[Tallies, dict[JudgeRequest, Verdict]]:
    """The tallies of a case under verdicts drawn at random, and these."""
    given: dict[JudgeRequest, Verdict] = {}
    while True:
        try:
            return replay(tally_steps(metric, *case), given), given
        except MissingVerdicts as lacking:
            for one in lacking.requests:
                if not (words := closed_verdicts(type(one))):
                    return {}, {}
                given[one] = Verdict(rng.choice(words))


def _words(metric: Metric) -> set[Verdicts]:
    """Every verdict of the kinds of request that a metric makes."""
    return {(kind.__name__, word) for kind in metric.requests for word in closed_verdicts(kind)}


def _share(average: Average, tallies: Mapping[str, Tally]) -> tuple[float, float] | None:
    """Numerator and denominator of a score on one question; None where it is no share of counts."""
    none = Tally(0.0, 0.0)
    if type(average) is Macro and average.unit == "share":
        tally = tallies.get(average.column, none)
        return tally.numerator, tally.denominator
    if isinstance(average, Ratio):
        above = tallies.get(average.above, none)
        below = tallies.get(average.below, none).numerator if average.below else above.denominator
        return above.numerator, below
    return None


async def calibrated(
    report: Report, shares: VerdictShares, labels: Sequence[Label], judges: Mapping[str, Judge]
) -> dict[str, Correction]:
    """The correction of each score that is the share of one verdict of a kind that labels are of."""
    by_metric = {str(metric): metric for metric in shares.metrics}
    kinds = {label.kind for label in labels}
    found: dict[str, Correction] = {}
    replies: dict[str, Mapping[str, object]] = {}
    for key, (kind, word) in shares.verdicts():
        score, name = report.scores[key], by_metric[key.rpartition(".")[0]].judge_name
        if kind not in kinds or score.value is None or name not in judges:
            continue
        if name not in replies:
            replies[name] = await judge_labels(judges[name], labels)
        pairs = [
            (label.verdict.value == word, reply.value == word)
            for label in labels
            if label.kind == kind
            and isinstance(reply := replies[name].get(label.request.key), Verdict)
        ]
        error = report.standard_error(key)
        found[key] = calibrated_score(score.value, error, pairs, score.n)
    return found


def calibrated_score(
    value: float, error: float | None, pairs: Sequence[tuple[bool, bool]], n: int
) -> Correction:
    """The correction of a share from pairs of people's and the judge's verdicts on other texts.

    ``error`` is the standard error of the share over its n questions.
    """
    about = Correction(labelled=len(pairs), n=n, method="calibration")
    positives = [judge for people, judge in pairs if people]
    negatives = [judge for people, judge in pairs if not people]
    fewer = min(len(positives), len(negatives))
    reason = ""
    if len(pairs) < FEWEST:
        reason = f"{len(pairs)} labels of this kind say too little: give {FEWEST}"
    elif fewer < FEWEST_RARE:
        reason = f"only {fewer} labels have the rarer verdict: give {FEWEST_RARE}"
    if reason:
        return _without(about, reason)
    rates = ErrorRates(
        float(np.mean(positives)),
        len(positives),
        1 - float(np.mean(negatives)),
        len(negatives),
    )
    if not rates.tells_apart:
        return _without(about, "the judge is not surely better than chance on these labels")
    # As many independent verdicts as would have this standard error: verdicts go together by question.
    size = value * (1 - value) / error**2 if error and 0 < value < 1 else float(n)
    corrected, low, high = corrected_share(value, size, rates)
    return Correction(
        corrected,
        low,
        high,
        bias=value - corrected,
        labelled=len(pairs),
        n=n,
        method="calibration",
    )


def _without(about: Correction, reason: str) -> Correction:
    return Correction(labelled=about.labelled, n=about.n, method=about.method, reason=reason)
