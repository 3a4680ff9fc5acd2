"""Speed of intervals, tests and bands beside scipy, and how often they are right.

Run by ``python -m benchmarks statistics``. ``bound``: the time to draw the random numbers, that no program
can do without. The limits on intervals are those that were asked for; that of the permutation test is about half of
what was measured.

``--coverage`` measures how often 95 % intervals hold the truth and how often tests raise a false alarm,
for the tables in benchmarks/README.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from argue_bench.analysis.bands import rank_bands
from argue_bench.lab.agreement import score_matrix, system_level
from argue_bench.lab.score_table import AgreementStudy
from argue_bench.stats import bootstrap, permutation
from argue_bench.stats.averages import Array, Average, Column, Harmonic, macro, micro, take
from argue_bench.stats.bootstrap import RESAMPLES, bounds, estimate, jackknife, replicates
from argue_bench.stats.correlation import correlation
from argue_bench.stats.permutation import permutation_test
from benchmarks._options import options
from benchmarks._peers import cpu, interleaved, present
from benchmarks._table import Line, at_most, compared, show
from tests.lab.planted_study import MEASURE, planted_study

N, SYSTEMS, SCORES, BOARD = 120, 50, 12, 1_000
DRAWS, PAIRS = 1_000, 10_000
RNG = np.random.default_rng(0)


def columns(systems: int) -> dict[str, Column]:
    """Two columns of tallies of so many systems, better and worse ones."""
    of = RNG.integers(1, 8, (2, N, 1)).astype(float) * np.ones((1, 1, systems))
    quality = np.linspace(0.3, 0.7, systems) + RNG.normal(0, 0.15, (2, N, 1))
    got = RNG.binomial(of.astype(int), np.clip(quality, 0, 1)).astype(float)
    return {f"c{i}": Column(got[i], of[i]) for i in range(2)}


class Bounds(NamedTuple):
    low: float
    high: float


def drawing(n: int) -> float:
    """CPU seconds to draw the places of all resamples, and nothing else."""
    rows = max(1, (1 << 16) // n)
    rng = np.random.default_rng(0)
    return cpu(lambda: [rng.integers(0, n, (rows, n)) for _ in range(RESAMPLES // rows)])[0]


def alike(mine: tuple[float, float] | None, other: Any) -> bool:
    """Whether two intervals of resamples of their own agree to a tenth of their width."""
    if mine is None:
        return False
    off = np.abs(np.subtract(mine, (other.low, other.high)))
    return bool(off.max() < 0.1 * (other.high - other.low))


def fresh(averages: dict[str, Average], given: dict[str, Column]) -> bootstrap.Intervals:
    """The intervals, with all resamples drawn anew."""
    bootstrap.kept_counts.cache_clear()
    return bootstrap.intervals(averages, given)


def of_one_system() -> list[Line]:
    """BCa intervals of one score and of the scores of a report."""
    from scipy.stats import bootstrap as theirs

    def ask(values: Array) -> Any:
        return theirs((values,), np.mean, n_resamples=RESAMPLES, method="BCa").confidence_interval

    lines = []
    for n, limit in ((1_000, 1.0), (5_000, 1.2)):
        given = {f"c{i}": Column(RNG.beta(2, 5, n), np.ones(n)) for i in range(SCORES)}
        all_scores: dict[str, Average] = {name: macro(name) for name in given}
        ours, peer, mine, other = interleaved(
            partial(fresh, {"c0": macro("c0")}, given),
            partial(ask, given["c0"].numerator),
        )
        equal, bound = alike(mine["c0"], other), drawing(n)
        lines.append(
            compared(f"BCa, {n:,} questions", "scipy", peer, ours, limit, equal=equal, bound=bound)
        )
        if n == 1_000:
            ours = min(cpu(partial(fresh, all_scores, given))[0] for _ in range(3))
            what = f"BCa, {n:,} questions, {SCORES} scores"
            whole = SCORES * peer
            lines.append(compared(what, "scipy", whole, ours, 8.0, equal=equal, bound=bound))
    n = 10_000
    given = {f"c{i}": Column(RNG.beta(2, 5, n), np.ones(n)) for i in range(SCORES)}
    took = cpu(lambda: fresh({name: macro(name) for name in given}, given))[0]
    return [*lines, at_most(f"BCa, {n:,} questions, {SCORES} scores", took, 1.5, "s", digits=2)]


def of_many_systems() -> list[Line]:
    """BCa intervals of the mean of each of many systems."""
    from scipy.stats import bootstrap as theirs

    mean = macro("x")
    values = RNG.beta(2, 5, (N, SYSTEMS))
    many = {"x": Column(values, np.ones_like(values))}

    def mine() -> tuple[Array, Array]:
        bootstrap.kept_counts.cache_clear()
        drawn = replicates({"x": mean}, many)["x"]
        return bounds(drawn, estimate(mean, many), jackknife({"x": mean}, many)["x"])

    def ask(values: Array) -> Any:
        return theirs((values,), np.mean, n_resamples=RESAMPLES, method="BCa").confidence_interval

    def all_at_once() -> Any:
        found = theirs((values,), np.mean, axis=0, n_resamples=RESAMPLES, batch=100)
        return [Bounds(*pair) for pair in zip(*found.confidence_interval, strict=True)]

    ours, peer, found, other = interleaved(mine, lambda: [ask(v) for v in values.T], rounds=5)
    equal = all(alike((low, high), one) for low, high, one in zip(*found, other, strict=True))
    again, whole, *_, shared = interleaved(mine, all_at_once, rounds=5)
    same = all(alike((low, high), one) for low, high, one in zip(*found, shared, strict=True))
    what, bound = f"BCa, {N} questions, {SYSTEMS} systems", drawing(N)
    return [
        compared(what, "scipy", peer, ours, 16.0, equal=equal, bound=bound),
        # Its own resamples shared by all systems too. Half of what was measured: 25 times would be
        # less than the random numbers and the sums of 60 million products take.
        compared(f"{what}, in one call", "scipy", whole, again, 3.2, equal=same, bound=bound),
    ]


def swapping() -> list[Line]:
    """A paired permutation test."""
    from scipy.stats import permutation_test as theirs

    first, second = RNG.beta(2, 5, (2, N))
    ones = np.ones(N)
    sides = {"x": Column(first, ones)}, {"x": Column(second, ones)}

    def peer() -> float:
        found = theirs(
            (first, second),
            lambda x, y, axis: (x - y).mean(axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=RESAMPLES,
            rng=1,
        )
        return float(found.pvalue)

    def mine() -> float:
        permutation._sampled.cache_clear()
        return float(permutation_test(macro("x"), *sides))

    ours, other, one, two = interleaved(mine, peer)
    # Each draws swaps of its own: five standard errors of two shares.
    equal = abs(one - two) < 5 * (2 * 0.25 / RESAMPLES) ** 0.5
    what = f"permutation test, {N} questions"
    return [compared(what, "scipy", other, ours, 4.0, equal=equal)]


def banding() -> list[Line]:
    """A large board put into bands."""
    board = columns(BOARD)
    systems = {f"s{i}": take(board, (slice(None), i)) for i in range(BOARD)}
    ranked: dict[str, Average] = {
        "a mean": macro("c0"),
        "an F1": Harmonic(macro("c0"), micro("c1")),
    }
    return [
        Line(f"{BOARD:,} systems banded by {name}", f"{seconds:.1f} s")
        for name, average in ranked.items()
        for seconds, _ in [cpu(partial(rank_bands, "x", average, systems))]
    ]


def speed() -> int:
    """1 where a limit is missed."""
    parts = (of_one_system, of_many_systems, swapping, banding)
    return show(present(parts))


def continuous(n: int) -> dict[str, Column]:
    of = RNG.gamma(4.0, 1.0, (n, DRAWS))
    got: Array = np.asarray(of * RNG.beta(2 + of / 4, 3), dtype=np.float64)
    ones, shares = np.ones((n, DRAWS)), np.asarray(RNG.beta(2, 5, (n, DRAWS)), dtype=np.float64)
    return {"a": Column(shares, ones), "b": Column(got, of)}


def binary(share: float) -> Callable[[int], dict[str, Column]]:
    def draw(n: int) -> dict[str, Column]:
        got = (RNG.random((n, DRAWS)) < share).astype(float)
        of = RNG.integers(1, 5, (n, DRAWS)).astype(float)
        ones = np.ones((n, DRAWS))
        return {
            "a": Column(got, ones),
            "b": Column(RNG.binomial(of.astype(int), share).astype(np.float64), of),
        }

    return draw


CASES: dict[str, tuple[Average, float | None]] = {
    "mean": (macro("a"), None),
    "ratio": (micro("b"), None),
    "F1": (Harmonic(macro("a"), micro("b")), None),
}


def coverage() -> None:
    print(
        f"how often 95 % intervals hold the truth, {DRAWS:,} draws, 2,000 resamples (BCa | percentile)"
    )
    print(f"{'tallies':22}{'n':>5}" + "".join(f"{name:>18}" for name in CASES))
    kinds = {
        "continuous": continuous,
        "binary, share .5": binary(0.5),
        "binary, share .9": binary(0.9),
    }
    for kind, draw in kinds.items():
        many = draw(20_000) if kind == "continuous" else draw(2_000)
        whole = {
            k: Column(c.numerator.reshape(-1, 1), c.denominator.reshape(-1, 1))
            for k, c in many.items()
        }
        for n in (5, 10, 20, 50, 120):
            given = draw(n)
            cells = []
            for average, _ in CASES.values():
                truth = float(estimate(average, whole)[0])
                cells.append(" | ".join(f"{100 * h:.1f}" for h in held(average, given, truth)))
            print(f"{kind:22}{n:5}" + "".join(f"{cell:>18}" for cell in cells), flush=True)


def held(average: Average, given: dict[str, Column], truth: float) -> list[float]:
    """The share of draws whose BCa and percentile intervals hold the truth."""
    inside = np.zeros(2)
    step = 100
    for start in range(0, DRAWS, step):
        part = take(given, np.s_[:, start : start + step])
        drawn = replicates({"x": average}, part, resamples=2_000, seed=start)["x"]
        whole, left = estimate(average, part), jackknife({"x": average}, part)["x"]
        for at, jack in enumerate((left, None)):
            low, high = bounds(drawn, whole, jack)
            inside[at] += np.count_nonzero((low <= truth) & (truth <= high))
    return list(inside / DRAWS)


def alarms() -> None:
    print(
        f"\nfalse alarms of the permutation test at 5 %, {PAIRS:,} pairs alike, 2,000 permutations"
    )
    print(f"{'tallies':22}{'n':>5}" + "".join(f"{name:>10}" for name in CASES))
    for kind in ("continuous", "binary"):
        for n in (10, 50, 120):
            hard = RNG.random((2, n, PAIRS))
            sizes = RNG.integers(1, 6, (n, PAIRS)).astype(float)
            sides = []
            for _ in range(2):
                a, b = np.clip(hard + RNG.normal(0, 0.2, hard.shape), 0, 1)
                if kind == "binary":
                    a, b = ((RNG.random(x.shape) < x).astype(float) for x in (a, b))
                sides.append({"a": Column(a, np.ones_like(a)), "b": Column(sizes * b, sizes)})
            rates = [
                np.mean(permutation_test(average, *sides, permutations=2_000) < 0.05)
                for average, _ in CASES.values()
            ]
            print(f"{kind:22}{n:5}" + "".join(f"{100 * rate:10.1f}" for rate in rates), flush=True)


def planted() -> None:
    draws = 200
    print(
        f"\nplanted Kendall's tau, {draws} studies, 1,000 resamples of topics: how often it is held"
    )
    print(f"{'runs':>5}{'topics':>8}{'measured - planted':>20}{'basic':>8}{'percentile':>12}")
    for group in ("", "rus"):
        for topics in (8, 21, 60):
            found = np.array([_study(seed, topics, group) for seed in range(draws)])
            off, basic, percentile = found.mean(axis=0)
            runs = 17 if group else 51
            print(
                f"{runs:5}{topics:8}{off:20.3f}{100 * basic:8.0f}{100 * percentile:12.0f}",
                flush=True,
            )


def _study(seed: int, topics: int, group: str) -> tuple[float, bool, bool]:
    study = planted_study(seed, topics)
    runs = tuple(run for run in study.truth.runs if not group or study.groups[run] == group)
    aligned = AgreementStudy(study.truth, study.judge, runs=runs).align((MEASURE, MEASURE))
    sides: list[Array] = [
        score_matrix(t, MEASURE, aligned.runs, study.truth.topics)
        for t in (study.truth, study.judge)
    ]
    value = correlation("kendall", np.array(aligned.truth), np.array(aligned.judge))
    one = system_level(aligned, {"kendall": value}, sides, 1_000, seed)["kendall"]
    truth, low, high = study.planted[group], one.low or 0.0, one.high or 0.0
    return value - truth, low <= truth <= high, 2 * value - high <= truth <= 2 * value - low


def main() -> int:
    """1 where a limit is missed."""
    parser = options(__doc__)
    parser.add_argument(
        "--coverage", action="store_true", help="how often intervals and tests are right"
    )
    if not parser.parse_args().coverage:
        return speed()
    coverage()
    alarms()
    planted()
    return 0


if __name__ == "__main__":
    sys.exit(main())
