"""The verdict store: what each judge said to each ask, kept the moment it was said.

Each verdict is committed before it is used, so a killed run loses none and asks none again. The
file is whole in itself: it holds the asks too, and can be replayed as ``recorded:FILE``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argue_bench.records import Failed, JudgeRequest, Verdict, request_from_json, request_to_json
from argue_bench.store import schema
from argue_bench.store.file import Author, StoreFile, storable

LONG = 200
"""Characters from which a text is kept once and referred to."""
_MARKS = 400
_TEXTS_KNOWN = 20_000


@dataclass(frozen=True)
class StoredVerdict:
    """One verdict of a store. ``ask`` is plain data, as `ask_to_json` gives it.

    The verdict carries the raw request and reply.
    """

    key: str
    kind: str
    request: Mapping[str, Any]
    judge: Author
    verdict: Verdict


@dataclass(frozen=True)
class StoredFailure:
    """One ask without a verdict: why it failed last, and how often it was tried."""

    key: str
    kind: str
    request: Mapping[str, Any]
    judge: Author
    failed: Failed
    times: int


class Store(StoreFile):
    """A verdict store, made where there is none. A context manager.

    Raises DataError as `StoreFile` does.
    """

    def __init__(self, path: str | Path, *, wait: float = 10.0, write: bool = True) -> None:
        self._texts: dict[bytes, int] = {}
        super().__init__(path, wait=wait, write=write)

    def find(self, judge: Author, requests: Sequence[JudgeRequest]) -> dict[str, Verdict]:
        """What this judge said already, by ask key."""
        found: dict[str, Verdict] = {}
        keys = [request.key for request in requests]
        with self._told():
            number = self._judge(judge)
            for start in range(0, len(keys), _MARKS):
                some = keys[start : start + _MARKS]
                query = schema.FIND.format(marks=",".join("?" * len(some)))
                for key, value, note in self._db.execute(query, (number, *some)):
                    found[key] = Verdict(value, note)
        return found

    def add(self, judge: Author, request: JudgeRequest, reply: Verdict | Failed) -> None:
        """Keeps a verdict, or why there is none; in the file when this returns.

        A verdict that stands already is not replaced. Raises DataError where the disk refuses;
        what was kept stays.
        """
        raw = (storable(reply.prompt), storable(reply.reply))
        with self._told():
            number = self._judge(judge)
            try:
                with self._added():
                    self._keep(number, self._ask(request), reply, raw)
            except BaseException:
                self._texts.clear()
                raise

    def _keep(
        self, judge: int, request: int, reply: Verdict | Failed, raw: tuple[str, str]
    ) -> None:
        if isinstance(reply, Failed):
            self._db.execute(schema.ADD_FAILURE, (judge, request, storable(reply.reason), *raw))
            return
        value = storable(reply.value) if isinstance(reply.value, str) else reply.value
        self._db.execute(schema.ADD_VERDICT, (judge, request, value, storable(reply.note), *raw))
        self._db.execute("DELETE FROM failures WHERE judge = ? AND ask = ?", (judge, request))

    def judges(self) -> tuple[Author, ...]:
        """Who gave verdicts or failed here."""
        with self._told():
            rows = self._db.execute("SELECT digest, name, identity FROM judges ORDER BY id")
            return tuple(Author(digest, name, json.loads(text)) for digest, name, text in rows)

    def __len__(self) -> int:
        with self._told():
            (count,) = self._db.execute("SELECT count(*) FROM verdicts").fetchone()
            return int(count)

    def __iter__(self) -> Iterator[StoredVerdict]:
        """Every verdict in the order in which it came, one in memory at a time."""
        judges = {judge.digest: judge for judge in self.judges()}
        with self._told():
            for key, kind, body, digest, *said in self._db.execute(schema.ENTRIES):
                yield StoredVerdict(key, kind, self._unpack(body), judges[digest], Verdict(*said))

    def failures(self) -> Iterator[StoredFailure]:
        """Every ask that has no verdict, by judge."""
        judges = {judge.digest: judge for judge in self.judges()}
        with self._told():
            for key, kind, body, digest, times, *why in self._db.execute(schema.MISSED):
                request = self._unpack(body)
                yield StoredFailure(key, kind, request, judges[digest], Failed(*why), times)

    def request(self, key: str) -> JudgeRequest | None:
        """The ask of this key, or None where it was never asked here."""
        with self._told():
            row = self._db.execute("SELECT body FROM asks WHERE key = ?", (key,)).fetchone()
            return None if row is None else request_from_json(self._unpack(row[0]))

    def _judge(self, judge: Author) -> int:
        return self._number("judges", judge)

    def _ask(self, request: JudgeRequest) -> int:
        row = self._db.execute("SELECT id FROM asks WHERE key = ?", (request.key,)).fetchone()
        if row is None:
            body = json.dumps(self._pack(request_to_json(request)))
            row = self._db.execute(
                "INSERT INTO asks VALUES (NULL, ?, ?, ?) RETURNING id",
                (request.key, type(request).__name__, body),
            ).fetchone()
        return int(row[0])

    def _pack(self, value: Any) -> Any:
        """Long texts become ``{"text": NUMBER}``, which nothing in an ask looks like."""
        if isinstance(value, str):
            kept_once = len(value) >= LONG and value == storable(value)
            return {"text": self._text(value)} if kept_once else value
        if isinstance(value, dict):
            return {key: self._pack(inner) for key, inner in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._pack(inner) for inner in value]
        return value

    def _unpack(self, body: str) -> dict[str, Any]:
        def filled(value: dict[str, Any]) -> Any:
            if len(value) == 1 and isinstance(value.get("text"), int):
                row = self._db.execute("SELECT text FROM texts WHERE id = ?", (value["text"],))
                return row.fetchone()[0]
            return value

        request: dict[str, Any] = json.loads(body, object_hook=filled)
        return request

    def _text(self, text: str) -> int:
        digest = hashlib.sha256(text.encode()).digest()
        if digest not in self._texts:
            if len(self._texts) >= _TEXTS_KNOWN:
                self._texts.clear()
            row = self._db.execute("SELECT id FROM texts WHERE digest = ?", (digest,)).fetchone()
            if row is None:
                row = self._db.execute(
                    "INSERT INTO texts VALUES (NULL, ?, ?) RETURNING id", (digest, text)
                ).fetchone()
            self._texts[digest] = row[0]
        return self._texts[digest]
