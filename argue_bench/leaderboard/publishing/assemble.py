"""The folder that the pages show: merged submissions beside the results branch, both unchanged.

A result is shown when the very files that were scored are on the board's main branch: merging is the
organiser's word that it may be shown. Systems that the ledger hides are left out, and so are results
whose signature fails. ``results/left-out.json`` lists what is left out because something is wrong,
so that the pages say it too.

Where main has the files of a later season, of an earlier season the newest result is shown whose files main once had.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from argue_bench.errors import Code, DataError, Finding, UsageError
from argue_bench.leaderboard.formats.canonical import canonical
from argue_bench.leaderboard.formats.git_objects import (
    FILE,
    FOLDER,
    Objects,
    check_ref,
    open_objects,
)
from argue_bench.leaderboard.formats.layout import (
    LEDGER,
    MAIN,
    MAIN_LEDGER,
    PUBLISHED,
    ROOT,
    SCORED,
    write_files,
)
from argue_bench.leaderboard.formats.ledger import Event, hidden_systems, ledger_at
from argue_bench.leaderboard.formats.names import board_name, is_season
from argue_bench.leaderboard.formats.results import Result, Version
from argue_bench.leaderboard.formats.season import FILE as SEASON
from argue_bench.leaderboard.publishing.record import lay_archive
from argue_bench.leaderboard.publishing.verifying import verify_file
from argue_bench.leaderboard.signing.keys import FOLDER as KEYS
from argue_bench.leaderboard.signing.keys import Keys
from argue_bench.leaderboard.submitting.checking import files_of, is_file
from argue_bench.records.digests import file_sha256, sha256
from argue_bench.records.untrusted import DEFAULT_LIMITS, read_json
from argue_bench.records.validation import validate

if TYPE_CHECKING:
    from argue_bench.leaderboard.scoring.results_branch import ResultsBranch

# Digits of a SHA-256 that a finding shows.
_SHORT = 12
# Of all results together: 10,000 systems at 20 kB are a tenth of it.
MOST_BYTES = 2 << 30
# Reports on judges, which the board shows beside them.
JUDGES = "judges"
SUFFIXES = (".json", ".json.sig")
LEFT_OUT = Path("results", "left-out.json")
EARLIER = Code.MERGED_EARLIER


def assemble_board(board: Path, remote: str, results: str, keys: Keys, out: Path) -> list[Finding]:
    """Writes a folder of submissions with results under ``out``; returns what was left out.

    Raises UsageError (``out`` is not empty), SubmissionError (the branch can't be read).
    """
    # A file that lay there before could pass for a verified one.
    if out.exists() and any(out.iterdir()):
        raise UsageError(f"{out} is not empty: what lies there could be taken for a result")
    out.mkdir(parents=True, exist_ok=True)
    # Links stay links, which every reader of these folders leaves alone.
    for name in ("metadata", KEYS, JUDGES, PUBLISHED):
        if (board / name).is_dir():
            shutil.copytree(board / name, out / name, symlinks=True)
    for path in out.glob("metadata/*.json"):
        path.rename(path.with_name(board_name(path.name)))
    if (board / SEASON).is_file():
        shutil.copyfile(board / SEASON, out / SEASON)
    from argue_bench.leaderboard.scoring.results_branch import ResultsBranch

    ref = check_ref(results)
    with open_objects(remote) as objects:
        there = objects.refs(ref, MAIN)
        tip = there.get(ref)
        if tip is None:
            return _lay_committed(board, out, keys, [])
        objects.fetch(there.values())
        events = ledger_at(objects, tip)
        gone = _write(objects, tip, events, out)
        lay_archive(objects, tip, out)
        findings, signed = _delete_unverified(out, keys)
        ever = objects.versions(there[MAIN], ROOT) if MAIN in there else []
        for one in signed.values():
            findings += _keep_merged(
                one, ResultsBranch(objects, "", tip, events), ever, board, keys, out
            )
    findings += _lay_committed(board, out, keys, events)
    listed = [asdict(one) for one in findings if one.level == "error" or one.code == EARLIER]
    if listed:
        (out / LEFT_OUT).write_bytes(canonical(listed))
    return [*gone, *findings]


def _lay_committed(board: Path, out: Path, keys: Keys, events: Sequence[Event]) -> list[Finding]:
    """Lays signed results that stand on main, such as a rehearsal's, where the branch has none.

    Their ledger comes with them, beside that of the branch. By its ``events`` the branch decides what is shown, also of
    what main has: what it hides is not, nor what was imported under the name of a system that it scored.
    """
    findings, scored = [], {(e.season, e.system) for e in events if e.event in SCORED}
    for path in sorted(board.glob("results/*/*.json")):
        inside, row = path.relative_to(board), (path.parent.name, path.stem)
        if (out / inside).exists() or not is_file(path):
            continue
        seen = verify_file(path, keys)
        if path.stem in hidden_systems(events, path.parent.name):
            findings.append(_hidden(inside.as_posix()))
        elif row in scored:
            findings.append(
                Finding(
                    Code.SYSTEM_TAKEN,
                    "left out: the board scored a participant's answers under this name",
                    inside.as_posix(),
                    hint="Import the run under another name.",
                )
            )
        elif seen.seal != "verified":
            why = f"left out: {seen.why or 'it is on main and not signed'}"
            findings.append(Finding(Code.BAD_SIGNATURE, why, inside.as_posix()))
        else:
            write_files(
                out,
                {
                    f"{inside.with_suffix(end)}": path.with_suffix(end).read_bytes()
                    for end in SUFFIXES
                },
            )
    if is_file(board / LEDGER):
        write_files(out, {MAIN_LEDGER.as_posix(): (board / LEDGER).read_bytes()})
    return findings


def _hidden(where: str) -> Finding:
    return Finding(
        Code.NOT_MERGED, "The ledger says that this row is hidden", where, level="notice"
    )


def left_out_results(folder: Path) -> list[Finding]:
    """The results that `assemble_board` left out of a folder as faulty, or shows in an earlier version."""
    path = folder / LEFT_OUT
    if not is_file(path):
        return []
    try:
        value = read_json(path, DEFAULT_LIMITS)
        rows = value if isinstance(value, list) else [value]
        return [validate(Finding, one, Code.WRONG_SHAPE, path) for one in rows]
    except DataError as error:
        return list(error.findings)


def _write(objects: Objects, tip: str, events: Sequence[Event], out: Path) -> list[Finding]:
    """Writes the results of every season, except results that the ledger hides."""
    oids, findings = dict[str, str](), list[Finding]()
    for season, row in objects.folder(tip, ROOT, "results").items():
        if season == LEDGER.name and row.mode == FILE:
            oids[LEDGER.as_posix()] = row.oid
        elif row.mode == FOLDER and is_season(season):
            gone = hidden_systems(events, season)
            findings += [_hidden(f"results/{season}/{one}") for one in sorted(gone)]
            for name, file in objects.tree(row.oid).items():
                if file.mode == FILE and name.endswith(SUFFIXES) and name.split(".")[0] not in gone:
                    oids[f"results/{season}/{name}"] = file.oid
    write_files(out, dict(zip(oids, objects.blobs([*oids.values()], MOST_BYTES), strict=True)))
    return findings


def _delete_unverified(out: Path, keys: Keys) -> tuple[list[Finding], dict[str, list[Result]]]:
    """Deletes results that do not verify or are not merged; returns the signed rest, by system."""
    findings = []
    signed: dict[str, list[Result]] = {}
    for path in sorted(out.glob("results/*/*.json")):
        seen = verify_file(path, keys)
        where = f"results/{path.parent.name}/{path.name}"
        if seen.seal == "broken":
            findings.append(Finding(Code.BAD_SIGNATURE, f"left out: {seen.why}", where))
        elif seen.system and not is_file(out / "metadata" / f"{seen.system}.json"):
            findings.append(
                Finding(
                    Code.NOT_MERGED,
                    "The metadata of a result are not merged, so the page omits its row",
                    file=where,
                    level="notice",
                )
            )
        else:
            if seen.seal == "verified" and seen.result is not None:
                signed.setdefault(seen.system, []).append(seen.result)
            continue
        _delete(path)
    return findings, signed


def _keep_merged(
    results: list[Result],
    state: ResultsBranch,
    ever: Sequence[tuple[str, str]],
    board: Path,
    keys: Keys,
    out: Path,
) -> list[Finding]:
    """Keeps the results of one system that match main's files, restores earlier ones, deletes the rest.

    ``ever`` are all files that main had, with git's names of their bytes.
    """

    def versions(one: Result) -> Iterator[Version]:
        return replace(state, season=one.season).versions(one.system, keys)

    def merged() -> set[tuple[str, str]]:
        named = ((board_name(path).removeprefix(f"{ROOT}/"), oid) for path, oid in ever)
        wanted = dict.fromkeys(x for x in named if Path(x[0]).stem == results[0].system)
        contents = state.objects.blobs([oid for _, oid in wanted], MOST_BYTES)
        return {(path, sha256(raw)) for (path, _), raw in zip(wanted, contents, strict=True)}

    findings = []
    for season, what in choose_versions(results, board, versions, merged).items():
        path = out / "results" / season / f"{results[0].system}.json"
        if isinstance(what, Finding):
            findings.append(what)
            _delete(path)
        else:
            path.write_bytes(what.content)
            path.with_name(f"{path.name}.sig").write_bytes(what.signature)
            why = "the files that were scored last are not merged: the row shows the scoring before"
            findings.append(
                Finding(Code.MERGED_EARLIER, why, f"results/{season}/{path.name}", level="notice")
            )
    return findings


def _delete(path: Path) -> None:
    path.unlink()
    path.with_name(f"{path.name}.sig").unlink(missing_ok=True)


def choose_versions(
    results: Sequence[Result],
    board: Path,
    versions: Callable[[Result], Iterable[Version]],
    merged: Callable[[], set[tuple[str, str]]],
) -> dict[str, Version | Finding]:
    """For the results of one system: the season to the version that replaces its result, or a finding.

    A season whose result is to be shown as it is is not in the mapping. ``versions`` yields the versions of a
    season's result, the newest first; ``merged`` gives each file of the system that main ever had, and its SHA-256.
    """
    if not results:
        return {}
    there = {p: file_sha256(place) for p, place in files_of(board, results[0].system).items()}
    differ = {one.season: one.changed_files(there) for one in results}
    other = [one for one in results if differ[one.season]]
    earlier = {
        one.season: next((v for v in versions(one) if not v.result.changed_files(there)), None)
        for one in other
    }
    standing = [one for one in results if not differ[one.season]]
    standing += [version.result for version in earlier.values() if version is not None]
    latest = max((one.created for one in standing), default="")
    for one in other:
        # Main has the files of a later season: those of this one it once had, or they were never merged.
        if earlier[one.season] is None and one.created < latest:
            ever = merged()
            was = (v for v in versions(one) if v.result.submission.items() <= ever)
            earlier[one.season] = next(was, None)
    return {
        season: version or _finding(one, differ[season])
        for one in other
        for season, version in [(one.season, earlier[one.season])]
        if version is None or version.result != one
    }


def _finding(result: Result, differ: Sequence[tuple[str, str, str]]) -> Finding:
    each = [
        f"{path} is {there[:_SHORT] or 'not there'}, expected {scored[:_SHORT]}"
        for path, there, scored in differ
    ]
    why = f"left out: the files on main differ from the scored files; by SHA-256, {'; '.join(each)}"
    hint = (
        "Merge the files that were scored, or let these be scored, or hide the row by the ledger."
    )
    return Finding(Code.OTHER_RESULT, why, result.path.as_posix(), hint=hint)
