"""How does one ask an encyclopedia politely? One request at a time, with a pause, and never endlessly.

429, 5xx and MediaWiki's own "maxlag" and "ratelimited" are tried again after what Retry-After says,
else after growing waits; everything else is final. Answers are bounded in bytes and in seconds, and a
redirect may not leave the server that was asked.
"""

from __future__ import annotations

import http.client
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass, field
from typing import Any

from argue_bench import __version__
from argue_bench.models.faults import SHOWN, retry_after_seconds
from argue_bench.records.display import escape

MOST_BYTES = 1 << 24
_AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
_CHUNK = 1 << 16


class NotFound(Exception):
    """The server answers, and says that there is no such thing."""


class Unreachable(Exception):
    """No answer for all the tries; the text says what came last."""


@dataclass
class PoliteClient:
    """Gets addresses of one server. ``interval``: seconds between requests; ``first_wait``:
    before the second try; ``timeout`` and ``within``: for each wait for bytes, and one answer's whole.
    """

    contact: str = ""
    interval: float = 0.0
    tries: int = 5
    first_wait: float = 1.0
    timeout: float = 30.0
    within: float = 120.0
    most_bytes: int = MOST_BYTES
    requests: int = 0
    """How many were sent."""
    _next: float = field(default=0.0, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def get(self, url: str) -> bytes:
        """The body. Raises NotFound for 404 and 410, Unreachable for what does not get better."""
        wait, said = self.first_wait, ""
        for attempt in range(self.tries):
            if attempt:
                time.sleep(wait)
            try:
                return self._once(url)
            except urllib.error.HTTPError as error:
                with error:
                    if error.code in (404, 410):
                        raise NotFound(url) from None
                    said = f"the server answers {error.code} {escape(str(error.reason), SHOWN)}"
                    if error.code not in _AGAIN:
                        break
                    asked = retry_after_seconds(error.headers.get("Retry-After", ""))
            except (OSError, http.client.HTTPException) as error:
                reason = getattr(error, "reason", None) or error
                said, asked = escape(str(reason), SHOWN) or type(error).__name__, None
                if isinstance(reason, (ConnectionRefusedError, socket.gaierror)):
                    break  # nobody is there, or there is no network: waiting does not mend it
            except Again as again:
                said, asked = again.reason, again.wait
            wait = asked if asked is not None else 2 * wait
        else:
            said += f" ({self.tries} tries)"
        raise Unreachable(said)

    def _once(self, url: str) -> bytes:
        agent = f"argue-bench/{__version__} (research on question answering; {self.contact})"
        request = urllib.request.Request(
            url, headers={"User-Agent": agent.replace("; )", ")"), "Accept-Encoding": "identity"}
        )
        with self._lock:
            time.sleep(max(0.0, self._next - time.monotonic()))
            self.requests += 1
            try:
                with _opener(url).open(request, timeout=self.timeout) as response:
                    body = self._body(response)
                    lagging = response.headers.get("MediaWiki-API-Error", "")
                    if lagging in ("maxlag", "ratelimited"):
                        after = response.headers.get("Retry-After", "")
                        raise Again(f"the server says {lagging}", retry_after_seconds(after))
                    return body
            finally:
                self._next = time.monotonic() + self.interval

    def _body(self, response: Any) -> bytes:
        if (coded := response.headers.get("Content-Encoding", "identity")) != "identity":
            raise Unreachable(f"the answer is in {escape(coded, SHOWN)}, which was not asked for")
        end, parts, size = time.monotonic() + self.within, [], 0
        while chunk := response.read1(_CHUNK):
            parts.append(chunk)
            size += len(chunk)
            if size > self.most_bytes:
                raise Unreachable(f"the answer has more than {self.most_bytes:,} bytes")
            if time.monotonic() > end:
                raise TimeoutError(f"the answer took more than {self.within:g} seconds")
        declared = response.headers.get("Content-Length")
        if declared is not None and declared.isdigit() and int(declared) != size:
            raise http.client.IncompleteRead(b"", int(declared) - size)
        return b"".join(parts)


class Again(Exception):
    """The server answered 200, but only to say that it is busy."""

    def __init__(self, reason: str, wait: float | None) -> None:
        super().__init__(reason)
        self.reason, self.wait = reason, wait


class _SameServer(urllib.request.HTTPRedirectHandler):
    """Follows a redirect within the server that was asked: moved pages, never another machine."""

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        old, new = urllib.parse.urlsplit(req.full_url), urllib.parse.urlsplit(newurl)
        if (old.scheme, old.netloc) != (new.scheme, new.netloc):
            fp.close()
            raise Unreachable(f"the server sends on to another: {escape(newurl, SHOWN)}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _opener(url: str) -> urllib.request.OpenerDirector:
    handlers: list[urllib.request.BaseHandler] = [_SameServer()]
    if urllib.parse.urlsplit(url).hostname in ("localhost", "127.0.0.1", "::1"):
        handlers.append(urllib.request.ProxyHandler({}))
    return urllib.request.build_opener(*handlers)
