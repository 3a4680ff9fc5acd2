"""Whether a judge may replace people: the alternative annotator test (Calderon et al. 2025).

arXiv 2501.10970.

Three or more people labelled the same requests. Each person in turn is left out and compared with the
judge: on every request the one wins whose verdict agrees better with those of the others; a tie counts
for both.
The judge wins against a person where, by a one-sided paired t-test (Wilcoxon's on fewer than 30
requests), it agrees better at least as often, less a margin epsilon for the cost that a judge saves.
Its winning rate is the share of people against whom it wins, with the false discovery rate held at 5 %
(Benjamini and Yekutieli 2001); from 50 % on it may replace them. Numbers agree by the root of the mean
squared distance.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from argue_bench.errors import UsageError
from argue_bench.judges.labels import Labels
from argue_bench.records import Failed, Verdict
from argue_bench.stats.averages import Array

EPSILON = 0.15
"""For skilled annotators; the paper takes 0.2 for experts and 0.1 for crowds."""
FEWEST_PEOPLE = 3
_FEW = 30
_RATE = 0.05


@dataclass(frozen=True)
class AgainstPerson:
    """The judge against one person on ``n`` requests, whose others are the measure."""

    person: str
    n: int
    judge: float
    """How often the judge agrees with the others at least as well as the person."""
    self_rate: float
    """How often the person agrees with the others at least as well as the judge."""
    p: float
    won: bool


@dataclass(frozen=True)
class AlternativeTest:
    """The test on one kind of request. ``passed``: may the judge replace people?"""

    kind: str
    epsilon: float
    people: tuple[AgainstPerson, ...]

    @property
    def winning_rate(self) -> float:
        return sum(one.won for one in self.people) / len(self.people)

    @property
    def advantage(self) -> float:
        """The chance that the judge agrees with the others at least as well as a person drawn at random."""
        return float(np.mean([one.judge for one in self.people]))

    @property
    def passed(self) -> bool:
        return self.winning_rate >= 0.5


def alternative_tests(
    labels: Labels, replies: Mapping[str, Verdict | Failed], epsilon: float = EPSILON
) -> list[AlternativeTest]:
    """The test on each kind of request that three or more people labelled.

    ``replies`` are the judge's by key of the request. Raises UsageError where no kind has three people,
    or epsilon is no share.
    """
    if not 0 <= epsilon < 1:
        raise UsageError(f"epsilon is a share from 0 to 1, not {epsilon:g}")
    rows: dict[str, list[tuple[str | float, Mapping[str, str | float]]]] = {}
    for key, given in labels.by_request.items():
        reply = replies.get(key)
        if isinstance(reply, Verdict) and len(given) >= FEWEST_PEOPLE:
            said = {person: label.verdict.value for person, label in given.items()}
            rows.setdefault(next(iter(given.values())).kind, []).append((reply.value, said))
    if not rows:
        raise UsageError(
            f"the test needs requests that {FEWEST_PEOPLE} people labelled and the judge answered; "
            'say with "by" who gave a label, or give a file for each person'
        )
    return [_tested(kind, some, epsilon) for kind, some in rows.items()]


def _tested(
    kind: str, rows: Sequence[tuple[str | float, Mapping[str, str | float]]], epsilon: float
) -> AlternativeTest:
    people = sorted({person for _, said in rows for person in said})
    wins = {person: _wins(person, rows) for person in people}
    p = {
        person: _p(person_wins - judge_wins, epsilon)
        for person, (judge_wins, person_wins) in wins.items()
    }
    won = _discoveries([p[person] for person in people])
    return AlternativeTest(
        kind,
        epsilon,
        tuple(
            AgainstPerson(
                person,
                len(wins[person][0]),
                float(wins[person][0].mean()),
                float(wins[person][1].mean()),
                p[person],
                bool(win),
            )
            for person, win in zip(people, won, strict=True)
        ),
    )


def _wins(
    person: str, rows: Sequence[tuple[str | float, Mapping[str, str | float]]]
) -> tuple[Array, Array]:
    """On each request that this person labelled: did the judge, did the person, agree at least as well?"""
    judge, own = [], []
    for verdict, said in rows:
        if person in said:
            others = [value for other, value in said.items() if other != person]
            one, two = _agreement(verdict, others), _agreement(said[person], others)
            judge.append(one >= two)
            own.append(two >= one)
    return np.array(judge, dtype=float), np.array(own, dtype=float)


def _agreement(value: str | float, others: Sequence[str | float]) -> float:
    """How well a verdict agrees with others: their share that is the same, or minus the distance."""
    if isinstance(value, str):
        return sum(other == value for other in others) / len(others)
    return -float(np.sqrt(np.mean([(float(other) - value) ** 2 for other in others])))


def _p(differences: Array, epsilon: float) -> float:
    """The p of the hypothesis that the person is ahead by epsilon or more."""
    from scipy.stats import ttest_1samp, wilcoxon

    if not np.ptp(differences):
        return 0.0 if differences[0] < epsilon else 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ties in small samples: scipy takes the approximation
        if len(differences) < _FEW:
            return float(wilcoxon(differences - epsilon, alternative="less").pvalue)
        return float(ttest_1samp(differences, epsilon, alternative="less").pvalue)


def _discoveries(p_values: Sequence[float]) -> np.ndarray:
    """Which hypotheses Benjamini and Yekutieli reject at a false discovery rate of 5 %."""
    p = np.asarray(p_values)
    m = len(p)
    order = np.argsort(p, kind="stable")
    limits = np.arange(1, m + 1) / m * _RATE / np.sum(1 / np.arange(1, m + 1))
    below = np.flatnonzero(p[order] <= limits)
    rejected = np.zeros(m, dtype=bool)
    if len(below):
        rejected[order[: below[-1] + 1]] = True
    return rejected
