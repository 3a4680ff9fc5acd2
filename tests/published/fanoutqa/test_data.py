"""FanOutQA's files, read: first, tenth and last record, counts, and what is wrong with bad ones."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_bench import load
from argue_bench.errors import DataError
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Evidence
from tests.shared import shared


def _real(split: str) -> Dataset:
    return load("fanoutqa", split, shared("data", "fanoutqa"))


def _row(**changes: Any) -> dict[str, Any]:
    evidence = {"pageid": 1, "revid": 2, "title": "Oslo", "url": "https://example.org/Oslo"}
    step = {
        "id": "s1",
        "question": "Which cities?",
        "decomposition": [],
        "answer": ["Oslo"],
        "depends_on": [],
        "evidence": evidence,
    }
    row = {
        "id": "q1",
        "question": "How large?",
        "decomposition": [step],
        "answer": {"Oslo": [1, 2.5]},
        "categories": ["Geography"],
    }
    return row | changes


def _write(folder: Path, rows: Any, name: str = "dev.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def test_dev_has_gold_steps_and_evidence() -> None:
    dev = _real("dev")
    assert len(dev) == 310
    assert not dev.sealed
    assert dev.metrics == ("accuracy(rules=fanoutqa)", "rouge", "bleurt", "factuality")
    first, tenth, last = dev[0], dev[9], dev[-1]
    assert [one.id for one in (first, tenth, last)] == [
        *("7dcbbbdc7f1120cd", "66d9d79aea844c0d", "c0f42143f3dd3be1")
    ]
    assert first.text.startswith("What is the batting hand of each of the first five picks")
    assert first.categories == ("Sports", "Statistics")
    golds = [one.gold for one in (first, tenth, last) if one.gold is not None]
    assert golds[0].answer == {
        "Pat Burrell": "Right",
        "Mark Mulder": "Left",
        "Corey Patterson": "Left",
        "Jeff Austin": "Right",
        "JD Drew": "Left",
    }
    assert golds[0].decomposition[0].answer == tuple(golds[0].answer)
    assert golds[0].decomposition[1].depends_on == ("bca4ab7d1f4df703",)
    assert [golds[1].answer["Alaska"], golds[2].answer] == [20310, 6568750]  # type: ignore[index, call-overload]
    assert first.evidence[-1] == Evidence(
        1084979, 1169999583, "J. D. Drew", "https://en.wikipedia.org/wiki/J._D._Drew"
    )
    assert [len(one.evidence) for one in (first, last)] == [6, 8]


def test_evidence_of_dev_is_every_page_of_the_tree_once() -> None:
    # 2,172 steps name a page (counted in the file); six questions name one again, 10 times in all.
    assert sum(len(question.evidence) for question in _real("dev")) == 2172 - 10


def test_test_has_evidence_and_no_gold() -> None:
    test = _real("test")
    assert len(test) == 724
    assert all(question.gold is None for question in test)
    assert (test[0].id, test[9].id, test[-1].id) == (
        "073115117c352763",
        "76d386b7a2dfeb97",
        "6520ef7d1e2108b2",
    )
    assert test[0].evidence[0] == Evidence(
        69058,
        1185694277,
        "List of countries and dependencies by population",
        "https://en.wikipedia.org/wiki/List_of_countries_and_dependencies_by_population",
    )
    assert sum(len(question.evidence) for question in test) == 4994
    # the publisher left ids of pages open; they are unknown here, not 0
    assert test[9].evidence[2] == Evidence(
        None, None, "Merdeka 118", "https://en.wikipedia.org/wiki/Merdeka_118"
    )


def test_a_test_file_with_answers_gives_gold(tmp_path: Path) -> None:
    page = {"pageid": 1, "revid": 2, "title": "Oslo", "url": "u"}
    row = {
        "id": "q1",
        "question": "How large?",
        "necessary_evidence": [page, page],
        "categories": [],
        "answer": [True, None],
    }
    (question,) = load("fanoutqa", "test", _write(tmp_path, [row], "answers.json"))
    assert question.gold is not None
    assert question.gold.answer == (True, None)
    assert len(question.evidence) == 2


def test_a_folder_may_use_the_published_names(tmp_path: Path) -> None:
    _write(tmp_path, [_row()], "fanout-final-dev.json")
    (question,) = load("fanoutqa", path=tmp_path)
    assert question.gold is not None
    assert question.gold.answer == {"Oslo": (1, 2.5)}


def test_a_folder_without_the_split_says_which_names_it_wants(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none of test\.json, fanout-final-test\.json"):
        load("fanoutqa", "test", tmp_path)


def test_every_wrong_shape_is_found_at_once_with_its_path(tmp_path: Path) -> None:
    rows = [
        _row(id=7),
        "no question",
        _row(decomposition=[{"id": "s", "question": "?", "evidence": {"title": "T", "url": 3}}]),
        _row(categories="Sports"),
        _row(id="twice"),
        _row(id="twice"),
    ]
    with pytest.raises(DataError) as error:
        load("fanoutqa", path=_write(tmp_path, rows))
    found = {(finding.code, finding.path) for finding in error.value.findings}
    assert found >= {
        ("wrong-shape", "$[0].id"),
        ("wrong-shape", "$[1]"),
        ("wrong-shape", "$[2].decomposition[0].evidence.url"),
        ("wrong-shape", "$[3].categories"),
        ("duplicate-id", "$[5].id"),
    }


@pytest.mark.parametrize(
    "content", ["{}", "[]", "", "[" * 200_000, '[{"id": "a", "id": "b"}]', "NaN"]
)
def test_no_file_ends_in_a_traceback(tmp_path: Path, content: str) -> None:
    path = tmp_path / "dev.json"
    path.write_text(content)
    with pytest.raises(DataError):
        load("fanoutqa", path=path)
