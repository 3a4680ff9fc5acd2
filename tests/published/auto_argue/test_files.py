"""Auto-ARGUE's files: judgments in both shapes, scores.tsv, prompt configuration."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import DataError
from argue_bench.published.auto_argue.files import (
    Judgments,
    ScoreRow,
    Segment,
    check_judgments,
    is_judgments,
    judgments_to_json,
    read_judgments,
    write_scores,
)
from argue_bench.published.auto_argue.prompts import judge_prompts
from argue_bench.records import Entails, Nugget, NuggetAnswer
from tests.agreement.programs.score_file import score_rows_of
from tests.shared import write_lines

NUGGET = Nugget(
    "n",
    "When?",
    (NuggetAnswer("1931", ("d1",)), NuggetAnswer("1930", ("d1",)), NuggetAnswer("1932", ("d2",))),
)


def judgment(kind: str, document: str | None = None, **response: Any) -> dict[str, Any]:
    return {
        "judgment_type_id": kind,
        "response": {"judgment_type_id": kind, **response},
        "evaluator": "from_env",
        "provenance": {"doc_id": document, "sentence": None, "run_id": None, "sent_id": None},
    }


MATCH = [{"question_text": "When?", "matched_answer": ["1931"], "importance": None}]
SEGMENTS = [
    {
        "segment_type": "sentence",
        "text": "It was 1931.",
        "citations": [{"doc_id": "d1", "text": "In 1931."}],
        "judgments": [
            judgment("CITED_DOCUMENT_RELEVANCE", "d1", doc_id="d1", is_relevant=True),
            judgment("SENTENCE_ANSWERS_QUESTION", "d1", matched_nuggets=MATCH),
            judgment("SENTENCE_ATTESTED", "d1", is_attested=True),
        ],
    },
    {
        "segment_type": "sentence",
        "text": "So it was.",
        "citations": [],
        "judgments": [
            judgment("REQUIRES_CITATION", requires_citation=True),
            judgment("FIRST_INSTANCE", is_first_instance=False),
        ],
    },
]
AS_SEGMENTS = {"request_id": "300", "run_id": "r", "collection_ids": ["c"], "segments": SEGMENTS}
REPORT = {
    "metadata": {"team_id": "t", "run_id": "r", "topic_id": "300", "collection_ids": ["c"]},
    "responses": [
        {"text": "It was 1931.", "citations": {"d1": 0.5}},
        {"text": "So it was.", "citations": {}},
    ],
    "references": ["d1"],
}
AS_REPORT = {"report": REPORT, "judgments": SEGMENTS}


@pytest.mark.parametrize(("value", "shape"), [(AS_REPORT, "report"), (AS_SEGMENTS, "segments")])
def test_both_shapes_are_read_and_written_back(value: Any, shape: Any, tmp_path: Path) -> None:
    path = write_lines(tmp_path / "j.jsonl", value)
    assert is_judgments(path)
    (judged,) = read_judgments(path)
    assert (judged.run, judged.topic, judged.collections) == ("r", "300", ("c",))
    assert judged.answer.sentences[0].citations == ("d1",)
    assert judged.documents["d1"].text == "In 1931."
    assert judgments_to_json(judged, shape) == value
    assert check_judgments(judged, [NUGGET]) == []


def test_one_shape_becomes_the_other(tmp_path: Path) -> None:
    (judged,) = read_judgments(write_lines(tmp_path / "j.jsonl", AS_SEGMENTS))
    report = judgments_to_json(judged, "report")["report"]
    assert report["metadata"]["topic_id"] == "300"
    assert report["responses"][0] == {"text": "It was 1931.", "citations": ["d1"]}
    assert report["references"] == ["d1"]
    (judged,) = read_judgments(write_lines(tmp_path / "k.jsonl", AS_REPORT))
    assert judgments_to_json(judged, "segments") == AS_SEGMENTS


def test_doubtful_judgments_are_found() -> None:
    judged = Judgments("r", "300", (Segment("A."),), report={"responses": [{"text": "B."}]})
    assert [finding.code for finding in check_judgments(judged, [])] == ["not-judged", "other-data"]


def test_broken_lines_are_all_told_and_the_good_ones_come_first(tmp_path: Path) -> None:
    path = write_lines(
        tmp_path / "j.jsonl",
        {"segments": []},
        AS_SEGMENTS,
        [],
        {**AS_SEGMENTS, "segments": [{"text": 1}]},
    )
    read = read_judgments(path)
    assert next(read).topic == "300"
    with pytest.raises(DataError) as error:
        list(read)
    assert [finding.line for finding in error.value.findings] == [1, 3, 4]


def test_scores_are_written_as_the_program_does(tmp_path: Path) -> None:
    rows = [ScoreRow("r", "300", "f1", 0.1 + 0.2), ScoreRow("r", "all", "sentences", 15)]
    path = tmp_path / "s.tsv"
    write_scores(path, rows)
    assert path.read_text() == (
        "run_id\trequest_id\tmetric\tvalue\nr\t300\tf1\t0.30000000000000004\nr\tall\tsentences\t15.0\n"
    )
    assert score_rows_of(path) == rows


def test_prompts(tmp_path: Path) -> None:
    path = tmp_path / "prompts.json"
    said = {"user_prompt": "{sentence} and {{this}}", "system_prompt": "{document}"}
    relevance = {"user_prompt": "{sentence} {document}"}
    whole = {"sentence_attested": {**said, "default_response": "YES"}}
    path.write_text(json.dumps({**whole, "cited_document_relevance": relevance}))
    prompts = judge_prompts(path)
    attested = prompts.templates[Entails]
    assert (attested.user, attested.system) == ("{sentence} and {this}", "{document}")
    assert (prompts.defaults, prompts.unused) == ({Entails: "yes"}, "cited_document_relevance")


def test_prompts_that_lack_a_variable_or_name_another_are_told_which(tmp_path: Path) -> None:
    path = tmp_path / "prompts.json"
    attested = {"user_prompt": "{sentence} {nugget}"}
    broken = {"requires_citation": {"user_prompt": "{sentence"}, "gist": {"user_prompt": ""}}
    path.write_text(json.dumps({"sentence_attested": attested, **broken}))
    with pytest.raises(DataError) as error:
        judge_prompts(path)
    messages = [one.message for one in error.value.findings]
    assert {"the templates lack {document}", "the templates name {nugget}"} <= {*messages}
    assert len(messages) == 4, messages
    path.write_text(json.dumps({"sentence_attested": {"default_response": "MAYBE", "reply": 1}}))
    with pytest.raises(DataError) as error:
        judge_prompts(path)
    assert len(error.value.findings) == 3


def test_a_line_that_is_null_is_no_judged_report(tmp_path: Path) -> None:
    file = write_lines(tmp_path / "j.jsonl", AS_SEGMENTS, None)
    with pytest.raises(DataError, match="not a judged report") as error:
        list(read_judgments(file))
    assert [finding.line for finding in error.value.findings] == [2]


def lists(**nugget: Any) -> dict[str, Any]:
    """A sentence whose list of matches holds this one."""
    return {"judgments": [judgment("SENTENCE_ANSWERS_QUESTION", "d1", matched_nuggets=[nugget])]}


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("run_id", ["r"]),
        ("segments", {"citations": [{"doc_id": {}}]}),
        ("segments", {"judgments": [{"judgment_type_id": "X", "response": 5}]}),
        ("segments", lists(question_text=[], matched_answer=["a"])),
        ("segments", lists(matched_answer=["a"])),
        ("segments", lists(question_text="When?", matched_answer=[["1931"]])),
        ("segments", {"judgments": [judgment("X", confirmed_nuggets=[{"question_text": []}])]}),
    ],
)
def test_judgments_of_another_shape_are_told(tmp_path: Path, key: str, value: Any) -> None:
    given = [SEGMENTS[0] | value] if key == "segments" else value
    with pytest.raises(DataError, match="not a judged report"):
        list(read_judgments(write_lines(tmp_path / "j.jsonl", AS_SEGMENTS | {key: given})))


def test_responses_that_are_no_objects_differ_from_what_was_judged(tmp_path: Path) -> None:
    odd = AS_REPORT | {"report": REPORT | {"responses": [[], None]}}
    (judged,) = read_judgments(write_lines(tmp_path / "j.jsonl", odd))
    found = [finding.code for finding in check_judgments(judged, [NUGGET])]
    assert "other-data" in found
