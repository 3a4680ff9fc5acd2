"""Lines of the core format: what its models refuse is refused, with line, place and reason.

``python -m tests.loaders.test_core_format`` writes the schemas that the package ships.
"""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import argue_bench
from argue_bench.errors import Code, DataError
from argue_bench.loaders import core, load
from argue_bench.loaders.core import data_digest, parse_gold
from argue_bench.loaders.core.format import LINES, SetDescription
from argue_bench.records import Nugget, NuggetAnswer, Request
from tools.schemas import json_schema

SCHEMAS = Path(argue_bench.__file__).parent / "loaders" / "schemas"
MODELS = {
    "set": SetDescription,
    "document": LINES["documents.jsonl"][0],
    "question": LINES["questions.jsonl"][0],
    "gold": LINES["gold.jsonl"][0],
}

NUGGET: dict[str, Any] = {"id": "n", "question": "When?", "answers": [{"text": "1931"}]}
GOLD: dict[str, Any] = {"id": "q", "answerable": True, "nuggets": [NUGGET], "claims": ["So it is."]}


def refused(**changes: Any) -> str:
    with pytest.raises(DataError) as error:
        parse_gold(json.dumps(GOLD | changes).encode(), Path("gold.jsonl"))
    (finding,) = error.value.findings
    assert (finding.code, finding.file, finding.line) == ("wrong-shape", "gold.jsonl", 1)
    return finding.message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"claims": ["a", 5]}, "claims[1] is 5; expected a text"),
        (
            {"nuggets": [NUGGET | {"combine": []}]},
            "nuggets[0].combine is a list; expected 'all' or 'any'",
        ),
        (
            {"nuggets": [NUGGET | {"answers": ["1931"]}]},
            "nuggets[0].answers[0] is '1931'; expected an object",
        ),
        ({"nugets": []}, "the key 'nugets' is not known"),
        (
            {
                "decomposition": [
                    {
                        "id": "s",
                        "question": "?",
                        "answer": 1,
                        "evidence": {"pageid": "7", "revid": 1, "title": "", "url": ""},
                    }
                ]
            },
            "decomposition[0].evidence.pageid is '7'; expected a whole number",
        ),
    ],
)
def test_another_shape_is_told_with_its_place(changes: dict[str, Any], message: str) -> None:
    assert refused(**changes).startswith(message)


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


def test_lines_without_a_language_have_that_of_the_set(tmp_path: Path) -> None:
    lines = {
        "documents.jsonl": [{"id": "d", "text": "x"}, {"id": "e", "text": "x", "language": "en"}],
        "questions.jsonl": [{"id": "q", "text": "?", "language": None}],
        "gold.jsonl": [{"id": "q", "answerable": True, "answer": "x"}],
    }
    for name, rows in lines.items():
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    about = {"name": "own", "version": "1", "split": "dev", "language": "de"}
    (tmp_path / "set.json").write_text(json.dumps(about))
    read = load(tmp_path)
    assert read[0].language == "de"
    assert [one.language for one in read.documents.values()] == ["de", "en"]


def test_a_set_without_a_digest_gets_one_and_may_say_more(tmp_path: Path) -> None:
    (tmp_path / "documents.jsonl").write_text('{"id": "d", "text": "x", "date": null}\n')
    question = {"id": "q", "text": "?", "request": {"title": "T", "limit": 2000}}
    (tmp_path / "questions.jsonl").write_text(json.dumps(question))
    about = {"name": "own", "version": "1", "split": "test", "language": "en", "contact": "us"}
    (tmp_path / "set.json").write_text(json.dumps(about))
    (read,) = load(tmp_path)
    assert (read.request, read.gold) == (Request("T", "", "", 2000), None)
    made = load(tmp_path).digest
    about["digest"] = made
    (tmp_path / "set.json").write_text(json.dumps(about))
    assert load(tmp_path).digest == made
    (tmp_path / "documents.jsonl").write_text('{"id": "d", "text": "y"}\n')
    with pytest.raises(DataError, match="do not match the digest"):
        load(tmp_path)


def schema_text(name: str) -> str:
    return json.dumps(json_schema(MODELS[name]), indent=2, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("name", MODELS)
def test_the_shipped_schema_is_written_by_the_model(name: str) -> None:
    assert (SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8") == schema_text(name)


def test_null_is_the_same_as_leaving_a_key_out_which_has_its_default() -> None:
    nugget = NUGGET | {"weight": None, "wrong": None}
    line = GOLD | {"nuggets": [nugget, NUGGET], "claims": None, "answer": {"a": None}}
    gold = parse_gold(json.dumps(line).encode(), Path("gold.jsonl"))["q"]
    assert gold.nuggets == (Nugget("n", "When?", (NuggetAnswer("1931"),)),) * 2
    assert (gold.claims, gold.answer, gold.supporting) == ((), {"a": None}, ())


def test_a_compressed_file_that_unpacks_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(core, "SMALL", 100)
    folder = Path(shutil.copytree(core.embedded_folder("sample"), tmp_path / "set"))
    documents = folder / "documents.jsonl"
    bomb = gzip.compress(documents.read_bytes() + b"\n" * 9_000_000)
    Path(f"{documents}.gz").write_bytes(bomb)
    most = core.MOST_TIMES * len(bomb)
    assert most < 9_000_000
    with pytest.raises(DataError) as caught:
        load(folder)
    (finding,) = caught.value.findings
    assert (finding.code, finding.file) == (Code.TOO_LARGE, f"{documents}.gz")
    assert f"more than {most:,} bytes" in finding.message
    assert "gunzip" in finding.hint


def test_every_finding_comes_at_once_with_its_line(tmp_path: Path) -> None:
    folder = Path(shutil.copytree(core.embedded_folder("sample"), tmp_path / "set"))
    with (folder / "questions.jsonl").open("a") as file:
        file.write('{"id": "x", "text": "What?", "documents": ["nowhere"]}\n{"id": 3}\n')
    with (folder / "gold.jsonl").open("a") as file:
        file.write('{"id": "y", "answerable": true, "supporting": ["far"]}\n')
    (folder / "set.json").write_text(
        '{"name": "a", "version": "1", "split": "dev", "language": "en"}'
    )
    with pytest.raises(DataError) as caught:
        load(folder)
    found = {(one.code, Path(one.file).name, one.line) for one in caught.value.findings}
    assert found >= {
        (Code.UNKNOWN_ID, "questions.jsonl", 9),
        (Code.MISSING_IDS, "gold.jsonl", None),
        (Code.UNKNOWN_ID, "gold.jsonl", 9),
        (Code.UNKNOWN_ID, "gold.jsonl", 9),
    }
    assert any(one.line == 10 for one in caught.value.findings)


if __name__ == "__main__":
    for name in MODELS:
        (SCHEMAS / f"{name}.schema.json").write_text(schema_text(name), encoding="utf-8")
