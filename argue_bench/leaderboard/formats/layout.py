"""The layout of a board's repository and the fixed words of its files.

    leaderboard-submissions/
      season.json  topics/  gold.jsonl.sealed  keys/ID.pem  judges/    the organiser's
      metadata/SYSTEM.json  SETTING-generations/SYSTEM.jsonl           the participants'
      results/SEASON/SYSTEM.json  results/ledger.jsonl                 the board's, on its own branch
      results/SEASON/bands.json   results/SEASON/bridges.json   results/SEASON/tallies/SYSTEM.sealed
      archive/DAY/index.json   archive/DAY/board/SEASON/SETTING.json   the boards as they stood on a day

It needs nothing but the standard library, so that the command line can name these words freely.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

ROOT = "leaderboard-submissions"
# What is merged there is on the board.
MAIN = "refs/heads/main"
SETTINGS = ("closedbook", "openbook", "evidenceprovided")
FOLDERS = {f"{setting}-generations": setting for setting in SETTINGS}
PLACES = ("metadata", *FOLDERS)
# The board's own files among the results of a season: ranks, and what a re-scoring changed.
BANDS, BRIDGES = "bands.json", "bridges.json"
LEDGER = Path("results", "ledger.jsonl")
# Beside fetched results, the ledger of those that were committed on main, such as a rehearsal's.
MAIN_LEDGER = Path("results", "ledger-main.jsonl")
# Dated snapshots of the boards, each a folder of the results branch that never changes.
ARCHIVE = "archive"
# The file of a snapshot that lists its others by their SHA-256.
INDEX = "index.json"
# Boards that others published, each a folder in the layout of a board.
PUBLISHED = "published"

# Addresses that a season names for its readers.
LINKS = ("website", "repository", "data", "paper")
TYPES = ("FOUNDATION", "FINETUNE", "PROMPT", "OTHER")
STATUS = ("active", "withdrawn", "superseded")
# Rows that no season of this board ranks: shown, marked, apart.
GROUPS = ("rehearsal", "scripted", "published elsewhere")

# What a season tells while its gold is hidden: the ranked score in steps, or everything.
TOLD = ("ranked", "all")

UNCHANGED = "unchanged"
# Events of a recorded scoring; the author of a system's first one owns the system.
SCORED = ("scored", UNCHANGED)
# A run was used and its score announced, but what it rested on changed before it was recorded.
EXPIRED = "expired"
# A run was used, and ended by the clock or the budget before its score was made.
OUTRAN = "outran"
# A scoring failed: no run was used, and as many may fail as the quota has runs.
FAILED = "failed"
# The organiser gives back a system's runs that ended so.
RETURNED = "run returned"
# Events that use up a run of the quota.
RUNS = (*SCORED, EXPIRED, OUTRAN)
# The reason of a scoring that was recorded without new bands, for another came in between.
RANKS_STAY = "ranks as before"
# How the reason of a re-scoring begins whose row no key verified: it tells what the very answers were told before.
SIGNED_ANEW = "signed anew, bundle"
# New metadata over the same answers: nothing was scored.
DESCRIBED = "described"
OPENED, CLOSED = "season opened", "season closed"
# A snapshot of the boards was kept; the event holds the SHA-256 of its index.
ARCHIVED = "archived"
EVENTS = (
    *RUNS,
    FAILED,
    "re-scored",
    DESCRIBED,
    "owner",
    "hidden",
    "shown",
    "removed",
    "withdrawn",
    "superseded",
    "key retired",
    RETURNED,
    OPENED,
    CLOSED,
    ARCHIVED,
    "note",
)


def write_files(out: Path, files: Mapping[str, bytes]) -> None:
    """Writes each file at its path below ``out``."""
    for path, content in files.items():
        place = out / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
