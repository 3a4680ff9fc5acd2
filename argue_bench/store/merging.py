"""Merging the stores of several processes or machines. Rows of the target are not replaced.

SQLite copies the rows from file to file: a verdict is neither read into Python nor packed anew. Each part
is one transaction, so a merge that was killed is whole up to some part, and repeating it ends it.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from argue_bench.errors import Code, DataError, Finding
from argue_bench.store.file import StoreFile

MOST_TOGETHER = 8
"""Stores that are added in one transaction: SQLite attaches ten databases to another."""
_SHARD = re.compile(r"(?P<whole>.*)\.(?P<number>\d+)-of-(?P<of>\d+)", re.DOTALL)

# Judges, models and requests have other numbers in the target: these find them by what they are.
_AUTHORS = """
INSERT OR IGNORE INTO main.{table} SELECT NULL, digest, name, identity FROM part.{table} ORDER BY id;
CREATE TEMP TABLE {table}_ids (old INTEGER PRIMARY KEY, new INTEGER);
INSERT INTO {table}_ids SELECT theirs.id, ours.id FROM part.{table} AS theirs
    JOIN main.{table} AS ours USING (digest);
"""
_CONTENT = """
INSERT OR IGNORE INTO main.dictionaries SELECT id, text FROM part.dictionaries;
INSERT OR IGNORE INTO main.texts SELECT NULL, digest, text FROM part.texts ORDER BY id;
INSERT OR IGNORE INTO main.served SELECT judge, host, model, fingerprint FROM part.served;
"""
_LAST_REQUEST = "SELECT coalesce(max(id), 0) FROM main.requests"
_ADD_REQUESTS = """
INSERT OR IGNORE INTO main.requests SELECT id + :last, key, kind, body FROM part.requests ORDER BY id
"""
# A request that was new has a number that follows from the part's; the few others are found by their keys,
# which are random and so would take most of the time of a merge.
_REQUEST = """coalesce(
    (SELECT id FROM main.requests WHERE id = theirs.request + :last),
    (SELECT same.id FROM part.requests AS asked CROSS JOIN main.requests AS same USING (key)
        WHERE asked.id = theirs.request))"""
# CROSS keeps the order of the loops: rows of the part as they stand.
_THEIRS = "FROM part.{table} AS theirs CROSS JOIN judges_ids ON judges_ids.old = theirs.judge"
_ADD_VERDICTS = f"""
INSERT OR IGNORE INTO main.verdicts
SELECT NULL, judges_ids.new, {_REQUEST}, value, note, raw {_THEIRS.format(table="verdicts")}
ORDER BY theirs.id
"""
_COUNT_DIFFERING = f"""
SELECT count(*) {_THEIRS.format(table="verdicts")}
    CROSS JOIN main.verdicts AS ours ON ours.judge = judges_ids.new AND ours.request = {_REQUEST}
WHERE ours.value IS NOT theirs.value
"""
_DROP_FAILURES = """
DELETE FROM main.failures WHERE EXISTS
(SELECT 1 FROM main.verdicts AS v WHERE v.judge = failures.judge AND v.request = failures.request)
"""
_ADD_FAILURES = f"""
INSERT INTO main.failures
SELECT judges_ids.new, {_REQUEST}, reason, times, raw {_THEIRS.format(table="failures")}
WHERE NOT EXISTS
(SELECT 1 FROM main.verdicts AS v WHERE v.judge = judges_ids.new AND v.request = {_REQUEST})
ON CONFLICT (judge, request) DO UPDATE SET reason = excluded.reason, times = times + excluded.times,
    raw = excluded.raw
"""
_ADD_REPLIES = """
INSERT OR IGNORE INTO main.replies
SELECT NULL, key, models_ids.new, purpose, attempt, text, finish, tokens_in, tokens_out, price, raw
FROM part.replies AS theirs CROSS JOIN models_ids ON models_ids.old = theirs.model ORDER BY theirs.id
"""
_COUNT_DIFFERING_REPLIES = """
SELECT count(*) FROM part.replies AS theirs CROSS JOIN main.replies AS ours USING (key)
WHERE ours.text IS NOT theirs.text
"""


@dataclass
class MergeCounts:
    """The counts of a merge.

    ``differing``: requests with two different verdicts of one judge, and prompts with two different
    replies of one model.
    """

    read: int = 0
    added: int = 0
    differing: int = 0
    failures: int = 0
    replies_read: int = 0
    replies_added: int = 0


def merge_stores(out: Path, parts: Sequence[Path], expect: int | None = None) -> MergeCounts:
    """Adds every verdict, failure and reply of ``parts`` to the store ``out``, created if missing.

    Of verdicts, and of replies, that differ the first stays. ``expect``: how many parts there must be.
    Raises DataError: a part that is missing, in use or not a store, or parts other than expected.
    """
    same = [part for part in parts if out.exists() and part.exists() and out.samefile(part)]
    if same:
        raise DataError.of(
            Code.MERGES_ITSELF,
            "a store can't be merged into itself",
            same[0],
            hint="Name another file to merge into.",
        )
    distinct = list(dict.fromkeys(part.resolve() for part in parts))
    if expect is not None and len(distinct) != expect:
        absent = "".join(f", {path} is missing" for path in missing_shards(parts))
        message = f"{len(distinct)} stores are named, {expect} were expected{absent}"
        raise DataError.of(
            Code.PARTS_MISSING, message, out, hint="Nothing was merged: name all of them."
        )
    findings: list[Finding] = []
    for part in parts:  # every part is opened once before anything is written
        try:
            StoreFile(part, write=False).close()
        except DataError as error:
            findings.extend(error.findings)
    if findings:
        raise DataError(findings)
    counts = MergeCounts()
    with StoreFile(out) as target:
        for part in parts:
            with _attached(target, f"{part.absolute().as_uri()}?mode=ro") as one, target.adding():
                one.add_to(counts)
    return counts


def add_stores(target: StoreFile, parts: Sequence[bytes]) -> MergeCounts:
    """Adds everything in some stores, given as the bytes of their files, to an open one, in one transaction.

    There may be `MOST_TOGETHER` of them. Raises DataError.
    """
    counts = MergeCounts()
    with ExitStack() as stack:
        attached: list[_Part] = []
        for number, part in enumerate(parts):
            one = stack.enter_context(_attached(target, ":memory:", f"part{number}"))
            one.db.deserialize(part, name=one.name)
            attached.append(one)
        with target.adding():
            for one in attached:
                one.add_to(counts)
    return counts


def missing_shards(parts: Sequence[Path]) -> list[Path]:
    """The stores that complete those named like ``run.verdicts.1-of-4``, as ``--shard`` names them."""
    found = [match for part in parts if (match := _SHARD.fullmatch(str(part)))]
    wanted = {
        Path(f"{match['whole']}.{number}-of-{match['of']}"): None
        for match in found
        for number in range(1, min(int(match["of"]), 10_000) + 1)
    }
    return [path for path in wanted if path not in parts]


@dataclass(frozen=True)
class _Part:
    """A store that is attached to the connection of the target under a name, ``part`` in the statements above."""

    db: sqlite3.Connection
    name: str

    def add_to(self, counts: MergeCounts) -> None:
        """Copies everything into the target."""
        for table in ("judges", "models"):
            self._run_all(_AUTHORS.format(table=table))
        self._run_all(_CONTENT)
        (last,) = self._run(_LAST_REQUEST).fetchone()
        self._run(_ADD_REQUESTS, last=last)
        read, added, differing = self._copy("verdicts", _ADD_VERDICTS, _COUNT_DIFFERING, last=last)
        counts.read += read
        counts.added += added
        counts.differing += differing
        self._run(_DROP_FAILURES)
        counts.failures += self._run(_ADD_FAILURES, last=last).rowcount
        read, added, differing = self._copy("replies", _ADD_REPLIES, _COUNT_DIFFERING_REPLIES)
        counts.replies_read += read
        counts.replies_added += added
        counts.differing += differing
        for table in ("judges_ids", "models_ids"):
            self._run(f"DROP TABLE {table}")

    def _copy(self, table: str, add: str, differing: str, **given: int) -> tuple[int, int, int]:
        """Copies a table; returns how many rows the part has, were added, and differ from the target's."""
        (read,) = self._run(f"SELECT count(*) FROM part.{table}").fetchone()
        added = self._run(add, **given).rowcount if read else 0
        if added == read:
            return read, added, 0
        (count,) = self._run(differing, **given).fetchone()
        return read, added, count

    def _run(self, statement: str, **given: int) -> sqlite3.Cursor:
        return self.db.execute(statement.replace("part.", f"{self.name}."), given)

    def _run_all(self, statements: str) -> None:
        # Not executescript, which would commit first.
        for statement in filter(str.strip, statements.split(";")):
            self._run(statement)


@contextmanager
def _attached(target: StoreFile, place: str, name: str = "part") -> Iterator[_Part]:
    """Another database, while it is open in a store's connection under this name."""
    with target.reading() as db:
        db.execute(f"ATTACH ? AS {name}", (place,))
        try:
            yield _Part(db, name)
        finally:
            db.execute(f"DETACH {name}")
