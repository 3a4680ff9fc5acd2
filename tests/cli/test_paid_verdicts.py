"""What was paid for is never lost and never paid for twice, whatever was not said; nobody waits in silence."""

from __future__ import annotations

import json
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from argue_bench.store import Store
from tests.cli.test_chat_judges import (
    ARGUE,
    CAREFUL,
    labels_of,
)
from tests.models.server import ChatServer
from tests.shared import argv, run_command

pytest.importorskip("openai", reason="the extra judge is not installed")
pytestmark = pytest.mark.usefixtures("own_folder")


def test_without_a_place_named_verdicts_are_kept_in_this_folder_and_it_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ChatServer(delay=0.002) as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        stopped = run_command("evaluate", CAREFUL, *ARGUE, "--budget", "0.02")
        assert stopped.exit_code == 3
        assert "What came so far is stored" in stopped.stderr
        assert "careful.verdicts" in stopped.stderr
        paid = server.count
        with Store("careful.verdicts", write=False) as store:
            assert len(store) == paid > 10
        whole = run_command("evaluate", CAREFUL, *ARGUE)
        assert f"{paid} from the store" in whole.stderr
        asked = server.count
        assert run_command("evaluate", CAREFUL, *ARGUE).exit_code == 0
        assert server.count == asked


def test_a_judge_that_costs_nothing_leaves_no_file() -> None:
    assert run_command("evaluate", CAREFUL, "-m", "argue", "--split", "sample").exit_code == 0
    assert not list(Path().glob("*.verdicts"))


def test_a_judge_that_cannot_be_asked_leaves_one_line_and_no_file() -> None:
    result = run_command(
        "evaluate", CAREFUL, "-m", "argue", "--split", "sample", "--judge", "openai/"
    )
    assert result.exit_code == 3
    assert len(result.stderr.splitlines()) == 1
    assert not list(Path().glob("*.verdicts"))


@pytest.mark.parametrize("task", ["labels", "injections"])
def test_a_check_is_never_paid_for_twice_either(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = labels_of(30) if task == "labels" else "report.json"
    words: list[str | Path] = ["judge", "check", "server/m", f"--{task}", file]
    with ChatServer() as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        first = run_command(*words)
        asked = server.count
        again = run_command(*words)
        assert server.count == asked > 10
    # The second run found each verdict in the store, and so has no time and no price to tell.
    told = [line for line in first.stdout.splitlines() if not line.startswith("A verdict took")]
    assert told == again.stdout.splitlines()


def test_a_budget_in_an_env_file_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer(delay=0.002) as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        Path(".env").write_text("ARGUE_BENCH_BUDGET=0.02\n")
        for words in (
            ("evaluate", CAREFUL, *ARGUE, "--out", "run"),
            ("judge", "check", "server/m", "--injections", "report.json"),
        ):
            stopped = run_command(*words)
            assert stopped.exit_code == 3, stopped.output
            assert "the budget of $0.02 is spent" in stopped.stderr
        assert (
            run_command("evaluate", CAREFUL, *ARGUE, "--out", "run", "--budget", "9").exit_code == 0
        )
        Path(".env").write_text("ARGUE_BENCH_BUDGET=much\n")
        assert run_command("evaluate", CAREFUL, *ARGUE, "--out", "run").exit_code == 2


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_an_env_file_of_any_shell_is_read(encoding: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer() as server:
        Path(".env").write_text(f"ARGUE_BENCH_BASE_URL={server.url}\n", encoding=encoding)
        assert run_command("evaluate", CAREFUL, *ARGUE, "--out", "run").exit_code == 0
        assert server.count > 10


def test_an_env_file_that_is_no_text_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    Path(".env").write_bytes(b"OPENAI_API_KEY=sk-\xff\xfe\n\x00\x80")
    result = run_command(
        "evaluate", CAREFUL, "-m", "argue", "--split", "sample", "--judge", "openai/"
    )
    assert result.exit_code == 3
    assert "OPENAI_API_KEY holds characters that no key has" in result.stderr


@pytest.mark.slow
def test_what_workers_spent_stands_in_the_report(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer() as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        alone = run_command("evaluate", CAREFUL, *ARGUE, "--out", "one", "--format", "json")
        shared = run_command(
            "evaluate", CAREFUL, *ARGUE, "--out", "two", "--workers", "2", "--format", "json"
        )
        assert shared.exit_code == 0, shared.output
    assert json.loads(shared.stdout)["cost"]["server/m"] == pytest.approx(
        json.loads(alone.stdout)["cost"]["server/m"]
    )


@pytest.mark.slow
def test_workers_refuse_a_store_of_another_version_before_they_copy_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ChatServer() as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        run_command("evaluate", CAREFUL, *ARGUE, "--out", "run")
        with closing(sqlite3.connect("run.verdicts")) as file:
            file.execute("PRAGMA user_version = 99")
            file.commit()
        asked = server.count
        result = run_command("evaluate", CAREFUL, *ARGUE, "--out", "run", "--workers", "2")
        assert server.count == asked
    assert result.exit_code == 1
    assert result.stderr.count("the store has version 99") == 1
    assert sorted(path.name for path in Path().glob("run*")) == ["run", "run.verdicts"]


def test_two_servers_of_different_speed_do_not_block_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The slow one keeps its first request until the quick one has been asked a hundred times."""
    hundred = threading.Event()
    waited: list[bool] = []

    def count(number: int, body: object) -> str:
        if number >= 100:
            hundred.set()
        return ""

    def slowly(number: int, body: object) -> str:
        if number == 0:
            waited.append(hundred.wait(60))
        return ""

    with ChatServer(trick=count) as quick, ChatServer(trick=slowly) as slow:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", quick.url)
        monkeypatch.setenv("VLLM_BASE_URL", slow.url)
        result = run_command(
            "evaluate",
            CAREFUL,
            *argv(
                "--split sample -m argue(judge=q) -m citations(judge=s) --judge q=server/m --judge s=vllm/m --out run"
            ),
        )
    assert result.exit_code == 0, result.output
    assert waited == [True]
