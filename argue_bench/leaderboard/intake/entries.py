"""The facts of a pull request, and what lies in a board's repository at a commit: a system's files, merged entries.

Trees and sizes are read before bytes, and nothing is checked out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from argue_bench.errors import Code, DataError, Finding, SubmissionError
from argue_bench.leaderboard.formats.bundle import SUBMISSION_BYTES, paths_of
from argue_bench.leaderboard.formats.git_objects import (
    FILE,
    FOLDER,
    Objects,
    TreeEntry,
    check_oid,
    check_ref,
    refusal,
)
from argue_bench.leaderboard.formats.layout import PLACES, ROOT
from argue_bench.leaderboard.formats.metadata import LIMITS
from argue_bench.leaderboard.formats.names import AUTHOR, board_name
from argue_bench.records.display import escape
from argue_bench.records.untrusted import parse_json

MODES = {
    "120000": (Code.SYMLINK, "this is a link"),
    "160000": (Code.ODD_MODE, "this is another repository"),
    "100755": (Code.ODD_MODE, "this is a program"),
    FOLDER: (Code.UNREADABLE, "this is a folder"),
}
# Systems whose display names are read; of more only the names of their files are compared.
MOST_NAMES = 5_000


@dataclass(frozen=True)
class PullRequest:
    """The facts that the platform gives about a pull request; none of them come from its author."""

    remote: str
    pr: int
    sha: str
    base: str
    author: str
    results: str = "leaderboard-results"
    screened: bool = False
    """Whether a maintainer has looked: then nothing is held."""
    open: Mapping[int, tuple[str, ...]] = field(default_factory=dict)
    """The open pull requests: of each the id of its author, and the system that its branch has had as its name
    since it was opened, where it is called as `submission send` calls it."""

    def check(self) -> None:
        if not 0 < self.pr < 1 << 53:
            raise refusal(
                Code.BAD_ARGUMENT, "The number of the pull request is not a positive number"
            )
        check_oid(self.sha, "head")
        check_oid(self.base, "base")
        if not AUTHOR.fullmatch(self.author):
            raise refusal(
                Code.BAD_ARGUMENT, "The author's id holds characters that ids must not hold"
            )
        # Whoever starts a run by hand may have been given a third person's id.
        if self.open.get(self.pr, (self.author,))[0] != self.author:
            raise refusal(
                Code.BAD_ARGUMENT, f"Pull request {self.pr} is of another author than this id"
            )
        check_ref(self.results)


@dataclass(frozen=True)
class MergedEntries:
    """The display names of the systems on main, and their files: path to git's name of the bytes."""

    names: Mapping[str, str]
    files: Mapping[str, str]
    versions: Mapping[tuple[str, str], None]
    """Every file that main ever had, with its bytes; the newest first."""


def read_merged(objects: Objects, commit: str) -> MergedEntries:
    """The entries at a commit of the board. Raises SubmissionError where they can't be fetched."""
    files = {path: row.oid for path, row in entries_at(objects, commit).items() if row.mode == FILE}
    ever = ((board_name(path), oid) for path, oid in objects.versions(commit, ROOT))
    versions = dict.fromkeys((path.removeprefix(f"{ROOT}/"), oid) for path, oid in ever)
    known = {
        system_of(path): oid
        for path, oid in files.items()
        if path.startswith("metadata/") and path.endswith(".json")
    }
    if len(known) > MOST_NAMES:
        return MergedEntries(dict.fromkeys(known, ""), files, versions)
    contents = objects.blobs([*known.values()], len(known) * LIMITS.file_bytes)
    return MergedEntries(dict(zip(known, map(name_in, contents), strict=True)), files, versions)


def name_in(raw: bytes) -> str:
    """The display name in metadata that nobody may have checked; empty where there is none."""
    try:
        value = parse_json(raw.removeprefix(b"\xef\xbb\xbf"), "metadata", None, LIMITS)
    except DataError:
        return ""
    name = value.get("name") if isinstance(value, dict) else None
    return name[:80] if isinstance(name, str) else ""


def system_of(path: str) -> str:
    """The system of a file, PLACE/SYSTEM.json or .jsonl; empty for a hidden one."""
    return path.partition("/")[2].partition(".")[0]


def files_at(
    objects: Objects, head: str, system: str, most: int = SUBMISSION_BYTES
) -> dict[str, bytes]:
    """Everything of a system at the head, also what was not changed, ``most`` bytes of a file; sizes before bytes."""
    allowed = {path: min(size, most) for path, size in paths_of(system).items()}
    there, oids = entries_at(objects, head), {}
    findings = []
    for path in allowed:
        row = there.get(path)
        if row is not None and row.mode != FILE:
            findings.append(path_finding(*mode_fault(row), f"{ROOT}/{path}"))
        elif row is not None:
            oids[path] = row.oid
    # Sizes first: a blob is read only when all of them are within bounds.
    for path, size in zip(oids, objects.sizes(list(oids.values())), strict=True):
        if size > allowed[path]:
            findings.append(
                path_finding(
                    Code.TOO_LARGE,
                    f"the file has {size:,} bytes, at most {allowed[path]:,} are read",
                    f"{ROOT}/{path}",
                )
            )
    if findings:
        raise SubmissionError(findings)
    return dict(zip(oids, objects.blobs(list(oids.values()), SUBMISSION_BYTES), strict=True))


def entries_at(objects: Objects, commit: str) -> dict[str, TreeEntry]:
    """The files of all systems, each by its place and its name on the board."""
    places = objects.folder(commit, ROOT)
    rows = ((place, tree_at(objects, places.get(place))) for place in PLACES)
    return {
        f"{place}/{board_name(name)}": row for place, each in rows for name, row in each.items()
    }


def tree_at(objects: Objects, row: TreeEntry | None) -> Mapping[str, TreeEntry]:
    """The folder that this is, empty where it is none."""
    return objects.tree(row.oid) if row is not None and row.mode == FOLDER else {}


def mode_fault(row: TreeEntry | None) -> tuple[Code, str]:
    """Why this is no plain file."""
    if row is None:
        return Code.DELETED, "this was taken away"
    return MODES.get(row.mode, (Code.ODD_MODE, "this is not a plain file"))


def path_finding(code: Code, why: str, where: str) -> Finding:
    """What is wrong with a path of a pull request."""
    return Finding(
        code,
        why,
        escape(where, 200),
        hint="A pull request holds the files of one system, and nothing else.",
    )
