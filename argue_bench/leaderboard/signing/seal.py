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


def write_secret(path: Path, content: bytes) -> None:
    """A new file that only its owner reads; one that is there is not overwritten. Raises DataError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Made with these rights and not given them later: nobody reads it in between.
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
    except OSError as error:
        why = f"it can't be written: {error.strerror}"
        hint = "Name a new file: secrets are never overwritten."
        raise DataError.of(Code.NOT_WRITTEN, why, path, hint=hint) from None
