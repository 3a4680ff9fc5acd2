"""A season's folder: what is promised on the first day, and every way in which it can be broken."""

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
from argue_bench.leaderboard.scoring.local_scoring import gold_digest, with_gold
from argue_bench.leaderboard.seasons import sealing as season_new
from argue_bench.leaderboard.seasons.revealing import reveal, sealed_gold, verify_season
from argue_bench.leaderboard.seasons.sealing import REHEARSAL_KEY, Terms, create_season
from argue_bench.leaderboard.signing.seal import (
    MAGIC,
    check_secret,
    new_key,
    read_secret,
    refuse_repository,
    seal,
    unseal,
)
from argue_bench.loaders import load
from argue_bench.synthetic.world import World

SEED, KEY = "9d" * 16, "07" * 32
SIZE = 4
OPEN = Terms(told="all")
"""So few questions make no season that holds scores back."""
PACK = """== floods.evacuated en
wire: {S} (emptied|cleared) its lower streets; {v} people left.
ledger: From {S} some {v} inhabitants were brought away.
"""


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A season's folder; tests that break something take a copy (``folder``)."""
    out = tmp_path_factory.mktemp("printed") / "season-1"
    create_season(out, SEED, SIZE, OPEN, key=KEY)
    return out


@pytest.fixture
def folder(printed: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(printed, tmp_path / "season-1"))


def codes(folder: Path, key: str = "") -> list[str]:
    return [finding.code for finding in verify_season(folder, key)]


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


# The seal.


def test_what_was_sealed_opens_and_nothing_else_does() -> None:
    sealed = seal(b"gold", KEY, "season-1/gold.jsonl")
    assert b"gold" not in sealed
    assert unseal(sealed, KEY, "season-1/gold.jsonl", "f") == b"gold"
    for key, purpose in ((new_key(), "season-1/gold.jsonl"), (KEY, "season-2/gold.jsonl")):
        with pytest.raises(SealError, match="f: it does not open"):
            unseal(sealed, key, purpose, "f")


def test_no_bit_of_a_sealed_file_can_be_changed() -> None:
    sealed = seal(b"gold", KEY, "x")
    for at in range(len(sealed)):
        changed = bytearray(sealed)
        changed[at] ^= 1
        with pytest.raises((SealError, DataError)):
            unseal(bytes(changed), KEY, "x", "f")
    for length in range(len(sealed)):
        with pytest.raises((SealError, DataError)):
            unseal(sealed[:length], KEY, "x", "f")


def test_the_format_is_chacha20_poly1305_as_documented() -> None:
    sealed = seal(b"gold", KEY, "purpose")
    nonce, rest = sealed[len(MAGIC) :][:12], sealed[len(MAGIC) + 12 :]
    cipher = ChaCha20Poly1305(bytes.fromhex(KEY))
    assert cipher.decrypt(nonce, rest, MAGIC + b"purpose") == b"gold"


def test_two_sealings_share_nothing() -> None:
    assert seal(b"gold", KEY, "x")[len(MAGIC) :][:12] != seal(b"gold", KEY, "x")[len(MAGIC) :][:12]
    assert new_key() != new_key()


@pytest.mark.parametrize(
    ("text", "what"), [("", "seed"), ("xy" * 32, "seed"), ("ab" * 15, "seed"), ("ab" * 16, "key")]
)
def test_a_secret_is_hexadecimal_and_long(text: str, what: str) -> None:
    with pytest.raises(UsageError, match=what):
        check_secret(text, what)


def test_a_secret_in_a_file_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "seed"
    path.write_text(f"{SEED.upper()}\n")
    assert read_secret(path, "seed") == SEED
    for content in (b"", b"short", b"\xff\xfe", b"z" * 64):
        path.write_bytes(content)
        with pytest.raises(DataError) as caught:
            read_secret(path, "seed")
        assert (caught.value.findings[0].file, caught.value.findings[0].line) == (str(path), 1)
    with pytest.raises(DataError, match="openssl rand"):
        read_secret(tmp_path / "none", "seed")


def test_secrets_do_not_lie_in_a_repository(tmp_path: Path) -> None:
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "repo" / "deep").mkdir()
    (tmp_path / "repo" / "deep" / "seed").write_text(SEED)
    (tmp_path / "link").symlink_to(tmp_path / "repo" / "deep" / "seed")
    for path in (tmp_path / "repo" / "deep" / "seed", tmp_path / "link"):
        with pytest.raises(UsageError, match="git repository"):
            read_secret(path, "seed")
    refuse_repository(tmp_path / "elsewhere", "seed")


# A new season.


def test_a_season_holds_what_it_says_and_no_secret(printed: Path) -> None:
    season = read_season(printed)
    assert season.sealed is not None
    assert season.sealed.seed_sha256 == sha256(SEED.encode())
    assert season.sealed.gold_sha256 == sha256(sealed_gold(printed, KEY))
    assert sorted(path.name for path in printed.iterdir()) == [
        "gold.jsonl.sealed",
        "season.json",
        "topics",
    ]
    for path in printed.rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            assert SEED.encode() not in content
            assert KEY.encode() not in content
            assert b'"nuggets"' not in content


def test_its_set_is_loaded_like_any_other_and_has_no_gold(printed: Path) -> None:
    dataset = read_season(printed).load()
    assert (dataset.name, dataset.split, len(dataset)) == ("core", "test", SIZE)
    assert dataset.sealed
    world = World(SEED, SIZE)
    assert list(dataset.by_id) == [topic.id for topic in world.topics()]


def test_its_gold_is_the_worlds(printed: Path, tmp_path: Path) -> None:
    path = tmp_path / "gold.jsonl"
    path.write_bytes(sealed_gold(printed, KEY))
    dataset = with_gold(read_season(printed).load(), path)
    assert [q.gold for q in dataset] == [t.question.gold for t in World(SEED, SIZE).topics()]


def test_the_terms_are_kept(tmp_path: Path) -> None:
    terms = Terms(
        "autumn-27",
        "Autumn",
        "rehearsal",
        ("openbook",),
        ("argue(rules=auto-argue)", "rouge"),
        ranked="argue.f1",
        quota=2,
        told="all",
    )
    create_season(tmp_path / "s", SEED, SIZE, terms)
    season = read_season(tmp_path / "s")
    assert (season.season, season.title, season.group) == ("autumn-27", "Autumn", "rehearsal")
    assert (season.settings, season.metrics) == (("openbook",), terms.metrics)
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
def test_terms_that_mean_nothing_are_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises((UsageError, UnknownName)):
        create_season(tmp_path / "s", SEED, SIZE, Terms(**changes))
    assert not (tmp_path / "s").exists()


def test_a_season_that_would_never_tell_a_score_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"^4 questions: with hidden gold .*20 are needed"):
        create_season(tmp_path / "s", SEED, SIZE)
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("size", [0, -1, "", "lots", 10**9, True])
def test_a_size_that_is_none_leaves_nothing(tmp_path: Path, size: Any) -> None:
    with pytest.raises(UsageError, match="size"):
        create_season(tmp_path / "s", SEED, size)
    assert not (tmp_path / "s").exists()


def test_a_bad_pattern_file_leaves_nothing(tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    pack.write_text("== floods.evacuated en\nwire: no slots\n")
    with pytest.raises(DataError) as caught:
        create_season(tmp_path / "s", SEED, SIZE, OPEN, pack=pack)
    assert (caught.value.findings[0].file, caught.value.findings[0].line) == (str(pack), 2)
    assert not (tmp_path / "s").exists()


def test_a_season_is_never_overwritten(folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    with pytest.raises(UsageError, match="already"):
        create_season(folder, "aa" * 16, SIZE, OPEN)
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_what_breaks_on_the_way_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> bytes:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(season_new, "seal", broken)
    with pytest.raises(DataError, match="No space left"):
        create_season(tmp_path / "s", SEED, SIZE, OPEN)
    assert not list((tmp_path / "s").iterdir())


def test_what_a_killed_run_left_is_cleared_away(tmp_path: Path) -> None:
    left = tmp_path / "s" / ".season.partial" / "topics"
    left.mkdir(parents=True)
    (left / "questions.jsonl").write_text("half")
    create_season(tmp_path / "s", SEED, SIZE, OPEN, key=KEY)
    assert codes(tmp_path / "s", KEY) == []
    assert not (tmp_path / "s" / ".season.partial").exists()


# Checking a folder.


def test_an_honest_folder_has_no_findings(printed: Path) -> None:
    assert verify_season(printed) == []
    assert verify_season(printed, KEY) == []


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("season.json", "no-such-file"),
        ("topics/set.json", "no-such-file"),
        ("topics/questions.jsonl", "no-such-file"),
        ("topics/documents.jsonl", "no-such-file"),
        ("gold.jsonl.sealed", "no-such-file"),
    ],
)
def test_a_missing_file_is_named(folder: Path, name: str, code: str) -> None:
    (folder / name).unlink()
    try:
        findings = verify_season(folder)
    except DataError as error:
        findings = list(error.findings)
    assert any(code in one.code and one.file == str(folder / name) for one in findings), findings


@pytest.mark.parametrize(
    "name", ["topics/questions.jsonl", "topics/documents.jsonl", "gold.jsonl.sealed"]
)
@pytest.mark.parametrize("change", ["edited", "truncated"])
def test_an_edited_or_cut_file_is_named(folder: Path, name: str, change: str) -> None:
    path = folder / name
    content = path.read_bytes()
    middle = len(content) // 2
    path.write_bytes(
        content[:middle]
        if change == "truncated"
        else content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]
    )
    found = verify_season(folder)
    assert found
    assert {str(path), str(folder / "topics" / "set.json")} & {one.file for one in found}
    if name == "topics/documents.jsonl" and change == "truncated":
        lost = [one for one in found if one.code == "unknown-document"]
        assert lost
        assert all(one.file.endswith("questions.jsonl") and one.line for one in lost)
    else:
        assert len({one.file for one in found}) <= 2


@pytest.mark.parametrize("size", ["small", SIZE + 1, "huge"])
def test_a_size_that_is_not_the_sets_is_seen_before_the_last_day(
    size: str | int, folder: Path
) -> None:
    """season.json is read by whoever regenerates: an edited size would only show at the end."""
    path = folder / "season.json"
    about = json.loads(path.read_text())
    about["sealed"]["size"] = size
    path.write_text(json.dumps(about))
    assert codes(folder) == ["set-size"]


def test_topics_of_another_season_are_not_the_promised_ones(folder: Path, tmp_path: Path) -> None:
    create_season(tmp_path / "other", "aa" * 16, SIZE, OPEN)
    shutil.rmtree(folder / "topics")
    shutil.copytree(tmp_path / "other" / "topics", folder / "topics")
    assert codes(folder) == ["set-digest"]


def test_gold_of_another_season_is_not_the_promised_one(folder: Path, tmp_path: Path) -> None:
    create_season(tmp_path / "other", "aa" * 16, SIZE, OPEN, key=KEY)
    shutil.copy(tmp_path / "other" / "gold.jsonl.sealed", folder)
    assert codes(folder, KEY) == ["seal-hash"]


def test_a_wrong_key_is_told_from_a_changed_file(folder: Path) -> None:
    (finding,) = verify_season(folder, "11" * 32)
    assert (finding.code, finding.file) == ("seal", str(folder / "gold.jsonl.sealed"))
    assert "key is another one" in finding.message
    with pytest.raises(SealError, match="key is another one"):
        sealed_gold(folder, "11" * 32)


def test_gold_is_never_taken_from_a_changed_file(folder: Path) -> None:
    path = folder / "gold.jsonl.sealed"
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(DataError, match="edited, cut or exchanged"):
        sealed_gold(folder, KEY)


def promise(folder: Path, **changes: object) -> None:
    path = folder / "season.json"
    value = json.loads(path.read_text())
    value["sealed"] |= changes
    path.write_text(json.dumps(value))


def reseal(folder: Path, gold: bytes) -> None:
    """An organiser who exchanges the gold and its hashes."""
    sealed = seal(gold, KEY, "season-1/gold.jsonl")
    (folder / "gold.jsonl.sealed").write_bytes(sealed)
    promise(folder, file_sha256=sha256(sealed), gold_sha256=sha256(gold))


def test_gold_that_names_an_unknown_document_is_found_with_its_line(folder: Path) -> None:
    lines = sealed_gold(folder, KEY).splitlines()
    row = json.loads(lines[1])
    row["nuggets"][0]["answers"][0]["references"].append("nowhere")
    lines[1] = json.dumps(row).encode()
    reseal(folder, b"\n".join(lines))
    (finding,) = verify_season(folder, KEY)
    assert (finding.code, finding.line) == ("unknown-document", 2)
    assert "'nowhere'" in finding.message


def test_gold_that_is_broken_inside_is_found_with_its_line(folder: Path) -> None:
    gold = sealed_gold(folder, KEY)
    reseal(folder, gold[: len(gold) - 40])
    broken, missing = verify_season(folder, KEY)
    assert broken.line == SIZE
    assert missing.code == "gold-missing"
    assert "gold.jsonl.sealed" in broken.file


@pytest.mark.parametrize(
    "changes",
    [
        {"size": 0},
        {"size": None},
        {"size": True},
        {"seed_sha256": "abc"},
        {"gold": "../gold"},
        {"gold": 4},
        {"patterns_sha256": "x"},
        {"more": 1},
    ],
)
def test_a_promise_of_another_shape_is_refused(folder: Path, changes: dict[str, Any]) -> None:
    promise(folder, **changes)
    with pytest.raises(DataError, match="sealed is an object; expected") as caught:
        verify_season(folder)
    assert caught.value.findings[0].file == str(folder / "season.json")


@pytest.mark.parametrize("changes", [{"quota": 0}, {"quota": "5"}, {"step": 99}, {"bits": 1}])
def test_other_numbers_of_a_season_are_checked(folder: Path, changes: dict[str, Any]) -> None:
    path = folder / "season.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    with pytest.raises(DataError, match=next(iter(changes))):
        read_season(folder)


def test_a_board_that_was_not_printed_is_no_sealed_season(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no season"):
        verify_season(tmp_path)
    value = {
        "schema": 1,
        "season": "s",
        "set": {"name": "core"},
        "settings": ["openbook"],
        "metrics": [],
        "judge": "lexical",
        "ranked": "argue.f1",
    }
    (tmp_path / "season.json").write_text(json.dumps(value))
    with pytest.raises(DataError, match="no sealed gold"):
        verify_season(tmp_path)


# The end.


def test_an_opened_season_can_be_printed_again_by_anybody(folder: Path) -> None:
    opened = reveal(folder, SEED)
    assert (opened / "seed.txt").read_text() == f"{SEED}\n"
    assert (opened / "gold.jsonl").read_bytes() == sealed_gold(folder, KEY)
    assert verify_season(folder) == []
    dataset = with_gold(read_season(folder).load(), opened / "gold.jsonl")
    assert gold_digest(dataset).startswith("sha256:")


def test_another_seed_is_refused_and_nothing_written(folder: Path) -> None:
    with pytest.raises(DataError) as caught:
        reveal(folder, "aa" * 16)
    assert [one.code for one in caught.value.findings] == ["seed-hash"]
    assert not (folder / "opened").exists()


def test_an_organiser_who_changed_the_gold_is_found_out(folder: Path) -> None:
    gold = sealed_gold(folder, KEY).replace(b'"okay"', b'"vital"', 1)
    reseal(folder, gold)
    assert verify_season(folder, KEY) == []
    with pytest.raises(DataError) as caught:
        reveal(folder, SEED)
    assert [one.code for one in caught.value.findings] == ["gold-hash"]
    assert not (folder / "opened").exists()


def test_an_organiser_who_changed_the_documents_is_found_out(folder: Path, tmp_path: Path) -> None:
    """The set is edited with its digest and the promise; only printing it again tells."""
    from argue_bench.loaders.core import data_digest

    path = folder / "topics" / "documents.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    lines[2] = lines[2].replace(b'"title":"', b'"title":"Oh ', 1)
    path.write_bytes(b"".join(lines))
    about = json.loads((folder / "topics" / "set.json").read_text())
    files = {
        n: (folder / "topics" / n).read_bytes() for n in ("documents.jsonl", "questions.jsonl")
    }
    about["digest"] = data_digest(files)
    (folder / "topics" / "set.json").write_text(json.dumps(about))
    promise(folder, set_digest=about["digest"])
    assert verify_season(folder, KEY) == []
    with pytest.raises(DataError) as caught:
        reveal(folder, SEED)
    (finding,) = caught.value.findings
    assert (finding.code, finding.file, finding.line) == ("not-as-printed", str(path), 3)


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("seed.txt", b"aa" * 16, "seed-hash"),
        ("seed.txt", b"no seed", "bad-seed"),
        ("gold.jsonl", b"{}\n", "gold-hash"),
        ("patterns.txt", b"== x en\n", "patterns-unknown"),
    ],
)
def test_what_was_opened_is_checked_too(folder: Path, name: str, content: bytes, code: str) -> None:
    (reveal(folder, SEED) / name).write_bytes(content)
    assert code in codes(folder)


def test_a_season_is_opened_once(folder: Path) -> None:
    reveal(folder, SEED)
    with pytest.raises(UsageError, match="already been revealed"):
        reveal(folder, SEED)


def test_private_patterns_are_promised_and_shown(tmp_path: Path) -> None:
    pack, other = tmp_path / "pack.txt", tmp_path / "other.txt"
    pack.write_text(PACK)
    other.write_text(PACK.replace("inhabitants", "people"))
    folder = tmp_path / "s"
    create_season(folder, SEED, SIZE, OPEN, pack=pack)
    sealed = read_season(folder).sealed
    assert sealed is not None
    assert sealed.patterns_sha256 == sha256(PACK.encode())
    for given, code in ((None, "patterns-missing"), (other, "patterns-hash")):
        with pytest.raises(DataError) as caught:
            reveal(folder, SEED, given)
        assert [one.code for one in caught.value.findings] == [code]
    opened = reveal(folder, SEED, pack)
    assert (opened / "patterns.txt").read_text() == PACK
    assert verify_season(folder) == []


def test_another_generator_is_named(folder: Path) -> None:
    promise(folder, generator="0")
    with pytest.raises(DataError, match="generator 0"):
        reveal(folder, SEED)


# Season 0.


def test_the_shipped_test_set_is_season_0(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = season_new.create_rehearsal(tmp_path / "s", workers=2)
    season = read_season(made.folder)
    assert (season.season, season.group, made.key) == ("season-0", "rehearsal", REHEARSAL_KEY)
    assert season.load().digest == load("core", "test").digest
    assert verify_season(made.folder, REHEARSAL_KEY) == []
