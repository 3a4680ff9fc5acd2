"""Wikipedia's API, asked politely: one request at a time, with a pause, bounded in time and number.

429, 5xx and MediaWiki's own "maxlag" and "ratelimited" are retried after Retry-After, else after growing
waits; everything else is final. Replies are bounded in bytes and in seconds, and a redirect may not leave
the server (`argue_bench.store.fetch`).
"""

from __future__ import annotations

import hashlib
import http.client
import json
import re
import socket
import threading
import time
import urllib.error
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from argue_bench.errors import UsageError
from argue_bench.models.faults import SHOWN, retry_after_seconds
from argue_bench.models.providers import is_base_url
from argue_bench.records import Evidence
from argue_bench.records.display import escape
from argue_bench.store.fetch import RefusedRedirect, TooLarge, open_url, read_chunks
from argue_bench.version import __version__

EPOCH = "2023-11-20T00:00:00Z"
"""FanOutQA's day: pages are read as they were then."""
LIVE = "https://en.wikipedia.org/w/api.php"
# Seconds between two requests: Wikimedia asks programs to send one after another.
_PAUSE = 0.2
_GONE = frozenset(
    [
        "nosuchrevid",
        "missingtitle",
        "nosuchpageid",
        "missingcontent-revid",
        "missingcontent-pageid",
        "permissiondenied",
        "invalidtitle",
    ]
)
_NO_TITLE = re.compile(r"[\x00-\x1f\x7f#<>\[\]{}|]")


# The longest articles are a few MB of HTML.
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


@dataclass
class MediaWiki:
    """Articles from a MediaWiki API, by default English Wikipedia's."""

    url: str = LIVE
    contact: str = ""
    epoch: str = EPOCH
    http: PoliteClient = field(default_factory=lambda: PoliteClient(interval=_PAUSE))

    def __post_init__(self) -> None:
        self.http.contact = self.contact
        if not is_base_url(self.url):
            said = f"{self.url!r:.200} is not an address like http://localhost:8080"
            raise UsageError(f"ARGUE_BENCH_WIKIPEDIA: {said}")
        self.url = self.url.rstrip("/")

    @property
    def name(self) -> str:
        """The folder of the cache for its pages."""
        return f"{quote(urlsplit(self.url).netloc, safe='')}-{self.epoch[:10]}"

    def key(self, page: Evidence) -> str:
        """The cache's name for a page, different for different requests."""
        if page.revid is not None:
            return f"revision-{page.revid:d}"
        if page.pageid is not None:
            return f"page-{page.pageid:d}"
        return f"title-{hashlib.sha256(page.title.encode('utf-8', 'replace')).hexdigest()[:24]}"

    def search(self, query: str, results: int) -> list[Evidence]:
        """Pages, the best first. Raises Unreachable."""
        found = self._ask(action="query", list="search", srsearch=query, srlimit=results)
        rows = _at(found, "query", "search")
        origin = "://".join(urlsplit(self.url)[:2])
        return [
            Evidence(
                row["pageid"],
                None,
                row["title"],
                f"{origin}/wiki/{quote(row['title'].replace(' ', '_'))}",
            )
            for row in (rows if isinstance(rows, list) else [])
            if isinstance(_at(row, "pageid"), int) and _is_title(_at(row, "title"))
        ]

    def html(self, page: Evidence) -> str:
        """A page. Raises NotFound, Unreachable."""
        revision = page.revid if page.revid is not None else self._revision(page)
        found = self._ask(action="parse", oldid=revision, prop="text", disableeditsection=1)
        text = _at(found, "parse", "text")
        if not isinstance(text, str):
            raise Unreachable("the API's reply has no page")
        return text

    def _revision(self, page: Evidence) -> int:
        """The last revision before the epoch; by title where the page has no id."""
        if page.pageid is None and not _is_title(page.title):
            raise NotFound(page.title)
        by_title = {"titles": page.title, "redirects": 1}
        which = by_title if page.pageid is None else {"pageids": page.pageid}
        found = self._ask(
            action="query", prop="revisions", rvprop="ids", rvlimit=1, rvstart=self.epoch, **which
        )
        revision = _at(found, "query", "pages", 0, "revisions", 0, "revid")
        if not isinstance(revision, int):
            raise NotFound(page.title)
        return revision

    def _ask(self, **parameters: Any) -> Any:
        # maxlag=5 is what Wikimedia asks of programs: the server refuses while its copies lag.
        shape = {"format": "json", "formatversion": 2, "maxlag": 5}
        body = self.http.get(f"{self.url}?{urlencode({**parameters, **shape})}")
        try:
            reply = json.loads(body)
        except (ValueError, RecursionError):
            raise Unreachable("the server answers with something that is not JSON") from None
        if error := _at(reply, "error"):
            code = str(_at(error, "code"))
            if code in _GONE:
                raise NotFound(code)
            raise Unreachable(f"the API refuses: {code}: {str(_at(error, 'info'))[:200]}")
        return reply


def _is_title(text: Any) -> bool:
    """Whether MediaWiki could have a page of this name: "A|B" would be two pages, "../A" a path."""
    if not isinstance(text, str) or not text.strip() or _NO_TITLE.search(text):
        return False
    whole = not any("\ud800" <= letter <= "\udfff" for letter in text)
    return whole and len(text.encode()) <= 255 and not {".", ".."} & set(text.split("/"))


def _at(value: Any, *keys: str | int) -> Any:
    """The value under these keys and places of a server's JSON, or None."""
    for key in keys:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
    return value
