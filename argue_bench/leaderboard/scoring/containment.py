"""The containment of a scoring: its output is captured, and what it said is sealed.

The diagnosis is for the organiser alone, sealed with the gold's key: what the scorer printed and, where it
failed, raised. That may tell of the gold, so it leaves the job encrypted, and padded to one length: a sealed file
hides its content, but not its size.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path

from argue_bench.leaderboard.formats.outcome import read_outcome
from argue_bench.leaderboard.signing.keys import seal, unseal
from argue_bench.records.display import escape
from argue_bench.records.untrusted import Limits, read_bounded

NAME = "diagnosis.sealed"
# Of every diagnosis before it is sealed: what is longer is cut, what is shorter is filled up.
BYTES = 65_536
LIMITS = Limits(file_bytes=2 * BYTES, line_bytes=2 * BYTES)
# Characters of one line that are shown: a traceback may quote a whole answer.
_LINE = 4_000


@contextmanager
def silenced(kept: list[str]) -> Iterator[None]:
    """Captures everything that Python or a library prints inside, so that it is not shown."""
    with tempfile.TemporaryFile() as sink, open(os.dup(sink.fileno()), "w", buffering=1) as text:
        sys.stdout.flush()
        sys.stderr.flush()
        saved = [os.dup(1), os.dup(2)]
        try:
            # The descriptors themselves: a program that a library starts, and code in C, write past sys.stdout.
            os.dup2(sink.fileno(), 1)
            os.dup2(sink.fileno(), 2)
            with redirect_stdout(text), redirect_stderr(text):
                yield
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            # Put back whatever happened: the codes that follow are for the log.
            for number, old in zip((1, 2), saved, strict=True):
                os.dup2(old, number)
                os.close(old)
            sink.seek(0)
            kept.append(sink.read(BYTES).decode("utf-8", "replace"))


def seal_diagnosis(text: str, key: str, digest: str) -> bytes:
    """The sealed file of a bundle with this digest."""
    # Of one length whatever it says: the size of a sealed file is public.
    raw = text.encode("utf-8", "replace")[: BYTES - 1]
    return seal(raw + b"\n" * (BYTES - len(raw)), key, _purpose(digest))


def open_diagnosis(path: Path, key: str) -> list[str]:
    """Its lines, each safe to print; ``score.json`` beside it has the digest of its bundle.

    Raises DataError (no such file, no sealed file), SealError (another key or bundle), UsageError.
    """
    digest = read_outcome(path.with_name("score.json")).digest or ""
    raw = read_bounded(path, LIMITS)
    text = unseal(raw, key, _purpose(digest), str(path)).decode("utf-8", "replace")
    return [escape(line, _LINE) for line in text.rstrip().splitlines()]


def _purpose(digest: str) -> str:
    return f"diagnosis/{digest}"
