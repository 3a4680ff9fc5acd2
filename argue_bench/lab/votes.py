"""People's votes on pairs of answers: how far they agree among themselves, and a judge with them.

Votes are labels of the kind `Prefers`, several people's of one pair. Cohen's kappa is that of any two people who
voted on one pair, and of the judge with any one of them, so that the two can be compared; their 95 % intervals
resample topics (percentiles, as wide as Student's t for so many topics).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from argue_bench.lab.labels import read_all_labels
from argue_bench.records import JudgeRequest, Prefers
from argue_bench.stats.averages import Array
from argue_bench.stats.bootstrap import RESAMPLES, SEED, bounds, weights, widened_level

# Pairs, kappa (None where it is not defined), and the ends of its interval.
Agreement = tuple[int, float | None, float | None, float | None]


def people_and_judge(
    paths: Sequence[Path], said: Mapping[JudgeRequest, str]
) -> tuple[Agreement, Agreement]:
    """The agreement of two people on the pairs in these label files, and of a judge with one of them.

    ``said`` are the judge's verdicts, of each pair in both orders. People may have seen a pair in either
    order; who says two things of it means a tie. Raises DataError.
    """
    votes: dict[Prefers, dict[str, set[str]]] = {}
    for label in read_all_labels(paths).given:
        if isinstance(shown := label.request, Prefers):
            pair, word = (
                min(shown, shown.swapped(), key=lambda one: one.a),
                str(label.verdict.value),
            )
            own = votes.setdefault(pair, {}).setdefault(label.by, set())
            own.add(word if pair == shown else Prefers.mirrored(word))
    words = {
        pair: [own.pop() if len(own) == 1 else "tie" for own in by.values()]
        for pair, by in votes.items()
    }
    return agree_on_pairs(words, said)


def agree_on_pairs(
    votes: Mapping[Prefers, Sequence[str]], said: Mapping[JudgeRequest, str]
) -> tuple[Agreement, Agreement]:
    """The same of each person's votes on each pair; pairs of one ``question`` are of one topic."""
    topics = list(dict.fromkeys(pair.question for pair in votes))
    # By topic: how often who says one thing meets another's word; every pair of answers weighs the same.
    people, judge = np.zeros((2, len(topics), 3, 3))
    for pair, of in votes.items():
        counts, at = (
            np.array([of.count(word) for word in Prefers.verdicts]),
            topics.index(pair.question),
        )
        # Every two of them; of one person alone there is nothing to count.
        twos = np.outer(counts, counts) - np.diag(counts)
        people[at] += twos / max(twos.sum(), 1)
        if pair in said:
            judge[at, Prefers.verdicts.index(said[pair])] += counts / len(of)
    return _with_interval(people), _with_interval(judge)


def _with_interval(tables: Array) -> Agreement:
    n, pairs, [kappa] = len(tables), round(tables.sum()), _kappas(tables.sum(axis=0)[None])
    if np.isnan(kappa) or n < 2:
        return pairs, None if np.isnan(kappa) else float(kappa), None, None
    drawn = [np.tensordot(block, tables, axes=1) for block in weights(n, RESAMPLES, SEED)]
    level = widened_level(0.95, n)
    low, high = bounds(_kappas(np.concatenate(drawn)), np.asarray(kappa), level=level)
    return pairs, float(kappa), float(low), float(high)


def _kappas(tables: Array) -> Array:
    """Cohen's kappa of each table (rows, words, words); NaN where it is not defined."""
    n = np.maximum(tables.sum(axis=(1, 2)), 1e-9)
    agreed = np.trace(tables, axis1=1, axis2=2) / n
    chance = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1) / n**2
    return np.asarray(
        np.divide(
            agreed - chance,
            1 - chance,
            out=np.full(len(tables), np.nan),
            where=((chance < 1 - 1e-9) & (chance > 0)),
        )
    )
