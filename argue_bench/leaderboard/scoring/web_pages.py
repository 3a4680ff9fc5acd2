"""The web pages that a season's answers are scored by: a crawl that season.json pins by its digest.

A snapshot is looked at whole before an answer is scored by it: its size, its digest, every line.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from argue_bench.errors import Code, DataError, UsageError
from argue_bench.leaderboard.formats.layout import MOST_SOURCES, WEB_PAGES
from argue_bench.leaderboard.formats.season import Season
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Answer
from argue_bench.web.citing_answers import signed_sources, with_sources
from argue_bench.web.snapshot import Snapshot


@dataclass(frozen=True)
class WebPages:
    """A snapshot that was checked, and the digest of the crawl that it is a part of."""

    snapshot: Snapshot
    crawl: str

    @property
    def signed(self) -> dict[str, str]:
        """What of it stands in signatures."""
        return {**signed_sources(self.snapshot), "sources": f"sha256:{self.crawl}"}

    def in_set(self, dataset: Dataset, answers: Iterable[Answer]) -> Dataset:
        """The set with the pages that these answers cite."""
        return replace(with_sources(dataset, answers, self.snapshot.folder), signed=self.signed)


def season_snapshot(season: Season, board: Path, given: Path | None = None) -> Path | None:
    """The folder with the season's pages: the given one, else the one beside season.json.

    Raises UsageError where the season is scored by web pages and neither is there.
    """
    if given is not None or season.sources is None:
        return given
    if (board / WEB_PAGES).is_dir():
        return board / WEB_PAGES
    raise UsageError(f"{season.season} is scored by web pages: name their snapshot, --sources DIR")


def check_snapshot(season: Season, folder: Path, expect: str = "") -> WebPages:
    """The snapshot in a folder, every line of it looked at.

    With ``expect`` it is the part of the crawl that has this digest (`board ci fetch`), else the whole crawl.
    Raises DataError: too large, another one, edited, cut.
    """
    snapshot = Snapshot(folder)
    size = snapshot.file.stat().st_size if snapshot.file.is_file() else 0
    if size > MOST_SOURCES:
        why = f"the snapshot has {size:,} bytes, more than {MOST_SOURCES:,}"
        raise DataError.of(Code.TOO_LARGE, why, snapshot.file, hint="Cite fewer pages.")
    check_digest(snapshot, expect or season.sources or "")
    # Every line, also those that nobody cites: an edited line is a sign of an edited file.
    for _ in snapshot.records():
        pass
    return WebPages(snapshot, season.sources or snapshot.digest)


def check_digest(snapshot: Snapshot, wanted: str) -> None:
    """Raises DataError where the snapshot is not the one with this digest; "" is any."""
    if wanted and wanted != snapshot.digest:
        why = f"expected was the snapshot {wanted:.16}, this is {snapshot.digest:.16}"
        raise DataError.of(Code.WRONG_SHAPE, why, snapshot.file)
