"""The diagnosis of a scoring: for the organiser alone, sealed with the gold's key.

For a scoring that ended it says how much of the gold's own wording the answers hold; for one that
failed, what the scorer printed and raised. Both tell of the gold, so they leave the job encrypted.
Every diagnosis is padded to one length: a sealed file hides its content, but not its size.
"""

from __future__ import annotations

from pathlib import Path

from argue_bench.errors import UsageError
from argue_bench.leaderboard.formats.names import DIGEST
from argue_bench.leaderboard.formats.outcome import read_outcome
from argue_bench.leaderboard.signing.seal import seal, unseal
from argue_bench.records.display import escape
from argue_bench.records.untrusted import Limits, read_bounded

NAME = "diagnosis.sealed"
BYTES = 65_536
"""Of every diagnosis before it is sealed: what is longer is cut, what is shorter is filled up."""
LIMITS = Limits(file_bytes=2 * BYTES, line_bytes=2 * BYTES)
_LINE = 4_000


def seal_diagnosis(text: str, key: str, digest: str) -> bytes:
    """The sealed file of a bundle with this digest."""
    # Of one length whatever it says: the size of a sealed file is public.
    raw = text.encode("utf-8", "replace")[: BYTES - 1]
    return seal(raw + b"\n" * (BYTES - len(raw)), key, _purpose(digest))


def open_diagnosis(path: Path, key: str, digest: str = "") -> list[str]:
    """Its lines, each safe to print. ``digest`` is the bundle's; else ``score.json`` beside it says it.

    Raises DataError (no such file, no sealed file), SealError (another key or bundle), UsageError.
    """
    if not digest:
        beside = path.with_name("score.json")
        if not beside.exists():
            raise UsageError(f"there is no {beside} that says the bundle's digest: give --digest")
        digest = read_outcome(beside).digest or ""
    if not DIGEST.fullmatch(digest):
        raise UsageError("the digest of a bundle is 64 hexadecimal digits")
    raw = read_bounded(path, LIMITS)
    text = unseal(raw, key, _purpose(digest), str(path)).decode("utf-8", "replace")
    return [escape(line, _LINE) for line in text.rstrip().splitlines()]


def _purpose(digest: str) -> str:
    return f"diagnosis/{digest}"
