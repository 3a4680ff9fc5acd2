"""Results: exact bytes, null for what was not counted, refused when touched."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import argue_bench
from argue_bench.errors import DataError, Finding, UsageError
from argue_bench.leaderboard.formats.canonical import canonical
from argue_bench.leaderboard.formats.layout import SETTINGS
from argue_bench.leaderboard.formats.metadata import read_metadata
from argue_bench.leaderboard.formats.results import Result, Setting, now, parse_result, write_result
from argue_bench.leaderboard.formats.season import read_season
from argue_bench.leaderboard.scoring.scored_settings import gold_digest
from argue_bench.leaderboard.seasons.sealing import verify_season
from argue_bench.loaders import load
from tests.leaderboard.boards import REHEARSAL_KEY, add, metadata
from tests.leaderboard.schemas import SHIPPED, place, written
from tests.leaderboard.test_submission import GOOD, HOSTILE
from tests.shared import ROOT

SCORES: dict[str, float | int | None] = {
    "value": 0.5,
    "low": None,
    "high": None,
    "n": 3,
    "failed": 0,
}
RESULT = Result(
    "s1",
    "my-system",
    {"openbook": Setting({"argue": {"metric": "argue"}}, {"argue.f1": SCORES})},
    {"metadata/my-system.json": "0" * 64},
    "sha256:" + "0" * 64,
    created="2026-01-01T00:00:00Z",
)


def test_the_bytes_are_the_ones_that_are_signed(tmp_path: Path) -> None:
    path = write_result(tmp_path, RESULT)
    assert path == tmp_path / "results" / "s1" / "my-system.json"
    assert path.read_bytes().decode() == (
        '{"author":null,"commit":null,"created":"2026-01-01T00:00:00Z","gold_digest":"sha256:'
        + "0" * 64
        + '","schema":1,"season":"s1","settings":{"openbook":{"scores":{"argue.f1":{"failed":0,'
        '"high":null,"low":null,"n":3,"value":0.5}},"signature":{"argue":{"metric":"argue"}}}},'
        '"submission":{"metadata/my-system.json":"' + "0" * 64 + '"},"system":"my-system"}'
    )
    assert parse_result(path.read_bytes(), path) == RESULT


def test_canonical_text_is_utf_8_as_it_is() -> None:
    assert canonical({"b": "é", "a": [1, 0.1]}) == '{"a":[1,0.1],"b":"é"}'.encode()
    with pytest.raises(ValueError, match="JSON"):
        canonical(float("nan"))


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("0.5", "0.50", "not-canonical"),
        ("0.5", "NaN", "wrong-value"),
        ("0.5", '"0.5"', "wrong-value"),
        ("0.5", "true", "wrong-value"),
        ("}", "} ", "not-canonical"),
        ('"schema":1', '"schema":2', "wrong-value"),
        ('"my-system"', '"other"', "other-result"),
        ('"system":"my-system"', '"system":"../x"', "wrong-value"),
        ('"s1"', '"../.."', "wrong-value"),
        ('"openbook"', '"best"', "wrong-value"),
        ('"author":null,', "", "wrong-shape"),
        ('"author":null,', '"author":null,"author":"me",', "duplicate-key"),
    ],
)
def test_a_touched_file_is_refused(tmp_path: Path, old: str, new: str, code: str) -> None:
    path = write_result(tmp_path, RESULT)
    path.write_text(path.read_text().replace(old, new))
    with pytest.raises(DataError) as caught:
        parse_result(path.read_bytes(), path)
    assert [finding.code for finding in caught.value.findings] == [code]


def test_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    board, outside = tmp_path / "board", tmp_path / "outside"
    outside.mkdir()
    (board / "results").mkdir(parents=True)
    (board / "results" / "s1").symlink_to(outside)
    with pytest.raises(DataError, match="symlink"):
        write_result(board, RESULT)
    assert list(outside.iterdir()) == []


def test_a_file_that_is_a_link_is_replaced_not_followed(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("untouched")
    folder = tmp_path / "board" / "results" / "s1"
    folder.mkdir(parents=True)
    (folder / "my-system.json").symlink_to(victim)
    write_result(tmp_path / "board", RESULT)
    assert victim.read_text() == "untouched"
    assert not (folder / "my-system.json").is_symlink()


def test_the_time_can_be_given(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert now() == "2023-11-14T22:13:20Z"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(UsageError, match="yesterday"):
        now()


def test_the_digest_of_the_gold_does_not_hang_on_order_or_reader() -> None:
    """Rows keep the digest that they were scored by, whatever reads the gold later."""
    sample = load("core", "sample")
    whole = "7d6e8798f0249b29e83ccfa76eb0b14f1caa6b60bd9f56764686158dc8be345a"
    assert gold_digest(sample) == f"sha256:{whole}"
    turned = dataclasses.replace(sample, questions=tuple(reversed(sample.questions)))
    sealed = dataclasses.replace(
        sample, questions=tuple(dataclasses.replace(q, gold=None) for q in sample)
    )
    assert gold_digest(sample) == gold_digest(turned)
    assert gold_digest(sample) != gold_digest(sealed)


# The JSON schemas say the same.


def shipped_schema(name: str) -> Any:
    path = Path(argue_bench.__file__).parent / "loaders" / "schemas" / f"{name}.schema.json"
    return json.loads(path.read_text(encoding="utf-8"))


def check_result(value: Any) -> list[Finding]:
    try:
        parse_result(canonical(value), Path("results", "s1", "my-system.json"))
    except DataError as error:
        return list(error.findings)
    return []


def valid(name: str, value: Any) -> bool:
    return Draft202012Validator(shipped_schema(name)).is_valid(value)


def test_the_schema_agrees_on_results() -> None:
    value = RESULT.to_json()
    assert valid("result", value)
    assert check_result(value) == []
    for key in value:
        less = {other: value[other] for other in value if other != key}
        assert not valid("result", less)
        assert check_result(less)
    for changes in (
        {"extra": 1},
        {"system": "../x"},
        {"group": "best"},
        {"settings": {"best": {}}},
    ):
        assert not valid("result", value | changes)
        assert check_result(value | changes)
    assert valid("result", value | {"group": "rehearsal"})
    assert check_result(value | {"group": "rehearsal"}) == []


@pytest.mark.parametrize("name", HOSTILE)
def test_check_and_schema_agree_on_hostile_metadata(tmp_path: Path, name: str) -> None:
    """What the check takes the schema takes, so what the schema refuses the check refuses.

    Not the other way: a schema can't say that a day does not exist or a character is not seen.
    """
    add(tmp_path, "bad-one")
    HOSTILE[name][0](tmp_path)
    path = tmp_path / "metadata" / "bad-one.json"
    if not path.is_file():
        pytest.skip("this fault leaves no metadata file to look at")
    read, _ = read_metadata(path, "x", "bad-one")
    if read is None:
        return
    nothing = all(read.link(setting) is None for setting in SETTINGS)
    assert valid("metadata", read.values) != nothing  # no answers at all: the whole check's affair


@pytest.mark.parametrize(("name", "kind"), SHIPPED.items())
def test_the_shipped_schemas_are_what_the_models_write(name: str, kind: type[Any]) -> None:
    assert place(name).read_text(encoding="utf-8") == written(kind)
    assert name != "metadata" or valid("metadata", json.loads(GOOD))


@pytest.mark.parametrize(
    "changes",
    [
        {"url": None},
        {"url": "https://medium.com/@user/x?a=b#c"},
        {"context": 0},
        {"details": ""},
        {"details": "two\nlines"},
        {"authors": "Zoë Ćirić, 王小明"},
        {"base_model": "m", "tokens": 1.5e6, "cost": 0, "licence": "MIT", "status": "active"},
        {"training_overlap": "none", "judges_used": ["a", "b"], "anonymous_until": "2027-02-28"},
    ],
)
def test_what_is_allowed(tmp_path: Path, changes: dict[str, Any]) -> None:
    value = metadata("my-system", **changes)
    path = tmp_path / "my-system.json"
    path.write_text(json.dumps(value))
    assert read_metadata(path, "x", "my-system")[1] == []
    assert valid("metadata", value)


# Seasons.


def season(tmp_path: Path, **changes: Any) -> Path:
    value = json.loads((ROOT / "leaderboard-submissions" / "season.json").read_text())
    (tmp_path / "season.json").write_text(json.dumps(value | changes))
    return tmp_path


def test_the_shipped_season_is_a_rehearsal_on_core() -> None:
    shipped = read_season(ROOT / "leaderboard-submissions")
    assert (shipped.season, shipped.group, shipped.set.name) == ("season-0", "rehearsal", "core")
    assert shipped.load().split == "test"
    assert verify_season(ROOT / "leaderboard-submissions", REHEARSAL_KEY) == []


def test_a_folder_without_a_season_is_checked_against_core(tmp_path: Path) -> None:
    local = read_season(tmp_path)
    assert (local.season, local.set.name) == ("local", "core")
    assert len(local.load()) > 0


@pytest.mark.parametrize(
    "changes",
    [
        {"schema": 9},
        {"schema": None},
        {"season": "../x"},
        {"season": 5},
        {"set": []},
        {"set": {"name": 4}},
        {"settings": ["best"]},
        {"settings": []},
        {"settings": [["openbook"]]},
        {"metrics": "argue"},
        {"judge": None},
        {"judges": {"nli": 4}},
        {"ranked": 4},
        {"group": "best"},
    ],
)
def test_a_wrong_season_says_what_is_wrong(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(DataError) as caught:
        read_season(season(tmp_path, **changes))
    (finding,) = caught.value.findings
    assert finding.code == "wrong-value"
    assert next(iter(changes)) in finding.message


@pytest.mark.parametrize(
    ("key", "given", "words"),
    [
        ("group", "best", ["group is 'best'", "expected one of rehearsal"]),
        ("season", "../x", ["season is '../x'", "[a-z0-9]"]),
        ("schema", 2, ["schema is 2", "expected 1"]),
        ("settings", {"best": {"signature": {}, "scores": {}}}, ["the key 'best'", "closedbook"]),
        ("created", None, ["created is null", "2027-01-31T12:00:00Z"]),
        ("author", 7, ["author", "7", "a text"]),
        ("submission", {"a": 1}, ["submission is an object", "SHA-256"]),
    ],
)
def test_a_finding_says_what_is_there_where_and_what_was_expected(
    key: str, given: Any, words: list[str]
) -> None:
    (finding,) = check_result({**RESULT.to_json(), key: given})
    assert (finding.code, finding.file, finding.path) == (
        "wrong-value",
        "results/s1/my-system.json",
        f"$.{key}",
    )
    assert all(word in finding.message for word in words), finding.message
    assert "never edited" in finding.hint
