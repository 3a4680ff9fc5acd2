"""How often the intervals of corrected scores hold the truth: 2,000 planted studies a cell.

    python -m benchmarks.coverage [--write] [--studies 2000]

A study plants people's verdicts on 20, 50 or 200 labelled questions and 500 others, whose mean over all
possible questions is known, and a judge that is biased, noisy or useless; only studies are counted in
which an interval is shown. Held: 93 to 97 % on graded scores at 50 and 200 labels, at least 92 % at 20;
binary and rare outcomes never more than 2 points below the labels alone; the width on average at most
5 % over that of the labels alone; 92 to 97 % with twenty groups.
Exits 1 where a limit is missed (by more than two standard errors of a share of so many studies, about
1 point). ``--write`` puts the tables into benchmarks/README.md.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import numpy as np
from scipy.special import stdtrit

from argue_bench.lab.corrected.prediction_powered import (
    FEWEST_RARE,
    Corrected,
    Score,
    corrected_mean,
    corrected_score,
    rarer,
)
from argue_bench.stats.averages import Array, Column, Harmonic, Macro, Ratio, macro, micro
from argue_bench.stats.bootstrap import bounds, estimate, jackknife, replicates, resampled_level
from benchmarks._options import options
from tests.agreement.ppi_values import normal_interval

PAGE = Path(__file__).with_name("README.md")
REST = 500
LABELS = (20, 50, 200)
JUDGES = ("biased", "noisy", "useless")
OUTCOMES = {"graded": 2 / 3.2, "binary": 0.5, "rare": 0.1}
"""The mean of each outcome over all possible questions."""
RESAMPLES = 1000
HEAD = ("outcome", "judge", "labels", "corrected", "labels alone", "published z", "width")


def outcome(kind: str, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """People's verdicts: shares of five, or 0 and 1."""
    if kind == "graded":
        return rng.binomial(5, rng.beta(2, 1.2, shape)) / 5
    return (rng.random(shape) < OUTCOMES[kind]).astype(float)


def judged(people: Array, judge: str, kind: str, rng: np.random.Generator) -> Array:
    """What a judge makes of the same questions."""
    if judge == "useless":
        return rng.permuted(people, axis=0)
    if kind == "graded":
        seen = people * 0.8 + 0.25 if judge == "biased" else people
        return np.clip(seen + rng.normal(0, 0.1 if judge == "biased" else 0.3, people.shape), 0, 1)
    wrong_no, wrong_yes = (0.25, 0.03) if judge == "biased" else (0.15, 0.15)
    drawn = rng.random(people.shape)
    return np.where(people == 1, drawn >= wrong_yes, drawn < wrong_no).astype(float)


def planted(
    kind: str, judge: str, n: int, studies: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """People's verdicts and the judge's on n labelled questions and the rest, (n + REST, studies)."""
    people = np.empty((n + REST, 0))
    while people.shape[1] < studies:
        some = outcome(kind, (n + REST, studies), rng)
        people = np.hstack([people, some[:, rarer(some[:n]) >= FEWEST_RARE]])
    people = people[:, :studies]
    return people, judged(people, judge, kind, rng)


def held(low: Array, high: Array, truth: float) -> float:
    """The share of studies whose interval holds the truth, in per cent."""
    return 100 * float(np.mean((low <= truth) & (truth <= high)))


def alone(people: Array) -> tuple[Array, Array]:
    """The interval of people's mean alone, by Student's t."""
    n = len(people)
    reach = stdtrit(n - 1, 0.975) * people.std(0, ddof=1) / np.sqrt(n)
    return people.mean(0) - reach, people.mean(0) + reach


def means(studies: int, rng: np.random.Generator) -> Iterator[tuple[tuple[str, ...], str]]:
    """A row for each cell of means, and what it misses."""
    slack = 200 * np.sqrt(0.95 * 0.05 / studies)
    widths = []
    for kind, truth in OUTCOMES.items():
        for judge in JUDGES:
            for n in LABELS:
                people, seen = planted(kind, judge, n, studies, rng)
                found = corrected_mean(people[:n], seen[:n], seen[n:])
                own, labels = held(found.low, found.high, truth), alone(people[:n])
                without = held(*labels, truth)
                width = float(np.mean(found.high - found.low) / np.mean(labels[1] - labels[0]))
                widths.append(width)
                missed = ""
                if kind == "graded":
                    least, most = (93, 97) if n > 20 else (92, 100)
                    if not least - slack <= own <= most + slack:
                        missed = f"{own:.1f} is not {least} to {most}"
                elif own < without - 2:
                    missed = f"{own:.1f} is more than 2 below {without:.1f}"
                published = held(*normal_interval(found), truth)
                shown = (f"{own:.1f}", f"{without:.1f}", f"{published:.1f}", f"{width:.2f}")
                yield (kind, judge, str(n), *shown), missed
    average = np.mean(widths)
    missed = "" if average <= 1.05 else f"{average:.2f} is more than 1.05"
    yield ("all means", "", "", "", "", "", f"{average:.2f}"), missed


SCORES: dict[str, Macro | Ratio | Harmonic] = {
    "ratio": micro("x"),
    "F1": Harmonic(micro("x"), macro("y")),
}


def parts(values: Array, sizes: Array, rng: np.random.Generator) -> dict[str, Column]:
    """Tallies of ``sizes`` parts a question, of which so many are right, and graded values."""
    hits = np.floor(values * sizes + rng.random(sizes.shape))
    return {"x": Column(np.minimum(hits, sizes), sizes), "y": Column(values, np.ones_like(values))}


def bootstrap_forms(
    studies: int, rng: np.random.Generator
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Ratios, F1 and the difference of two systems, corrected by the bootstrap."""
    slack = 200 * np.sqrt(0.95 * 0.05 / studies)
    for judge in JUDGES:
        for n in LABELS:
            people, seen = planted("graded", judge, n, studies, rng)
            labelled = np.arange(n + REST) < n
            # Longer answers are better here, so that a ratio is not the mean.
            sizes = np.asarray(1.0 + rng.binomial(6, 0.2 + 0.6 * people))
            mine, its = parts(people, sizes, rng), parts(seen, sizes, rng)
            other = np.clip(people - 0.1 + rng.normal(0, 0.2, people.shape), 0, 1)
            its_other = judged(other, judge, "graded", rng)
            for name, truth, score, by_people, by_judge in (
                *((k, truth_of(k), a.values, mine, its) for k, a in SCORES.items()),
                (
                    "difference",
                    truth_of("difference"),
                    difference,
                    {"a": full(people), "b": full(other)},
                    {"a": full(seen), "b": full(its_other)},
                ),
            ):
                columns = {
                    c: Column(v.numerator[:n], v.denominator[:n]) for c, v in by_people.items()
                }
                found = corrected_score(score, columns, by_judge, labelled, resamples=RESAMPLES)
                own, width = held(found.low, found.high, truth), relative(found, score, columns)
                least, most = (93, 97) if n > 20 else (92, 100)
                fine = least - slack <= own <= most + slack
                missed = "" if fine else f"{own:.1f} is not {least} to {most}"
                yield (name, judge, str(n), f"{own:.1f}", "", "", f"{width:.2f}"), missed


def relative(found: Corrected, score: Score, columns: dict[str, Column]) -> float:
    """The mean width over that of the labels alone, by the same bootstrap."""
    n = len(next(iter(columns.values())).numerator)
    only = corrected_score(score, columns, columns, np.ones(n, dtype=bool), resamples=RESAMPLES)
    return float(np.mean(found.high - found.low) / np.mean(only.high - only.low))


def full(values: Array) -> Column:
    return Column(values, np.ones_like(values))


def difference(columns: Mapping[str, Column], rows: Array) -> Array:
    """The first system's mean minus the second's."""
    return macro("a").values(columns, rows) - macro("b").values(columns, rows)


def truth_of(name: str) -> float:
    """The value over a million questions."""
    rng = np.random.default_rng(99)
    people = outcome("graded", (1_000_000,), rng)
    if name == "difference":
        other = np.clip(people - 0.1 + rng.normal(0, 0.2, people.shape), 0, 1)
        return float(people.mean() - other.mean())
    columns = parts(people, np.asarray(1.0 + rng.binomial(6, 0.2 + 0.6 * people)), rng)
    return float(estimate(SCORES[name], columns))


CLUSTERS, SHARED = 20, 0.5
"""How many groups, and how much of the spread of values their questions share."""


def grouped(studies: int, rng: np.random.Generator) -> Iterator[tuple[tuple[str, ...], str]]:
    """Twenty groups of 3 to 30 questions: intervals of scores, and of corrected scores."""
    slack = 200 * np.sqrt(0.95 * 0.05 / studies)
    sizes = rng.integers(3, 31, CLUSTERS)
    groups = np.repeat(np.arange(CLUSTERS), sizes)
    n = len(groups)

    def values(shift: float = 0.0, easy: Array | None = None) -> tuple[Array, Array]:
        # Which groups are large is drawn anew in the truth: sizes go with nothing.
        easy = rng.normal(0, SHARED, (CLUSTERS, studies)) if easy is None else easy
        raw = 0.6 + shift + 0.3 * easy[groups] + rng.normal(0, 0.15, (n, studies))
        return np.clip(raw, 0, 1), easy

    people, easy = values()
    reference = np.random.default_rng(98)
    shared, own = reference.normal(0, SHARED, 4_000_000), reference.normal(0, 0.15, 4_000_000)
    first = np.clip(0.6 + 0.3 * shared + own, 0, 1)
    second = np.clip(0.5 + 0.3 * shared + reference.normal(0, 0.15, 4_000_000), 0, 1)
    length = np.ones_like(people) + rng.integers(0, 5, people.shape)
    columns = {"x": Column(people * length, length), "y": full(people)}
    truths = {"mean": first.mean(), "ratio": first.mean(), "F1": first.mean()}
    scores: dict[str, Callable[[dict[str, Column], Array], Array] | object] = {
        "mean": macro("y"),
        "ratio": micro("x"),
        "F1": Harmonic(micro("x"), macro("y")),
    }
    level = resampled_level(0.95, CLUSTERS, groups)

    def row(
        name: str, what: str, low: Array, high: Array, truth: float
    ) -> tuple[tuple[str, ...], str]:
        own = held(low, high, truth)
        fine = 92 - slack <= own <= 97 + slack
        missed = "" if fine else f"{own:.1f} is not 92 to 97"
        return (name, what, str(CLUSTERS), f"{own:.1f}", "", "", ""), missed

    for name, average in scores.items():
        one = {"": average}
        drawn = replicates(one, columns, groups=groups, resamples=RESAMPLES)[""]  # type: ignore[arg-type]
        left = jackknife(one, columns, groups)[""]  # type: ignore[arg-type]
        whole = estimate(average, columns)  # type: ignore[arg-type]
        low, high = bounds(drawn, whole, left, level=level)
        yield row(name, "clusters", low, high, float(truths[name]))
    other, _ = values(-0.1, easy)
    pair = {"a": full(people), "b": full(other)}
    gaps = {"": _Difference()}
    drawn = replicates(gaps, pair, groups=groups, resamples=RESAMPLES)[""]  # type: ignore[arg-type]
    left = jackknife(gaps, pair, groups)[""]  # type: ignore[arg-type]
    low, high = bounds(drawn, difference(pair, np.ones((1, n)))[0], left, level=level)
    yield row("difference", "clusters", low, high, float(first.mean() - second.mean()))
    labelled = np.zeros(n, dtype=bool)
    labelled[rng.permutation(n)[:50]] = True
    for judge in JUDGES:
        seen = judged(people, judge, "graded", rng)
        found = corrected_score(
            macro("y").values,
            {"y": full(people[labelled])},
            {"y": full(seen)},
            labelled,
            groups=groups,
            resamples=RESAMPLES,
        )
        yield row("corrected mean", judge, found.low, found.high, float(first.mean()))
        its_other = judged(other, judge, "graded", rng)
        gap = corrected_score(
            difference,
            {"a": full(people[labelled]), "b": full(other[labelled])},
            {"a": full(seen), "b": full(its_other)},
            labelled,
            groups=groups,
            resamples=RESAMPLES,
        )
        truth = float(first.mean() - second.mean())
        yield row("corrected difference", judge, gap.low, gap.high, truth)


class _Difference:
    """The difference of two means as an average, for the functions that take one."""

    columns_read = ("a", "b")
    values = staticmethod(difference)


def main() -> int:
    """How many limits are missed."""
    parser = options(__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--studies", type=int, default=2000)
    given = parser.parse_args()
    rng = np.random.default_rng(20_251_121)
    lines, missed = [" | ".join(HEAD), " | ".join(["---"] * len(HEAD))], []
    for part in (means, bootstrap_forms, grouped):
        for cells, why in part(given.studies, rng):
            if cells:
                lines.append(" | ".join(cells))
                print(*(cell.ljust(14) for cell in cells), why, flush=True)
            if why:
                missed.append(f"{' '.join(cells)}: {why}")
    if given.write:
        before, start, rest = PAGE.read_text().partition("<!-- coverage -->\n")
        _, end, after = rest.partition("<!-- /coverage -->")
        table = "".join(f"| {line} |\n" for line in lines)
        PAGE.write_text(f"{before}{start}\n{table}\n{end}{after}")
    for line in missed:
        print(f"missed: {line}")
    return len(missed)


if __name__ == "__main__":
    sys.exit(min(main(), 1))
