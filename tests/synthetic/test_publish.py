"""The embedded sets can be printed again, byte for byte; files appear whole or not at all."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

import argue_bench
from argue_bench.errors import DataError
from argue_bench.loaders.core import load_folder
from argue_bench.synthetic import world as publish
from argue_bench.synthetic.world import World, write_set
from benchmarks.world import write_embedded

CORE = Path(argue_bench.__file__).parent / "data" / "core"
SEED = "3c" * 16


@pytest.mark.parametrize("split", ["dev", "test"])
def test_the_embedded_set_is_what_its_public_seed_prints(tmp_path: Path, split: str) -> None:
    write_embedded(tmp_path, split)
    shipped = sorted(path.name for path in (CORE / split).iterdir())
    assert sorted(path.name for path in tmp_path.iterdir()) == shipped
    for name in shipped:
        assert (tmp_path / name).read_bytes() == (CORE / split / name).read_bytes(), (
            f"{name} of core/{split} is not what the generator prints: run "
            "python benchmarks/world.py --embed, or give the generator a new version"
        )


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
