"""Rank correlations of two orders of the same systems, for one pair of rows or thousands at once.

x is the truth, y the judge, n systems; P pairs in the same order, Q in the opposite one, T_x and T_y
tied on one side only.

    kendall    tau-b: (P - Q) / sqrt((P + Q + T_x)(P + Q + T_y))
    spearman   Pearson's correlation of average ranks
    pearson    covariance over both standard deviations
    tauap_b    tau-AP with ties (Yilmaz et al. 2008; Urbano and Marrero 2017): the mean of both
               directions of 2 / (n - tied at the top) x sum of C_i / p_i - 1, where p_i systems stand
               strictly above i and C_i of them do so on the other side too. A side that is wholly
               tied has nothing above anything: its direction counts 0, as in pyircore
    tau_gap    Gao and Oard 2015: 2 / m x sum over the judge's list of (truth's gaps above i in the
               right order) / (all truth's gaps above i) - 1, over the m positions with a gap above
               them; the judge's ties are broken by position

``method@k`` is the method on the k best systems by truth. Scores nearer than 1e-12 are tied. NaN
means undefined: kendall, spearman and pearson where a side is constant, tau_gap where truth is.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from argue_bench.errors import UnknownName, UsageError
from argue_bench.stats.averages import Array, ratio
from argue_bench.stats.bootstrap import TOLERANCE

Method = Literal["kendall", "spearman", "pearson", "tauap_b", "tau_gap"]
METHODS: tuple[Method, ...] = get_args(Method)
# Two systems have one order or the other: every correlation of them is 1 or -1.
FEWEST = 3
# Numbers in memory at once (16 MB), where work is done in parts.
CELLS = 1 << 21


def parse_method(text: str) -> tuple[Method, int | None]:
    """``kendall@10`` is ("kendall", 10). Raises UnknownName, UsageError."""
    name, at, k = text.partition("@")
    if name not in METHODS:
        raise UnknownName("correlation", name, METHODS, see="argue-bench judge agreement --help")
    if at and not (k.isascii() and k.isdigit() and int(k) > 0):
        raise UsageError(f"{text!r}: after @ write how many of the best systems count, such as 10")
    return name, int(k) if at else None


def correlation(method: Method, truth: Array, judge: Array) -> float:
    """The correlation of two rows of scores (n,). Raises UsageError for fewer than three."""
    if len(truth) < FEWEST:
        raise UsageError(
            f"{method} needs at least {FEWEST} systems that both sides have, here are {len(truth)}"
        )
    return float(correlations(method, truth[None, :], judge[None, :])[0])


def correlations(method: Method, truth: Array, judge: Array) -> Array:
    """The correlation of each pair of rows: (rows, n) and (rows, n) give (rows,)."""
    compute = {
        "kendall": _kendall,
        "spearman": lambda *both: _pearson(*(_signs(one).sum(axis=2) for one in both)),
        "pearson": _pearson,
        "tauap_b": _tauap_b,
        "tau_gap": _tau_gap,
    }[method]
    truth, judge = (np.asarray(side, dtype=np.float64) for side in (truth, judge))
    rows, n = truth.shape
    step = max(1, CELLS // (n * n))
    parts = [
        compute(truth[start : start + step], judge[start : start + step])
        for start in range(0, rows, step)
    ]
    return np.concatenate(parts) if parts else np.empty(0)


def _signs(scores: Array) -> Array:
    """[row, i, j]: 1 where i is above j, -1 below, 0 tied; (rows, n, n)."""
    gaps = scores[:, :, None] - scores[:, None, :]
    signs = np.sign(gaps)
    signs[np.abs(gaps) <= TOLERANCE] = 0.0
    return np.asarray(signs)


def _kendall(truth: Array, judge: Array) -> Array:
    x, y = _signs(truth), _signs(judge)
    agreed = np.einsum("rij,rij->r", x, y)
    decided = np.einsum("rij,rij->r", x, x) * np.einsum("rij,rij->r", y, y)
    return ratio(agreed, np.sqrt(decided))


def _pearson(truth: Array, judge: Array) -> Array:
    x, y = (side - side.mean(axis=1, keepdims=True) for side in (truth, judge))
    x, y = (
        np.where(np.ptp(side, axis=1, keepdims=True) <= TOLERANCE, 0.0, side) for side in (x, y)
    )
    spread = np.sqrt((x**2).sum(axis=1)) * np.sqrt((y**2).sum(axis=1))
    return np.clip(ratio((x * y).sum(axis=1), spread), -1.0, 1.0)


def _tauap_b(truth: Array, judge: Array) -> Array:
    x, y = _signs(truth) > 0, _signs(judge) > 0  # [row, j, i]: j above i
    both = (x & y).sum(axis=1)
    return (_mean_share(both, x.sum(axis=1), 0.0) + _mean_share(both, y.sum(axis=1), 0.0)) / 2


def _mean_share(part: Array, above: Array, empty: float) -> Array:
    """2 / m x sum of part / above - 1 over the m positions that have something above them.

    ``part`` and ``above`` are (rows, n); ``empty`` is the value of a row where m is 0.
    """
    counted = (above > 0).sum(axis=1)
    shares = np.divide(part, above, out=np.zeros(above.shape), where=above > 0).sum(axis=1)
    return np.where(counted > 0, 2 * shares / np.maximum(counted, 1) - 1, empty)


def _tau_gap(truth: Array, judge: Array) -> Array:
    y = _signs(judge)
    n = truth.shape[1]
    # Of two that the judge takes for equal, the earlier.
    above = (y > 0) | ((y == 0) & np.triu(np.ones((n, n), dtype=bool), 1))
    gaps = truth[:, :, None] - truth[:, None, :]
    gaps[np.abs(gaps) <= TOLERANCE] = 0.0
    whole = np.where(above, np.abs(gaps), 0.0).sum(axis=1)
    return _mean_share(np.where(above, np.maximum(gaps, 0.0), 0.0).sum(axis=1), whole, np.nan)
