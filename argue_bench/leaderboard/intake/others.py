"""The rows of others with which a new one is compared: those of main, former ones, scored ones, and open ones."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from argue_bench.errors import Code, SubmissionError
from argue_bench.leaderboard.formats.bundle import Bundle, paths_of
from argue_bench.leaderboard.formats.git_objects import Objects, open_objects
from argue_bench.leaderboard.formats.layout import FOLDERS, ROOT, RUNS
from argue_bench.leaderboard.formats.ledger import Event
from argue_bench.leaderboard.formats.season import Season
from argue_bench.leaderboard.intake.entries import (
    MODES,
    MergedEntries,
    PullRequest,
    entries_at,
    files_at,
    system_of,
)
from argue_bench.leaderboard.screening.copies import Row, texts_of
from argue_bench.loaders.dataset import Dataset
from argue_bench.records.display import normalise

# Of the heads of others' open pull requests: seconds of all, of one author's and of one, which takes a second or two.
OLDER_SECONDS, AUTHOR_SECONDS, ONE_OLDER_SECONDS = 180, 30, 15
# Of the comparison with them, and then with all others, of all files of a submission together: a row of 400 answers
# takes a twentieth of a second, the worst of 25 MB, by the seven forms that were tried, three tenths beside reading it.
OPEN_SECONDS, OTHERS_SECONDS = 120, 120
# Bytes that are kept in memory, of one author's and of all, the files of a pull request together: of an honest row of 300
# answers of 4,000 characters some 2 MB, in another script and in three settings 10. And of a file, before that.
AUTHOR_BYTES, ALL_BYTES, READ_BYTES = 50_000_000, 400_000_000, 50_000_000
# Of the check of a pull request's files in the intake of somebody else.
CHECK_SECONDS = 30
# What stands between the file and the number in the name of an open row.
OPEN = " of open pull request "
# For which a pull request's own check refuses it.
_REFUSED = {
    Code.DELETED,
    Code.GIT_REFUSED,
    Code.TOO_LARGE,
    Code.TOO_MANY,
    *(code for code, _ in MODES.values()),
}
# Files that are fetched together, and bytes that are read together.
_AT_ONCE, _AT_ONCE_BYTES = 100, 200_000_000
# Of one file; what is larger was never accepted.
_FILE_BYTES = 400_000_000


def open_bundles(
    request: PullRequest,
    known: Collection[tuple[str, str]],
    last: float,
    late: list[int],
) -> Iterator[Bundle]:
    """What open pull requests of other authors ask for, each one system with files that main never had (those are
    ``known``): a new one, or other answers of a merged one; unchecked, oldest first.

    Younger ones too: a number says when a pull request was opened, and nothing of when its answers came.

    Each head is read in a repository of its own, within seconds: it may hold as many trees as its author wants.
    Those of an author take from that author's share of the time alone, with what is done with each before the next is
    asked for. What is not reached before ``last``, or in it, is ``late``: it may hold anything.
    """
    older = {
        f"refs/pull/{n}/head": (n, who)
        for n, (who, *_) in sorted(request.open.items())
        if n != request.pr and who != request.author
    }
    if not older:
        return
    with open_objects(request.remote) as objects:
        heads = objects.refs(*older)
    seconds = defaultdict[str, float](float)
    for ref, (number, who) in older.items():
        began = time.monotonic()
        if ref not in heads:
            continue
        if began > last or seconds[who] > AUTHOR_SECONDS:
            late.append(number)
            continue
        try:
            with open_objects(request.remote, ONE_OLDER_SECONDS) as head:
                # Of a stranger's history nothing but the end: it may be as long as the stranger wants.
                head.fetch([heads[ref]], "--depth=1")
                # Not what main lacks: a branch holds all that main had when it was begun.
                files = entries_at(head, heads[ref]).items()
                asked = {system_of(path) for path, row in files if (path, row.oid) not in known}
                if len(asked := asked - {""}) == 1:
                    system = asked.pop()
                    read = files_at(head, heads[ref], system, READ_BYTES)
                    yield Bundle(system, who, read, number, heads[ref], request.base)
        except SubmissionError as error:
            if not {one.code for one in error.findings} <= _REFUSED:
                late.append(number)
        seconds[who] += time.monotonic() - began


def compared_part(raw: bytes, dataset: Dataset, season: Season) -> bytes:
    """No more of a file of answers than is compared, for whatever else stands in it is not kept."""
    texts = texts_of(raw, dataset, dataset.by_id, season.limits)
    # Composed again, for what is compared is cut before its letters are taken apart.
    lines = (
        json.dumps({"id": id, "answer": normalise("NFC", text)}, ensure_ascii=False)
        for id, text in texts.items()
    )
    return "\n".join(lines).encode("utf-8", "surrogatepass")


@dataclass(frozen=True)
class Others:
    """What a submission is compared with: open pull requests, main as it is and was, and what was scored."""

    objects: Objects
    merged: MergedEntries
    own: Collection[str]
    asked: Sequence[Bundle]
    late: list[int]
    """Open pull requests that were not compared in time."""
    scored: Objects
    runs: Sequence[tuple[str, str]]
    missed: list[str] = field(default_factory=list)
    """Of all others what was not compared in time."""

    def rows(self, share: float) -> Iterator[Row]:
        """All of them, within this share of the time for a submission."""
        last = time.monotonic() + OPEN_SECONDS * share
        # First those of open pull requests: their clock counts no others.
        yield from open_rows(self.asked, last, self.late)
        last += OTHERS_SECONDS * share
        for files, former in self._merged():
            yield from rows_at(self.objects, files, former, last, self.missed)
        yield from rows_at(self.scored, self.runs, True, last, self.missed)

    def former(self) -> Iterator[Row]:
        """What main has, or had, of the author's own answers."""
        own = [x for x in self.merged.versions if _is_answers(x[0]) and system_of(x[0]) in self.own]
        yield from rows_at(self.objects, own, True, time.monotonic() + OTHERS_SECONDS, [])

    def _merged(self) -> Iterator[tuple[list[tuple[str, str]], bool]]:
        """The files of answers, first the present then the former ones, of systems that are not the author's."""
        present = dict.fromkeys(self.merged.files.items())
        former = {one: None for one in self.merged.versions if one not in present}
        for each, said in ((present, "{}"), (former, "a former {} (blob {:.12})")):
            there = (x for x in each if _is_answers(x[0]) and system_of(x[0]) not in self.own)
            yield [(said.format(*one), one[1]) for one in there], each is former


def open_rows(asked: Iterable[Bundle], last: float, late: list[int]) -> Iterator[Row]:
    """The files of answers of open pull requests while there is time: short ones first, so that whoever sends long ones
    keeps no others out."""
    each = [(raw, path, one.pr or 0) for one in asked for path, raw in one.files.items()]
    for raw, path, number in sorted(each, key=lambda one: len(one[0])):
        if time.monotonic() > last:
            late.append(number)
        elif path.endswith(".jsonl"):
            yield f"{path}{OPEN}{number}", partial(bytes, raw)


def scored_answers(
    objects: Objects, request: PullRequest, events: Iterable[Event], merged: MergedEntries
) -> list[tuple[str, str]]:
    """The files of answers that were scored of other authors and that main never had, the newest first: what each is
    called, and git's name of its bytes.

    Whoever had no step up is asked to close the pull request, and its commits stay where all can read them. The
    objects are not those that the pull request was fetched into: history is cut off here.
    """
    runs = {e.commit: e for e in events if e.event in RUNS and e.author != request.author}
    commits = [one for one in reversed(runs) if one]
    for some in _batches(commits):
        try:
            objects.fetch(some, "--depth=1")
        except SubmissionError:  # the platform may keep one of them no more
            for one in some:
                with suppress(SubmissionError):
                    objects.fetch([one], "--depth=1")
    return [
        (f"{path}, scored on {runs[one].date[:10]}", oid)
        for one in commits
        for path, oid in _scored(objects, one, runs[one].system)
        if (path, oid) not in merged.versions
    ]


def _scored(objects: Objects, commit: str, system: str) -> Iterator[tuple[str, str]]:
    """The files of a system's answers at a commit that was scored, where the platform has it still."""
    paths = [path for path in paths_of(system) if _is_answers(path)]
    with suppress(SubmissionError):
        files = objects.files(f"{commit}:{ROOT}", *paths)
        # Without one there are capitals in their names, which boards take for small letters.
        for path, row in files.items() or entries_at(objects, commit).items():
            if path in paths:
                yield path, row.oid


def _is_answers(path: str) -> bool:
    return path.partition("/")[0] in FOLDERS and path.endswith(".jsonl")


def rows_at(
    objects: Objects,
    files: Sequence[tuple[str, str]],
    former: bool,
    last: float,
    missed: list[str],
) -> Iterator[Row]:
    """Rows of files, each what it is called and git's name of its bytes, while there is time; the rest is ``missed``.

    Many are read by one process of git, and kept while the next ones are asked for, short ones first. Of ``former``
    ones some may have been deleted from the history for good, which keeps nobody out.
    """
    waiting = _batches(files)
    while waiting:
        some, near = waiting.pop(0), dict[str, bytes]()
        if time.monotonic() > last:
            missed += [said for said, _ in some]
            continue
        oids = [oid for _, oid in some]
        try:
            sizes = objects.sizes(oids)
            if sum(sizes) <= _AT_ONCE_BYTES:
                near.update(zip(oids, objects.blobs(oids, _AT_ONCE_BYTES), strict=True))
        except SubmissionError:
            if not former:
                raise
            waiting[:0] = [[one] for one in some] if len(some) > 1 else []
            continue
        for _, (said, oid) in sorted(zip(sizes, some, strict=True)):
            if time.monotonic() > last:
                missed.append(said)
            else:
                yield said, partial(_read, objects, oid, near)
        near.clear()


def _read(objects: Objects, oid: str, near: Mapping[str, bytes]) -> bytes:
    return near[oid] if oid in near else objects.blobs([oid], _FILE_BYTES)[0]


T = TypeVar("T")


def _batches(some: Sequence[T]) -> list[Sequence[T]]:
    return [some[at : at + _AT_ONCE] for at in range(0, len(some), _AT_ONCE)]
