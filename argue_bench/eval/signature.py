"""Signatures: what each score was made from.

A signature is an ordered mapping of words, rendered for people and never parsed back. Each owner
supplies its part: the data set its digest, the metric its text and facts, the judge its identity.
Two rows rank together only if their signatures are the same.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import UserDict
from collections.abc import Mapping

from argue_bench.judges.base import Judge
from argue_bench.metrics.base import Metric
from argue_bench.version import __version__

# The share of failed questions that ``on_failure="leave-out"`` tolerates by default.
MOST_LEFT_OUT = 0.02


# What a signature says of parameters that servers refused; the judge's row in a store is without.
_OBSERVED = re.compile(r"(?: (?:\d+\.)*(?:served:\S+|without:[a-z_]+(?:, [a-z_]+)*))+\Z")


class Signature(UserDict[str, str]):
    """Everything that can change the scores of one metric, in the order in which it is printed."""

    def __str__(self) -> str:
        return " | ".join(f"{key}={value}" for key, value in self.data.items())

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits, for narrow places."""
        text = json.dumps(self.data, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    def differences(self, other: Mapping[str, str]) -> list[str]:
        """The differences in words; empty where the two are equal."""
        return [
            f"{key}: {self.get(key, 'not given')} against {other.get(key, 'not given')}"
            for key in dict.fromkeys([*self, *other])
            if self.get(key) != other.get(key)
        ]


def sign(
    metric: Metric,
    judge: Judge | None,
    *,
    data: str,
    n: int | str,
    answers: str,
    on_failure: str,
    most_left_out: float = MOST_LEFT_OUT,
) -> Signature:
    """The signature of one metric over one data set."""
    from argue_bench.text import splitter

    # The order is that of the printed line; stored results are compared part by part.
    parts = {"metric": str(metric), "data": data, "n": str(n), "answers": answers}
    parts.update(metric.facts())
    if judge is not None:
        parts["judge"] = judge_text(judge.name, {**judge.identity(), **judge.observed()})
    if on_failure != "refuse":
        words = [on_failure]
        if on_failure == "default" and judge is not None:
            # The judge's own defaults: those that are not ARGUE's.
            words += [
                f"{kind.__name__}:{word}"
                for kind in metric.requests
                if (word := judge.default_of(kind)) != kind.default
            ]
        if on_failure == "leave-out" and most_left_out != MOST_LEFT_OUT:
            words.append(f"{most_left_out:g}")
        parts["on-failure"] = " ".join(words)
    parts["sentences"] = splitter()
    parts["version"] = __version__
    return Signature(parts)


def judge_text(name: str, identity: Mapping[str, str]) -> str:
    """A judge as signatures write it: its name, then everything that changes its verdicts."""
    return " ".join([name, *(f"{key}:{value}" for key, value in identity.items())])


def judged_alike(first: str, second: str) -> bool:
    """Whether two judges of signatures are one: what only judging showed counts where both were asked something."""
    bare, other = without_observed(first), without_observed(second)
    return first == second or (bare == other and (first == bare or second == other))


def without_observed(signed: str) -> str:
    """A judge in a signature as its row in a store has it: without what only judging showed."""
    return _OBSERVED.sub("", signed)
