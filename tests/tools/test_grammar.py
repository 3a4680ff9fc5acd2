"""Patterns: what they become, what is refused and where, what a private pack replaces."""

from __future__ import annotations

from pathlib import Path

import pytest

from argue_bench.errors import UsageError
from tools.core_set.grammar import compile_pattern, public_patterns
from tools.core_set.world import DEV_SEED, World


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("{S} (a|b", "not closed"),
        ("{S} a|b", "stray"),
        ("{S} a)", "stray"),
        ("{nothing} a", "no slot"),
        ("{S a", "stray"),
        ("{S} [a", "square brackets"),
        ("{S} ]a[", "square brackets"),
    ],
)
def test_what_is_no_pattern_says_why(source: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        compile_pattern(source)


def pack(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "private.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_pack_replaces_its_families_and_changes_the_world(tmp_path: Path) -> None:
    path = pack(
        tmp_path,
        "# ours\n== floods.evacuated en\n"
        "wire: PRIVATE {v} souls left {S}.\nledger: PRIVATE {S}, {v} gone.\n",
    )
    world = World(DEV_SEED, "small", path)
    key = ("en", "floods.evacuated", "wire")
    assert [p.source for p in world.patterns.lines[key]] == ["PRIVATE {v} souls left {S}."]
    local = ("en", "floods.evacuated", "local")
    assert world.patterns.lines[local] == public_patterns().lines[local]
    public = World(DEV_SEED, "small")
    assert public.topic(0).id != world.topic(0).id
    texts = [page.text for i in range(30) for page in world.topic(i).pages]
    assert any("PRIVATE" in text for text in texts)
    assert len(world.patterns.digest) == 64


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("== floods.evacuated en\nwire: {v} left {S} (by boat.\n", 2, "not closed"),
        ("== floods.evacuated en\n\nwire: all left {S}.\n", 3, "lacks {v}"),
        ("== floods.evacuated en\nwire: {v} left.\n", 2, "lacks {S}"),
        ("== floods.evacuated en\npoet: {v} left {S}.\n", 2, "no family 'poet'"),
        ("== floods.evacuated\nwire: {v} left {S}.\n", 1, "language"),
        ("== floods.evacuated de\nwire: {v} left {S}.\n", 1, "language"),
        ("# a\n== floods.drowned en\nwire: {v} left {S}.\n", 2, "no section"),
        ("wire: {v} left {S}.\n", 1, "before any section"),
        ("==\nwire: {v} left {S}.\n", 1, "head can't be read"),
        ("== floods.evacuated.round en\nwire: {v} left {S}.\n", 2, "square brackets|lacks"),
    ],
)
def test_what_is_wrong_in_a_pack_is_told_with_file_and_line(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    path = pack(tmp_path, text)
    with pytest.raises(UsageError, match=message) as caught:
        World(DEV_SEED, "tiny", path)
    (said,) = str(caught.value).splitlines()
    assert said.startswith(f"{path}, line {line}: ")


def test_all_findings_come_at_once(tmp_path: Path) -> None:
    path = pack(tmp_path, "== floods.evacuated en\nwire: no.\npoet: {v}.\nwire: {v} left {S}.\n")
    with pytest.raises(UsageError) as caught:
        World(DEV_SEED, "tiny", path)
    assert [line.split(": ")[0][-1] for line in str(caught.value).splitlines()] == ["2", "3"]


@pytest.mark.parametrize("content", [None, b"", b"# only a remark\n", b"\xff\xfe== x"])
def test_a_pack_that_is_none_is_an_error_not_a_traceback(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "pack.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=r"pack\.txt"):
        World(DEV_SEED, "tiny", path)
