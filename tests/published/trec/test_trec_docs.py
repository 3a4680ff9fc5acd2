"""The table of tracks, which docs/from/trec.md shows, has every track."""

from __future__ import annotations

from argue_bench.published.trec.tracks import TRACKS
from tests.published.trec.table import tracks_table


def test_the_table_has_a_line_for_every_track() -> None:
    lines = list(tracks_table())
    assert len(lines) == 2 + len(TRACKS)
    assert len({line.replace("\\|", "").count("|") for line in lines}) == 1
