"""Texts as a store keeps them: JSON under zlib.

What was sent to a model, and what it replied, is packed with two texts as zlib's dictionary (RFC 1950): the first
one that this judge sent for a request of this kind, which has the same instructions, and the request, which has
the same data.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from typing import Any

from argue_bench.records import JudgeRequest, request_from_json, request_to_json

# Bytes of sha256 by which a text is found.
_DIGEST = 16
# zlib looks back 32 KiB, of which each of the two texts of a dictionary gets a half.
_HALF_WINDOW = 1 << 14
# Of one text unpacked: no prompt is longer, and a stranger's store can't fill the memory.
_MOST_BYTES = 1 << 27


def packed_request(request: JudgeRequest) -> bytes:
    """The body of a request."""
    return zlib.compress(_json_of(request_to_json(request)))


def unpacked_request(body: bytes) -> JudgeRequest:
    """The request of a body. Raises zlib.error where the store is broken."""
    try:
        return request_from_json(_value_of(body))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise zlib.error("a request of the store is broken") from None


class Texts:
    """The prompts and replies of an open store. What it is asked for raises zlib.error where the store is broken."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db
        self._samples: dict[tuple[int, str], tuple[bytes, bytes]] = {}
        """By author and kind of request: digest and text of what was first sent while the store was open."""

    def pack(
        self, author: int, prompt: str, reply: str, request: JudgeRequest | None = None
    ) -> bytes:
        """What was sent and what came back; no byte where both are empty.

        ``author``: the number of the judge or model, ``request``: what the prompt was made for.
        """
        if not prompt and not reply:
            return b""
        raw = _json_of([prompt, reply])
        first = raw[:_HALF_WINDOW]
        place = author, type(request).__name__
        digest, sample = self._samples.setdefault(
            place, (hashlib.sha256(first).digest()[:_DIGEST], first)
        )
        # Each time, since the transaction of the first one may have been taken back.
        self._db.execute("INSERT OR IGNORE INTO texts VALUES (?, ?)", (digest, sample))
        stream = zlib.compressobj(zdict=_dictionary(sample, request))
        return digest + stream.compress(raw) + stream.flush()

    def unpack(self, packed: bytes, request: JudgeRequest | None = None) -> tuple[str, str]:
        """The prompt and the reply that `pack` packed for the same request."""
        if not packed:
            return "", ""
        query = "SELECT text FROM texts WHERE digest = ?"
        row = self._db.execute(query, (packed[:_DIGEST],)).fetchone()
        if row is None:
            raise zlib.error("a text of the store is missing")
        prompt, reply = _value_of(packed[_DIGEST:], _dictionary(row[0], request))
        return prompt, reply


def _dictionary(sample: bytes, request: JudgeRequest | None) -> bytes:
    data = _json_of(request_to_json(request)) if request else b""
    return data[-_HALF_WINDOW:] + sample


def _json_of(value: Any) -> bytes:
    # ASCII, since half a surrogate pair, which a hostile text may hold, has no UTF-8.
    return json.dumps(value).encode("ascii")


def _value_of(packed: bytes, dictionary: bytes = b"") -> Any:
    stream = zlib.decompressobj(zdict=dictionary)
    whole = stream.decompress(packed, _MOST_BYTES)
    if not stream.eof:
        raise zlib.error("a text of the store is cut off or longer than any prompt")
    try:
        return json.loads(whole)
    except (ValueError, RecursionError):
        raise zlib.error("a text of the store is broken") from None
