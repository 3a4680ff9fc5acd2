"""The catalogue of metrics, and the reader of their texts: ``citations(judge=nli)``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from argue_bench import satellites
from argue_bench.errors import UnknownName, UsageError
from argue_bench.errors.extensions import import_object, is_import_name
from argue_bench.metrics.base import (
    JUDGE,
    OPTION,
    FunctionMetric,
    Metric,
    MetricFunction,
    WholeMetric,
    create_metric,
    metric,
)

__all__ = [
    "METRICS",
    "PUBLISHED",
    "FunctionMetric",
    "Metric",
    "MetricFunction",
    "WholeMetric",
    "as_metric",
    "class_of",
    "definitions",
    "find_metric",
    "metric",
    "parse",
]

_CATALOGUE = {
    # name, or name(rules=...): "module:class" below argue_bench, imported when the metric is used
    "accuracy": "metrics.correctness.accuracy:Accuracy",
    "rouge": "metrics.correctness.rouge:Rouge",
    "str_em": "metrics.correctness.accuracy:StrEM",
    "length": "metrics.correctness.accuracy:Length",
    "citations": "metrics.citations.recall_precision:Citations",
    "faithfulness": "metrics.citations.faithfulness:Faithfulness",
    "support": "metrics.citations.support:Support",
    "argue": "metrics.argue.argue:Argue",
    "grounding": "metrics.grounding:Grounding",
} | satellites.METRICS


class _Catalogue(Mapping[str, type[Metric]]):
    """The classes by name; a lookup imports the module of that metric.

    `PUBLISHED` has their published definitions, ``citations(rules=alce)``.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts

    def __getitem__(self, name: str) -> type[Metric]:
        if name not in self:
            raise KeyError(name)
        return cast("type[Metric]", satellites.import_text(self._texts[name]))

    def __contains__(self, name: object) -> bool:
        # A satellite's metric is unknown in a copy of the package without that folder.
        return name in self._texts and satellites.is_here(self._texts[str(name)])

    def __iter__(self) -> Iterator[str]:
        return filter(self.__contains__, self._texts)

    def __len__(self) -> int:
        return sum(1 for _ in self)


# The metrics by name, by our own definition where there is one.
METRICS = _Catalogue({name: text for name, text in _CATALOGUE.items() if "(" not in name})
# Published definitions by their text without other options: ``citations(rules=alce)``.
PUBLISHED = _Catalogue({name: text for name, text in _CATALOGUE.items() if "(" in name})
# Those that check citations: without any document they would count each as wrong.
CITING = frozenset({"support", "citations", "argue"})


# No nested brackets: what a judge's spec needs them for is named apart (--judge NAME=SPEC).
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
    # ``rules`` picks a class; the presets of argue alone are an option of one class.
    rules = "" if "rules" in METRICS[name].options() else options.pop("rules", "")
    return create_metric(_definition(name, rules), options)


def class_of(text: str) -> type[Metric] | None:
    """The class in the catalogue that a text names; None for any other text, and for metrics handed over."""
    name = text.partition("(")[0]
    # By a pattern, and not by `parse`: a result of others may hold any text here.
    rules = re.search(r"\brules=([^,)]*)", text)
    return (PUBLISHED.get(f"{name}({rules[0]})") if rules else None) or METRICS.get(name)


def definitions(name: str) -> dict[str, type[Metric]]:
    """The classes that define a metric, by their text: our own first, then published ones.

    ``name``: one of `METRICS`. ``definitions("citations")`` has the keys citations, citations(rules=alce)
    and so on.
    """
    texts = [text for text in PUBLISHED if text.startswith(f"{name}(")]
    return {name: METRICS[name], **{text: PUBLISHED[text] for text in texts}}


def _definition(name: str, rules: str) -> type[Metric]:
    """The class that follows these rules. Raises UsageError, naming those that there are."""
    if rules in ("", "default"):
        return METRICS[name]
    if (text := f"{name}(rules={rules})") not in PUBLISHED:
        begins = f"{name}(rules="
        known = [one[len(begins) : -1] for one in PUBLISHED if one.startswith(begins)]
        has = f"it has: {', '.join(['default', *known])}"
        raise UsageError(f"the metric {name!r} has no rules={rules}; {has}")
    return PUBLISHED[text]


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
    # A run file names a metric by its text, so no other metric may have the text of one of ours.
    if made.name in METRICS and not isinstance(made, class_of(str(made)) or ()):
        raise UsageError(
            f"The name {made.name} is taken by a metric of the package: choose another."
        )
    return made


def find_metric(text: str, handed: Iterable[Metric], file: Path) -> Metric:
    """The metric that a file names: one of those handed over, or one of the catalogue.

    ``text``: what the file says; ``handed``: the user's own metrics; ``file``: for the message. Raises
    UsageError where it is neither.
    """
    # Texts from a file are never imported: who reads a stranger's run would run the stranger's code.
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
        # The signature shows what the user wrote, by which others can import it again.
        return create_metric(type(found.__name__, (found,), {"name": name}), options)
    if options:
        raise UsageError(f"The metric {name} is not a class and takes no options.")
    if isinstance(found, Metric) and not isinstance(found, FunctionMetric):
        raise UsageError(f"{name} is an object: name its class, with its options in brackets.")
    return replace(found if isinstance(found, FunctionMetric) else metric(found), name=name)


def _read(text: str) -> tuple[str, dict[str, str]]:
    """The name and the options in the text of a metric. Raises UsageError."""
    match = _TEXT.fullmatch(text)
    if match is None:
        raise UsageError(f"{text!r} is not a metric; write NAME or NAME(option=value,...)")
    options: dict[str, str] = {}
    for part in filter(None, map(str.strip, (match["options"] or "").split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        # A judge may be a spec: openai/gpt-x, nli:folder, panel:a+b.
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
