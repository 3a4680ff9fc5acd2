"""Wikipedia at the date of FanOutQA's data set (Zhu et al. 2024, section 3).

from argue_bench import load_dev
from argue_bench.published.fanoutqa.wikipedia import wiki_content, wiki_search

question = load_dev("fanoutqa")[0]
text = wiki_content(question.evidence[0])          # Markdown, with tables and infoboxes
pages = wiki_search("first overall draft picks")   # more evidence, the best first

Each page and search is requested once: results are kept in the cache folder, whole files only; a page that
is not there is asked for again on the next run. Pages of
FanOutQA's published cache (``~/.cache/fanoutqa/wikicache``, or the folder that ``FANOUTQA_CACHE_DIR``
names) are read too; without a network the pages come from there. ``ARGUE_BENCH_WIKIPEDIA`` names another
MediaWiki API, and ``ARGUE_BENCH_CONTACT`` an address that the server is told.

The API is asked politely: one request at a time, with a pause; refusals for now are tried again, by
urllib3, after Retry-After or growing waits. A redirect is not followed, and a reply is bounded in bytes.

A page becomes Markdown with headings, lists, tables and infoboxes. Scripts, styles, edit links, pictures, navigation, hidden sort keys and lists of references are left out;
so are the numbers of footnotes, which would be read as citations of the answer that quotes them. Formulas
are TeX.

`OpenBook` gives a question the pages of its evidence, or those that searches find. Wikipedia's search finds pages that hold all words of a query, and few pages hold all words of a long
question. So the names and phrases of the question are searched for as well, until enough pages are found.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from argue_bench.errors import Code, DataError, Finding, UsageError, needing
from argue_bench.models.providers import is_base_url
from argue_bench.records import Document, Evidence, Question
from argue_bench.records.atomic import write_json, write_text
from argue_bench.records.display import escape
from argue_bench.records.untrusted import read_json
from argue_bench.records.validation import validate
from argue_bench.store.fetch import cache_folder
from argue_bench.text.vocabulary import STOP
from argue_bench.version import __version__

# Pages that an open-book search reads for one question: FanOutQA's own baseline reads as many.
PAGES_SEARCHED = 5
# Searches for one question, at most, since each is a request to Wikipedia's servers.
_SEARCHES = 5
_ASKING = "name list give tell find show first last next many much two three four five ten"
# Words that are no part of a phrase: those without content, and what questions ask with.
_COMMON = STOP | frozenset(_ASKING.split(" "))
_WORD = re.compile(r"(?:\w\.){2,}|\w[\w'’.&-]*\w|\w|[^\w\s]")
_OF = re.compile(r"([A-Z]\S*) (?:of|of the|for the) (?=[A-Z])")


class OpenBook:
    """The pages of Wikipedia that a system may read. Raises DataError where it cannot be reached."""

    def __init__(self) -> None:
        self._wikipedia = Wikipedia()

    def documents(self, question: Question) -> Mapping[str, Document]:
        """The pages of the question's evidence, by title."""
        return self._wikipedia.documents(question.evidence)

    def search(self, question: Question) -> Mapping[str, Document]:
        """The pages that searches for the question and its phrases find, by title."""
        pages: dict[str, Evidence] = {}
        for query in (question.text, *phrases(question.text))[:_SEARCHES]:
            for page in self._wikipedia.search(query, PAGES_SEARCHED):
                pages.setdefault(page.title, page)
            if len(pages) >= PAGES_SEARCHED:
                break
        return self._wikipedia.documents(
            list(pages.values())[:PAGES_SEARCHED], pass_over_missing=True
        )


def phrases(text: str) -> list[str]:
    """Names and phrases of an English question: the runs of words between stop words and marks.

    Those with a name come first, and of them the longest; a single word counts only if it is a name.

    >>> phrases("What is the batting hand of each of the first five picks in the 1998 MLB draft?")
    ['1998 MLB draft', 'batting hand']
    >>> phrases("Who fought in the War of the Third Coalition?")
    ['War of the Third Coalition']
    """
    runs: list[list[str]] = [[]]
    before = "."
    joined = _OF.sub(lambda name: name[0].replace(" ", "_"), text)
    for word in _WORD.findall(joined):
        named = word[0].isupper() and before not in ".?!"
        before = word
        if not word[0].isalnum() or (word.casefold() in _COMMON and not named):
            runs.append([])
        else:
            runs[-1].append(word.replace("_", " "))

    def weight(run: list[str]) -> tuple[bool, int]:
        return any(word[0].isupper() for word in run), len(" ".join(run).split())

    useful = [run for run in runs if run and weight(run) > (False, 1)]
    return list(dict.fromkeys(map(" ".join, sorted(useful, key=weight, reverse=True))))


__all__ = ["Wikipedia", "wiki_content", "wiki_search"]
# FanOutQA's day: pages are read as they were then.
EPOCH = "2023-11-20T00:00:00Z"
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
# Seconds before the second try; each further one waits twice as long.
_WAIT = 1.0
# Characters of a failure that are shown.
SHOWN = 300
_NO_CONTENT = (
    "script, style, link, meta, noscript, img, svg, .mw-editsection, .reference, .noprint, .navbox, "
    ".mw-empty-elt, .sistersitebox, .metadata, .toc, #toc, .mw-jump-link, .printfooter, .catlinks, "
    ".hatnote, .reflist, .mw-references-wrap, ol.references, .portalbox, .navigation-not-searchable, "
    "[style*='display:none'], [style*='display: none']"
)
_BLANK_LINES = re.compile(r"\n[ \t]*(?:\n[ \t]*)+\n")
_FOOTNOTE = re.compile(r"\[(?:\d{1,3}|[a-z]|note \d{1,3}|citation needed)\](?!\()", re.IGNORECASE)
_HEADING = re.compile(r"^(#{2,6}) [^\n]*\n+(?=(#{2,6}) |\Z)", re.MULTILINE)
_EXPONENT = re.compile(r"[+\-−]?\d+")
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff]")
_REPLACED = "\N{REPLACEMENT CHARACTER}"


class Wikipedia:
    """Pages and searches of one source, with a cache on disk.

    ``source`` is by default the one that the environment names, ``cache`` the cache folder's
    ``wikipedia``; ``known`` replaces the environment, which is read here and not on import.
    """

    def __init__(
        self,
        source: MediaWiki | None = None,
        cache: Path | None = None,
        known: Mapping[str, str] | None = None,
    ) -> None:
        known = os.environ if known is None else known
        self.source = source or MediaWiki(
            known.get("ARGUE_BENCH_WIKIPEDIA", "").strip() or LIVE,
            known.get("ARGUE_BENCH_CONTACT", "").strip(),
        )
        self._cache = cache or cache_folder() / "wikipedia"
        home = known.get("FANOUTQA_CACHE_DIR", "") or "~/.cache/fanoutqa"
        self._published = Path(home).expanduser() / "wikicache"
        # Pages that the server does not have, as long as this lives: tomorrow it may have them again.
        self._gone: set[Path] = set()

    def search(self, query: str, results: int = 10) -> list[Evidence]:
        """Pages for a query, the best first; none for an empty one. Raises DataError."""
        query = " ".join(query.encode("utf-8", "replace").decode().split())
        if not query or results < 1:
            return []
        digest = hashlib.sha256(f"{results} {query}".encode()).hexdigest()
        file = self._cache / self.source.name / f"search-{digest[:24]}.json"
        if not file.is_file():
            try:
                found = self.source.search(query[:300], results)
            except Unreachable as error:
                raise self._unreachable(f"the search {query[:80]!r}", error) from None
            write_json(file, [asdict(page) for page in found], indent=None)
        hint = "Remove the file; it is fetched again."
        return validate(list[Evidence], read_json(file), Code.WRONG_SHAPE, file, hint=hint)

    def content(self, page: Evidence) -> str:
        """A page as Markdown. Raises DataError: no such page at the epoch, no way to Wikipedia."""
        file = self._cache / self.source.name / f"{self.source.key(page)}.md"
        # An empty file says that there was no page, which the next run asks anew. Where a page has no id, the
        # published cache has no file of it.
        text = _read(file) or _read(self._published / f"{page.pageid}-dated.md")
        if not text and file not in self._gone:
            try:
                text = page_markdown(self.source.html(page))
            except NotFound:
                text = ""
            except Unreadable as error:
                raise DataError.of(
                    Code.UNREADABLE, f"{page.title} can't be read: {error}", page.url
                ) from None
            except Unreachable as error:
                raise self._unreachable(f"the page {page.title!r}", error) from None
            write_text(file, text)
        if not text or not text.strip():
            self._gone.add(file)
            raise DataError.of(
                Code.UNKNOWN_ID,
                f"{self.source.name} has no page {page.title!r}",
                page.url,
                hint="It was moved, removed, or made after the data set's day.",
            )
        return text

    def documents(
        self, pages: Iterable[Evidence], pass_over_missing: bool = False
    ) -> dict[str, Document]:
        """Pages as documents by title. Raises DataError with every page that could not be had.

        ``pass_over_missing``: leave out pages that are not there: a search of today finds new ones, and old ones are removed.
        """
        found: dict[str, Document] = {}
        findings: list[Finding] = []
        for page in pages:
            try:
                found[page.title] = Document(
                    page.title, self.content(page), page.title, url=page.url
                )
            except DataError as error:
                code = error.findings[0].code
                if not (pass_over_missing and code == Code.UNKNOWN_ID):
                    findings += error.findings
                if code == Code.NOT_FETCHED:
                    break  # each of the others would wait just as long
        if findings:
            raise DataError(findings)
        return found

    def _unreachable(self, title: str, error: Exception) -> DataError:
        return DataError.of(
            Code.NOT_FETCHED,
            f"{title} is not in the cache and could not be fetched: {error}",
            self._cache.as_posix(),
            hint="Unpack FanOutQA's published page cache (wikicache.tar.gz) so that "
            f"{self._published}/PAGEID-dated.md exist.",
        )


def wiki_search(query: str, results: int = 10) -> list[Evidence]:
    """Pages of English Wikipedia for a query, the best first. Raises DataError."""
    return Wikipedia().search(query, results)


def wiki_content(evidence: Evidence) -> str:
    """A page as Markdown, as it was at the data set's epoch. Raises DataError."""
    return Wikipedia().content(evidence)


def _read(file: Path) -> str | None:
    return file.read_text(encoding="utf-8", errors="replace") if file.is_file() else None


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
        rows = _at(
            self._ask(action="query", list="search", srsearch=query, srlimit=results),
            "query",
            "search",
        )
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
        which = (
            {"titles": page.title, "redirects": 1}
            if page.pageid is None
            else {"pageids": page.pageid}
        )
        found = self._ask(
            action="query", prop="revisions", rvprop="ids", rvlimit=1, rvstart=self.epoch, **which
        )
        revision = _at(found, "query", "pages", 0, "revisions", 0, "revid")
        if not isinstance(revision, int):
            raise NotFound(page.title)
        return revision

    def _get(self, query: str) -> bytes:
        """The body of a reply. Raises Unreachable, MissingExtra."""
        with needing("reading Wikipedia pages", "wiki"):
            import urllib3
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


class Unreadable(Exception):
    """The page can't be parsed."""


def page_markdown(html: str) -> str:
    """The page's content. Raises MissingExtra, and Unreadable for HTML that is nested too deeply."""
    with needing("reading Wikipedia pages", "wiki"):
        from bs4 import BeautifulSoup
        from markdownify import ATX
    try:
        # BeautifulSoup warns of a text that looks like an address, but not inside an element.
        page = BeautifulSoup(f"<div>{_UNWRITABLE.sub(_REPLACED, html)}</div>", "html.parser")
        # The API gives the content alone; a saved page has the site's frame around it.
        body = page.select_one("#mw-content-text") or page.body or page
        for formula in body.select("math"):
            _as_tex(formula)
        for element in body.select(_NO_CONTENT):
            element.decompose()
        for cell in body.select("[colspan]"):
            if not re.fullmatch(r"[1-9]\d?", str(cell["colspan"])):
                del cell["colspan"]  # a page must not make itself larger than a hundred columns
        text: str = _converter()(
            heading_style=ATX,
            bullets="*",
            table_infer_header=True,
            escape_misc=False,
            escape_asterisks=False,
            escape_underscores=False,
        ).convert_soup(body)
    except RecursionError:
        raise Unreadable("its HTML is nested too deeply") from None
    text = _UNWRITABLE.sub(_REPLACED, text.replace("\xa0", " "))  # from entities such as "&#0;"
    text = _BLANK_LINES.sub("\n\n", _FOOTNOTE.sub("", text))
    return _HEADING.sub(_unless_empty, text.strip() + "\n").strip()


def _as_tex(formula: Any) -> None:
    """Puts the TeX of a formula in the place of its MathML and of the picture beside it."""
    tex = str(formula.get("alttext") or formula.get_text(" ", strip=True))
    if tex.startswith(r"{\displaystyle") and tex.endswith("}"):
        tex = tex.removeprefix(r"{\displaystyle").removesuffix("}")
    (formula.find_parent(class_="mwe-math-element") or formula).replace_with(f"${tex.strip()}$")


def _unless_empty(match: re.Match[str]) -> str:
    """A heading that has text below it; nothing for one without."""
    level, following = match[1], match[2]
    return match[0] if following is not None and len(following) > len(level) else ""


@cache
def _converter() -> Any:
    import markdownify

    base: Any = markdownify.MarkdownConverter

    class Plain(base):  # type: ignore[misc, unused-ignore]
        """Markdown without the addresses of links, and with cells that hold one line."""

        def convert_a(self, el: Any, text: str, parent_tags: Any) -> str:
            return text

        def convert_sup(self, el: Any, text: str, parent_tags: Any) -> str:
            return f"^{text.strip()}" if _EXPONENT.fullmatch(text.strip()) else text

        def convert_td(self, el: Any, text: str, parent_tags: Any) -> str:
            return str(base.convert_td(self, el, _one_line(text), parent_tags))

        def convert_th(self, el: Any, text: str, parent_tags: Any) -> str:
            return str(base.convert_th(self, el, _one_line(text), parent_tags))

    return Plain


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", r"\|")
