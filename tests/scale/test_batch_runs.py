"""``evaluate --batch``: the same run file as online, and nothing asked twice."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from argue_bench.store import Store
from tests.models.batch_server import BatchServer, MessageBatchServer
from tests.models.server import ChatServer
from tests.shared import ROOT

SAMPLE = ROOT / "argue_bench/data/core/sample-runs/careless.jsonl"
ANSWERS = 3
METRICS = ("-m", "argue", "-m", "citations")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the answers, and ``online``: the run file of the same judge asked one by one."""
    folder = tmp_path_factory.mktemp("batches")
    lines = SAMPLE.read_text().splitlines(keepends=True)[:ANSWERS]
    (folder / "answers.jsonl").write_text("".join(lines))
    with ChatServer() as server:
        done = evaluate(folder, server.url, "run")
    assert done.returncode == 0, done.stderr
    (folder / "run").rename(folder / "online")
    (folder / "run.verdicts").rename(folder / "online.verdicts")
    return folder


def command(folder: Path, out: str, *words: str) -> list[str]:
    return [
        *(sys.executable, "-m", "argue_bench", "evaluate", str(folder / "answers.jsonl")),
        *("--dataset", "core", "--split", "sample", "--only-answered", *METRICS),
        *("--judge", "openai/", "--out", str(folder / out), *words),
    ]


def settings(url: str) -> dict[str, str]:
    mine = {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "k", "ARGUE_BENCH_BATCH_SECONDS": "0.01"}
    return {**os.environ, **mine}


def evaluate(folder: Path, url: str, out: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(folder, out, *words),
        env=settings(url),
        cwd=folder,
        text=True,
        capture_output=True,
        timeout=300,
    )


def same_run(folder: Path, out: str) -> bool:
    """Whether a run file has the bytes of the one that was made online, but for the names of its store and
    of the server, which has another port."""
    online, batched = (
        re.sub(r"127\.0\.0\.1:\d+", "server", (folder / name).read_text())
        for name in ("online", out)
    )
    return batched.replace(f"{out}.verdicts", "run.verdicts") == online


def paid_once(server: BatchServer) -> bool:
    return set(server.asked.values()) == {1}


def test_a_run_in_batches_is_the_run_that_was_made_online(folder: Path) -> None:
    with BatchServer() as server:
        done = evaluate(folder, server.url, "plain", "--batch", "--budget", "1")
        assert done.returncode == 0, done.stderr
        assert same_run(folder, "plain")
        assert paid_once(server)
        # The first round, then what depends on its verdicts.
        assert 2 <= len(server.batches) <= 4
        assert "in_progress" in done.stderr
        again = evaluate(folder, server.url, "plain", "--batch")
        assert again.returncode == 0
        assert paid_once(server)
    with (
        Store(folder / "plain.verdicts", write=False) as batched,
        Store(folder / "online.verdicts", write=False) as online,
    ):
        kept = {one.key: one.verdict.value for one in batched}
        assert kept == {one.key: one.verdict.value for one in online}
        assert len(server.asked) == len(kept)
    assert not list(folder.glob("*.batches"))


def test_a_batch_costs_half(folder: Path) -> None:
    def dollars(*words: str) -> float:
        done = evaluate(folder, "http://127.0.0.1:9/v1", "dry", "--dry-run", *words)
        assert done.returncode == 0, done.stderr
        numbers = re.findall(r"\d\.\d{4}", done.stdout)
        assert numbers, done.stdout
        return float(numbers[-1])

    online = dollars()
    assert dollars("--batch") == pytest.approx(online / 2, abs=0.0001)


def _steps(folder: Path, out: str) -> int:
    with BatchServer() as server:
        evaluate(folder, server.url, out, "--batch")
        return len(server.steps)


@pytest.mark.release
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_kill_between_any_two_steps_pays_for_nothing_twice(folder: Path, when: str) -> None:
    """kill -9 while the server has a call, before or after it has done what it was asked, at every call
    in turn. The last kill comes when the replies have been handed over."""
    steps = _steps(folder, f"steps-{when}")
    assert steps > 8
    for step in range(steps):
        out = f"killed-{when}-{step}"
        process: list[subprocess.Popen[str]] = []

        def kill(what: str, number: int, step: int = step, process: Any = process) -> str:
            if number == step and not process[0].returncode:
                process[0].send_signal(signal.SIGKILL)
                process[0].wait()
                return f"drop {when}"
            return ""

        with BatchServer(trick=kill) as server:
            process.append(
                subprocess.Popen(
                    command(folder, out, "--batch"),
                    env=settings(server.url),
                    cwd=folder,
                    text=True,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )
            process[0].wait(timeout=300)
            assert process[0].returncode == -signal.SIGKILL
            done = evaluate(folder, server.url, out, "--batch")
            assert done.returncode == 0, (step, done.stderr)
            assert same_run(folder, out), step
            assert paid_once(server), (step, server.steps)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--batch", "--workers", "2"), "from one process"),
        (("--batch", "--judge", "lexical"), "nothing to batch"),
    ],
)
def test_options_that_do_not_go_together(folder: Path, words: Sequence[str], why: str) -> None:
    given = command(folder, "refused", *words)
    if "lexical" in words:
        given.remove("openai/")
        given.remove("--judge")
    done = subprocess.run(
        given, env=settings("http://127.0.0.1:9/v1"), text=True, capture_output=True
    )
    assert done.returncode == 2
    assert why in done.stderr


ROWS = "".join(
    json.dumps({"question": f"What of {n}?", "answer": f"Fact {n}.", "contexts": ["None."]}) + "\n"
    for n in range(6)
)
CHECKS = """
from argue_bench.metrics import Metric
from argue_bench.records import NeedsCitation, Tally
from argue_bench.stats.averages import macro

class Needs(Metric):
    name, scores, requests = "needs", {"share": macro("share")}, (NeedsCitation,)

    def tally(self, question, answer, documents):
        request = NeedsCitation(answer.text)
        verdicts = yield [request]
        return {"share": Tally(verdicts[request].value == "yes", 1)}
"""
"""A metric that makes one request of each answer."""
PROVIDERS = {
    "openai": (BatchServer, "openai/", "OPENAI_BASE_URL", "OPENAI_API_KEY"),
    "anthropic": (MessageBatchServer, "anthropic/c", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
}


def _says_yes(body: dict[str, Any]) -> str:
    text = str(body["messages"][-1]["content"])
    key = re.search(r'"verdict(-[0-9a-f]{8})?"', text)
    return json.dumps({f"verdict{(key and key[1]) or ''}": "yes"})


def _check(folder: Path, provider: str, server: Any) -> list[str]:
    spec = PROVIDERS[provider][1]
    (folder / "rows.jsonl").write_text(ROWS)
    (folder / "checks.py").write_text(CHECKS)
    words = ("-m", "checks:Needs", "--batch", "--store", "checked", "--format", "json")
    return [sys.executable, "-m", "argue_bench", "evaluate", "rows.jsonl", "--judge", spec, *words]


def _known(provider: str, server: Any) -> dict[str, str]:
    _, _, address, key = PROVIDERS[provider]
    base = getattr(server, "base", server.url)
    return {**os.environ, address: base, key: "k", "ARGUE_BENCH_BATCH_SECONDS": "0.01"}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_rows_are_judged_in_batches(tmp_path: Path, provider: str) -> None:
    with PROVIDERS[provider][0](model=_says_yes, key="k") as server:
        words, env = _check(tmp_path, provider, server), _known(provider, server)
        done = [
            subprocess.run(words, env=env, cwd=tmp_path, text=True, capture_output=True)
            for _ in range(2)
        ]
    assert [one.returncode for one in done] == [0, 0], done[0].stderr
    (score,) = json.loads(done[0].stdout)["scores"].values()
    assert score["value"] == 1.0
    assert len(server.batches) == 1
    assert paid_once(server)
    assert "batch" in done[0].stderr
