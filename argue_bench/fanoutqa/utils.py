"""FanOutQA's loaders under their own names, and the day as of which its Wikipedia pages are read."""

from __future__ import annotations

from dataclasses import fields
from datetime import datetime
from pathlib import Path
from typing import Any, TypeVar

from argue_bench.fanoutqa.models import DevQuestion, TestQuestion
from argue_bench.published.fanoutqa.data import load_fanoutqa
from argue_bench.published.fanoutqa.wikipedia import EPOCH
from argue_bench.records import Question

DATASET_EPOCH = datetime.fromisoformat(EPOCH)
Q = TypeVar("Q", bound=Question)


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
    return [_published(question, kind) for question in dataset]


def _published(question: Question, kind: type[Q]) -> Q:
    """The same question under the published class, which only adds names, with its categories as a list."""
    values: dict[str, Any] = {one.name: getattr(question, one.name) for one in fields(Question)}
    return kind(**values | {"categories": list(question.categories)})
