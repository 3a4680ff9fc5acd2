"""Our task inside each harness, by the harness's own command; skipped where it is not installed.

Each runs a whole evaluation in a process of its own, in an empty folder that must be empty afterwards.
"""

from __future__ import annotations

import json
import math
import os
import runpy
import subprocess
import sys
import venv
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from argue_bench.adapters.task import HarnessTask, macro_scores
from argue_bench.errors import NoGold, UnknownName, UsageError
from argue_bench.eval import evaluate
from argue_bench.loaders import load
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.rows import from_rows
from argue_bench.metrics import parse
from argue_bench.published.trec.topic_files import read_qrels, read_topics
from tests.models.server import ChatServer
from tests.shared import ROOT

SAMPLE = load("core", "sample")
TRUE = SAMPLE.documents[SAMPLE[0].documents[0]].text.split(". ")[0]
CITED = f"{TRUE} [1]. Two of the three walls were complete on 31 December 2023 [2]. Nobody knows."
Run = Callable[..., str]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a harness with all that it keeps under ``tmp_path``, and returns what it printed."""
    here = tmp_path / "here"
    here.mkdir()

    def ran(*command: str | Path, **variables: str) -> str:
        environment = {
            **os.environ,
            "ARGUE_BENCH_CACHE": str(tmp_path / "cache"),
            "HF_HUB_OFFLINE": "1",
            "HF_HOME": str(tmp_path / "hf"),
            "HOME": str(tmp_path),
            **variables,
        }
        done = subprocess.run(
            [sys.executable, *map(str, command)],
            cwd=here,
            env=environment,
            text=True,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert not list(here.iterdir()), "it left files where it was started"
        return done.stdout

    return ran


def ours(metric: str) -> dict[str, float]:
    """What our own evaluation gives answers that read like `CITED`."""
    made = HarnessTask("core", "sample", metric=metric)
    answers = [{"id": q.id, "answer": made.answer(q.id, CITED)} for q in SAMPLE]
    scores = evaluate(SAMPLE, answers, [metric]).scores
    found = {name: scores[f"{metric}.{name}"].value or 0.0 for name in made.columns}
    assert any(0 < value < 1 for value in found.values()), "nothing to compare"
    return found


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
    with pytest.raises(UnknownName, match="openbook"):
        HarnessTask("core", "sample", setting="open-book")


def test_a_metric_without_a_mean_over_questions_is_refused() -> None:
    with pytest.raises(UsageError, match="no score of mauve is a mean"):
        macro_scores(parse("mauve"))


@pytest.mark.skipif(not find_spec("inspect_ai"), reason="needs argue-bench[inspect]")
def test_inspect_ai(run: Run, tmp_path: Path) -> None:
    metric = "citations"
    with ChatServer(model=lambda body: CITED) as server:
        run(
            "-m",
            "inspect_ai",
            "eval",
            "argue_bench/argue_bench",
            "-T",
            "split=sample",
            "-T",
            f"metric={metric}",
            "--model",
            "openai-api/argue-bench/m",
            "--display",
            "none",
            "--log-format",
            "json",
            "--log-dir",
            tmp_path / "log",
            ARGUE_BENCH_API_KEY="none",
            ARGUE_BENCH_BASE_URL=server.url,
        )
        assert server.count == len(SAMPLE)
    (file,) = (tmp_path / "log").glob("*.json")
    log = json.loads(file.read_text())
    assert log["status"] == "success", log["error"]
    found = {one["name"]: one["metrics"] for one in log["results"]["scores"]}
    for name, value in ours(metric).items():
        (mean,) = found[name].values()
        assert mean["value"] == pytest.approx(value, abs=1e-9)


@pytest.mark.skipif(not find_spec("lighteval"), reason="needs argue-bench[lighteval]")
def test_lighteval(run: Run, tmp_path: Path) -> None:
    metric = "argue"
    from tests.adapters.parrot import parrot

    model = parrot(tmp_path / "model", CITED)
    tasks = tmp_path / "tasks.py"
    tasks.write_text(
        "from argue_bench.adapters.lighteval_task import task\n"
        f"TASKS_TABLE = [task('core', 'sample', metric={metric!r})]\n"
    )
    run(
        Path(__file__).with_name("lighteval_offline.py"),
        "accelerate",
        f"model_name={model},max_length=8192,batch_size=4,device=cpu",
        "argue_bench:core|0",
        "--custom-tasks",
        tasks,
        "--output-dir",
        tmp_path / "out",
    )
    (file,) = (tmp_path / "out").rglob("results_*.json")
    found = json.loads(file.read_text())["results"]["argue_bench:core|0"]
    for name, value in ours(metric).items():
        assert found[name] == pytest.approx(value, abs=1e-9)


WORKFLOW = """\
judge_class: argue_bench.adapters.autojudge.ArgueBenchJudge
create_nuggets: false
create_qrels: false
judge_settings: {dataset: core, split: sample, metric: citations}
"""


def report(run: str, topic: str, text: str, *cited: str) -> dict[str, Any]:
    return {
        "metadata": {"team_id": "t", "run_id": run, "topic_id": topic, "type": "automatic"},
        "responses": [{"text": text, "citations": list(cited)}],
    }


def autojudge(
    run: Run, folder: Path, workflow: str, *more: str, on: Dataset = SAMPLE, length: int = 1
) -> None:
    """Runs the package on two runs, into ``folder``/out; the good one has so many sentences of a document."""
    good, bad = [], []
    for question in on:
        document = SAMPLE.documents[question.documents[0]]
        first = ". ".join(document.text.split(". ")[:length]) + "."
        good.append(report("good", question.id, first, document.id))
        bad.append(report("bad", question.id, "No idea at all.", "D99"))
    for name, rows in (("good", good), ("bad", bad)):
        _write(folder / "runs" / name, rows)
    topics = [
        {"request_id": q.id, "title": q.text, "problem_statement": q.text, "background": "-"}
        for q in on
    ]
    _write(folder / "topics.jsonl", topics)
    (folder / "workflow.yml").write_text(workflow)
    # The package reads two of nltk's data sets as it is imported, and uses neither for reports.
    (folder / "nltk" / "tokenizers" / "punkt").mkdir(parents=True)
    _write(folder / "nltk" / "corpora" / "stopwords" / "english", ["the"])
    words = ("--workflow", folder / "workflow.yml", "--rag-responses", folder / "runs")
    words += ("--rag-topics", folder / "topics.jsonl", "--out-dir", folder / "out", *more)
    run("-m", "autojudge_base.cli", "run", *words, NLTK_DATA=str(folder / "nltk"))


def rows_of(folder: Path) -> dict[tuple[str, str, str], float]:
    (file,) = (folder / "out").glob("*.eval.txt")
    rows = [line.split("\t") for line in file.read_text().splitlines()]
    return {(system, topic, name): float(value) for system, topic, name, value in rows}


@pytest.mark.skipif(not find_spec("autojudge_base"), reason="needs argue-bench[autojudge]")
def test_autojudge(run: Run, tmp_path: Path) -> None:
    autojudge(run, tmp_path, WORKFLOW)
    found = rows_of(tmp_path)
    for system in ("good", "bad"):
        lines = (tmp_path / "runs" / system).read_text().splitlines()
        expected = evaluate(SAMPLE, map(json.loads, lines), ["citations"]).scores
        for name in ("recall", "precision"):
            value = found[system, "all", name]
            assert value == pytest.approx(expected[f"citations.{name}"].value, abs=1e-9)
    assert found["good", "all", "recall"] > found["bad", "all", "recall"]


@pytest.mark.skipif(not find_spec("autojudge_base"), reason="needs argue-bench[autojudge]")
def test_autojudge_with_nuggets_and_grades_of_ours(run: Run, tmp_path: Path) -> None:
    """All three phases on the run's own topics: the package itself checks and writes what we made."""
    workflow = WORKFLOW.replace("false", "true").replace(
        "{dataset: core, split: sample, metric: citations}", "{metric: argue}"
    )
    documents = [{"id": one.id, "text": one.text} for one in SAMPLE.documents.values()]
    _write(tmp_path / "corpus.jsonl", documents)
    autojudge(
        run,
        tmp_path,
        workflow,
        "--corpus",
        str(tmp_path / "corpus.jsonl"),
        on=SAMPLE[:2],
        length=99,
    )
    (banks,) = (tmp_path / "out").glob("*.nuggets.jsonl")
    topics, _ = read_topics(banks)
    assert topics.keys() == SAMPLE[:2].by_id.keys()
    assert all(topic.nuggets for topic in topics.values())
    (grades,) = (tmp_path / "out").glob("*.qrels*")
    assert read_qrels(grades).keys() == SAMPLE[:2].by_id.keys()
    found = rows_of(tmp_path)
    assert found["good", "all", "f1"] > found["bad", "all", "f1"]


def _write(path: Path, rows: list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
    path.write_text(text + "\n")


_OWN_TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.solver import generate

from argue_bench.adapters.inspect import scorer


@task
def own():
    samples = [
        Sample(
            id="one",
            input="How long is the bridge?",
            target="The bridge is 412 m long.",
            metadata={"contexts": ["The bridge is 412 m long."], "question": "another"},
        ),
        Sample(id="two", input="Who designed it?", metadata={"contexts": ["It is long."]}),
    ]
    scorers = [scorer("faithfulness"), scorer("context_recall")]
    return Task(MemoryDataset(samples), solver=generate(), scorer=scorers)
"""


OWN_ROWS: list[dict[str, Any]] = [
    {
        "question": "How long is the bridge?",
        "contexts": ["The bridge is 412 m long.", "It opened in 1932."],
        "answer": "The bridge is 412 m long. It was painted red in 1990. It opened in 1936.",
    },
    {
        "question": "When did it open?",
        "contexts": ["It opened in 1932."],
        "answer": "It opened in 1932.",
    },
    {"question": "Who designed it?", "contexts": ["It is long."], "answer": "I do not know."},
    {
        "question": "橋の長さは?",
        "contexts": ["橋は長い。"],
        "answer": "橋の長さは412メートルです。",
    },
]


def check_own_rows(found: list[float | None]) -> None:
    """The harness' mean over rows to which the score applies is our own; the last two have none."""
    ours = evaluate(*from_rows(OWN_ROWS), ["faithfulness"]).scores["faithfulness.supported"]
    assert found[2:] == [None, None]
    assert sum(one or 0 for one in found) / 2 == pytest.approx(ours.value, abs=1e-9)
    assert 0 < (found[0] or 0) < (found[1] or 0) == 1


def test_promptfoos_assertion(tmp_path: Path) -> None:
    """promptfoo's wrapper imports the file, calls ``get_assert(output, context)`` and reads its result as JSON."""
    (tmp_path / "assert.py").write_text("from argue_bench.adapters.promptfoo import get_assert\n")
    called = runpy.run_path(str(tmp_path / "assert.py"))["get_assert"]
    results = []
    for row in OWN_ROWS:
        context = {
            "prompt": row["question"],
            "vars": {"context": row["contexts"]},
            "config": {"threshold": 0.9, "columns": {"contexts": "context"}},
        }
        result = called(row["answer"], context)
        results.append(json.loads(json.dumps(result, allow_nan=False)))
    check_own_rows([one["namedScores"].get("faithfulness.supported") for one in results])
    assert [one["pass"] for one in results] == [False, True, True, True]
    assert [one["score"] for one in results[1:]] == [1, 1, 1]
    assert "It was painted red in 1990." in results[0]["reason"]
    assert called({"a": 1}, {"vars": {"question": "Q?", "contexts": ['{"a": 1}']}})["score"] == 1
    with pytest.raises(UsageError, match="config has no thresold"):
        called("It is red.", {"vars": {}, "config": {"thresold": 1}})


_DEEPEVAL = """
import json, sys
from deepeval import evaluate
from deepeval.evaluate import AsyncConfig, DisplayConfig
from deepeval.test_case import LLMTestCase
from argue_bench.adapters.deepeval import ArgueBenchMetric

rows = json.load(sys.stdin)
cases = [
    LLMTestCase(name=str(at), input=row["question"], actual_output=row["answer"], retrieval_context=row["contexts"])
    for at, row in enumerate(rows)
]
for together in (True, False):
    done = evaluate(
        cases, [ArgueBenchMetric("faithfulness", threshold=0.9)], async_config=AsyncConfig(run_async=together),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
    )
    found = sorted((one.name, *((m.score, m.success, m.reason) for m in one.metrics_data)) for one in done.test_results)
    print("FOUND" + json.dumps([one[1] for one in found]))
"""


@pytest.mark.release
def test_deepeval(tmp_path: Path) -> None:
    """In an environment of its own: deepeval wants an older click, and brings plugins of pytest."""
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    pip = [python, "-m", "pip", "install", "--quiet", "deepeval==4.3.1"]
    if subprocess.run(pip, capture_output=True, check=False).returncode:
        pytest.skip("deepeval 4.3.1 could not be installed")
    (packages,) = (tmp_path / "venv" / "lib").glob("python3*/site-packages")
    # What argue-bench needs is found behind what deepeval brought.
    behind = [str(ROOT), *(one for one in sys.path if one.endswith("site-packages"))]
    (packages / "behind.pth").write_text("\n".join(behind))
    quiet = {**os.environ, "DEEPEVAL_TELEMETRY_OPT_OUT": "YES", "HOME": str(tmp_path)}
    done = subprocess.run(
        [python, "-c", _DEEPEVAL],
        input=json.dumps(OWN_ROWS),
        cwd=tmp_path,
        env=quiet,
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    told = [line for line in done.stdout.splitlines() if line.startswith("FOUND")]
    assert len(told) == 2
    for results in map(json.loads, (line.removeprefix("FOUND") for line in told)):
        check_own_rows([score for score, _, _ in results])
        assert [success for _, success, _ in results] == [False, True, None, None]
        assert "It was painted red in 1990." in results[0][2]


@pytest.mark.skipif(not find_spec("inspect_ai"), reason="needs argue-bench[inspect]")
def test_the_scorer_works_on_anybodys_task(run: Run, tmp_path: Path) -> None:
    """One reply states a thing too much, the other declines, and has no target."""
    (tmp_path / "own.py").write_text(_OWN_TASK)

    def model(body: dict[str, Any]) -> str:
        if "designed" in str(body["messages"]):
            return "I don't have information about that."
        return "The bridge is 412 m long. It was painted red in 1990."

    with ChatServer(model=model) as server:
        run(
            "-m",
            "inspect_ai",
            "eval",
            "../own.py",  # inspect knows relative paths alone
            "--model",
            "openai-api/argue-bench/m",
            "--display",
            "none",
            "--log-format",
            "json",
            "--log-dir",
            tmp_path / "log",
            ARGUE_BENCH_API_KEY="none",
            ARGUE_BENCH_BASE_URL=server.url,
        )
    (file,) = (tmp_path / "log").glob("*.json")
    log = json.loads(file.read_text())
    assert log["status"] == "success", log["error"]
    found = {one["name"]: one["metrics"] for one in log["results"]["scores"]}
    means = {name: next(iter(one.values()))["value"] for name, one in found.items() if one}
    assert means == {"supported": 0.5, "answered": 0.5, "recall": 1.0}
    scores = {one["id"]: one["scores"]["faithfulness"] for one in log["samples"]}
    assert scores["one"]["metadata"]["failed_sentences"][0]["text"] == "It was painted red in 1990."
    assert "nothing in the contexts supports it" in scores["one"]["explanation"]
