"""Replies of models to prompts, stored as they come, in the same file as verdicts.

A reply is found by the sha256 of three things together: the model with all of its decoding, the prompt
in full, and the attempt (an empty reply is asked for once more). So the same prompt is never sent to the
same model twice, whatever form, setting or system it comes from.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import astuple, dataclass, replace

from argue_bench.store.file import Author, StoreFile, storable


@dataclass(frozen=True, slots=True)
class ModelReply:
    """A reply and its cost. ``price`` in US dollars; None where it was not known."""

    text: str
    finish: str
    tokens_in: int = 0
    tokens_out: int = 0
    price: float | None = None


@dataclass(frozen=True, slots=True)
class StoredReply:
    """A reply with where it belongs: ``purpose`` is the question or document it was asked for.

    ``sent`` and ``received`` are the raw texts.
    """

    key: bytes
    model: Author
    purpose: str
    attempt: int
    reply: ModelReply
    sent: str
    received: str


def reply_key(model: Author, prompt: str, attempt: int = 1) -> bytes:
    """The key of a prompt, whose text must be canonical. ``attempt`` counts from 1."""
    return hashlib.sha256(json.dumps([model.digest, prompt, attempt]).encode()).digest()


class Replies(StoreFile):
    """The replies of a store, created where there is none. A context manager.

    Raises DataError as `StoreFile` does.
    """

    def find(self, key: bytes) -> ModelReply | None:
        """The reply of this key, or None."""
        with self._data_errors():
            row = self._db.execute(
                "SELECT text, finish, tokens_in, tokens_out, price FROM replies WHERE key = ?",
                (key,),
            ).fetchone()
        return None if row is None else ModelReply(*row)

    def add(self, one: StoredReply) -> None:
        """Stores a reply; it is in the file when this returns. An earlier one is not replaced.

        Raises DataError where the disk refuses; earlier replies stay.
        """
        reply = astuple(replace(one.reply, text=storable(one.reply.text)))
        with self.adding():
            model = self._add_author("models", one.model)
            raw = self._texts.pack(model, one.sent, one.received)
            self._db.execute(
                "INSERT OR IGNORE INTO replies VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (one.key, model, storable(one.purpose), one.attempt, *reply, raw),
            )

    def models(self) -> tuple[Author, ...]:
        """The models that wrote the replies."""
        return self._authors("models")

    def __len__(self) -> int:
        return self._count("replies")

    def __iter__(self) -> Iterator[StoredReply]:
        """Every reply in the order in which it came, one in memory at a time."""
        models = {model.number: model for model in self.models()}
        query = """
            SELECT key, model, purpose, attempt, raw, text, finish, tokens_in, tokens_out, price
            FROM replies ORDER BY id
        """
        with self._data_errors():
            for key, number, purpose, attempt, raw, *reply in self._db.execute(query):
                made, texts = ModelReply(*reply), self._texts.unpack(raw)
                yield StoredReply(key, models[number], purpose, attempt, made, *texts)
