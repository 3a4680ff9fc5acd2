"""Files of our own are read strictly, and everything that is wrong is said at once in plain words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from argue_bench.errors import Code, DataError, Finding
from argue_bench.records.validation import (
    MOST_FINDINGS,
    Expect,
    Record,
    strict,
    validate,
)
from tools.schemas import json_schema

Share = Annotated[float, Field(ge=0, le=1)]


class Score(Record):
    score: Share
    n: int | None = None
    kind: Literal["mean", "sum"] = "mean"
    """How it was made."""


@strict
@dataclass(frozen=True)
class Table:
    name: Annotated[str, Field(min_length=1, max_length=8)]
    rows: tuple[Score, ...] = ()
    named: Mapping[str, Score] = Field(default_factory=dict)
    number: int | float | None = None
    commit: Annotated[
        str | None,
        Expect("40 hexadecimal digits, or null", lambda v: v is None or len(v) == 40),
    ] = None


def findings(value: Any, **more: Any) -> tuple[Finding, ...]:
    with pytest.raises(DataError) as error:
        validate(Table, value, Code.WRONG_SHAPE, "table.json", 3, **more)
    return error.value.findings


def one(**changes: Any) -> Finding:
    (finding,) = findings({"name": "a", **changes})
    assert (finding.file, finding.line) == ("table.json", 3)
    return finding


def test_a_right_value_is_a_record_with_its_defaults() -> None:
    row = {"score": 1, "n": 2}
    table = validate(Table, {"name": "a", "rows": [row], "number": 5}, Code.WRONG_SHAPE)
    assert table == Table("a", (Score(score=1.0, n=2),), {}, 5)
    assert type(table.number) is int


@pytest.mark.parametrize(
    ("changes", "path", "message"),
    [
        ({"name": 5}, "$.name", "name is 5; expected a text"),
        ({"rows": {}}, "$.rows", "rows is an object; expected a list"),
        (
            {"rows": [{"score": "high"}]},
            "$.rows[0].score",
            "rows[0].score is 'high'; expected a number",
        ),
        (
            {"rows": [{"score": True}]},
            "$.rows[0].score",
            "rows[0].score is true; expected a number",
        ),
        (
            {"rows": [{"score": 2}]},
            "$.rows[0].score",
            "rows[0].score is 2; expected less than or equal to 1",
        ),
        (
            {"rows": [{"score": 0, "kind": "max"}]},
            "$.rows[0].kind",
            "rows[0].kind is 'max'; expected 'mean' or 'sum'",
        ),
        ({"named": {"a": 1}}, "$.named.a", "named.a is 1; expected an object"),
        ({"number": "1"}, "$.number", "number is '1'; expected a whole number"),
        ({"named": {"a": {}}}, "$.named.a", "the key 'score' is missing"),
        ({"rwos": []}, "$.rwos", "the key 'rwos' is not known"),
    ],
)
def test_what_is_wrong_is_one_plain_sentence(
    changes: dict[str, Any], path: str, message: str
) -> None:
    finding = one(**changes)
    assert (finding.code, finding.path, finding.message) == (Code.WRONG_SHAPE, path, message)


def test_hints_name_the_key_that_was_meant() -> None:
    assert one(rwos=[]).hint == "Did you mean 'rows'?"
    assert findings([], hint="Look.")[0].hint == "Look."


def test_all_findings_come_at_once() -> None:
    found = findings({"rows": [{"score": 2}, {"n": "x"}], "commit": 5, "q": 1})
    assert {finding.path for finding in found} == {
        "$",
        "$.rows[0].score",
        "$.rows[1]",
        "$.rows[1].n",
        "$.commit",
        "$.q",
    }


@pytest.mark.parametrize("value", [5, "abc"], ids=["type", "check"])
def test_an_expectation_has_its_words(value: Any) -> None:
    assert one(commit=value).message.endswith("; expected 40 hexadecimal digits, or null")


def test_codes_may_differ_by_problem() -> None:
    codes = {
        "missing": Code.KEY_MISSING,
        "unknown": Code.METADATA_VALUE,
        "value": Code.METADATA_VALUE,
    }
    wrong = {"named": {"a": {}, "b": {"score": 2}, "c": 1}, "q": 1}
    found = {f.path: f.code for f in findings({"name": "a", **wrong}, codes=codes)}
    assert found == {
        "$.named.a": Code.KEY_MISSING,
        "$.q": Code.METADATA_VALUE,
        "$.named.c": Code.METADATA_VALUE,
        "$.named.b.score": Code.METADATA_VALUE,
    }


def test_keys_with_a_default_may_be_required_and_keys_may_have_a_form() -> None:
    (finding,) = findings({"name": "a"}, required=("name", "rows"))
    assert finding.message == "the key 'rows' is missing"

    @strict
    @dataclass(frozen=True)
    class Files:
        sizes: Mapping[Annotated[str, Expect("a file name", str.isalnum)], int]

    with pytest.raises(DataError, match=r"the key .a/b. is not a file name at \$\.sizes"):
        validate(Files, {"sizes": {"a/b": 1}}, Code.WRONG_SHAPE)


def test_foreign_text_is_bounded_and_escaped() -> None:
    evil = "\x1b[2J\u202e" + "x" * 1_000_000
    for finding in findings({"name": evil, evil: 1, "named": {evil: evil}}):
        text = str(finding)
        assert len(text) < 1_000
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_nothing_in_a_printed_finding_is_a_command_to_a_runner() -> None:
    """GitHub's runner obeys what stands behind ``##[`` anywhere in a line of a log."""
    part = "##[error]x"
    printed = str(Finding(Code.WRONG_VALUE, part, part, path=part, hint=part))
    assert printed.count("##⟨U+005B⟩error]x") == 4
    assert "##[" not in printed


def test_many_findings_are_cut_and_counted() -> None:
    found = findings({"name": "a", "rows": [1] * 1_000})
    assert len(found) == MOST_FINDINGS + 1
    assert found[-1].message == "and 900 more findings"


def test_models_write_their_schemas() -> None:
    schema = json_schema(Score)
    assert schema["properties"]["score"] == {"maximum": 1, "minimum": 0, "type": "number"}
    assert schema["properties"]["kind"]["description"] == "How it was made."
    assert schema["additionalProperties"] is False
    assert "x-expected" not in json.dumps(json_schema(Table))
