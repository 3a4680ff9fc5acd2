"""What holds of every world: sameness, apartness, bounds, and provenance of every document."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections import Counter
from importlib.resources import files
from itertools import islice

import pytest

from argue_bench.synthetic.assignment import KINDS
from argue_bench.synthetic.grammar import FAMILIES
from argue_bench.synthetic.names import stop_words
from argue_bench.synthetic.scenario import Cell
from argue_bench.synthetic.topic import GeneratedTopic
from argue_bench.synthetic.values import Day, ProperName
from argue_bench.synthetic.world import DEV_SEED, TEST_SEED, World

SEED = "f0" * 16
_PRINT = (
    "import hashlib, sys\n"
    "from argue_bench.synthetic.world import World\n"
    "h = hashlib.sha256()\n"
    "for topic in World(sys.argv[1], 'tiny').topics():\n"
    "    h.update(repr((topic.question, topic.documents)).encode())\n"
    "print(h.hexdigest())\n"
)


@pytest.fixture(scope="module")
def topics() -> list[GeneratedTopic]:
    return list(World(SEED, 64).topics())


def cells(topic: GeneratedTopic) -> list[Cell]:
    return [cell for cell in topic.scenario.cells.values() if cell.id not in topic.scenario.hidden]


def test_the_same_bytes_whatever_the_hash_seed() -> None:
    said = set()
    for value in ("0", "1", "4242"):
        run = subprocess.run(
            [sys.executable, "-W", "error", "-c", _PRINT, SEED],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": value},
        )
        said.add(run.stdout)
    here = hashlib.sha256()
    for topic in World(SEED, "tiny").topics():
        here.update(repr((topic.question, topic.documents)).encode())
    assert said == {here.hexdigest() + "\n"}


def test_a_topic_does_not_depend_on_those_before_it() -> None:
    in_order = list(islice(World(SEED, "small").topics(), 4))[3]
    assert World(SEED, "small").topic(3).documents == in_order.documents


@pytest.mark.parametrize(
    "other", [World(SEED, "small"), World(SEED, 9), World("0f" * 16, "tiny"), World(SEED, 8)]
)
def test_no_world_is_a_prefix_of_another(other: World) -> None:
    mine, others = list(World(SEED, "tiny").topics()), list(islice(other.topics(), 8))
    assert not {t.id for t in mine} & {t.id for t in others}
    assert not {t.scenario.hub.full["en"] for t in mine} & {
        t.scenario.hub.full["en"] for t in others
    }
    assert not {d.id for t in mine for d in t.documents} & {
        d.id for t in others for d in t.documents
    }
    assert World(SEED, "tiny").canary != other.canary


def test_dev_and_test_share_no_topic() -> None:
    dev = {topic.scenario.hub.full["en"] for topic in islice(World(DEV_SEED, "small").topics(), 40)}
    test = {
        topic.scenario.hub.full["en"] for topic in islice(World(TEST_SEED, "large").topics(), 40)
    }
    assert not dev & test


def test_documents_have_120_to_400_words_and_a_canary(topics: list[GeneratedTopic]) -> None:
    canary = World(SEED, 64).canary
    for topic in topics:
        for page in topic.pages:
            assert 120 <= len(page.prose.split()) <= 400, page.prose
            assert page.text.endswith(canary)
            assert page.title


def test_ids_are_unique_and_citable(topics: list[GeneratedTopic]) -> None:
    ids = [page.id for topic in topics for page in topic.pages]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z][a-z0-9]{9}", id) for id in ids)


def test_all_kinds_families_languages_and_domains_occur(topics: list[GeneratedTopic]) -> None:
    pages = [page for topic in topics for page in topic.pages]
    assert {page.kind for page in pages} == {*KINDS, "nothing"}
    assert {page.language for page in pages} == {"en", "fr"}
    assert {p.role for p in pages} == {
        "evidence",
        "duplicate",
        "no answer",
        "namesake",
        "neighbour",
    }
    said = Counter(s.family for page in pages for s in page.sentences if s.facts)
    assert set(said) == set(FAMILIES)
    assert {topic.scenario.domain.key for topic in topics} == {
        "floods",
        "elections",
        "mergers",
        "trials",
        "bridges",
        "finals",
        "expeditions",
        "courts",
    }
    assert {topic.languages for topic in topics} == {"en", "fr", "mixed"}


def test_even_the_smallest_size_has_every_domain() -> None:
    assert len({topic.scenario.domain.key for topic in World(SEED, "tiny").topics()}) == 8


def test_topics_in_french_have_their_evidence_in_french_alone(topics: list[GeneratedTopic]) -> None:
    for topic in topics:
        if topic.languages == "fr":
            told = {p.language for p in topic.pages if p.role in {"evidence", "duplicate"}}
            assert told == {"fr"}
            assert topic.question.language == "en"


def test_each_fact_stands_in_one_to_four_documents_and_their_copies(
    topics: list[GeneratedTopic],
) -> None:
    for topic in topics:
        for cell in cells(topic):
            for fact in cell.facts:
                pages = [
                    page
                    for page in topic.pages
                    if page.role == "evidence"
                    and any(s.fact == fact for said in page.sentences for s in said.facts)
                ]
                assert 1 <= len(pages) <= 4, (cell.id, len(pages))


def test_hidden_cells_are_printed_nowhere(topics: list[GeneratedTopic]) -> None:
    for topic in topics:
        printed = {s.fact.id for page in topic.pages for p in page.sentences for s in p.facts}
        for id in topic.scenario.hidden:
            assert not printed & {fact.id for fact in topic.scenario.cells[id].facts}


def test_no_document_reports_a_day_that_is_to_come(topics: list[GeneratedTopic]) -> None:
    for topic in topics:
        for page in topic.pages:
            for said in page.sentences:
                for stated in said.facts:
                    if isinstance(stated.fact.value, Day):
                        assert stated.fact.value.day <= page.day


def test_superseded_figures_come_first_and_are_then_corrected(topics: list[GeneratedTopic]) -> None:
    seen = 0
    for topic in topics:
        for cell in cells(topic):
            if not cell.old:
                continue
            old = [p.day for p in topic.pages if _states(p.sentences, cell.old)]
            new = [p.day for p in topic.pages if _states(p.sentences, cell.fact)]
            corrected = [
                p
                for p in topic.pages
                for said in p.sentences
                if said.role == "correction" and said.facts[0].fact == cell.fact
            ]
            assert corrected
            if old:
                seen += 1
                assert min(old) < min(new)
    assert seen > 20


def _states(sentences: object, fact: object) -> bool:
    return any(s.fact == fact for said in sentences for s in said.facts)  # type: ignore[attr-defined]


def test_no_real_place_of_the_stop_list_occurs_in_any_text(topics: list[GeneratedTopic]) -> None:
    lines = (
        (files("argue_bench.synthetic") / "stoplist.txt").read_text(encoding="utf-8").splitlines()
    )
    real = {word for line in lines if not line.startswith("#") for word in line.split()}
    assert real < stop_words()
    for topic in topics:
        for page in topic.pages:
            names = re.findall(r"(?<=[\w,’'] )[A-ZÀ-Ý][\w-]+", f"{page.title} {page.prose}")
            inside = {name.lower() for name in names} & real - {"river"}
            assert names
            assert not inside, (page.id, inside)


def test_no_name_is_a_word_that_somebody_has_written_before(topics: list[GeneratedTopic]) -> None:
    looked = 0
    for topic in topics:
        for scenario in {id(page.scenario): page.scenario for page in topic.pages}.values():
            names = [scenario.stem, *scenario.places, *(name for name, _ in scenario.speakers)]
            names += [
                fact.value.full
                for cell in scenario.cells.values()
                for fact in cell.facts
                if isinstance(fact.value, ProperName)
                and cell.relation.kind.endswith(("place", "person"))
            ]
            words = {word.lower() for name in names for word in name.split()}
            looked += len(words)
            assert not words & stop_words()
    assert looked > 2000


def test_text_has_no_scars_of_its_making(topics: list[GeneratedTopic]) -> None:
    """Unfilled slots, doubled blanks or words, uncontracted French, sentences without a capital."""
    scars = re.compile(r"[{}|\[\]~]|  | ,|\.\.|\b(\w+) (?!nous|vous)\1\b|(?<!\d) \.")
    french = re.compile(
        rf"\b(?:de|à) les? |\b(?:[dq]|qu)e [{'aeiouéèê'}]|\bde des\b", re.IGNORECASE
    )
    for topic in topics:
        for page in topic.pages:
            assert not scars.search(page.prose), scars.findall(page.prose)
            if page.language == "fr":
                assert not french.search(page.prose), french.findall(page.prose)
            for said in page.sentences:
                assert re.match(r"\W*[\dA-ZÀ-ÝŒ]", said.text), said.text


def test_near_duplicates_repeat_most_of_another_document(topics: list[GeneratedTopic]) -> None:
    for topic in topics:
        (copy,) = [page for page in topic.pages if page.role == "duplicate"]
        mine = {said.text for said in copy.sentences}
        best = max(
            len(mine & {said.text for said in page.sentences})
            for page in topic.pages
            if page is not copy
        )
        assert best * 3 >= len(mine) * 2


def test_a_namesake_shares_a_name_and_no_fact(topics: list[GeneratedTopic]) -> None:
    shared = 0
    for topic in topics:
        names = {item.full["en"] for item in topic.scenario.items}
        mine = {fact.id for cell in topic.scenario.cells.values() for fact in cell.facts}
        for page in topic.pages:
            if page.role in {"namesake", "neighbour"}:
                assert page.scenario.hub.full != topic.scenario.hub.full
                assert not mine & {s.fact.id for said in page.sentences for s in said.facts}
            if page.role == "namesake":
                shared += bool(names & {item.full["en"] for item in page.scenario.items})
    assert shared > 50
