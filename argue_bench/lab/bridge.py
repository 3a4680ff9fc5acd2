"""The bridge from an old judge to a new one: what each score becomes, from a part of the requests judged by both.

The old judge's verdicts on all requests are known. Of each system a share of its requests is drawn, as many as
its share of all, and the new judge's verdicts on these correct the old scores (the difference estimator of
survey sampling with one slope for all systems; Cochran 1977, section 7.3, Angelopoulos, Duchi and Zrnic 2023):

    score = Y + slope x (X_all - X),  variance = (1 - n/N) s^2 / n

Y and X are the means of the new and the old judge's verdicts on the drawn requests, s^2 the variance of Y - slope X.
What is estimated is the new judge's score on all N requests, so the more are drawn the less is left to chance.
The variance of a system leans to that of all systems, as of `LEANING` further requests: few requests may hold
none of the disagreements there are. Where whole answers were drawn, s^2 is that of their sums and n counts them:
requests of one answer are alike. ``benchmarks/bridge.py`` measures how often the intervals hold.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations
from pathlib import Path
from typing import Annotated, Any, Literal, cast

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.special import stdtrit

from argue_bench.errors import UsageError
from argue_bench.lab.corrected.corrections import (
    CorrectedScores,
    Correction,
    corrected_report,
    corrections,
)
from argue_bench.lab.labels import Labels
from argue_bench.records import JudgeRequest, Verdict
from argue_bench.records.validation import strict
from argue_bench.stats.averages import Array
from argue_bench.stats.correlation import FEWEST, correlation

# Requests of all systems, as which their variance is mixed into that of one; by judgment, see above.
LEANING = 8
# Requests of a system that are drawn at least.
LEAST = 2
_SHARES = {
    "yes": 1.0,
    "full": 1.0,
    "met": 1.0,
    "partial": 0.5,
    "partly": 0.5,
    "vital": 1.0,
    "okay": 0.5,
}


def worth(request: JudgeRequest, verdict: Verdict) -> float | None:
    """A verdict as a share from 0 to 1; None of a kind whose verdicts have no order."""
    words = type(request).verdicts
    if not isinstance(words, tuple) or not isinstance(verdict.value, str):
        return None
    if words[-1].isdigit():
        return (float(verdict.value) - float(words[0])) / (float(words[-1]) - float(words[0]))
    if not set(words) & _SHARES.keys():
        return None
    return _SHARES.get(verdict.value, 0.0)


Share = Annotated[float, Field(ge=0, le=1)]
# The shift of a score and the ends of its interval.
Shift = tuple[float | None, ...]


@strict
@dataclass(frozen=True)
class SystemBridge:
    """One system: the old score on all ``n`` requests, the new one from ``drawn`` of them, and its shift."""

    old: Share
    new: Share
    low: Share
    high: Share
    n: int
    drawn: int


@strict
@dataclass(frozen=True)
class JudgeBridge:
    """The bridge between two judges. ``agreement`` is the share of drawn requests with one verdict.

    ``tau`` (Kendall's tau-b) and ``changed`` compare the order of systems; tau of fewer than three is None.
    ``apart`` are pairs, the better first, that the new scores tell apart, all pairs together at 95 %.
    """

    systems: Mapping[str, SystemBridge]
    overall: SystemBridge
    agreement: Share
    slope: float
    tau: float | None
    changed: tuple[tuple[str, str], ...]
    apart: tuple[tuple[str, str], ...]


@strict
@dataclass(frozen=True)
class BridgeFile(JudgeBridge):
    """A bridge as `judge bridge --out` writes it, and as a board signs it.

    ``old_identity`` and ``identity`` are what changes the verdicts of the old and the new judge: model, prompts.
    ``scores`` has the shift of each score and the ends of its interval, null where they are not known.
    ``schema`` is the version of this form.
    """

    old: str
    new: str
    old_identity: Mapping[str, str]
    identity: Mapping[str, str]
    scores: Mapping[str, Shift] = field(default_factory=dict)
    schema: Literal[1] = 1


def draw(sizes: Sequence[int], wanted: int, rng: np.random.Generator) -> list[NDArray[Any]]:
    """The places of drawn requests of each system, of so many each; together ``wanted`` or few more."""
    counts = np.array(sizes)
    shares = wanted * counts / counts.sum()
    taken = np.floor(shares).astype(int)
    # What rounding leaves goes to those that lost most by it.
    taken[np.argsort(taken - shares)[: max(0, wanted - int(taken.sum()))]] += 1
    taken = np.minimum(np.maximum(taken, LEAST), counts)
    return [np.sort(rng.choice(n, k, replace=False)) for n, k in zip(counts, taken, strict=True)]


def bridge(
    old: Mapping[str, Array],
    new: Mapping[str, Array],
    places: Sequence[NDArray[Any]],
    answers: Sequence[NDArray[Any]] | None = None,
) -> JudgeBridge:
    """The bridge from the old judge's worths of all requests of each system, (N,), to the new judge's.

    ``new`` has the worths of the drawn requests, (n,), at ``places``, and ``answers`` the number of the answer of
    each, (n,), where whole answers were drawn. Raises UsageError for too few drawn requests or answers.
    """
    names = list(old)
    pairs = [(old[name][at], new[name]) for name, at in zip(names, places, strict=True)]
    drawn = np.array([len(x) for x, _ in pairs])
    alone = answers or [np.arange(n) for n in drawn]
    units = np.array([len(set(one.tolist())) for one in alone])
    if units.sum() < len(names) + LEAST or units.min() < 1:
        raise UsageError(
            "a bridge needs requests of every system, and two more than there are systems, each of another answer"
        )
    within = [(x - x.mean(), y - y.mean()) for x, y in pairs]
    spread = sum(float(x @ x) for x, _ in within)
    slope = min(1.0, max(0.0, sum(float(x @ y) for x, y in within) / spread)) if spread else 1.0
    rest = [y - slope * x for x, y in pairs]
    free = int(units.sum()) - len(names) - 1
    # Sums of the answers, in answers of the mean size.
    sums = [np.bincount(at, one - one.mean()) for at, one in zip(alone, rest, strict=True)]
    squares = np.array([float(one @ one) for one in sums]) * (units / drawn) ** 2
    leaning = (squares + LEANING * squares.sum() / free) / (units - 1 + LEANING)
    sizes = np.array([len(old[name]) for name in names])
    before = np.array([old[name].mean() for name in names])
    after = np.array([one.mean() for one in rest]) + slope * before
    variance = (1 - drawn / sizes) * leaning / units
    systems = {
        name: _bridged(before[n], after[n], variance[n], units[n] - 1 + LEANING, sizes[n], drawn[n])
        for n, name in enumerate(names)
    }
    weights = sizes / sizes.sum()
    overall = _bridged(
        weights @ before, weights @ after, weights**2 @ variance, free, sizes.sum(), drawn.sum()
    )
    # Not a number where a side is constant.
    tau = correlation("kendall", before, after) if len(names) >= FEWEST else math.nan
    return JudgeBridge(
        systems,
        overall,
        sum(int((x == y).sum()) for x, y in pairs) / int(drawn.sum()),
        slope,
        None if math.isnan(tau) else tau,
        tuple(
            (names[one], names[other])
            for one, other in combinations(range(len(names)), 2)
            if (before[one] - before[other]) * (after[one] - after[other]) < 0
        ),
        tuple(_apart(names, after, variance, units - 1 + LEANING)),
    )


def score_shifts(runs: Sequence[Path], labels: Labels, judge: str) -> dict[str, Shift]:
    """The shift of each score of the ``judge`` and its 95 % interval, over the answers of all runs together.

    ``labels`` are the new judge's verdicts. Each metric counts again, by these alone, the answers of which it gave
    every verdict; an interval holds what other answers would show. A score is not known, None, of too few of them
    and where its verdicts lead to requests that were never made. Raises what `corrected_report` raises.
    """
    reports = [corrected_report(run, labels, resamples=0) for run in runs]
    # Metrics that another judge decided, or none, do not move.
    judged = [
        (text, one)
        for one in reports
        for text in one.metrics
        if one.signature[text].get("judge", "").partition(" ")[0] == judge
    ]
    found: dict[str, Shift] = {}
    for text, report in dict(judged).items():
        mine = [one for name, one in judged if name == text]
        known = dict(
            corrections(
                report.averages(text),
                [row.get(text) for one in mine for row in one.per_question.values()],
                [
                    cast("CorrectedScores", one.corrected).people.get(id, {}).get(text)
                    for one in mine
                    for id in one.per_question
                ],
            )
        )
        # A bias is the old score minus the new one.
        found |= {
            f"{text}.{name}": tuple(
                None if end is None else -end for end in (one.bias, one.bias_high, one.bias_low)
            )
            for name, average in report.averages(text).items()
            # Counts are no scores.
            if average.resampled
            for one in [known.get(name, Correction())]
        }
    return found


def _bridged(
    old: float, new: float, variance: float, free: float, n: int, drawn: int
) -> SystemBridge:
    half = float(stdtrit(free, 0.975)) * math.sqrt(max(0.0, variance))
    ends = max(0.0, float(new) - half), min(1.0, float(new) + half)
    return SystemBridge(float(old), float(new), *ends, int(n), int(drawn))


def _apart(
    names: Sequence[str], after: Array, variance: Array, free: Array
) -> Iterator[tuple[str, str]]:
    """Pairs of systems, the better first, that the new scores tell apart, all pairs together at 95 %."""
    count = len(names) * (len(names) - 1) // 2
    for one, other in permutations(range(len(names)), 2):
        width = math.sqrt(variance[one] + variance[other])
        level = float(stdtrit(min(free[one], free[other]), 1 - 0.025 / count))
        if after[one] - after[other] > level * width > 0:
            yield names[one], names[other]
