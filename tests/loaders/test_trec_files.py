"""Forms, grades, qrels and banks of TREC's organisers: what is read, written, and refused at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import DataError, UnknownName
from argue_bench.loaders.nuggets import read_qrels, read_topics
from argue_bench.loaders.trec.annotations import read_grades, read_importance, write_grades
from argue_bench.loaders.trec.autojudge import (
    RelevanceLabel,
    check_banks,
    check_labels,
    unique_labels,
    write_banks,
    write_qrels,
)
from argue_bench.loaders.trec.forms import read_forms
from argue_bench.records import Gold, Nugget, NuggetAnswer, Question
from tests.shared import write_lines

FORM = {"runtag": "mill-1", "org": "mill-lab", "email": "a@b.org", "std-priority": "1 (top)"}
GRADE = {"run_id": "r", "query_id": "t1", "nugget_id": "n1", "question": "When?", "grade": 4}


def codes(error: DataError) -> list[str]:
    return [str(finding.code) for finding in error.findings]


def test_a_form_keeps_what_the_track_asked(tmp_path: Path) -> None:
    row = {**FORM, "llms": ["gpt", "qwen"], "std-description": "two\nlines", "empty": None}
    form = read_forms(write_lines(tmp_path / "meta.jl", row))["mill-1"]
    assert (form.team, form.priority, form.email) == ("mill-lab", "1 (top)", "a@b.org")
    assert form.description == "llms: gpt, qwen\nstd-description: two\nlines"


def test_every_faulty_form_is_named(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "meta.jl", {"org": "x"}, FORM, FORM, [])
    with pytest.raises(DataError) as raised:
        read_forms(file)
    assert [(str(one.code), one.line) for one in raised.value.findings] == [
        ("metadata-key-missing", 1),
        ("duplicate-id", 3),
        ("metadata-key-missing", 4),
    ]


def test_grades_come_back_as_they_were_written(tmp_path: Path) -> None:
    given = read_grades(write_lines(tmp_path / "a.jsonl", GRADE, {"doc_id": "d", "grade": 9}))
    write_grades(tmp_path / "b.jsonl", given)
    assert read_grades(tmp_path / "b.jsonl") == given


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ({**GRADE, "grade": 6}, "not-a-label"),
        ({**GRADE, "grade": True}, "not-a-label"),
        ({"run_id": "r", "grade": 1}, "not-a-label"),
        (GRADE, "two-labels"),
    ],
)
def test_a_grade_that_means_nothing_is_refused(tmp_path: Path, row: Any, code: str) -> None:
    with pytest.raises(DataError) as raised:
        read_grades(write_lines(tmp_path / "a.jsonl", GRADE, row))
    assert codes(raised.value) == [code]


def test_importance_is_read_of_a_bank_that_people_made(tmp_path: Path) -> None:
    bank = {"When?": {"question_id": "n1", "importance": "avoid"}, "Who?": {}}
    file = write_lines(tmp_path / "x.nuggets.jsonl", {"query_id": "t1", "nugget_bank": bank})
    importance = read_importance(file)["t1"]
    assert list(importance.values()) == ["avoid", ""]
    assert importance["n1"] == "avoid"


def test_qrels_are_sorted_and_read_back(tmp_path: Path) -> None:
    file = tmp_path / "x.qrels.txt"
    write_qrels(
        file,
        [RelevanceLabel("2", "b", 1), RelevanceLabel("10", "a", 3), RelevanceLabel("2", "a", 0)],
    )
    assert file.read_text() == "10 0 a 3\n2 0 a 0\n2 0 b 1\n"
    assert read_qrels(file) == {"10": {"a": 3}, "2": {"a": 0, "b": 1}}


def test_labels_of_other_packages_are_whole_numbers(tmp_path: Path) -> None:
    file = tmp_path / "x.qrels.txt"
    file.write_text("1 0 a True\n1 0 b 2.0\n1 0 c False\n")
    assert read_qrels(file) == {"1": {"a": 1, "b": 2, "c": 0}}
    file.write_text("1 0 a 1.5\n")
    with pytest.raises(DataError):
        read_qrels(file)


def test_labels_are_checked_against_the_topics() -> None:
    twice = [RelevanceLabel("1", "a", 1), RelevanceLabel("1", "a", 3)]
    assert unique_labels(twice, "keep_max") == [RelevanceLabel("1", "a", 3)]
    with pytest.raises(DataError) as raised:
        unique_labels(twice)
    assert codes(raised.value) == ["two-labels"]
    with pytest.raises(DataError) as raised:
        unique_labels([RelevanceLabel("1", "a", "high")])  # type: ignore[arg-type]
    assert codes(raised.value) == ["not-a-label"]
    with pytest.raises(UnknownName):
        unique_labels(twice, "keep")  # type: ignore[arg-type]
    with pytest.raises(DataError) as raised:
        check_labels([RelevanceLabel("3", "a", 1)], ["1", "2"])
    assert codes(raised.value) == ["missing-topics", "new-topics"]


def test_our_nuggets_are_a_bank_that_is_read_back(tmp_path: Path) -> None:
    nugget = Nugget("n1", "When?", (NuggetAnswer("1731", ("d1",)),), "any", "vital")
    question = Question("t1", "What of the mill?", gold=Gold(nuggets=(nugget,)))
    file = tmp_path / "x.nuggets.jsonl"
    write_banks(file, [question])
    assert read_topics(file)[0]["t1"].nuggets == (nugget,)
    with pytest.raises(DataError) as raised:
        check_banks({"t1": {"nugget_bank": {}}}, ["t1"])
    assert codes(raised.value) == ["no-nuggets"]


def test_a_claim_is_an_accepted_answer_to_the_topic(tmp_path: Path) -> None:
    bank = {
        "query_id": "t1",
        "title_query": "Tide mill",
        "claim_bank": {"built in 1731": {"claim_id": "c1", "references": [{"doc_id": "d1"}]}},
    }
    file = tmp_path / "bank.json"
    file.write_text(json.dumps(bank))
    [nugget] = read_topics(file)[0]["t1"].nuggets
    answer = NuggetAnswer("built in 1731", ("d1",))
    assert (nugget.id, nugget.question, nugget.answers) == ("c1", "Tide mill", (answer,))


def test_nuggets_that_ask_the_same_are_claims_and_none_is_lost(tmp_path: Path) -> None:
    nuggets = tuple(
        Nugget(id, "What of the mill?", (NuggetAnswer(text, ("d1",)),), "any", "okay")
        for id, text in (("n1", "built in 1731"), ("n2", "closed in 1987"))
    )
    question = Question("t1", "What of the mill?", gold=Gold(nuggets=nuggets))
    write_banks(tmp_path / "x.nuggets.jsonl", [question])
    assert read_topics(tmp_path / "x.nuggets.jsonl")[0]["t1"].nuggets == nuggets
    two = Nugget("n3", "What of the mill?", (NuggetAnswer("a"), NuggetAnswer("b")))
    with pytest.raises(DataError) as raised:
        write_banks(
            tmp_path / "x.nuggets.jsonl", [Question("t1", "?", gold=Gold(nuggets=(*nuggets, two)))]
        )
    assert codes(raised.value) == ["nugget-shape"]
