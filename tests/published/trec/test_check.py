"""What the tracks ask of a run, rule by rule, and what nobody checks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_bench.published.trec.check import CheckedRun, check_run

SHARD = ["shard_00001_1", "shard_00002_2"]
UUID = "10000000-1a2b-4c3d-8e4f-0123456789ab_100"
MARCO = "msmarco_v2.1_doc_00_1000#0_5000"
SAID = "The wall was finished in 1931."

META = {"team_id": "t", "run_id": "r"}
CLUEWEB = "clueweb22-en0001-02-00003:4"
GOOD: dict[str, dict[str, Any]] = {
    "plain": {
        "metadata": META | {"topic_id": "1"},
        "responses": [{"text": SAID, "citations": ["d1"]}],
        "references": ["d1"],
    },
    "rag24": {
        "run_id": "r",
        "topic_id": "1",
        "topic": "wall",
        "response_length": 6,
        "answer": [{"text": SAID, "citations": [0]}],
        "references": [MARCO],
    },
    "rag25": {
        "metadata": META | {"type": "automatic", "narrative_id": 1, "narrative": "N"},
        "answer": [{"text": SAID, "citations": [0]}],
        "references": [MARCO],
    },
    "rag26": {
        "metadata": META | {"run_desc": "d", "narrative_id": "1", "narrative": "N"},
        "answer": [{"text": SAID, "citations": [0]}, {"text": SAID, "citations": [1]}],
        "references": SHARD,
    },
    "ragtime25": {
        "metadata": META | {"topic_id": "1", "task": "english"},
        "responses": [{"text": SAID, "citations": {UUID: 0.5}}],
        "references": [UUID],
    },
    "ragtime26": {
        "metadata": META | {"topic_id": "1", "run_desc": "d"},
        "responses": [{"text": SAID, "citations": [UUID]}],
    },
    "dragun25": {
        "metadata": META | {"topic_id": "1", "type": "manual", "use_starter_kit": 0},
        "responses": [{"text": SAID, "citations": [MARCO]}],
    },
    "biogen25": {
        "metadata": META | {"topic_id": 1},
        "responses": [{"text": SAID, "citations": [31452104]}],
    },
    "ikat25": {
        "metadata": META | {"run_type": "automatic"},
        "turn_id": "1",
        "responses": [{"text": SAID, "citations": {CLUEWEB: 0.9}}],
        "references": {CLUEWEB: 0.9},
    },
    "neuclir24": {
        "metadata": META | {"request_id": "1"},
        "responses": [{"text": SAID, "citations": [UUID]}],
        "references": [UUID],
    },
}
"""One report that its track has nothing to say against."""


def run(tmp_path: Path, name: str, *reports: Any, **options: Any) -> CheckedRun:
    path = tmp_path / "run.jsonl"
    path.write_text("".join(json.dumps(report) + "\n" for report in reports), encoding="utf-8")
    topics = tmp_path / "topics.jsonl"
    row = {"narrative_id": "1", "title": "N", "limit": 2000}
    topics.write_text(json.dumps(row) + "\n", encoding="utf-8")
    return check_run(path, name, **{"topics": topics, **options})


def told(checked: CheckedRun) -> list[tuple[str, str, str]]:
    return [(one.code, one.level, one.path) for one in checked.findings]


def changed(name: str, **changes: Any) -> dict[str, Any]:
    """The good report with other parts; ``metadata`` is merged, None takes a key out."""
    report = json.loads(json.dumps(GOOD[name]))
    for key, value in changes.items():
        if key == "metadata":
            report[key] |= value
            report[key] = {k: v for k, v in report[key].items() if v is not None}
        else:
            report[key] = value
    return {key: value for key, value in report.items() if value is not None}


@pytest.mark.parametrize("name", GOOD)
def test_a_good_report(tmp_path: Path, name: str) -> None:
    checked = run(tmp_path, name, GOOD[name], strict=True)
    assert told(checked) == []
    assert checked.ok
    assert checked.reports == 1


def cite(*citations: Any) -> list[dict[str, Any]]:
    return [{"text": SAID, "citations": one} for one in citations]


CASES: list[tuple[str, dict[str, Any], str]] = [
    ("plain", {"responses": None}, "key-missing error $"),
    ("plain", {"responses": cite([0])}, "citation-format error $.responses[0].citations"),
    ("plain", {"responses": cite(["d1"], None)}, "null-citations error $.responses[1].citations"),
    ("plain", {"metadata": {"topic_id": None, "request_id": "1"}}, "topic-key error $.metadata"),
    (
        "plain",
        {"metadata": {"topic_id": None}},
        "topic-missing error $.metadata; missing-topics error",
    ),
    ("plain", {"references": None}, "references-missing error $"),
    (
        "plain",
        {"responses": cite({"d1": "0.5"})},
        "citation-score error $.responses[0].citations.d1",
    ),
    (
        "rag24",
        {"references": [MARCO] + [f"{MARCO}{n}" for n in range(20)]},
        "references-uncited warning $.references; references-max error $.references",
    ),
    ("rag24", {"response_length": None}, "metadata error $"),
    ("rag25", {"metadata": {"type": " "}}, "metadata-blank error $.metadata.type"),
    ("rag25", {"metadata": {"narrative": "other"}}, "narrative error $.metadata.narrative"),
    ("rag25", {"answer": [{"text": "w " * 401, "citations": [0]}]}, "length warning $.answer"),
    ("rag26", {"answer": cite([0, 1, 2])}, "reference-index error $.answer[0].citations[2]"),
    ("rag26", {"answer": cite([0, 1, 0, 1])}, "citation-count warning $.answer[0].citations"),
    ("rag26", {"answer": cite([*SHARD, "shard_3_3"])}, "references-undeclared error $.references"),
    (
        "rag26",
        {"answer": cite([0, SHARD[1]])},
        "citations-mixed error $.answer[0].citations; references-uncited warning $.references",
    ),
    ("rag26", {"answer": cite([0], [SHARD[1]])}, "citations-mixed error $.answer"),
    (
        "rag26",
        {"answer": cite([*SHARD, "shard_1_1 "])},
        "docid-ending warning $.answer[0].citations[2]; references-undeclared error $.references",
    ),
    (
        "rag26",
        {"answer": cite(SHARD, []), "references": [*SHARD, SHARD[0]]},
        "references-duplicate warning $.references",
    ),
    ("rag26", {"answer": None, "responses": cite([0, 1])}, "sentences-key error $"),
    ("rag26", {"metadata": {"run_id": "r" * 21}}, "run-id-length error $.metadata.run_id"),
    (
        "rag26",
        {"answer": []},
        "empty-answer warning $.answer; references-uncited warning $.references",
    ),
    ("ragtime25", {"responses": cite({UUID: 1}, [UUID])}, "citations-mixed error $.responses"),
    ("ragtime25", {"metadata": {"task": None}}, "metadata-recommended warning $.metadata"),
    ("ragtime25", {"metadata": {"task": "rag"}}, "metadata-value error $.metadata.task"),
    ("ragtime26", {"references": ["what", "ever"]}, ""),
    (
        "ragtime26",
        {"responses": cite([UUID.upper()])},
        "docid-pattern error $.responses[0].citations[0]",
    ),
    (
        "dragun25",
        {"metadata": {"use_starter_kit": True}},
        "metadata-value error $.metadata.use_starter_kit",
    ),
    ("dragun25", {"metadata": {"colour": "blue"}}, "metadata-extra warning $.metadata.colour"),
    ("biogen25", {"references": ["1"]}, "references-present warning $.references"),
    ("ikat25", {"references": ["clueweb22-en0001-02-00003:4"]}, "wrong-shape error $.references"),
    ("ikat25", {"turn_id": None, "metadata": {"topic_id": "1"}}, "topic-key error $"),
    ("ragtime26", {"metadata": {"narrative_id": 2}}, "topics-differ error $.metadata"),
    (
        "ragtime26",
        {"metadata": {"request_id": [1]}},
        "wrong-shape error $.metadata.request_id; topics-differ error $.metadata",
    ),
    ("ragtime26", {"answer": []}, "two-answers error $"),
    (
        "ragtime25",
        {"metadata": {"task": ""}},
        "metadata-recommended warning $.metadata.task; metadata-value error $.metadata.task",
    ),
    (
        "plain",
        {"metadata": {"topic_id": " "}},
        "metadata-blank warning $.metadata.topic_id; missing-topics error; new-topics warning",
    ),
    ("neuclir24", {"metadata": {"request_id": None, "topic_id": "1"}}, ""),
    (
        "neuclir24",
        {"responses": [{"text": "a\x07b", "citations": [UUID]}]},
        "control-characters warning $.responses[0].text",
    ),
]
"""Track, what is changed in its good report, and the code, level and place of each finding."""


@pytest.mark.parametrize(("name", "changes", "expected"), CASES)
def test_a_rule(tmp_path: Path, name: str, changes: dict[str, Any], expected: str) -> None:
    report = changed(name, **changes)
    checked = run(tmp_path, name, report)
    assert "; ".join(" ".join(one).strip() for one in told(checked)) == expected
    assert checked.ok == (" error" not in expected)
    strict = run(tmp_path, name, report, strict=True)
    assert {one.level for one in strict.findings} <= {"error"}
    assert strict.ok == (not expected)


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ([], "$"),
        ("x", "$"),
        (None, "$"),
        ({"metadata": [], "responses": [], "references": []}, "$.metadata"),
        (changed("plain", metadata={"topic_id": 1}), "$.metadata.topic_id"),
        (changed("plain", responses={}), "$.responses"),
        (changed("plain", responses=["x"]), "$.responses[0]"),
        (changed("plain", responses=[{"text": 1, "citations": []}]), "$.responses[0].text"),
        (changed("plain", responses=cite("d1")), "$.responses[0].citations"),
        (changed("plain", responses=cite(["d1", True])), "$.responses[0].citations[1]"),
        (changed("plain", references=["d1", 2]), "$.references[1]"),
    ],
)
def test_another_shape(tmp_path: Path, value: Any, path: str) -> None:
    checked = run(tmp_path, "plain", value)
    assert ("wrong-shape", "error", path) in told(checked)


@pytest.mark.parametrize("name", GOOD)
def test_a_topic_that_is_null_is_missing(tmp_path: Path, name: str) -> None:
    report = json.loads(json.dumps(GOOD[name]))
    for place in (report, report.get("metadata", {})):
        for key in set(place) & {"topic_id", "narrative_id", "request_id", "turn_id"}:
            place[key] = None
    assert "topic-missing" in {one.code for one in run(tmp_path, name, report).findings}


def test_everything_wrong_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "run"
    good, other = json.dumps(GOOD["plain"]), json.dumps(changed("plain", metadata={"run_id": "s"}))
    path.write_bytes(
        b"\xef\xbb\xbf"
        + f'{good}\n\n{{"metadata"\n{good}\n{other}\n{{"a": 1, "a": NaN}}\n'.encode()
    )
    checked = check_run(path, "plain")
    assert [(one.line, one.code, one.level) for one in checked.findings] == [
        (1, "byte-order-mark", "notice"),
        (2, "blank-line", "notice"),
        (3, "not-json", "error"),
        (4, "duplicate-topics", "error"),
        (5, "run-changed", "warning"),
        (6, "wrong-value", "error"),
    ]
    assert checked.runs == {("t", "r"): {"1"}, ("t", "s"): {"1"}}
    assert checked.reports == 3


def test_topics_are_counted_by_run_and_told_in_order(tmp_path: Path) -> None:
    topics = tmp_path / "topics.jsonl"
    topics.write_text("".join(f'{{"topic_id": "{n}"}}\n' for n in (10, 9, 2, "b", 1)))
    path = tmp_path / "run.jsonl"
    path.write_text(json.dumps(changed("plain", metadata={"topic_id": "3"})) + "\n")
    missing, new = check_run(path, "plain", topics=topics).findings
    assert (missing.code, missing.level) == ("missing-topics", "error")
    assert "no report on 5 topics: 1, 2, 9, 10, b" in missing.message
    assert (new.code, new.level) == ("new-topics", "warning")


def test_a_limit_given_is_for_topics_without_one(tmp_path: Path) -> None:
    report = changed("plain", references=None) | {"references": ["d1"]}
    assert run(tmp_path, "plain", report, limit=5).ok
    assert told(run(tmp_path, "plain", report, limit=5)) == []  # the topic's own 2,000 counts
    assert told(run(tmp_path, "plain", report, limit=5, topics=None)) == [
        ("length", "warning", "$.responses")
    ]
    assert not run(tmp_path, "plain", report, limit=5, topics=None, strict={"length"}).ok
    assert told(run(tmp_path, "plain", report, limit=6, unit="words", topics=None)) == []
    assert told(run(tmp_path, "plain", report, limit=5, unit="words", topics=None)) != []


def test_characters_are_counted_after_nfkc(tmp_path: Path) -> None:
    report = changed(
        "plain", responses=[{"text": "ﬁ", "citations": ["d1"]}, {"text": "a", "citations": []}]
    )
    assert told(run(tmp_path, "plain", report, limit=4, topics=None)) == []
    assert told(run(tmp_path, "plain", report, limit=3, topics=None)) != []


def test_cited_documents_are_looked_for_in_the_collection(tmp_path: Path) -> None:
    report = changed("plain", responses=cite(["d1", "d2"]), references=["d1", "d2"])
    checked = run(tmp_path, "plain", report, documents={"d1"})
    assert told(checked) == [("not-in-collection", "error", "$.responses[0].citations[1]")]


def test_an_empty_file_and_no_file(tmp_path: Path) -> None:
    assert told(run(tmp_path, "plain", topics=None)) == [("empty", "warning", "")]
    missing = check_run(tmp_path / "none.jsonl", "plain")
    assert [one.code for one in missing.findings] == ["no-such-file"]
