"""The catalogue of metrics, and the reader of their texts: ``citations(judge=nli)``."""

from __future__ import annotations

import re

from argue_bench.errors import UnknownName, UsageError
from argue_bench.metrics.argue import Argue, Nuggets
from argue_bench.metrics.base import OPTION, Metric, WholeMetric, create
from argue_bench.metrics.citations import Citations
from argue_bench.metrics.correctness import (
    QA,
    Accuracy,
    Bleurt,
    Claims,
    Factuality,
    Length,
    Mauve,
    Qampari,
    Rouge,
    RougeLsum,
    StrEM,
)
from argue_bench.metrics.grounding import Grounding, GroundingJudge

__all__ = ["METRICS", "Metric", "WholeMetric", "parse"]

_CATALOGUE: tuple[type[Metric], ...] = (
    Accuracy,
    Rouge,
    StrEM,
    RougeLsum,
    QA,
    Qampari,
    Claims,
    Length,
    Bleurt,
    Mauve,
    Factuality,
    Citations,
    Argue,
    Nuggets,
    Grounding,
    GroundingJudge,
)
METRICS: dict[str, type[Metric]] = {metric.name: metric for metric in _CATALOGUE}

_TEXT = re.compile(r"\s*(?P<name>[A-Za-z0-9_.-]+)\s*(?:\((?P<options>[^()]*)\))?\s*")


def parse(text: str) -> Metric:
    """The metric that a text names; ``str`` of it gives the shortest such text back.

    >>> str(parse("accuracy( rules = fanoutqa )"))
    'accuracy(rules=fanoutqa)'

    Raises UsageError or UnknownName, saying what was expected.
    """
    match = _TEXT.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is not a metric; write NAME or NAME(option=value,...)")
    if match["name"] not in METRICS:
        raise UnknownName("metric", match["name"], tuple(METRICS), see="argue-bench metrics")
    options: dict[str, str] = {}
    for part in filter(None, map(str.strip, (match["options"] or "").split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or not OPTION.fullmatch(name) or not OPTION.fullmatch(value):
            raise UsageError(
                f"{part!r} in {text!r} is not an option; write option=value with letters, digits, "
                "'_', '.' and '-'. A judge with other characters is named apart: --judge NAME=SPEC"
            )
        if name in options:
            raise UsageError(f"the option {name!r} stands twice in {text!r}")
        options[name] = value
    return create(METRICS[match["name"]], options)
