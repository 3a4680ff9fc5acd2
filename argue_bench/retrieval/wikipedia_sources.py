"""Sources of Wikipedia's pages: its API at one day, or a Kiwix server with one archive.

`MediaWiki` asks MediaWiki's API for the last revision before the data set's epoch. `Kiwix` asks a
kiwix-serve for the page of its ZIM archive, whose day is the archive's, without a network. Both have:

    name                     the folder of the cache for its pages
    key(page)                the cache's name for a page, different for different requests
    search(query, results)   pages, the best first. Raises Unreachable
    html(page)               a page. Raises NotFound, Unreachable, Unreadable
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from argue_bench.errors import UsageError
from argue_bench.models.providers import is_base_url
from argue_bench.records import Evidence
from argue_bench.retrieval.wikipedia_http import NotFound, PoliteClient, Unreachable
from argue_bench.retrieval.wikipedia_text import Unreadable

EPOCH = "2023-11-20T00:00:00Z"
"""FanOutQA's day: pages are read as they were then."""
LIVE = "https://en.wikipedia.org/w/api.php"
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


@dataclass
class MediaWiki:
    """Articles from a MediaWiki API, by default English Wikipedia's."""

    url: str = LIVE
    contact: str = ""
    epoch: str = EPOCH
    http: PoliteClient = field(default_factory=lambda: PoliteClient(interval=_PAUSE))

    def __post_init__(self) -> None:
        self.http.contact = self.contact
        self.url = _address(self.url, "ARGUE_BENCH_WIKIPEDIA")

    @property
    def name(self) -> str:
        return f"{quote(urlsplit(self.url).netloc, safe='')}-{self.epoch[:10]}"

    def key(self, page: Evidence) -> str:
        if page.revid is not None:
            return f"revision-{page.revid:d}"
        return f"page-{page.pageid:d}" if page.pageid is not None else _digest(page.title)

    def search(self, query: str, results: int) -> list[Evidence]:
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


@dataclass
class Kiwix:
    """kiwix-serve at an address, with ``/content/BOOK`` behind it where it serves several books."""

    url: str
    http: PoliteClient = field(default_factory=PoliteClient)

    def __post_init__(self) -> None:
        self._root, _, self._named = _address(self.url, "ARGUE_BENCH_KIWIX").partition("/content/")

    @property
    def name(self) -> str:
        return f"kiwix-{quote(self.book, safe='')}"

    def key(self, page: Evidence) -> str:
        return _digest(page.title)

    @cached_property
    def book(self) -> str:
        """The archive to read: the one named, else the only one. Raises UsageError, Unreachable."""
        if self._named:
            return self._named.strip("/")
        feed = self.http.get(f"{self._root}/catalog/v2/entries?count=-1").decode("utf-8", "replace")
        books = list(dict.fromkeys(re.findall(r'href="[^"]*/content/([^"/?#]+)/?"', feed)))
        if len(books) == 1:
            return str(books[0])
        serves = ", ".join(books[:10]) or "no book"
        raise UsageError(
            f"{self._root} serves {serves}: say which, ARGUE_BENCH_KIWIX={self._root}/content/BOOK"
        )

    def search(self, query: str, results: int) -> list[Evidence]:
        asked = urlencode(
            {"pattern": query, "books.name": self.book, "format": "xml", "pageLength": results}
        )
        try:
            feed = self.http.get(f"{self._root}/search?{asked}").decode("utf-8", "replace")
        except NotFound:
            raise Unreachable(
                f"{self.book} has no full-text index: take an archive with one"
            ) from None
        items = re.findall(r"<item>(.*?)</item>", feed, re.DOTALL)
        found = [(_element(item, "title"), _element(item, "link")) for item in items]
        origin = "://".join(urlsplit(self._root)[:2])
        return [
            Evidence(None, None, title, link if "://" in link else f"{origin}{link}")
            for title, link in found[:results]
            if _is_title(title)
        ]

    def html(self, page: Evidence) -> str:
        if not _is_title(page.title):
            raise NotFound(page.title)
        path = quote(page.title.replace(" ", "_"), safe="/(),:'!")
        for place in (path, f"A/{path}"):  # archives before 2021 keep articles under A/
            try:
                return self.http.get(f"{self._root}/content/{self.book}/{place}").decode()
            except NotFound:
                continue
            except UnicodeDecodeError:
                raise Unreadable("it is not UTF-8") from None
        raise NotFound(page.title)


PageSource = MediaWiki | Kiwix


def source_of(known: Mapping[str, str]) -> PageSource:
    """The source that the environment names: ``ARGUE_BENCH_KIWIX`` first, else the live API at
    ``ARGUE_BENCH_WIKIPEDIA``, with ``ARGUE_BENCH_CONTACT`` (an address) in its user agent.
    """
    if url := known.get("ARGUE_BENCH_KIWIX", "").strip():
        return Kiwix(url)
    return MediaWiki(
        known.get("ARGUE_BENCH_WIKIPEDIA", "").strip() or LIVE,
        known.get("ARGUE_BENCH_CONTACT", "").strip(),
    )


def _address(url: str, variable: str) -> str:
    if not is_base_url(url):
        raise UsageError(f"{variable}: {url!r:.200} is not an address like http://localhost:8080")
    return url.rstrip("/")


def _digest(text: str) -> str:
    return f"title-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:24]}"


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


def _element(item: str, name: str) -> str:
    from html import unescape

    match = re.search(rf"<{name}>(?:<!\[CDATA\[)?(.*?)(?:\]\]>)?</{name}>", item, re.DOTALL)
    return unescape(match[1]).strip() if match else ""
