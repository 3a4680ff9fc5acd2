"""Fetching against servers that really listen: honest, missing, slow, cut short, lying."""

from __future__ import annotations

import hashlib
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from argue_bench.errors import DataError
from argue_bench.store.fetch import fetch_file

BODY = b"one honest file\n" * 10_000
RIGHT = hashlib.sha256(BODY).hexdigest()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    asked: list[str]

    def do_GET(self) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]
        getattr(self, f"_{self.path.strip('/').replace('-', '_')}", self._missing)()

    def _file(self) -> None:
        self._head(200, len(BODY))
        self.wfile.write(BODY)

    def _missing(self) -> None:
        self.send_error(404, "Not Found")

    def _unsure(self) -> None:
        """No length, the connection's end is the file's."""
        self.send_response(200)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(BODY)

    def _endless(self) -> None:
        """More digits than Python makes a number of."""
        self.send_response(200)
        self.send_header("Content-Length", "9" * 5000)
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(BODY)

    def _slow(self) -> None:
        self._head(200, len(BODY))
        self.wfile.write(BODY[:100])
        self.wfile.flush()
        self.server.let_go.wait(10)  # type: ignore[attr-defined]

    def _drip(self) -> None:
        self._head(200, len(BODY))
        for at in range(100):
            if self.server.let_go.wait(0.05):  # type: ignore[attr-defined]
                break
            try:
                self.wfile.write(BODY[at : at + 1])
            except OSError:
                break
        self.close_connection = True

    def _cut(self) -> None:
        self._head(200, len(BODY))
        self.wfile.write(BODY[: len(BODY) // 2])
        self.close_connection = True

    def _other(self) -> None:
        other = BODY[:-1] + b"?"
        self._head(200, len(other))
        self.wfile.write(other)

    def _moved(self) -> None:
        self._to("/file")

    def _to_file_scheme(self) -> None:
        self._to("file:///etc/hostname")

    def _to_plain_http(self) -> None:
        self._to("http://example.org/file")

    def _round(self) -> None:
        self._to("/round")

    def _nonsense(self) -> None:
        self.wfile.write(b"this is no HTTP\r\n\r\n")
        self.close_connection = True

    def _to(self, target: str) -> None:
        self.send_response(302)
        self.send_header("Location", target)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def _head(self, code: int, length: int) -> None:
        self.send_response(code)
        self.send_header("Content-Length", str(length))
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.asked: list[str] = []
        self.let_go = threading.Event()

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that hangs up is what some of these tests are about."""

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/{path}"


@pytest.fixture
def server() -> Iterator[_Server]:
    with _Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        yield server
        server.let_go.set()
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ARGUE_BENCH_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_file_is_fetched_once_and_verified(server: _Server, cache: Path) -> None:
    path = fetch_file(server.url("file"), RIGHT, "sets/one.txt")
    assert path == cache / "sets" / "one.txt"
    assert path.read_bytes() == BODY
    assert fetch_file(server.url("file"), RIGHT.upper(), "sets/one.txt") == path
    assert server.asked == ["/file"]


@pytest.mark.parametrize(
    ("path", "code", "says"),
    [
        ("gone", "not-fetched", "404 Not Found"),
        ("slow", "not-fetched", "timed out"),
        ("cut", "other-digest", "80,000 bytes are missing"),
        ("other", "other-digest", hashlib.sha256(BODY[:-1] + b"?").hexdigest()),
        ("to-file-scheme", "not-fetched", "file:///etc/hostname"),
        ("to-plain-http", "not-fetched", "http://example.org/file"),
        ("round", "not-fetched", "redirect"),
        ("nonsense", "not-fetched", "no HTTP"),
    ],
)
def test_what_goes_wrong_is_said_and_leaves_nothing(
    server: _Server, cache: Path, path: str, code: str, says: str
) -> None:
    with pytest.raises(DataError) as caught:
        fetch_file(server.url(path), RIGHT, "one.txt", timeout=0.5)
    (finding,) = caught.value.findings
    assert finding.code == code
    assert says in finding.message
    assert finding.file == server.url(path)
    assert str(cache / "one.txt") in finding.hint
    assert RIGHT in finding.hint
    assert not cache.exists() or list(cache.iterdir()) == []


def test_a_server_that_drips_is_left_in_time(server: _Server, cache: Path) -> None:
    before = time.monotonic()
    with pytest.raises(DataError, match=r"more than 0\.3 seconds"):
        fetch_file(server.url("drip"), RIGHT, "one.txt", within=0.3)
    assert time.monotonic() - before < 4
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize("path", ["file", "unsure"])
def test_more_than_is_wanted_is_refused(server: _Server, cache: Path, path: str) -> None:
    with pytest.raises(DataError) as caught:
        fetch_file(server.url(path), RIGHT, "one.txt", most_bytes=len(BODY) - 1)
    assert caught.value.findings[0].code == "too-large"
    assert list(cache.iterdir()) == []


def test_a_failure_leaves_the_older_copy(server: _Server, cache: Path) -> None:
    cache.mkdir()
    (cache / "one.txt").write_bytes(b"older")
    with pytest.raises(DataError):
        fetch_file(server.url("cut"), RIGHT, "one.txt")
    assert (cache / "one.txt").read_bytes() == b"older"


def test_a_cache_that_cannot_be_written(server: _Server, cache: Path) -> None:
    cache.write_text("a file, not a folder")
    with pytest.raises(DataError) as caught:
        fetch_file(server.url("file"), RIGHT, "one.txt")
    assert caught.value.findings[0].code == "not-written"
