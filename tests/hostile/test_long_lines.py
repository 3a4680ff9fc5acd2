"""A line that begins as a heading, an entry or a label of a list of sources and goes on with one sign takes linear time."""

from __future__ import annotations

import pytest

from argue_bench.text.citations.index import CitationIndex
from argue_bench.text.reading import read_answer
from tests.growth import assert_linear

INDEX = CitationIndex.of(["d-1", "d-2"], ["The Wall", "The Hall"])
HEADS = (
    "Sources",
    "**Sources",
    "## ",
    "Sources:",
    "- ",
    "[1]",
    "1.",
    "Source 1",
    "**A",
    "Smith",
    "| a |",
    '"',
)


@pytest.mark.slow
@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize(
    "sign",
    [" ", "\t", "\xa0", "*", "#", ":", "-", "[", "(", "|", "_", ",", "1", "a", ". ", " *", "\\"],
)
def test_a_line_of_one_sign_takes_linear_time(head: str, sign: str) -> None:
    def read(run: str) -> None:
        read_answer(
            "q", f"It fell in 1931.\nSources:\n{head}{run}x\n[1] https://a.example/1\n", INDEX
        )

    assert_linear(sign, read)


@pytest.mark.parametrize("blank", [" ", "\t", "\xa0", "\u2028"])
def test_a_heading_behind_which_blanks_stand_is_read_at_once(blank: str) -> None:
    """Two hundred blanks took two minutes."""
    said = read_answer(
        "q", f"It fell in 1931.\nSources{blank * 200}x\n[1] https://a.example/1\n", INDEX
    )
    assert said.sentences
