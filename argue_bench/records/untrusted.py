"""Reading untrusted JSON: size, depth and digits are bounded before it is parsed.

The standard library's parser with hooks: duplicate keys, NaN and infinities, numbers of endless
digits, lone surrogates and deep nesting are findings, never exceptions and never silently mended.
"""

from __future__ import annotations

import io
import json
import math
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from argue_bench.errors import Code, DataError, Finding, Level
from argue_bench.records.display import is_text

_BOM = b"\xef\xbb\xbf"
_SURROGATE_ESCAPE = re.compile(rb"\\u[dD][89a-fA-F]")
# The possessive quantifiers keep a line of quotes from taking quadratic time.
# A JSON string; one that never closes takes all that is left, as it does for the parser.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")


@dataclass(frozen=True, slots=True)
class Limits:
    """The bounds beyond which a file is refused. The defaults suffice for any honest submission."""

    line_bytes: int = 2_000_000
    file_bytes: int = 200_000_000
    depth: int = 32
    lines: int = 1_000_000
    # Whether UTF-16, which Excel and PowerShell write, is read too; a submission is UTF-8.
    utf_16: bool = False
    # Characters of an answer, a thousand pages: reading takes a second for each half of that.
    answer: int = 2_000_000


# Characters of a number at most: no count or share has more, and endless ones take endless time.
DIGITS = 64
DEFAULT_LIMITS = Limits()
# For files of our own or an organiser's: large, yet never endless.
GOLD_LIMITS = Limits(line_bytes=1 << 28, file_bytes=1 << 34, depth=64, lines=1 << 40)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a file: its value, or the finding on it."""

    number: int
    value: Any = None
    findings: tuple[Finding, ...] = ()
    blank: bool = False
    raw: bytes = field(default=b"", repr=False, compare=False)

    @property
    def ok(self) -> bool:
        return not any(finding.level == "error" for finding in self.findings)

    @property
    def read(self) -> bool:
        """Whether there is a value; JSON's ``null`` is one."""
        return self.ok and not self.blank


class _Refused(ValueError):
    def __init__(self, code: Code, message: str, hint: str) -> None:
        super().__init__(message)
        self.code, self.hint = code, hint


def read_lines(path: Path, limits: Limits = DEFAULT_LIMITS, name: str = "") -> Iterator[Line]:
    """Every line of a JSON Lines file, valid or not. Holds one line in memory.

    Blank lines and a byte order mark are notices. Raises DataError only where the file
    can't be opened: it is missing, a folder, unreadable, too large.
    """
    label = name or str(path)
    number = 0

    def found(code: Code, message: str, hint: str = "", level: Level = "error") -> Finding:
        return Finding(code, message, label, number, hint=hint, level=level)

    with open_bounded(path, limits, label) as file:
        # One byte more than is allowed tells a line that is too long from one that just fits.
        while raw := file.readline(limits.line_bytes + 1):
            number += 1
            if number > limits.lines:
                why = f"the file has more than {limits.lines:,} lines; the rest was not read"
                hint = "Write one line for each question."
                yield Line(number, findings=(found(Code.TOO_MANY, why, hint),))
                return
            # The rest of such a line is read away, so that the next line keeps its number.
            if len(raw) > limits.line_bytes and not raw.endswith(b"\n"):
                while (rest := file.readline(limits.line_bytes)) and not rest.endswith(b"\n"):
                    pass
                why = f"the line has more than {limits.line_bytes:,} bytes"
                yield Line(
                    number, findings=(found(Code.LINE_TOO_LONG, why, "Shorten the answer."),)
                )
                continue
            findings: list[Finding] = []
            if number == 1 and raw.startswith(_BOM):
                raw = raw[len(_BOM) :]
                findings.append(
                    found(Code.BYTE_ORDER_MARK, "a byte order mark was skipped", level="notice")
                )
            if not raw.strip():
                findings.append(found(Code.BLANK_LINE, "a blank line was skipped", level="notice"))
                yield Line(number, findings=tuple(findings), blank=True)
                continue
            try:
                value = parse_json(raw, label, number, limits)
            except DataError as error:
                yield Line(number, findings=(*findings, *error.findings))
            else:
                yield Line(number, value, tuple(findings), raw=raw)


def read_json(path: Path, limits: Limits = GOLD_LIMITS, name: str = "") -> Any:
    """The one JSON value in a file. Raises DataError."""
    label = name or str(path)
    with open_bounded(path, limits, label) as file:
        raw = file.read()
    return parse_json(raw.removeprefix(_BOM), label, None, limits)


def read_bounded(path: Path, limits: Limits, label: str = "") -> bytes:
    """The bytes of a file; a DataError where it is missing, no file, or too large."""
    with open_bounded(path, limits, label or str(path)) as file:
        # One byte past the limit at most: a file may grow after its size was looked at.
        return file.read(limits.file_bytes + 1)


_PACKED = (
    (b"PK\x03\x04", "a ZIP archive, as an Excel workbook is", "Save its table as CSV."),
    (b"\x1f\x8b", "a file that gzip packed", "Unpack it with gunzip."),
)


def open_bounded(path: Path, limits: Limits, label: str) -> BinaryIO:
    """The file, opened to be read; a DataError where that is not possible or it is too large."""
    try:
        mode = path.stat().st_mode
        # Opening a pipe would wait for a writer that never comes.
        if not stat.S_ISREG(mode):
            what = "this is a folder" if stat.S_ISDIR(mode) else "this is not a regular file"
            hint = "Name a file inside it." if stat.S_ISDIR(mode) else "Write it to a file first."
            raise DataError.of(Code.UNREADABLE, what, label, hint=hint)
        file = path.open("rb")
    except FileNotFoundError:
        raise DataError.of(
            Code.NO_SUCH_FILE, "no such file", label, hint="Check the path."
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise DataError.of(
            Code.UNREADABLE, f"the file can't be read: {reason}", label, hint="Check the path."
        ) from None
    size = os.fstat(file.fileno()).st_size
    if size > limits.file_bytes:
        file.close()
        raise DataError.of(
            Code.TOO_LARGE,
            f"the file has {size:,} bytes, at most {limits.file_bytes:,} are read",
            label,
            hint="Send fewer or shorter lines.",
        )
    start = file.peek(4)
    for magic, what, hint in _PACKED:
        if start.startswith(magic):
            file.close()
            raise DataError.of(Code.WRONG_SHAPE, f"this is {what}", label, hint=hint)
    # The first character of a table or of JSON is ASCII, which tells UTF-16 also where no mark does.
    marked = start.startswith((b"\xff\xfe", b"\xfe\xff"))
    encoding = "utf-16" if marked else "utf-16-be" if start[:1] == b"\0" else "utf-16-le"
    if not limits.utf_16 or not (marked or b"\0" in start[:2]):
        return file
    with file:
        try:
            return io.BytesIO(file.read().decode(encoding).encode())
        except UnicodeError:
            message = "the file begins as UTF-16, and not all of it is"
            raise DataError.of(Code.NOT_UTF_8, message, label, hint="Save it as UTF-8.") from None


def parse_json(raw: bytes, file: str, line: int | None, limits: Limits = DEFAULT_LIMITS) -> Any:
    """One JSON value from bytes. Raises DataError with one finding that says where."""
    try:
        text = raw.decode("utf-8")
        if raw.count(b"[") + raw.count(b"{") > limits.depth:
            # Deep nesting is refused before the parser, which recurses, sees it. Strings don't nest.
            depth = 0
            for bracket in _BRACKET.finditer(_STRING.sub(b"", raw)):
                depth += -1 if bracket.group() in (b"]", b"}") else 1
                if depth > limits.depth:
                    why = f"it is nested more than {limits.depth} levels deep"
                    raise _Refused(Code.TOO_DEEP, why, "Write it flat.")
        value = json.loads(
            text,
            object_pairs_hook=_no_duplicates,
            parse_constant=_no_constants,
            parse_float=partial(_number, float),
            parse_int=partial(_number, int),
        )
        # UTF-8 itself cannot hold half a pair: only an escape can bring one in.
        if _SURROGATE_ESCAPE.search(raw) and not is_text(json.dumps(value, ensure_ascii=False)):
            why = "a text holds half a surrogate pair, which is not a character"
            raise _Refused(Code.LONE_SURROGATE, why, "Write the character itself in UTF-8.")
    except _Refused as refused:
        found = Finding(refused.code, str(refused), file, line, hint=refused.hint)
    except UnicodeDecodeError as error:
        found = Finding(
            Code.NOT_UTF_8, f"byte {error.start} is not UTF-8", file, line, hint="Save it as UTF-8."
        )
    except json.JSONDecodeError as error:
        where = f"column {error.colno}" if line else f"line {error.lineno} column {error.colno}"
        found = Finding(
            Code.NOT_JSON,
            f"this is not JSON: {error.msg.removesuffix(' at')} at {where}",
            file,
            line,
            hint="Write one JSON value." if line is None else "Write one JSON object a line.",
        )
    else:
        return value
    raise DataError(found)


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    # json keeps the last of two equal keys; another program may keep the first, and read another
    # file.
    if len(value) != len(pairs):
        twice = next(key for key, times in Counter(k for k, _ in pairs).items() if times > 1)
        raise _Refused(
            Code.DUPLICATE_KEY, f"the key {twice[:80]!r} occurs twice", "Keep one of them."
        )
    return value


def _no_constants(name: str) -> Any:
    raise _Refused(Code.WRONG_VALUE, f"{name} is not a JSON number", "Write a number or null.")


def _number(kind: type[float], digits: str) -> float:
    value = kind(digits) if len(digits) <= DIGITS else math.inf
    # Squares and sums of larger ones are no numbers.
    if not abs(value) < 1e100:
        why = f"{digits[:DIGITS]} is too long or too large for a number"
        raise _Refused(Code.WRONG_VALUE, why, "Write a shorter number, or a text.")
    return value
