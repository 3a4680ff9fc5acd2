"""The hand-written sample of the core format: is every line valid, and is its gold true?"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import argue_bench
from argue_bench.records import request_from_json, request_to_json

PACKAGE = Path(argue_bench.__file__).parent
SAMPLE = PACKAGE / "data" / "core" / "sample"
RUNS = PACKAGE / "data" / "core" / "sample-runs"
SCHEMAS = PACKAGE / "loaders" / "schemas"


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@cache
def validator(name: str) -> jsonschema.Draft202012Validator:
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    return jsonschema.Draft202012Validator(schema)


DOCUMENTS = {row["id"]: row for row in lines(SAMPLE / "documents.jsonl")}
QUESTIONS = {row["id"]: row for row in lines(SAMPLE / "questions.jsonl")}
GOLD = {row["id"]: row for row in lines(SAMPLE / "gold.jsonl")}
NUGGETS = {nugget["id"]: nugget for gold in GOLD.values() for nugget in gold["nuggets"]}
LABELS = lines(RUNS / "labels.jsonl")


def every_schema() -> list[str]:
    return sorted(path.name.removesuffix(".schema.json") for path in SCHEMAS.glob("*.schema.json"))


@pytest.mark.parametrize("name", every_schema())
def test_schema_is_a_schema_and_explains_every_property(name: str) -> None:
    schema = validator(name).schema
    jsonschema.Draft202012Validator.check_schema(schema)
    silent = [where for where, part in properties(schema) if unexplained(part)]
    assert not silent
    assert schema["description"]


def properties(schema: Any, where: str = "$") -> Iterator[tuple[str, Any]]:
    if isinstance(schema, dict):
        for key, part in schema.items():
            if key == "properties":
                for name, one in part.items():
                    yield f"{where}.{name}", one
            yield from properties(part, f"{where}.{key}")
    elif isinstance(schema, list):
        for index, part in enumerate(schema):
            yield from properties(part, f"{where}[{index}]")


def unexplained(part: dict[str, Any]) -> bool:
    narrows = set(part) <= {"type"}  # inside anyOf it repeats a property explained above
    return not narrows and "$ref" not in part and not part.get("description")


@pytest.mark.parametrize(
    ("schema", "path"),
    [
        ("document", SAMPLE / "documents.jsonl"),
        ("question", SAMPLE / "questions.jsonl"),
        ("gold", SAMPLE / "gold.jsonl"),
        ("answer", RUNS / "careful.jsonl"),
        ("answer", RUNS / "careless.jsonl"),
        ("answer", RUNS / "refuses.jsonl"),
        ("answer", RUNS / "careful.trec.jsonl"),
    ],
    ids=lambda value: value.name if isinstance(value, Path) else value,
)
def test_every_line_is_valid_and_named_once(schema: str, path: Path) -> None:
    rows = lines(path)
    assert rows
    for row in rows:
        validator(schema).validate(row)
    ids = [row["id"] if "id" in row else row["metadata"]["topic_id"] for row in rows]
    assert len(set(ids)) == len(ids)
    if schema != "document":
        assert ids == list(QUESTIONS)


def test_set_json_is_valid_and_its_digest_holds() -> None:
    about = json.loads((SAMPLE / "set.json").read_text(encoding="utf-8"))
    validator("set").validate(about)
    total = hashlib.sha256()
    for name in ("documents.jsonl", "gold.jsonl", "questions.jsonl"):
        raw = (SAMPLE / name).read_bytes()
        total.update(name.encode("utf-8") + b"\0" + str(len(raw)).encode("ascii") + b"\0" + raw)
    assert about == {
        "name": "core",
        "version": "1",
        "split": "sample",
        "language": "en",
        "digest": f"sha256:{total.hexdigest()}",
        "licence": "CC0-1.0",
    }


METADATA = {
    "name": "Eel 7B",
    "authors": "The Estuary Lab",
    "url": None,
    "citation": "Lab, 2026",
    "type": "PROMPT",
    "context": 8192,
    "is_trained_for_function_calling": False,
    "closedbook_generations": None,
    "openbook_generations": "eel-7b.jsonl",
    "evidenceprovided_generations": None,
}
RESULT = {
    "schema": 1,
    "season": "2026",
    "system": "eel-7b",
    "author": "4711",
    "commit": "0" * 40,
    "submission": {"openbook-generations/eel-7b.jsonl": "a" * 64},
    "gold_digest": "sha256:" + "b" * 64,
    "settings": {
        "openbook": {
            "signature": {"rouge": {"metric": "rouge", "n": "8"}},
            "scores": {
                "rouge.rouge1": {"value": 0.41, "low": None, "high": None, "n": 8, "failed": 0}
            },
        }
    },
    "created": "2026-11-20T10:00:00Z",
}


@pytest.mark.parametrize(
    ("schema", "good", "change"),
    [
        ("metadata", METADATA, {"url": "javascript:alert(1)"}),
        ("metadata", METADATA, {"openbook_generations": "../secret.jsonl"}),
        ("metadata", METADATA, {"openbook_generations": None}),
        ("metadata", METADATA, {"type": "MAGIC"}),
        ("metadata", METADATA, {"context": True}),
        ("metadata", METADATA, {"name": "two\nlines"}),
        ("metadata", METADATA, {"name": "x" * 81}),
        ("metadata", METADATA, {"surprise": 1}),
        ("metadata", METADATA, {"anonymous_until": "soon"}),
        ("metadata", METADATA, {"status": "deleted"}),
        ("result", RESULT, {"settings": {}}),
        ("result", RESULT, {"gold_digest": "b" * 64}),
        ("result", RESULT, {"commit": "main"}),
        ("result", RESULT, {"submission": {"../../etc": "a" * 64}}),
        ("answer", {"id": "q", "answer": ""}, {"answer": None}),
        ("answer", {"id": "q", "answer": ""}, {"answers": "x"}),
        ("document", {"id": "D1", "text": ""}, {"id": "D 1"}),
        ("document", {"id": "D1", "text": "", "date": None}, {"date": "3 March"}),
        ("question", {"id": "q", "text": "?"}, {"gold": 1}),
        ("gold", {"id": "q", "answerable": True}, {"answerable": "yes"}),
        ("gold", {"id": "q", "answerable": True}, {"nuggets": [{"id": "n", "question": "?"}]}),
    ],
    ids=lambda value: json.dumps(value)[:40] if isinstance(value, dict) else value,
)
def test_schema_takes_the_good_and_refuses_the_bad(
    schema: str, good: dict[str, Any], change: dict[str, Any]
) -> None:
    validator(schema).validate(good)
    assert not validator(schema).is_valid({**good, **change})


def references(question: str) -> set[str]:
    nuggets = GOLD[question]["nuggets"]
    return {id for nugget in nuggets for answer in nugget["answers"] for id in answer["references"]}


@pytest.mark.parametrize("id", QUESTIONS)
def test_ids_resolve(id: str) -> None:
    provided = set(QUESTIONS[id]["documents"])
    assert provided <= DOCUMENTS.keys()
    assert references(id) <= provided
    assert set(GOLD[id]["supporting"]) <= references(id)
    assert provided > references(id), "no document to be left aside"
    steps: set[str] = set()
    for step in decomposition(GOLD[id]["decomposition"]):
        assert step["id"] not in steps
        assert set(step["depends_on"]) <= steps, "a step needs one that comes later"
        steps.add(step["id"])


def decomposition(steps: list[Any]) -> Iterator[Any]:
    for step in steps:
        yield step
        yield from decomposition(step["decomposition"])


def test_labels_are_asks_with_declared_verdicts() -> None:
    keys = set()
    for label in LABELS:
        assert label.keys() == {"ask", "verdict"}
        request = request_from_json(label["ask"])
        assert json.loads(json.dumps(request_to_json(request))) == label["ask"]
        assert label["verdict"] in request.verdicts
        keys.add(request.key)
    assert len(keys) == len(LABELS) >= 120
