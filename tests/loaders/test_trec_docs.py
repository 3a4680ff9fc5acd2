"""The table of tracks in the documents is the one that is checked by."""

from __future__ import annotations

from argue_bench.loaders.trec.tracks import TRACKS
from tests.loaders.trec_table import tracks_table
from tests.shared import ROOT

START, END = "<!-- python -m tests.loaders.trec_table -->\n", "<!-- end of the table -->"


def test_the_table_in_the_documents_is_that_of_the_code() -> None:
    text = (ROOT / "docs" / "trec.md").read_text(encoding="utf-8")
    assert text.partition(START)[2].partition(END)[0] == tracks_table()


def test_the_table_has_a_line_for_every_track() -> None:
    lines = tracks_table().splitlines()
    assert len(lines) == 2 + len(TRACKS)
    assert len({line.replace("\\|", "").count("|") for line in lines}) == 1
