"""Which differences between systems are real?

For every score and every pair of systems: the difference with its paired bootstrap interval, the
paired permutation test (swapped tallies, so ratios and harmonic means are tested as what they are),
Wilcoxon's signed-rank test over questions as a cross check, the size of the effect, and the smallest
difference that this set can resolve. Holm's correction runs over the whole table.

    resolvable   (t at 1 - alpha/2 + t at 80 %) x bootstrap standard error of the difference
                 (`bootstrap.spread`): a true difference of this size would be found in four of five
                 such sets
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from argue_bench.analysis.aligned import ComparedScore, align_reports
from argue_bench.errors import UnknownName, UsageError
from argue_bench.eval.report import Report, short_key
from argue_bench.eval.signature import Signature
from argue_bench.stats.averages import Array, Average, Better, Columns, Unit, take
from argue_bench.stats.bootstrap import (
    CHUNK,
    RESAMPLES,
    SEED,
    TOLERANCE,
    applies_to,
    bounds,
    estimate,
    jackknife,
    replicates,
    spread,
)
from argue_bench.stats.permutation import is_exact, permutation_test, smallest_p
from argue_bench.stats.significance import (
    ALPHA,
    effect_size,
    holm,
    per_question,
    resolvable,
    wilcoxon_p,
)

PERMUTATIONS = 10_000
MOST_PERMUTATIONS = 100_000


@dataclass(frozen=True)
class Difference:
    """One score of two systems. ``value`` is the first's minus the second's, over the questions that
    both have; ``scores`` are as each was scored."""

    score: str
    first: str
    second: str
    scores: tuple[float, float]
    value: float
    low: float | None
    high: float | None
    p: float
    p_holm: float
    p_wilcoxon: float
    effect: float | None
    """Cohen's d_z; None where the differences do not vary."""
    resolvable: float | None
    won: int
    """Questions on which the first scores higher."""
    tied: int
    lost: int
    n: int
    unit: Unit
    better: Better

    @property
    def winner(self) -> str | None:
        """The better system where the corrected test says so."""
        if not self.better or not self.p_holm < ALPHA or not self.value:
            return None
        return self.first if (self.value > 0) == (self.better == "higher") else self.second


@dataclass(frozen=True)
class CategoryDifference:
    """A difference on the questions of one category."""

    category: str
    score: str
    first: str
    second: str
    value: float | None
    low: float | None
    high: float | None
    n: int


@dataclass(frozen=True)
class Comparison:
    """Everything that `compare` found."""

    systems: tuple[str, ...]
    differences: tuple[Difference, ...]
    categories: tuple[CategoryDifference, ...]
    per_question: Mapping[str, Mapping[str, tuple[float | None, ...]]]
    """Score to question to each system's score on it alone, None where it does not apply."""
    signatures: Mapping[str, Signature]
    left_out: Mapping[str, str]
    compared: tuple[ComparedScore, ...]
    facts: Mapping[str, Any]
    """How it was tested: resamples, permutations, seed, alpha, whether the test is exact."""

    def to_dict(self) -> dict[str, Any]:
        """Plain data, ready for JSON."""
        return {
            "systems": list(self.systems),
            "facts": dict(self.facts),
            "differences": [
                {**asdict(found), "winner": found.winner} for found in self.differences
            ],
            "categories": [asdict(part) for part in self.categories],
            "per_question": {
                k: {q: list(v) for q, v in p.items()} for k, p in self.per_question.items()
            },
            "signature": {text: dict(parts) for text, parts in self.signatures.items()},
            "left_out": dict(self.left_out),
        }


def compare_reports(
    reports: Mapping[str, Report],
    *,
    scores: Sequence[str] | None = None,
    categories: Mapping[str, Sequence[str]] | None = None,
    resamples: int = RESAMPLES,
    permutations: int | None = None,
    seed: int = SEED,
    level: float = 1 - ALPHA,
) -> Comparison:
    """Compares the systems' reports, by name. ``scores`` are keys, short or full; all by default.

    ``categories`` maps question ids to their categories. ``permutations`` is 10,000, and more where
    the table is so long that Holm could otherwise find nothing. Raises UnlikeSignatures, UsageError,
    UnknownName.
    """
    aligned = align_reports(tuple(reports), tuple(reports.values()))
    chosen = _chosen(aligned.scores, scores, aligned.left_out)
    rows = len(chosen) * len(aligned.systems) * (len(aligned.systems) - 1) // 2
    if permutations is None:
        enough = int(5 * rows / ALPHA)
        permutations = min(MOST_PERMUTATIONS, max(PERMUTATIONS, enough))
    found = [
        difference
        for one in chosen
        for difference in _differences(one, aligned.systems, resamples, permutations, seed, level)
    ]
    adjusted = holm([difference.p for difference in found])
    n = max((len(one.questions) for one in chosen), default=0)
    return Comparison(
        aligned.systems,
        tuple(replace(d, p_holm=float(p)) for d, p in zip(found, adjusted, strict=True)),
        tuple(_parts(chosen, aligned.systems, categories or {}, resamples, seed, level)),
        {one.key: _alone(one) for one in chosen},
        aligned.signatures,
        aligned.left_out,
        tuple(chosen),
        {
            "questions": n,
            "alpha": ALPHA,
            "level": level,
            "resamples": resamples,
            "seed": seed,
            "permutations": 2**n if is_exact(n, permutations) else permutations,
            "exact": is_exact(n, permutations),
            "smallest_p": smallest_p(n, permutations),
            "tests": len(found),
            "correction": "holm",
        },
    )


def _chosen(
    scores: Sequence[ComparedScore], wanted: Sequence[str] | None, left_out: Mapping[str, str]
) -> list[ComparedScore]:
    if wanted is None:
        chosen = list(scores)
    else:
        chosen = []
        for key in wanted:
            meant = [one for one in scores if key in (one.key, short_key(one.key))]
            if len(meant) != 1:
                lost = [f"{k}: {why}" for k, why in left_out.items() if key in (k, short_key(k))]
                if lost:
                    raise UsageError(f"not comparable: {'; '.join(lost)}")
                raise UnknownName("score", key, [one.key for one in meant or scores])
            chosen += meant
    if not chosen:
        told = "; ".join(f"{key}: {why}" for key, why in left_out.items())
        raise UsageError(f"no score can be compared. {told}")
    return chosen


def _differences(
    one: ComparedScore,
    systems: Sequence[str],
    resamples: int,
    permutations: int,
    seed: int,
    level: float,
) -> Iterator[Difference]:
    """All pairs on one score; Holm's p is filled in when the table is whole."""
    average, columns = one.average, one.columns
    pairs = list(combinations(range(len(systems)), 2))
    first, second = (np.array(side) for side in zip(*pairs, strict=True))
    gaps = _gaps(average, columns, resamples, seed, level, first, second)
    p = permutation_test(
        average,
        take(columns, np.s_[:, first]),
        take(columns, np.s_[:, second]),
        permutations=permutations,
        seed=seed,
    )
    alone = per_question(average, columns)
    whole = estimate(average, columns)
    counts = applies_to(average, columns)
    for at, (a, b) in enumerate(pairs):
        differences = alone[:, a] - alone[:, b]
        n = int(min(counts[a], counts[b]))
        told = differences[~np.isnan(differences)]
        low, high, error = (float(part[at]) for part in gaps)
        yield Difference(
            one.key,
            systems[a],
            systems[b],
            (one.values[a], one.values[b]),
            float(whole[a] - whole[b]),
            low if n >= 2 else None,
            high if n >= 2 else None,
            float(p[at]),
            float("nan"),
            wilcoxon_p(differences),
            effect_size(differences),
            resolvable(error, n),
            int(np.count_nonzero(told > TOLERANCE)),
            int(np.count_nonzero(np.abs(told) <= TOLERANCE)),
            int(np.count_nonzero(told < -TOLERANCE)),
            n,
            average.unit,
            average.better,
        )


def _gaps(
    average: Average,
    columns: Columns,
    resamples: int,
    seed: int,
    level: float,
    first: np.ndarray,
    second: np.ndarray,
) -> tuple[Array, Array, Array]:
    """Lower bound, upper bound and standard error of each pair's difference."""
    drawn = replicates({"": average}, columns, resamples=resamples, seed=seed)[""]
    left = jackknife({"": average}, columns)[""]
    whole = estimate(average, columns)
    counts = applies_to(average, columns)
    low, high, error = np.empty((3, len(first)))
    width = max(1, CHUNK // max(resamples, len(left)))
    for start in range(0, len(first), width):
        part = slice(start, start + width)
        a, b = first[part], second[part]
        gap = drawn[:, a] - drawn[:, b]
        low[part], high[part] = bounds(
            gap, whole[a] - whole[b], left[:, a] - left[:, b], level=level
        )
        error[part] = spread(gap, np.minimum(counts[a], counts[b]))
    return low, high, error


def _parts(
    chosen: Sequence[ComparedScore],
    systems: Sequence[str],
    categories: Mapping[str, Sequence[str]],
    resamples: int,
    seed: int,
    level: float,
) -> Iterator[CategoryDifference]:
    """Differences by category, with intervals and without tests: they are for looking, not for
    deciding."""
    first, second = (np.array(s) for s in zip(*combinations(range(len(systems)), 2), strict=True))
    for one in chosen:
        for category in sorted({c for q in one.questions for c in categories.get(q, ())}):
            kept = np.array([category in categories.get(q, ()) for q in one.questions])
            columns = take(one.columns, kept)
            whole = estimate(one.average, columns)
            counts = applies_to(one.average, columns)
            low, high, _ = _gaps(one.average, columns, resamples, seed, level, first, second)
            for at, (a, b) in enumerate(zip(first, second, strict=True)):
                value = float(whole[a] - whole[b])
                told = int(min(counts[a], counts[b]))
                yield CategoryDifference(
                    category,
                    one.key,
                    systems[a],
                    systems[b],
                    None if np.isnan(value) else value,
                    float(low[at]) if told >= 2 else None,
                    float(high[at]) if told >= 2 else None,
                    told,
                )


def _alone(one: ComparedScore) -> dict[str, tuple[float | None, ...]]:
    alone = per_question(one.average, one.columns)
    return {
        question: tuple(None if np.isnan(value) else float(value) for value in row)
        for question, row in zip(one.questions, alone, strict=True)
    }
