"""``evaluate --batch`` and ``--batch-file``: the same run file as online, and nothing asked twice."""

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
from tests.models.batch_server import (
    AzureBatchServer,
    BatchServer,
    MessageBatchServer,
    answer_file,
)
from tests.models.server import ChatServer, truth
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
        with batched.reading() as db:  # nothing is left of the batches
            assert db.execute("SELECT count(*) FROM batched").fetchone() == (0,)


def test_a_batch_costs_half(folder: Path) -> None:
    def dollars(*words: str) -> float:
        done = evaluate(folder, "http://127.0.0.1:9/v1", "dry", "--dry-run", *words)
        assert done.returncode == 0, done.stderr
        numbers = re.findall(r"\d\.\d{4}", done.stdout)
        assert numbers, done.stdout
        return float(numbers[-1])

    online = dollars()
    assert dollars("--batch") == pytest.approx(online / 2, abs=0.0001)
    assert dollars("--batch-file", "files") == pytest.approx(online / 2, abs=0.0001)
    assert not (folder / "files").exists()


def test_expiry_busy_servers_and_refusals_end_in_the_same_run(folder: Path) -> None:
    met: dict[str, int] = {}

    def line(body: dict[str, Any]) -> int:
        """Every seventh request meets a busy server once."""
        text = str(body["messages"])
        met[text] = met.get(text, 0) + 1
        return 429 if met[text] == 1 and truth(text) == "yes" and len(text) % 7 == 0 else 200

    with BatchServer(
        line=line, fate=lambda number, lines: "expired" if number == 0 else "completed"
    ) as server:
        done = evaluate(folder, server.url, "faults", "--batch")
        assert done.returncode == 0, done.stderr
    assert same_run(folder, "faults")
    assert paid_once(server)


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


def test_files_that_somebody_answers_end_in_the_same_run(folder: Path) -> None:
    files = folder / "files-of-requests"
    rounds = 0
    while True:
        done = evaluate(folder, "http://127.0.0.1:9/v1", "filed", "--batch-file", str(files))
        if done.returncode == 0:
            break
        assert done.returncode == 3, done.stderr
        assert "vllm run-batch -i" in done.stderr
        rounds += 1
        assert rounds < 9
        for path in files.glob("*.requests.jsonl"):
            replies = path.with_name(path.name.replace(".requests.", ".replies."))
            replies.write_text(answer_file(path.read_bytes()))
    assert rounds >= 2
    assert same_run(folder, "filed")
    written = [path.read_text().splitlines() for path in files.glob("*.requests.jsonl")]
    asked = [line for lines in written for line in lines]
    assert len(asked) == len(set(asked))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--batch", "--batch-file", "d"), "exclude each other"),
        (("--batch", "--workers", "2"), "one process sends all batches"),
        (("--batch", "--shard", "1/2"), "one process sends all batches"),
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


LABELS = "".join(
    json.dumps({"ask": {"kind": "NeedsCitation", "sentence": f"Fact {n}."}, "verdict": "yes"})
    + "\n"
    for n in range(6)
)
PROVIDERS = {
    "openai": (BatchServer, "openai/", "OPENAI_BASE_URL", "OPENAI_API_KEY"),
    "azure": (AzureBatchServer, "azure/deployed", "AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY"),
    "anthropic": (MessageBatchServer, "anthropic/c", "ANTHROPIC_BASE_URL", "ANTHROPIC_API_KEY"),
}


def _says_yes(body: dict[str, Any]) -> str:
    text = str(body["messages"][-1]["content"])
    key = re.search(r'"verdict(-[0-9a-f]{8})?"', text)
    return json.dumps({f"verdict{(key and key[1]) or ''}": "yes"})


def _check(folder: Path, provider: str, server: Any) -> list[str]:
    spec = PROVIDERS[provider][1]
    words = ("--labels", "labels.jsonl", "--batch", "--store", "checked", "--json")
    return [sys.executable, "-m", "argue_bench", "judge", "check", spec, *words]


def _known(provider: str, server: Any) -> dict[str, str]:
    _, _, address, key = PROVIDERS[provider]
    base = getattr(server, "base", server.url)
    return {**os.environ, address: base, key: "k", "ARGUE_BENCH_BATCH_SECONDS": "0.01"}


@pytest.mark.parametrize("provider", ["openai", "azure"])
def test_labels_are_judged_in_batches(tmp_path: Path, provider: str) -> None:
    (tmp_path / "labels.jsonl").write_text(LABELS)
    with PROVIDERS[provider][0](model=_says_yes, key="k") as server:
        words, env = _check(tmp_path, provider, server), _known(provider, server)
        done = [
            subprocess.run(words, env=env, cwd=tmp_path, text=True, capture_output=True)
            for _ in range(2)
        ]
    assert [one.returncode for one in done] == [0, 0], done[0].stderr
    assert json.loads(done[0].stdout)["kinds"]["NeedsCitation"]["accuracy"] == 1.0
    assert len(server.batches) == 1
    assert paid_once(server)
    assert "batch" in done[0].stderr


@pytest.mark.release
@pytest.mark.parametrize("provider", ["azure", "anthropic"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_kill_at_azure_and_anthropic_pays_for_nothing_twice(
    tmp_path: Path, provider: str, when: str
) -> None:
    """kill -9 while the server has a call, at every call in turn."""
    (tmp_path / "labels.jsonl").write_text(LABELS)
    for step in range(20):
        (tmp_path / "checked").unlink(missing_ok=True)
        (tmp_path / "checked-wal").unlink(missing_ok=True)
        process: list[subprocess.Popen[str]] = []

        def kill(what: str, number: int, step: int = step, process: Any = process) -> str:
            if number != step:
                return ""
            process[0].kill()
            return f"drop {when}"

        with PROVIDERS[provider][0](model=_says_yes, trick=kill) as server:
            words, env = _check(tmp_path, provider, server), _known(provider, server)
            process.append(
                subprocess.Popen(words, env=env, cwd=tmp_path, stdout=subprocess.DEVNULL, text=True)
            )
            killed = process[0].wait() == -signal.SIGKILL
            if killed:
                assert (
                    subprocess.run(words, env=env, cwd=tmp_path, capture_output=True).returncode
                    == 0
                )
            assert paid_once(server), step
            assert len(server.asked) == 6
        if not killed:
            break
    assert step >= 5


def test_answers_are_generated_in_batches_and_once(tmp_path: Path) -> None:
    words = [
        *(
            sys.executable,
            "-m",
            "argue_bench",
            "generate",
            "--dataset",
            "core",
            "--split",
            "sample",
        ),
        *("--setting", "closedbook", "--model", "openai/", "--limit", "4", "--batch"),
        *("--out", "answers.jsonl"),
    ]
    with BatchServer(model=lambda body: "It opened in 1931.", key="k") as server:
        done = [
            subprocess.run(
                words, env=settings(server.url), cwd=tmp_path, text=True, capture_output=True
            )
            for _ in range(2)
        ]
    assert [one.returncode for one in done] == [0, 0], done[0].stderr
    lines = (tmp_path / "answers.jsonl").read_text().splitlines()
    assert len(lines) == 4
    assert all("It opened in 1931." in line for line in lines)
    assert len(server.batches) == 1
    assert paid_once(server)
