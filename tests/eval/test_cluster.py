"""A cluster of two real processes: the bytes of one process, whatever becomes of the workers."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from argue_bench import Answer, Question, Tally, evaluate, load
from argue_bench.baselines import generate
from argue_bench.errors import Code, DataError, JudgeError, MissingExtra, NoGold, UsageError
from argue_bench.eval import Report
from argue_bench.models.budget import BudgetSpent
from argue_bench.records import Gold
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
    from argue_bench.eval.cluster.connecting import standing

    with standing(2) as client:
        yield client


@pytest.fixture(autouse=True)
def an_end() -> Iterator[None]:
    """Fails a test that waits for workers without end: it stood still once, beside eight other programs."""

    def fail(*_: object) -> None:
        raise TimeoutError("nothing came back for three minutes")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(180)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def run(out: Path, cluster: Any = None, answers: int = len(ANSWERS), **given: Any) -> Report:
    given = {"metrics": METRICS, "resamples": 0, **given}
    given["metrics"] = list(given["metrics"])
    return evaluate(DEV[:answers], ANSWERS[:answers], out=out, cluster=cluster, **given)


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


def judging_threads() -> list[int]:
    """The threads of this process in which judges are asked."""
    return [one.ident or 0 for one in threading.enumerate() if one.name == "judges"]


def join_thread(ident: int) -> None:
    for one in threading.enumerate():
        if one.ident == ident:
            one.join(20)


def killing(where: Path, questions: tuple[str, ...]) -> Callable[[Question, Answer], Any]:
    """A metric that kills the worker in which it is, the first time that it meets one of the questions."""
    driver = os.getpid()

    def at_work(question: Question, answer: Answer) -> dict[str, Tally]:
        if question.id in questions and os.getpid() != driver:
            try:
                (where / question.id).touch(exist_ok=False)
            except FileExistsError:
                pass
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return {"words": Tally(len(answer.text.split()))}

    return at_work


def test_two_workers_killed_at_work_change_no_byte(
    cluster: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    deadly = killing(tmp_path, (DEV[2].id, DEV[10].id))
    alone = run(tmp_path / "one", metrics=[*METRICS, deadly])
    steps: list[int] = []
    shared = run(tmp_path / "two", cluster, metrics=[*METRICS, deadly], progress=steps.append)
    assert {DEV[2].id, DEV[10].id} <= {path.name for path in tmp_path.iterdir()}
    assert same_bytes(tmp_path / "one", tmp_path / "two")
    assert verdicts(tmp_path / "one.verdicts") == verdicts(tmp_path / "two.verdicts")
    assert shared.scores.items() == alone.scores.items()
    assert shared.per_question == alone.per_question
    assert shared.cost == alone.cost
    assert steps[-1] == len(DEV)
    assert re.search(r"2 workers lost: \d+ parts under way there", caplog.text)


def test_what_is_stored_is_counted_without_a_worker(cluster: Any, tmp_path: Path) -> None:
    first = run(tmp_path / "one", answers=8)
    again = run(tmp_path / "two", cluster, answers=8, store=tmp_path / "one.verdicts")
    assert again.scores.items() == first.scores.items()
    assert again.cost["lexical"]["requests"] == 0
    assert again.cost["lexical"]["stored"] >= first.cost["lexical"]["requests"]


def test_a_paid_judge_loses_only_what_was_under_way(
    cluster: Any, server: ChatServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    given: dict[str, Any] = {"metrics": ["citations"], "judge": "server/m", "answers": 8}
    alone = run(tmp_path / "one", **given)
    whole = server.count
    server.requests.clear()
    victims = list(cluster.run(os.getpid).values())

    def kill_at_ten(done: int) -> None:
        if server.count - whole >= 10 and victims:
            os.kill(victims.pop(), signal.SIGKILL)
            victims.clear()

    shared = run(tmp_path / "two", cluster, progress=kill_at_ten, **given)
    assert not victims
    assert same_bytes(tmp_path / "one", tmp_path / "two")
    assert shared.scores.items() == alone.scores.items()
    assert verdicts(tmp_path / "one.verdicts") == verdicts(tmp_path / "two.verdicts")
    bodies = Counter(json.dumps(body["messages"]) for body in server.requests)
    twice = sum(times - 1 for times in bodies.values())
    assert len(bodies) == whole
    told = re.search(r"1 worker lost: ([\d,]+) judge requests", caplog.text)
    assert told is not None or twice == 0
    assert twice <= (int(told[1].replace(",", "")) if told else 0)


def test_a_budget_holds_across_workers(cluster: Any, server: ChatServer, tmp_path: Path) -> None:
    given: dict[str, Any] = {"metrics": ["citations"], "judge": "server/m", "answers": 8}
    server.requests.clear()
    run(tmp_path / "one", **given)
    whole = sum(map(price, server.requests))
    server.requests.clear()
    with pytest.raises(BudgetSpent, match="the budget of"):
        run(tmp_path / "two", cluster, budget=whole / 2, **given)
    assert 0.05 * whole < sum(map(price, server.requests)) <= whole / 2
    assert len(verdicts(tmp_path / "two.verdicts")) == len(server.requests)
    run(tmp_path / "two", cluster, budget=2 * whole, **given)
    asked = Counter(json.dumps(body["messages"]) for body in server.requests)
    assert set(asked.values()) == {1}  # nothing that was paid is asked again
    assert same_bytes(tmp_path / "one", tmp_path / "two")


def test_a_run_leaves_no_thread_in_a_worker(cluster: Any, tmp_path: Path) -> None:
    given: dict[str, Any] = {"metrics": ["citations"], "judge": "server/m", "answers": 1}
    for name in ("one", "two", "three"):
        run(tmp_path / name, cluster, **given)
    for _ in range(2):  # a thread that was told to end does so in a moment
        threads = [one for some in cluster.run(judging_threads).values() for one in some]
        for one in threads:
            cluster.run(join_thread, one)
    assert threads == []


def test_functions_and_panels_are_judges_there_too(cluster: Any, tmp_path: Path) -> None:
    words = 3

    def enough(request: Any) -> bool:
        return len(request.hypothesis.split()) > words

    for judge in (enough, "panel:lexical+lexical"):
        given: dict[str, Any] = {"metrics": ["citations"], "judge": judge, "answers": 6}
        alone = run(tmp_path / "one", **given)
        shared = run(tmp_path / "two", cluster, **given)
        assert same_bytes(tmp_path / "one", tmp_path / "two")
        assert shared.cost == alone.cost
        for path in tmp_path.iterdir():
            path.unlink()


def test_errors_are_those_of_one_process(cluster: Any) -> None:
    def broken(question: Question, answer: Answer) -> Any:
        raise ValueError("not today")

    with pytest.raises(UsageError, match=f"failed on the question '{DEV[0].id}'.*not today"):
        evaluate(DEV, ANSWERS, [broken], cluster=cluster)
    sealed = [Question("a", "Who?", gold=Gold(answer="x")), Question("b", "Why?")]
    with pytest.raises(NoGold, match="'b' has no gold"):
        evaluate(sealed, [{"id": "a", "answer": "x"}], ["accuracy"], cluster=cluster)


@pytest.mark.slow
def test_a_part_that_kills_every_worker_ends_the_run(cluster: Any) -> None:
    driver = os.getpid()

    def deadly(question: Question, answer: Answer) -> dict[str, Tally]:
        if os.getpid() != driver:
            os.kill(os.getpid(), signal.SIGKILL)
        return {"words": Tally(1)}

    with pytest.raises(JudgeError, match="3 workers were lost over the same part"):
        evaluate(DEV[:1], ANSWERS[:1], [deadly], cluster=cluster)


def test_without_the_extra_the_install_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtra, match=r"pip install 'argue-bench\[cluster\]'"):
        evaluate(DEV, ANSWERS, ["accuracy"], cluster=2)


@pytest.mark.parametrize("cluster", [0, True, 2.5])
def test_what_is_no_cluster_is_refused(cluster: Any) -> None:
    with pytest.raises(UsageError, match="cluster="):
        evaluate(DEV, ANSWERS, ["accuracy"], cluster=cluster)


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
    with pytest.raises(DataError, match=said) as raised:
        evaluate(DEV, ANSWERS, ["accuracy"], cluster=f"slurm:{file}")
    assert raised.value.findings[0].code == Code.CLUSTER_FILE
