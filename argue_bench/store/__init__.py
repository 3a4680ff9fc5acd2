"""Verdicts of judges and replies of models on disk, so that no request is made or paid for twice.

`Store` keeps verdicts and failures by judge and request, `Replies` replies by model, prompt and attempt, both in
one file (`argue_bench.store.file`, which also merges several).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any

from argue_bench.records import Failed, JudgeRequest, NotJudged, Verdict, request_to_json
from argue_bench.store.file import (
    Author,
    StoreFile,
    packed_request,
    storable,
    unpacked_request,
)

# Verdicts of judges on requests, stored as they come.
#
# Verdicts are committed before they are used, so a killed run loses none and asks for none again. The file
# contains the requests too, and can be replayed as ``recorded:FILE``.

_FIND_VERDICT = """
    SELECT value, note, probability, flag FROM verdicts WHERE judge = ? AND request = ?
"""
_ADD_REQUEST = "INSERT OR IGNORE INTO requests VALUES (?, ?, ?)"
_ADD_VERDICT = "INSERT OR IGNORE INTO verdicts VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)"
_ADD_FAILURE = """
    INSERT INTO failures VALUES (?, ?, ?, 1, ?) ON CONFLICT (judge, request) DO UPDATE SET
    reason = excluded.reason, times = times + 1, raw = excluded.raw
"""
_DROP_FAILURE = "DELETE FROM failures WHERE judge = ? AND request = ?"


@dataclass(frozen=True)
class StoredVerdict:
    """One verdict of a store. ``request`` is plain data, as `request_to_json` gives it.

    The verdict carries the raw prompt and reply.
    """

    key: str
    kind: str
    request: Mapping[str, Any]
    judge: Author
    verdict: Verdict


@dataclass(frozen=True)
class StoredFailure:
    """One request without a verdict: the last reason, and the number of attempts."""

    key: str
    kind: str
    request: Mapping[str, Any]
    judge: Author
    failed: Failed
    times: int


class Store(StoreFile):
    """The verdicts of a store, created where there is none. A context manager.

    Raises DataError as `StoreFile` does.
    """

    def find(self, judge: Author, requests: Sequence[JudgeRequest]) -> dict[str, Verdict]:
        """The verdicts of this judge, by request key."""
        found: dict[str, Verdict] = {}
        with self._data_errors():
            for request in requests:
                # One by one: SQLite keeps the prepared query, and a list of keys has a limit.
                place = judge.number, bytes.fromhex(request.key)
                for value, note, *flagged in self._db.execute(_FIND_VERDICT, place):
                    found[request.key] = Verdict(value, note, "", "", *flagged)
        return found

    def add(self, judge: Author, request: JudgeRequest, reply: Verdict | Failed) -> None:
        """Stores one verdict or failure, as `add_all` does."""
        self.add_all(judge, [(request, reply)])

    def add_all(
        self, judge: Author, replies: Sequence[tuple[JudgeRequest, Verdict | Failed | NotJudged]]
    ) -> None:
        """Stores verdicts and failures, and nothing of what nobody judged; all are in the file when this returns.

        An earlier verdict is not replaced. Raises DataError where the disk refuses; what was stored
        before stays.
        """
        with self.adding() as db:
            author = self._add_author("judges", judge)
            for request, reply in replies:
                if isinstance(reply, NotJudged):
                    continue
                key = bytes.fromhex(request.key)
                # Two judges may be asked the same: the request is there once.
                db.execute(_ADD_REQUEST, (key, type(request).__name__, packed_request(request)))
                raw = self._texts.pack(author, reply.prompt, reply.reply, request)
                if isinstance(reply, Failed):
                    db.execute(_ADD_FAILURE, (author, key, storable(reply.reason), raw))
                    continue
                value = storable(reply.value) if isinstance(reply.value, str) else reply.value
                told = (storable(reply.note), reply.probability, storable(reply.flag))
                db.execute(_ADD_VERDICT, (author, key, value, *told, raw))
                db.execute(_DROP_FAILURE, (author, key))

    def served(self, judge: str) -> list[tuple[str, str, str]]:
        """Host, model and fingerprint of those that answered for a judge of this name."""
        with self._data_errors():
            query = "SELECT host, model, fingerprint FROM served WHERE judge = ?"
            return self._db.execute(query, (judge,)).fetchall()

    def add_served(self, judge: str, rows: Sequence[tuple[str, str, str]]) -> None:
        """Adds hosts, models and fingerprints that are not there yet. Raises DataError."""
        with self.adding() as db:
            storable_rows = [(judge, *map(storable, row)) for row in rows]
            db.executemany("INSERT OR IGNORE INTO served VALUES (?, ?, ?, ?)", storable_rows)

    def judges(self) -> tuple[Author, ...]:
        """The judges that gave verdicts or failed."""
        return self._authors("judges")

    def __len__(self) -> int:
        return self._count("verdicts")

    def __iter__(self) -> Iterator[StoredVerdict]:
        """Every verdict in the order in which it came, one in memory at a time."""
        columns = "probability, flag, value, note"
        for key, kind, request, judge, probability, flag, *said in self._rows(
            "verdicts", columns, "verdicts.id"
        ):
            value, note, prompt, reply = said
            verdict = Verdict(value, note, prompt, reply, probability, flag)
            yield StoredVerdict(key, kind, request, judge, verdict)

    def failures(self) -> Iterator[StoredFailure]:
        """Every request that has no verdict, by judge."""
        for key, kind, request, judge, times, *why in self._rows(
            "failures", "times, reason", "failures.judge, failures.request"
        ):
            yield StoredFailure(key, kind, request, judge, Failed(*why), times)

    def _rows(self, table: str, columns: str, order: str) -> Iterator[tuple[Any, ...]]:
        """Key, kind, request and judge of each row, then these columns."""
        query = f"""
            SELECT key, kind, body, judge, raw, {columns}
            FROM {table} JOIN requests ON requests.key = {table}.request ORDER BY {order}
        """
        with self._data_errors():
            judges = {judge.number: judge for judge in self.judges()}
            for key, kind, body, number, raw, *rest in self._db.execute(query):
                request = unpacked_request(body)
                texts = self._texts.unpack(raw, request)
                yield key.hex(), kind, request_to_json(request), judges[number], *rest, *texts

    def request(self, key: str) -> JudgeRequest | None:
        """The request of this key, or None."""
        with self._data_errors():
            row = self._db.execute(
                "SELECT body FROM requests WHERE key = ?", (bytes.fromhex(key),)
            ).fetchone()
            return None if row is None else unpacked_request(*row)


# Replies of models to prompts, stored as they come, in the same file as verdicts.
#
# A reply is found by the sha256 of three things together: the model with all of its decoding, the prompt
# in full, and the attempt (an empty reply is asked for once more). So the same prompt is never sent to the
# same model twice, whatever form, setting or system it comes from.


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


__all__ = [
    "Author",
    "ModelReply",
    "Replies",
    "Store",
    "StoredFailure",
    "StoredReply",
    "StoredVerdict",
    "reply_key",
]
