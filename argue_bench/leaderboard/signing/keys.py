"""Signatures of results and sealed gold. A signature is raw Ed25519 (RFC 8032) over its exact bytes.

``SYSTEM.json.sig`` holds 64 bytes, so that any tool checks it, without this package:

    openssl pkeyutl -verify -pubin -inkey KEY.pem -rawin -in SYSTEM.json -sigfile SYSTEM.json.sig

The private key is 32 bytes in hexadecimal digits, in an environment variable of the scoring job
alone. Public keys are PEM files: ``keys/ID.pem`` signs today, ``keys/retired/ID.pem`` did once and
still verifies what it signed; nothing new is taken from a retired key. ID is the start of the
SHA-256 of the raw public key.

A sealed file is public, only the key opens it, and no bit of it can be changed: one line that says what it is,
twelve random bytes, and the text under ChaCha20-Poly1305 (RFC 8439) with a 256-bit key. What the file is for is
authenticated with it: a sealed file of another season, or under another name, does not open. Keys are 64
hexadecimal digits; they are never read from or written into a git repository.
"""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argue_bench.errors import Code, DataError, SealError, UsageError, needing
from argue_bench.records.digests import sha256
from argue_bench.records.untrusted import Limits, read_bounded

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


def keyed_digest(text: str, key: str) -> str:
    """HMAC-SHA256 (RFC 2104) of what is hidden: without the key nobody can try out what it might be."""
    return f"sha256:{hmac.new(key.encode(), text.encode(), 'sha256').hexdigest()}"


def unseal(sealed: bytes, key: str, purpose: str, name: str) -> bytes:
    """What was sealed. ``name`` is the file's, for errors.

    Raises DataError (no sealed file, or cut short), SealError (it does not open), MissingExtra.
    """
    if not sealed.startswith(MAGIC):
        hint = "Get it again from the season's organiser."
        raise DataError.of(Code.SEAL, "this is not a sealed file", name, hint=hint)
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
    with needing("sealing", "leaderboard"):
        from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305
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
        raise DataError.of(
            Code.NOT_WRITTEN, why, path, hint="Name a new file: secrets are never overwritten."
        ) from None


FOLDER, RETIRED = "keys", "retired"
# Of Ed25519 (RFC 8032, section 5.1.6).
SIGNATURE_BYTES = 64
# A PEM file of a public key has 113 bytes.
LIMITS = Limits(file_bytes=10_000)
# A key a week for two years.
MOST_KEYS = 100
# 64 bits: nobody makes a second key with the id of a board's.
_ID_DIGITS = 16


@dataclass(frozen=True)
class Keys:
    """The public keys of a board by id."""

    active: Mapping[str, Any] = field(default_factory=dict)
    retired: Mapping[str, Any] = field(default_factory=dict)


def secret_from(environment: str, what: str = "key") -> str:
    """The secret in a named environment variable. Raises UsageError; never shows any of it."""
    given = os.environ.get(environment, "")
    if not given.strip():
        raise UsageError(f"the environment variable {environment} holds no {what}")
    try:
        return check_secret(given, "key")
    except UsageError:
        raise UsageError(
            f"the environment variable {environment} holds no {what} of 64 hexadecimal digits"
        ) from None


def sign_bytes(content: bytes, secret: str) -> bytes:
    """64 bytes. Raises MissingExtra, UsageError."""
    return bytes(_private(secret).sign(content))


def signed_file(path: str, content: bytes, secret: str) -> dict[str, bytes]:
    """A file and its signature, by their paths."""
    return {path: content, f"{path}.sig": sign_bytes(content, secret)}


def public_pem(secret: str) -> tuple[str, bytes]:
    """Id and PEM of the public key that belongs to a private one."""
    _, serialization = _modules()
    public = _private(secret).public_key()
    pem = public.public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return key_id(public), bytes(pem)


def key_id(public: Any) -> str:
    _, serialization = _modules()
    raw = public.public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return sha256(raw)[:_ID_DIGITS]


def read_keys(board: Path) -> Keys:
    """The public keys of a folder of submissions. Raises DataError, MissingExtra."""
    folder = board / FOLDER
    return Keys(_read(folder), _read(folder / RETIRED))


def verify_signature(content: bytes, signature: bytes, keys: Keys, retired: bool = True) -> str:
    """The id of the key that signed. Raises SealError where none of them did."""
    from cryptography.exceptions import InvalidSignature

    # A retired key may have leaked: it vouches for what is recorded, never for something new.
    known = {**(keys.retired if retired else {}), **keys.active}
    if not known:
        raise SealError("the board has no public key to verify with")
    if len(signature) != SIGNATURE_BYTES:
        raise SealError(f"a signature has {SIGNATURE_BYTES} bytes, this has {len(signature)}")
    for name, key in known.items():
        try:
            key.verify(signature, content)
        except InvalidSignature:
            continue
        return name
    raise SealError("no key of this board signed it: it was changed, or signed elsewhere")


def _read(folder: Path) -> dict[str, Any]:
    ed25519, serialization = _modules()
    found: dict[str, Any] = {}
    # A link could lead to keys outside of what a review sees.
    paths = sorted(folder.glob("*.pem"))[:MOST_KEYS] if not folder.is_symlink() else []
    for path in paths:
        try:
            key = serialization.load_pem_public_key(read_bounded(path, LIMITS))
        except ValueError:
            key = None
        if not isinstance(key, ed25519.Ed25519PublicKey):
            hint = "Take it away; a new one is made by: argue-bench board rotate-key"
            raise DataError.of(
                Code.WRONG_SHAPE, "A file does not hold a public Ed25519 key", file=path, hint=hint
            )
        # By the key itself and not by the file's name, which anybody may choose.
        found[key_id(key)] = key
    return found


def _private(secret: str) -> Any:
    ed25519, _ = _modules()
    return ed25519.Ed25519PrivateKey.from_private_bytes(bytes.fromhex(check_secret(secret, "key")))


def _modules() -> tuple[Any, Any]:
    with needing("signing", "leaderboard"):
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import ed25519
    return ed25519, serialization
