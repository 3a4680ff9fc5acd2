"""FanOutQA's questions under the names of its package."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from argue_bench.loaders.fanoutqa import load_fanoutqa
from argue_bench.records import Evidence, Question
from argue_bench.records.question import Structured, SubQuestion

Q = TypeVar("Q", bound=Question)


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


def load_dev(fp: str | Path | None = None) -> list[DevQuestion]:
    """The development set, from a file or folder, or from its published place.

    Raises DataError with every finding at once.
    """
    return _load("dev", fp, DevQuestion)


def load_test(fp: str | Path | None = None) -> list[TestQuestion]:
    """The test set, from a file or folder, or from its published place; it has no answers.

    Raises DataError with every finding at once.
    """
    return _load("test", fp, TestQuestion)


def _load(split: str, fp: str | Path | None, kind: type[Q]) -> list[Q]:
    dataset = load_fanoutqa(split, None if fp is None else Path(fp))
    names = [field.name for field in fields(Question)]
    return [kind(**{name: getattr(question, name) for name in names}) for question in dataset]


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
