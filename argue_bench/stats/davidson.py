"""Bradley and Terry's model of battles with Davidson's ties (Davidson 1970), fitted to many resamples at once.

System i has the strength exp(s_i). Two systems meet, and with z = exp(s_i) + exp(s_j) + exp(t + (s_i + s_j) / 2)

    i wins with exp(s_i) / z, j with exp(s_j) / z, and they tie with exp(t + (s_i + s_j) / 2) / z

The logarithm of the likelihood is concave, so Newton's steps find its one maximum. Each system also meets an
average opponent, whose s is 0, with a fifth of a win, of a tie and of a loss (the weight of Gienapp et al. 2025):
so a system that never lost has a finite strength, and strengths have a zero.
"""

from __future__ import annotations

import numpy as np

from argue_bench.stats.averages import Array

# Battles of each outcome against a system whose s is 0.
AVERAGE_OPPONENT = 0.2
# Some ten steps are needed; one that is no longer than 2 does not leap over the maximum.
_STEPS, _LONGEST = 100, 2.0


def fit_strengths(wins: Array, ties: Array) -> tuple[Array, Array]:
    """The log strengths s, (resamples, systems), and the log weight of ties t, (resamples,).

    ``wins`` (resamples, systems, systems) counts how often the row's system won over the column's, ``ties`` of
    the same shape and symmetric how often the two tied; both have 0 on their diagonals.
    """
    k = wins.shape[-1]
    # The average opponent is one more system, whose strength is not fitted.
    won, tied = (
        np.pad(x, ((0, 0), (0, 1), (0, 1)), constant_values=AVERAGE_OPPONENT) for x in (wins, ties)
    )
    won[:, k, k] = tied[:, k, k] = 0.0
    games = won + won.transpose(0, 2, 1) + tied
    fitted, each = np.zeros((len(wins), k + 2)), np.arange(k + 1)
    kept = np.delete(np.arange(k + 2), k)
    for _ in range(_STEPS):
        lead = fitted[:, :-1, None] - fitted[:, None, :-1]
        tie = np.exp(fitted[:, -1, None, None] - lead / 2)
        win = 1 / (1 + np.exp(-lead) + tie)
        tie *= win
        points = win + tie / 2
        slope = np.empty_like(fitted)
        slope[:, :-1] = (won + tied / 2 - games * points).sum(axis=2)
        slope[:, -1] = (tied - games * tie).sum(axis=(1, 2)) / 2
        # The matrix of minus the second derivatives: of each pair the covariance of what its outcomes add.
        bend = np.empty((len(wins), k + 2, k + 2))
        bend[:, :-1, :-1] = games * (tie / 4 - points * points.transpose(0, 2, 1))
        bend[:, each, each] = (games * (win + tie / 4 - points**2)).sum(axis=2)
        bend[:, :-1, -1] = bend[:, -1, :-1] = (games * tie * (0.5 - points)).sum(axis=2)
        bend[:, -1, -1] = (games * tie * (1 - tie)).sum(axis=(1, 2)) / 2
        step = np.linalg.solve(bend[:, kept[:, None], kept], slope[:, kept, None])[..., 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        fitted[:, kept] += step * (_LONGEST / np.maximum(longest, _LONGEST))
        if longest.max() < 1e-10:
            break
    return fitted[:, :k], fitted[:, -1]


def expected_points(strengths: Array, ties: Array) -> Array:
    """What each system is expected to win against the others on average, a tie as half: (..., systems), 0 to 1."""
    lead = strengths[..., :, None] - strengths[..., None, :]
    tie = np.exp(ties[..., None, None] - lead / 2)
    points = (1 + tie / 2) / (1 + np.exp(-lead) + tie)
    # Against itself a system wins half.
    return np.asarray((points.sum(axis=-1) - 0.5) / max(1, strengths.shape[-1] - 1))
