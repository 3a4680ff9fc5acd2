"""Extracts title and text from the bytes of a page: HTML by trafilatura, PDF by pypdf, plain text
unchanged.

What comes from a server is not trusted: `TextReader` runs `read_page` in a process of its own, with a
bound on its memory and on the seconds of each page, and ends it where a page takes more.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from typing import Any

from argue_bench.errors import MissingExtra
from argue_bench.web.states import ENOUGH

MOST_TEXT = 200_000
"""Characters of a page's text that are kept."""
# A bound for what a hostile page may take; the pages that are read have at most 10 MB.
MEMORY = 2 << 30
# For one page; of ten megabytes of HTML trafilatura needs a few.
SECONDS = 20.0
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
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)
_TITLE = re.compile(r"<title[^>]*>(.{0,500}?)</title", re.IGNORECASE | re.DOTALL)


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
    """Title and text of a page, at most `MOST_TEXT` characters. Raises MissingExtra."""
    kind = kind_of(body, content_type)
    if kind == "html":
        found = _read_html(_decoded(body, content_type, _META_CHARSET), url)
    elif kind == "pdf":
        found = _read_pdf(body)
    elif kind == "plain":
        found = PageText("", _decoded(body, content_type, None).strip(), "plain")
    else:
        return PageText(problem="neither HTML, PDF nor plain text")
    text = found.text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")
    title = " ".join(found.title.encode("utf-8", "replace").decode("utf-8").split())[:300]
    cut = len(text) > MOST_TEXT
    return replace(found, title=title, text=text[:MOST_TEXT], truncated=cut or found.truncated)


def _decoded(body: bytes, content_type: str, inside: re.Pattern[bytes] | None) -> str:
    """The text of the bytes: by the header, else by what HTML declares, else UTF-8, else Latin."""
    named = _CHARSET.search(content_type)
    declared = inside.search(body[:4096]) if inside and not named else None
    names = [named[1] if named else "", declared[1].decode() if declared else "", "utf-8"]
    for name in filter(None, names):
        with suppress(UnicodeError, LookupError):
            return body.decode("utf-8-sig" if name.casefold() in ("utf-8", "utf8") else name)
    return body.decode("cp1252", "replace")


def _read_html(html: str, url: str) -> PageText:
    try:
        import trafilatura
    except ImportError:
        raise MissingExtra("reading web pages", "web") from None
    if "<html" not in html[:5_000].casefold():  # HTML may leave it out, trafilatura wants it
        html = f"<html><body>{html}</body></html>"
    # Named here, so that a file of settings on this machine changes no text.
    found = trafilatura.bare_extraction(
        html,
        url=url or None,
        include_comments=False,
        include_tables=True,
        include_links=False,
        with_metadata=True,
    )
    text = (getattr(found, "text", "") or "").strip()
    title = getattr(found, "title", "") or ""
    if not title and (match := _TITLE.search(html[:200_000])):
        from html import unescape

        title = unescape(match[1])
    extractor = f"trafilatura {version('trafilatura')}"
    # Pages of lists and tables have no main text by trafilatura's measure: then all of the page is
    # read.
    if len(text) < ENOUGH:
        whole = trafilatura.html2txt(html, clean=True).strip()
        if len(whole) > len(text):
            text, extractor = whole, f"{extractor} whole page"
    return PageText(title, text, extractor)


def _read_pdf(body: bytes) -> PageText:
    try:
        import pypdf
    except ImportError:
        raise MissingExtra("reading web pages", "web") from None
    from io import BytesIO

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
                    found = await self._ask(body, content_type, url)
            except TimeoutError:
                await self._end()
                return PageText(
                    problem=f"reading its text took more than {self._seconds:g} seconds"
                )
            except (OSError, asyncio.IncompleteReadError, ValueError):
                await self._end()
                return PageText(problem="reading its text needed more than is allowed")
        if missing := found.pop("missing", None):
            raise MissingExtra(str(missing), "web")
        return PageText(**found)

    async def _ask(self, body: bytes, content_type: str, url: str) -> dict[str, Any]:
        process = self._process or await self._start()
        if process.stdin is None or process.stdout is None:
            raise OSError("the process has no pipes")
        given = {"size": len(body), "content_type": content_type, "url": url}
        process.stdin.write(json.dumps(given).encode() + b"\n" + body)
        await process.stdin.drain()
        size = int(await process.stdout.readline() or b"x")
        found: dict[str, Any] = json.loads(await process.stdout.readexactly(size))
        return found

    async def _start(self) -> asyncio.subprocess.Process:
        command = [sys.executable, "-P", "-m", "argue_bench.web.worker", str(MEMORY)]
        self._process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            # No key or token of this process reaches the one that reads strangers' pages.
            env={
                name: os.environ[name]
                for name in ("PATH", "LANG", "SYSTEMROOT")
                if name in os.environ
            },
            start_new_session=True,  # Ctrl-C ends the fetching, which ends this process
        )
        return self._process

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


def answer_of(found: PageText) -> bytes:
    """The reply of the process: the size of the rest, a line end, the rest."""
    line = json.dumps(asdict(found)).encode()
    return b"%d\n" % len(line) + line
