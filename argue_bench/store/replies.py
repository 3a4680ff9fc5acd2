"""What did a model reply to a prompt? Kept the moment it came, in the same file as verdicts.

A reply is found by the sha256 of three things together: the model with all of its decoding, the request
in full, and which attempt it was (an empty reply is asked for once more). Whatever form, setting or system
a request comes from, the same one is never asked of the same model twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass

from argue_bench.store import schema
from argue_bench.store.file import Author, StoreFile, storable


@dataclass(frozen=True, slots=True)
class Kept:
    """A reply as it is kept. ``price`` in US dollars; None where it was not known."""

    text: str
    finish: str
    tokens_in: int = 0
    tokens_out: int = 0
    price: float | None = None


@dataclass(frozen=True, slots=True)
class Replied:
    """One reply of a store, whole: ``purpose`` says for which question or document it was asked."""

    key: bytes
    model: Author
    purpose: str
    attempt: int
    kept: Kept
    request: str
    reply: str


def reply_key(model: Author, request: str, attempt: int = 1) -> bytes:
    """The key of a request, whose text must be canonical. ``attempt`` counts from 1."""
    text = json.dumps([model.digest, request, attempt])
    return hashlib.sha256(text.encode()).digest()


class Replies(StoreFile):
    """The replies of a store, made where there is none. A context manager.

    Raises DataError as `StoreFile` does.
    """

    def find(self, key: bytes) -> Kept | None:
        """The reply of this key, or None where it was never asked for."""
        with self._told():
            row = self._db.execute(schema.FIND_REPLY, (key,)).fetchone()
        return None if row is None else Kept(*row)

    def add(self, one: Replied) -> None:
        """Keeps a reply; it is in the file when this returns. One that stands is not replaced.

        Raises DataError where the disk refuses; what was kept stays.
        """
        kept = one.kept
        with self._told():
            model = self._number("models", one.model)
            row = (
                one.key,
                model,
                storable(one.purpose),
                one.attempt,
                storable(kept.text),
                kept.finish,
                kept.tokens_in,
                kept.tokens_out,
                kept.price,
                storable(one.request),
                storable(one.reply),
            )
            self._db.execute(schema.ADD_REPLY, row)  # a transaction of its own

    def models(self) -> tuple[Author, ...]:
        """Who replied here."""
        with self._told():
            rows = self._db.execute("SELECT digest, name, identity FROM models ORDER BY id")
            return tuple(Author(digest, name, json.loads(text)) for digest, name, text in rows)

    def __len__(self) -> int:
        with self._told():
            (count,) = self._db.execute("SELECT count(*) FROM replies").fetchone()
            return int(count)

    def __iter__(self) -> Iterator[Replied]:
        """Every reply in the order in which it came, one in memory at a time."""
        models = {model.digest: model for model in self.models()}
        with self._told():
            for key, digest, purpose, attempt, *rest in self._db.execute(schema.ALL_REPLIES):
                *kept, request, reply = rest
                yield Replied(key, models[digest], purpose, attempt, Kept(*kept), request, reply)
