"""Verdicts of judges on requests, stored as they come.

Verdicts are committed before they are used, so a killed run loses none and asks for none again. The file
contains the requests too, and can be replayed as ``recorded:FILE``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from argue_bench.records import Failed, JudgeRequest, NotJudged, Verdict, request_to_json
from argue_bench.store.file import Author, StoreFile, in_parts, storable
from argue_bench.store.texts import packed_request, unpacked_request

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
        keys = [bytes.fromhex(request.key) for request in requests]
        with self._data_errors():
            for some in in_parts(keys):
                query = f"""
                    SELECT request, value, note, probability, flag FROM verdicts
                    WHERE judge = ? AND request IN ({",".join("?" * len(some))})
                """
                for key, value, note, *flagged in self._db.execute(query, (judge.number, *some)):
                    found[key.hex()] = Verdict(value, note, "", "", *flagged)
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
                body = packed_request(request)
                # Two judges may be asked the same: the request is there once.
                db.execute(_ADD_REQUEST, (key, type(request).__name__, body))
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
        judges = {judge.number: judge for judge in self.judges()}
        query = f"""
            SELECT key, kind, body, judge, raw, {columns}
            FROM {table} JOIN requests ON requests.key = {table}.request ORDER BY {order}
        """
        with self._data_errors():
            for key, kind, body, number, raw, *rest in self._db.execute(query):
                request = unpacked_request(body)
                texts = self._texts.unpack(raw, request)
                yield key.hex(), kind, request_to_json(request), judges[number], *rest, *texts

    def request(self, key: str) -> JudgeRequest | None:
        """The request of this key, or None."""
        with self._data_errors():
            query = "SELECT body FROM requests WHERE key = ?"
            row = self._db.execute(query, (bytes.fromhex(key),)).fetchone()
            return None if row is None else unpacked_request(*row)
