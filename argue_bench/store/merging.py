"""Merging the stores of several processes or machines. Rows of the target are not replaced.

SQLite copies the rows from file to file: a verdict is neither read into Python nor packed anew. Each part
is one transaction, so a merge that was killed is whole up to some part, and repeating it ends it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from argue_bench.errors import Code, DataError, Finding
from argue_bench.store.file import StoreFile

# Their rows say nothing that another store could say otherwise.
_WHOLE_TABLES = ("judges", "models", "texts", "requests", "served")
_ADD_VERDICTS = """
INSERT OR IGNORE INTO main.verdicts
SELECT NULL, judge, request, value, note, probability, flag, raw FROM part.verdicts ORDER BY id
"""
_COUNT_DIFFERING = """
SELECT count(*) FROM part.verdicts AS theirs JOIN main.verdicts AS ours USING (judge, request)
WHERE ours.value IS NOT theirs.value
"""
_ADD_FAILURES = """
INSERT INTO main.failures SELECT * FROM part.failures WHERE true
ON CONFLICT (judge, request) DO UPDATE SET reason = excluded.reason, times = times + excluded.times,
    raw = excluded.raw
"""
_DROP_FAILURES = """
DELETE FROM main.failures WHERE (judge, request) IN (SELECT judge, request FROM main.verdicts)
"""
_ADD_REPLIES = """
INSERT OR IGNORE INTO main.replies
SELECT NULL, key, model, purpose, attempt, text, finish, tokens_in, tokens_out, price, raw
FROM part.replies ORDER BY id
"""
_COUNT_DIFFERING_REPLIES = """
SELECT count(*) FROM part.replies AS theirs JOIN main.replies AS ours USING (key)
WHERE ours.text IS NOT theirs.text
"""


_ADD_SPENT = """
INSERT INTO main.spent SELECT * FROM part.spent WHERE true
ON CONFLICT (store) DO UPDATE SET dollars = max(dollars, excluded.dollars)
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


def merge_stores(out: Path, parts: Sequence[Path]) -> MergeCounts:
    """Adds every verdict, failure and reply of ``parts``, and what was spent for them, to the store ``out``, created
    if missing.

    Of verdicts, and of replies, that differ the first stays. Raises DataError: a part that is missing, in
    use or not a store.
    """
    same = [part for part in parts if out.exists() and part.exists() and out.samefile(part)]
    if same:
        raise DataError.of(
            Code.OTHER_DATA,
            "a store can't be merged into itself",
            same[0],
            hint="Name another file to merge into.",
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
            with target.attached(part) as db, target.adding():
                _add_part(db, counts)
    return counts


def _add_part(db: sqlite3.Connection, counts: MergeCounts) -> None:
    """Copies everything of the database ``part`` into the target."""
    for table in _WHOLE_TABLES:
        db.execute(f"INSERT OR IGNORE INTO main.{table} SELECT * FROM part.{table}")
    db.execute(_ADD_SPENT)
    (read,) = db.execute("SELECT count(*) FROM part.verdicts").fetchone()
    (replies,) = db.execute("SELECT count(*) FROM part.replies").fetchone()
    # Counted before: afterwards a verdict that was added would be compared with itself.
    for query in (_COUNT_DIFFERING, _COUNT_DIFFERING_REPLIES):
        counts.differing += db.execute(query).fetchone()[0]
    counts.read += read
    counts.added += db.execute(_ADD_VERDICTS).rowcount
    counts.replies_read += replies
    counts.replies_added += db.execute(_ADD_REPLIES).rowcount
    (before,) = db.execute("SELECT count(*) FROM main.failures").fetchone()
    db.execute(_ADD_FAILURES)
    db.execute(_DROP_FAILURES)
    (after,) = db.execute("SELECT count(*) FROM main.failures").fetchone()
    counts.failures += after - before
