"""Lines of the core format: what the schemas refuse is refused, with line, place and reason."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import DataError
from argue_bench.loaders import load
from argue_bench.loaders.core import data_digest, parse_gold
from argue_bench.records import Nugget, NuggetAnswer, Request

NUGGET: dict[str, Any] = {"id": "n", "question": "When?", "answers": [{"text": "1931"}]}
GOLD: dict[str, Any] = {"id": "q", "answerable": True, "nuggets": [NUGGET], "claims": ["So it is."]}


def refused(**changes: Any) -> str:
    with pytest.raises(DataError) as error:
        parse_gold(json.dumps(GOLD | changes).encode(), Path("gold.jsonl"))
    (finding,) = error.value.findings
    assert (finding.code, finding.file, finding.line) == ("shape", "gold.jsonl", 1)
    return finding.message.removeprefix("the line is not of the core format: ")


def test_what_is_left_out_has_its_default() -> None:
    gold = parse_gold(json.dumps(GOLD).encode(), Path("gold.jsonl"))["q"]
    assert gold.nuggets == (Nugget("n", "When?", (NuggetAnswer("1931"),)),)
    assert (gold.claims, gold.answer, gold.supporting) == (("So it is.",), None, ())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"answerable": "no"}, "$.answerable is a text, expected true or false"),
        ({"answerable": None}, "$.answerable is null, expected true or false"),
        ({"claims": "So it is."}, "$.claims is a text, expected a list"),
        ({"claims": ["a", 5]}, "$.claims[1] is a number, expected a text"),
        ({"supporting": [{"id": "d"}]}, "$.supporting[0] is an object, expected a text"),
        ({"nuggets": ["When?"]}, "$.nuggets[0] is a text, expected an object"),
        (
            {"nuggets": [NUGGET | {"combine": []}]},
            "$.nuggets[0].combine is [], expected 'any' or 'all'",
        ),
        (
            {"nuggets": [NUGGET | {"weight": "high"}]},
            "$.nuggets[0].weight is 'high', expected 'vital' or 'okay'",
        ),
        (
            {"nuggets": [NUGGET | {"answers": ["1931"]}]},
            "$.nuggets[0].answers[0] is a text, expected an object",
        ),
        ({"nuggets": [{"id": "n", "question": "When?"}]}, "$.nuggets[0].answers is missing"),
        ({"nugets": []}, "$ has the unknown key 'nugets'"),
        (
            {
                "decomposition": [
                    {
                        "id": "s",
                        "question": "?",
                        "answer": 1,
                        "evidence": {"pageid": "7", "title": "", "url": ""},
                    }
                ]
            },
            "$.decomposition[0].evidence.pageid is a text, expected a whole number",
        ),
    ],
)
def test_another_shape_is_told_with_its_place(changes: dict[str, Any], message: str) -> None:
    assert refused(**changes) == message


def test_lines_that_are_no_objects_and_ids_that_are_no_texts() -> None:
    lines = [b"null", b"[]", b'{"answerable": true}', b'{"id": 5, "answerable": true}']
    with pytest.raises(DataError) as error:
        parse_gold(b"\n".join(lines), Path("gold.jsonl"))
    assert [finding.line for finding in error.value.findings] == [1, 2, 3, 4]


def test_every_file_of_a_set_is_looked_at(tmp_path: Path) -> None:
    files = {
        "documents.jsonl": {"id": "d", "text": ["x"]},
        "questions.jsonl": {"id": "q", "text": "?", "documents": "d", "request": {"limit": 1.5}},
        "gold.jsonl": {"id": "q", "answerable": 1},
    }
    for name, line in files.items():
        (tmp_path / name).write_text(json.dumps(line) + "\n")
    about = {"name": "own", "version": "1", "split": "dev", "language": "en"}
    about["digest"] = data_digest({name: (tmp_path / name).read_bytes() for name in files})
    (tmp_path / "set.json").write_text(json.dumps(about))
    with pytest.raises(DataError) as error:
        load(tmp_path)
    assert {Path(str(finding.file)).name for finding in error.value.findings} == set(files)


@pytest.mark.parametrize("damage", [10, 40, -4], ids=["header", "middle", "end"])
def test_a_compressed_file_that_is_damaged_is_a_finding(tmp_path: Path, damage: int) -> None:
    (tmp_path / "set.json").write_text(
        '{"name": "o", "version": "1", "split": "dev", "language": "en", "digest": "x"}'
    )
    packed = bytearray(gzip.compress(b"".join(b"%d" % (n * n) for n in range(200))))
    packed[damage] ^= 0xFF
    (tmp_path / "documents.jsonl.gz").write_bytes(packed)
    with pytest.raises(DataError) as error:
        load(tmp_path)
    (finding,) = error.value.findings
    assert finding.code == "unreadable"


def test_a_question_with_its_request(tmp_path: Path) -> None:
    (tmp_path / "documents.jsonl").write_text('{"id": "d", "text": "x", "date": null}\n')
    question = {"id": "q", "text": "?", "request": {"title": "T", "limit": 2000}}
    (tmp_path / "questions.jsonl").write_text(json.dumps(question))
    about = {"name": "own", "version": "1", "split": "test", "language": "en"}
    names = ("documents.jsonl", "questions.jsonl")
    about["digest"] = data_digest({name: (tmp_path / name).read_bytes() for name in names})
    (tmp_path / "set.json").write_text(json.dumps(about))
    (read,) = load(tmp_path)
    assert read.request == Request("T", "", "", 2000)
    assert read.gold is None
