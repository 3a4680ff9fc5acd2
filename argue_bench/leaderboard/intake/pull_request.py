"""The intake of a pull request: one system's files, read as git objects and copied to a bundle.

The head commit is compared with the point where it left the board's main branch, folder by folder:
only files of one system under ``leaderboard-submissions`` may be new or changed, each a plain file
(mode 100644). Whole subtrees that are equal are never opened, so neither a hostile tree nor a board
of thousands costs more than its few folders. The ledger says who owns a system.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path

from argue_bench.errors import Code, DataError, Finding, SubmissionError
from argue_bench.leaderboard.formats.bundle import (
    SUBMISSION_BYTES,
    Bundle,
    paths_of,
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
from argue_bench.leaderboard.formats.layout import ARCHIVE, FOLDERS, MAIN, PLACES, ROOT
from argue_bench.leaderboard.formats.ledger import check_owner, ledger_at, owners
from argue_bench.leaderboard.formats.metadata import LIMITS, check_names
from argue_bench.leaderboard.formats.names import AUTHOR, board_name, system_name_fault
from argue_bench.leaderboard.formats.results import AnswerFacts
from argue_bench.leaderboard.formats.season import Season
from argue_bench.leaderboard.screening.answers import (
    held_for,
    read_submitted,
    screen_copies,
    screen_flags,
)
from argue_bench.leaderboard.submitting.checking import (
    check_capitals,
    check_submissions,
    mass_empty,
)
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import few
from argue_bench.records import Answer
from argue_bench.records.display import escape
from argue_bench.records.untrusted import parse_json
from argue_bench.text.statements import claim_sentences

# Of the heads of others' open pull requests: seconds of all, of one author's and of one, which takes a second or two.
# Then those of the comparison with them, for each file of answers.
OLDER_SECONDS, AUTHOR_SECONDS, ONE_OLDER_SECONDS, COMPARED_SECONDS = 180, 30, 15, 60
# Bytes of one author's, which are kept in memory: an honest row of 300 answers of 4,000 characters has some 2 MB.
AUTHOR_BYTES = 20_000_000
_MODES = {
    "120000": (Code.SYMLINK, "this is a link"),
    "160000": (Code.ODD_MODE, "this is another repository"),
    "100755": (Code.ODD_MODE, "this is a program"),
    FOLDER: (Code.UNREADABLE, "this is a folder"),
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
    "gold.jsonl.sealed": Code.BOARD_FILE,
    "opened": Code.BOARD_FILE,
}
# What the organiser changes by pull request too: a review guards it, that of the code owners where one is named.
_OWNERS_REVIEW = {Code.OUTSIDE_SUBMISSION, Code.BOARD_FILE}


class NoSubmission(SubmissionError):
    """A pull request changes no file of any system, and nothing but what a review guards."""


class HeldSubmission(SubmissionError):
    """A submission waits until a maintainer has looked at its ``bundle``."""

    def __init__(self, bundle: Bundle, findings: list[Finding]) -> None:
        super().__init__(findings)
        self.bundle = bundle


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
        check_ref(self.results)


def receive_pull_request(
    request: PullRequest, season: Season, dataset: Dataset
) -> tuple[Bundle, list[Finding]]:
    """The bundle of a pull request, and what was noticed besides. Raises SubmissionError.

    ``dataset`` is the season's, gold or no gold: answers must be complete before a run is spent.
    """
    request.check()
    with open_objects(request.remote) as objects:
        # The platform keeps this name in the board's own repository: no fork is ever asked.
        head = f"refs/pull/{request.pr}/head"
        results = check_ref(request.results)
        there = objects.refs(head, results, MAIN)
        if there.get(head) != request.sha:
            # The label was set on what a maintainer saw; what came since is not scored.
            raise refusal(Code.HEAD_MOVED, hint="Review it again and set the label again.")
        # A run may have waited since it was labelled: what was merged meanwhile is on no list of open ones.
        main = there.get(MAIN, request.base)
        objects.fetch([request.sha, request.base, main, *filter(None, [there.get(results)])])
        if objects.kind(request.sha) != "commit" or objects.kind(request.base) != "commit":
            raise refusal(Code.BAD_ARGUMENT, "head or base is not a commit")
        # Compared with where the branch left main, not with main: what others merged since is no change.
        fork = objects.merge_base(request.base, request.sha)
        system = _one_system(objects, fork, request.sha)
        events = ledger_at(objects, there.get(results))
        # The ledger knows no owner: the name is free, unless main has its files, or had them.
        last, doubts, late = time.monotonic() + OLDER_SECONDS, list[str](), list[int]()
        merged = read_merged(objects, main)
        asked = list(_asked(request, {*merged.versions}, last, late))
        if not check_owner(events, system, request.author):
            _refuse_unowned(merged, system)
            doubts += _rivals(request, asked, system, season, dataset, last)
        files = _files(objects, request.sha, system)
        bundle = Bundle(system, request.author, files, request.pr, request.sha, request.base)
        noticed, read = check_bundle(bundle, season, dataset)
        names = (name for place in PLACES for name in objects.folder(request.sha, ROOT, place))
        own_names = [one for one in names if board_name(one).partition(".")[0] == system]
        if capitals := check_capitals(own_names, system, ROOT):
            if capitals.level == "error":
                raise SubmissionError([capitals])
            noticed.append(capitals)
        own = {one for one, who in owners(events).items() if who == request.author}
        theirs = {one: name for one, name in merged.names.items() if one not in own}
        alike = find_look_alikes(theirs, system, files[f"metadata/{system}.json"])
        # Two rows that no reader can tell apart: one may well be made to be taken for the other.
        noticed += alike if request.screened else [held_for(one) for one in alike]
        for path, (answers, facts) in read.items():
            noticed += screen_flags(facts, len(dataset), path, request.screened)
            # Those of open pull requests first: their clock counts no others.
            others = chain(_rows(asked, late), rows_of_others(objects, merged, own))
            noticed += screen_copies(
                answers, others, dataset, season.limits, path, request.screened
            )
    if late:
        doubts.append(f"pull request {late[0]} could not be compared with it in time")
    where = f"{ROOT}/metadata/{system}.json"
    noticed += [held_for(Finding(Code.HELD, one, where)) for one in doubts if not request.screened]
    if any(one.code == Code.HELD for one in noticed):
        raise HeldSubmission(bundle, noticed)
    return bundle, noticed


def check_bundle(
    bundle: Bundle, season: Season, dataset: Dataset
) -> tuple[list[Finding], dict[str, tuple[list[Answer], AnswerFacts]]]:
    """Warnings and notices on a bundle's files; of each file the answers as they are scored, and their facts.

    Raises SubmissionError where there are errors.
    """
    read: dict[str, tuple[list[Answer], AnswerFacts]] = {}
    with tempfile.TemporaryDirectory(prefix="argue-bench-") as name:
        folder = Path(name)
        bundle.unpack(folder)
        checked = check_submissions(folder, dataset, season.settings, bundle.system, season.limits)
        found = checked.all_findings
        if checked.ok:
            for path in checked.entries[bundle.system].generations.values():
                inside = path.relative_to(folder).as_posix()
                read[inside] = answers, _ = read_submitted(path, season, dataset)
                # Blank answers, thanks, and those over the limit, are none that could be scored.
                said = sum(bool(claim_sentences(one.sentences, citing=True)) for one in answers)
                if 2 * said < len(dataset):
                    found.append(mass_empty(len(dataset) - said, len(dataset), inside))
    # A path of our temporary folder says nothing to the author.
    clean = [replace(one, file=one.file.removeprefix(f"{folder}/")) for one in found]
    if any(finding.level == "error" for finding in clean):
        raise SubmissionError(clean)
    return clean, read


def _one_system(objects: Objects, fork: str, head: str) -> str:
    """The system whose files are new or changed; all findings at once where that is not so."""
    systems: set[str] = set()
    findings = list(_check_changes(objects, fork, head, systems))
    if len(systems) > 1:
        findings.append(
            Finding(
                Code.MANY_SYSTEMS,
                f"files of {len(systems):,} systems are new or changed: {few(sorted(systems), 4)}",
                ROOT,
                hint="Send one pull request for each; all files of a system have its name.",
            )
        )
    # A change of the workflows or of the season alone is no submission: reviewers judge it, and no run is spent.
    if not systems and {one.code for one in findings} <= _OWNERS_REVIEW:
        raise NoSubmission(
            findings
            or refusal(Code.EMPTY, "A pull request changes no submission", file=ROOT).findings
        )
    if findings:
        raise SubmissionError(findings)
    if not systems:
        raise refusal(Code.EMPTY, "A pull request changes no submission", file=ROOT)
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
        system = board_name(name).removesuffix(ending)
        if not name.endswith(ending):
            yield _finding(Code.UNEXPECTED_FILE, f"not a {ending} file", f"{where}/{name}")
        elif why := system_name_fault(system):
            yield _finding(Code.BAD_NAME, f"the name of the system {why}", f"{where}/{name}")
        else:
            systems.add(system)  # `_files` sees what kind of file each of the system's is
            if name not in new:
                yield _finding(
                    Code.DELETED,
                    "an entry is withdrawn by its status, not taken away",
                    f"{where}/{name}",
                )


def _refuse_unowned(merged: MergedEntries, system: str) -> None:
    """Refuses a system that main has, or once had, without an owner in the ledger: any author could claim it."""
    if any(_system(path) == system for path, _ in merged.versions):
        raise refusal(
            Code.SYSTEM_TAKEN,
            "The board does not know who owns the system",
            file=f"{ROOT}/metadata/{system}.json",
            hint="Ask the organiser, who can enter you as its owner.",
        )


def _asked(
    request: PullRequest, known: Collection[tuple[str, str]], last: float, late: list[int]
) -> Iterator[Bundle]:
    """What open pull requests of other authors ask for, each one system with files that main never had (those are
    ``known``): a new one, or other answers of a merged one; unchecked, oldest first.

    Younger ones too: a number says when a pull request was opened, and nothing of when its answers came.

    Each head is read in a repository of its own, within seconds: it may hold as many trees as its author wants,
    and whatever cannot be read asks for nothing, else one such pull request would keep everybody out. Those of an
    author take from that author's share alone; those that are not reached before ``last`` are ``late``.
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
    seconds, taken = defaultdict[str, float](float), Counter[str]()
    for ref, (number, who) in older.items():
        began = time.monotonic()
        if ref not in heads or seconds[who] > AUTHOR_SECONDS:
            continue
        if began > last:
            late.append(number)
            continue
        with suppress(SubmissionError), open_objects(request.remote, ONE_OLDER_SECONDS) as head:
            # Of a stranger's history nothing but the end: it may be as long as the stranger wants.
            head.fetch([heads[ref]], "--depth=1")
            # Not what main lacks: a branch holds all that main had when it was begun.
            files = _placed(head, heads[ref]).items()
            asked = {_system(path) for path, row in files if (path, row.oid) not in known} - {""}
            if len(asked) == 1:
                system = asked.pop()
                read = _files(head, heads[ref], system, AUTHOR_BYTES - taken[who])
                taken[who] += sum(map(len, read.values()))
                yield Bundle(system, who, read, number, heads[ref], request.base)
        seconds[who] += time.monotonic() - began


def _rivals(
    request: PullRequest,
    older: Iterable[Bundle],
    system: str,
    season: Season,
    dataset: Dataset,
    last: float,
) -> Iterator[str]:
    """Why it is not known whose a new system is that other authors' open pull requests ask for too.

    A pull request can be filled later, but a branch keeps its name: an older pull request whose branch has the
    name of the system has it, and SubmissionError is raised. So nobody spends another's run, or takes a name that
    was seen in a public pull request. Whatever is refused itself takes no name.
    """
    for one in older:
        if one.system == system and (one.pr or 0) < request.pr:
            try:
                if time.monotonic() < last:
                    check_bundle(one, season, dataset)
            except SubmissionError:
                continue
            if request.open[one.pr or 0][1:] == (system,):
                raise refusal(
                    Code.SYSTEM_TAKEN,
                    f"pull request {one.pr} asked for this name before",
                    f"{ROOT}/metadata/{system}.json",
                    "Choose another name, or wait until that one is merged or closed.",
                )
            yield f"pull request {one.pr} asks for this name too, since when its branch does not say"
    if request.open.get(request.pr, ())[1:] != (system,):
        yield from (
            f"pull request {number} was opened for this name, and the branch of this one has another"
            for number, (who, *name) in request.open.items()
            if number > request.pr and name == [system] and who != request.author
        )


def _system(path: str) -> str:
    """The system of a file, PLACE/SYSTEM.json or .jsonl; empty for a hidden one."""
    return path.partition("/")[2].partition(".")[0]


def _files(
    objects: Objects, head: str, system: str, most: int = SUBMISSION_BYTES
) -> dict[str, bytes]:
    """Everything of a system at the head, also what was not changed; sizes before bytes."""
    allowed, there, oids = paths_of(system), _placed(objects, head), {}
    findings = []
    for path in allowed:
        row = there.get(path)
        if row is not None and row.mode != FILE:
            findings.append(_finding(*_mode(row), f"{ROOT}/{path}"))
        elif row is not None:
            oids[path] = row.oid
    # Sizes first: a blob is read only when all of them are within bounds.
    for path, size in zip(oids, objects.sizes(list(oids.values())), strict=True):
        if size > allowed[path]:
            findings.append(
                _finding(
                    Code.TOO_LARGE,
                    f"the file has {size:,} bytes, at most {allowed[path]:,} are read",
                    f"{ROOT}/{path}",
                )
            )
    if findings:
        raise SubmissionError(findings)
    contents = objects.blobs(list(oids.values()), most)
    return dict(zip(oids, contents, strict=True))


def _placed(objects: Objects, commit: str) -> dict[str, TreeEntry]:
    """The files of all systems, each by its place and its name on the board."""
    rows = ((place, objects.folder(commit, ROOT, place)) for place in PLACES)
    return {
        f"{place}/{board_name(name)}": row for place, each in rows for name, row in each.items()
    }


def _tree(objects: Objects, row: TreeEntry | None) -> Mapping[str, TreeEntry]:
    return objects.tree(row.oid) if row is not None and row.mode == FOLDER else {}


def _changed(before: Mapping[str, TreeEntry], after: Mapping[str, TreeEntry]) -> list[str]:
    # Equal subtrees have equal object names and are never opened.
    return [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]


def _mode(row: TreeEntry | None) -> tuple[Code, str]:
    if row is None:
        return Code.DELETED, "this was taken away"
    return _MODES.get(row.mode, (Code.ODD_MODE, "this is not a plain file"))


def _finding(code: Code, why: str, where: str) -> Finding:
    return Finding(
        code,
        why,
        escape(where, 200),
        hint="A pull request holds the files of one system, and nothing else.",
    )


# Systems whose display names are read; of more only the names of their files are compared.
MOST_NAMES = 5_000
# Of merged answers with which a new row is compared: 1,000 systems with 1,000 answers each have less. Then, newest first,
# those of before.
COMPARED_BYTES = 1_000_000_000
# Files that are fetched together.
_AT_ONCE = 100
# Of one file; what is larger was never accepted.
_FILE_BYTES = 400_000_000


@dataclass(frozen=True)
class MergedEntries:
    """The display names of the systems on main, and their files: path to git's name of the bytes."""

    names: Mapping[str, str]
    files: Mapping[str, str]
    versions: Mapping[tuple[str, str], None]
    """Every file that main ever had, with its bytes; the newest first."""


def read_merged(objects: Objects, commit: str) -> MergedEntries:
    """The entries at a commit of the board. Raises SubmissionError where they can't be fetched."""
    files = {path: row.oid for path, row in _placed(objects, commit).items() if row.mode == FILE}
    ever = ((board_name(path), oid) for path, oid in objects.versions(commit, ROOT))
    versions = dict.fromkeys((path.removeprefix(f"{ROOT}/"), oid) for path, oid in ever)
    known = {
        _system(path): oid
        for path, oid in files.items()
        if path.startswith("metadata/") and path.endswith(".json")
    }
    if len(known) > MOST_NAMES:
        return MergedEntries(dict.fromkeys(known, ""), files, versions)
    contents = objects.blobs([*known.values()], len(known) * LIMITS.file_bytes)
    return MergedEntries(dict(zip(known, map(_name, contents), strict=True)), files, versions)


def rows_of_others(
    objects: Objects, merged: MergedEntries, own: Collection[str]
) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """The files of answers, first the present then the former ones, of systems that are not the author's ``own``, each
    with what reads it."""
    present = dict.fromkeys(merged.files.items())
    former = {one: None for one in merged.versions if one not in present}
    total = 0
    for each in (present, former):
        theirs = [
            (path, oid)
            for path, oid in each
            if path.partition("/")[0] in FOLDERS
            and path.endswith(".jsonl")
            and _system(path) not in own
        ]
        while theirs and total <= COMPARED_BYTES:
            some, theirs = theirs[:_AT_ONCE], theirs[_AT_ONCE:]
            # What was deleted from the history for good keeps nobody out.
            with suppress(SubmissionError) if each is former else nullcontext():
                sizes = objects.sizes([oid for _, oid in some])
                for (path, oid), size in zip(some, sizes, strict=True):
                    total += size
                    if total <= COMPARED_BYTES:
                        said = f"a former {path} (blob {oid[:12]})" if each is former else path
                        yield said, partial(_read, objects, oid)


def _rows(older: Iterable[Bundle], late: list[int]) -> Iterator[tuple[str, Callable[[], bytes]]]:
    """The files of answers of open pull requests, as `rows_of_others` gives those of main, while there is time."""
    last = time.monotonic() + COMPARED_SECONDS
    for one in older:
        for path, content in one.files.items():
            if time.monotonic() > last:
                late.append(one.pr or 0)
            elif path.endswith(".jsonl"):
                yield f"{path} of open pull request {one.pr}", partial(bytes, content)


def _read(objects: Objects, oid: str) -> bytes:
    return objects.blobs([oid], _FILE_BYTES)[0]


def find_look_alikes(names: Mapping[str, str], system: str, metadata: bytes) -> list[Finding]:
    """Warnings where the system, or its display name, looks like another author's."""
    mine = f"metadata/{system}.json"
    known = [(one, name, one) for one, name in names.items()]
    return [
        one for one in check_names([*known, (system, _name(metadata), mine)]) if one.file == mine
    ]


def _name(raw: bytes) -> str:
    try:
        value = parse_json(raw.removeprefix(b"\xef\xbb\xbf"), "metadata", None, LIMITS)
    except DataError:
        return ""
    name = value.get("name") if isinstance(value, dict) else None
    return name[:80] if isinstance(name, str) else ""
