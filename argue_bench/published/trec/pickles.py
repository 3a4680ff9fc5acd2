"""NeuCLIR's published look-up: pickles of ``{id: {"title", "text"}}``, turned once into JSON lines.

Source: https://huggingface.co/datasets/orionweller/neuclir-docs-lookup. A pickle is a program for a small
machine, which can be made to call anything. Here it is never run: the standard library's `pickletools`
reads its instructions, and only those that build mappings of texts are followed. Of a text that may be
needed again the place is kept, so that files larger than memory can be read.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from pickletools import genops
from typing import Any, BinaryIO

from argue_bench.errors import Code, DataError
from argue_bench.records.atomic import atomic_write
from argue_bench.store.fetch import cache_folder

# Texts and mappings that may wait for an instruction that stores them; Python's own pickles need 2,004.
MOST_WAITING = 100_000
_TEXTS = ("SHORT_BINUNICODE", "BINUNICODE", "BINUNICODE8")
_KEPT, _AGAIN = ("MEMOIZE", "BINPUT", "LONG_BINPUT"), ("BINGET", "LONG_BINGET")


def as_lines(path: Path) -> Path:
    """The documents of a pickle as a file of JSON lines in the cache, written anew when the pickle changes.

    Raises DataError where the pickle holds anything but mappings of texts, and where the cache can't be
    written.
    """
    status = path.stat()
    stamp = f"{path.resolve()} {status.st_size} {status.st_mtime_ns}"
    name = hashlib.sha256(stamp.encode()).hexdigest()[:32]
    place = cache_folder() / "collections" / f"{name}.jsonl"
    if place.is_file():
        return place
    try:
        with path.open("rb") as file, atomic_write(place) as out:
            for id, fields in read_documents(file, status.st_size):
                line = json.dumps({**fields, "id": id}, ensure_ascii=False)
                # Half a character, which a pickle can hold, is none in a file.
                out.write(line.encode("utf-8", "replace").decode() + "\n")
    except (ValueError, MemoryError, OverflowError) as error:
        hint = 'The look-up is a pickle of {id: {"title": TEXT, "text": TEXT}}, nothing else.'
        message = str(error)[:300] or "a text is longer than memory"
        raise DataError.of(Code.WRONG_SHAPE, message, path, hint=hint) from None
    return place


def read_documents(file: BinaryIO, size: int) -> Iterator[tuple[str, dict[str, str]]]:
    """Each id with its fields, as soon as they are complete. Raises ValueError."""
    stack: list[Any] = []
    marks: list[int] = []
    places = array("Q")
    # Where the text on top of the stack begins; 0 for a mapping.
    last = 0
    # Bytes of text that may be made: one that is used again and again would have no end.
    room = 2 * size + (1 << 20)

    @lru_cache(100)
    def text_at(place: int) -> str:
        here = file.tell()
        file.seek(place)
        text = str(next(genops(file))[1])
        file.seek(here)
        return text

    instructions: Iterator[tuple[Any, Any, Any]] = genops(file)
    for code, argument, at in instructions:
        name = code.name
        if name in _TEXTS or name in _AGAIN:
            last = at
            if name in _AGAIN:
                last = places[argument] if argument < len(places) else 0
                if not last:
                    raise ValueError("it uses a mapping twice, or something that it never kept")
                argument = text_at(last)
            room -= len(argument) + 1
            stack.append(argument)
        elif name in _KEPT:
            number = len(places) if argument is None else argument
            if number > len(places):
                raise ValueError("it keeps things under numbers that are not in order")
            places[number : number + 1] = array("Q", [last])
        elif name == "EMPTY_DICT":
            stack.append({})
            last = 0
        elif name == "MARK":
            marks.append(len(stack))
        elif name in ("SETITEM", "SETITEMS"):
            start = len(stack) - 2 if name == "SETITEM" else marks.pop() if marks else 0
            yield from _stored(stack, start, marks)
            last = 0
        elif name not in ("PROTO", "FRAME", "STOP"):
            raise ValueError(f"the instruction {name} builds something else than texts")
        if room < 0 or len(stack) + len(marks) > MOST_WAITING:
            raise ValueError("too many texts wait to be stored, or texts are used too often")
    if marks or len(stack) != 1 or not isinstance(stack[0], dict):
        raise ValueError("the pickle ends before its mapping does")


def _stored(stack: list[Any], start: int, marks: list[int]) -> Iterator[tuple[str, dict[str, str]]]:
    """Stores what is on the stack from ``start`` in the mapping below it; the outermost one yields its items
    and stays empty."""
    items = stack[start:]
    if start < 1 or len(items) % 2 or (marks and marks[-1] > start - 1):
        raise ValueError("a mapping's items are not pairs")
    del stack[start:]
    target, inner = stack[-1], start > 1
    pairs = list(zip(items[::2], items[1::2], strict=True))
    if not isinstance(target, dict) or not all(
        isinstance(key, str) and isinstance(value, str if inner else dict) for key, value in pairs
    ):
        raise ValueError("it is not a mapping from ids to mappings of texts")
    if inner:
        target.update(pairs)
    else:
        yield from pairs
