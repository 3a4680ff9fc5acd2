"""Sealed gold: a public file that only the key opens, and of which no bit can be changed.

A sealed file is one line that says what it is, twelve random bytes, and the text under
ChaCha20-Poly1305 (RFC 8439) with a 256-bit key. What the file is for is authenticated with it: a
sealed file of another season, or under another name, does not open. Keys and seeds are 64
hexadecimal digits; they are never read from or written into a git repository.
"""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from argue_bench.errors import Code, DataError, MissingExtra, SealError, UsageError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

MAGIC = b"argue-bench sealed 1\n"
# As RFC 8439, section 2.8, has them.
NONCE_BYTES, TAG_BYTES, KEY_BYTES = 12, 16, 32
# What the cipher takes in one call.
MOST_BYTES = 1 << 31
# A secret is one line; more is some other file.
_SECRET_BYTES = 4_096


def new_key() -> str:
    """A new random key, as 64 hexadecimal digits."""
    return secrets.token_hex(KEY_BYTES)


def seal(plain: bytes, key: str, purpose: str) -> bytes:
    """The bytes of a sealed file. Raises MissingExtra, UsageError."""
    if len(plain) >= MOST_BYTES:
        raise UsageError(f"gold of {len(plain):,} bytes is too large to be sealed in one file")
    nonce = os.urandom(NONCE_BYTES)  # two texts under one key and nonce would give both away
    return MAGIC + nonce + _cipher(key).encrypt(nonce, plain, MAGIC + purpose.encode())


def unseal(sealed: bytes, key: str, purpose: str, name: str) -> bytes:
    """What was sealed. ``name`` is the file's, for errors.

    Raises DataError (no sealed file, or cut short), SealError (it does not open), MissingExtra.
    """
    if not sealed.startswith(MAGIC):
        hint = "Get it again from the season's organiser."
        raise DataError.of(Code.NOT_SEALED, "this is not a sealed file", name, hint=hint)
    if len(sealed) < len(MAGIC) + NONCE_BYTES + TAG_BYTES:
        why = f"the sealed file was cut short: it has {len(sealed)} bytes"
        raise DataError.of(Code.SEAL, why, name, hint="Get it again.")
    from cryptography.exceptions import InvalidTag

    start = len(MAGIC)
    nonce, rest = sealed[start : start + NONCE_BYTES], sealed[start + NONCE_BYTES :]
    try:
        return _cipher(key).decrypt(nonce, rest, MAGIC + purpose.encode())
    except InvalidTag:
        raise SealError(
            f"{name}: it does not open: the key is another one, or the file was changed"
        ) from None


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
        raise DataError.of(Code.BAD_KEY, why, path, 1, hint=hint) from None


def check_secret(text: str, what: str) -> str:
    """The text in lower case, if it is hexadecimal and long enough. Raises UsageError."""
    wanted = KEY_BYTES * 2 if what == "key" else 32
    text = text.strip().lower()
    if not text or set(text) - set("0123456789abcdef"):
        raise UsageError(f"the {what} is not hexadecimal")
    if len(text) < wanted or (what == "key" and len(text) != wanted):
        raise UsageError(f"the {what} has {len(text)} hexadecimal digits, not {wanted}")
    return text


def refuse_repository(path: Path, what: str) -> None:
    """Raises UsageError if the path lies in a git repository, where it would soon be public."""
    # Both as it is written and where links lead: either may be pushed.
    where = Path(os.path.abspath(path))
    for folder in (*where.parents, *where.resolve().parents):
        if (folder / ".git").exists():
            raise UsageError(
                f"{path} lies in a git repository ({folder}), so the {what} would soon be public. "
                "Keep it elsewhere."
            )


def _cipher(key: str) -> ChaCha20Poly1305:
    try:
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
    except ImportError:
        raise MissingExtra("sealing", "leaderboard") from None
    return ChaCha20Poly1305(bytes.fromhex(check_secret(key, "key")))
