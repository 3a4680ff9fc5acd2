"""Records of large files of JSON lines, each read when it is looked up: memory holds ids and places.

Every line is checked once, when the file is opened; the records of a small file are then held as they are.
"""

from __future__ import annotations

import os
import weakref
from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from sys import intern
from typing import Any, BinaryIO, Generic, TypeVar, overload

from argue_bench.errors import Code, DataError
from argue_bench.records.question import Gold, Question

R = TypeVar("R")
HELD = 1 << 22
"""Bytes of a file up to which its records are held."""
RECENT = 256
"""Records last looked up that are held; a metric looks up a question's documents several times."""


class LineRecords(Mapping[str, R], Generic[R]):
    """The records of a file by id, in the order of its lines. Threads may share it.

    ``read`` makes the record of a line's bytes. The file stays open, so that one written anew in its
    place is another file. Raises DataError where the file itself was changed.
    """

    def __init__(self, file: BinaryIO, name: str, read: Callable[[bytes], R]) -> None:
        self._file, self._name, self._read = file, name, read
        self._state = _state(file)
        weakref.finalize(self, file.close)
        self._numbers: dict[str, int] = {}
        self._places = array("Q")
        self._recent = lru_cache(RECENT)(self._look_up)

    def add(self, id: str, start: int, end: int) -> None:
        """Adds the record of this id, which lies between these bytes; of an id known already, the later."""
        self._numbers[intern(id)] = len(self._places)
        self._places.extend((start, end))

    def __getitem__(self, id: str) -> R:
        return self._recent(self._numbers[id])

    def __contains__(self, id: object) -> bool:
        return id in self._numbers

    def __iter__(self) -> Iterator[str]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def __repr__(self) -> str:
        return f"<{len(self):,} records of {self._name}>"

    def __reduce__(self) -> tuple[type[dict[str, R]], tuple[dict[str, R]]]:
        return dict, (dict(self),)

    def _look_up(self, number: int) -> R:
        start, end = self._places[number : number + 2]
        if _state(self._file) != self._state:
            message = "the file was changed while it was in use"
            hint = "Start again; write a new file beside it and rename it."
            raise DataError.of(Code.COLLECTION_CHANGED, message, self._name, hint=hint)
        return self._read(os.pread(self._file.fileno(), end - start, start))


def _state(file: BinaryIO) -> tuple[int, int]:
    """Size and time of the last change."""
    status = os.fstat(file.fileno())
    return status.st_size, status.st_mtime_ns


class QuestionLines(Sequence[Question]):
    """Questions of a file with the gold of another, each read when it is looked up; so is a slice."""

    def __init__(
        self, questions: Mapping[str, Question], gold: Mapping[str, Gold], ids: Sequence[str]
    ) -> None:
        self._questions, self._gold, self.ids = questions, gold, ids

    @overload
    def __getitem__(self, index: int) -> Question: ...
    @overload
    def __getitem__(self, index: slice) -> QuestionLines: ...
    def __getitem__(self, index: int | slice) -> Question | QuestionLines:
        if isinstance(index, slice):
            return QuestionLines(self._questions, self._gold, self.ids[index])
        return self.read(self.ids[index])

    def read(self, id: str) -> Question:
        """The question of this id. Raises KeyError."""
        return replace(self._questions[id], gold=self._gold.get(id))

    def __len__(self) -> int:
        return len(self.ids)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, QuestionLines):
            return NotImplemented
        same = self._questions is other._questions and self._gold is other._gold
        return same and self.ids == other.ids

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (tuple(self),)

    @property
    def by_id(self) -> Mapping[str, Question]:
        """The same by id."""
        return _ById(self)


class _ById(Mapping[str, Question]):
    def __init__(self, questions: QuestionLines) -> None:
        self._questions = questions
        self._ids = dict.fromkeys(questions.ids)

    def __getitem__(self, id: str) -> Question:
        if id not in self._ids:
            raise KeyError(id)
        return self._questions.read(id)

    def __contains__(self, id: object) -> bool:
        return id in self._ids

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)
