"""Verdicts of judges on requests, stored as they come.

Verdicts are committed before they are used, so a killed run loses none and asks for none again. The file
contains the requests too, and can be replayed as ``recorded:FILE``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argue_bench.records import Failed, JudgeRequest, Verdict, request_to_json
from argue_bench.store.file import Author, StoreFile, in_parts, storable

_ADD_REQUEST = "INSERT INTO requests VALUES (?, ?, ?, ?)"
_ADD_VERDICT = "INSERT OR IGNORE INTO verdicts VALUES (NULL, ?, ?, ?, ?, ?)"
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

    def __init__(self, path: str | Path, *, wait: float = 10.0, write: bool = True) -> None:
        super().__init__(path, wait=wait, write=write)
        self._served: set[tuple[str, tuple[str, str, str]]] = set()
        """Those that are known to be in the file."""

    def find(self, judge: Author, requests: Sequence[JudgeRequest]) -> dict[str, Verdict]:
        """The verdicts of this judge, by request key."""
        found: dict[str, Verdict] = {}
        keys = [bytes.fromhex(request.key) for request in requests]
        with self._data_errors():
            judge_id = self._author_id("judges", judge)
            for some in in_parts(keys):
                # CROSS tells SQLite to begin with the keys; left to itself it reads all the judge's verdicts.
                query = f"""
                    SELECT requests.key, value, note
                    FROM requests CROSS JOIN verdicts ON verdicts.request = requests.id
                    WHERE verdicts.judge = ? AND requests.key IN ({",".join("?" * len(some))})
                """
                for key, value, note in self._db.execute(query, (judge_id, *some)):
                    found[key.hex()] = Verdict(value, note)
        return found

    def add(self, judge: Author, request: JudgeRequest, reply: Verdict | Failed) -> None:
        """Stores one verdict or failure, as `add_all` does."""
        self.add_all(judge, [(request, reply)])

    def add_all(
        self, judge: Author, replies: Sequence[tuple[JudgeRequest, Verdict | Failed]]
    ) -> None:
        """Stores verdicts and failures; all are in the file when this returns.

        An earlier verdict is not replaced. Raises DataError where the disk refuses; what was stored
        before stays.
        """
        verdicts: list[tuple[int, int, str | float, str, bytes]] = []
        failures: list[tuple[int, int, str, bytes]] = []
        with self.adding():
            judge_id = self._author_id("judges", judge)
            ids = self._request_ids([request for request, _ in replies])
            raws = self._texts.pack_all(
                [((one.prompt, one.reply), request) for request, one in replies]
            )
            for (_, reply), id, raw in zip(replies, ids, raws, strict=True):
                if isinstance(reply, Failed):
                    failures.append((judge_id, id, storable(reply.reason), raw))
                    continue
                value = storable(reply.value) if isinstance(reply.value, str) else reply.value
                verdicts.append((judge_id, id, value, storable(reply.note), raw))
            self._db.executemany(_ADD_VERDICT, verdicts)
            if self._db.execute("SELECT 1 FROM failures LIMIT 1").fetchone():
                self._db.executemany(_DROP_FAILURE, [row[:2] for row in verdicts])
            self._db.executemany(_ADD_FAILURE, failures)

    def _request_ids(self, requests: Sequence[JudgeRequest]) -> list[int]:
        """The rows of requests, added where there are none."""
        keys = [bytes.fromhex(request.key) for request in requests]
        ids: dict[bytes, int] = {}
        for some in in_parts(keys):
            query = f"SELECT key, id FROM requests WHERE key IN ({','.join('?' * len(some))})"
            ids.update(self._db.execute(query, some))
        new: list[tuple[int, bytes, str, bytes]] = []
        if len(ids) < len(requests):
            (last,) = self._db.execute("SELECT coalesce(max(id), 0) FROM requests").fetchone()
            for key, request in zip(keys, requests, strict=True):
                if key not in ids:
                    ids[key] = last + len(new) + 1
                    new.append((ids[key], key, type(request).__name__, self._texts.body(request)))
            self._db.executemany(_ADD_REQUEST, new)
        return [ids[key] for key in keys]

    def served(self, judge: str) -> list[tuple[str, str, str]]:
        """Host, model and fingerprint of those that answered for a judge of this name."""
        with self._data_errors():
            query = "SELECT host, model, fingerprint FROM served WHERE judge = ?"
            return self._db.execute(query, (judge,)).fetchall()

    def add_served(self, judge: str, rows: Sequence[tuple[str, str, str]]) -> None:
        """Adds hosts, models and fingerprints that are not there yet. Raises DataError."""
        if not (new := [row for row in rows if (judge, row) not in self._served]):
            return
        with self.adding():
            storable_rows = [(judge, *map(storable, row)) for row in new]
            self._db.executemany("INSERT OR IGNORE INTO served VALUES (?, ?, ?, ?)", storable_rows)
        self._served.update((judge, row) for row in new)

    def judges(self) -> tuple[Author, ...]:
        """The judges that gave verdicts or failed."""
        return self._authors("judges")

    def __len__(self) -> int:
        return self._count("verdicts")

    def __iter__(self) -> Iterator[StoredVerdict]:
        """Every verdict in the order in which it came, one in memory at a time."""
        for key, kind, request, judge, *verdict in self._rows(
            "verdicts", "value, note", "verdicts.id"
        ):
            yield StoredVerdict(key, kind, request, judge, Verdict(*verdict))

    def failures(self) -> Iterator[StoredFailure]:
        """Every request that has no verdict, by judge."""
        for key, kind, request, judge, times, *why in self._rows(
            "failures", "times, reason", "failures.judge, failures.request"
        ):
            yield StoredFailure(key, kind, request, judge, Failed(*why), times)

    def _rows(self, table: str, columns: str, order: str) -> Iterator[tuple[Any, ...]]:
        """Key, kind, request and judge of each row, then these columns."""
        judges = {judge.digest: judge for judge in self.judges()}
        query = f"""
            SELECT requests.key, requests.kind, requests.body, judges.digest, raw, {columns}
            FROM {table} JOIN requests ON requests.id = {table}.request
            JOIN judges ON judges.id = {table}.judge ORDER BY {order}
        """
        with self._data_errors():
            for key, kind, body, digest, raw, *rest in self._db.execute(query):
                request = request_to_json(self._texts.request(kind, body))
                texts = self._texts.unpack(raw) or ("", "")
                yield key.hex(), kind, request, judges[digest], *rest, *texts

    def request(self, key: str) -> JudgeRequest | None:
        """The request of this key, or None."""
        with self._data_errors():
            query = "SELECT kind, body FROM requests WHERE key = ?"
            row = self._db.execute(query, (bytes.fromhex(key),)).fetchone()
            return None if row is None else self._texts.request(*row)
