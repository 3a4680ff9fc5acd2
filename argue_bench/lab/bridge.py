"""The bridge from an old judge to a new one: what each score becomes, from a part of the requests judged by both.

The old judge's verdicts on all requests are known. Of each system a share of its requests is drawn, as many as
its share of all, and the new judge's verdicts on these correct the old scores (the difference estimator of
survey sampling with one slope for all systems; Cochran 1977, section 7.3, Angelopoulos, Duchi and Zrnic 2023):

    score = Y + slope x (X_all - X),  variance = (1 - n/N) s^2 / n

Y and X are the means of the new and the old judge's verdicts on the drawn requests, s^2 the variance of Y - slope X.
What is estimated is the new judge's score on all N requests, so the more are drawn the less is left to chance.
The variance of a system leans to that of all systems, as of `LEANING` further requests: few requests may hold
none of the disagreements there are. Where whole answers were drawn, s^2 is that of their sums and n counts them:
requests of one answer are alike. For the scores the new judge follows its own path through each metric for
the drawn answers, as when it scores them. ``benchmarks/bridge.py`` measures how often the intervals hold.
"""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field
from scipy.special import stdtr, stdtrit

from argue_bench.errors import UsageError
from argue_bench.eval.driver import run_metrics
from argue_bench.eval.report import Report
from argue_bench.eval.run import run_name
from argue_bench.judges.base import Judge, Reply, Wrapper
from argue_bench.lab.corrected import prediction_powered
from argue_bench.lab.corrected.corrections import (
    Correction,
    JudgedRun,
    People,
    corrections,
    labelled,
)
from argue_bench.lab.corrected.labelling import with_free_questions
from argue_bench.lab.labels import Labels
from argue_bench.metrics.base import Tallies
from argue_bench.records import JudgeRequest, Verdict
from argue_bench.records.validation import strict
from argue_bench.stats.averages import Array, Average, columns_of
from argue_bench.stats.bootstrap import jackknife
from argue_bench.stats.correlation import FEWEST, correlation
from argue_bench.stats.permutation import ALPHA, holm

# An answer's tallies by the old judge, by the new one, and by people.
Row = tuple[Tallies | None, ...]
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
    return _SHARES.get(verdict.value, 0.0) if set(words) & _SHARES.keys() else None


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


@strict
@dataclass(frozen=True)
class JudgeBridge:
    """The bridge between two judges. ``agreement`` is the share of drawn requests with one verdict.

    ``tau`` (Kendall's tau-b) and ``changed`` compare the order of systems; tau of fewer than three is None.
    ``apart`` are pairs, the better first, that the new scores tell apart, beyond these answers too.
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
    ``scores`` has the bridge of each score, null where it is not known; ``corrected`` the scores by people's labels
    of the same answers, corrected under the old judge and under the new.
    ``schema`` is the version of this form.
    """

    old: str
    new: str
    old_identity: Mapping[str, str]
    identity: Mapping[str, str]
    scores: Mapping[str, JudgeBridge | None] = field(default_factory=dict)
    corrected: Mapping[str, tuple[Correction, Correction]] = field(default_factory=dict)
    schema: Literal[1] = 1


def draw(sizes: Sequence[int], wanted: int, rng: np.random.Generator) -> list[NDArray[Any]]:
    """The places of drawn requests of each system, of so many each; together about ``wanted``."""
    counts = np.array(sizes)
    taken = np.rint(wanted * counts / counts.sum()).astype(int)
    # One system alone needs three, see `bridge`.
    taken = np.minimum(np.maximum(taken, LEAST + (len(sizes) == 1)), counts)
    # The first of one order, so that a larger draw holds the smaller one, which is paid for.
    return [np.sort(rng.permutation(n)[:k]) for n, k in zip(counts, taken, strict=True)]


def bridge(
    old: Mapping[str, Array],
    new: Mapping[str, Array],
    places: Sequence[NDArray[Any]],
    answers: Sequence[NDArray[Any]] | None = None,
    whole: bool = False,
) -> JudgeBridge:
    """The bridge from the old judge's worths of all requests of each system, (N,), to the new judge's.

    ``new`` has the worths of the drawn requests, (n,), at ``places``, and ``answers`` the number of the answer of
    every request, (N,), by default another for each; ``whole`` says that answers were drawn, not requests. Raises
    UsageError for too few drawn requests or answers.
    """
    names = list(old)
    pairs = [(old[name][at], new[name]) for name, at in zip(names, places, strict=True)]
    drawn = np.array([len(x) for x, _ in pairs])
    of = answers or [np.arange(len(one)) for one in old.values()]
    alone = [one[at] if whole else at for one, at in zip(of, places, strict=True)]
    units = np.array([len(np.unique(one)) for one in alone])
    if units.sum() < len(names) + LEAST or units.min() < 1:
        raise UsageError(
            "a bridge needs requests of every system, and two more than there are systems, each of another answer"
        )
    within = [(x - x.mean(), y - y.mean()) for x, y in pairs]
    spread = sum(float(x @ x) for x, _ in within)
    slope = min(1.0, max(0.0, sum(float(x @ y) for x, y in within) / spread)) if spread else 1.0
    rest = [y - slope * x for x, y in pairs]
    free = int(units.sum()) - len(names) - 1
    left = _of_means(rest, alone, 1)
    # What the old judge's verdicts on other answers would add.
    beyond = left + _of_means([slope * one for one in old.values()], of, 0)
    sizes = np.array([len(old[name]) for name in names])
    before = np.array([old[name].mean() for name in names])
    after = np.array([one.mean() for one in rest]) + slope * before
    variance = (1 - drawn / sizes) * left
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
        tuple(_apart(names, after, beyond, units - 1 + LEANING)),
    )


class Hearing(Wrapper):
    """A judge whose verdicts are kept in ``said``, each by its request without the context."""

    def __init__(self, judge: Judge, said: dict[JudgeRequest, Verdict]) -> None:
        super().__init__(judge)
        self.said = said

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        async for request, reply in self.inner.judge(requests):
            if isinstance(reply, Verdict):
                self.said[request.without_context()] = reply
            yield request, reply


async def judged_anew(
    read: JudgedRun, old: str, judge: Judge, drawn: Container[str]
) -> dict[str, dict[str, Tallies]]:
    """The tallies of the ``drawn`` answers under ``judge``, of metrics that ``old`` judged.

    Each metric asks whatever the verdicts lead to. Answers of which it asks nothing count at the same rate.
    Raises UsageError where a verdict is missing.
    """
    moved = [
        one
        for one in read.metrics
        if judged_by(read.report, str(one)) == old and judge.kinds.issuperset(one.requests)
    ]
    cases = {one.answer.id: (case, one) for case, one in read.cases if one.answer.id in drawn}
    judges = {one.judge_name: judge for one in moved}
    found: dict[str, dict[str, Tallies]] = {}
    async for outcome in run_metrics((case for case, _ in cases.values()), moved, judges):
        id = outcome.case.answer.id
        for text, one in outcome.counted.items():
            if one.failures:
                raise UsageError(f"{judge.name} gave no verdict on {id!r}: {one.failures[0]}")
            if one.tallies is not None and cases[id][1].requests.get(text):
                found.setdefault(id, {})[text] = one.tallies
    return with_free_questions(found, [one for _, one in read.cases], moved)


def judged_by(report: Report, text: str) -> str:
    """The name of the judge that decided a metric of a report; empty where none did."""
    return report.signature[text].get("judge", "").partition(" ")[0]


def score_bridges(
    runs: Sequence[tuple[JudgedRun, People]], judge: str, labels: Labels | None = None
) -> tuple[dict[str, JudgeBridge | str], dict[str, tuple[Correction, Correction]]]:
    """The bridge of each score of the old ``judge``, by key; and what people's ``labels`` make of it.

    Beside each run stand the tallies of `judged_anew`. The second holds the corrected score under the old and under
    the new judge, both of the answers that both judged. Of a score that is not known it says why, as `score_bridge`
    does. Raises what `labelled` raises.
    """
    averages: dict[str, tuple[str, Average]] = {}
    # By metric and system: each answer's tallies by the old judge, the new one and people.
    rows: dict[str, dict[str, list[Row]]] = {}
    for read, new in runs:
        sides = [new, *([labelled(read, labels)[0]] if labels else [])]
        report = read.report
        for text in report.metrics:
            # Metrics that another judge decided, or none, do not move.
            if judged_by(report, text) == judge:
                averages |= {
                    f"{text}.{name}": (text, average)
                    for name, average in report.averages(text).items()
                    # Counts are no scores, and a bridge is of shares.
                    if average.resampled and average.unit == "share"
                }
                rows.setdefault(text, {}).setdefault(
                    report.system or run_name(read.path), []
                ).extend(
                    (old.get(text), *(one.get(id, {}).get(text) for one in sides))
                    for id, old in report.per_question.items()
                )
    found = {key: score_bridge(average, rows[text]) for key, (text, average) in averages.items()}
    return found, {
        key: (_corrected(average, rows[text], 0), _corrected(average, rows[text], 1))
        for key, (text, average) in averages.items()
        if labels is not None and isinstance(found[key], JudgeBridge)
    }


def _corrected(average: Average, systems: Mapping[str, Sequence[Row]], judge: int) -> Correction:
    """A score of the old judge, 0, or the new, 1, corrected by people, of the answers that both judged."""
    both = [row for rows in systems.values() for row in rows if row[1] is not None]
    return dict(
        corrections({"": average}, [row[judge] for row in both], [row[2] for row in both])
    ).get("", Correction())


def score_bridge(average: Average, systems: Mapping[str, Sequence[Row]]) -> JudgeBridge | str:
    """The bridge of one score, from each answer's tallies by the old judge and, where it is known, by the new; or why
    it is not known: too few answers, or too few that differ, to tell.

    An answer's worth is its pseudo-value, and under the new judge besides what the score gains where its tallies
    alone are replaced. Their means are the score, and the score where drawn answers stand for all.
    """
    old: dict[str, Array] = {}
    new: dict[str, Array] = {}
    places: list[NDArray[Any]] = []
    drawn = differ = 0
    for system, rows in systems.items():
        both = [
            all(row and one in row for one in average.columns_read for row in r[:2]) for r in rows
        ]
        if not any(both):
            return f"no answer of {system} that was drawn has it"
        sides = (
            columns_of([row[0] for row in rows]),
            columns_of([r[b] for r, b in zip(rows, both, strict=True)]),
        )
        terms = [[one.terms(side) for side in sides] for one in average.sums]
        score, whole = (
            average.fold([was.sum(0) + times * (its - was).sum(0) for was, its in terms])
            for times in (0, len(rows) / sum(both))
        )
        moved = average.fold([was.sum(0) + its - was for was, its in terms])[both] - score
        alone = -(len(rows) - 1) * jackknife({"": average}, sides[0])[""]
        old[system] = alone - alone.mean() + score
        new[system] = old[system][both] + len(rows) * (moved - moved.mean()) + whole - score
        places.append(np.flatnonzero(both))
        drawn, differ = drawn + len(moved), differ + int(np.count_nonzero(moved))
    if not all(np.isfinite(one).all() for one in (*old.values(), *new.values())):
        return "it is not defined of every system"
    # Where all are drawn nothing is left to chance.
    part, fewest = drawn < sum(map(len, old.values())), len(old) + LEAST
    if drawn < (least := max(prediction_powered.FEWEST, fewest) if part else fewest):
        return f"{drawn} answers with it were drawn, of {least} that it needs"
    if part and differ < (least := prediction_powered.FEWEST_RARE):
        return f"{differ} of {drawn} answers drawn differ, of {least} that must"
    return replace(bridge(old, new, places), agreement=1 - differ / drawn)


def _bridged(
    old: float, new: float, variance: float, free: float, n: int, drawn: int
) -> SystemBridge:
    half = float(stdtrit(free, 0.975)) * math.sqrt(max(0.0, variance))
    # An estimate, and the rounding of a mean, may leave the range of shares.
    was, now, low, high = np.clip([old, new, new - half, new + half], 0.0, 1.0).tolist()
    return SystemBridge(was, now, low, high, int(n), int(drawn))


def _of_means(values: Sequence[Array], of: Sequence[NDArray[Any]], slopes: int) -> Array:
    """The variance of each system's mean, from values whose answers ``of`` numbers; not finite of one answer each."""
    units = np.array([len(np.unique(one)) for one in of])
    # Sums of the answers, in answers of the mean size.
    sums = [np.bincount(at, one - one.mean()) for at, one in zip(of, values, strict=True)]
    squares = np.array([float(one @ one) for one in sums])
    squares *= (units / np.array([len(one) for one in values])) ** 2
    if (free := int(units.sum()) - len(units) - slopes) < 1:
        return np.full(len(units), np.inf)
    return np.asarray((squares + LEANING * squares.sum() / free) / (units - 1 + LEANING) / units)


def _apart(
    names: Sequence[str], after: Array, variance: Array, free: Array
) -> Iterator[tuple[str, str]]:
    """Pairs of systems, the better first, that the new scores tell apart after Holm's correction over all pairs."""
    one, other = np.triu_indices(len(names), 1)
    gap, width = after[one] - after[other], np.sqrt(variance[one] + variance[other])
    t = np.divide(gap, width, np.zeros(len(gap)), where=width > 0)
    p = holm(2 * stdtr(np.minimum(free[one], free[other]), -np.abs(t)))
    for at in np.flatnonzero(p < ALPHA):
        pair = names[one[at]], names[other[at]]
        yield pair if gap[at] > 0 else pair[::-1]
