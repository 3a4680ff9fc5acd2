"""The bridge from an old judge to a new one: what each score becomes, from a part of the requests judged by both.

The old judge's verdicts on all requests are known. Of each system a share of its requests is drawn, as many as
its share of all, and the new judge's verdicts on these correct the old scores (the difference estimator of
survey sampling with one slope for all systems; Cochran 1977, section 7.3, Angelopoulos, Duchi and Zrnic 2023):

    score = Y + slope x (X_all - X),  variance = (1 - n/N) s^2 / n

Y and X are the means of the new and the old judge's verdicts on the drawn requests, s^2 the variance of Y - slope X.
What is estimated is the new judge's score on all N requests, so the more are drawn the less is left to chance.
The variance of a system leans to that of all systems, as of `LEANING` further requests: few requests may hold
none of the disagreements there are. ``benchmarks/bridge.py`` measures how often the intervals hold.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from argue_bench.errors import UsageError
from argue_bench.records import JudgeRequest, Verdict
from argue_bench.records.validation import strict
from argue_bench.stats.averages import Array
from argue_bench.stats.correlation import FEWEST, correlation

LEANING = 8
"""Requests of all systems, as which their variance is mixed into that of one; by judgment, see above."""
LEAST = 2
"""Requests of a system that are drawn at least."""
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

    @property
    def shift(self) -> float:
        return self.new - self.old


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

    ``identity`` is the new judge's, and ``schema`` the version of this form.
    """

    old: str
    new: str
    identity: Mapping[str, str]
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
    old: Mapping[str, Array], new: Mapping[str, Array], places: Sequence[NDArray[Any]]
) -> JudgeBridge:
    """The bridge from the old judge's worths of all requests of each system, (N,), to the new judge's.

    ``new`` has the worths of the drawn requests, (n,), at ``places``. Raises UsageError for fewer than three
    drawn requests.
    """
    names = list(old)
    pairs = [(old[name][at], new[name]) for name, at in zip(names, places, strict=True)]
    drawn = np.array([len(x) for x, _ in pairs])
    if drawn.sum() < len(names) + LEAST or drawn.min() < 1:
        raise UsageError(
            "a bridge needs requests of every system, and two more than there are systems"
        )
    within = [(x - x.mean(), y - y.mean()) for x, y in pairs]
    spread = sum(float(x @ x) for x, _ in within)
    slope = min(1.0, max(0.0, sum(float(x @ y) for x, y in within) / spread)) if spread else 0.0
    rest = [y - slope * x for x, y in pairs]
    free = int(drawn.sum()) - len(names) - 1
    squares = np.array([float(((one - one.mean()) ** 2).sum()) for one in rest])
    leaning = (squares + LEANING * squares.sum() / free) / (drawn - 1 + LEANING)
    sizes = np.array([len(old[name]) for name in names])
    before = np.array([old[name].mean() for name in names])
    after = np.array([one.mean() for one in rest]) + slope * before
    variance = (1 - drawn / sizes) * leaning / drawn
    systems = {
        name: _bridged(before[n], after[n], variance[n], drawn[n] - 1 + LEANING, sizes[n], drawn[n])
        for n, name in enumerate(names)
    }
    weights = sizes / sizes.sum()
    overall = _bridged(
        weights @ before, weights @ after, weights**2 @ variance, free, sizes.sum(), drawn.sum()
    )
    same = sum(int((x == y).sum()) for x, y in pairs) / int(drawn.sum())
    was, now = dict(zip(names, before, strict=True)), dict(zip(names, after, strict=True))
    changed = [
        (one, other)
        for one, other in combinations(names, 2)
        if (was[one] - was[other]) * (now[one] - now[other]) < 0
    ]
    apart = tuple(_apart(names, after, variance, drawn - 1 + LEANING))
    tau = float(correlation("kendall", before, after)) if len(names) >= FEWEST else None
    if tau is not None and not math.isfinite(tau):
        tau = None
    return JudgeBridge(systems, overall, same, slope, tau, tuple(changed), apart)


def _bridged(
    old: float, new: float, variance: float, free: float, n: int, drawn: int
) -> SystemBridge:
    from scipy.stats import t

    half = float(t.ppf(0.975, free)) * math.sqrt(max(0.0, variance))
    low, high = max(0.0, new - half), min(1.0, new + half)
    return SystemBridge(float(old), float(new), float(low), float(high), int(n), int(drawn))


def _apart(
    names: Sequence[str], after: Array, variance: Array, free: Array
) -> Iterator[tuple[str, str]]:
    """Pairs of systems, the better first, that the new scores tell apart, all pairs together at 95 %."""
    from scipy.stats import t

    count = len(names) * (len(names) - 1) // 2
    for one, other in permutations(range(len(names)), 2):
        width = math.sqrt(variance[one] + variance[other])
        level = float(t.ppf(1 - 0.025 / count, min(free[one], free[other])))
        if after[one] - after[other] > level * width > 0:
            yield names[one], names[other]
