"""Functions around significance tests: cross check, correction, resolvable difference.

wilcoxon      signed rank over questions, zero differences dropped, exact where it can be
holm          step-down correction: the i-th smallest of m values times m - i + 1, never falling
resolvable    (t at 1 - alpha/2 + t at the power) x the standard error of the difference
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from argue_bench.stats.averages import Array, Average, Columns, scored_alone
from argue_bench.stats.bootstrap import TOLERANCE

# Cohen's conventions (1988): one false alarm in twenty, four of five true differences found.
ALPHA, POWER = 0.05, 0.8


def per_question(average: Average, columns: Columns) -> Array:
    """The score on each question alone: (n,) or (n, systems); NaN where it does not apply."""
    read = {name: columns[name] for name in average.columns_read}
    return scored_alone(average.values, read)


def wilcoxon_p(differences: Array) -> float:
    """Two-sided p of paired differences (n,); 1 where all are 0, for then nothing differs."""
    from scipy.stats import wilcoxon

    told = differences[~np.isnan(differences)]
    told = np.where(np.abs(told) <= TOLERANCE, 0.0, told)
    if not np.any(told):
        return 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small samples: the exact distribution is used
        return float(wilcoxon(told).pvalue)


def holm(p_values: Sequence[float] | Array) -> Array:
    """Holm's adjusted p values in the order given; NaN stays NaN and is not counted."""
    p = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(p.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * factors))
    return adjusted


def resolvable(
    standard_error: float, n: int, *, alpha: float = ALPHA, power: float = POWER
) -> float | None:
    """The smallest true difference found with this power by a two-sided test.

    None for n < 2, and without any spread, which a larger set might show.
    """
    from scipy.stats import t

    if n < 2 or not standard_error > TOLERANCE:
        return None
    return float((t.ppf(1 - alpha / 2, n - 1) + t.ppf(power, n - 1)) * standard_error)
