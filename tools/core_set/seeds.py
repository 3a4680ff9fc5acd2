"""The file of a secret seed, which lies outside of repositories."""

from __future__ import annotations

from pathlib import Path

from argue_bench.errors import Code, DataError, UsageError
from argue_bench.leaderboard.signing.keys import check_secret, refuse_repository

# A secret is one line; more is some other file.
_SECRET_BYTES = 4_096


def read_secret(path: Path, what: str) -> str:
    """The seed or key in a file: its first line. Raises DataError, and UsageError in a repository."""
    refuse_repository(path, what)
    try:
        with path.open("rb") as file:
            raw = file.read(_SECRET_BYTES)
    except OSError as error:
        hint = f"Make one: openssl rand -hex 32 > {path.name}"
        why = f"the {what} can't be read: {error.strerror}"
        raise DataError.of(Code.UNREADABLE, why, path, hint=hint) from None
    try:
        return check_secret(raw.decode("ascii").strip(), what)
    except (ValueError, UsageError) as error:
        why = f"this is not a {what}" + (f": {error}" if isinstance(error, UsageError) else "")
        hint = "Make one with: openssl rand -hex 32"
        raise DataError.of(Code.WRONG_SHAPE, why, path, 1, hint=hint) from None
