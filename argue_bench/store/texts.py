"""Texts as a store keeps them: JSON under zlib, and what many rows share only once.

A request names its long texts (sources, answers) by digest. What was sent to a model, and what it
replied, is packed with two texts as zlib's dictionary (RFC 1950): the first one that this judge sent
for a request of this kind, which has the same instructions, and the request, which has the same data.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from typing import Any

from argue_bench.records import JudgeRequest, request_from_json, request_to_json

# Characters from which a text is kept once: sources and answers stand in many requests, and looking
# for a text that is there takes about as long as packing 200 characters.
_LONG = 200
# Bytes of sha256 by which a text is found.
_DIGEST = 16
# zlib looks back 32 KiB, of which each of the two texts of a dictionary gets a half.
_HALF_WINDOW = 1 << 14
# Of one text unpacked: no prompt is longer, and a stranger's store can't fill the memory.
_MOST_BYTES = 1 << 27


class Texts:
    """The texts of an open store. What it is asked for raises zlib.error where the store is broken."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def body(self, request: JudgeRequest) -> bytes:
        """A request with its long texts kept once."""
        return zlib.compress(_json_of(self._shortened(request_to_json(request))), 1)

    def request(self, body: bytes) -> JudgeRequest:
        """The request of a body."""
        try:
            return request_from_json(self._restored(_value_of(body)))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise zlib.error("a request of the store is broken") from None

    def pack(
        self, author: int, prompt: str, reply: str, request: JudgeRequest | None = None
    ) -> bytes:
        """What was sent and what came back; no byte where both are empty.

        ``author``: the number of the judge or model, ``request``: what the prompt was made for.
        """
        if not prompt and not reply:
            return b""
        raw = _json_of([prompt, reply])
        sample = self._sample(author, type(request).__name__ if request else "", raw)
        stream = zlib.compressobj(zdict=self._dictionary(sample, request))
        return sample + stream.compress(raw) + stream.flush()

    def unpack(self, packed: bytes, request: JudgeRequest | None = None) -> tuple[str, str]:
        """The prompt and the reply that `pack` packed for the same request."""
        if not packed:
            return "", ""
        sample, rest = packed[:_DIGEST], packed[_DIGEST:]
        prompt, reply = _value_of(rest, self._dictionary(sample, request))
        return prompt, reply

    def _sample(self, author: int, kind: str, raw: bytes) -> bytes:
        """The digest of the first text that an author sent for requests of a kind."""
        found = self._db.execute(
            "SELECT text FROM samples WHERE author = ? AND kind = ?", (author, kind)
        ).fetchone()
        if found is None:
            found = (self._keep(raw[:_HALF_WINDOW]),)
            self._db.execute("INSERT INTO samples VALUES (?, ?, ?)", (author, kind, *found))
        return bytes(found[0])

    def _dictionary(self, sample: bytes, request: JudgeRequest | None) -> bytes:
        data = _json_of(request_to_json(request)) if request else b""
        return data[-_HALF_WINDOW:] + self._kept(sample)

    def _shortened(self, value: Any) -> Any:
        """Plain data in which long texts are replaced by ``{"kept": digest}``."""
        if isinstance(value, dict):
            return {name: self._shortened(one) for name, one in value.items()}
        if isinstance(value, list):
            return [self._shortened(one) for one in value]
        return value if len(value) < _LONG else {"kept": self._keep(_json_of(value)).hex()}

    def _restored(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._restored(one) for one in value]
        if not isinstance(value, dict):
            return value
        if "kept" in value:
            return json.loads(self._kept(bytes.fromhex(value["kept"])))
        return {name: self._restored(one) for name, one in value.items()}

    def _keep(self, raw: bytes) -> bytes:
        """Stores a text, if it is not there yet; returns its digest."""
        digest = hashlib.sha256(raw).digest()[:_DIGEST]
        if not self._db.execute("SELECT 1 FROM texts WHERE digest = ?", (digest,)).fetchone():
            self._db.execute("INSERT INTO texts VALUES (?, ?)", (digest, zlib.compress(raw)))
        return digest

    def _kept(self, digest: bytes) -> bytes:
        row = self._db.execute("SELECT text FROM texts WHERE digest = ?", (digest,)).fetchone()
        if row is None:
            raise zlib.error("a text of the store is missing")
        return _inflated(row[0])


def _json_of(value: Any) -> bytes:
    # ASCII, since half a surrogate pair, which a hostile text may hold, has no UTF-8.
    return json.dumps(value).encode("ascii")


def _value_of(packed: bytes, dictionary: bytes = b"") -> Any:
    try:
        return json.loads(_inflated(packed, dictionary))
    except (ValueError, RecursionError):
        raise zlib.error("a text of the store is broken") from None


def _inflated(packed: bytes, dictionary: bytes = b"") -> bytes:
    stream = zlib.decompressobj(zdict=dictionary)
    whole = stream.decompress(packed, _MOST_BYTES)
    if not stream.eof:
        raise zlib.error("a text of the store is cut off or longer than any prompt")
    return whole
