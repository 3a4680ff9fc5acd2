"""Answers on every data set that can be loaded: by each system without a model, and by a model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from argue_bench.baselines import BASELINES
from argue_bench.cli import main
from argue_bench.loaders import DATASETS, read_answers
from tests.baselines.shapes import Shape, shapes
from tests.models.server import ChatServer
from tests.retrieval.wiki_server import serving

NAMES = (
    "core",
    "fanoutqa",
    "trec",
    "alce-asqa",
    "alce-eli5",
    "alce-qampari",
    "luciole",
    "luciole-fr",
)
SETTINGS = ("closedbook", "openbook", "evidenceprovided")


@pytest.fixture
def sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Mapping[str, Shape]]:
    with serving() as wikipedia:
        monkeypatch.setenv("ARGUE_BENCH_CACHE", str(tmp_path / "cache"))
        monkeypatch.setenv("FANOUTQA_CACHE_DIR", str(tmp_path / "cache"))
        monkeypatch.setenv("ARGUE_BENCH_WIKIPEDIA", f"{wikipedia.url}/w/api.php")
        monkeypatch.delenv("DOC_LOOKUP", raising=False)
        yield shapes(tmp_path)


def generate(shape: Shape, setting: str, out: Path, *more: str) -> Result:
    arguments = [*shape.arguments, "--setting", setting, "--out", str(out), *more]
    return CliRunner().invoke(main, ["generate", *arguments])


def test_no_data_set_is_left_out(sets: Mapping[str, Shape]) -> None:
    # luciole-v1 is the same format under another address.
    assert {shape.on for shape in sets.values()} == set(DATASETS) - {"luciole-v1"}
    assert set(sets) == set(NAMES)


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("name", NAMES)
def test_systems_without_a_model(
    sets: Mapping[str, Shape], tmp_path: Path, name: str, setting: str
) -> None:
    shape = sets[name]
    for system in BASELINES:
        out = tmp_path / f"{system}.jsonl"
        done = generate(shape, setting, out, "--system", system)
        if setting not in shape.settings:
            assert done.exit_code == 2
            assert "--setting openbook" in done.output
            continue
        assert done.exit_code == 0, done.output
        dataset = shape.load()
        answers = read_answers(out, dataset)
        assert list(answers) == [question.id for question in dataset]
        assert all(answer.text.strip() for answer in answers.values())
        quotes = system != "stuffing" and setting != "closedbook"
        if name == "fanoutqa":  # pages are no documents of the set
            assert bool(re.search(r"\[[A-Z]", out.read_text())) == quotes
        else:
            cited = {id for a in answers.values() for s in a.sentences for id in s.citations}
            assert bool(cited) == quotes, answers
            assert all(id in dataset.documents for id in cited)


@pytest.mark.parametrize("name", NAMES)
def test_a_model(
    sets: Mapping[str, Shape], tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it cites by number is what the prompt numbered, in every setting."""
    shape = sets[name]
    with ChatServer(model=lambda body: "It is known since 1931 [1].") as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        for setting in shape.settings:
            out = tmp_path / f"{setting}.jsonl"
            done = generate(shape, setting, out, "--model", "server/m")
            assert done.exit_code == 0, done.output
            dataset = shape.load()
            answers = read_answers(out, dataset)
            assert list(answers) == [question.id for question in dataset]
            for question in dataset:
                assert any(question.text in str(body["messages"][-1]) for body in server.requests)
            if (
                setting != "closedbook"
                and dataset.documents
                and name not in ("luciole", "luciole-fr")
            ):
                cited = {id for a in answers.values() for s in a.sentences for id in s.citations}
                assert cited
                assert all(id in dataset.documents for id in cited)


SHOWN = {
    "fanoutqa": "Pat Burrell: 12",
    "trec": "When: 1931 [1]. Who: this cannot be found out.",
    "luciole": '<ref name="Garabit Viaduct">A railway bridge</ref>',
    "luciole-fr": '<ref name="Garabit">Un viaduc</ref>',
}
"""The demonstration for the first question of each set: what the gold of the second says."""


@pytest.mark.parametrize("name", SHOWN)
def test_demonstrations_are_made_of_the_gold_there_is(
    sets: Mapping[str, Shape], tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shape = sets[name]
    with ChatServer(model=lambda body: "It is known since 1931 [1].") as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        monkeypatch.setenv("ARGUE_BENCH_MAX_CONCURRENCY", "1")
        setting = "openbook" if name == "trec" else "evidenceprovided"
        done = generate(shape, setting, tmp_path / "a", "--model", "server/m", "--shot", "1")
        assert done.exit_code == 0, done.output
    first, second = shape.load()
    for body, asked, other in zip(server.requests, (first, second), (second, first), strict=True):
        _, demonstration, answer, question = body["messages"]
        assert [answer["role"], question["role"]] == ["assistant", "user"]
        assert asked.text in question["content"]
        assert other.text in demonstration["content"]
        assert asked.text not in demonstration["content"]
    assert server.requests[0]["messages"][2]["content"] == SHOWN[name]
    numbers = re.findall(r"\[(\d+)\]", SHOWN[name])
    assert all(f"Document [{n}]" in server.requests[0]["messages"][1]["content"] for n in numbers)


@pytest.mark.parametrize("name", ["alce-asqa", "alce-eli5", "alce-qampari"])
def test_answers_that_do_not_cite_teach_nobody_to_cite(
    sets: Mapping[str, Shape], tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARGUE_BENCH_BASE_URL", "http://127.0.0.1:9/v1")
    more = ("--model", "server/m", "--shot", "1", "--dry-run")
    done = generate(sets[name], "evidenceprovided", tmp_path / "a", *more)
    assert done.exit_code == 2
    assert "--prompt " in done.output
    assert "princeton-nlp/ALCE" in done.output


@pytest.mark.parametrize("setting", ["openbook", "evidenceprovided"])
def test_pages_of_wikipedia_are_not_shortened(
    sets: Mapping[str, Shape], tmp_path: Path, setting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARGUE_BENCH_BASE_URL", "http://127.0.0.1:9/v1")
    more = ("--model", "server/m", "--prompt", "alce-summary")
    done = generate(sets["fanoutqa"], setting, tmp_path / "a", *more)
    assert done.exit_code == 2, done.output
    assert "fanoutqa has no documents of its own" in done.output
