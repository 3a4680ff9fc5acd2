"""Speed of intervals, tests and bands, and how often they are right.

Run by ``python -m benchmarks statistics``; the scores are drawn here. The first table is speed: 10,000
resamples x 50 systems x 30 scores x 120 questions with BCa against the literal loop that draws
questions one by one (timed on a part of it and multiplied), and a board of 1,000 systems banded.

``python -m benchmarks.statistics --coverage`` measures how often 95 % intervals hold the truth and how
often tests raise a false alarm, for the tables in benchmarks/README.md.
"""

from __future__ import annotations

import random
import resource
import sys
import time
from collections.abc import Callable

import numpy as np

from argue_bench.analysis.agreement import system_level
from argue_bench.analysis.bands import rank_bands
from argue_bench.analysis.pairwise import score_matrix
from argue_bench.analysis.rankings import AgreementStudy
from argue_bench.stats.averages import Array, Average, Column, Harmonic, macro, micro, take
from argue_bench.stats.bootstrap import bounds, estimate, jackknife, replicates
from argue_bench.stats.correlation import correlation
from argue_bench.stats.permutation import permutation_test
from tests.analysis.planted_study import MEASURE, planted_study

N, SYSTEMS, SCORES, RESAMPLES, BOARD = 120, 50, 30, 10_000, 1_000
DRAWS, PAIRS = 1_000, 10_000
RNG = np.random.default_rng(0)


def averages() -> dict[str, Average]:
    kinds: list[Callable[[int], Average]] = [
        lambda i: macro(f"c{i}"),
        lambda i: micro(f"c{i}"),
        lambda i: Harmonic(macro(f"c{i}"), micro(f"c{i + 1}")),
    ]
    return {f"s{i}": kinds[i % 3](i) for i in range(SCORES)}


def columns(systems: int, count: int = SCORES + 1) -> dict[str, Column]:
    of = RNG.integers(1, 8, (count, N, 1)).astype(float) * np.ones((1, 1, systems))
    quality = np.linspace(0.3, 0.7, systems) + RNG.normal(0, 0.15, (count, N, 1))
    got = RNG.binomial(of.astype(int), np.clip(quality, 0, 1)).astype(float)
    return {f"c{i}": Column(got[i], of[i]) for i in range(count)}


def all_intervals(given: dict[str, Column]) -> None:
    for average in averages().values():
        one = {"x": average}
        drawn = replicates(one, given, resamples=RESAMPLES)["x"]
        bounds(drawn, estimate(average, given), jackknife(one, given)["x"])


def literal(given: dict[str, Column], resamples: int) -> None:
    """One system, one score of each kind, question by question."""
    lists = {
        k: (c.numerator[:, 0].tolist(), c.denominator[:, 0].tolist()) for k, c in given.items()
    }
    draw = random.Random(0)

    def share(name: str, rows: list[int]) -> float:
        got, of = lists[name]
        return sum(got[i] / of[i] for i in rows) / len(rows)

    def ratio(name: str, rows: list[int]) -> float:
        got, of = lists[name]
        return sum(got[i] for i in rows) / sum(of[i] for i in rows)

    for _ in range(resamples):
        rows = [draw.randrange(N) for _ in range(N)]
        a, b = share("c0", rows), ratio("c1", rows)
        _ = 2 * a * b / (a + b)


def timed(work: Callable[[], object], times: int = 3) -> float:
    best = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - start)
    return best


def speed() -> None:
    given = columns(SYSTEMS)
    ours = timed(lambda: all_intervals(given))
    part = 100
    loop = timed(lambda: literal(given, part)) / part * RESAMPLES * SYSTEMS * SCORES / 3
    board = columns(BOARD, 2)
    systems = {f"s{i}": take(board, (slice(None), i)) for i in range(BOARD)}
    rows = [
        (f"{RESAMPLES:,} x {SYSTEMS} x {SCORES} x {N}, BCa", ours, 1.0),
        ("the literal loop, without BCa (extrapolated)", loop, loop / ours),
    ]
    for name, average in (("mean", macro("c0")), ("F1", Harmonic(macro("c0"), micro("c1")))):
        taken = timed(lambda a=average: rank_bands("x", a, systems), times=1)  # type: ignore[misc]
        rows.append((f"a board of {BOARD:,} banded by a {name}", taken, taken / ours))
    print(f"{'':48}{'seconds':>9}{'ratio':>9}")
    for what, seconds, ratio in rows:
        print(f"{what:48}{seconds:9.2f}{ratio:9,.1f}")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"peak memory {peak:,.0f} MB")


def continuous(n: int) -> dict[str, Column]:
    of = RNG.gamma(4.0, 1.0, (n, DRAWS))
    got = of * RNG.beta(2 + of / 4, 3)
    return {"a": Column(RNG.beta(2, 5, (n, DRAWS)), np.ones((n, DRAWS))), "b": Column(got, of)}


def binary(share: float) -> Callable[[int], dict[str, Column]]:
    def draw(n: int) -> dict[str, Column]:
        got = (RNG.random((n, DRAWS)) < share).astype(float)
        of = RNG.integers(1, 5, (n, DRAWS)).astype(float)
        ones = np.ones((n, DRAWS))
        return {"a": Column(got, ones), "b": Column(RNG.binomial(of.astype(int), share) * 1.0, of)}

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


if __name__ == "__main__":
    if "--coverage" in sys.argv[1:]:
        coverage()
        alarms()
        planted()
    else:
        speed()
