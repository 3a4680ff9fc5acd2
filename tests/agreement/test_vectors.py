"""The finder of vectors: which folder counts, and what a missing one leaves behind."""

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


def test_a_missing_source_is_one_skipped_test(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARGUE_BENCH_VECTORS", str(tmp_path))
    (only,) = vectors.parameters("fanoutqa", "edge_cases.json", _lines)
    assert only.marks[0].name == "skip"
    assert "no fanoutqa/edge_cases.json" in only.marks[0].kwargs["reason"]


def test_our_copies_stand_before_the_shared_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("ARGUE_BENCH_VECTORS", raising=False)
    monkeypatch.setattr(vectors, "OWN", tmp_path / "own")
    monkeypatch.setattr(vectors, "SHARED", tmp_path / "shared")
    ours, theirs = tmp_path / "own" / "f", tmp_path / "shared" / "vectors" / "f"
    for place in (ours, theirs):
        place.mkdir(parents=True)
        (place / "both.json").write_text("{}")
    (theirs / "theirs.json").write_text("{}")
    assert vectors.files("f", "*.json") == [ours / "both.json", theirs / "theirs.json"]
