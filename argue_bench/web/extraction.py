"""Extracts title and text from the bytes of a page (HTML by trafilatura, PDF by pypdf, plain text
unchanged), and says by these and the reply in which state its address is.

What comes from a server is not trusted: `TextReader` runs `read_page` in a process of its own, with a
bound on its memory and on the seconds of each page, and ends it where a page takes more. That process is
this module as a program: it opens no connection and writes no file.

The state of a fetched address, and the effect of each state on scores.

    read            2xx and at least 200 characters of text (80 of Chinese, Japanese or Korean)
    empty           2xx without such a text, or a page that says that nothing is there
    paywalled       401, 402, or a text that ends at a login or subscription
    blocked         403, 405, 429, 451 and other refusals, a challenge for browsers, robots.txt
    gone            404 or 410
    never_archived  404 or 410, and an archive answers that it never had the page
    unreachable     no such host, TLS, time out, 5xx, endless redirects
    unsupported     a type or size that is not read
    not_looked_up   no snapshot holds it, the archive failed, or the rules forbid to ask

A citation of a page that is gone, or that never was in an archive, is not supported: a reader cannot
check it. The other pages without text are left out of shares, and counted.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from importlib.util import find_spec
from io import BytesIO
from typing import get_args

from argue_bench.errors import MissingExtra
from argue_bench.records.question import State

STATES: tuple[State, ...] = get_args(State)
# What becomes of a citation of an address in each state.
EFFECTS: Mapping[State, str] = {
    "read": "judged",
    "empty": "left out",
    "paywalled": "left out",
    "blocked": "left out",
    "gone": "judged on its copy, unsupported without one",
    "never_archived": "unsupported",
    "unreachable": "left out; another day may differ (--retry)",
    "unsupported": "left out",
    "not_looked_up": "left out",
}
# A banner or an error page has less; a Chinese character says as much as two or three letters.
ENOUGH, ENOUGH_IDEOGRAPHS = 200, 80
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]")
_BY_STATUS: dict[int, State] = {
    401: "paywalled",
    402: "paywalled",
    404: "gone",
    408: "unreachable",
    410: "gone",
}
# Compiled by the first search: few who import this module read a page.
_NOT_THERE = (
    r"\b404\b|\bpage (?:was |could )?not (?:be )?found\b|\bnot found\b|no longer (?:exists|available)"
    r"|页面不存在|找不到.{0,6}页面|無法找到|ページが見つかりません"
)
_CHALLENGE = (
    r"just a moment|attention required|checking your browser|verify(?:ing)? (?:that )?you are (?:a )?human"
    r"|enable javascript and cookies|are you a robot|access denied|unusual traffic|captcha|安全验证"
)
_WALL = (
    r"(?:subscribe|log ?in|sign ?in|register|create an? (?:free )?account)[^.!?]{0,40}"
    r"\b(?:to|and) (?:continue|keep|read|unlock|access|view)"
    r"|already (?:a subscriber|have an account)|to continue reading|subscribers? only"
    r"|登录后(?:查看|阅读|继续)|订阅后|购买后阅读|会员专享"
)
# A page that says that it is missing, or asks for a human, says little else.
_SHORT = 1_500


def state_of_status(status: int) -> State:
    """The state after a last reply with this HTTP status; "read" and "gone" are looked at further."""
    if 200 <= status < 300:
        return "read"
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    return "blocked" if 400 <= status < 500 else "unreachable"


def _says(words: str, text: str) -> bool:
    return re.search(words, text, re.IGNORECASE) is not None


def state_of_text(title: str, text: str) -> State:
    """The state of a page with status 2xx, by its text."""
    short = len(text) < _SHORT
    if short and (_says(_CHALLENGE, title) or _says(_CHALLENGE, text[:400])):
        return "blocked"
    if short and (_says(_NOT_THERE, title) or _says(_NOT_THERE, text[:200])):
        return "empty"
    # A paywall stands where the text breaks off; earlier it is an advertisement.
    if _says(_WALL, text[-400:]):
        return "paywalled"
    ideographs = len(_IDEOGRAPH.findall(text[: 4 * ENOUGH]))
    enough = len(text) >= ENOUGH or ideographs >= ENOUGH_IDEOGRAPHS
    return "read" if enough else "empty"


# Characters of a page's text that are kept.
MOST_TEXT = 200_000
# A bound for what a hostile page may take; the pages that are read have at most 10 MB.
MEMORY = 2 << 30
# For one page; of ten megabytes of HTML trafilatura needs a few.
SECONDS = 20.0
# A reply of the process: a character takes up to twelve bytes where JSON escapes it.
_MOST_REPLY = 4 << 20
_TYPES = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/plain": "plain",
    "text/markdown": "plain",
    "text/x-markdown": "plain",
    "application/pdf": "pdf",
    "application/x-pdf": "pdf",
    "application/octet-stream": "",
    "": "",
}
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)


@dataclass(frozen=True)
class PageText:
    """The text of a page. ``problem`` says in words why there is none; ``extractor`` names
    the library."""

    title: str = ""
    text: str = ""
    extractor: str = ""
    truncated: bool = False
    problem: str = ""


def readable(content_type: str) -> bool:
    """Whether a page of this declared type is read; its first bytes decide in the end."""
    return content_type.partition(";")[0].strip().casefold() in _TYPES


def kind_of(body: bytes, content_type: str) -> str:
    """ "html", "pdf" or "plain" by the first bytes, else by the declared type; empty for anything else."""
    head = body[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith(b"%pdf-"):
        return "pdf"
    if re.match(
        rb"<(?:!doctype html|html|head|body|\?xml[^>]{0,200}>\s*<(?:!doctype html|html))", head
    ):
        return "html"
    # No text has a zero byte; servers send programs as text/html.
    if b"\0" in body[:4096]:
        return ""
    declared = _TYPES.get(content_type.partition(";")[0].strip().casefold())
    if declared == "pdf" or declared is None:
        return ""
    return declared or "plain"


def read_page(body: bytes, content_type: str = "", url: str = "") -> PageText:
    """Title and text of a page, at most `MOST_TEXT` characters."""
    kind = kind_of(body, content_type)
    if kind == "html":
        found = _read_html(_decoded(body, content_type), url)
    elif kind == "pdf":
        found = _read_pdf(body)
    elif kind == "plain":
        found = PageText("", _decoded(body, content_type).strip(), "plain")
    else:
        return PageText(problem="neither HTML, PDF nor plain text")
    text = found.text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")
    title = " ".join(found.title.encode("utf-8", "replace").decode("utf-8").split())[:300]
    cut = len(text) > MOST_TEXT
    return replace(found, title=title, text=text[:MOST_TEXT], truncated=cut or found.truncated)


def _decoded(body: bytes, content_type: str) -> str:
    """The text of the bytes: by the header, else UTF-8, else as the page itself declares, else Latin."""
    header, inside = map(_CHARSET.search, (content_type, body[:4096].decode("latin-1")))
    for name in (header and header[1], "utf-8", inside and inside[1]):
        with suppress(UnicodeError, LookupError):
            return body.decode(name or "utf-8").removeprefix("\ufeff")
    return body.decode("cp1252", "replace")


def _read_html(html: str, url: str) -> PageText:
    import trafilatura

    if "<html" not in html[:5_000].casefold():  # HTML may leave it out, trafilatura wants it
        html = f"<html><body>{html}</body></html>"
    title = trafilatura.extract_metadata(html).title or ""
    # Named here, so that a file of settings on this machine changes no text.
    text = trafilatura.extract(
        html,
        url=url or None,
        include_comments=False,
        include_tables=True,
        include_links=False,
    )
    text, extractor = (text or "").strip(), f"trafilatura {version('trafilatura')}"
    # Pages of lists and tables have no main text by trafilatura's measure: then all of the page is
    # read.
    if len(text) < ENOUGH:
        whole = trafilatura.html2txt(html, clean=True).strip()
        if len(whole) > len(text):
            text, extractor = whole, f"{extractor} whole page"
    return PageText(title, text, extractor)


def _read_pdf(body: bytes) -> PageText:
    import pypdf

    extractor = f"pypdf {version('pypdf')}"
    try:
        reader = pypdf.PdfReader(BytesIO(body))
        if reader.is_encrypted and not reader.decrypt(""):
            return PageText(problem="the PDF is encrypted", extractor=extractor)
        pages: list[str] = []
        length = 0
        for page in reader.pages:
            pages.append(page.extract_text())
            length += len(pages[-1])
            if length > MOST_TEXT:
                break
        title = str((reader.metadata and reader.metadata.title) or "")
    except Exception as error:  # pypdf raises anything on a broken file
        return PageText(
            problem=f"the PDF cannot be read: {type(error).__name__}", extractor=extractor
        )
    return PageText(title, "\f".join(pages).strip(), extractor, length > MOST_TEXT)


class TextReader:
    """Reads pages in another process, one after another. A context manager; ``seconds`` bound each page."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._process: asyncio.subprocess.Process | None = None
        self._lock = asyncio.Lock()

    async def __aenter__(self) -> TextReader:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._end()

    async def read(self, body: bytes, content_type: str, url: str) -> PageText:
        """The page's text; a page that takes too long or breaks the process has a problem. Raises MissingExtra."""
        async with self._lock:
            try:
                # A PDF has a process of its own, since its reader is the least bounded.
                if kind_of(body, content_type) == "pdf":
                    await self._end()
                async with asyncio.timeout(self._seconds):
                    return await self._ask(body, content_type, url)
            except TimeoutError:
                problem = f"reading its text took more than {self._seconds:g} seconds"
            except (OSError, ValueError):
                problem = "reading its text needed more than is allowed"
            await self._end()
            return PageText(problem=problem)

    async def _ask(self, body: bytes, content_type: str, url: str) -> PageText:
        process = self._process = self._process or await _start()
        if process.stdin is None or process.stdout is None:
            raise OSError("the process has no pipes")
        given = {"size": len(body), "content_type": content_type, "url": url}
        process.stdin.write(json.dumps(given).encode() + b"\n" + body)
        await process.stdin.drain()
        return PageText(**json.loads(await process.stdout.readline()))

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


async def _start() -> asyncio.subprocess.Process:
    need_web()
    return await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "argue_bench.web.extraction"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        limit=_MOST_REPLY,
        # No key or token of this process reaches the one that reads strangers' pages.
        env={
            name: os.environ[name] for name in ("PATH", "LANG", "SYSTEMROOT") if name in os.environ
        },
        start_new_session=True,  # Ctrl-C ends the fetching, which ends this process
    )


def need_web() -> None:
    """Raises MissingExtra where a library that fetches or reads pages is not installed."""
    if not all(map(find_spec, ("aiohttp", "protego", "pypdf", "trafilatura"))):
        raise MissingExtra("reading web pages", "web")


def serve() -> None:
    """Reads one page after another from standard input until it ends, bounded in memory."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        # A reader that was taken over by a page can then write no file.
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    while line := sys.stdin.buffer.readline():
        given = json.loads(line)
        body = sys.stdin.buffer.read(given["size"])
        try:
            found = read_page(body, given["content_type"], given["url"])
        except (Exception, RecursionError) as error:  # hostile pages break any reader
            found = PageText(problem=f"cannot be read: {type(error).__name__}")
        sys.stdout.write(json.dumps(asdict(found)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    serve()
