"""Nuggets edited by a person in a browser."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from argue_bench.baselines.drafting import DraftedNugget, read_drafts, save
from argue_bench.cli import main
from argue_bench.loaders import load
from argue_bench.loaders.core import write_folder
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Document, Gold, Question
from argue_bench.view.nugget_page import edit_page

HOSTILE = "<img src=x onerror=alert(1)>\u202e"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    documents = {id: Document(id, f"Text {id}.") for id in ("d1", "d2")}
    question = Question("t1", f"What of {HOSTILE}?", documents=("d1", "d2"), gold=Gold())
    write_folder(tmp_path / "set", Dataset("mine", "dev", (question,), documents))
    save(
        tmp_path / "set",
        [
            DraftedNugget("t1", "it closed in 1987", "", "okay", ("d1",), "d1", HOSTILE),
            DraftedNugget("t1", "shut in 1987", "", "vital", ("d2",), "d2", "Shut in 1987."),
            DraftedNugget("t1", "nobody came", "", "okay", ("d2",), "d2", "Nobody came."),
        ],
    )
    return tmp_path / "set"


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context()
    made = context.new_page()
    made.problems = []
    made.on("console", lambda one: made.problems.append(one.text) if one.type == "error" else 0)
    made.on("pageerror", lambda error: made.problems.append(str(error)))
    yield made
    context.close()


def test_a_person_accepts_edits_merges_weights_adds_and_saves(
    folder: Path, page: Any, tmp_path: Path
) -> None:
    """The page saves a file, which the command makes gold."""
    place = tmp_path / "page.html"
    dataset = load(folder)
    place.write_text(edit_page(dataset, read_drafts(folder, dataset)), encoding="utf-8")
    page.goto(place.as_uri())
    assert page.locator("img").count() == 0  # foreign text is text
    first, second, third = (page.locator(".nugget").nth(n) for n in range(3))
    first.get_by_role("button", name="Accept").click()
    first.get_by_label("The fact").fill("the mine closed in 1987")
    first.get_by_label("Importance").select_option("okay")
    second.get_by_label("Merge into").select_option("0")
    third.get_by_role("button", name="Reject").click()
    page.get_by_role("button", name="Add a nugget").click()
    page.get_by_label("The fact").last.fill("tin became cheap")
    with page.expect_download() as waiting:
        page.keyboard.press("Control+s")
    saved = tmp_path / "saved.json"
    waiting.value.save_as(saved)
    done = CliRunner().invoke(main, ["data", "edit", str(folder), "--apply", str(saved)])
    assert done.exit_code == 0, done.output
    gold = load(folder).question("t1").gold
    assert gold is not None
    assert [
        (one.answers[0].text, one.weight, one.answers[0].references) for one in gold.nuggets
    ] == [
        ("the mine closed in 1987", "vital", ("d1", "d2")),  # vital from the one merged into it
        ("tin became cheap", "okay", ()),
    ]
    assert page.problems == []
