"""The record of a decision: one commit on a branch that only ever grows.

The outcome's signature, the digests of its files and the signature of the result are checked again,
the head of the pull request is compared once more, then files and a line of the ledger are committed
on top of the branch as it is now. If another job pushed first, this one tries again, at most five
times in all. If the other job scored the same author or system, this decision is refused, and the
bundle must be scored again. A score is announced before it is recorded (the outcome is a public
artifact), so a run still counts when its record is refused because the pull request or the results
have changed: the ledger then says that it expired.

Snapshots of the boards are recorded beside them, once a day: never changed, part of every build.
``archive/DAY/index.json`` lists the other files of the snapshot by their SHA-256, and an event of the
ledger holds that of the index. So the ledger's chain holds every byte of every snapshot. Only who may
push to the results branch adds one; a pull request never reaches that branch. A snapshot is not signed:
the key stays in the job that scores, and a citation holds the index's digest, which vouches for more.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from argue_bench.errors import Code, DataError, Finding, SealError, SubmissionError
from argue_bench.leaderboard.formats.canonical import canonical
from argue_bench.leaderboard.formats.git_objects import (
    Objects,
    check_oid,
    check_ref,
    open_objects,
    refusal,
    refusing,
)
from argue_bench.leaderboard.formats.layout import (
    ARCHIVE,
    ARCHIVED,
    BANDS,
    BRIDGES,
    DESCRIBED,
    EXPIRED,
    FAILED,
    INDEX,
    LEDGER,
    OUTRAN,
    RANKS_STAY,
    RETURNED,
    ROOT,
    SCORED,
    write_files,
)
from argue_bench.leaderboard.formats.ledger import (
    Event,
    append_events,
    ledger_at,
    ledger_bytes,
    refuse_twice,
)
from argue_bench.leaderboard.formats.outcome import StepOutcome, parse_outcome
from argue_bench.leaderboard.formats.results import LIMITS as RESULT_LIMITS
from argue_bench.leaderboard.formats.results import now, parse_result
from argue_bench.leaderboard.signing.keys import Keys, signed_file, verify_signature
from argue_bench.leaderboard.submitting.checking import is_file
from argue_bench.records.digests import file_sha256, sha256, sha256_each
from argue_bench.records.display import escape
from argue_bench.records.untrusted import Limits, read_bounded, read_json

if TYPE_CHECKING:
    from argue_bench.lab.bridge import BridgeFile

# Of all snapshots together: the most that GitHub Pages serves.
MOST_BYTES = 1 << 30
# The layout of a snapshot's index.
SCHEMA = 1
# Names that a snapshot may have; whatever else stands on the branch is not laid out.
_FILE = re.compile(r"\d{4}-\d\d-\d\d(?:/[A-Za-z0-9][A-Za-z0-9._-]*)+\.(?:json|csv)")


@dataclass(frozen=True)
class BoardSnapshot:
    """The boards of one day: their files, by their paths under the day's folder, and who lists them."""

    day: str
    title: str
    files: Mapping[str, bytes]

    @property
    def index(self) -> bytes:
        about = {"schema": SCHEMA, "date": self.day, "title": self.title}
        return canonical({**about, "files": sha256_each(self.files)}) + b"\n"


def days_kept(folder: Path) -> list[str]:
    """The days of which a fetched board has a snapshot, the newest first."""
    return sorted((path.parent.name for path in folder.glob(f"{ARCHIVE}/*/{INDEX}")), reverse=True)


def is_as_before(folder: Path, snapshot: BoardSnapshot) -> bool:
    """Whether the newest snapshot of a fetched board holds these very files."""
    last = next(iter(days_kept(folder)), None)
    return last is not None and _listed(folder, last) == sha256_each(snapshot.files)


def record_snapshot(
    snapshot: BoardSnapshot, season: str, date: str, target: RecordTarget
) -> str | None:
    """Commits a snapshot of the boards to the results branch; None where the day has one.

    Raises SubmissionError.
    """
    files = {**snapshot.files, INDEX: snapshot.index}
    kept = {f"{ARCHIVE}/{snapshot.day}/{path}": content for path, content in files.items()}
    event = Event(ARCHIVED, date, season, digest=sha256(snapshot.index))
    return _unless(Code.ARCHIVE_THERE, lambda: record_events(target, [event], kept))


def lay_archive(objects: Objects, tip: str, out: Path) -> None:
    """Writes every snapshot of the results branch under ``out``. Raises SubmissionError."""
    folder = objects.folder(tip, ROOT).get(ARCHIVE)
    files = {} if folder is None else objects.files(folder.oid)
    oids = {path: row.oid for path, row in files.items() if _FILE.fullmatch(path)}
    contents = objects.blobs(list(oids.values()), MOST_BYTES)
    write_files(out / ARCHIVE, dict(zip(oids, contents, strict=True)))


def verify_archive(folder: Path, events: Sequence[Event]) -> Iterator[Finding]:
    """Finds files of snapshots that were changed, deleted or added since the ledger recorded them.

    A warning where a whole snapshot is not there, and the ledger says that something was removed since it was made.
    """
    root = folder / ARCHIVE
    # Links too: none of them is a file of the board's.
    # What is no plain file has the digest "": no snapshot lists that.
    there = {
        path.relative_to(root).as_posix(): path
        for path in root.rglob("*")
        if path.is_symlink() or not path.is_dir()
    }
    found = {path: file_sha256(p) if is_file(p) else "" for path, p in there.items()}
    named: dict[str, str] = {}
    for event in events:
        if event.event == ARCHIVED:
            day = event.date[:10]
            # The first event of a day counts: a second one can't exchange what the first one kept.
            named.setdefault(f"{day}/{INDEX}", event.digest or "")
            if found.get(f"{day}/{INDEX}") == named[f"{day}/{INDEX}"]:
                named |= {f"{day}/{path}": one for path, one in _listed(folder, day).items()}
    broken = {path.partition("/")[0] for path in named if found.get(path) != named[path]}
    kept = {path.partition("/")[0] for path in found}
    removed = max((event.date for event in events if event.event == "removed"), default="")[:10]
    for path in sorted(found.keys() | named.keys()):
        day = path.partition("/")[0]
        # Where a snapshot's index is at fault, and is told, it names none of the other files.
        if found.get(path) == named.get(path) or (path not in named and day in broken):
            continue
        why = "it is not there" if path not in found else "it is not the file that was archived"
        why = why if path in named else "the ledger tells of no such file"
        hint = "Get the branch again: a snapshot never changes."
        broke = Finding(Code.OTHER_DIGEST, why, f"{ARCHIVE}/{path}", hint=hint)
        yield broke if day in kept or day > removed else replace(broke, level="warning", hint="")


def _listed(folder: Path, day: str) -> dict[str, str]:
    """The files of a snapshot by their SHA-256, as its index lists them; none where it can't be read."""
    try:
        value = read_json(folder / ARCHIVE / day / INDEX, RESULT_LIMITS)
        return {str(path): str(digest) for path, digest in value["files"].items()}
    except (DataError, TypeError, KeyError, AttributeError):
        return {}


# Jobs that record at one moment wait a while each, of any length, until the others have pushed. The branch lets one through
# at a time; where it does not move at all, a rule of the repository refuses the push.
TRIES, LONGEST_PAUSE, UNMOVED = 30, 4.0, 3
# Refusals that the sender can bring about after the score was announced.
EXPIRING = (Code.HEAD_MOVED, Code.RESULTS_MOVED, Code.SYSTEM_TAKEN)
# Files over all systems of a season, which another's coming makes old.
_WHOLE = (Path(BANDS).stem, Path(BRIDGES).stem)
LIMITS = Limits(file_bytes=100_000_000, line_bytes=100_000_000)


@dataclass(frozen=True)
class RecordTarget:
    """Where to record, and which pull request must still stand where it stood."""

    remote: str
    branch: str = "leaderboard-results"
    pr: int | None = None
    sha: str = ""


def read_decision(folder: Path, keys: Keys) -> tuple[StepOutcome, dict[str, bytes]]:
    """The signed outcome in a folder and the files that it names, all verified, by active keys only.

    Files that it does not name are not looked at. Raises SubmissionError.
    """
    content, signature = (_read(folder / name) for name in ("score.json", "score.json.sig"))
    try:
        # Before a byte of it is parsed: an attacker without the key reaches no parser.
        verify_signature(content, signature, keys, retired=False)
    except SealError:
        raise refusal(
            Code.BAD_SIGNATURE, "The board did not sign the outcome", file="score.json"
        ) from None
    with refusing():
        outcome = parse_outcome(content, "score.json")
    files = {}
    for path, sha in outcome.files.items():
        files[path] = _read(folder / path)
        if sha256(files[path]) != sha:
            raise refusal(Code.OTHER_DIGEST, "a file is not the one that was signed", escape(path))
    _check_result(outcome, files, keys)
    return outcome, files


def record_outcome(outcome: StepOutcome, files: Mapping[str, bytes], target: RecordTarget) -> str:
    """Commits a decision and returns the new commit of the branch. Raises SubmissionError."""
    if outcome.commit is not None and outcome.commit != target.sha:
        raise refusal(Code.HEAD_MOVED, "the outcome belongs to another commit than the given one")
    if outcome.pr is not None and outcome.pr != target.pr:
        raise refusal(Code.BAD_ARGUMENT, "the outcome belongs to another pull request")
    event = Event(
        "re-scored" if outcome.reason and outcome.state == "scored" else outcome.state,
        outcome.date,
        outcome.season,
        outcome.system,
        outcome.author,
        outcome.commit,
        outcome.digest,
        outcome.reason,
        {setting: one.value for setting, one in outcome.settings.items() if one.moved},
        outcome.answers,
    )
    # That it failed is counted even then: else a failing scoring could be repeated without end.
    if outcome.state == FAILED:  # also where the pull request has moved on since
        return record_events(target, [event])
    try:
        return record_events(target, [event], files, outcome)
    except SubmissionError as error:
        code = error.findings[0].code
        if code not in EXPIRING or outcome.state not in (*SCORED, OUTRAN) or outcome.reason:
            raise
        # The ladder goes on from what was told, on the board or not.
        expired = replace(event, event=EXPIRED, reason=code)
        once = event.digest or ""
        _unless(Code.ALREADY_SCORED, lambda: record_events(target, [expired], once=once))
        lapsed = [] if code == Code.SYSTEM_TAKEN else [Finding(Code.LAPSED)]
        raise SubmissionError([*error.findings, *lapsed]) from None


def _unless(code: Code, record: Callable[[], str]) -> str | None:
    """The commit that ``record`` makes; None where it is refused by this code: a second call adds nothing."""
    try:
        return record()
    except SubmissionError as error:
        if error.findings[0].code != code:
            raise
        return None


def record_events(
    target: RecordTarget,
    events: Sequence[Event],
    files: Mapping[str, bytes] | None = None,
    outcome: StepOutcome | None = None,
    once: str = "",
) -> str:
    """Adds events, and files with them, to the branch.

    ``once`` is the digest of a bundle: a run that the ledger has already is refused. Raises
    SubmissionError.
    """
    ref = check_ref(target.branch)
    with open_objects(target.remote) as objects:
        tips: list[str | None] = []
        for _ in range(TRIES):
            tips.append(tip := objects.refs(ref).get(ref))
            if tips[-UNMOVED - 1 :] == [tip] * (UNMOVED + 1):
                raise refusal(
                    Code.GIT_FAILED,
                    f"the push was refused {UNMOVED} times, and the branch {target.branch} did not move",
                    hint="See whether a rule of the repository forbids it.",
                )
            if tip is not None:
                objects.fetch([check_oid(tip, "branch")])
            there = ledger_at(objects, tip)
            # A job that is run again after its push finds what it wrote.
            if tip is not None and _is_newest(events[0], there):
                return tip
            _keep_archive(objects, tip, files or {})
            # A lapsed run is counted once, however often the record step is run again.
            if once:
                refuse_twice(there, once, lapsed=True)
            kept, added = dict(files or {}), list(events)
            if outcome is not None:
                _check_head(objects, outcome)
                if not _bands_hold(outcome, _events_since(objects, outcome, tip)):
                    # Made without a row that came meanwhile; the next scoring makes them anew.
                    kept = {
                        p: raw
                        for p, raw in kept.items()
                        if Path(p).name.split(".")[0] not in _WHOLE
                    }
                    # Said where all can check it: any other difference of the bands is a fault.
                    added = [
                        replace(e, reason=RANKS_STAY if e.event == "scored" else e.reason)
                        for e in events
                    ]
            commit = _commit(objects, tip, added, kept)
            if objects.push(commit, ref):
                return commit
            time.sleep(random.uniform(0, LONGEST_PAUSE))
    raise refusal(
        Code.PUSH_RACE,
        f"the branch moved {TRIES} times while this was recorded",
        hint="Run the step again.",
    )


def _is_newest(event: Event, there: Sequence[Event]) -> bool:
    """Whether an event on a commit is the newest of its system; its reason may be another one in the ledger."""
    last = next(
        (one for one in reversed(there) if event.commit and one.system == event.system), None
    )
    return last is not None and replace(last, reason=event.reason, previous="") == event


def record_bridge(
    bridge: BridgeFile, season: str, target: RecordTarget, keys: Keys, signing: str
) -> str:
    """Signs a bridge between judges beside the season's others, and commits it.

    Raises UsageError where rows of the season are of another judge, SubmissionError.
    """
    from argue_bench.leaderboard.scoring.bridge import check_rows
    from argue_bench.leaderboard.scoring.results_branch import read_results_branch

    date = now()
    with open_objects(target.remote) as objects:
        state = read_results_branch(objects, season, target.branch)
        check_rows(bridge, filter(None, (state.result(one, keys) for one in state.systems)))
        bridges = [
            *state.bridges(keys),
            {"reason": "", "date": date, "judges": asdict(bridge)},
        ]
        content = canonical({"schema": 1, "season": season, "bridges": bridges})
        files = signed_file(f"results/{season}/{BRIDGES}", content, signing)
        event = Event(
            "note",
            date,
            season,
            reason=f"judge {bridge.old} bridged to {bridge.new}",
            digest=sha256(content),
        )
        commit = _commit(objects, state.commit, [event], files)
        # A second try would need the bridges that came meanwhile.
        if objects.push(commit, check_ref(target.branch)):
            return commit
    raise refusal(Code.PUSH_RACE, "the branch moved while this was recorded", hint="Run it again.")


def _commit(
    objects: Objects, tip: str | None, events: Sequence[Event], files: Mapping[str, bytes]
) -> str:
    with refusing():
        ledger = objects.write(append_events(ledger_bytes(objects, tip), events))
    blobs = {
        **{f"{ROOT}/{path}": objects.write(content) for path, content in files.items()},
        f"{ROOT}/{LEDGER.as_posix()}": ledger,
    }
    first = events[0]
    # The message of the commit holds only values of closed forms.
    about = f"{first.season} {first.system} {first.digest or ''}".strip()
    return objects.commit(
        objects.replace(tip, blobs), tip, f"Record {first.event}\n\n{about}\n", now()
    )


def _keep_archive(objects: Objects, tip: str | None, files: Iterable[str]) -> None:
    """Refuses files of a snapshot that the branch has already: it never changes, whoever asks."""
    days = {Path(path).parts[1] for path in files if Path(path).parts[0] == ARCHIVE}
    # One that was taken away, for what it showed, is not made anew: the ledger has its digest.
    told = {one.date[:10] for one in ledger_at(objects, tip) if one.event == ARCHIVED}
    if tip is not None and days & {*objects.folder(tip, ROOT, ARCHIVE), *told}:
        raise refusal(Code.ARCHIVE_THERE)


def _check_head(objects: Objects, outcome: StepOutcome) -> None:
    """Refuses where the pull request moved on: what was scored is not what would be merged."""
    head = f"refs/pull/{outcome.pr}/head"
    if outcome.pr is not None and objects.refs(head).get(head) != outcome.commit:
        why = "the pull request is not at the commit that was scored"
        raise refusal(Code.HEAD_MOVED, why, hint="Review it again and set the label again.")


def _events_since(objects: Objects, outcome: StepOutcome, tip: str | None) -> list[Event]:
    """What came onto the branch since the decision; refuses where the decision rests on it."""
    if tip == outcome.results:
        return []
    if outcome.results and (tip is None or not objects.is_ancestor(outcome.results, tip)):
        raise refusal(Code.RESULTS_REWRITTEN)
    since = ledger_at(objects, tip)[len(ledger_at(objects, outcome.results)) :]
    refuse_twice(since, outcome.digest)
    for event in since:
        # Another run of the author would change quota and ladder; a re-scoring heeds neither.
        if event.system == outcome.system and event.author not in (outcome.author, None):
            raise refusal(
                Code.SYSTEM_TAKEN,
                "another author's scoring of this system was recorded first",
                hint="Send these answers under another name: that costs no run.",
            )
        authors = event.author == outcome.author and not outcome.reason
        ends = event.event in ("season closed", "key retired")
        # A word on the system moves nothing that the decision rests on.
        moves = event.system == outcome.system and event.event not in ("note", RETURNED)
        if moves or authors or ends:
            raise refusal(
                Code.RESULTS_MOVED,
                "The results branch changed while this scoring ran",
                hint="Score it again.",
            )
    return since


def _bands_hold(outcome: StepOutcome, since: Iterable[Event]) -> bool:
    """Whether no row came since the decision but earlier parts of the same re-scoring."""
    return all(
        (e.event, e.reason) == ("re-scored", outcome.reason)
        for e in since
        if e.season == outcome.season and e.event in ("scored", "re-scored")
    )


def _check_result(outcome: StepOutcome, files: Mapping[str, bytes], keys: Keys) -> None:
    """A result must be signed, of this system, season, author and commit; only its own files come."""
    season, system = outcome.season, outcome.system
    name = f"results/{season}/{system}.json"
    bands, bridges = f"results/{season}/{BANDS}", f"results/{season}/{BRIDGES}"
    signed = {"scored": (name, bands), DESCRIBED: (name,)}.get(outcome.state, ())
    if outcome.state == "scored" and outcome.reason and bridges in files:
        signed = (*signed, bridges)
    allowed = {one for path in signed for one in (path, f"{path}.sig")}
    if outcome.state == "scored":
        allowed.add(f"results/{season}/tallies/{system}.sealed")
    # Whoever can make the scorer name another path could overwrite another system's row.
    if set(files) - allowed:
        raise refusal(Code.OTHER_RESULT, "the outcome names files that are not its system's")
    for path in signed if files else ():
        try:
            verify_signature(
                files.get(path, b""), files.get(f"{path}.sig", b""), keys, retired=False
            )
        except SealError:
            raise refusal(Code.BAD_SIGNATURE, "a result is not signed by the board", path) from None
    if files:
        with refusing():
            result = parse_result(files[name], Path(name))
        # What is only described anew stays of the commit that was scored.
        commit = result.commit if outcome.state == DESCRIBED else outcome.commit
        if (result.author, result.commit) != (outcome.author, commit):
            raise refusal(Code.OTHER_RESULT, "The result does not belong to the outcome", file=name)


def _read(path: Path) -> bytes:
    with refusing():
        return read_bounded(path, LIMITS, path.name)
