"""Metrics made of plain functions, in a notebook or a module of the user's own.

@metric(summary="Is the answer the gold answer, letter by letter?")
def exact_match(question, answer):
    return {"share": Tally(answer.text.strip() == question.gold.answer)}
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import overload

from argue_bench.errors import UsageError
from argue_bench.metrics.base import OPTION, Metric, Tallies, TallySteps
from argue_bench.records import Answer, Documents, JudgeRequest, Question
from argue_bench.stats.averages import Average, macro

MetricFunction = Callable[[Question, Answer], Tallies] | Callable[[Question, Answer], TallySteps]
_NAME = re.compile(rf"{OPTION.pattern}(?::[\w.]+)?", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class FunctionMetric(Metric):
    """A function from a question and an answer to tallies, one for each score.

    ``scores``: averages of scores that are not the mean over questions (`macro`) of their own tally.
    ``requests``: the kinds of request that it yields, where it is a generator.
    """

    # Other metrics have these of their class; a function's metric has them of the object.
    function: MetricFunction
    name: str  # type: ignore[misc]
    summary: str = ""  # type: ignore[misc]
    scores: Mapping[str, Average] = field(default_factory=dict, compare=False)  # type: ignore[misc]
    requests: tuple[type[JudgeRequest], ...] = ()  # type: ignore[misc]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise UsageError(f"{self.function!r} is not a metric and not a function.")
        if not _NAME.fullmatch(self.name):
            raise UsageError(f"{self.name!r} can't name a metric: write @metric(name=...).")

    def tally(
        self, question: Question, answer: Answer, documents: Documents
    ) -> Tallies | TallySteps:
        return self.function(question, answer)

    def averages(self, columns: Iterable[str]) -> Mapping[str, Average]:
        # A function need not say its scores: each of its tallies is one, until it says otherwise.
        return {**{name: macro(name) for name in columns}, **self.scores}

    def __str__(self) -> str:
        return self.name


@overload
def metric(function: MetricFunction, /) -> FunctionMetric: ...
@overload
def metric(
    *,
    name: str = "",
    summary: str = "",
    scores: Mapping[str, Average] | None = None,
    requests: tuple[type[JudgeRequest], ...] = (),
) -> Callable[[MetricFunction], FunctionMetric]: ...
def metric(
    function: MetricFunction | None = None,
    /,
    *,
    name: str = "",
    summary: str = "",
    scores: Mapping[str, Average] | None = None,
    requests: tuple[type[JudgeRequest], ...] = (),
) -> FunctionMetric | Callable[[MetricFunction], FunctionMetric]:
    """Makes a metric of a function ``(question, answer) -> {score: Tally}``.

    ``name`` is the function's own by default. ``scores`` maps score names to averages
    (`argue_bench.stats.averages`); a score without one is the mean over questions. ``requests`` are
    the kinds of judge request that the function yields, where it is a generator.
    """

    def make(function: MetricFunction) -> FunctionMetric:
        own = name or getattr(function, "__name__", "")  # a partial has none, which is refused
        about = summary or (function.__doc__ or "").strip().partition("\n")[0]
        return FunctionMetric(
            function=function, name=own, summary=about, scores=scores or {}, requests=requests
        )

    return make if function is None else make(function)
