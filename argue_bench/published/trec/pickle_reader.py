"""A pickle of ``{id: {field: text}}`` as JSON lines, read in a process of its own, and never run.

A pickle is a program for a small machine, which can be made to call anything. This reader knows only
the instructions that build mappings of texts, and stops at any other. It holds a batch of documents in
memory, never the whole file: of a text that may be needed again it keeps the place. It needs the
standard library alone, so that the process can start without the paths and packages of its parent.
"""

from __future__ import annotations

import json
import sys
from array import array
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from pickletools import opcodes
from typing import Any, BinaryIO

MEMORY = 1 << 30
"""Bytes of memory that the process may use."""
MOST_TEXT = 1 << 25
"""Bytes of one text."""
MOST_WAITING = 100_000
"""Texts and mappings that may wait for an instruction that stores them; Python's own pickles need 2,004."""
NOT_WRITTEN = 3
"""The exit code where the disk, not the pickle, is at fault."""
REMEMBERED, SHORT = 4096, 64
"""How many texts of how many bytes are kept in memory for later, beside the places of all."""


class RefusedPickle(Exception):
    """The pickle holds something else than texts in mappings."""


class PickleReader:
    """Reads one pickle; ``documents`` yields each id with its fields as soon as they are complete."""

    def __init__(self, file: BinaryIO, size: int) -> None:
        self.file, self.size, self.at = file, size, 0
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.whole: dict[str, Any] | None = None
        """The outer mapping, which stays empty: its items are yielded instead."""
        self.last = 0
        """Where the instruction begins whose text is on top of the stack; 0 for a mapping."""
        self.places = array("Q")
        self.short: dict[int, str] = {}
        self.room = 2 * size + (1 << 20)
        """Bytes of text that may be read: a text that is used again and again would have no end."""

    def documents(self) -> Iterator[tuple[str, dict[str, str]]]:
        """Every document, in the order of the pickle. Raises RefusedPickle."""
        simple: dict[bytes, Callable[[], None]] = {
            b"}": self._mapping,
            b"(": lambda: self.marks.append(len(self.stack)),
            b"X": lambda: self._text(4),
            b"\x8c": lambda: self._text(1),
            b"\x8d": lambda: self._text(8),
            b"\x94": lambda: self._remember(len(self.places)),
            b"q": lambda: self._remember(self._number(1)),
            b"r": lambda: self._remember(self._number(4)),
            b"h": lambda: self._again(self._number(1)),
            b"j": lambda: self._again(self._number(4)),
            b"\x95": lambda: self._skip(8),
            b"\x80": lambda: self._skip(1),
        }
        while True:
            code = self._take(1)
            if code == b".":
                if self.marks or len(self.stack) != 1 or self.stack[0] is not self.whole:
                    raise RefusedPickle("the pickle ends before its mapping does")
                return
            if code in (b"s", b"u"):
                yield from self._store(one=code == b"s")
            elif code in simple:
                simple[code]()
            else:
                name = next(
                    (o.name for o in opcodes if o.code == code.decode("latin-1")), code.hex()
                )
                raise RefusedPickle(f"the instruction {name} builds something else than texts")
            if len(self.stack) + len(self.marks) > MOST_WAITING:
                raise RefusedPickle(f"more than {MOST_WAITING:,} texts wait to be stored")

    def _take(self, count: int) -> bytes:
        if count > self.size - self.at:
            raise RefusedPickle("the pickle ends too early")
        self.at += count
        return self.file.read(count)

    def _skip(self, count: int) -> None:
        self._take(count)

    def _number(self, width: int) -> int:
        return int.from_bytes(self._take(width), "little")

    def _mapping(self) -> None:
        made: dict[str, Any] = {}
        if self.whole is None:
            self.whole = made
        self.stack.append(made)
        self.last = 0

    def _text(self, width: int) -> None:
        place = self.at - 1
        self.stack.append(self._read_text(width))
        self.last = place

    def _read_text(self, width: int) -> str:
        count = self._number(width)
        self.room -= count + 1
        if count > MOST_TEXT or self.room < 0:
            raise RefusedPickle(f"a text has {count:,} bytes, or texts are used too often")
        return self._take(count).decode("utf-8", "replace")

    def _remember(self, number: int) -> None:
        if number > len(self.places) or not self.stack:
            raise RefusedPickle("it keeps things under numbers that are not in order")
        if number == len(self.places):
            self.places.append(self.last)
        self.places[number] = self.last
        top = self.stack[-1]
        if self.last and len(top) <= SHORT and len(self.short) < REMEMBERED:
            self.short[self.last] = top

    def _again(self, number: int) -> None:
        place = self.places[number] if number < len(self.places) else 0
        if not place:
            raise RefusedPickle("it uses a mapping twice, or something that it never kept")
        text = self.short.get(place)
        if text is None:
            here, self.at = self.at, place
            self.file.seek(place)
            text = self._read_text({b"X": 4, b"\x8c": 1, b"\x8d": 8}[self._take(1)])
            self.at = here
            self.file.seek(here)
        self.stack.append(text)
        self.last = place

    def _store(self, one: bool) -> Iterator[tuple[str, dict[str, str]]]:
        if not one and not self.marks:
            raise RefusedPickle("a mapping's items have no beginning")
        start = len(self.stack) - 2 if one else self.marks.pop()
        items = self.stack[start:]
        if start < 1 or len(items) % 2 or (self.marks and self.marks[-1] > start - 1):
            raise RefusedPickle("a mapping's items are not pairs")
        del self.stack[start:]
        target, pairs = self.stack[-1], list(zip(items[::2], items[1::2], strict=True))
        self.last = 0
        inner = target is not self.whole
        if not isinstance(target, dict) or not all(
            isinstance(key, str) and isinstance(value, str if inner else dict)
            for key, value in pairs
        ):
            raise RefusedPickle("it is not a mapping from ids to mappings of texts")
        if inner:
            target.update(pairs)
        else:
            yield from pairs


def convert(source: Path, target: Path) -> int:
    """Writes a line for each document of the pickle; how many there are. Raises RefusedPickle."""
    count = 0
    with source.open("rb") as file, target.open("w", encoding="utf-8", newline="\n") as out:
        for id, fields in PickleReader(file, source.stat().st_size).documents():
            out.write(json.dumps({**fields, "id": id}, ensure_ascii=False) + "\n")
            count += 1
    return count


def _limit_memory() -> None:
    with suppress(ImportError, ValueError, OSError):  # not every system can
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


if __name__ == "__main__":
    _limit_memory()
    try:
        convert(Path(sys.argv[1]), Path(sys.argv[2]))
    except RefusedPickle as refused:
        sys.exit(str(refused))
    except MemoryError:
        sys.exit(f"it needs more than {MEMORY >> 20:,} MB of memory")
    except OSError as error:
        sys.stderr.write(f"{error.strerror or error}\n")
        sys.exit(NOT_WRITTEN)
