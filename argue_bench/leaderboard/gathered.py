"""What is shown? What people merged, beside what the results branch holds; nothing of either is changed.

A result is shown when its system's metadata are on the board's main branch: merging is the organiser's word
that it is to be shown, whenever it was scored. Systems that the ledger hides are left out, as are
results whose signature fails.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from argue_bench.errors import Finding, UsageError
from argue_bench.leaderboard.intake import ROOT, ledger_of
from argue_bench.leaderboard.ledger import PATH as LEDGER
from argue_bench.leaderboard.ledger import hidden
from argue_bench.leaderboard.objects import FILE, FOLDER, Objects, check_ref, opened
from argue_bench.leaderboard.season import FILE as SEASON
from argue_bench.leaderboard.season import is_season
from argue_bench.leaderboard.signing import FOLDER as KEYS
from argue_bench.leaderboard.signing import Keys
from argue_bench.leaderboard.submission import is_file
from argue_bench.leaderboard.verify import verify_file

MOST_BYTES = 2 << 30
JUDGES = "judges"
"""Reports on judges, which the board shows beside them."""
SUFFIXES = (".json", ".json.sig")


def gather(
    board: Path, remote: str, results: str, keys: Keys, out: Path, token: str = ""
) -> list[Finding]:
    """Writes a folder of submissions with results under ``out``; returns what was left out.

    Raises UsageError (``out`` is not empty), SubmissionError (the branch can't be read).
    """
    if out.exists() and any(out.iterdir()):
        raise UsageError(f"{out} is not empty: what lies there could be taken for a result")
    out.mkdir(parents=True, exist_ok=True)
    for name in ("metadata", KEYS, JUDGES):
        if (board / name).is_dir():
            shutil.copytree(board / name, out / name, symlinks=True)
    if (board / SEASON).is_file():
        shutil.copyfile(board / SEASON, out / SEASON)
    ref = check_ref(results)
    with opened(remote, token) as objects:
        tip = objects.refs(ref).get(ref)
        if tip is None:
            return []
        objects.fetch([tip])
        gone = _write(objects, tip, out)
    return [*gone, *_sift(out, keys)]


def _write(objects: Objects, tip: str, out: Path) -> list[Finding]:
    """The results of every season, but those that the ledger hides."""
    events = ledger_of(objects, tip)
    places, oids, findings = [], [], []
    for season, row in objects.folder(tip, ROOT, "results").items():
        if season == LEDGER.name and row.mode == FILE:
            places.append(out / LEDGER)
            oids.append(row.oid)
        elif row.mode == FOLDER and is_season(season):
            gone = hidden(events, season)
            findings += [
                Finding("hidden", "the ledger hides it", f"results/{season}/{one}", level="notice")
                for one in sorted(gone)
            ]
            for name, file in objects.tree(row.oid).items():
                if file.mode == FILE and name.endswith(SUFFIXES) and name.split(".")[0] not in gone:
                    places.append(out / "results" / season / name)
                    oids.append(file.oid)
    for place, content in zip(places, objects.blobs(oids, MOST_BYTES), strict=True):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
    return findings


def _sift(out: Path, keys: Keys) -> list[Finding]:
    """Takes away what does not verify, and what nobody merged."""
    findings = []
    for path in sorted(out.glob("results/*/*.json")):
        seen = verify_file(path, keys)
        where = f"results/{path.parent.name}/{path.name}"
        if seen.seal == "broken":
            findings.append(Finding("result-seal", f"left out: {seen.why}", where))
        elif seen.system and not is_file(out / "metadata" / f"{seen.system}.json"):
            why = "left out: its metadata are not merged"
            findings.append(Finding("not-merged", why, where, level="notice"))
        else:
            continue
        path.unlink()
        path.with_name(f"{path.name}.sig").unlink(missing_ok=True)
    return findings
