"""The data behind the pages: what ranks together, in which order, and that it fits its schemas."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from argue_bench.pages.board import board_summary
from argue_bench.pages.build import build_pages, render_pages
from argue_bench.pages.columns import judge_version
from argue_bench.pages.data import site_data
from argue_bench.pages.exports import board_csv
from argue_bench.pages.inputs import Bands, Site, SystemRank
from argue_bench.pages.site_pages import SitePages
from tests.pages.boards import entry, hostile, large, season, small
from tests.shared import ROOT

BOARD = "board/s1/openbook.json"


def sections(site: Site) -> list[tuple[str, str, list[str]]]:
    board = site_data(site)[BOARD]
    return [
        (s["group"], s["judge"], [row["system"] for row in s["rows"]]) for s in board["sections"]
    ]


def test_rows_rank_together_only_in_one_group_and_under_one_signature() -> None:
    assert sections(small()) == [
        ("", "openai/gpt-4o", ["alpha", "beta", "gamma", "delta", "no-score"]),
        ("", "lexical", ["epsilon"]),
        ("rehearsal", "openai/gpt-4o", ["practice"]),
        ("retired", "openai/gpt-4o", ["gone"]),
    ]


def test_a_section_says_in_what_it_was_scored_differently() -> None:
    board = site_data(small())[BOARD]
    assert board["sections"][0]["differences"] == []
    assert board["sections"][1]["differences"] == [
        {"part": "judge", "here": "lexical", "first": "openai/gpt-4o digest:1"}
    ]


def test_a_score_that_was_not_counted_stays_null_and_stands_last() -> None:
    board = site_data(small())[BOARD]
    assert board["sections"][0]["rows"][-1]["scores"]["argue.f1"]["value"] is None


def test_ties_stand_in_the_order_of_their_names_and_share_a_place() -> None:
    tied = Site((season(entry("zeta", 0.5), entry("eta", 0.5), entry("theta", 0.6)),))
    assert sections(tied)[0][2] == ["theta", "eta", "zeta"]
    files = site_data(tied)
    places = [files[f"system/s1/{name}.json"]["settings"][0]["place"] for name in ("theta", "zeta")]
    assert places == [1, 2]


def test_a_system_is_laid_against_the_leader_of_its_own_section() -> None:
    files = site_data(small())
    alone = files["system/s1/epsilon.json"]["settings"][0]
    assert (alone["systems"], alone["leader"]["system"]) == (1, "epsilon")
    third = files["system/s1/gamma.json"]["settings"][0]
    assert (third["systems"], third["leader"]["system"]) == (5, "alpha")
    assert third["standing"]["p"] == "<0.001"


@pytest.mark.parametrize(
    ("system", "flags"),
    [("alpha", ["judge-family"]), ("gamma", ["overlap", "judge-used"]), ("beta", [])],
)
def test_rows_are_flagged(system: str, flags: list[str]) -> None:
    rows = site_data(small())[BOARD]["sections"][0]["rows"]
    assert next(row["flags"] for row in rows if row["system"] == system) == flags


@pytest.mark.parametrize(("today", "authors"), [("2027-06-30", ""), ("2027-07-01", "A. Nonym")])
def test_authors_are_hidden_until_their_day(today: str, authors: str) -> None:
    made = entry(
        "masked",
        0.5,
        anonymous_until="2027-07-01",
        organisation="A. Nonym & Sons",
        citation="Nonym, 2027",
        url="https://example.org/who",
    )
    files = site_data(Site((season(made),), today=today))
    about = files["system/s1/masked.json"]
    assert about["authors"] == authors
    assert bool(about["url"]) is bool(about["citation"]) is bool(authors)
    assert ("Nonym" in json.dumps(files)) is bool(authors)


def test_without_bands_there_are_no_ranks() -> None:
    board = site_data(Site((season(entry("one", 0.5), entry("two", 0.4)),)))[BOARD]
    assert board["bands"] is None
    assert all(row["standing"] is None for row in board["sections"][0]["rows"])


@pytest.mark.parametrize("names", [("alpha",), ("alpha", "beta")])
def test_one_row_alone_is_tied_with_nobody(names: tuple[str, ...], tmp_path: Path) -> None:
    bands = Bands({name: SystemRank(1, 1, len(names)) for name in names}, "a test", 0.04)
    rows = season(*(entry(name, 0.5) for name in names), bands={"openbook": bands})
    summary = board_summary(site_data(Site((rows,)))[BOARD], SitePages(tmp_path).t)
    assert "within noise" in summary["resolution"]
    assert ("green lines" in summary["resolution"]) is (len(names) > 1)


@pytest.mark.parametrize(
    ("ranks", "bold"), [((1,), ""), ((1, 2), "one"), ((1, 1), ""), ((1, 1, 2), "")]
)
def test_only_a_system_that_tests_tell_from_another_is_bold(
    ranks: tuple[int, ...], bold: str, tmp_path: Path
) -> None:
    """A row alone leads nobody, and systems of one band are tied."""
    names = ("one", "two", "three")[: len(ranks)]
    standings = {name: SystemRank(band, 1, 3) for name, band in zip(names, ranks, strict=True)}
    rows = season(*(entry(name, 0.5) for name in names), bands={"openbook": Bands(standings)})
    summary = board_summary(site_data(Site((rows,)))[BOARD], SitePages(tmp_path).t)
    assert summary["leaders"] == [bold]


SCHEMAS = {"index.json": "index", "board/": "board", "system/": "system"}


@pytest.mark.parametrize("site", [small(), hostile(), Site(())], ids=["small", "hostile", "empty"])
def test_every_file_fits_its_schema(site: Site) -> None:
    checked = 0
    for path, value in site_data(site).items():
        name = next((s for start, s in SCHEMAS.items() if path.startswith(start)), None)
        if name:
            schema = json.loads((ROOT / f"site/static/{name}.schema.json").read_text("utf-8"))
            jsonschema.Draft202012Validator.check_schema(schema)
            jsonschema.Draft202012Validator(schema).validate(value)
            checked += 1
    assert checked


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_pages_come_from_the_contract_alone(tmp_path: Path) -> None:
    build_pages(small(), tmp_path / "one")
    data = tmp_path / "one" / "data" / "v1"
    files: dict[str, Any] = {
        str(path.relative_to(data)): json.loads(path.read_text("utf-8"))
        for path in data.rglob("*.json")
        if "schema" not in path.parts
    }
    order = list(site_data(small()))
    render_pages({path: files[path] for path in order}, tmp_path / "two")
    assert everything(tmp_path / "one") == everything(tmp_path / "two")


def test_a_second_build_renders_only_what_changed(tmp_path: Path) -> None:
    first = build_pages(small(), tmp_path / "site")
    assert first.unchanged == 0
    again = build_pages(small(), tmp_path / "site")
    assert (again.written, again.unchanged) == (0, first.written)
    build_pages(small(), tmp_path / "fresh")
    assert everything(tmp_path / "site") == everything(tmp_path / "fresh")


def changed(**changes: Any) -> Site:
    """The small board, with other things said of alpha."""
    site = small()
    (before,) = site.seasons
    alpha = replace(before.entries[0], metadata={**(before.entries[0].metadata or {}), **changes})
    return replace(site, seasons=(replace(before, entries=(alpha, *before.entries[1:])),))


def other_bands() -> Site:
    site = small()
    (before,) = site.seasons
    places = {**before.bands["openbook"].standings, "beta": SystemRank(2, 2, 4, "<0.001", -0.1)}
    bands = {"openbook": replace(before.bands["openbook"], standings=places)}
    return replace(site, seasons=(replace(before, bands=bands),))


@pytest.mark.parametrize(
    "then",
    [changed(name="Another"), changed(status="withdrawn"), other_bands(), large(30, ("openbook",))],
    ids=["name", "gone", "bands", "other"],
)
def test_a_build_over_another_is_a_fresh_one(then: Site, tmp_path: Path) -> None:
    build_pages(small(), tmp_path / "site")
    build_pages(then, tmp_path / "site")
    build_pages(then, tmp_path / "fresh")
    assert everything(tmp_path / "site") == everything(tmp_path / "fresh")


def test_no_cell_of_the_csv_is_a_formula() -> None:
    table = board_csv(site_data(hostile())[BOARD])
    import csv

    rows = list(csv.reader(table.splitlines()))
    assert len(rows) == len(hostile().seasons[0].entries) + 1
    cells = [cell for row in rows for cell in row]
    assert not [cell for cell in cells if cell[:1] in "=+-@\t\r" and cell]
    assert any(cell.startswith("'=HYPERLINK") for cell in cells)


@pytest.mark.parametrize(
    ("judge", "version"),
    [
        ("lexical rules:6 similar:token-f1", "6"),
        (
            "openai/gpt-4o model:gpt-4o-2024-08-06 temperature:0 prompts:3fa9c21b asking:one",
            "3fa9c21b",
        ),
        ("nli:some/model weights:" + "a" * 64, "aaaaaaaa…"),
        ("bleurt", ""),
        ("", ""),
    ],
)
def test_a_judge_shows_its_version(judge: str, version: str) -> None:
    assert judge_version({"judge": judge}) == version
