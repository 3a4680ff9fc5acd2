"""What becomes of a command whose output has nowhere to go, and whose arguments lead nowhere."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_stopping import hear_ctrl_c
from tests.shared import ROOT

COMMAND = [sys.executable, "-m", "argue_bench"]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_stdout_on_a_full_disk_is_an_error() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "list", "metrics"], stdout=full, stderr=subprocess.PIPE, cwd=ROOT
        )
    assert done.returncode == 1
    assert done.stderr.decode().splitlines() == ["argue-bench: [Errno 28] No space left on device"]


def test_a_reader_that_leaves_early_is_no_error() -> None:
    process = subprocess.Popen(
        [*COMMAND, "list", "metrics"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT
    )
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert (process.stderr.read(), process.wait()) == (b"", 0)
    process.stderr.close()


@pytest.mark.parametrize(
    "words",
    [
        ("evaluate", "--judgments", "{place}/circle", "--nuggets", "{place}/circle"),
        ("evaluate", "{place}/circle", "--nuggets", "{place}/circle", "--out", "{place}/o"),
        ("submission", "check", "{place}/circle", "--track", "rag26", "--collection", "/"),
        ("retrieve", "--dataset", "core", "--split", "sample", "--out", ""),
    ],
)
def test_paths_that_lead_nowhere(tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    done = subprocess.run(
        [*COMMAND, *(word.format(place=tmp_path) for word in words)], capture_output=True, cwd=ROOT
    )
    assert done.returncode in (1, 2)
    assert b"Traceback" not in done.stderr
    assert done.stderr


def test_an_interrupt_ends_a_command_without_a_traceback(tmp_path: Path) -> None:
    out = tmp_path / "passages.jsonl"
    process = subprocess.Popen(
        [
            *COMMAND,
            "generate",
            "--system",
            "bm25-extractive",
            "--split",
            "test",
            "--out",
            out,
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        preexec_fn=hear_ctrl_c,
    )
    assert process.stderr is not None
    first = process.stderr.readline()  # progress is shown once the work has begun
    assert first.startswith(b"answering"), first
    os.kill(process.pid, signal.SIGINT)
    said = first + process.communicate()[1]
    assert process.returncode == 130
    assert b"Traceback" not in said
    assert not out.exists()
