"""What holds of every world: sameness, apartness, bounds, and provenance of every document."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from importlib.resources import files
from itertools import islice

import pytest

from tools.core_set.names import stop_words
from tools.core_set.scenario import Cell
from tools.core_set.topic import GeneratedTopic
from tools.core_set.world import DEV_SEED, TEST_SEED, World

SEED = "f0" * 16
_PRINT = (
    "import hashlib, sys\n"
    "from tools.core_set.world import World\n"
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


def test_hidden_cells_are_printed_nowhere(topics: list[GeneratedTopic]) -> None:
    for topic in topics:
        printed = {s.fact.id for page in topic.pages for p in page.sentences for s in p.facts}
        for id in topic.scenario.hidden:
            assert not printed & {fact.id for fact in topic.scenario.cells[id].facts}


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
    lines = (files("tools.core_set") / "stoplist.txt").read_text(encoding="utf-8").splitlines()
    real = {word for line in lines if not line.startswith("#") for word in line.split()}
    assert real < stop_words()
    for topic in topics:
        for page in topic.pages:
            names = re.findall(r"(?<=[\w,’'] )[A-ZÀ-Ý][\w-]+", f"{page.title} {page.prose}")
            inside = {name.lower() for name in names} & real - {"river"}
            assert names
            assert not inside, (page.id, inside)
