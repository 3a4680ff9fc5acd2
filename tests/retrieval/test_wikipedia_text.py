"""A page with what Wikipedia's pages have, by eye: what a reader of the prompt must find, line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from argue_bench.retrieval.wikipedia_text import page_markdown

TEXT = page_markdown(Path(__file__).with_name("realistic.html").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "lines",
    [
        "| Pat Burrell | |\n| --- | --- |\n| Burrell with the Phillies in 2008 | |",
        "| **Born:** October 10, 1976 Eureka Springs, Arkansas, U.S. | |",
        "| Teams | Philadelphia Phillies (2000–2008); Tampa Bay Rays (2009–2010) |",
        r"| Population (2020) | 1,234 \| 12 km^2 |",
        'nicknamed "**Pat the Bat**", is an American former baseball left fielder /bəˈrɛl/. He won the '
        "1998 draft. The area is *x*1 * 2 and 10^6.",
        "## Career\n\nBurrell in 2007\n\n### Draft\n\nDraft picks by year\n\n",
        "| Year | Pick | | Club |\n| --- | --- | --- | --- |\n| Year | Name | Pos. | Club |\n"
        "| 1998 | Pat Burrell | 3B OF | Phillies |\n"
        "| 1998 | J. D. Drew* | OF | Cardinals |\n"
        "| 1999 | Josh Hamilton | OF | Devil Rays; Reds |\n",
        "* First item\n  * Nested item\n  * Another\n* Second item",
        "1. Num one\n2. Num two",
        "The energy is $E=mc^{2}$ in physics.",
        "| Inner | B |\n| --- | --- |\n| 1 | 2 |\n\n| Inner2 |\n| --- |\n| 3 |",
        "Use `x|y` & z; A<B.",
        "## See also\n\n* Baseball\n\n## External links\n\n* Career statistics",
        "| Preceded by Kris Benson | First overall pick 1998 | Succeeded by Josh Hamilton |",
    ],
)
def test_what_a_page_says_is_there(lines: str) -> None:
    assert lines in TEXT


@pytest.mark.parametrize(
    "left_out",
    [
        "[1]",
        "[a]",
        "[4]",
        "citation needed",
        "footballer",
        "Main article",
        "additional citations",
        "Contents",
        "edit",
        "References",
        "Notes",
        "Retrieved",
        "v t e",
        "Authority",
        "Portal",
        "1976-10-10",
        "age",
        "style",
        "http",
        "displaystyle",
        "\xa0",
        "American baseball player",
    ],
)
def test_what_is_no_content_is_left_out(left_out: str) -> None:
    assert left_out not in TEXT.replace("Use `x|y`", "").replace("average", "")


def test_a_heading_with_a_section_below_it_stays() -> None:
    html = "<h2>A</h2><h3>B</h3><p>b</p><h3>C</h3><h2>D</h2>"
    assert page_markdown(html) == "## A\n\n### B\n\nb"


def test_cells_that_span_rows_stay_in_their_columns() -> None:
    rows = (
        "<tr><td rowspan=3>a</td><td>1</td><td rowspan=2 colspan=2>b</td></tr>"
        "<tr><td>2</td></tr><tr><td>3</td><td>4</td><td rowspan=9>5</td></tr>"
    )
    assert page_markdown(f"<table><tr><th>W<th>X<th>Y<th>Z</tr>{rows}</table>").splitlines()[
        2:
    ] == [
        "| a | 1 | b | |",
        "| a | 2 | b | |",
        "| a | 3 | 4 | 5 |",
    ]


def test_a_long_cell_that_spans_rows_is_said_once() -> None:
    long = "word " * 100
    text = page_markdown(
        f"<table><tr><td rowspan=2>{long}</td><td>1</td></tr><tr><td>2</td></tr></table>"
    )
    assert text.count("word") == 100
    assert [cell.strip() for cell in text.splitlines()[-1].split("|")] == ["", "", "2", ""]


def test_a_page_made_to_be_large_stays_small() -> None:
    spans = f"<table><tr>{'<td rowspan=65534>x</td>' * 500}</tr>{'<tr></tr>' * 2000}</table>"
    assert len(page_markdown(spans)) < 200_000
    assert len(page_markdown(f"<table><tr>{'<td colspan=65534>x</td>' * 50}</tr></table>")) < 50_000


def test_what_no_file_can_hold_is_replaced() -> None:
    assert page_markdown("a\x00b\ud800c&#xd800;") == "a\ufffdb\ufffdc\ufffd"
    assert page_markdown("https://example.org/page.txt") == "https://example.org/page.txt"
