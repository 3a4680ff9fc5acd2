"""Pictures: well-formed, escaped, titled, with a table that says the same."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest

from argue_bench.pages.board_plots import LINE, MOST, Plot, Point, cost_plot, interval_plot
from argue_bench.pages.build import build_pages
from argue_bench.pages.inputs import Site
from tests.pages.boards import entry, season

EVIL = '<script>alert("x")</script> & co'
HEAD = ("System", "Cost", "Score")
POINTS = [
    Point("best", 0.8, 0.7, 0.9, 1, x=10.0),
    Point(EVIL, 0.5, None, None, 2, x=1.0),
    Point("free", 0.4, 0.3, 0.5, 2, x=0.0),
]
MADE: dict[str, Callable[[], Plot]] = {
    "intervals": lambda: interval_plot("T", POINTS, HEAD),
    "pareto": lambda: cost_plot("T", POINTS, HEAD),
}
SVG = "{http://www.w3.org/2000/svg}"


def drawn(plot: Plot) -> ElementTree.Element:
    return ElementTree.fromstring(
        str(plot.svg).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
    )


@pytest.mark.parametrize("kind", MADE)
def test_it_is_whole_and_harmless(kind: str) -> None:
    plot = MADE[kind]()
    root = drawn(plot)
    assert root.find(f"{SVG}title").text == "T"  # type: ignore[union-attr]
    assert root.get("role") == "img"
    assert not root.findall(f".//{SVG}script")
    assert not [e for e in root.iter() for name in e.attrib if name.startswith(("on", "style"))]
    assert plot.rows
    assert all(len(row) == len(plot.head) for row in plot.rows)


def places(plot: Plot) -> list[tuple[float, float]]:
    return [
        (float(c.get("cx", "").rstrip("%")), float(c.get("cy", 0)))
        for c in drawn(plot).iter(f"{SVG}circle")
    ]


def test_higher_scores_stand_further_right() -> None:
    at = [x for x, _ in places(MADE["intervals"]())]
    assert at == sorted(at, reverse=True)
    # 0.8, 0.5, 0.4 on one scale: the gaps are as 3 to 1
    assert (at[0] - at[1]) / (at[1] - at[2]) == pytest.approx(3, rel=0.02)


def test_the_front_leaves_out_who_is_beaten_on_both() -> None:
    worse = [*POINTS, Point("dear and worse", 0.45, x=20.0)]
    path = next(
        e.get("d", "")
        for e in drawn(cost_plot("T", worse, HEAD)).iter(f"{SVG}path")
        if e.get("class") == "p-front"
    )
    assert path.count(" ") == 3  # free, EVIL, best


def band_lines(plot: Plot) -> int:
    return sum(e.get("class") == "p-band" for e in drawn(plot).iter(f"{SVG}path"))


def test_a_band_is_set_apart_by_a_line() -> None:
    assert band_lines(MADE["intervals"]()) == 1


@pytest.mark.parametrize(
    ("bands", "lines"),
    [((None, 1, 1), 0), ((1, None, 1), 0), ((1, None, 2), 1), ((None, None, None), 0)],
)
def test_what_was_not_compared_begins_no_band(bands: tuple[int | None, ...], lines: int) -> None:
    points = [Point(str(place), 0.5 - 0.1 * place, band=band) for place, band in enumerate(bands)]
    assert band_lines(interval_plot("T", points, HEAD)) == lines


def test_names_on_the_line_keep_clear_of_each_other() -> None:
    crowd = [Point(f"System {n}", 0.3 + 0.01 * n * (2 - n % 2), x=1.0 + n) for n in range(20)]
    names = [
        float(text.get("y", 0))
        for text in drawn(cost_plot("T", crowd, HEAD)).iter(f"{SVG}text")
        if "p-name" in text.get("class", "")
    ]
    assert len(names) > 3
    assert all(below - above >= LINE for above, below in pairwise(names))


def test_the_first_systems_are_drawn_and_all_stand_in_the_table() -> None:
    plot = interval_plot("T", [Point(f"s{n}", 0.5) for n in range(MOST + 5)], HEAD)
    assert len(places(plot)) == MOST
    assert len(plot.rows) == MOST + 5


def test_a_board_shows_score_against_size_where_two_systems_give_theirs(tmp_path: Path) -> None:
    sized = [entry("small", 0.5, parameters=7), entry("big", 0.6, parameters=70)]
    for name, rows in (("two", sized), ("one", [sized[0], entry("silent", 0.4)])):
        build_pages(Site((season(*rows),), today="2027-02-01"), tmp_path / name)
    found = {
        name: "against size of the model"
        in (tmp_path / name / "board/s1/openbook.html").read_text("utf-8")
        for name in ("two", "one")
    }
    assert found == {"two": True, "one": False}


def test_an_amount_that_cannot_be_drawn_ends_no_building(tmp_path: Path) -> None:
    rows = [entry(f"s{n}", 0.5, cost=cost) for n, cost in enumerate((5e-324, 1.0, 2.0))]
    build_pages(Site((season(*rows),), today="2027-02-01"), tmp_path)
    assert "s0" in (tmp_path / "board/s1/openbook.html").read_text("utf-8")
