"""The table of tracks, which docs/trec.md shows, has every track."""

from __future__ import annotations

from argue_bench.loaders.trec.tracks import TRACKS
from tests.loaders.trec_table import tracks_table


def test_the_table_has_a_line_for_every_track() -> None:
    lines = list(tracks_table())
    assert len(lines) == 2 + len(TRACKS)
    assert len({line.replace("\\|", "").count("|") for line in lines}) == 1
