"""Battles: two systems' answers to one topic side by side, and the ranking that the preferences give.

TREC's RAG track compares systems so in 2026. Each pair is shown in both orders, and a disagreement of the two is
a tie. Davidson's model gives each system its points: what it is expected to win
against the others, a tie as half. Intervals resample topics (BCa), which also ranks the systems anew.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any, Literal, NamedTuple

import numpy as np

from argue_bench.analysis.bands import rank_bounds
from argue_bench.records import JudgeRequest, Prefers, Tally
from argue_bench.stats.averages import Array, columns_of, micro, value_of
from argue_bench.stats.bootstrap import (
    SEED,
    bounds,
    intervals,
    number_groups,
    weights,
    widened_constant,
    widened_level,
)

# Bradley and Terry's model of battles with Davidson's ties (Davidson 1970), fitted to many resamples at once.
#
# System i has the strength exp(s_i). Two systems meet, and with z = exp(s_i) + exp(s_j) + exp(t + (s_i + s_j) / 2)
#
#     i wins with exp(s_i) / z, j with exp(s_j) / z, and they tie with exp(t + (s_i + s_j) / 2) / z
#
# The logarithm of the likelihood is concave, so Newton's steps find its one maximum. Each system also meets an
# average opponent, whose s is 0, with a fifth of a win, of a tie and of a loss (the weight of Gienapp et al. 2025):
# so a system that never lost has a finite strength, and strengths have a zero.

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


Design = Literal["round-robin", "sparse"]
# Each resample is a fit, which takes longer than an average; the ends move by a third of a point at most.
RESAMPLES = 2_000


class Battle(NamedTuple):
    """Two systems on one topic; ``said`` is A where the first is better, B where the second is, or tie."""

    topic: str
    first: str
    second: str
    said: str


def pair_up(topic: str, systems: Sequence[str], design: Design) -> Iterator[tuple[str, str]]:
    """The pairs that meet on a topic: all of them, or in a sparse design each system with two others.

    A sparse draw is a circle of all systems in an order of chance, so every topic connects them all; the order
    depends on the topic's id alone.
    """
    if design == "round-robin" or len(systems) < 4:  # a circle of three is all pairs
        yield from combinations(systems, 2)
    else:
        order = random.Random(f"{SEED} {topic}").sample(sorted(systems), len(systems))
        yield from zip(order, [*order[1:], order[0]], strict=True)


def plan_battles(
    questions: Mapping[str, str], answers: Mapping[str, Mapping[str, str]], design: Design
) -> dict[Battle, Prefers]:
    """The battles, with what a judge is asked of each; ``said`` is empty, or what is plain without a judge.

    ``questions`` are texts by topic, ``answers`` each system's by topic. Equal answers tie, an answer wins against
    none, and a topic that neither answered gives no battle.
    """
    found = {}
    for topic, question in questions.items():
        for one, other in pair_up(topic, list(answers), design):
            a, b = answers[one][topic], answers[other][topic]
            plain = "tie" if a == b else "A" if not b.strip() else "B" if not a.strip() else ""
            if a.strip() or b.strip():
                found[Battle(topic, one, other, plain)] = Prefers(question, a, b)
    return found


def decide_battles(
    plan: Mapping[Battle, Prefers], said: Mapping[JudgeRequest, str]
) -> tuple[list[Battle], list[tuple[str, str, str]]]:
    """The battles that are decided, and by topic what a judge said of each in either order, in words of the first.

    ``said`` has its verdicts, of each pair in both orders; a pair of which one failed is left out.
    """
    battles, shown = [], []
    for battle, pair in plan.items():
        if not battle.said and (pair not in said or pair.swapped() not in said):
            continue
        if not battle.said:
            here, there = said[pair], Prefers.mirrored(said[pair.swapped()])
            shown.append((battle.topic, here, there))
            battle = battle._replace(said=here if here == there else "tie")
        battles.append(battle)
    return battles, shown


def rank_battles(battles: Sequence[Battle]) -> dict[str, Any]:
    """Plain data, ready for JSON: ``systems``, the best first, each with its points from 0 to 1 and its rank, with
    their 95 % intervals over topics (None for fewer than two), its log strength, and how many battles it
    won, tied and lost; ``ties``, the weight of a tie; and the numbers of ``topics`` and ``battles``.
    """
    names = sorted({name for one in battles for name in one[1:3]})
    topics = list(dict.fromkeys(one.topic for one in battles))
    # By topic: who won over whom, and who tied with whom.
    wins, ties = np.zeros((2, len(topics), len(names), len(names)))
    for one in battles:
        topic, i, j = topics.index(one.topic), names.index(one.first), names.index(one.second)
        wins[topic, i, j] += one.said == "A"
        wins[topic, j, i] += one.said == "B"
        ties[topic, [i, j], [j, i]] += one.said == "tie"

    def fit(weight: Array) -> tuple[Array, Array, Array]:
        s, t = fit_strengths(*(np.tensordot(weight, of, axes=1) for of in (wins, ties)))
        return expected_points(s, t), s, t

    n = len(topics)
    [points], [strengths], [tie] = fit(np.ones((1, n)))
    ends = ranges = [(None, None)] * len(names)
    if n > 1:
        drawn = np.concatenate([fit(block)[0] for block in weights(n, RESAMPLES, SEED)])
        # A topic is a group of battles: percentiles of few groups lie too near.
        own = bounds(drawn, points, fit(1 - np.eye(n))[0], level=widened_level(0.95, n))
        ends = np.stack(widened_constant(*own, points, n), axis=1).tolist()
        # Points that are equal to nine digits are equal.
        ranges = np.stack(rank_bounds(drawn.round(9), 0.95), axis=1).tolist()
    rows = [
        {
            "system": names[i],
            "points": float(points[i]),
            "low": ends[i][0],
            "high": ends[i][1],
            "rank": 1 + int((points.round(9) > points[i].round(9)).sum()),
            "rank_low": ranges[i][0],
            "rank_high": ranges[i][1],
            "strength": float(strengths[i]),
            "won": int(wins[:, i].sum()),
            "tied": int(ties[:, i].sum()),
            "lost": int(wins[:, :, i].sum()),
        }
        for i in np.argsort(-points, kind="stable")
    ]
    return {"systems": rows, "ties": float(np.exp(tie)), "topics": n, "battles": len(battles)}


def position_bias(shown: Sequence[tuple[str, str, str]]) -> dict[str, Any]:
    """Plain data on what the place of an answer does, of pairs shown in both orders (`decide_battles`): the share with one
    verdict (``agreed``), and of ``decided`` verdicts the share for the answer shown ``first``, with its interval
    over topics.
    """
    rows = [
        (topic, Tally(word == first))
        for topic, here, there in shown
        for word, first in ((here, "A"), (there, "B"))
        if word != "tie"
    ]
    columns, share = columns_of({"first": tally} for _, tally in rows), micro("first")
    groups = number_groups(topic for topic, _ in rows)
    ends = intervals({"first": share}, columns, groups=groups)["first"] if rows else None
    return {
        "pairs": len(shown),
        "agreed": sum(a == b for _, a, b in shown) / len(shown) if shown else None,
        "decided": len(rows),
        "first": value_of(share, columns) if rows else None,
        **dict(zip(("low", "high"), ends or (None, None), strict=True)),
    }
