"""The page for editing nuggets: what it saves, and that foreign text is text."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from argue_bench.baselines.drafting import DraftedNugget, nugget_from_json, read_drafts, save
from argue_bench.cli import main
from argue_bench.errors import DataError
from argue_bench.loaders import load
from argue_bench.loaders.core import write_folder
from argue_bench.loaders.dataset import Dataset
from argue_bench.published.trec.topic_files import read_topics
from argue_bench.records import Document, Gold, Question
from argue_bench.view.nugget_page import edit_page

HOSTILE = "</script><img src=x onerror=alert(1)>"
TOPIC = Question("t1", "What of the mine?", documents=("d1", "d2"), gold=Gold(answer="It closed."))
CLOSED = DraftedNugget("t1", "it closed in 1987", "", "okay", ("d1",), "d1", "It closed in 1987.")
SHUT = DraftedNugget("t1", "shut in 1987", "", "vital", ("d2",), "d2", "Shut in 1987.")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    documents = {id: Document(id, f"Text {id}.") for id in ("d1", "d2")}
    write_folder(tmp_path / "set", Dataset("mine", "dev", (TOPIC,), documents))
    save(tmp_path / "set", [CLOSED, SHUT])
    return tmp_path / "set"


def test_what_is_saved_is_gold_and_a_nugget_file_and_other_gold_stays(folder: Path) -> None:
    done = save(folder, [CLOSED, DraftedNugget(**{**asdict(SHUT), "state": "rejected"})])
    assert done.nuggets == 1
    gold = load(folder).question("t1").gold
    assert gold is not None
    assert gold.answer == "It closed."
    (nugget,) = gold.nuggets
    assert (nugget.question, nugget.weight) == (TOPIC.text, "okay")
    assert (nugget.answers[0].text, nugget.answers[0].references) == (CLOSED.text, ("d1",))
    topics, _ = read_topics(folder / "nuggets")
    assert [one.answers[0].text for one in topics["t1"].nuggets] == [CLOSED.text]
    # The rejected one is kept for the page, and comes back when it is accepted.
    assert [one.state for one in read_drafts(folder, load(folder))] == ["drafted", "rejected"]


def test_gold_without_drafts_can_be_edited_too(folder: Path) -> None:
    (folder / "drafts.jsonl").unlink()
    found = read_drafts(folder, load(folder))
    assert [(one.text, one.importance, one.state) for one in found] == [
        (CLOSED.text, "okay", "accepted"),
        (SHUT.text, "vital", "accepted"),
    ]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"topic": "t9"}, "there is no question 't9'"),
        ({"text": " "}, "a text of 1 to 2,000"),
        ({"text": "x" * 2_001}, "a text of 1 to 2,000"),
        ({"importance": "high"}, "importance is 'high'"),
        ({"state": "gone"}, "state is 'gone'"),
        ({"references": ["d9"]}, "there is no document 'd9'"),
        ({"references": "d1"}, "references is 'd1'; expected a list"),
        ({"references": [1]}, "expected a text"),
        ({"weight": 3}, "the key 'weight' is not known"),
        ({"text": None}, "text is null"),
    ],
)
def test_a_nugget_of_another_form_is_refused(folder: Path, change: Any, told: str) -> None:
    with pytest.raises(DataError, match=told):
        nugget_from_json({**asdict(CLOSED), "references": ["d1"], **change}, load(folder))


def test_a_file_of_drafts_with_errors_names_the_lines(folder: Path) -> None:
    with (folder / "drafts.jsonl").open("a") as file:
        file.write('{"topic": "t1"}\nnot json\n')
    with pytest.raises(DataError) as error:
        read_drafts(folder, load(folder))
    assert [one.line for one in error.value.findings] == [3, 4]


def test_foreign_text_is_data_of_the_page_and_never_markup(folder: Path) -> None:
    page = edit_page(load(folder), [DraftedNugget("t1", HOSTILE, sentence=HOSTILE)])
    assert HOSTILE not in page
    assert "<img" not in page


def test_the_page_without_a_server_saves_a_file_that_the_command_takes(
    folder: Path, tmp_path: Path
) -> None:
    page, edited = folder.with_name(f"{folder.name}.html"), tmp_path / "edited.json"
    runner = CliRunner()
    assert runner.invoke(main, ["data", "edit", str(folder)]).exit_code == 0
    assert CLOSED.text in page.read_text()
    edited.write_text(json.dumps([{**asdict(CLOSED), "state": "accepted"}, {"topic": "t1"}]))
    wrong = runner.invoke(main, ["data", "edit", str(folder), "--apply", str(edited)])
    assert (wrong.exit_code, "nugget 2" in wrong.stderr) == (1, True)
    edited.write_text(json.dumps([{**asdict(CLOSED), "state": "accepted"}]))
    done = runner.invoke(main, ["data", "edit", str(folder), "--apply", str(edited)])
    assert done.exit_code == 0, done.output
    assert "1 nuggets are gold" in done.stdout
