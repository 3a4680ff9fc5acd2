"""The finder of vectors: which folder counts, and what happens where a source is missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agreement import vectors


def _lines(path: Path) -> list[tuple[str, str]]:
    return [(f"{path.stem}-{n}", line) for n, line in enumerate(path.read_text().split())]


def test_a_named_folder_replaces_both_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARGUE_BENCH_VECTORS", str(tmp_path))
    (tmp_path / "alce").mkdir()
    (tmp_path / "alce" / "any_name.txt").write_text("one two")
    found = vectors.parameters("alce", "*.txt", _lines)
    assert [param.id for param in found] == ["any_name-0", "any_name-1"]
    assert vectors.files("alce", "cases.json") == []


def _two_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Path, Path]:
    monkeypatch.delenv("ARGUE_BENCH_VECTORS", raising=False)
    monkeypatch.setattr(vectors, "OWN", tmp_path / "own")
    monkeypatch.setattr(vectors, "SHARED", tmp_path / "shared")
    ours, theirs = tmp_path / "own" / "f", tmp_path / "shared" / "vectors" / "f"
    ours.mkdir(parents=True)
    theirs.mkdir(parents=True)
    return ours, theirs


def test_a_case_of_ours_goes_before_the_shared_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = _two_folders(tmp_path, monkeypatch)
    (ours / "both.txt").write_text("one")
    (theirs / "both.txt").write_text("two three")
    (theirs / "theirs.txt").write_text("four")
    found = vectors.parameters("f", "*.txt", _lines)
    assert [(param.id, param.values[0]) for param in found] == [
        ("both-0", "one"),
        ("both-1", "three"),
        ("theirs-0", "four"),
    ]
