"""Wikipedia's API, asked politely: one request at a time, with a pause; refusals for now are tried again, by
urllib3, after Retry-After or growing waits. A redirect is not followed, and a reply is bounded in bytes.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
import time
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from argue_bench.errors import MissingExtra, UsageError
from argue_bench.models.providers import is_base_url
from argue_bench.records import Evidence
from argue_bench.records.display import escape
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
_WAIT = 1.0
"""Seconds before the second try; each further one waits twice as long."""
SHOWN = 300
"""Characters of a failure that are shown."""


class NotFound(Exception):
    """The server answers that there is no such page."""


class Unreachable(Exception):
    """No reply in all tries; the text is the last reason."""


@dataclass
class MediaWiki:
    """Articles from a MediaWiki API, by default English Wikipedia's."""

    url: str = LIVE
    contact: str = ""
    epoch: str = EPOCH
    tries: int = 5
    pause: float = _PAUSE
    timeout: float = 30.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def __post_init__(self) -> None:
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

    def _get(self, query: str) -> bytes:
        """The body of a reply. Raises Unreachable, MissingExtra."""
        try:
            import urllib3
        except ImportError:
            raise MissingExtra("reading Wikipedia pages", "wiki") from None
        about = f"research on question answering; {self.contact}".removesuffix("; ")
        # No server or no network: waiting does not help.
        retries = urllib3.Retry(
            self.tries - 1, connect=0, status_forcelist=_RETRIED, backoff_factor=_WAIT
        )
        with self._lock, urllib3.PoolManager(retries=retries, timeout=self.timeout) as pool:
            time.sleep(self.pause)
            try:
                reply = pool.request(
                    "GET",
                    f"{self.url}?{query}",
                    headers={"User-Agent": f"argue-bench/{__version__} ({about})"},
                    redirect=False,
                    preload_content=False,
                )
                body = reply.read(MOST_BYTES + 1)
            except urllib3.exceptions.HTTPError as error:
                raise Unreachable(escape(str(error), SHOWN)) from None
        if reply.status != 200:
            raise Unreachable(f"the server answers {reply.status}")
        if len(body) > MOST_BYTES:
            raise Unreachable(f"the answer has more than {MOST_BYTES:,} bytes")
        return body

    def _ask(self, **parameters: Any) -> Any:
        body = self._get(urlencode({**parameters, "format": "json", "formatversion": 2}))
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
