"""The everyday commands on a system that lacks what only Unix has, such as Windows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.shared import write_lines

_WITHOUT = """
import asyncio, importlib.metadata, multiprocessing, numpy, os, platform, signal, sqlite3, subprocess, sys, tempfile
# Python and numpy of this system may use what it has; ours may not.
for name in ("fcntl", "grp", "pwd", "resource", "termios", "tty", "pty", "syslog", "posix_ipc"):
    sys.modules[name] = None
for name in (
    "pread pwrite preadv fork forkpty getuid geteuid getgid getegid getpgid getpgrp setsid setpgid killpg "
    "chown lchown fchown fchmod mkfifo mknod statvfs fstatvfs sched_getaffinity sched_setaffinity getloadavg "
    "sysconf confstr nice wait3 wait4 WNOHANG O_NONBLOCK O_DIRECTORY O_NOFOLLOW O_CLOEXEC posix_fallocate "
    "posix_fadvise sendfile uname getpriority ttyname initgroups"
).split():
    if hasattr(os, name):
        delattr(os, name)
for name in (
    "SIGKILL SIGALRM SIGHUP SIGUSR1 SIGUSR2 SIGQUIT SIGPIPE setitimer alarm pause pthread_kill "
    "pthread_sigmask sigwait siginterrupt ITIMER_REAL"
).split():
    if hasattr(signal, name):
        delattr(signal, name)
"""
_COMMANDS = """
from argue_bench.cli import main
for words in (
    ["evaluate", "rows.jsonl", "--out", "a"],
    ["evaluate", "table.csv", "--out", "b"],
    ["evaluate", "answers.jsonl", "--dataset", "core", "--split", "sample", "--only-answered"],
    ["compare", "a", "b"],
    ["view", "a", "--out", "pages"],
    ["data", "check", "rows.jsonl"],
):
    try:
        main(words)
    except SystemExit as done:
        assert not done.code, (words, done.code)
"""


def test_the_everyday_commands_run_without_what_only_unix_has(tmp_path: Path) -> None:
    rows = [
        {"question": f"Where is it, {n}?", "answer": "It is in Oslo [1].", "contexts": ["In Oslo."]}
        for n in range(3)
    ]
    write_lines(tmp_path / "rows.jsonl", *rows)
    table = "".join(f"{one['question']};It is in Oslo.;In Oslo.\n" for one in rows)
    (tmp_path / "table.csv").write_text(f"Question;Answer;Contexts\n{table}")
    write_lines(tmp_path / "answers.jsonl", {"id": "flood-toll", "answer": "It opened."})
    code = f"{_WITHOUT}{_COMMANDS}"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert (tmp_path / "pages" / "index.html").is_file()
