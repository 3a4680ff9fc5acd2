"""The intake of a pull request: one system's files, read as git objects and copied to a bundle.

The head commit is compared with the point where it left the board's main branch, folder by folder:
only files of one system under ``leaderboard-submissions`` may be new or changed, each a plain file
(mode 100644). Whole subtrees that are equal are never opened, so neither a hostile tree nor a board
of thousands costs more than its few folders. The ledger says who owns a system.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from argue_bench.errors import Code, Finding, SubmissionError
from argue_bench.leaderboard.formats.bundle import (
    SUBMISSION_BYTES,
    Bundle,
    check_author,
    paths_of,
    read_bundle,
)
from argue_bench.leaderboard.formats.git_objects import (
    FILE,
    FOLDER,
    Objects,
    TreeEntry,
    check_oid,
    check_ref,
    open_objects,
    refusal,
)
from argue_bench.leaderboard.formats.layout import ARCHIVE, FOLDERS, PLACES, ROOT, WEB_PAGES
from argue_bench.leaderboard.formats.ledger import Event, check_owner, ledger_at
from argue_bench.leaderboard.formats.names import system_name_fault
from argue_bench.leaderboard.formats.season import Season
from argue_bench.leaderboard.intake.duplicates import find_duplicates, read_merged
from argue_bench.leaderboard.intake.flags import flag_answers, refuse_empty
from argue_bench.leaderboard.submitting.checking import check_submissions
from argue_bench.loaders.dataset import Dataset
from argue_bench.records.display import escape

_MODES = {
    "120000": (Code.SYMLINK, "this is a link"),
    "160000": (Code.GITLINK, "this is another repository"),
    "100755": (Code.EXECUTABLE, "this is a program"),
    FOLDER: (Code.NOT_A_FILE, "this is a folder"),
}
_BOARDS_OWN = {
    "results": Code.RESULTS_EDITED,
    "ledger.jsonl": Code.RESULTS_EDITED,
    ARCHIVE: Code.RESULTS_EDITED,
    "season.json": Code.BOARD_FILE,
    "keys": Code.BOARD_FILE,
    "judges": Code.BOARD_FILE,
    "labels": Code.BOARD_FILE,
    "topics": Code.BOARD_FILE,
    WEB_PAGES: Code.BOARD_FILE,
    "gold.jsonl.sealed": Code.BOARD_FILE,
}
_OWNERS_REVIEW = {Code.OUTSIDE_SUBMISSION, Code.BOARD_FILE}
"""What the organiser changes by pull request too: a review guards it, that of the code owners where one is named."""


class NoSubmission(SubmissionError):
    """A pull request changes no file of any system, and nothing but what a review guards."""


@dataclass(frozen=True)
class PullRequest:
    """The facts that the platform gives about a pull request; none of them come from its author."""

    remote: str
    pr: int
    sha: str
    base: str
    author: str
    results: str = "leaderboard-results"
    token: str = ""

    def check(self) -> None:
        if not 0 < self.pr < 1 << 53:
            raise refusal(Code.PR_NUMBER)
        check_oid(self.sha, "head")
        check_oid(self.base, "base")
        check_author(self.author)
        check_ref(self.results)


def receive_pull_request(
    request: PullRequest, season: Season, dataset: Dataset
) -> tuple[Bundle, list[Finding]]:
    """The bundle of a pull request, and what was noticed besides. Raises SubmissionError.

    ``dataset`` is the season's, gold or no gold: answers must be complete before a run is spent.
    """
    request.check()
    with open_objects(request.remote, request.token) as objects:
        head = f"refs/pull/{request.pr}/head"
        results = check_ref(request.results)
        there = objects.refs(head, results)
        if there.get(head) != request.sha:
            # The label was set on what a maintainer saw; what came since is not scored.
            raise refusal(Code.HEAD_MOVED, hint="Review it again and set the label again.")
        objects.fetch([request.sha, request.base, *filter(None, [there.get(results)])])
        if objects.kind(request.sha) != "commit" or objects.kind(request.base) != "commit":
            raise refusal(Code.SHA_FORM, "head or base is not a commit")
        # Compared with where the branch left main, not with main: what others merged since is no change.
        fork = objects.merge_base(request.base, request.sha)
        system = _one_system(objects, fork, request.sha)
        events = ledger_at(objects, there.get(results))
        if not check_owner(events, system, request.author):
            _refuse_unowned(objects, request.base, system)
        files = _files(objects, request.sha, system)
        merged = read_merged(objects, request.base, ROOT, tuple(FOLDERS))
    bundle = Bundle(system, request.author, files, request.pr, request.sha, request.base)
    noticed = check_bundle(bundle, season, dataset)
    return bundle, [*noticed, *find_duplicates(merged, system, files)]


def receive_bundle(
    path: Path, author: str, season: Season, dataset: Dataset, events: list[Event]
) -> tuple[Bundle, list[Finding]]:
    """The same for a bundle that was sent as a file; ``author`` is the sender as the
    organiser names them."""
    sent = read_bundle(path)
    bundle = Bundle(sent.system, check_author(author), sent.files)
    check_owner(events, bundle.system, author)
    return bundle, check_bundle(bundle, season, dataset)


def check_bundle(bundle: Bundle, season: Season, dataset: Dataset) -> list[Finding]:
    """Warnings and notices on a bundle's files. Raises SubmissionError where there are errors."""
    with tempfile.TemporaryDirectory(prefix="argue-bench-") as name:
        folder = Path(name)
        bundle.unpack(folder)
        checked = check_submissions(folder, dataset, season.settings, bundle.system, season.limits)
        found = checked.all_findings
    clean = [replace(one, file=one.file.removeprefix(f"{folder}/")) for one in found]
    if not any(finding.level == "error" for finding in clean):
        clean += refuse_empty(bundle.files)
    if any(finding.level == "error" for finding in clean):
        raise SubmissionError(clean)
    return [*clean, *flag_answers(bundle.files)]


def _one_system(objects: Objects, fork: str, head: str) -> str:
    """The system whose files are new or changed; all findings at once where that is not so."""
    systems: set[str] = set()
    findings = list(_check_changes(objects, fork, head, systems))
    if len(systems) > 1:
        why = f"files of {len(systems):,} systems are new or changed"
        hint = "Send one pull request for each."
        findings.append(Finding(Code.MANY_SYSTEMS, why, ROOT, hint=hint))
    if not systems and {one.code for one in findings} <= _OWNERS_REVIEW:
        raise NoSubmission(findings or refusal(Code.NO_SUBMISSION, file=ROOT).findings)
    if findings:
        raise SubmissionError(findings)
    if not systems:
        raise refusal(Code.NO_SUBMISSION, file=ROOT)
    return systems.pop()


def _check_changes(objects: Objects, fork: str, head: str, systems: set[str]) -> Iterator[Finding]:
    """Refuses changes that no submission may make. The systems whose files changed are added
    to ``systems``."""
    before, after = objects.tree(fork), objects.tree(head)
    for name in _changed(before, after):
        new = after.get(name)
        if name != ROOT:
            yield _finding(Code.OUTSIDE_SUBMISSION, "", name)
        elif new is None or new.mode != FOLDER:
            yield _finding(*_mode(new), ROOT)
        else:
            old_places, places = _tree(objects, before.get(name)), objects.tree(new.oid)
            for place in _changed(old_places, places):
                old = _tree(objects, old_places.get(place))
                yield from _check_place(objects, place, old, places.get(place), systems)


def _check_place(
    objects: Objects,
    place: str,
    old: Mapping[str, TreeEntry],
    entry: TreeEntry | None,
    systems: set[str],
) -> Iterator[Finding]:
    where, ending = f"{ROOT}/{place}", ".json" if place == "metadata" else ".jsonl"
    if place not in PLACES:
        code = _BOARDS_OWN.get(place, Code.UNEXPECTED_FILE)
        yield _finding(code, "this is not a participant's to change", where)
        return
    if entry is None or entry.mode != FOLDER:
        yield _finding(*_mode(entry), where)
        return
    new = objects.tree(entry.oid)
    for name in _changed(old, new):
        system = name.removesuffix(ending)
        if not name.endswith(ending):
            yield _finding(Code.UNEXPECTED_FILE, f"not a {ending} file", f"{where}/{name}")
        elif why := system_name_fault(system):
            yield _finding(Code.SYSTEM_NAME, f"the name of the system {why}", f"{where}/{name}")
        else:
            systems.add(system)  # `_files` sees what kind of file each of the system's is
            if name not in new:
                why = "an entry is withdrawn by its status, not taken away"
                yield _finding(Code.DELETED, why, f"{where}/{name}")


def _refuse_unowned(objects: Objects, base: str, system: str) -> None:
    """Refuses a system that is on main without an owner in the ledger: any author could claim it."""
    names = {f"{system}.json", f"{system}.jsonl"}
    if any(names & objects.folder(base, ROOT, place).keys() for place in PLACES):
        hint = "Ask the organiser, who can enter you as its owner."
        raise refusal(Code.OWNER_UNKNOWN, file=f"{ROOT}/metadata/{system}.json", hint=hint)


def _files(objects: Objects, head: str, system: str) -> dict[str, bytes]:
    """Everything of a system at the head, also what was not changed; sizes before bytes."""
    allowed, oids = paths_of(system), {}
    findings = []
    for path in allowed:
        place, name = path.split("/")
        row = objects.folder(head, ROOT, place).get(name)
        if row is not None and row.mode != FILE:
            findings.append(_finding(*_mode(row), f"{ROOT}/{path}"))
        elif row is not None:
            oids[path] = row.oid
    # Sizes first: a blob is read only when all of them are within bounds.
    for path, size in zip(oids, objects.sizes(list(oids.values())), strict=True):
        if size > allowed[path]:
            why = f"the file has {size:,} bytes, at most {allowed[path]:,} are read"
            findings.append(_finding(Code.FILE_TOO_LARGE, why, f"{ROOT}/{path}"))
    if findings:
        raise SubmissionError(findings)
    contents = objects.blobs(list(oids.values()), SUBMISSION_BYTES)
    return dict(zip(oids, contents, strict=True))


def _tree(objects: Objects, row: TreeEntry | None) -> Mapping[str, TreeEntry]:
    return objects.tree(row.oid) if row is not None and row.mode == FOLDER else {}


def _changed(before: Mapping[str, TreeEntry], after: Mapping[str, TreeEntry]) -> list[str]:
    return [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]


def _mode(row: TreeEntry | None) -> tuple[Code, str]:
    if row is None:
        return Code.DELETED, "this was taken away"
    return _MODES.get(row.mode, (Code.ODD_MODE, "this is not a plain file"))


def _finding(code: Code, why: str, where: str) -> Finding:
    safe = escape(where, 200)
    hint = "A pull request holds the files of one system, and nothing else."
    return Finding(code, why, safe, hint=hint)
