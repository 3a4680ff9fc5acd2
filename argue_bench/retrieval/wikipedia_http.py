"""Polite HTTP requests to one server: one at a time, with a pause, bounded in time and number.

429, 5xx and MediaWiki's own "maxlag" and "ratelimited" are retried after Retry-After, else after growing
waits; everything else is final. Replies are bounded in bytes and in seconds, and a redirect may not leave
the server (`argue_bench.fetch`).
"""

from __future__ import annotations

import http.client
import socket
import threading
import time
import urllib.error
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from argue_bench import __version__
from argue_bench.fetch import RefusedRedirect, TooLarge, open_url, read_chunks
from argue_bench.models.faults import SHOWN, retry_after_seconds
from argue_bench.records.display import escape

MOST_BYTES = 1 << 24
_RETRIED = frozenset({408, 425, 429, 500, 502, 503, 504})


class NotFound(Exception):
    """The server answers that there is nothing under this address."""


class Unreachable(Exception):
    """No reply in all tries; the text is the last reason."""


class _Busy(Exception):
    """The server answered 200, but only to say that it is busy: the reason, and Retry-After."""


@dataclass
class PoliteClient:
    """Requests to one server. ``interval``: seconds between them; ``first_wait``: before the second
    try; ``timeout`` and ``within``: for each wait for bytes, and for a whole reply.
    """

    contact: str = ""
    interval: float = 0.0
    tries: int = 5
    first_wait: float = 1.0
    timeout: float = 30.0
    within: float = 120.0
    requests: int = 0
    """The number of requests sent."""
    _next: float = field(default=0.0, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def get(self, url: str) -> bytes:
        """The body. Raises NotFound for 404 and 410, Unreachable for every other failure."""
        wait, reason = self.first_wait, ""
        for attempt in range(self.tries):
            if attempt:
                time.sleep(wait)
            retry_after = ""
            try:
                return self._get_once(url)
            except urllib.error.HTTPError as error:
                with error:
                    if error.code in (404, 410):
                        raise NotFound(url) from None
                    reason = f"the server answers {error.code} {escape(str(error.reason), SHOWN)}"
                    if error.code not in _RETRIED:
                        break
                    retry_after = error.headers.get("Retry-After", "")
            except (OSError, http.client.HTTPException) as error:
                cause = getattr(error, "reason", None) or error
                reason = escape(str(cause), SHOWN) or type(error).__name__
                if isinstance(cause, (ConnectionRefusedError, socket.gaierror)):
                    break  # no server or no network: waiting does not help
            except _Busy as busy:
                reason, retry_after = busy.args
            asked = retry_after_seconds(retry_after)
            wait = asked if asked is not None else 2 * wait
        else:
            reason += f" ({self.tries} tries)"
        raise Unreachable(reason)

    def _get_once(self, url: str) -> bytes:
        agent = f"argue-bench/{__version__} (research on question answering; {self.contact})"

        def is_same_server(target: str) -> bool:
            return urlsplit(target)[:2] == urlsplit(url)[:2]

        with self._lock:
            time.sleep(max(0.0, self._next - time.monotonic()))
            self.requests += 1
            try:
                with open_url(
                    url, agent.replace("; )", ")"), self.timeout, is_same_server
                ) as response:
                    packed = response.headers.get("Content-Encoding", "identity")
                    if packed != "identity":
                        reason = f"the answer is in {escape(packed, SHOWN)} despite our header"
                        raise Unreachable(reason)
                    body = b"".join(read_chunks(response, MOST_BYTES, self.within))
                    lagging = response.headers.get("MediaWiki-API-Error", "")
                    if lagging in ("maxlag", "ratelimited"):
                        after = response.headers.get("Retry-After", "")
                        raise _Busy(f"the server says {lagging}", after)
                    return body
            except RefusedRedirect as error:
                reason = f"the server redirects to another: {escape(str(error), SHOWN)}"
                raise Unreachable(reason) from None
            except TooLarge:
                raise Unreachable(f"the answer has more than {MOST_BYTES:,} bytes") from None
            finally:
                self._next = time.monotonic() + self.interval
