"""Patterns: what they become, what is refused and where, what a private pack replaces."""

from __future__ import annotations

from pathlib import Path

import pytest

from argue_bench.errors import DataError
from argue_bench.synthetic.domain import KEYS, domain
from argue_bench.synthetic.grammar import (
    FAMILIES,
    HELD_OUT,
    compile_pattern,
    expand,
    public_patterns,
)
from argue_bench.synthetic.printer import finish
from argue_bench.synthetic.stream import RandomStream
from argue_bench.synthetic.world import DEV_SEED, World


def test_choices_nest_and_slots_are_filled() -> None:
    parts = compile_pattern("{S} (rose|fell (fast|))!").parts
    said = {expand(parts, lambda slot: f"<{slot}>", RandomStream("c", i)) for i in range(60)}
    assert said == {"<S> rose!", "<S> fell fast!", "<S> fell !"}


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


def test_every_relation_has_every_english_family_and_four_french_ones() -> None:
    lines = public_patterns().lines
    for key in KEYS:
        for relation in (*domain(key).hub_relations, *domain(key).item_relations):
            section = f"{key}.{relation.key}"
            assert [f for f in FAMILIES if ("en", section, f) not in lines] == []
            assert [
                f for f in ("wire", "local", "ledger", "voice") if ("fr", section, f) not in lines
            ] == []


def test_half_of_the_families_can_be_held_out() -> None:
    assert len(HELD_OUT) * 2 == len(FAMILIES)
    assert set(HELD_OUT) < set(FAMILIES)


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
    with pytest.raises(DataError, match=message) as caught:
        World(DEV_SEED, "tiny", path)
    assert [(f.file, f.line) for f in caught.value.findings] == [(str(path), line)]


def test_all_findings_come_at_once(tmp_path: Path) -> None:
    path = pack(tmp_path, "== floods.evacuated en\nwire: no.\npoet: {v}.\nwire: {v} left {S}.\n")
    with pytest.raises(DataError) as caught:
        World(DEV_SEED, "tiny", path)
    assert [finding.line for finding in caught.value.findings] == [2, 3]


@pytest.mark.parametrize("content", [None, b"", b"# only a remark\n", b"\xff\xfe== x"])
def test_a_pack_that_is_none_is_an_error_not_a_traceback(
    tmp_path: Path, content: bytes | None
) -> None:
    path = tmp_path / "pack.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(DataError, match=r"pack\.txt"):
        World(DEV_SEED, "tiny", path)


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ("le prix de Orsk", "Le prix d'Orsk"),
        ("le coût de le pont Orsk", "Le coût du pont Orsk"),
        ("à le pont", "Au pont"),
        ("l'office de les Forges", "L'office des Forges"),
        ("à cause de des vivres avariés", "À cause de vivres avariés"),
        ("à cause de de nouvelles règles", "À cause de nouvelles règles"),
        ("à cause de une vanne", "À cause d'une vanne"),
        ("près de onze maisons", "Près de onze maisons"),
        ("parce que elle part", "Parce qu'elle part"),
        ("le nom de la ville", "Le nom de la ville"),
        ("« Oui », dit-il ; et vous ?", "«\u00a0Oui\u00a0», dit-il\u202f; et vous\u202f?"),
    ],
)
def test_french_elides_and_contracts(raw: str, said: str) -> None:
    assert finish(raw, "fr") == said
