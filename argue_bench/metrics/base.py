"""A metric: a frozen value whose text creates it, and a pure function from an answer to tallies.

A metric turns one question and one answer into tallies. It does no I/O and knows no judge. A plain
metric returns ``{column: Tally}``. One that needs verdicts is a generator: it yields a list of judge
requests, is sent ``{request: Verdict}``, as often as it must, and returns its tallies at the end.
``scores`` says how columns of tallies become scores.

    class Coverage(Metric):
        name, scores = "coverage", {"recall": macro("recall")}

        def tally(self, question, answer, documents):
            requests = [Answers(s.text, n.question, a.text) for ...]
            verdicts = yield requests
            return {"recall": Tally(sum(verdicts[one].yes for one in requests), len(requests))}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from typing import Any, ClassVar, Literal, TypeVar, get_args, get_origin, get_type_hints

from argue_bench.errors import UsageError
from argue_bench.metrics.steps import Tallies, TallySteps
from argue_bench.records import Answer, Documents, JudgeRequest, Question
from argue_bench.stats.averages import Average

Bounds = Mapping[str, tuple[int, int]]
"""Fewest and most requests by kind."""

OPTION = re.compile(r"[A-Za-z0-9_.-]+")
M = TypeVar("M", bound="Metric")


@dataclass(frozen=True)
class Metric:
    """One question about an answer. Subclasses are frozen dataclasses; their fields are options.

    An option's type is str, int, float, bool or a Literal of words, and it has a default.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    """The question it answers, in one line."""
    paper: ClassVar[str] = ""
    scores: ClassVar[Mapping[str, Average]]
    """Score name to the average that makes it from columns."""
    headline: ClassVar[tuple[str, ...]] = ()
    """The scores to show where there is little room; all of them where this is empty."""
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = ()
    """Kinds that it may ask; a metric that asks has an option ``judge``."""

    def tally(
        self, question: Question, answer: Answer, documents: Documents
    ) -> Tallies | TallySteps:
        """Counts, after yielding the requests whose verdicts it needs. ``question.gold`` is never None here.

        An empty answer is scored like any other. Where the gold lacks what the metric needs, the
        tallies do not apply (``Tally.denominator == 0``).
        """
        raise NotImplementedError

    def averages(self, columns: Iterable[str]) -> Mapping[str, Average]:
        """The average that makes each score, by name; ``columns`` are those that were counted."""
        return self.scores

    def later_requests(self, question: Question, answer: Answer, documents: Documents) -> Bounds:
        """Bounds for the rounds after the first, which depend on verdicts. Used by a dry run."""
        return {}

    def require(self) -> None:
        """Raises MissingExtra where something that this metric needs is not installed."""

    def facts(self) -> Mapping[str, str]:
        """What else moves the number and belongs in the signature: versions, seeds."""
        return {}

    @property
    def judge_name(self) -> str:
        """The name of the judge that it asks, empty for the default one."""
        return str(getattr(self, "judge", ""))

    def __str__(self) -> str:
        """The text that creates this metric again; options at their defaults are left out."""
        given = [
            f"{field.name}={_option_text(getattr(self, field.name))}"
            for field in fields(self)
            if getattr(self, field.name) != field.default
        ]
        return self.name + (f"({','.join(given)})" if given else "")


class WholeMetric(Metric):
    """A metric of all answers together, which has no tallies (MAUVE alone)."""

    def whole(self, pairs: Sequence[tuple[Question, Answer]]) -> Mapping[str, float | None]:
        """One value a score over all questions with their answers; None where undefined."""
        raise NotImplementedError


def create(kind: type[M], options: Mapping[str, str]) -> M:
    """The metric with these options, given as words. Raises UsageError naming what is wrong."""
    hints = get_type_hints(kind)
    known = {field.name: field for field in fields(kind)}
    for name in options:
        if name not in known:
            has = f"has: {', '.join(known)}" if known else "has no options"
            raise UsageError(f"the metric {kind.name!r} has no option {name!r}; it {has}")
    values = {name: _read(kind.name, name, text, hints[name]) for name, text in options.items()}
    missing = [n for n, f in known.items() if f.default is MISSING and n not in values]
    if missing:
        raise UsageError(
            f"the metric {kind.name!r} needs the option {missing[0]!r}: "
            f"write {kind.name}({missing[0]}=...)"
        )
    return kind(**values)


def _read(metric: str, option: str, text: str, hint: Any) -> Any:
    choices: tuple[str, ...] = ()
    if get_origin(hint) is Literal:
        choices = get_args(hint)
        if text in choices:
            return text
    elif hint is bool:
        choices = ("true", "false")
        if text in choices:
            return text == "true"
    elif hint is str:
        return text
    else:
        try:
            return hint(text)
        except ValueError:
            choices = (f"a number ({hint.__name__})",)
    raise UsageError(f"{metric}({option}={text}): expected {' or '.join(choices)}")


def _option_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
