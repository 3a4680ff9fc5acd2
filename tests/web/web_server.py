"""A web server on loopback that plays every host, with the bad days of the web; the path says which.

``asked`` counts requests by host and path. A path in ``held`` is answered when its event is set.
"""

from __future__ import annotations

import gzip
import ssl
import threading
import time
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WORDS = "The Harlow Bridge opened to traffic on 4 May 1931 after five years of work. "
PAGE = f"<html><head><title>The bridge</title></head><body><article><p>{WORDS * 5}</p></article></body></html>"
REDIRECTS = {
    "/to-page": "/page",
    "/to-other": "http://other.example/page",
    "/to-metadata": "http://169.254.169.254/latest/meta-data/",
    "/to-loopback": "http://[::1]/",
    "/to-decimal": "http://2130706433/",
    "/to-file": "file:///etc/passwd",
    "/to-script": "javascript:alert(1)",
    "/to-itself": "/to-itself",
    "/round-1": "/round-2",
    "/round-2": "/round-1",
    "/to-credentials": "http://user:word@other.example/",
}
STATUS = {
    "/missing": 404,
    "/gone": 410,
    "/refused": 403,
    "/login": 401,
    "/busy": 429,
    "/broken": 500,
}
TEXTS = {
    "/soft": "<title>Page not found</title><p>Sorry, the page was not found.</p>",
    "/challenge": "<title>Just a moment...</title><p>Enable JavaScript and cookies to continue</p>",
    "/wall": f"<title>News</title><article><p>{WORDS * 5}</p><p>Subscribe to continue reading.</p></article>",
    "/empty": "<title>Nothing</title><p>A few words.</p>",
    "/private/page": PAGE,
}


def pdf(words: str = WORDS, times: int = 8) -> bytes:
    """A PDF of one page; many ``times`` take any reader long."""
    stream = zlib.compress(
        b"BT /F1 9 Tf 20 700 Td 12 TL " + f"({words}) Tj T* ".encode() * times + b"ET"
    )
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 5 0 R/Resources<</Font<</F1 4 0 R>>>>>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(stream), stream),
    ]
    out, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(out))
        out += b"%d 0 obj%s endobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return (
        out
        + b"xref\n0 6\n0000000000 65535 f \n%strailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF"
        % (table, len(out))
    )


class WebServer(ThreadingHTTPServer):
    """The server with what it was asked."""

    daemon_threads = True

    def __init__(self, port: int = 0, tls: ssl.SSLContext | None = None) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        if tls is not None:  # the handshake is the handler's, so that a bad one holds up nobody
            self.socket = tls.wrap_socket(
                self.socket, server_side=True, do_handshake_on_connect=False
            )
        self.asked: Counter[str] = Counter()
        self.headers: dict[str, dict[str, str]] = {}
        self.times: list[tuple[str, float]] = []
        self.held: dict[str, threading.Event] = {}
        self.arrived = threading.Condition()
        self.robots = "User-agent: *\nDisallow: /private/\n"
        self.redirects: dict[str, str] = {}

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is no news."""

    def wait_for(self, path: str) -> None:
        """Waits until the path was asked."""
        with self.arrived:
            assert self.arrived.wait_for(lambda: any(k.endswith(path) for k in self.asked), 60)


class _Handler(BaseHTTPRequestHandler):
    server: WebServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Says nothing."""

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        host = (self.headers["Host"] or "").partition(":")[0]
        with self.server.arrived:
            self.server.asked[f"{host}{path}"] += 1
            self.server.times.append((host, time.monotonic()))
            self.server.headers[f"{host}{path}"] = dict(self.headers)
            self.server.arrived.notify_all()
        if event := self.server.held.get(path):
            event.wait(60)
        with suppress(ConnectionError):
            self._answer(path)

    def _answer(self, path: str) -> None:
        if path == "/robots.txt":
            self._send(200, self.server.robots.encode(), "text/plain")
        elif path in REDIRECTS or path in self.server.redirects:
            to = self.server.redirects.get(path) or REDIRECTS[path]
            self._send(302, b"", location=to)
        elif path in STATUS:
            self._send(STATUS[path], b"no")
        elif path in TEXTS:
            self._send(200, TEXTS[path].encode())
        elif path == "/paper.pdf":
            self._send(200, pdf(), "application/pdf")
        elif path == "/hangs.pdf":
            self._send(200, pdf(times=400_000), "application/pdf")
        elif path == "/image":
            self._send(200, b"\x89PNG\r\n\x1a\n", "image/png")
        elif path == "/program":
            self._send(200, b"\x7fELF\0\0\0\0" * 100, "text/html")
        elif path == "/bomb":
            self._send(200, gzip.compress(b"a" * 60_000_000), "text/plain", coding="gzip")
        elif path == "/chinese":
            words = "本桥于1931年5月4日通车，历时五年建成。设计师要求主跨为二百一十四米。" * 4
            self._send(
                200,
                f"<title>大桥</title><p>{words}</p>".encode("gb18030"),
                "text/html; charset=gb2312",
            )
        elif path in ("/endless", "/drips"):
            self._stream(path)
        else:
            self._send(200, PAGE.replace("The bridge", f"The bridge {path}").encode())

    def _stream(self, path: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Connection", "close")
        self.end_headers()
        while True:
            self.wfile.write(b"a" * 65_536 if path == "/endless" else b"a")
            self.wfile.flush()
            if path == "/drips":
                time.sleep(0.05)

    def _send(
        self, status: int, body: bytes, kind: str = "text/html; charset=utf-8", **more: str
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Set-Cookie", "seen=1")
        for name, value in more.items():
            header = {"coding": "Content-Encoding", "location": "Location"}[name]
            self.send_header(header, value)
        self.end_headers()
        self.wfile.write(body)


def on_a_usual_port(tls: ssl.SSLContext | None = None) -> WebServer:
    """A server on a port of those that hosts with a name may have, the first that is free."""
    for port in range(8000, 9000):
        with suppress(OSError):
            return WebServer(port, tls)
    raise OSError("no port from 8000 to 8999 is free")


@contextmanager
def web_server(server: WebServer | None = None) -> Iterator[WebServer]:
    """A running server."""
    server = server or WebServer()
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        for event in server.held.values():
            event.set()
        server.shutdown()
        server.server_close()
        thread.join()
