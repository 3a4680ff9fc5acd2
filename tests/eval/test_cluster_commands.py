"""Every command that shares its work, on one cluster of two real processes, one with a GPU by its own word; and SLURM."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from argue_bench import evaluate, load
from argue_bench.cli import main
from argue_bench.judges.base import Counts, Reply
from argue_bench.records import Entails, JudgeRequest, Verdict
from tests.cli.test_auto_argue import place  # noqa: F401
from tests.cli.test_generated_board import SEASON, says
from tests.eval.test_cluster import same_bytes
from tests.eval.test_cluster_faults import Machines, machines, until
from tests.models.server import ChatServer
from tests.shared import ROOT

pytest.importorskip("distributed", reason="the extra cluster is not installed")
pytest.importorskip("openai", reason="the extra judge is not installed")
pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("cluster-commands")]

RUNS = ROOT / "argue_bench" / "data" / "core" / "sample-runs"
ANSWERS = [json.loads(line) for line in (RUNS / "careful.jsonl").read_text().splitlines()]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    """A scheduler with two workers; the second says that it has a GPU. Both know a model of a server."""
    from distributed import Client

    folder = tmp_path_factory.mktemp("cluster")
    row = '[[server.models]]\nmodel = "m"\nin = 1.0\nout = 2.0\nconcurrency = 4\n'
    (folder / "providers.toml").write_text(row)
    with (
        pytest.MonkeyPatch.context() as patch,
        ChatServer(model=says) as server,
        machines(folder) as made,
    ):
        patch.setenv("ARGUE_BENCH_PROVIDERS", str(folder / "providers.toml"))
        patch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        made.scheduler()
        made.worker()
        given = (made.address, "--nthreads", "1", "--no-nanny", "--no-dashboard")
        made.start("worker", *given, "--host", "127.0.0.1", "--resources", "GPU=1")
        with Client(made.address, timeout=120) as client:
            client.wait_for_workers(2, timeout=120)
        yield made


def call(*words: object) -> None:
    result = CliRunner().invoke(main, list(map(str, words)), catch_exceptions=False)
    assert result.exit_code == 0, result.output


def test_evaluate(cluster: Machines, tmp_path: Path) -> None:
    words = ("evaluate", RUNS / "careful.jsonl", "--split", "sample", "-m", "argue", "--out")
    call(*words, tmp_path / "one")
    call(*words, tmp_path / "two", "--cluster", cluster.address)
    assert same_bytes(tmp_path / "one", tmp_path / "two")


@pytest.mark.usefixtures("place")
def test_auto_argue(cluster: Machines) -> None:
    words = ("auto-argue", "reports.jsonl", "nuggets")
    call(*words, "one", "-C", "lookup")
    call(*words, "two", "-C", "lookup", "--cluster", cluster.address)
    for kind in ("scores.tsv", "judgments.jsonl"):
        assert Path(f"one.{kind}").read_bytes() == Path(f"two.{kind}").read_bytes()


def test_generate(cluster: Machines, tmp_path: Path) -> None:
    words = ("generate", "--split", "sample", "--setting", "evidenceprovided", "--model")
    one, two = (tmp_path / name / "m.jsonl" for name in ("one", "two"))
    call(*words, "server/m", "--out", one)
    call(*words, "server/m", "--out", two, "--cluster", cluster.address)
    assert one.read_bytes() == two.read_bytes()
    assert len(one.read_text().splitlines()) == len(ANSWERS)


def rows_of(board: Path) -> dict[str, object]:
    """Every result of a board but for when it was made."""
    found = {path.name: json.loads(path.read_text()) for path in board.rglob("results/**/*.json")}
    return {name: {**row, "created": None} for name, row in found.items()}


def test_board_score(cluster: Machines, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    board = tmp_path / "leaderboard-submissions"
    answers = board / "evidenceprovided-generations" / "careful.jsonl"
    answers.parent.mkdir(parents=True)
    shutil.copy(RUNS / "careful.jsonl", answers)
    (board / "season.json").write_text(json.dumps(SEASON))
    who = ("--name", "Careful", "--authors", "A. Example", "--citation", "Example, 2026")
    more = ("--type", "OTHER", "--context", "0", "--url", "https://example.org")
    call("submission", "init", "--system", "careful", *who, *more)
    shutil.copytree(tmp_path, tmp_path.with_name("other"))
    call("board", "score", board)
    alone = rows_of(board)
    monkeypatch.chdir(tmp_path.with_name("other"))
    call("board", "score", "leaderboard-submissions", "--cluster", cluster.address)
    assert rows_of(Path("leaderboard-submissions")) == alone
    assert alone


def _loading(notes: Path) -> Any:
    """A judge that loads a model, and writes where it does and where it judges."""

    class Loading:
        name = "loading"
        kinds = frozenset({Entails})
        batch = 4
        loads = True

        def __init__(self) -> None:
            self.counts = Counts()
            self.loaded = False

        def identity(self) -> dict[str, str]:
            return {}

        def _note(self, what: str) -> None:
            with notes.open("a") as file:
                file.write(f"{what} {os.getpid()}\n")

        async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[tuple[Any, Reply]]:
            if not self.loaded:
                self.loaded = True
                self._note("loaded")
            self._note("judged")
            for one in requests:
                yield one, Verdict("yes" if len(one.key) else "no")

    return Loading()


def test_a_model_is_loaded_once_and_where_the_gpu_is(cluster: Machines, tmp_path: Path) -> None:
    sample, notes = load("core", split="sample"), tmp_path / "notes"
    evaluate(sample, ANSWERS, ["citations"], judge=_loading(notes), cluster=cluster.address)
    lines = notes.read_text().splitlines()
    gpu = cluster.running[-1].pid
    assert {int(line.split()[1]) for line in lines} == {gpu}
    assert lines.count(f"loaded {gpu}") == 1
    assert lines.count(f"judged {gpu}") > 1


SBATCH = """#!/bin/sh
# As SLURM does: the script is kept, the job goes on by itself, and the answer names it.
cp "$1" "{jobs}.$$"
setsid sh "{jobs}.$$" >"{jobs}.$$.log" 2>&1 &
echo $! >> "{jobs}"
echo "Submitted batch job $!"
"""
SCANCEL = """#!/bin/sh
kill -- -"$1"
"""


@pytest.fixture
def slurm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """``sbatch`` and ``scancel`` on the path, which start a job's script here and end it."""
    pytest.importorskip("dask_jobqueue", reason="the extra cluster is not installed")
    jobs = tmp_path / "jobs"
    jobs.touch()
    (tmp_path / "bin").mkdir()
    for name, text in (("sbatch", SBATCH.format(jobs=jobs)), ("scancel", SCANCEL)):
        program = tmp_path / "bin" / name
        program.write_text(text)
        program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
    yield jobs
    for job in map(int, jobs.read_text().split()):
        try:
            os.killpg(job, signal.SIGKILL)
        except ProcessLookupError:
            continue


@pytest.mark.release
def test_slurm_jobs_do_the_work_and_end_with_it(slurm: Path, tmp_path: Path) -> None:
    file = tmp_path / "jobs.toml"
    file.write_text('jobs = 2\ncores = 2\nprocesses = 2\nmemory = "1GB"\ninterface = "lo"\n')
    words = ("evaluate", RUNS / "careful.jsonl", "--split", "sample", "-m", "argue", "--out")
    call(*words, tmp_path / "one")
    call(*words, tmp_path / "two", "--cluster", f"slurm:{file}")
    assert same_bytes(tmp_path / "one", tmp_path / "two")
    started = slurm.read_text().split()
    assert len(started) == 2
    until(lambda: not any(map(_works, started)))


def _works(job: str) -> bool:
    """Whether a job goes on; one that nobody waited for may stand in the table of processes."""
    try:
        state = Path("/proc", job, "stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
