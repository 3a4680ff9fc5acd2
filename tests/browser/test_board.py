"""The board in a browser: sorting, filtering, columns, comparing, and every state an address."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from argue_bench.leaderboard.formats.layout import SETTINGS
from tests.browser.conftest import Open, Sites

BOARD = "small/board/s1/openbook.html"
HEADERS = "#Board thead th[data-key]"


def shown(page: Any, section: int = 0) -> list[str]:
    found: list[str] = page.evaluate(
        "n => [...document.querySelectorAll('#Board tbody')[n].rows]"
        ".filter(r => r.id && !r.hidden).map(r => r.id)",
        section,
    )
    return found


def visible(page: Any) -> list[str]:
    found: list[str] = page.evaluate(
        "() => [...document.querySelectorAll('#Board tr[id]')].filter(r => r.checkVisibility()).map(r => r.id)"
    )
    return found


def head(page: Any, key: str) -> Any:
    return page.locator(f'{HEADERS}[data-key="{key}"]')


def test_without_script_everything_is_there(open_page: Open) -> None:
    page, seen = open_page(BOARD, java_script_enabled=False)
    rows = page.locator("#Board tr[id]")
    assert [rows.nth(n).get_attribute("id") for n in range(rows.count())] == [
        "alpha",
        "beta",
        "gamma",
        "delta",
        "no-score",
        "epsilon",
        "practice",
        "gone",
    ]
    assert "80.0" in rows.nth(0).inner_text()
    assert "75.0–85.0" in rows.nth(0).inner_text()
    assert rows.nth(0).locator("td.rank").inner_text() == "1–2"
    assert page.locator("svg.plot-svg").count() >= 2
    assert not page.locator("#Tools").is_visible()
    assert seen.quiet


def test_a_long_board_comes_whole_where_a_reader_moves_or_runs_no_script(open_page: Open) -> None:
    """The first screen is laid out at once; the rest waits for a scroll, a key or a click."""
    path = "large/board/big/openbook.html"
    page, _ = open_page(path, java_script_enabled=False)
    assert len(visible(page)) == 300
    page, _ = open_page(path)
    assert 11 < len(visible(page)) < 100
    page.keyboard.press("Control")  # as before a search in the page
    page.locator("#Board .late").first.wait_for(state="detached")
    assert len(visible(page)) == 300
    page, _ = open_page(path + "#system-0299")
    assert page.locator("#system-0299").is_visible()


def test_sorting_by_keyboard_says_how_it_is_sorted(open_page: Open) -> None:
    page, seen = open_page(BOARD)
    button = head(page, "cost").locator("button")
    button.focus()
    page.keyboard.press("Enter")
    assert head(page, "cost").get_attribute("aria-sort") == "ascending"
    assert shown(page) == ["beta", "alpha", "delta", "gamma", "no-score"]
    page.keyboard.press("Enter")
    assert head(page, "cost").get_attribute("aria-sort") == "descending"
    # delta 90, alpha 12.5, beta 3.25; the two without a cost stand last both ways
    assert shown(page) == ["delta", "alpha", "beta", "gamma", "no-score"]
    assert page.locator("[aria-sort]").count() == 1
    assert seen.quiet


def test_absent_scores_stand_last_both_ways(open_page: Open) -> None:
    page, _ = open_page(BOARD)
    button = head(page, "argue.f1").locator("button")
    assert shown(page) == ["alpha", "beta", "gamma", "delta", "no-score"]
    button.click()
    assert shown(page) == ["delta", "gamma", "beta", "alpha", "no-score"]


def test_several_columns_sort_with_shift(open_page: Open) -> None:
    page, _ = open_page(BOARD)
    head(page, "date").locator("button").click()
    head(page, "name").locator("button").click(modifiers=["Shift"])
    assert shown(page) == ["beta", "alpha", "delta", "gamma", "no-score"]
    assert "sort=-date&sort=name" in page.url


def test_a_filter_is_an_address_that_reloads_and_goes_back(open_page: Open) -> None:
    page, _ = open_page(BOARD)
    page.click('summary:has-text("Filter")')
    page.select_option("select[name=type]", "FINETUNE")
    assert visible(page) == ["beta", "delta"]
    assert "type=FINETUNE" in page.url
    page.fill("input[name=q]", "delta")
    assert visible(page) == ["delta"]
    page.reload()
    assert visible(page) == ["delta"]
    assert page.input_value("input[name=q]") == "delta"
    page.go_back()
    assert visible(page) == ["beta", "delta"]
    page.go_back()
    assert len(visible(page)) == 8
    page.go_forward()
    assert visible(page) == ["beta", "delta"]
    assert "2 of 8" in page.text_content("#Status")


@pytest.mark.parametrize(
    "query", ["?sort=nothing", "?type=NONE", "?with=nobody,alpha", "?col=xyz", "?q=%22%3E"]
)
def test_an_address_with_nonsense_does_no_harm(open_page: Open, query: str) -> None:
    page, seen = open_page(BOARD + query)
    assert len(shown(page)) == (0 if "q=" in query else 5)
    assert seen.quiet


def test_four_systems_are_compared_and_no_fifth(open_page: Open) -> None:
    page, _ = open_page(BOARD)
    for name in ("alpha", "beta", "gamma", "delta"):
        page.locator(f"#{name} .pick").check()
    assert page.locator("#Tray .bar").is_visible()
    page.click("#Tray .main")
    assert page.locator("#Tray thead th").all_inner_texts() == [
        "Score",
        "Alpha",
        "Beta",
        "Gamma",
        "Delta",
    ]
    first = page.locator("#Tray tbody tr").first
    assert [text.split()[0] for text in first.locator("td").all_inner_texts()] == [
        "80.0",
        "78.0",
        "40.0",
        "35.0",
    ]
    assert first.locator("b").count() == 0  # nothing was shown to differ
    page.locator("#epsilon .pick").click()
    assert page.inner_text("#Tray [role=status]") == "At most four systems."
    assert page.locator("#Tray thead th").count() == 5
    assert "with=alpha%2Cbeta%2Cgamma%2Cdelta" in page.url
    page.reload()
    assert page.locator("#Tray thead th").count() == 5
    page.click("#Tray .chip >> nth=0")
    assert page.locator("#Tray thead th").count() == 4


def saved(page: Any, button: str, folder: Path) -> str:
    with page.expect_download() as waiting:
        page.click(button)
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path.read_text("utf-8")


def test_a_saved_view_is_a_part_of_the_files_of_the_board(
    open_page: Open, sites: Sites, tmp_path: Path
) -> None:
    """The rows and columns in sight, in shares of 1 with intervals and n, as the whole files have them."""
    page, _ = open_page(BOARD + "?type=FINETUNE&sort=cost&col=accuracy.loose")
    page.click('summary:has-text("save")')
    table = saved(page, "#Csv", tmp_path)
    view = json.loads(saved(page, "#Json", tmp_path))
    folder = sites.folder / "small"
    board = json.loads((folder / "data/v1/board/s1/openbook.json").read_text("utf-8"))
    whole = {row["system"]: row for section in board["sections"] for row in section["rows"]}
    rows = [row for section in view["sections"] for row in section["rows"]]
    assert [row["system"] for row in rows] == ["beta", "delta"]
    assert [column["key"] for column in view["columns"]] == ["accuracy.loose", "argue.f1"]
    for row in rows:
        scores = whole[row["system"]]["scores"]
        del scores["argue.nugget_coverage"]
        assert row == whole[row["system"]]
    lines = {
        line["system"]: line
        for line in csv.DictReader((folder / "board/s1/openbook.csv").read_text().splitlines())
    }
    for line in csv.DictReader(table.splitlines()):
        known = lines[line["system"]]
        # Numbers, since Python writes 90.0 where JavaScript writes 90.
        assert {k: v and float(v) for k, v in line.items() if ":" in k} == {
            k: v and float(v) for k, v in known.items() if k in line and ":" in k
        }
        assert line["name"] == known["name"]
    assert [line.split(",")[0] for line in table.splitlines()] == ["system", "beta", "delta"]


def test_columns_are_chosen_and_stay_in_the_address(open_page: Open) -> None:
    page, seen = open_page("large/board/big/openbook.html")
    assert head(page, "accuracy.loose").is_visible()
    assert not head(page, "rouge.rougeL_fscore").is_visible()
    page.click('summary:has-text("Columns")')
    page.check('.col[value="rouge.rougeL_fscore"]')
    page.uncheck('.col[value="accuracy.loose"]')
    page.reload()
    # The columns of the address are laid out once the script has read it.
    head(page, "rouge.rougeL_fscore").wait_for()
    head(page, "accuracy.loose").wait_for(state="hidden")
    heads = page.locator("#Board thead th:visible").count()
    assert page.locator("#Board tr[id]").first.locator("> :visible").count() == heads
    page.click("#Reset")
    head(page, "accuracy.loose").wait_for()
    # The browser tells its new address a moment after the page has changed it.
    page.wait_for_url(lambda url: "?" not in url)
    assert seen.quiet


@pytest.mark.parametrize(
    ("width", "height", "most"), [(1440, 900, 300), (820, 1100, 420), (390, 844, 420)]
)
@pytest.mark.parametrize(
    "path",
    [
        "small/board/s1/openbook.html",
        "large/board/big/openbook.html",
        *(f"own/board/fanoutqa-published/{one}.html" for one in SETTINGS),
        "own/board/dragun-2025/openbook.html",
        *(f"own/board/season-0/{one}.html" for one in SETTINGS),
    ],
)
def test_the_answer_comes_first(
    path: str, width: int, height: int, most: int, open_page: Open
) -> None:
    page, _ = open_page(path, viewport={"width": width, "height": height})
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    top = page.evaluate("document.querySelector('#Board tr[id]').getBoundingClientRect().top")
    assert top <= most
    assert page.inner_text(".answer").endswith(".")


@pytest.mark.parametrize(("width", "sideways"), [(1440, 0), (800, 300)])
def test_a_wheel_scrolls_the_page_under_the_head_and_the_names(
    width: int, sideways: int, open_page: Open
) -> None:
    size = {"width": width, "height": 700}
    page, _ = open_page("large/board/big/openbook.html", viewport=size, reduced_motion="reduce")
    page.mouse.move(width / 2, 500)
    page.mouse.wheel(0, 900)
    box = page.locator(".board-scroll")
    box.evaluate("(e, left) => e.scrollTo(left, 0)", sideways)
    page.wait_for_timeout(500)
    seen = page.evaluate(
        "[scrollY, ...(b => [b.scrollLeft, b.scrollTop])(document.querySelector('.board-scroll'))]"
    )
    assert seen == [900, sideways, 0]
    corner = head(page, "name").bounding_box()
    assert abs(corner["y"]) < 3
    names = page.locator("#Board .who").nth(15).bounding_box()
    assert abs(corner["x"] - names["x"]) < 3
    assert corner["x"] - box.bounding_box()["x"] < (3 if sideways else 60)


def test_every_head_of_a_score_says_what_it_is(open_page: Open) -> None:
    page, _ = open_page(BOARD)
    score = head(page, "argue.nugget_coverage")
    assert "Nugget coverage" in score.inner_text()
    assert score.get_attribute("title").startswith("argue.nugget_coverage: Share of the nuggets")
    assert score.locator("a.about").get_attribute("href").endswith("metrics.html#argue")
    judge = score.locator(".judge")
    assert judge.inner_text() == "gpt-4o 1"
    assert judge.get_attribute("title") == "judged by openai/gpt-4o 1"
    assert head(page, "accuracy.loose").locator(".judge").count() == 0  # it asks nobody


def test_a_search_without_a_hit_says_so_and_clears(open_page: Open) -> None:
    page, _ = open_page(BOARD)
    page.fill("input[name=q]", "nonym gpt")  # an author and a base model
    assert visible(page) == ["alpha"]
    page.fill("input[name=q]", "no such system")
    assert page.locator("#Nothing").is_visible()
    page.click("#Clear")
    assert len(visible(page)) == 8


def test_what_fooled_a_judge_is_one_link_away(open_page: Open) -> None:
    page, seen = open_page(BOARD, reduced_motion="reduce")
    told = page.locator(".judges li")
    assert [text.strip() for text in told.all_inner_texts()] == [
        "Judge openai/gpt-4o: prompt injection flipped 3 of 462 verdicts (0.6%, CI 0.2 to 1.9);"
        " agrees with people: .76 balanced accuracy on 1 set of RAG citations",
        "Judge lexical: not yet tested against prompt injection; not yet compared with people's labels",
    ]
    told.nth(0).locator("a").first.click()
    page.wait_for_url("**/metrics.html#judge-*")
    card = page.locator(f"section#{page.url.partition('#')[2]}")
    assert card.evaluate(
        "e => e.getBoundingClientRect().top >= 0 && e.getBoundingClientRect().top < innerHeight"
    )
    assert "2 more got no verdict" in card.inner_text()
    assert "response, declines" in card.inner_text()
    card.locator("summary").click()
    rows = card.locator("tbody tr").all_inner_texts()
    assert [row.split("\t") for row in rows] == [
        ["a plain order", "3", "400"],
        ["invisible or look-alike characters", "0", "62"],
    ]
    assert seen.quiet


def test_the_paired_test_agrees_with_scipy(open_page: Open) -> None:
    """Differences, p and wins of the tray against scipy's permutation test and its paired bootstrap."""
    import numpy as np
    from scipy import stats

    page, _ = open_page(BOARD)
    draw = np.random.default_rng(7)
    for size in (10, 60):
        first = draw.uniform(0, 1, size).round(2)
        second = np.clip(first + draw.normal(0.04, 0.15, size), 0, 1).round(2)
        told = page.evaluate("([a, b]) => pairedTest(a, b)", [first.tolist(), second.tolist()])
        gap = second - first
        known = stats.permutation_test(
            (gap,), np.mean, permutation_type="samples", n_resamples=20_000, rng=draw
        )
        interval = stats.bootstrap((gap,), np.mean, method="percentile", rng=draw)
        assert told["mean"] == pytest.approx(gap.mean())
        assert told["p"] == pytest.approx(known.pvalue, abs=0.02)
        assert told["low"] == pytest.approx(interval.confidence_interval.low, abs=0.01)
        assert told["high"] == pytest.approx(interval.confidence_interval.high, abs=0.01)
        assert (told["wins"], told["losses"]) == ((gap > 0).sum(), (gap < 0).sum())
    assert page.evaluate("pairedTest([1, null, 0.5], [null, 1, 0.5])") is None


def test_compare_tests_by_question_and_leads_to_its_address(open_page: Open) -> None:
    """Alpha and Beta share one question only: nothing is tested, and the tray says so."""
    page, seen = open_page(BOARD)
    page.locator("#alpha .pick").check()
    page.locator("#beta .pick").check()
    page.click("#Tray .main")
    page.wait_for_function("document.querySelector('#Tray .panel')")
    assert "nothing is bold" in page.inner_text("#Tray .panel")
    assert seen.quiet
    box = page.locator("#Tray").bounding_box()
    assert box["y"] + box["height"] == page.viewport_size["height"]
    page.keyboard.press("Escape")
    assert page.locator("#Tray .panel").count() == 0
    page.locator("#beta .pick").press("Enter")
    assert page.evaluate("document.activeElement.dataset.tray") == "toggle"
    assert page.locator("#Tray .panel").count() == 1
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.closest('tr').id") == "beta"


def test_a_plot_is_saved_as_svg_and_png(open_page: Open, tmp_path: Path) -> None:
    from xml.etree import ElementTree

    page, seen = open_page(BOARD)
    figure = page.locator("figure.plot").first
    with page.expect_download() as waiting:
        figure.locator("[data-save=svg]").click()
    waiting.value.save_as(tmp_path / "plot.svg")
    root = ElementTree.parse(tmp_path / "plot.svg").getroot()
    dots = [e for e in root.iter() if e.tag.endswith("circle")]
    assert dots
    assert all(e.get("fill", "").startswith("rgb") for e in dots)
    with page.expect_download() as waiting:
        figure.locator("[data-save=png]").click()
    waiting.value.save_as(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")
    assert seen.quiet
