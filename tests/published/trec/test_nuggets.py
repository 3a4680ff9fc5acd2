"""Nugget files, requests and qrels: read as they stand, everything wrong told at once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import DataError
from argue_bench.loaders import load
from argue_bench.loaders.banks import write_topics
from argue_bench.published.trec.topic_files import (
    load_topics,
    read_qrels,
    read_requests,
    read_topics,
)
from argue_bench.records import Document, NuggetAnswer, Question, Request

WHO_MD5 = "a7e8d3d013e26198018a83594dcdef7e"  # printf 'Who?' | md5sum


def bank(**changes: Any) -> dict[str, Any]:
    return {
        "query_id": "300",
        "title_query": "T",
        "full_query": "Q",
        "full_background": "B",
        "test_collection": "neuclir",
        "format_version": "v3",
        "nugget_bank": {
            "When?": {
                "question": "When?",
                "question_id": "w",
                "aggregator_type": "OR",
                "query_id": "300",
                "answers": {
                    "1931": {"answer": "1931", "references": [{"doc_id": "d1"}, {"doc_id": "d1"}]},
                    "1931 ": {"answer": "1931 ", "references": []},
                },
            },
            "Who?": {
                "question": "Who?",
                "aggregator_type": "AND",
                "importance": "vital",
                "answers": {},
                "wrong": ["Nobody"],
            },
        },
    } | changes


def write(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def codes(error: pytest.ExceptionInfo[DataError]) -> list[str]:
    return [finding.code for finding in error.value.findings if finding.level == "error"]


def test_a_file(tmp_path: Path) -> None:
    topics, findings = read_topics(write(tmp_path / "nuggets_mt_300.v3.json", bank()))
    topic = topics["300"]
    when, who = topic.nuggets
    assert (when.id, when.combine, when.weight) == ("w", "any", None)
    assert when.answers == (NuggetAnswer("1931", ("d1",)), NuggetAnswer("1931 ", ()))
    assert who.id == WHO_MD5
    assert (who.combine, who.weight, who.wrong, who.answerable) == (
        "all",
        "vital",
        ("Nobody",),
        False,
    )
    assert topic.request == Request("T", "Q", "B")
    assert {(f.code, f.level) for f in findings} == {
        ("mixed-importance", "warning"),
        ("unlinked-answers", "notice"),
    }


def test_a_folder_with_requests_and_labels(tmp_path: Path) -> None:
    folder = tmp_path / "nuggets"
    folder.mkdir()
    write(folder / "a_300.v3.json", bank())
    write(folder / "a_301.v3.json", bank(query_id="301"))
    (folder / "README.txt").write_text("not a nugget file")
    requests = tmp_path / "requests.jsonl"
    requests.write_text(
        '{"request_id": "300", "title": "t", "problem_statement": "p", "limit": 2000}\n'
    )
    qrels = tmp_path / "qrels"
    qrels.write_text("300 0 d1 1\n300 0 d2 0\n\n301 Q0 d1 3\n")
    dataset = load_topics(folder, {"d1": Document("d1", "x")}, requests, qrels)
    assert [question.id for question in dataset] == ["300", "301"]
    first, second = dataset
    assert first.request == Request("t", "p", "", 2000)
    assert first.text == "p"
    assert second.text == "Q"
    assert first.gold is not None
    assert first.gold.relevance == {"d1": 1, "d2": 0}
    assert dataset.documents_of(first)["d1"].text == "x"
    assert dataset.digest != load_topics(folder, {}, requests).digest
    assert dataset.digest == load_topics(folder, {}, requests, qrels).digest


def test_everything_wrong_is_told_at_once(tmp_path: Path) -> None:
    broken = bank(query_id="17")
    broken["nugget_bank"] |= {
        "How?": {
            "question": "Why?",
            "aggregator_type": "XOR",
            "importance": ["high"],
            "answers": [],
        },
        "Where?": {
            "question_id": "w",
            "aggregator_type": "OR",
            "wrong": "x",
            "answers": {"a": {"answer": "b", "references": "d1"}},
        },
        "What?": 3,
    }
    write(tmp_path / "n_300.v3.json", broken)
    (tmp_path / "n_301.v3.json").write_text("{")
    write(tmp_path / "n_302.v3.json", [])
    write(tmp_path / "other_300.v3.json", bank())
    with pytest.raises(DataError) as error:
        read_topics(tmp_path)
    assert codes(error) == [
        *("wrong-shape", "wrong-value", "wrong-shape", "wrong-shape", "wrong-value"),
        *("wrong-shape", "wrong-shape", "wrong-shape", "duplicate-id", "wrong-shape"),
        *("not-json", "nugget-file", "duplicate-topics"),
    ]
    assert "XOR" in str(error.value)
    assert "$.nugget_bank['How?']" in str(error.value)


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    sample = load("core", "sample")
    written = write_topics(tmp_path, sample)
    assert len(written) == len(sample)
    for question in load_topics(tmp_path):
        assert question.gold is not None
        original = sample.question(question.id)
        assert original.gold is not None
        assert question.gold.nuggets == original.gold.nuggets
    with pytest.raises(DataError, match="a_b"):
        write_topics(tmp_path, [Question("a_b", "?")])


def test_a_folder_without_nuggets_says_how_they_are_called(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"NAME_TOPIC\.v3\.json"):
        read_topics(tmp_path)


def test_requests_and_qrels_that_are_none(tmp_path: Path) -> None:
    requests = tmp_path / "r.jsonl"
    requests.write_text(
        '{"title": "t"}\n{"request_id": "1", "limit": "x"}\n{"request_id": "1"}\n[]\n'
    )
    with pytest.raises(DataError) as error:
        read_requests(requests)
    assert sorted(codes(error)) == ["duplicate-id", "wrong-shape", "wrong-shape", "wrong-shape"]
    qrels = tmp_path / "q"
    qrels.write_text("300 0 d1 1\n300 d1 1\n300 0 d1 high\n")
    with pytest.raises(DataError) as error:
        read_qrels(qrels)
    assert [finding.line for finding in error.value.findings] == [2, 3]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", [("empty", None)]),
        (b"\n \n", [("empty", None)]),
        (b"300 0 d1 1\n300 0 d1 1\n300 0 d1 0\n", [("duplicate-id", 3)]),
        (b"300 0 d1 1\n300 0 d\xff 1\n", [("wrong-shape", 2)]),
    ],
)
def test_labels_that_say_nothing_or_two_things(
    tmp_path: Path, content: bytes, expected: list[tuple[str, int | None]]
) -> None:
    qrels = tmp_path / "q"
    qrels.write_bytes(content)
    with pytest.raises(DataError) as error:
        read_qrels(qrels)
    assert [(finding.code, finding.line) for finding in error.value.findings] == expected


def test_requests_and_labels_of_other_topics_are_told_not_dropped(tmp_path: Path) -> None:
    folder = tmp_path / "nuggets"
    folder.mkdir()
    write(folder / "a_300.v3.json", bank())
    requests, qrels = tmp_path / "requests.jsonl", tmp_path / "qrels"
    requests.write_text('{"request_id": "900"}\n')
    qrels.write_text("\ufeff901 0 d1 1\n", encoding="utf-8")
    with pytest.raises(DataError) as error:
        load_topics(folder, {}, requests, qrels)
    found = [(one.code, Path(one.file).name) for one in error.value.findings]
    assert found == [("empty", "requests.jsonl"), ("empty", "qrels")]
    assert "901" in str(error.value)


def test_a_line_that_is_null_is_no_request(tmp_path: Path) -> None:
    with pytest.raises(DataError) as error:
        read_requests(write(tmp_path / "requests.jsonl", None))
    assert codes(error) == ["wrong-shape"]


@pytest.mark.parametrize("kind", [[], {}, 5, "or"])
def test_a_kind_of_nugget_that_no_rule_knows(tmp_path: Path, kind: Any) -> None:
    odd = bank()
    odd["nugget_bank"]["When?"]["aggregator_type"] = kind
    with pytest.raises(DataError) as error:
        read_topics(write(tmp_path / "n_300.v3.json", odd))
    assert codes(error) == ["wrong-value"]
