"""A season's folder: its terms, its sealed gold, and every way in which it can be broken."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.ciphers.aead import ChaCha20Poly1305

from argue_bench.errors import DataError, SealError, UnknownName, UsageError
from argue_bench.leaderboard.formats.season import read_season
from argue_bench.leaderboard.seasons.sealing import Terms, sealed_gold, season_terms, verify_season
from argue_bench.leaderboard.signing.keys import MAGIC, check_secret, new_key, seal, unseal
from argue_bench.loaders.core import parse_gold
from argue_bench.records.atomic import write_json
from tests.leaderboard.repositories import seal_world
from tools.core_set.world import World

SEED, KEY = "9d" * 16, "07" * 32
SIZE = 4


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A season's folder that promises hashes; tests that break something take a copy (``folder``)."""
    out = tmp_path_factory.mktemp("printed") / "season-1"
    seal_world(out, SEED, SIZE, Terms(told="all"), KEY)
    season = json.loads((out / "season.json").read_text())
    season["sealed"] = {
        "generator": "1",
        "size": SIZE,
        "seed_sha256": sha256(SEED.encode()),
        "patterns_sha256": None,
        "set_digest": json.loads((out / "topics" / "set.json").read_text())["digest"],
        "gold": "gold.jsonl.sealed",
        "gold_sha256": sha256(sealed_gold(out, KEY)),
        "file_sha256": sha256((out / "gold.jsonl.sealed").read_bytes()),
    }
    (out / "season.json").write_text(json.dumps(season))
    return out


@pytest.fixture
def folder(printed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(printed, tmp_path / "season-1"))


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def promise(folder: Path, **changes: object) -> None:
    path = folder / "season.json"
    value = json.loads(path.read_text())
    value["sealed"] |= changes
    path.write_text(json.dumps(value))


# The seal.


def test_what_was_sealed_opens_and_nothing_else_does() -> None:
    sealed = seal(b"gold", KEY, "season-1/gold.jsonl")
    assert b"gold" not in sealed
    assert unseal(sealed, KEY, "season-1/gold.jsonl", "f") == b"gold"
    for key, purpose in ((new_key(), "season-1/gold.jsonl"), (KEY, "season-2/gold.jsonl")):
        with pytest.raises(SealError, match="f: it does not open"):
            unseal(sealed, key, purpose, "f")


def test_the_size_of_sealed_gold_does_not_tell_how_much_it_holds(
    printed: Path, tmp_path: Path
) -> None:
    seal_world(tmp_path / "other", SEED, SIZE - 1, Terms(told="all"), KEY)
    one, other = (path / "gold.jsonl.sealed" for path in (printed, tmp_path / "other"))
    assert one.stat().st_size == other.stat().st_size
    assert len(sealed_gold(printed, KEY)) > len(sealed_gold(tmp_path / "other", KEY))


def test_no_bit_of_a_sealed_file_can_be_changed() -> None:
    sealed = seal(b"gold", KEY, "x")
    for at in range(len(sealed)):
        changed = bytearray(sealed)
        changed[at] ^= 1
        for broken in (bytes(changed), sealed[:at]):
            with pytest.raises((SealError, DataError)):
                unseal(broken, KEY, "x", "f")


def test_the_format_is_chacha20_poly1305_as_documented() -> None:
    sealed = seal(b"gold", KEY, "purpose")
    nonce, rest = sealed[len(MAGIC) :][:12], sealed[len(MAGIC) + 12 :]
    cipher = ChaCha20Poly1305(bytes.fromhex(KEY))
    assert cipher.decrypt(nonce, rest, MAGIC + b"purpose") == b"gold"
    assert seal(b"gold", KEY, "purpose")[len(MAGIC) :][:12] != nonce


@pytest.mark.parametrize(
    ("text", "what"), [("", "seed"), ("xy" * 32, "seed"), ("ab" * 15, "seed"), ("ab" * 16, "key")]
)
def test_a_secret_is_hexadecimal_and_long(text: str, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        check_secret(text, what)


# A season's folder.


def test_a_season_holds_no_secret_and_loads_like_any_other_set(printed: Path) -> None:
    assert sorted(path.name for path in printed.iterdir()) == [
        "gold.jsonl.sealed",
        "season.json",
        "topics",
    ]
    for path in filter(Path.is_file, printed.rglob("*")):
        content = path.read_bytes()
        assert not any(secret in content for secret in (SEED.encode(), KEY.encode(), b'"nuggets"'))
    dataset = read_season(printed).load()
    assert (dataset.name, dataset.split, len(dataset), dataset.sealed) == ("core", "test", 4, True)


def test_its_gold_is_what_was_given(printed: Path) -> None:
    gold = parse_gold(sealed_gold(printed, KEY), printed)
    assert [*gold.values()] == [t.question.gold for t in World(SEED, SIZE).topics()]


def test_the_terms_are_kept(tmp_path: Path) -> None:
    metrics = ("argue(rules=argue-2024)", "rouge")
    terms = Terms(
        "autumn-27",
        title="Autumn",
        group="rehearsal",
        settings=("openbook",),
        metrics=metrics,
        quota=2,
        told="all",
    )
    terms.check()
    write_json(tmp_path / "season.json", season_terms(terms))
    season = read_season(tmp_path)
    assert (season.season, season.title, season.group) == ("autumn-27", "Autumn", "rehearsal")
    assert (season.settings, season.metrics) == (("openbook",), metrics)
    assert (season.quota, season.told, season.judge) == (2, "all", "lexical")


@pytest.mark.parametrize(
    "changes",
    [
        {"season": "../up"},
        {"metrics": ("argu",)},
        {"metrics": ("rouge",)},
        {"judge": "nobody"},
        {"ranked": "argue.g1"},
        {"ranked": "f1"},
    ],
)
def test_terms_that_mean_nothing_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises((UsageError, UnknownName)):
        Terms(**changes).check()


# Checking a folder.


def test_an_honest_folder_has_no_findings(printed: Path, folder: Path) -> None:
    assert verify_season(printed) == []
    assert verify_season(printed, KEY) == []
    season = json.loads((folder / "season.json").read_text())
    season["sealed"] = None  # as `board init` writes one
    (folder / "season.json").write_text(json.dumps(season))
    assert verify_season(folder, KEY) == []
    assert [one.code for one in verify_season(folder, "11" * 32)] == ["seal"]


@pytest.mark.parametrize(
    "name",
    [
        "season.json",
        "topics/set.json",
        "topics/questions.jsonl",
        "topics/documents.jsonl",
        "gold.jsonl.sealed",
    ],
)
def test_a_missing_file_is_named(folder: Path, name: str) -> None:
    (folder / name).unlink()
    try:
        findings = verify_season(folder)
    except DataError as error:
        findings = list(error.findings)
    assert ("no-such-file", str(folder / name)) in [(one.code, one.file) for one in findings]


@pytest.mark.parametrize(
    "name", ["topics/questions.jsonl", "topics/documents.jsonl", "gold.jsonl.sealed"]
)
@pytest.mark.parametrize("change", ["edited", "truncated"])
def test_an_edited_or_cut_file_is_named(folder: Path, name: str, change: str) -> None:
    path = folder / name
    content = path.read_bytes()
    half = content[: len(content) // 2]
    edited = half + bytes([content[len(half)] ^ 1]) + content[len(half) + 1 :]
    path.write_bytes(half if change == "truncated" else edited)
    found = verify_season(folder)
    assert found
    assert {str(path), str(folder / "topics" / "set.json")} & {one.file for one in found}


def test_topics_and_gold_of_another_season_are_not_the_promised_ones(
    folder: Path, tmp_path: Path
) -> None:
    seal_world(tmp_path / "other", "aa" * 16, SIZE, Terms(told="all"), KEY)
    shutil.copy(tmp_path / "other" / "gold.jsonl.sealed", folder)
    assert [one.code for one in verify_season(folder, KEY)] == ["other-digest"]
    shutil.rmtree(folder / "topics")
    shutil.copytree(tmp_path / "other" / "topics", folder / "topics")
    assert [one.code for one in verify_season(folder)] == ["other-digest", "other-digest"]


def reseal(folder: Path, gold: bytes) -> None:
    """An organiser who exchanges the gold and its hashes."""
    sealed = seal(gold, KEY, "season-1/gold.jsonl")
    (folder / "gold.jsonl.sealed").write_bytes(sealed)
    promise(folder, file_sha256=sha256(sealed), gold_sha256=sha256(gold))


def test_gold_that_is_broken_inside_is_found_with_its_line(folder: Path) -> None:
    gold = sealed_gold(folder, KEY)
    lines = gold.splitlines()
    row = json.loads(lines[1])
    row["nuggets"][0]["answers"][0]["references"].append("nowhere")
    lines[1] = json.dumps(row).encode()
    reseal(folder, b"\n".join(lines))
    (finding,) = verify_season(folder, KEY)
    assert (finding.code, finding.line) == ("unknown-id", 2)
    assert "'nowhere'" in finding.message
    reseal(folder, gold[: len(gold) - 40])
    broken, missing = verify_season(folder, KEY)
    assert (broken.line, missing.code) == (SIZE, "missing-ids")
    assert "gold.jsonl.sealed" in broken.file


def test_a_promise_of_another_shape_is_refused(folder: Path) -> None:
    path = folder / "season.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"sealed": {"size": 4}}))
    with pytest.raises(DataError, match="sealed is an object; expected"):
        verify_season(folder)


def test_a_mistyped_folder_is_refused_and_is_no_local_season(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such folder"):
        read_season(tmp_path / "nowhere")


@pytest.mark.parametrize("changes", [{"quota": 0}, {"quota": "5"}, {"step": 99}, {"bits": 1}])
def test_other_numbers_of_a_season_are_checked(folder: Path, changes: dict[str, Any]) -> None:
    path = folder / "season.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(DataError, match=next(iter(changes))):
        read_season(folder)
