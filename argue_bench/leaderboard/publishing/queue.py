"""The queue of open pull requests: their authors, how long they have waited, and for what.

It is read from a list of objects {"number", "author": {"login"}, "createdAt", "headRefOid",
"labels": [{"name"}], "isDraft"}, as `gh pr list --json
number,author,createdAt,headRefOid,labels,isDraft` prints it; "isDraft" may be missing. Strangers
chose their names: no other text of theirs is looked at.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError
from argue_bench.leaderboard.formats.ledger import Event
from argue_bench.leaderboard.formats.names import OID
from argue_bench.records.untrusted import Limits, read_json

# 1,000 open pull requests with their labels are some 300 kB.
LIMITS = Limits(line_bytes=20_000_000, file_bytes=20_000_000, depth=8)
STATES = {"score": "being scored", "refused": "refused"}
"""What a label says of a pull request; all other labels say nothing."""
UNREVIEWED = "awaiting review"


@dataclass(frozen=True)
class QueueEntry:
    """One pull request: its state, and how many days it has been open."""

    number: int
    author: str
    state: str
    since: str
    days: int


def read_queue(path: Path, events: Iterable[Event], now: str) -> list[QueueEntry]:
    """The queue, the oldest first. Raises DataError."""
    value = read_json(path, LIMITS)
    if not isinstance(value, list):
        raise DataError.of(
            Code.WRONG_SHAPE, "The list of open pull requests is not a JSON list", file=path
        )
    scored = {event.commit: event.event for event in events if event.commit}
    rows = []
    for place, one in enumerate(value):
        try:
            rows.append(_row(one, scored, now))
        except (KeyError, TypeError, ValueError, AttributeError):
            why = f"entry {place + 1} has not number, author, createdAt, headRefOid and labels"
            raise DataError.of(Code.WRONG_SHAPE, why, path) from None
    return sorted(rows, key=lambda row: (row.since, row.number))


def _row(one: dict[str, Any], scored: dict[str, str], now: str) -> QueueEntry:
    number, head, since = one["number"], one["headRefOid"], one["createdAt"]
    # True is an int to isinstance.
    if type(number) is not int or not OID.fullmatch(head):
        raise ValueError
    labels = [label["name"] for label in one["labels"]]
    unreviewed = "is a draft" if one.get("isDraft") is True else UNREVIEWED
    state = scored.get(head) or next((STATES[n] for n in STATES if n in labels), unreviewed)
    # A login has these characters; whatever else it holds is dropped, not shown.
    login = re.sub(r"[^A-Za-z0-9\[\]-]", "", str((one["author"] or {}).get("login", ""))[:40])
    age = _time(now) - _time(since)
    return QueueEntry(number, login, state, since[:10], max(0, age.days))


def _time(text: str) -> datetime:
    return datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
