"""Our task inside each harness, as that harness runs it; skipped where the harness is not installed."""

from __future__ import annotations

import json
import math
import warnings
from pathlib import Path
from typing import Any

import pytest

from argue_bench.adapters.task import HarnessTask
from argue_bench.errors import NoGold
from argue_bench.eval import evaluate
from argue_bench.loaders import load
from tests.models.server import ChatServer

SAMPLE = load("core", "sample")
CITED = "Two of the three walls were complete on 31 December 2023 [1]. Nobody knows why [2]."


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARGUE_BENCH_CACHE", str(tmp_path))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_CACHE", str(tmp_path / "hf"))


def ours(metric: str) -> dict[str, float]:
    """What our own evaluation gives answers that read like `CITED`."""
    made = HarnessTask("core", "sample", metric=metric)
    answers = [{"id": q.id, "answer": made.answer(q.id, CITED)} for q in SAMPLE]
    scores = evaluate(SAMPLE, answers, [metric], resamples=0).scores
    return {name: scores[f"{metric}.{name}"].value or 0.0 for name in made.columns}


@pytest.mark.parametrize("metric", ["citations", "argue"])
def test_the_mean_of_single_replies_is_our_average(metric: str) -> None:
    made = HarnessTask("core", "sample", metric=metric)
    each = [made.score(question.id, CITED) for question in SAMPLE]
    for name, value in ours(metric).items():
        applies = [row[name] for row in each if not math.isnan(row[name])]
        assert sum(applies) / len(applies) == pytest.approx(value, abs=1e-9)


def test_a_sealed_split_is_refused() -> None:
    with pytest.raises(NoGold):
        HarnessTask("core", "test")


def test_inspect_ai(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("inspect_ai")
    warnings.simplefilter("ignore")  # what the harness and its packages warn of is theirs
    from inspect_ai import eval as run

    from argue_bench.adapters.inspect_task import argue_bench

    monkeypatch.setenv("ARGUE_API_KEY", "none")
    with ChatServer(model=lambda body: CITED) as server:
        monkeypatch.setenv("ARGUE_BASE_URL", server.url)
        (log,) = run(
            argue_bench("core", "sample", metric="citations"), model="openai-api/argue/m",
            display="none", log_format="json", log_dir=str(tmp_path),
        )  # fmt: skip
    assert log.status == "success", log.error
    found = {score.name: score.metrics for score in log.results.scores}
    for name, value in ours("citations").items():
        (metric,) = found[name].values()
        assert metric.value == pytest.approx(value, abs=1e-9)


def test_lighteval() -> None:
    pytest.importorskip("lighteval")
    warnings.simplefilter("ignore")
    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.lighteval_task import LightevalTask

    from argue_bench.adapters.lighteval_task import task

    config = task("core", "sample", metric="citations")
    made = LightevalTask(config)
    made.dataset = LightevalTask.download_dataset_worker(made)
    docs = made.eval_docs()
    assert [doc.specific["id"] for doc in docs] == [question.id for question in SAMPLE]
    assert "Document [1]" in docs[0].query
    (metric,) = config.metrics
    rows = [metric.compute_sample(doc=d, model_response=ModelResponse(text=[CITED])) for d in docs]
    corpus = metric.get_corpus_aggregations()
    for name, value in ours("citations").items():
        assert corpus[name]([row[name] for row in rows]) == pytest.approx(value, abs=1e-9)


def test_autojudge(tmp_path: Path) -> None:
    pytest.importorskip("nltk")
    warnings.simplefilter("ignore")
    try:
        autojudge_base = pytest.importorskip("autojudge_base")
    except LookupError:  # it wants data of nltk's the moment it is imported
        pytest.skip("autojudge_base is installed, but not nltk's stopwords and punkt")
    Report, Request = autojudge_base.Report, autojudge_base.Request

    from argue_bench.adapters.autojudge import ArgueBenchJudge

    def report(run: str, topic: str, text: str, *cited: str) -> Any:
        return Report.model_validate({
            "metadata": {"team_id": "t", "run_id": run, "topic_id": topic, "type": "automatic"},
            "responses": [{"text": text, "citations": list(cited)}],
        })  # fmt: skip

    first = SAMPLE[0]
    document = SAMPLE.documents[first.documents[0]]
    said = document.text.split("\n")[0].split(". ")[0] + "."
    topics = [Request(request_id=q.id, title="t") for q in SAMPLE[:2]]
    board = ArgueBenchJudge().judge(
        [report("good", first.id, said, document.id), report("bad", first.id, "No idea at all.", "D99")],
        topics, on="core", split="sample", metric="citations",
    )  # fmt: skip
    rows = {(entry.run_id, entry.topic_id): entry.values for entry in board.entries}
    good = evaluate(
        SAMPLE, [json.loads(report("good", first.id, said, document.id).model_dump_json(exclude_none=True))],
        ["citations"], only_answered=True, resamples=0,
    ).scores  # fmt: skip
    for name, value in rows["good", first.id].items():
        assert value == pytest.approx(good[f"citations.{name}"].value)
    assert rows["good", first.id] == rows["good", "all"]
