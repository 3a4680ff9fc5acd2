"""Forms, grades, qrels and banks of TREC's organisers: what is read, written, and refused at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argue_bench.errors import DataError, UnknownName
from argue_bench.loaders.banks import write_banks
from argue_bench.published.trec.topic_files import read_topics
from argue_bench.records import Gold, Nugget, NuggetAnswer, Question
from tests.agreement.programs.autojudge_files import (
    DocumentGrade,
    check_banks,
    check_grades,
    unique_grades,
)
from tests.agreement.programs.submission_forms import read_forms
from tests.shared import write_lines

FORM = {"runtag": "mill-1", "org": "mill-lab", "email": "a@b.org", "std-priority": "1 (top)"}


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
        ("key-missing", 1),
        ("duplicate-id", 3),
        ("key-missing", 4),
    ]


def test_labels_are_checked_against_the_topics() -> None:
    twice = [DocumentGrade("1", "a", 1), DocumentGrade("1", "a", 3)]
    assert unique_grades(twice, "keep_max") == [DocumentGrade("1", "a", 3)]
    with pytest.raises(DataError) as raised:
        unique_grades(twice)
    assert codes(raised.value) == ["duplicate-id"]
    with pytest.raises(DataError) as raised:
        unique_grades([DocumentGrade("1", "a", "high")])  # type: ignore[arg-type]
    assert codes(raised.value) == ["wrong-shape"]
    with pytest.raises(UnknownName):
        unique_grades(twice, "keep")  # type: ignore[arg-type]
    with pytest.raises(DataError) as raised:
        check_grades([DocumentGrade("3", "a", 1)], ["1", "2"])
    assert codes(raised.value) == ["missing-topics", "new-topics"]


def test_our_nuggets_are_a_bank_that_is_read_back(tmp_path: Path) -> None:
    nugget = Nugget("n1", "When?", (NuggetAnswer("1731", ("d1",)),), "any", "vital")
    question = Question("t1", "What of the mill?", gold=Gold(nuggets=(nugget,)))
    file = tmp_path / "x.nuggets.jsonl"
    write_banks(file, [question])
    assert read_topics(file)[0]["t1"].nuggets == (nugget,)
    with pytest.raises(DataError) as raised:
        check_banks({"t1": {"nugget_bank": {}}}, ["t1"])
    assert codes(raised.value) == ["empty"]


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
    assert codes(raised.value) == ["wrong-shape"]
