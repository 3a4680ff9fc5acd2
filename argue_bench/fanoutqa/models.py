"""FanOutQA's questions and pages under the names of its package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from argue_bench.records import Evidence, Question
from argue_bench.records.question import Structured, SubQuestion

__all__ = ["DevQuestion", "DevSubquestion", "Evidence", "TestQuestion"]


@dataclass
class DevSubquestion:
    """One step of the decomposition; ``evidence`` is None where it has steps of its own."""

    id: str
    question: str
    decomposition: list[DevSubquestion]
    answer: Any
    """A value, a list, or a mapping of values."""
    depends_on: list[str]
    evidence: Evidence | None


class _PublishedQuestion(Question):
    """A question with FanOutQA's names for its text and its pages."""

    __slots__ = ()

    @property
    def question(self) -> str:
        return self.text

    @property
    def necessary_evidence(self) -> list[Evidence]:
        return list(self.evidence)


class DevQuestion(_PublishedQuestion):
    """A question of the development set."""

    __slots__ = ()

    @property
    def answer(self) -> Any:
        """The reference answer: a value, a list, or a mapping of values."""
        return None if self.gold is None else _thaw(self.gold.answer)

    @property
    def decomposition(self) -> list[DevSubquestion]:
        return [] if self.gold is None else _steps(self.gold.decomposition)


class TestQuestion(_PublishedQuestion):
    """A question of the test set, which comes without an answer."""

    __slots__ = ()


def _steps(steps: Iterable[SubQuestion]) -> list[DevSubquestion]:
    return [
        DevSubquestion(
            step.id,
            step.question,
            _steps(step.decomposition),
            _thaw(step.answer),
            list(step.depends_on),
            step.evidence,
        )
        for step in steps
    ]


def _thaw(value: Structured) -> Any:
    """A gold answer with lists where ours has tuples."""
    if isinstance(value, Mapping):
        return {key: _thaw(inner) for key, inner in value.items()}
    return list(map(_thaw, value)) if isinstance(value, tuple) else value
