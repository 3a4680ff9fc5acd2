"""How is a file of answers whole at every moment? Whole lines, each added by one write.

Half a line, left by a full disk or a power cut, is dropped when the file is opened again; at the end the
lines are put into the order of the questions. Answers stay on disk: only their places are in memory.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from argue_bench.errors import Code, DataError, Finding
from argue_bench.loaders.answer_parser import AnswerParser
from argue_bench.records.atomic import atomic_write
from argue_bench.records.untrusted import GOLD_LIMITS, parse


class Lines:
    """The lines of a file by question, made where there is none. A context manager.

    Raises DataError: a line that is no answer, a question twice, a disk that refuses.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._places: dict[str, tuple[int, int]] = {}
        self._file = self._opened()
        try:
            self._read()
        except BaseException:
            os.close(self._file)
            raise

    def _opened(self) -> int:
        how = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_BINARY", 0)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return os.open(self.path, how, 0o644)
        except OSError as error:
            raise self._refused(error.strerror or str(error)) from None

    def _read(self) -> None:
        at, name = 0, str(self.path)
        with self.path.open("rb") as lines:
            for number, raw in enumerate(lines, 1):
                if not raw.endswith(b"\n"):
                    os.truncate(self.path, at)
                    break
                row, parser = parse(raw, name, number, GOLD_LIMITS), AnswerParser(name, number)
                id = parser.id(row) if isinstance(row, dict) else None
                if id is None or id in self._places:
                    message = "this line answers no question, or one that was answered before"
                    hint = "Name another --out."
                    wrong = Finding(Code.WRONG_SHAPE, message, name, number, hint=hint)
                    raise DataError([*parser.findings, wrong])
                self._places[id] = (at, len(raw))
                at += len(raw)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        if self._file >= 0:
            os.close(self._file)

    def __contains__(self, id: str) -> bool:
        return id in self._places

    def put(self, id: str, row: Mapping[str, Any]) -> None:
        """The line of a question, in the file when this returns; another one of it is replaced."""
        line = _line(row)
        if id in self._places:
            if self._at(id) == line:
                return
            self._rewrite(other for other in self._places if other != id)
        size = os.fstat(self._file).st_size
        try:
            whole = os.write(self._file, line) == len(line)
            reason = "the disk is full"
        except OSError as error:
            whole, reason = False, error.strerror or str(error)
        if not whole:
            os.truncate(self.path, size)
            raise self._refused(reason)
        self._places[id] = (size, len(line))

    def sort(self, ids: Iterable[str]) -> None:
        """Puts the lines into this order; those of other questions go."""
        wanted = [id for id in ids if id in self._places]
        if wanted != list(self._places):
            self._rewrite(wanted)

    def _rewrite(self, ids: Iterable[str]) -> None:
        places: dict[str, tuple[int, int]] = {}
        at = 0
        with atomic_write(self.path) as file:
            for id in ids:
                line = self._at(id)
                file.write(line.decode())
                places[id] = (at, len(line))
                at += len(line)
            os.close(self._file)  # an open file can't be replaced everywhere
            self._file = -1
        self._places, self._file = places, self._opened()

    def _at(self, id: str) -> bytes:
        start, length = self._places[id]
        os.lseek(self._file, start, os.SEEK_SET)
        return os.read(self._file, length)

    def _refused(self, reason: str) -> DataError:
        return DataError.of(
            Code.NOT_WRITTEN,
            f"could not be written: {reason}",
            self.path,
            hint="What was replied is in the store: make room, and run it again.",
        )


def _line(row: Mapping[str, Any]) -> bytes:
    """Half a surrogate pair has no place in a file."""
    return json.dumps(row, ensure_ascii=False).encode("utf-8", "replace") + b"\n"
