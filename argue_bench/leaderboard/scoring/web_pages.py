"""The web pages that a season's answers are scored by: one snapshot for all, or each submission's own.

A snapshot is looked at whole before an answer is scored by it: its size, its digest, every line.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from argue_bench.errors import Code, DataError, UsageError
from argue_bench.eval.signature import OWN_SOURCES
from argue_bench.leaderboard.formats.layout import FETCHED, MOST_SOURCES, WEB_PAGES
from argue_bench.leaderboard.formats.results import Result
from argue_bench.leaderboard.formats.season import Season
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.web import signed_sources, with_sources
from argue_bench.records import Answer
from argue_bench.sources.snapshot import SOURCES, Snapshot


@dataclass(frozen=True)
class GivenSnapshot:
    """A folder that should hold the snapshot with this digest; "" for any."""

    folder: Path
    expect: str = ""


@dataclass(frozen=True)
class WebPages:
    """A snapshot that was checked. ``own``: it was fetched for one submission alone."""

    snapshot: Snapshot
    own: bool = False

    @property
    def signed(self) -> dict[str, str]:
        """What of it stands in signatures."""
        signed = signed_sources(self.snapshot)
        return {**signed, "sources": f"{OWN_SOURCES}{signed['sources']}"} if self.own else signed

    def in_set(self, dataset: Dataset, answers: Iterable[Answer]) -> Dataset:
        """The set with the pages that these answers cite."""
        return replace(with_sources(dataset, answers, self.snapshot.folder), signed=self.signed)


def season_snapshot(season: Season, board: Path, given: Path | None) -> Path | None:
    """The folder with the season's pages: the given one, else the one beside season.json.

    Raises UsageError where the season is scored by web pages and neither is there.
    """
    if given is not None or season.sources is None:
        return given
    beside = board / WEB_PAGES
    if season.sources != FETCHED and beside.is_dir():
        return beside
    raise UsageError(f"{season.season} is scored by web pages: name their snapshot, --sources DIR")


def check_snapshot(season: Season, given: GivenSnapshot) -> WebPages:
    """The snapshot, every line of it looked at. Raises DataError: too large, another one, edited, cut."""
    snapshot = Snapshot(given.folder)
    size = snapshot.file.stat().st_size if snapshot.file.is_file() else 0
    if size > MOST_SOURCES:
        why = f"the snapshot has {size:,} bytes, more than {MOST_SOURCES:,}"
        raise DataError.of(Code.TOO_LARGE, why, snapshot.file, hint="Cite fewer pages.")
    fetched = season.sources == FETCHED
    for wanted, whose in (
        ("" if fetched else season.sources or "", "the season is scored by"),
        (given.expect, "the job that fetches made"),
    ):
        if wanted and wanted != snapshot.digest:
            why = f"{whose} the snapshot {wanted:.16}, this is {snapshot.digest:.16}"
            raise DataError.of(Code.SNAPSHOT, why, snapshot.file)
    if findings := snapshot.findings():
        raise DataError(findings)
    return WebPages(snapshot, fetched)


def find_snapshots(folder: Path) -> dict[str, Path]:
    """Digest to folder of every snapshot in ``folder`` and below it."""
    return {Snapshot(path.parent).digest: path.parent for path in sorted(folder.rglob(SOURCES))}


def snapshots_of(result: Result, there: Mapping[str, Path]) -> dict[str, GivenSnapshot]:
    """Setting to the snapshot that a result was scored by, of those in ``there`` (digest to folder)."""
    found = {}
    for setting, one in result.settings.items():
        for parts in one.signature.values():
            said = parts.get("sources", "").removeprefix(OWN_SOURCES).removeprefix("sha256:")
            if said in there:
                found[setting] = GivenSnapshot(there[said], said)
    return found
