"""Paired permutation test of the difference between two systems.

Paired permutation test (Fisher 1935; Smucker, Allan and Carterette 2007 for retrieval): on each
question the tallies of the two systems change places or not, the scores are averaged anew, and the
share of swaps whose difference is at least as large, either way, is p. Swapping tallies and not
values makes it right for ratios and harmonic means too; for a mean it is the sign-flip test.

    exact     all 2^n swaps, where there are not more of them than ``permutations``
    sampled   p = (1 + as large) / (1 + permutations): never 0
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

import numpy as np

from argue_bench.stats.averages import Array, Average, Column, Columns, Macro, scored_alone, take
from argue_bench.stats.bootstrap import (
    CHUNK,
    SEED,
    TOLERANCE,
    Groups,
    count_units,
    estimate,
    sums_by_group,
)

# Functions around significance tests: cross check, correction, resolvable difference.
#
# wilcoxon      signed rank over questions, zero differences dropped, exact where it can be
# holm          step-down correction: the i-th smallest of m values times m - i + 1, never falling
# resolvable    (t at 1 - alpha/2 + t at the power) x the standard error of the difference

# Cohen's conventions (1988): one false alarm in twenty, four of five true differences found.
ALPHA, POWER = 0.05, 0.8


def per_question(average: Average, columns: Columns) -> Array:
    """The score on each question alone: (n,) or (n, systems); NaN where it does not apply."""
    return scored_alone(average.values, {name: columns[name] for name in average.columns_read})


def wilcoxon_p(differences: Array) -> float:
    """Two-sided p of paired differences (n,); 1 where all are 0, for then nothing differs."""
    from scipy.stats import wilcoxon

    told = differences[~np.isnan(differences)]
    told = np.where(np.abs(told) <= TOLERANCE, 0.0, told)
    return float(wilcoxon(told).pvalue) if np.any(told) else 1.0


def holm(p_values: Sequence[float] | Array) -> Array:
    """Holm's adjusted p values in the order given; NaN stays NaN and is not counted."""
    p = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(p.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * factors))
    return adjusted


def resolvable(standard_error: float, n: int) -> float | None:
    """The smallest true difference found with the usual power by a two-sided test.

    None for n < 2, and without any spread, which a larger set might show.
    """
    from scipy.stats import t

    if n < 2 or not standard_error > TOLERANCE:
        return None
    return float((t.ppf(1 - ALPHA / 2, n - 1) + t.ppf(POWER, n - 1)) * standard_error)


# A p of 0.05 has then a standard error of 0.002.
PERMUTATIONS = 10_000


def permutation_test(
    average: Average,
    first: Columns,
    second: Columns,
    *,
    groups: Groups | None = None,
    permutations: int = PERMUTATIONS,
    seed: int = SEED,
) -> Array:
    """The two-sided p of each pair: columns of shape (n, pairs) give (pairs,); (n,) gives ().

    With ``groups`` all questions of one change places together. NaN where either score applies to no question.
    """
    shape = first[average.columns_read[0]].numerator.shape[1:]
    # The columns that the average reads, as arrays (n, pairs).
    a, b = (
        {
            name: Column(
                *(part.reshape(len(part), -1).astype(np.float64) for part in columns[name])
            )
            for name in average.columns_read
        }
        for columns in (first, second)
    )
    n, pairs = a[average.columns_read[0]].numerator.shape
    p = np.empty(pairs)
    width = max(1, CHUNK // max(permutations, 2 * n))
    for start in range(0, pairs, width):
        part = np.s_[:, start : start + width]
        p[part[1]] = _tested(average, take(a, part), take(b, part), groups, permutations, seed)
    return p.reshape(shape)


def _tested(
    average: Average,
    first: Columns,
    second: Columns,
    groups: Groups | None,
    permutations: int,
    seed: int,
) -> Array:
    n = count_units(len(first[average.columns_read[0]].numerator), groups)
    observed = np.abs(estimate(average, first) - estimate(average, second)) - TOLERANCE
    exact = is_exact(n, permutations)
    plain = _plain_difference(average, first, second)
    both = {
        name: Column(*(np.vstack(pair) for pair in zip(first[name], second[name], strict=True)))
        for name in average.columns_read
    }
    as_large, counted = np.zeros(observed.shape), np.zeros(observed.shape)
    step = max(1, CHUNK // len(first[average.columns_read[0]].numerator))
    for swapped in _pieces(_swaps(n, permutations, seed), step):
        if plain is not None:
            gap = (1 - 2 * swapped) @ sums_by_group(plain, groups)
        else:
            swapped = swapped if groups is None else swapped[:, groups]
            kept = 1 - swapped
            gap = average.values(both, np.hstack([kept, swapped]))
            gap -= average.values(both, np.hstack([swapped, kept]))
        as_large += np.count_nonzero(np.abs(gap) >= observed, axis=0)
        counted += np.count_nonzero(~np.isnan(gap), axis=0)
    extra = 0 if exact else 1
    p = np.divide(as_large + extra, counted + extra, out=np.ones_like(counted), where=counted > 0)
    return np.where(np.isnan(observed), np.nan, p)


def is_exact(n: int, permutations: int = PERMUTATIONS) -> bool:
    """Whether all swaps of n questions are looked at, instead of a sample of them."""
    return n < 60 and 2**n <= permutations


def smallest_p(n: int, permutations: int = PERMUTATIONS) -> float:
    """The smallest p that the test can give on n questions."""
    return 2 / 2**n if is_exact(n, permutations) else 1 / (1 + permutations)


def _swaps(n: int, permutations: int, seed: int) -> Iterator[Array]:
    """Which questions change places, in chunks of rows."""
    if is_exact(n, permutations):
        yield ((np.arange(2**n)[:, None] >> np.arange(n)) & 1).astype(np.float64)
        return
    rows = max(1, CHUNK // (2 * max(n, 1)))
    for index, start in enumerate(range(0, permutations, rows)):
        yield _sampled(n, min(rows, permutations - start), seed, index)


def _pieces(chunks: Iterator[Array], step: int) -> Iterator[Array]:
    """The same rows, not more than ``step`` at once: a group's row grows by its questions."""
    for rows in chunks:
        for start in range(0, len(rows), step):
            yield rows[start : start + step]


@lru_cache(maxsize=4)
def _sampled(n: int, rows: int, seed: int, index: int) -> Array:
    rng = np.random.default_rng([seed, n, index, 1])
    drawn = rng.integers(0, 2, size=(rows, n), dtype=np.int8).astype(np.float64)
    drawn.setflags(write=False)
    return drawn


def _plain_difference(average: Average, first: Columns, second: Columns) -> Array | None:
    """What each question adds to the difference, where a swap only turns its sign.

    That is so for a mean over questions that applies to the same questions in both systems; it is
    the same test, with one small product in place of eight.
    """
    if type(average) is not Macro:  # what is made out of a mean reads other columns
        return None
    share, applies = average.sums
    counted = applies.terms(first)
    if not np.array_equal(counted, applies.terms(second)):
        return None
    gap = share.terms(first) - share.terms(second)
    return np.asarray(gap / np.maximum(counted.sum(axis=0), 1))
