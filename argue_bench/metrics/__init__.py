"""The catalogue of metrics, and the reader of their texts: ``citations(judge=nli)``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from argue_bench.errors import UnknownName, UsageError
from argue_bench.extensions import import_object, is_import_name
from argue_bench.metrics.base import JUDGE, OPTION, Metric, WholeMetric, create_metric
from argue_bench.metrics.function import FunctionMetric, MetricFunction, metric

__all__ = [
    "METRICS",
    "FunctionMetric",
    "Metric",
    "MetricFunction",
    "WholeMetric",
    "as_metric",
    "find_metric",
    "metric",
    "parse",
]

_CATALOGUE = {
    # name: "module:class" below this package, imported when the metric is used
    "accuracy": "correctness.accuracy:Accuracy",
    "rouge": "correctness.rouge:Rouge",
    "str_em": "correctness.short_answers:StrEM",
    "rouge_lsum": "correctness.rouge:RougeLsum",
    "qa": "correctness.short_answers:QA",
    "qampari": "correctness.short_answers:Qampari",
    "claims": "correctness.judged:Claims",
    "length": "correctness.length:Length",
    "bleurt": "correctness.judged:Bleurt",
    "mauve": "correctness.mauve:Mauve",
    "factuality": "correctness.judged:Factuality",
    "answer_relevance": "correctness.answer_relevance:AnswerRelevance",
    "citations": "citations.metric:Citations",
    "faithfulness": "citations.faithfulness:Faithfulness",
    "support": "citations.support:Support",
    "relevance": "citations.relevance:Relevance",
    "context_relevance": "citations.contexts:ContextRelevance",
    "context_precision": "citations.contexts:ContextPrecision",
    "context_recall": "citations.contexts:ContextRecall",
    "sources": "citations.sources:Sources",
    "argue": "argue.metric:Argue",
    "nuggets": "argue.nuggetizer:Nuggets",
    "rubric": "argue.rubric:Rubric",
    "grounding": "grounding.metric:Grounding",
    "grounding_judge": "grounding.judged:GroundingJudge",
}


class _Catalogue(Mapping[str, type[Metric]]):
    """The metrics by name; a lookup imports the module of that metric."""

    def __getitem__(self, name: str) -> type[Metric]:
        module, _, kind = _CATALOGUE[name].partition(":")
        found: type[Metric] = getattr(import_module(f"argue_bench.metrics.{module}"), kind)
        return found

    def __contains__(self, name: object) -> bool:
        return name in _CATALOGUE

    def __iter__(self) -> Iterator[str]:
        return iter(_CATALOGUE)

    def __len__(self) -> int:
        return len(_CATALOGUE)


METRICS = _Catalogue()

_TEXT = re.compile(r"\s*(?P<name>[A-Za-z0-9_.:-]+)\s*(?:\((?P<options>[^()]*)\))?\s*")


def parse(text: str) -> Metric:
    """The metric that a text names; ``str`` of it gives the shortest such text back.

    >>> str(parse("accuracy( rules = fanoutqa )"))
    'accuracy(rules=fanoutqa)'

    Imports no code of others: use `as_metric` for a text that the user gave. Raises UsageError or
    UnknownName, saying what was expected.
    """
    name, options = _read(text)
    if ":" in name:
        raise UsageError(
            f"The metric {name} is not in the catalogue: hand it over, -m {name} on the command "
            f"line or metrics=[{name!r}] in Python."
        )
    if name not in METRICS:
        raise UnknownName("metric", name, tuple(METRICS), see="argue-bench list metrics")
    return create_metric(METRICS[name], options)


def as_metric(given: str | Metric | MetricFunction) -> Metric:
    """The metric that the user named or handed over: a text, a metric, or a function.

    A text ``module:name`` is imported, so this is only for what the user gave as an argument, never
    for a text from a file. Raises UsageError or UnknownName.
    """
    if isinstance(given, str):
        name, options = _read(given)
        return _imported(name, options) if ":" in name else parse(given)
    if isinstance(given, type):
        raise UsageError(f"{given.__name__} is a class: hand over {given.__name__}().")
    made = given if isinstance(given, Metric) else metric(given)
    if made.name in METRICS and not isinstance(made, METRICS[made.name]):
        raise UsageError(
            f"The name {made.name} is taken by a metric of the package: choose another."
        )
    return made


def find_metric(text: str, handed: Iterable[Metric], file: Path) -> Metric:
    """The metric that a file names: one of those handed over, or one of the catalogue.

    Imports nothing. Raises UsageError where it is neither.
    """
    for one in handed:
        if str(one) == text:
            return one
    try:
        return parse(text)
    except (UnknownName, UsageError):
        raise UsageError(
            f"{file} was made with the metric {text}, which is not in the catalogue. Hand it over: "
            "-m module:name on the command line, or metrics=[...] in Python."
        ) from None


def _imported(name: str, options: Mapping[str, str]) -> Metric:
    """The function, metric class or metric called ``module:name``, which becomes its name."""
    if not is_import_name(name):
        raise UsageError(f"{name!r} is not a metric: write NAME or module:name.")
    found: Any = import_object(name, "metric")
    if isinstance(found, type):
        if not issubclass(found, Metric):
            raise UsageError(f"{name} is neither a metric nor a function.")
        return create_metric(type(found.__name__, (found,), {"name": name}), options)
    if options:
        raise UsageError(f"The metric {name} is not a class and takes no options.")
    if isinstance(found, FunctionMetric) or not isinstance(found, Metric):
        return replace(found if isinstance(found, FunctionMetric) else metric(found), name=name)
    named = {"name": name, "__str__": lambda _: name}
    kind: type[Metric] = type(type(found).__name__, (type(found),), named)
    return kind(**{field.name: getattr(found, field.name) for field in fields(found)})


def _read(text: str) -> tuple[str, dict[str, str]]:
    """The name and the options in the text of a metric. Raises UsageError."""
    match = _TEXT.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is not a metric; write NAME or NAME(option=value,...)")
    options: dict[str, str] = {}
    for part in filter(None, map(str.strip, (match["options"] or "").split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        allowed = JUDGE if name == "judge" else OPTION
        if not equals or not OPTION.fullmatch(name) or not allowed.fullmatch(value):
            raise UsageError(
                f"{part!r} in {text!r} is not an option; write option=value with letters, digits, "
                "'_', '.' and '-', for a judge also '/', ':', '@', '+' and '~'. A judge with other "
                "characters is named apart: --judge NAME=SPEC"
            )
        if name in options:
            raise UsageError(f"the option {name!r} is given twice in {text!r}")
        options[name] = value
    return match["name"], options
