"""A page with what Wikipedia's pages have, by eye: what a reader of the prompt must find, line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

from argue_bench.published.fanoutqa.wikipedia import page_markdown

TEXT = page_markdown(Path(__file__).with_name("realistic.html").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "lines",
    [
        "| Pat Burrell | |\n| --- | --- |\n| Burrell with the Phillies in 2008 | |",
        "| **Born:** October 10, 1976 Eureka Springs, Arkansas, U.S. | |",
        r"| Population (2020) | 1,234 \| 12 km^2 |",
        'nicknamed "**Pat the Bat**", is an American former baseball left fielder /bəˈrɛl/. He won the '
        "1998 draft. The area is *x*1 * 2 and 10^6.",
        "## Career\n\nBurrell in 2007\n\n### Draft\n\nDraft picks by year\n\n",
        "* First item\n  * Nested item\n  * Another\n* Second item",
        "1. Num one\n2. Num two",
        "The energy is $E=mc^{2}$ in physics.",
        "Use `x|y` & z; A<B.",
        "## See also\n\n* Baseball\n\n## External links\n\n* Career statistics",
        "| Preceded by Kris Benson | First overall pick 1998 | Succeeded by Josh Hamilton |",
    ],
)
def test_what_a_page_says_is_there(lines: str) -> None:
    assert lines in TEXT


LEFT_OUT = (
    "[1]|[a]|[4]|citation needed|footballer|Main article|additional citations|Contents|edit|References|Notes"
    "|Retrieved|v t e|Authority|Portal|1976-10-10|age|style|http|displaystyle|\xa0|American baseball player"
)


@pytest.mark.parametrize("left_out", LEFT_OUT.split("|"))
def test_what_is_no_content_is_left_out(left_out: str) -> None:
    assert left_out not in TEXT.replace("Use `x|y`", "").replace("average", "")


def test_a_heading_with_a_section_below_it_stays() -> None:
    html = "<h2>A</h2><h3>B</h3><p>b</p><h3>C</h3><h2>D</h2>"
    assert page_markdown(html) == "## A\n\n### B\n\nb"


def test_a_page_made_to_be_large_stays_small() -> None:
    spans = f"<table><tr>{'<td rowspan=65534>x</td>' * 500}</tr>{'<tr></tr>' * 2000}</table>"
    assert len(page_markdown(spans)) < 200_000
    assert len(page_markdown(f"<table><tr>{'<td colspan=65534>x</td>' * 50}</tr></table>")) < 50_000


def test_what_no_file_can_hold_is_replaced() -> None:
    assert page_markdown("a\x00b\ud800c&#xd800;") == "a\ufffdb\ufffdc\ufffd"
    assert page_markdown("https://example.org/page.txt") == "https://example.org/page.txt"
