"""A cluster of two real processes: the bytes of one process, whatever becomes of the workers."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from argue_bench import evaluate, load
from argue_bench.baselines import generate
from argue_bench.cli import main
from argue_bench.errors import Code, DataError, JudgeError, MissingExtra, UsageError
from argue_bench.eval import Report
from argue_bench.judges import Judge, as_judge
from argue_bench.judges.base import Counts, Reply
from argue_bench.models.budget import Budget, BudgetSpent
from argue_bench.records import Entails, JudgeRequest, Verdict
from argue_bench.scale import distributed, workers
from argue_bench.store import Store
from tests.models.server import ChatServer

pytest.importorskip("distributed", reason="the extra cluster is not installed")
pytest.importorskip("openai", reason="the extra judge is not installed")

METRICS = ["argue", "citations", "accuracy"]
DEV = load("core", split="dev")[:12]
ANSWERS = list(generate("bm25-extractive", DEV, "evidenceprovided"))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChatServer]:
    """A provider whose model the workers can ask: they read its address as they start."""
    row = '[[server.models]]\nmodel = "m"\nin = 1.0\nout = 2.0\nconcurrency = 4\n'
    file = tmp_path_factory.mktemp("providers") / "providers.toml"
    file.write_text(row)
    with pytest.MonkeyPatch.context() as patch, ChatServer(delay=0.01) as server:
        patch.setenv("ARGUE_BENCH_PROVIDERS", str(file))
        patch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        yield server


@pytest.fixture(scope="module")
def cluster(server: ChatServer) -> Iterator[Any]:
    with workers(2) as client:
        yield client


@pytest.fixture(autouse=True)
def an_end() -> Iterator[None]:
    """Fails a test that waits for workers without end."""

    def fail(*_: object) -> None:
        raise TimeoutError("nothing came back for seven minutes")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(420)  # a busy machine takes half a minute to start a worker
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def run(out: Path, judge: Any = "lexical", answers: int = len(ANSWERS), **given: Any) -> Report:
    metrics = given.pop("metrics", METRICS)
    return evaluate(DEV[:answers], ANSWERS[:answers], metrics, out=out, judge=judge, **given)


def same_bytes(one: Path, other: Path) -> bool:
    """Whether two run files differ in nothing but the names of their stores."""
    first, second = (
        path.read_bytes().replace(f"{path.name}.verdicts".encode(), b"") for path in (one, other)
    )
    return first == second


def verdicts(store: Path) -> list[tuple[str, object]]:
    with Store(store, write=False) as opened:
        return sorted((one.key, one.verdict.value) for one in opened)


def price(body: dict[str, Any]) -> float:
    """What the server charges for a request: four characters are a token."""
    return (sum(len(one["content"]) for one in body["messages"]) // 4) * 1e-6 + 4 * 2e-6


def killing(where: Path, driver: int, times: int) -> Callable[[JudgeRequest], bool]:
    """A judge that kills the worker in which it is, so often."""

    def at_work(request: JudgeRequest) -> bool:
        if os.getpid() != driver:
            for number in range(times):
                try:
                    (where / f"killed-{number}").touch(exist_ok=False)
                except FileExistsError:
                    continue
                os.kill(os.getpid(), signal.SIGKILL)
        return len(request.texts[0].text if hasattr(request, "texts") else str(request)) % 2 == 0

    return at_work


@pytest.mark.parametrize("judge", ["lexical", "panel:lexical+lexical"])
def test_workers_give_the_bytes_of_one_process(cluster: Any, tmp_path: Path, judge: str) -> None:
    alone = run(tmp_path / "one", judge)
    shared = run(tmp_path / "two", distributed(judge, cluster))
    assert same_bytes(tmp_path / "one", tmp_path / "two")
    assert verdicts(tmp_path / "one.verdicts") == verdicts(tmp_path / "two.verdicts")
    assert shared.scores.items() == alone.scores.items()
    assert shared.cost == alone.cost
    again = run(tmp_path / "two", distributed(judge, cluster))
    assert again.cost[judge]["stored"] == sum(alone.cost[judge].values())


def test_two_workers_killed_at_work_change_no_byte(
    cluster: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    judge = killing(tmp_path, os.getpid(), 2)
    run(tmp_path / "one", judge, metrics=["citations"])
    run(tmp_path / "two", distributed(judge, cluster), metrics=["citations"])
    assert {"killed-0", "killed-1"} <= {path.name for path in tmp_path.iterdir()}
    assert same_bytes(tmp_path / "one", tmp_path / "two")
    assert re.search(r"a worker was lost: [\d,]+ judge requests of .* made again", caplog.text)


def test_a_paid_judge_loses_only_what_was_under_way(
    cluster: Any, server: ChatServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    given: dict[str, Any] = {"metrics": ["citations"], "answers": 8}
    server.requests.clear()
    run(tmp_path / "one", "server/m", **given)
    whole, before = len(server.requests), server.count
    server.requests.clear()
    victim = next(iter(cluster.run(os.getpid).values()))

    def kill_at_ten() -> None:
        while server.count - before < 10:
            threading.Event().wait(0.005)
        os.kill(victim, signal.SIGKILL)

    killer = threading.Thread(target=kill_at_ten)
    killer.start()
    run(tmp_path / "two", distributed("server/m", cluster), **given)
    killer.join()
    assert same_bytes(tmp_path / "one", tmp_path / "two")
    assert verdicts(tmp_path / "one.verdicts") == verdicts(tmp_path / "two.verdicts")
    bodies = Counter(json.dumps(body["messages"]) for body in server.requests)
    twice = sum(times - 1 for times in bodies.values())
    told = re.findall(r"was lost: ([\d,]+) judge requests", caplog.text)
    assert len(bodies) == whole
    assert twice <= sum(int(many.replace(",", "")) for many in told)


def test_a_budget_holds_across_workers(cluster: Any, server: ChatServer, tmp_path: Path) -> None:
    given: dict[str, Any] = {"metrics": ["citations"], "answers": 8}

    def paying(dollars: float) -> Judge:
        judge = as_judge("server/m")
        judge.set_budget(Budget(dollars))
        return distributed(judge, cluster)

    server.requests.clear()
    run(tmp_path / "one", "server/m", **given)
    whole = sum(map(price, server.requests))
    server.requests.clear()
    with pytest.raises(BudgetSpent, match="the budget of"):
        run(tmp_path / "two", paying(whole / 2), **given)
    assert 0.05 * whole < sum(map(price, server.requests)) <= whole / 2
    assert len(verdicts(tmp_path / "two.verdicts")) == len(server.requests)
    run(tmp_path / "two", paying(2 * whole), **given)
    asked = Counter(json.dumps(body["messages"]) for body in server.requests)
    assert set(asked.values()) == {1}  # nothing that was paid is asked again
    assert same_bytes(tmp_path / "one", tmp_path / "two")


def judging_threads() -> int:
    return sum(one.name == "judge" for one in threading.enumerate())


def test_a_cluster_of_others_is_left_as_it_was(cluster: Any, tmp_path: Path) -> None:
    with workers(cluster) as client:
        run(tmp_path / "one", distributed("lexical", client), answers=1)
        assert sum(client.run(judging_threads).values())
    for _ in range(100):  # a thread that was told to end does so in a moment
        if not (left := sum(cluster.run(judging_threads).values())):
            break
    assert left == 0


class Loading(Judge):
    """A judge that loads a model, and notes where."""

    name = "loading"
    kinds = frozenset({Entails})
    batch = 4
    loads = True

    def __init__(self, notes: Path) -> None:
        self.notes, self.counts, self.loaded = notes, Counts(), False

    def identity(self) -> dict[str, str]:
        return {}

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        with self.notes.open("a") as file:
            file.write(f"{'judged' if self.loaded else 'loaded'} {os.getpid()}\n")
        self.loaded = True
        for one in requests:
            yield one, Verdict("yes")


@pytest.mark.slow
def test_a_model_is_loaded_once_and_where_the_gpu_is(tmp_path: Path) -> None:
    from distributed import LocalCluster

    notes = tmp_path / "notes"
    with (
        LocalCluster(n_workers=1, dashboard_address=None, resources={"GPU": 1}) as made,
        workers(made.scheduler_address) as client,
    ):
        run(tmp_path / "run", distributed(Loading(notes), client), metrics=["citations"])
    lines = notes.read_text().splitlines()
    assert sum(line.startswith("loaded") for line in lines) == 1
    assert len(lines) > 1


def allow_failures(many: int, dask_scheduler: Any = None) -> int:
    """Sets how many workers a part may lose before Dask gives it up; returns the number before."""
    before: int = dask_scheduler.allowed_failures
    dask_scheduler.allowed_failures = many
    return before


def test_a_part_that_kills_every_worker_ends_the_run(cluster: Any, tmp_path: Path) -> None:
    judge = distributed(killing(tmp_path, os.getpid(), 1000), cluster)
    before = cluster.run_on_scheduler(allow_failures, 1)  # each worker takes seconds to start again
    try:
        with pytest.raises(JudgeError, match="have the workers enough memory"):
            run(tmp_path / "run", judge, answers=1, metrics=["citations"])
    finally:
        cluster.run_on_scheduler(allow_failures, before)


@pytest.mark.slow
def test_the_option_shares_the_work(server: ChatServer, tmp_path: Path) -> None:
    lines = "".join(json.dumps(answer) + "\n" for answer in ANSWERS)
    (tmp_path / "answers.jsonl").write_text(lines)
    for name, more in (("one", []), ("two", ["--workers", "2"])):
        words = ["evaluate", tmp_path / "answers.jsonl", "--split", "dev", "--only-answered"]
        words += ["-m", "citations", "--judge", "server/m", "--out", tmp_path / name, *more]
        result = CliRunner().invoke(main, list(map(str, words)), catch_exceptions=False)
        assert result.exit_code == 0, result.output
    assert same_bytes(tmp_path / "one", tmp_path / "two")


def test_one_process_imports_nothing_of_scale(tmp_path: Path) -> None:
    code = (
        "import sys; from argue_bench import evaluate, load; d = load('core', split='sample')\n"
        "evaluate(d, [{'id': q.id, 'answer': 'It is so.'} for q in d], out='run')\n"
        "print([name for name in sys.modules if name.startswith('argue_bench.scale')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, text=True, capture_output=True, check=True
    )
    assert done.stdout == "[]\n"


def test_without_the_extra_the_install_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra, match=r"pip install 'argue-bench\[cluster\]'"), workers(2):
        pass


@pytest.mark.parametrize("named", [0, -1, 2.5, None])
def test_what_is_no_cluster_is_refused(named: Any) -> None:
    with pytest.raises(UsageError, match="cluster="), workers(named):
        pass


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("jobs = ", "Invalid value"),
        ("cores = 2", "jobs is missing"),
        ("jobs = 0", "jobs is missing"),
    ],
)
def test_a_broken_file_of_slurm_jobs_is_named(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "jobs.toml"
    file.write_text(text)
    with pytest.raises(DataError, match=said) as raised, workers(f"slurm:{file}"):
        pass
    assert raised.value.findings[0].code == Code.WRONG_SHAPE
