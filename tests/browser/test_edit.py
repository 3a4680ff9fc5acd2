"""Nuggets edited by a person in a browser, saved through the server and without one."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from argue_bench.drafting.gold import EditableNugget, read_drafts, save
from argue_bench.loaders import load
from argue_bench.loaders.core.writing import write_folder
from argue_bench.loaders.dataset import Dataset
from argue_bench.pages.edit import EditServer, edit_page
from argue_bench.records import Document, Gold, Question

HOSTILE = "<img src=x onerror=alert(1)>\u202e"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    documents = {id: Document(id, f"Text {id}.") for id in ("d1", "d2")}
    question = Question("t1", f"What of {HOSTILE}?", documents=("d1", "d2"), gold=Gold())
    write_folder(tmp_path / "set", Dataset("mine", "dev", (question,), documents))
    save(
        tmp_path / "set",
        [
            EditableNugget("t1", "it closed in 1987", "", "okay", ("d1",), "d1", HOSTILE),
            EditableNugget("t1", "shut in 1987", "", "vital", ("d2",), "d2", "Shut in 1987."),
            EditableNugget("t1", "nobody came", "", "okay", ("d2",), "d2", "Nobody came."),
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


def test_a_person_accepts_edits_merges_weights_adds_and_saves(folder: Path, page: Any) -> None:
    dataset = load(folder)
    with EditServer(
        dataset, read_drafts(folder, dataset), lambda edited: save(folder, edited).nuggets
    ) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            page.goto(server.address)
            assert page.locator("img").count() == 0  # foreign text is text
            first, second, third = (page.locator(".nugget").nth(n) for n in range(3))
            first.get_by_role("button", name="Accept").click()
            first.get_by_label("The fact").fill("the mine closed in 1987")
            first.get_by_label("Importance").select_option("okay")
            second.get_by_label("Merge into").select_option("0")
            third.get_by_role("button", name="Reject").click()
            page.get_by_role("button", name="Add a nugget").click()
            page.get_by_label("The fact").last.fill("tin became cheap")
            page.keyboard.press("Control+s")
            page.get_by_text("Saved: 2 nuggets are gold.").wait_for()
        finally:
            server.shutdown()
            thread.join()
    gold = load(folder).question("t1").gold
    assert gold is not None
    assert [
        (one.answers[0].text, one.weight, one.answers[0].references) for one in gold.nuggets
    ] == [
        ("the mine closed in 1987", "vital", ("d1", "d2")),  # vital from the one merged into it
        ("tin became cheap", "okay", ()),
    ]
    assert page.problems == []


def test_what_cannot_be_saved_is_said(folder: Path, page: Any) -> None:
    dataset = load(folder)
    with EditServer(
        dataset, read_drafts(folder, dataset), lambda edited: save(folder, edited).nuggets
    ) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            page.goto(server.address)
            page.locator(".nugget").first.get_by_label("The fact").fill(" ")
            page.get_by_role("button", name="Save").click()
            page.get_by_text("the text of a nugget has 1 to").wait_for()
        finally:
            server.shutdown()
            thread.join()
    page.get_by_role("button", name="Save").click()
    page.get_by_text("has ended").wait_for()


def test_without_a_server_the_page_saves_a_file(folder: Path, page: Any, tmp_path: Path) -> None:
    dataset = load(folder)
    place = tmp_path / "page.html"
    place.write_text(edit_page(dataset, read_drafts(folder, dataset)), encoding="utf-8")
    page.goto(place.as_uri())
    page.locator(".nugget").nth(2).get_by_role("button", name="Reject").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save").click()
    rows = json.loads(Path(waiting.value.path()).read_text(encoding="utf-8"))
    assert [row["state"] for row in rows] == ["drafted", "drafted", "rejected"]
    assert page.problems == []
