"""Brings the stores of several writers into one. What stands in it already is not replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from argue_bench.errors import Code, DataError
from argue_bench.records import request_from_json
from argue_bench.store.replies import Replies
from argue_bench.store.verdicts import Store


@dataclass
class MergeCounts:
    """What a merge came to. ``differing``: asks that one judge answered one way here, another there,
    and requests to which one model replied in two ways."""

    read: int = 0
    added: int = 0
    differing: int = 0
    failures: int = 0
    replies_read: int = 0
    replies_added: int = 0


def merge_stores(out: Path, parts: Sequence[Path]) -> MergeCounts:
    """Adds every verdict, failure and reply of ``parts`` to the store ``out``, made where there is none.

    Of verdicts, and of replies, that differ the first stands. Raises DataError: a part that is missing, in use or no store.
    """
    same = [part for part in parts if out.exists() and part.exists() and out.samefile(part)]
    if same:
        raise DataError.of(
            Code.MERGES_ITSELF,
            "a store can't be merged into itself",
            same[0],
            hint="Name another file to merge into.",
        )
    for part in parts:  # all of them are looked at before anything is written
        Store(part, write=False).close()
    found = MergeCounts()
    with Store(out) as whole:
        for part in parts:
            with Store(part, write=False) as store:
                _add(whole, store, found)
    with Replies(out) as replies:
        for part in parts:
            with Replies(part, write=False) as more:
                _add_replies(replies, more, found)
    return found


def _add(whole: Store, part: Store, found: MergeCounts) -> None:
    for entry in part:
        request = request_from_json(dict(entry.request))
        standing = whole.find(entry.judge, [request]).get(request.key)
        found.read += 1
        if standing is None:
            whole.add(entry.judge, request, entry.verdict)
            found.added += 1
        else:
            found.differing += standing.value != entry.verdict.value
    for missed in part.failures():
        request = request_from_json(dict(missed.request))
        if not whole.find(missed.judge, [request]):
            whole.add(missed.judge, request, missed.failed)
            found.failures += 1


def _add_replies(whole: Replies, part: Replies, found: MergeCounts) -> None:
    for one in part:
        standing = whole.find(one.key)
        found.replies_read += 1
        if standing is None:
            whole.add(one)
            found.replies_added += 1
        else:
            found.differing += standing.text != one.kept.text
