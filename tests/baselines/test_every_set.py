"""Answers of a model on every data set that can be loaded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from argue_bench.cli import main
from argue_bench.loaders import DATASETS, read_answers
from tests.baselines.shapes import Shape, shapes
from tests.models.server import ChatServer
from tests.published.fanoutqa.wiki_server import serving

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
