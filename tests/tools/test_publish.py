"""The embedded sets can be printed again, byte for byte; files appear whole or not at all."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from argue_bench.errors import DataError
from argue_bench.leaderboard.formats.season import read_season
from argue_bench.leaderboard.seasons.sealing import sealed_gold
from argue_bench.loaders.core import load_folder
from tests.leaderboard.boards import REHEARSAL_KEY
from tests.shared import ROOT
from tools.core_set import world as publish
from tools.core_set.__main__ import DATA, write_embedded
from tools.core_set.systems import write_demo
from tools.core_set.world import EMBEDDED, World, write_set

CORE = DATA / "core"
SEED = "3c" * 16


@pytest.mark.parametrize("split", ["dev", "test"])
def test_the_embedded_set_is_what_its_public_seed_prints(tmp_path: Path, split: str) -> None:
    write_embedded(tmp_path, split)
    shipped = sorted(path.name for path in (CORE / split).iterdir())
    assert sorted(path.name for path in tmp_path.iterdir()) == shipped
    for name in shipped:
        assert (tmp_path / name).read_bytes() == (CORE / split / name).read_bytes(), (
            f"{name} of core/{split} is not what the generator prints: run "
            "python -m tools.core_set embed, or give the generator a new version"
        )


def test_the_demo_holds_what_the_systems_of_known_quality_say(tmp_path: Path) -> None:
    write_demo(tmp_path, World(*EMBEDDED["dev"][:2]).topics())
    assert (tmp_path / "systems.jsonl").read_bytes() == (
        DATA / "demo" / "systems.jsonl"
    ).read_bytes()


def test_the_seed_of_season_0_prints_the_gold_that_its_board_seals(tmp_path: Path) -> None:
    seed, size, _ = EMBEDDED["test"]
    digest = write_set(World(seed, size), tmp_path, "test", tmp_path / "sealed.jsonl", workers=2)
    board = ROOT / "leaderboard-submissions"
    promised = read_season(board).sealed
    assert promised is not None
    assert promised["set_digest"] == digest
    assert sealed_gold(board, REHEARSAL_KEY) == (tmp_path / "sealed.jsonl").read_bytes()


def test_sizes_and_sealing_of_the_embedded_sets() -> None:
    dev, test = load_folder(CORE / "dev"), load_folder(CORE / "test")
    assert (len(dev), len(test)) == (80, 400)
    assert all(question.gold for question in dev)
    assert test.sealed
    assert not list((CORE / "test").glob("gold*"))
    packed = sum(
        len(zlib.compress(path.read_bytes()))
        for s in ("dev", "test")
        for path in (CORE / s).iterdir()
    )
    assert packed < 8_000_000


def test_what_is_written_loads_and_bears_its_digest(tmp_path: Path) -> None:
    digest = write_set(World(SEED, 5), tmp_path / "set", "dev", tmp_path / "set" / "gold.jsonl")
    loaded = load_folder(tmp_path / "set")
    assert loaded.digest == digest
    assert [question.id for question in loaded] == [t.id for t in World(SEED, 5).topics()]
    assert loaded[2] == World(SEED, 5).topic(2).question
    assert tuple(loaded.documents.values())[:3] == World(SEED, 5).topic(0).documents[:3]


def test_gold_may_lie_apart_and_then_is_no_part_of_the_digest(tmp_path: Path) -> None:
    apart = write_set(World(SEED, 5), tmp_path / "set", "test", tmp_path / "sealed.jsonl")
    none = write_set(World(SEED, 5), tmp_path / "other", "test")
    assert apart == none
    assert (tmp_path / "sealed.jsonl").read_bytes().count(b"\n") == 5
    assert load_folder(tmp_path / "set").sealed


def test_two_workers_print_the_bytes_of_one(tmp_path: Path) -> None:
    one = write_set(World(SEED, 19), tmp_path / "1", "dev", tmp_path / "1" / "gold.jsonl")
    two = write_set(World(SEED, 19), tmp_path / "2", "dev", tmp_path / "2" / "gold.jsonl", 2)
    assert one == two


def test_nothing_half_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_set(World(SEED, 2), tmp_path, "dev")
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    def burn(*_: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(publish, "_chunk", burn)
    with pytest.raises(KeyboardInterrupt):
        write_set(World(SEED, 3), tmp_path, "dev")
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(DataError, match="could not be written"):
        write_set(World(SEED, 1), tmp_path / "file" / "set", "dev")
