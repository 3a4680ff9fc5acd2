"""Nugget banks in lines, as trec-auto-judge and nuggetizer keep them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import DataError
from argue_bench.published.trec.topic_files import load_topics, read_topics
from argue_bench.records import NuggetAnswer

BANK = {
    "query_id": "t1",
    "title_query": "Tide mill",
    "format_version": "v3",
    "nugget_bank": {
        "When?": {
            "question": "When?",
            "importance": "vital",
            "answers": {"1731": {"answer": "1731", "references": [{"doc_id": "d1"}]}},
        },
        "Who?": {"aggregator_type": "AND", "importance": "okay", "answers": {}},
    },
}
REFERENCE = {"When?": {"answers": {"1731": {"references": [{"doc_id": {}}]}}}}
LINE = {
    "query": "What of the mill?",
    "qid": "t2",
    "nuggets": [
        {"text": "built in 1731", "importance": "vital", "assignment": "support"},
        {"text": "driven by the tide", "importance": "failed"},
    ],
}


def write(folder: Path, *rows: Any) -> Path:
    path = folder / "judge.nuggets.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_both_kinds_of_lines_are_topics(tmp_path: Path) -> None:
    topics, findings = read_topics(write(tmp_path, BANK, LINE))
    first, second = topics["t1"].nuggets
    assert (first.question, first.combine, first.weight) == ("When?", "any", "vital")
    assert first.answers == (NuggetAnswer("1731", ("d1",)),)
    assert second.combine == "all"
    built, driven = topics["t2"].nuggets
    assert (built.question, built.answers[0].text) == ("What of the mill?", "built in 1731")
    assert (built.weight, driven.weight) == ("vital", None)
    assert [(one.code, one.line) for one in findings if one.level == "warning"] == [
        ("mixed-importance", 2)
    ]
    assert load_topics(write(tmp_path, BANK)).question("t1").request.title == "Tide mill"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("importance", "weight", "warned"),
    [
        *[("must_have", "vital", 0), ("should_have", "okay", 0)],
        *[(2, None, 1), (0.5, None, 1), (True, None, 1), ("high", None, 1), ("", None, 1)],
    ],
)
def test_importance_as_autojudge_has_it_is_read(
    tmp_path: Path, importance: Any, weight: str | None, warned: int
) -> None:
    bank = {"When?": {"importance": importance, "answers": {"1731": {}}}}
    topics, findings = read_topics(write(tmp_path, {**BANK, "nugget_bank": bank}))
    assert [one.weight for one in topics["t1"].nuggets] == [weight]
    assert sum(one.level == "warning" for one in findings) == warned


def test_what_autojudge_leaves_empty_is_read(tmp_path: Path) -> None:
    """Its models take null for answers, references and aggregator_type, and know a default aggregator."""
    bank = {
        "When?": {"answers": None, "aggregator_type": None},
        "Who?": {"answers": {"Ada": {"references": None}}, "aggregator_type": "Default"},
    }
    topics, findings = read_topics(write(tmp_path, {**BANK, "nugget_bank": bank}))
    assert [len(one.answers) for one in topics["t1"].nuggets] == [0, 1]
    assert [one.combine for one in topics["t1"].nuggets] == ["any", "any"]
    assert findings == []


def test_nuggets_below_others_are_told(tmp_path: Path) -> None:
    bank = {"When?": {"sub_nuggets": [{"question": "Which year?"}]}}
    _, [warning] = read_topics(write(tmp_path, {**BANK, "nugget_bank": bank}))
    assert "sub_nuggets are not read at $.nugget_bank['When?']" in str(warning)


def test_what_a_report_should_avoid_is_left_out_and_told(tmp_path: Path) -> None:
    bank = {"Rumour?": {"importance": "avoid"}, "When?": {"importance": "must_have"}}
    topics, [warning] = read_topics(write(tmp_path, {**BANK, "nugget_bank": bank}))
    assert [one.question for one in topics["t1"].nuggets] == ["When?"]
    assert "Rumour?" in warning.message


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ({**LINE, "qid": 2}, "nugget-file"),
        ({"query_id": "t1", "title_query": "T", "nugget_bank": []}, "nugget-file"),
        ({"query_id": "t1", "nugget_bank": {}}, "nugget-file"),
        ({"qid": "t3", "nuggets": []}, "nugget-file"),
        ({**LINE, "qid": "t3", "nuggets": [{"text": "a", "importance": 2}]}, "wrong-value"),
        ({**BANK, "query_id": "t3", "nugget_bank": REFERENCE}, "wrong-shape"),
        ({"nuggets": []}, "nugget-file"),
        ([], "nugget-file"),
        (
            {**LINE, "qid": "t3", "nuggets": [{"text": "a", "importance": "important"}]},
            "wrong-value",
        ),
        ({**LINE, "qid": "t3", "nuggets": [{"importance": "vital"}]}, "wrong-shape"),
        ({**LINE, "qid": "t3", "nuggets": "a"}, "wrong-shape"),
        (LINE, "duplicate-topics"),
    ],
)
def test_a_faulty_line_is_named(tmp_path: Path, row: Any, code: str) -> None:
    with pytest.raises(DataError) as raised:
        read_topics(write(tmp_path, LINE, row))
    found = [one for one in raised.value.findings if one.level == "error"]
    assert [(one.code, one.line) for one in found] == [(code, 2)]
