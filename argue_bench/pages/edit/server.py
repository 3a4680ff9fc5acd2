"""A server on the loopback address that shows the page for editing nuggets, and saves what comes back.

It answers whoever has the token that stands in the address: other users of the machine and other
pages in the browser do not. A request is refused whose Host header is not this address (DNS
rebinding), whose Origin is another page's, which lacks the token, is too large or is no JSON.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Callable, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock
from typing import Any
from urllib.parse import parse_qs, urlsplit

from argue_bench.drafting.gold import EditableNugget, nugget_from_json
from argue_bench.errors import DataError
from argue_bench.loaders.dataset import Dataset
from argue_bench.pages.edit.page import NONCE, edit_page
from argue_bench.records.untrusted import GOLD_LIMITS, parse_json

MOST_BYTES = 20_000_000
_SECONDS = 30
HOST = "127.0.0.1"


class EditServer(ThreadingHTTPServer):
    """Serves the page of a folder; ``save`` writes what a person sends, and says how many it wrote.

    Use it in a `with` and call ``serve_forever``.
    """

    daemon_threads = True

    def __init__(
        self,
        dataset: Dataset,
        nuggets: Sequence[EditableNugget],
        save: Callable[[Sequence[EditableNugget]], int],
        port: int = 0,
    ) -> None:
        super().__init__((HOST, port), _Handler)
        self.token = secrets.token_urlsafe(24)
        self.saving = Lock()
        self._dataset, self._save = dataset, save
        self._nuggets = list(nuggets)

    @property
    def address(self) -> str:
        """The address of the page, with the token."""
        return f"http://{HOST}:{self.server_port}/?token={self.token}"

    @property
    def hosts(self) -> tuple[str, ...]:
        """The values of a Host header that name this server."""
        return tuple(f"{name}:{self.server_port}" for name in (HOST, "localhost"))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignores the error: a reader may close the window before the reply is sent."""

    def page(self) -> str:
        """The page with the nuggets as they were last saved."""
        return edit_page(self._dataset, self._nuggets, self.token)

    def take(self, body: bytes) -> int:
        """Saves the nuggets in a body, all or none. Raises ValueError, saying what is wrong."""
        try:
            value = parse_json(body, "the page", 1, GOLD_LIMITS)
        except DataError as error:
            raise ValueError(error.findings[0].message) from None
        if not isinstance(value, list):
            raise ValueError("expected a list of nuggets")
        nuggets = [nugget_from_json(one, self._dataset) for one in value]
        with self.saving:  # two windows of one page must not write between each other's files
            count = self._save(nuggets)
            self._nuggets = nuggets
        return count


class _Handler(BaseHTTPRequestHandler):
    server: EditServer
    timeout = _SECONDS
    server_version, sys_version = "argue-bench", ""

    def do_GET(self) -> None:
        if not self._allowed(parse_qs(urlsplit(self.path).query).get("token", [""])[0]):
            return
        if urlsplit(self.path).path != "/":
            self._answer(HTTPStatus.NOT_FOUND, {"error": "there is only /"})
            return
        nonce = secrets.token_urlsafe(16)
        self._send(HTTPStatus.OK, "text/html", self.server.page().replace(NONCE, nonce), nonce)

    def do_POST(self) -> None:
        if not self._allowed(self.headers.get("X-Token", "")):
            return
        length = self.headers.get("Content-Length", "")
        if self.path != "/save":
            self._answer(HTTPStatus.NOT_FOUND, {"error": "there is only /save"})
        elif self.headers.get_content_type() != "application/json" or not length.isascii():
            self._answer(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, {"error": "send application/json"})
        elif not length.isdigit():
            self._answer(HTTPStatus.LENGTH_REQUIRED, {"error": "say how long it is"})
        elif int(length[:12]) > MOST_BYTES:
            self._answer(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, {"error": f"more than {MOST_BYTES:,} bytes"}
            )
        else:
            self._save(self.rfile.read(int(length)))

    def _save(self, body: bytes) -> None:
        try:
            count = self.server.take(body)
        except ValueError as error:
            self._answer(HTTPStatus.BAD_REQUEST, {"error": str(error)})
        except DataError as error:  # the disk refuses; nothing was replaced by half
            self._answer(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": str(error)})
        else:
            self._answer(HTTPStatus.OK, {"nuggets": count})

    def _allowed(self, token: str) -> bool:
        """Whether a request comes from the page; any other gets its refusal here."""
        origin = self.headers.get("Origin")
        host = self.headers.get("Host", "")
        if host not in self.server.hosts:
            self._answer(HTTPStatus.FORBIDDEN, {"error": "another host"})
        elif origin is not None and origin != f"http://{host}":
            self._answer(HTTPStatus.FORBIDDEN, {"error": "another page"})
        elif not hmac.compare_digest(token.encode(), self.server.token.encode()):
            self._answer(HTTPStatus.FORBIDDEN, {"error": "the token is missing or wrong"})
        else:
            return True
        return False

    def _answer(self, status: HTTPStatus, value: Any) -> None:
        # The body was not read: the connection must not go on with it.
        self.close_connection = True
        self._send(status, "application/json", json.dumps(value))

    def _send(self, status: HTTPStatus, kind: str, text: str, nonce: str = "") -> None:
        body = text.encode("utf-8", "replace")
        allowed = f"script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; connect-src 'self'; "
        self.send_response(status)
        for name, value in {
            "Content-Type": f"{kind}; charset=utf-8",
            "Content-Length": str(len(body)),
            "Content-Security-Policy": f"default-src 'none'; {allowed if nonce else ''}"
            "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Logs nothing: the terminal belongs to the command, and lines would contain the token."""
