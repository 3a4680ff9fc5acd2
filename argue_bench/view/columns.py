"""The columns of a table: scores by family, metric and judge, and how pages name and write them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from argue_bench.metrics import METRICS, class_of
from argue_bench.stats.averages import Average, Harmonic, Mean, Youden
from argue_bench.view import safe

# What signatures of results that others published say where nobody knows.
UNKNOWN = "unknown"
FAMILIES = ("correctness", "citations", "argue", "grounding", "other")


def split_key(key: str) -> tuple[str, str]:
    """``argue(rules=x).f1`` into metric text and score name."""
    metric, _, score = key.rpartition(".")
    return metric, score


def family_of(metric: str) -> str:
    """The family of a metric: what its class says, or the folder of our own definition's module."""
    for kind in (class_of(metric), METRICS.get(metric.partition("(")[0])):
        if kind is not None:
            found = kind.family or kind.__module__.split(".")[2]
            if found in FAMILIES:
                return found
    return "other"


@lru_cache(maxsize=4096)
def score_facts(key: str) -> tuple[str, str, bool]:
    """(unit, which end is better, whether it is a main score) of a score."""
    metric, score = split_key(key)
    known = class_of(metric)
    if known is None or score not in known.scores:
        # A score of one axis or tag, which the class does not know, is no main score.
        return "share", "higher", known is None or not known.headline
    average = known.scores[score]
    return average.unit, average.better, score in (known.headline or known.scores)


def unit_of_tally(metric: str, column: str) -> str:
    """The unit of a tally on one question: of the score of its name, or that is made of it alone."""
    known = class_of(metric)
    if known is None:
        return "share"
    made = [known.scores[column]] if column in known.scores else known.scores.values()
    return next((one.unit for one in made if _reads_alone(one, column)), "count")


def _reads_alone(average: Average, column: str) -> bool:
    """Whether an average, or one of two that it is made of, reads this column and no other."""
    parts = (average.first, average.second) if isinstance(average, Harmonic | Mean | Youden) else ()
    return average.columns_read == (column,) or any(_reads_alone(one, column) for one in parts)


def judge_name(signature: Mapping[str, str]) -> str:
    """The judge as pages show it: its name without digests; empty where nobody knows it."""
    name = signature.get("judge", "").partition(" ")[0]
    return "" if name == UNKNOWN else safe.text(name, 60)


def format_score(value: float | None, unit: str = "share") -> str:
    """A score as pages write it: shares times 100 with one decimal, absent ones as a dash."""
    if value is None:
        return "–"
    if unit == "share":
        return f"{100 * value:.1f}"
    if unit == "rating":
        return f"{value:.2f}"
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"
