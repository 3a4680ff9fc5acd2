"""The intake of a pull request: one system's files, read as git objects and copied to a bundle.

The head commit is compared with the point where it left the board's main branch, folder by folder:
only files of one system under ``leaderboard-submissions`` may be new or changed, each a plain file
(mode 100644). Whole subtrees that are equal are never opened, so neither a hostile tree nor a board
of thousands costs more than its few folders. The ledger says who owns a system.
"""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from argue_bench.errors import Code, Finding, SubmissionError
from argue_bench.leaderboard.formats.bundle import Bundle
from argue_bench.leaderboard.formats.clock import OutOfTime, clock
from argue_bench.leaderboard.formats.git_objects import (
    FOLDER,
    Objects,
    TreeEntry,
    check_ref,
    open_objects,
    refusal,
)
from argue_bench.leaderboard.formats.layout import ARCHIVE, MAIN, PLACES, ROOT
from argue_bench.leaderboard.formats.ledger import Event, check_owner, is_over, ledger_at, owners
from argue_bench.leaderboard.formats.metadata import check_names
from argue_bench.leaderboard.formats.names import board_name, skeleton, system_name_fault
from argue_bench.leaderboard.formats.outcome import held_for
from argue_bench.leaderboard.formats.results import AnswerFacts
from argue_bench.leaderboard.formats.season import Season
from argue_bench.leaderboard.intake.entries import (
    MergedEntries,
    PullRequest,
    files_at,
    mode_fault,
    name_in,
    path_finding,
    read_merged,
    system_of,
    tree_at,
)
from argue_bench.leaderboard.intake.others import (
    ALL_BYTES,
    AUTHOR_BYTES,
    CHECK_SECONDS,
    OLDER_SECONDS,
    OPEN,
    Others,
    compared_part,
    open_bundles,
    scored_answers,
)
from argue_bench.leaderboard.screening.answers import (
    read_submitted,
    screen_flags,
)
from argue_bench.leaderboard.screening.copies import SAME, SAMPLED, CopyScreen, Row, screen_copies
from argue_bench.leaderboard.submitting.checking import (
    check_capitals,
    check_submissions,
)
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import few
from argue_bench.records import Answer

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
# The share of what an open row holds of an author's better answers that the author's merged file may hold too.
OWN_IN_OPEN = 0.8
# What the organiser changes by pull request too: a review guards it, that of the code owners where one is named.
_OWNERS_REVIEW = {Code.OUTSIDE_SUBMISSION, Code.BOARD_FILE}


class NoSubmission(SubmissionError):
    """A pull request changes no file of any system, and nothing but what a review guards."""


class HeldSubmission(SubmissionError):
    """A submission waits until a maintainer has looked at its ``bundle``."""

    def __init__(self, bundle: Bundle, findings: list[Finding]) -> None:
        super().__init__(findings)
        self.bundle = bundle


def receive_pull_request(
    request: PullRequest, season: Season, dataset: Dataset
) -> tuple[Bundle, list[Finding]]:
    """The bundle of a pull request, and what was noticed besides. Raises SubmissionError.

    ``dataset`` is the season's, gold or no gold: answers must be complete before a run is spent.
    """
    request.check()
    with open_objects(request.remote) as objects, open_objects(request.remote) as scored:
        # The platform keeps this name in the board's own repository: no fork is ever asked.
        head, results = f"refs/pull/{request.pr}/head", check_ref(request.results)
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
        events = ledger_at(objects, there.get(results))
        system = _one_system(objects, fork, request.sha, events)
        # The ledger knows no owner: the name is free, unless main has its files, or had them.
        last, doubts = time.monotonic() + OLDER_SECONDS, list[str]()
        late, large, rivals = list[int](), list[int](), dict[int, str]()
        merged = read_merged(objects, main)
        each = open_bundles(request, {*merged.versions}, last, late)
        asked = list(_asked(each, system, season, dataset, rivals, large, late))
        files = files_at(objects, request.sha, system)
        bundle = Bundle(system, request.author, files, request.pr, request.sha, request.base)
        owned = check_owner(events, system, request.author)
        if not owned:
            _refuse_unowned(merged, system)
            doubts += _rivals(request, rivals, bundle)
        noticed, read = check_bundle(bundle, season, dataset)
        # Not refused: whoever corrects metadata, or takes an entry off, may do so after the end.
        if is_over(events, season.season):
            why = "The season is over: of scored answers new metadata are taken, and nothing is scored"
            noticed.append(Finding(Code.SEASON_CLOSED, why, level="warning"))
        own = {one for one, who in owners(events).items() if who == request.author}
        names = {} if owned and _keeps_its_name(bundle, merged) else merged.names
        others = {one: name for one, name in names.items() if one not in {*own, system}}
        noticed += _check_names(objects, request, main, system, others, files)
        if names is merged.names:
            noticed += _waiting_alike(request, bundle, asked, {*own, *names})
        # Nothing is compared: what is alike was looked at when these answers were scored, or came later.
        if any((e.author, e.answers) == (request.author, bundle.answers) for e in events):
            for path, (_, facts) in read.items():
                noticed += screen_flags(facts, len(dataset), path, True)
        else:
            runs = scored_answers(scored, request, events, merged)
            compared = Others(objects, merged, own, asked, late, scored, runs)
            noticed += _screen(compared, read, season, dataset, request.screened)
            doubts += _not_compared(late, large)
    where = f"{ROOT}/metadata/{system}.json"
    for doubt in (Finding(Code.FLAGGED, one, where, level="warning") for one in doubts):
        noticed.append(doubt if request.screened else held_for(doubt))
    if any(one.code == Code.HELD for one in noticed):
        raise HeldSubmission(bundle, noticed)
    return bundle, noticed


def _asked(
    each: Iterable[Bundle],
    system: str,
    season: Season,
    dataset: Dataset,
    rivals: dict[int, str],
    large: list[int],
    late: list[int],
) -> Iterator[Bundle]:
    """What is compared of open pull requests, as far as the bytes of an author and of all go; whose answers do not fit is
    ``large``. Of those that ask for the ``system`` too, ``rivals`` has the digest of their answers.

    Files that their own check refuses have no digest, and are never too large: they wait for nobody. Those of which the
    check takes too long are ``late``, and have no digest either.
    """
    taken = Counter[str]()
    for one in (x for x in each if x.files and not system_name_fault(x.system)):
        files = {
            path: compared_part(raw, dataset, season) if path.endswith(".jsonl") else raw
            for path, raw in one.files.items()
        }
        size, number = sum(map(len, files.values())), one.pr or 0
        fits = size <= min(AUTHOR_BYTES - taken[one.author], ALL_BYTES - taken.total())
        sound = fits and one.system != system
        if not sound:
            try:
                with clock(CHECK_SECONDS):
                    sound = bool(check_bundle(one, season, dataset, screened=False))
            except OutOfTime:
                late.append(number)
            # Its own check refuses it, or names our fault; whatever a stranger's file does, it stops no other row.
            except Exception:
                sound = False
        if one.system == system:
            rivals[number] = one.answers if sound else ""
        if fits:
            taken[one.author] += size
            yield replace(one, files=files)
        elif sound:
            large.append(number)


def _not_compared(late: Iterable[int], large: Iterable[int]) -> list[str]:
    return [
        f"it could not be compared {why} pull requests {few([*map(str, dict.fromkeys(some))], 8)}"
        for why, some in (
            ("in time with", late),
            ("with too many, or too long, answers of", large),
        )
        if some
    ]


def _screen(
    others: Others,
    read: Mapping[str, tuple[list[Answer], AnswerFacts]],
    season: Season,
    dataset: Dataset,
    looked: bool,
) -> Iterator[Finding]:
    """What the screening sees in each file, and which merged or scored rows it was not compared with.

    The latter does not hold a row: they stay for ever, so every row after them would be held.
    """
    for path, (answers, facts) in read.items():
        yield from screen_flags(facts, len(dataset), path, looked)
        about = (dataset, season.limits, path, looked)
        found = screen_copies(answers, others.rows(1 / len(read)), *about)
        in_time = not (others.late or others.missed)
        if in_time and others.own and any(one.code == Code.HELD for one in found):
            screen = CopyScreen(answers, dataset, season.limits)
            rows = _no_copies_of(screen, others.former(), others.rows(1 / len(read)))
            found = found if others.missed else screen_copies(answers, rows, *about)
        yield from found
    if others.missed:
        why = f"it could not be compared in time with {few([*dict.fromkeys(others.missed)], 2)}"
        yield Finding(Code.FLAGGED, why, level="warning")


def _no_copies_of(screen: CopyScreen, former: Iterable[Row], rows: Iterable[Row]) -> Iterator[Row]:
    """The rows, without those that hold the same of these answers as one file of the author's ``former`` ones does, and
    most of them: such a row came after that file, or was looked at when that file was sent. Of an open row it is enough
    that most of what it holds is in that file, for anybody may open a copy of what is merged."""
    ids = {*screen.ids, *screen.short}
    some = {*sorted(ids)[:SAMPLED]}
    own = [{*screen.copied(read(), ids)} for _, read in former]
    for name, read in rows:
        alike = own and len(screen.copied(read(), some)) > SAME / 2 * len(some)
        theirs = {*screen.copied(read(), ids)} if alike else set[str]()
        least = OWN_IN_OPEN * len(theirs) if OPEN in name else SAME * len(ids)
        if not theirs or all(len(one & theirs) <= least for one in own):
            yield name, read


def _keeps_its_name(bundle: Bundle, merged: MergedEntries) -> bool:
    """Whether a row on main stays under its own display name: whoever looks like it was looked at, or waits for that."""
    return skeleton(name_in(bundle.files[f"metadata/{bundle.system}.json"])) == skeleton(
        merged.names.get(bundle.system, "")
    )


def _waiting_alike(
    request: PullRequest, bundle: Bundle, asked: Iterable[Bundle], others: Collection[str]
) -> Iterator[Finding]:
    """What is said of a name like that of an older open pull request, whose system is none of the ``others``. It waits where
    the branch of that one has its system's name; else nothing tells when it got its name."""
    system, metadata = bundle.system, bundle.files[f"metadata/{bundle.system}.json"]
    for one in asked:
        if one.system in {*others, system} or not one.pr or one.pr > request.pr:
            continue
        names = {one.system: name_in(one.files.get(f"metadata/{one.system}.json", b""))}
        dated = request.open.get(one.pr, ())[1:] == (one.system,)
        for found in find_look_alikes(names, system, metadata):
            yield held_for(found) if dated and not request.screened else found


def _check_names(
    objects: Objects,
    request: PullRequest,
    main: str,
    system: str,
    others: Mapping[str, str],
    files: Mapping[str, bytes],
) -> Iterator[Finding]:
    """What is noticed of a system's name and display name, beside those of ``others``. Raises SubmissionError."""
    # What was merged since the branch was begun too: main would have both spellings.
    own_names = [
        name
        for commit in (main, request.sha)
        for place in PLACES
        for name in objects.folder(commit, ROOT, place)
        if board_name(name).partition(".")[0] == system
    ]
    if capitals := check_capitals(own_names, system, ROOT):
        if capitals.level == "error":
            raise SubmissionError([capitals])
        yield capitals
    # Two rows that no reader can tell apart: one may well be made to be taken for the other.
    for one in find_look_alikes(others, system, files[f"metadata/{system}.json"]):
        yield one if request.screened else held_for(one)


def check_bundle(
    bundle: Bundle, season: Season, dataset: Dataset, screened: bool = True
) -> tuple[list[Finding], dict[str, tuple[list[Answer], AnswerFacts]]]:
    """Warnings and notices on a bundle's files; where they are ``screened``, of each the answers as they are scored, and their facts.

    Raises SubmissionError where there are errors.
    """
    read: dict[str, tuple[list[Answer], AnswerFacts]] = {}
    with tempfile.TemporaryDirectory(prefix="argue-bench-") as name:
        folder = Path(name)
        bundle.unpack(folder)
        checked = check_submissions(folder, dataset, season.settings, bundle.system, season.limits)
        if checked.ok and screened:
            for path in checked.entries[bundle.system].generations.values():
                read[path.relative_to(folder).as_posix()] = read_submitted(path, season, dataset)
    # A path of our temporary folder says nothing to the author.
    clean = [replace(one, file=one.file.removeprefix(f"{folder}/")) for one in checked.all_findings]
    if any(finding.level == "error" for finding in clean):
        raise SubmissionError(clean)
    return clean, read


def _one_system(objects: Objects, fork: str, head: str, events: Iterable[Event]) -> str:
    """The system whose files are new or changed; all findings at once where that is not so."""
    systems: set[str] = set()
    # What the organiser removed, such as personal data, may be taken out of main.
    gone = {one.system for one in events if one.event == "removed"}
    findings = list(_check_changes(objects, fork, head, systems, gone))
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
    return systems.pop()


def _check_changes(
    objects: Objects, fork: str, head: str, systems: set[str], gone: Collection[str]
) -> Iterator[Finding]:
    """Refuses changes that no submission may make. The systems whose files changed are added
    to ``systems``; those that are ``gone`` may have theirs taken away."""
    before, after = objects.tree(fork), objects.tree(head)
    for name in _changed(before, after):
        new = after.get(name)
        if name != ROOT:
            yield path_finding(Code.OUTSIDE_SUBMISSION, "", name)
        elif new is None or new.mode != FOLDER:
            yield path_finding(*mode_fault(new), ROOT)
        else:
            old_places, places = tree_at(objects, before.get(name)), objects.tree(new.oid)
            for place in _changed(old_places, places):
                old = tree_at(objects, old_places.get(place))
                yield from _check_place(objects, place, old, places.get(place), systems, gone)


def _check_place(
    objects: Objects,
    place: str,
    old: Mapping[str, TreeEntry],
    entry: TreeEntry | None,
    systems: set[str],
    gone: Collection[str],
) -> Iterator[Finding]:
    where, ending = f"{ROOT}/{place}", ".json" if place == "metadata" else ".jsonl"
    if place not in PLACES:
        code = _BOARDS_OWN.get(place, Code.UNEXPECTED_FILE)
        yield path_finding(code, "this is not a participant's to change", where)
        return
    if entry is None or entry.mode != FOLDER:
        yield path_finding(*mode_fault(entry), where)
        return
    new = objects.tree(entry.oid)
    for name in _changed(old, new):
        system = board_name(name).removesuffix(ending)
        if not name.endswith(ending):
            yield path_finding(Code.UNEXPECTED_FILE, f"not a {ending} file", f"{where}/{name}")
        elif why := system_name_fault(system):
            yield path_finding(Code.BAD_NAME, f"the name of the system {why}", f"{where}/{name}")
        elif name in new or system not in gone:
            systems.add(system)  # `files_at` sees what kind of file each of the system's is
            if name not in new:
                yield path_finding(
                    Code.DELETED,
                    "an entry is withdrawn by its status, not taken away",
                    f"{where}/{name}",
                )


def _refuse_unowned(merged: MergedEntries, system: str) -> None:
    """Refuses a system that main has, or once had, without an owner in the ledger: any author could claim it."""
    if any(system_of(path) == system for path, _ in merged.versions):
        raise refusal(
            Code.SYSTEM_TAKEN,
            "The board does not know who owns the system",
            file=f"{ROOT}/metadata/{system}.json",
            hint="Ask the organiser, who can enter you as its owner.",
        )


def _rivals(request: PullRequest, asking: Mapping[int, str], bundle: Bundle) -> Iterator[str]:
    """Why it is not known whose a new system is that other authors' open pull requests ask for too.

    A pull request can be filled later, but a branch keeps its name: an older pull request whose branch has the
    name of the system has it, and SubmissionError is raised. So nobody spends another's run, or takes a name that
    was seen in a public pull request. Files that their own check refuses take no name (of those that are ``asking``
    only sound ones have a digest of their answers), but a branch keeps its name while they are corrected; who was first
    with the same answers no number tells.
    """
    system, mine = bundle.system, (bundle.system,)
    for number, (who, *name) in sorted(request.open.items()):
        one, named = asking.get(number), (*name,) == mine
        if who == request.author or not (named or one):
            continue
        if number > request.pr:
            if named and request.open.get(request.pr, ())[1:] != mine:
                yield f"pull request {number} was opened for this name, and the branch of this one has another"
            continue
        if named and one and one != bundle.answers:
            raise refusal(
                Code.SYSTEM_TAKEN,
                f"pull request {number} asked for this name before",
                f"{ROOT}/metadata/{system}.json",
                "Choose another name, or wait until that one is merged or closed.",
            )
        if named:
            yield f"pull request {number} was opened for this name, and has {'the same answers' if one else 'no sound files yet'}"
        elif one:
            yield f"pull request {number} asks for this name too, since when its branch does not say"


def _changed(before: Mapping[str, TreeEntry], after: Mapping[str, TreeEntry]) -> list[str]:
    # Equal subtrees have equal object names and are never opened.
    return [name for name in sorted({*before, *after}) if before.get(name) != after.get(name)]


def find_look_alikes(names: Mapping[str, str], system: str, metadata: bytes) -> list[Finding]:
    """Warnings where the system, or its display name, looks like another author's."""
    mine = f"metadata/{system}.json"
    known = [(one, name, one) for one, name in names.items()]
    return [
        one for one in check_names([*known, (system, name_in(metadata), mine)]) if one.file == mine
    ]
