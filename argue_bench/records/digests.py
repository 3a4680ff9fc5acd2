"""SHA-256 in hexadecimal digits, of bytes and of files."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path


def sha256(content: bytes) -> str:
    """64 hexadecimal digits."""
    return hashlib.sha256(content).hexdigest()


def file_sha256(path: Path) -> str:
    """Of a file of any size, read piece by piece. Raises OSError."""
    with path.open("rb") as file:
        # Reads in pieces: archives of replies can have gigabytes.
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_each(files: Mapping[str, bytes]) -> dict[str, str]:
    """Path to the SHA-256 of what the file holds."""
    return {path: sha256(content) for path, content in files.items()}
