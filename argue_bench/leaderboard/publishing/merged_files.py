"""The comparison of merged files with scored files: a score is shown only beside its own files.

A signed result names every file that it was scored from by its SHA-256. Merging comes after scoring,
and a pull request can be changed in between. A result is therefore shown only where the board's main
branch has files of just these digests; where an earlier result fits main, that one is shown. Of a
private submission main has the metadata alone, so these alone are compared. Where main has the
files of a later season, a result of an earlier season stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from argue_bench.errors import Code, Finding
from argue_bench.leaderboard.formats.bundle import paths_of
from argue_bench.leaderboard.formats.layout import DESCRIBED, SCORED
from argue_bench.leaderboard.formats.ledger import Event
from argue_bench.leaderboard.formats.results import Result, Version
from argue_bench.leaderboard.submitting.checking import is_file
from argue_bench.records.digests import file_sha256

_SHORT = 12
"""Digits of a SHA-256 that a finding shows."""


def file_digests(board: Path, system: str) -> dict[str, str]:
    """Path to SHA-256 of a system's files in a folder of submissions; links do not count."""
    return {p: file_sha256(board / p) for p in paths_of(system) if is_file(board / p)}


def is_private(result: Result, events: Iterable[Event]) -> bool:
    """Whether the files of a result came to the organiser by file, and never by a pull request."""
    commit: str | None = "unknown"
    for event in events:
        if (event.season, event.system) == (result.season, result.system):
            commit = event.commit if event.event in (SCORED[0], DESCRIBED) else commit
    return commit is None


def choose_versions(
    results: Sequence[Result],
    board: Path,
    events: Sequence[Event],
    versions: Callable[[Result], Iterable[Version]],
) -> dict[str, Version | Finding]:
    """For the results of one system: the season to the version that replaces its result, or a finding.

    A season whose result matches the files on main is not in the mapping. ``versions`` yields the
    versions of a season's result, the newest first.
    """
    if not results:
        return {}
    there = file_digests(board, results[0].system)
    differ = {one.season: one.changed_files(there, is_private(one, events)) for one in results}
    other = [one for one in results if differ[one.season]]
    earlier = {
        one.season: next(
            (
                v
                for v in versions(one)
                if not v.result.changed_files(there, is_private(one, events))
            ),
            None,
        )
        for one in other
    }
    standing = [one for one in results if not differ[one.season]]
    standing += [version.result for version in earlier.values() if version is not None]
    latest = max((one.created for one in standing), default="")
    return {
        one.season: earlier[one.season] or _finding(one, differ[one.season])
        for one in other
        if earlier[one.season] is not None or one.created >= latest
    }


def _finding(result: Result, differ: Sequence[tuple[str, str, str]]) -> Finding:
    each = [
        f"{path} is {there[:_SHORT] or 'not there'}, expected {scored[:_SHORT]}"
        for path, there, scored in differ
    ]
    why = f"left out: the files on main differ from the scored files; by SHA-256, {'; '.join(each)}"
    hint = "Merge the files that were scored, or let these be scored."
    return Finding(Code.MERGED_OTHER, why, result.path.as_posix(), hint=hint)
