"""Verdicts of judges on requests, stored as they come.

Each verdict is committed before it is used, so a killed run loses none and asks for none again. The file
contains the requests too, and can be replayed as ``recorded:FILE``.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argue_bench.records import Failed, JudgeRequest, Verdict, request_from_json, request_to_json
from argue_bench.store.file import Author, StoreFile, storable, transaction

LONG = 200
"""Characters from which a text is stored once and referred to."""
_KEYS_A_QUERY = 400
_MOST_TEXT_IDS = 20_000
_ADD_VERDICT = "INSERT OR IGNORE INTO verdicts VALUES (NULL, ?, ?, ?, ?, ?, ?)"
_ADD_FAILURE = """
    INSERT INTO failures VALUES (?, ?, ?, 1, ?, ?) ON CONFLICT (judge, request) DO UPDATE SET
    reason = excluded.reason, times = times + 1, prompt = excluded.prompt, reply = excluded.reply
"""


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

    def __init__(self, path: str | Path, *, wait: float = 10.0, write: bool = True) -> None:
        self._text_ids: dict[bytes, int] = {}
        super().__init__(path, wait=wait, write=write)

    def find(self, judge: Author, requests: Sequence[JudgeRequest]) -> dict[str, Verdict]:
        """The verdicts of this judge, by request key."""
        found: dict[str, Verdict] = {}
        keys = [request.key for request in requests]
        with self._data_errors():
            judge_id = self._author_id("judges", judge)
            for start in range(0, len(keys), _KEYS_A_QUERY):
                some = keys[start : start + _KEYS_A_QUERY]
                # CROSS tells SQLite to begin with the keys; left to itself it reads all the judge's verdicts.
                query = f"""
                    SELECT requests.key, value, note
                    FROM requests CROSS JOIN verdicts ON verdicts.request = requests.id
                    WHERE verdicts.judge = ? AND requests.key IN ({",".join("?" * len(some))})
                """
                for key, value, note in self._db.execute(query, (judge_id, *some)):
                    found[key] = Verdict(value, note)
        return found

    def add(self, judge: Author, request: JudgeRequest, reply: Verdict | Failed) -> None:
        """Stores a verdict, or why there is none; it is in the file when this returns.

        An earlier verdict is not replaced. Raises DataError where the disk refuses; what was stored
        before stays.
        """
        raw = (storable(reply.prompt), storable(reply.reply))
        with self._data_errors():
            judge_id = self._author_id("judges", judge)
            try:
                with transaction(self._db):
                    row = (judge_id, self._request_id(request))
                    if isinstance(reply, Failed):
                        self._db.execute(_ADD_FAILURE, (*row, storable(reply.reason), *raw))
                        return
                    value = storable(reply.value) if isinstance(reply.value, str) else reply.value
                    self._db.execute(_ADD_VERDICT, (*row, value, storable(reply.note), *raw))
                    self._db.execute("DELETE FROM failures WHERE judge = ? AND request = ?", row)
            except BaseException:
                self._text_ids.clear()  # some may be ids of texts that were rolled back
                raise

    def judges(self) -> tuple[Author, ...]:
        """The judges that gave verdicts or failed."""
        return self._authors("judges")

    def __len__(self) -> int:
        return self._count("verdicts")

    def __iter__(self) -> Iterator[StoredVerdict]:
        """Every verdict in the order in which it came, one in memory at a time."""
        for key, kind, request, judge, *verdict in self._rows(
            "verdicts", "value, note, prompt, reply", "verdicts.id"
        ):
            yield StoredVerdict(key, kind, request, judge, Verdict(*verdict))

    def failures(self) -> Iterator[StoredFailure]:
        """Every request that has no verdict, by judge."""
        for key, kind, request, judge, times, *why in self._rows(
            "failures", "times, reason, prompt, reply", "failures.judge, failures.request"
        ):
            yield StoredFailure(key, kind, request, judge, Failed(*why), times)

    def _rows(self, table: str, columns: str, order: str) -> Iterator[tuple[Any, ...]]:
        """Key, kind, request and judge of each row, then these columns."""
        judges = {judge.digest: judge for judge in self.judges()}
        query = f"""
            SELECT requests.key, requests.kind, requests.body, judges.digest, {columns}
            FROM {table} JOIN requests ON requests.id = {table}.request
            JOIN judges ON judges.id = {table}.judge ORDER BY {order}
        """
        with self._data_errors():
            for key, kind, body, digest, *rest in self._db.execute(query):
                yield key, kind, self._unpack(body), judges[digest], *rest

    def request(self, key: str) -> JudgeRequest | None:
        """The request of this key, or None."""
        with self._data_errors():
            row = self._db.execute("SELECT body FROM requests WHERE key = ?", (key,)).fetchone()
            return None if row is None else request_from_json(self._unpack(row[0]))

    def _request_id(self, request: JudgeRequest) -> int:
        row = self._db.execute("SELECT id FROM requests WHERE key = ?", (request.key,)).fetchone()
        if row is None:
            body = json.dumps(self._pack(request_to_json(request)))
            row = self._db.execute(
                "INSERT INTO requests VALUES (NULL, ?, ?, ?) RETURNING id",
                (request.key, type(request).__name__, body),
            ).fetchone()
        return int(row[0])

    def _pack(self, value: Any) -> Any:
        """Long texts become ``{"text": NUMBER}``, a form that no part of a request has."""
        if isinstance(value, str):
            is_long = len(value) >= LONG and value == storable(value)
            return {"text": self._text_id(value)} if is_long else value
        if isinstance(value, dict):
            return {key: self._pack(inner) for key, inner in value.items()}
        if isinstance(value, (list, tuple)):
            return [self._pack(inner) for inner in value]
        return value

    def _unpack(self, body: str) -> dict[str, Any]:
        def fill(value: dict[str, Any]) -> Any:
            if len(value) == 1 and isinstance(value.get("text"), int):
                row = self._db.execute("SELECT text FROM texts WHERE id = ?", (value["text"],))
                return row.fetchone()[0]
            return value

        request: dict[str, Any] = json.loads(body, object_hook=fill)
        return request

    def _text_id(self, text: str) -> int:
        digest = hashlib.sha256(text.encode()).digest()
        if digest not in self._text_ids:
            if len(self._text_ids) >= _MOST_TEXT_IDS:
                self._text_ids.clear()
            row = self._db.execute("SELECT id FROM texts WHERE digest = ?", (digest,)).fetchone()
            if row is None:
                row = self._db.execute(
                    "INSERT INTO texts VALUES (NULL, ?, ?) RETURNING id", (digest, text)
                ).fetchone()
            self._text_ids[digest] = row[0]
        return self._text_ids[digest]
