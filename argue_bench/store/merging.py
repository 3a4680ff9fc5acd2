"""Merging the stores of several processes or machines. Rows of the target are not replaced."""

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
    """Adds every verdict, failure and reply of ``parts`` to the store ``out``, created if missing.

    Of verdicts, and of replies, that differ the first stays. Raises DataError: a part that is missing, in
    use or not a store.
    """
    same = [part for part in parts if out.exists() and part.exists() and out.samefile(part)]
    if same:
        raise DataError.of(
            Code.MERGES_ITSELF,
            "a store can't be merged into itself",
            same[0],
            hint="Name another file to merge into.",
        )
    for part in parts:  # every part is opened once before anything is written
        Store(part, write=False).close()
    counts = MergeCounts()
    with Store(out) as target:
        for part in parts:
            with Store(part, write=False) as store:
                _add_verdicts(target, store, counts)
    with Replies(out) as replies:
        for part in parts:
            with Replies(part, write=False) as more:
                _add_replies(replies, more, counts)
    return counts


def _add_verdicts(target: Store, part: Store, counts: MergeCounts) -> None:
    for one in part:
        request = request_from_json(dict(one.request))
        earlier = target.find(one.judge, [request]).get(request.key)
        counts.read += 1
        if earlier is None:
            target.add(one.judge, request, one.verdict)
            counts.added += 1
        else:
            counts.differing += earlier.value != one.verdict.value
    for failure in part.failures():
        request = request_from_json(dict(failure.request))
        if not target.find(failure.judge, [request]):
            target.add(failure.judge, request, failure.failed)
            counts.failures += 1


def _add_replies(target: Replies, part: Replies, counts: MergeCounts) -> None:
    for one in part:
        earlier = target.find(one.key)
        counts.replies_read += 1
        if earlier is None:
            target.add(one)
            counts.replies_added += 1
        else:
            counts.differing += earlier.text != one.reply.text
