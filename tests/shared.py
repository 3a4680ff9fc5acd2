"""What many tests use: the folders of the project and of the material beside it, commands, files of JSON lines."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from argue_bench.cli import main

ROOT = Path(__file__).resolve().parent.parent
SHARED = Path(os.environ.get("ARGUE_BENCH_SHARED", ROOT.parent / "shared"))


def shared(*parts: str) -> Path:
    """The path of a shared file or folder; skips the calling test, saying so, where it is absent."""
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"needs {'/'.join(parts)} of the shared material (ARGUE_BENCH_SHARED)")
    return path


def run_command(*words: object) -> Result:
    """The result of a command in this process; an exception other than an exit fails the test."""
    result = CliRunner().invoke(main, list(map(str, words)))
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


@contextmanager
def listening(handler: type[BaseHTTPRequestHandler], **given: Any) -> Iterator[str]:
    """The address of a server on loopback that answers by this handler, and prints nothing."""
    silent = type("Silent", (handler,), {"log_message": lambda *_: None})
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(silent, **given)) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def argv(line: str) -> list[str]:
    """The words of a command line."""
    return line.split()


def write_lines(path: Path, *rows: Any) -> Path:
    """Writes one JSON value on each line; missing folders are made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def table(text: str) -> list[tuple[str, ...]]:
    """The rows of a table of cases: one a line, its cells parted by bars; a line with # is a heading."""
    lines = (line.strip(" ") for line in text.splitlines())
    return [
        tuple(cell.strip() for cell in line.split("|"))
        for line in lines
        if line and not line.startswith("#")
    ]
