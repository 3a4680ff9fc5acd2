"""Ctrl-C, and the end of a process that others work for: nothing paid for is lost, nothing goes on unseen."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from argue_bench.store import Store
from tests.models.server import ChatServer, honest
from tests.shared import ROOT

pytest.importorskip("openai", reason="the extra judge is not installed")
CAREFUL = ROOT / "argue_bench" / "data" / "core" / "sample-runs" / "careful.jsonl"
COMMAND = ("evaluate", str(CAREFUL), "-m", "argue", "--split", "sample", "--judge", "server/m")


class Held(ChatServer):
    """A server that answers so many requests at once, and the others when it is told to."""

    def hold(self, after: int) -> None:
        self.released, self.waiting = threading.Event(), threading.Event()
        self.after = after
        self.model = self._say  # type: ignore[method-assign,assignment]

    def _say(self, body: dict[str, Any]) -> str:
        return honest(body)

    async def _reply(self, head: str, body: dict[str, Any], writer: Any) -> bool:
        import asyncio

        if self.count >= self.after:
            if self.now >= 8:
                self.waiting.set()
            while not self.released.is_set():
                await asyncio.sleep(0.01)
        return await super()._reply(head, body, writer)


def hear_ctrl_c() -> None:
    """A shell without job control has its background jobs ignore Ctrl-C, and they hand that on."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def started(server: ChatServer, folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    """The command while it runs, in a folder of its own."""
    known = {
        "ARGUE_BENCH_BASE_URL": server.url,
        "ARGUE_BENCH_MAX_CONCURRENCY": "8",
        "HOME": str(folder),
        "PATH": os.environ["PATH"],
    }
    with subprocess.Popen(
        [sys.executable, "-m", "argue_bench", *COMMAND, "--out", "run", *words],
        cwd=folder,
        env=known,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hear_ctrl_c,
    ) as process:
        end = Timer(120, process.kill)  # a wait that never ends is a failure, not a hang
        end.start()
        try:
            yield process
        finally:
            end.cancel()


def until(what: Any) -> None:
    """Waits for something that comes, however slow the machine is."""
    for _ in range(6000):
        if what():
            return
        time.sleep(0.01)
    pytest.fail("it never came")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shared", "sign"),
    [((), signal.SIGINT), ((), signal.SIGTERM), (("--workers", "2"), signal.SIGINT)],
    ids=["alone", "scheduler", "shared"],
)
def test_ctrl_c_and_sigterm_let_in_what_is_under_way_and_say_how_to_go_on(
    shared: tuple[str, ...], sign: signal.Signals, tmp_path: Path
) -> None:
    with Held() as server:
        server.hold(after=20)
        with started(server, tmp_path, *shared) as process:
            until(server.waiting.is_set)
            process.send_signal(sign)
            assert process.stderr is not None
            told = process.stderr.readline()
            while "stopping" not in told:
                assert told, "it ended without a word"
                told = process.stderr.readline()
            server.released.set()
            rest = process.communicate()[1]
        print(told, rest)
        assert process.returncode == 130
        sent = server.count
        with Store(tmp_path / "run.verdicts", write=False) as store:
            assert len(store) == sent  # every reply that was paid for is there
        assert f"{sent} calls" in rest
        assert re.search(r"run\.verdicts; this goes on from there:\n  argue-bench evaluate ", rest)
        with started(server, tmp_path) as again:
            again.communicate()
        assert again.returncode == 0
        texts = [json.dumps(body["messages"]) for body in server.requests]
        assert len(set(texts)) >= sent


@pytest.mark.slow
def test_a_second_ctrl_c_does_not_wait(tmp_path: Path) -> None:
    with Held() as server:
        server.hold(after=4)
        with started(server, tmp_path) as process:
            until(server.waiting.is_set)
            process.send_signal(signal.SIGINT)
            assert process.stderr is not None
            while "stopping" not in (told := process.stderr.readline()):
                assert told, "it ended without a word"
            process.send_signal(signal.SIGINT)
            process.communicate()
        assert process.returncode == 130
        assert not server.released.is_set()
        server.released.set()


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_the_command_that_started_them(
    tmp_path: Path, end: signal.Signals
) -> None:
    with ChatServer(delay=0.3) as server:
        with started(server, tmp_path, "--workers", "2") as process:
            until(lambda: server.count > 30)
            process.send_signal(end)
            process.wait()
            until(lambda: server.now == 0 and _still(server))
        assert server.count < 400  # the whole run takes 562


def _still(server: ChatServer) -> bool:
    """Whether nothing more was sent for a while."""
    before = server.count
    time.sleep(1.0)
    return server.count == before
