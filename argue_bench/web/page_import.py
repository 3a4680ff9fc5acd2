"""Imports pages that were fetched before: collections as JSON Lines, and folders of pages.

    *.jsonl     a page a line: its address and its text, or its HTML
    a folder    a mirror (HOST/PATH as wget writes it)

Columns of JSON Lines are those of ClueWeb22 (URL, Clean-Text), BrowseComp-Plus (url, text, docid) and
common crawls (url, text|content|html). A page without an address is skipped and told.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from argue_bench.errors import Code, DataError, Finding
from argue_bench.records.untrusted import read_lines
from argue_bench.web.extraction import MOST_TEXT, PageText, TextReader
from argue_bench.web.snapshot import LIMITS, Journal, PageRecord, Snapshot
from argue_bench.web.text import identity_key

# As many as are fetched of a page (web.Bounds).
MOST_BYTES = 10 << 20
# JSON may write a byte of a page in up to four characters.
MOST_LINE = 4 * MOST_BYTES
_URLS = ("url", "URL", "uri", "link", "target_uri", "address")
_TEXTS = ("text", "Clean-Text", "clean_text", "contents", "content", "body", "extracted_text")
_HTMLS = ("html", "raw_html", "HTML")
_TITLES = ("title", "Title", "headline")
_DATES = ("fetched_at", "date", "timestamp", "crawl_date")
_SUFFIXES = {".html": "text/html", ".htm": "text/html", ".pdf": "application/pdf"}
_TEXT_SUFFIXES = (".txt", ".md", ".markdown")
Tell = Callable[[Finding], None]


def import_sources(
    source: Path, folder: Path, tell: Tell, reader_seconds: float = 20.0
) -> Snapshot:
    """Adds the pages of ``source`` to the snapshot in ``folder``; a page that it has is replaced.

    Raises DataError where nothing can be read or written, MissingExtra.
    """
    return asyncio.run(_import(source, folder, tell, reader_seconds))


async def _import(source: Path, folder: Path, tell: Tell, seconds: float) -> Snapshot:
    count = 0
    with Journal(folder) as journal:
        async with TextReader(seconds) as reader:
            async for record in _records(source, reader, tell):
                journal.keep(record)
                count += 1
        if not count:
            raise DataError.of(
                Code.WRONG_SHAPE,
                "no page with an address can be read here",
                source,
                hint="See: argue-bench sources import --help",
            )
        return journal.finish()


async def _records(source: Path, reader: TextReader, tell: Tell) -> AsyncIterator[PageRecord]:
    if source.is_dir():
        for url, path in _files_of(source):
            try:
                with path.open("rb") as file:
                    body = file.read(MOST_BYTES + 1)
            except OSError as error:
                message = f"the pages cannot be read: {error.strerror or error}"
                raise DataError.of(Code.WRONG_SHAPE, message, path) from None
            yield await _read(_base(url), body, _type_of(path), reader)
        return
    for line in read_lines(source, replace(LIMITS, line_bytes=MOST_LINE)):
        for finding in line.findings:
            tell(replace(finding, level="warning"))
        if not line.read:
            continue
        row = line.value if isinstance(line.value, Mapping) else {}
        if (found := await _of_row(row, reader)) is None:
            message = "the line has no web address with a text or HTML"
            tell(Finding(Code.WRONG_SHAPE, message, str(source), line.number, level="warning"))
        else:
            yield found


def _base(url: str, fetched_at: str = "") -> PageRecord:
    return PageRecord(
        url,
        identity_key(url),
        "read",
        url,
        fetched_at=fetched_at,
        status=200,
        extractor="imported",
    )


async def _read(
    record: PageRecord, body: bytes, content_type: str, reader: TextReader
) -> PageRecord:
    if len(body) > MOST_BYTES:
        return replace(record, state="unsupported", reason=f"more than {MOST_BYTES:,} bytes")
    found = await reader.read(body, content_type, record.url)
    return replace(record.with_text(found), content_type=content_type[:200])


def _files_of(folder: Path) -> Iterator[tuple[str, Path]]:
    """Address and file of each page, as the mirror's paths say them."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        # A link could lead to any file of this machine, whose text would then be published.
        if not path.is_file() or path.is_symlink() or len(parts) < 2 or "." not in parts[0]:
            continue
        name = unquote("/".join(parts))
        for index in ("/index.html", "/index.htm"):
            name = name.removesuffix(index) + "/" if name.endswith(index) else name
        yield f"https://{name}", path


def _type_of(path: Path) -> str:
    suffix = path.suffix.casefold()
    return _SUFFIXES.get(suffix, "text/plain" if suffix in _TEXT_SUFFIXES else "")


async def _of_row(row: Mapping[str, Any], reader: TextReader) -> PageRecord | None:
    def first(names: tuple[str, ...]) -> str:
        return next(
            (row[name] for name in names if isinstance(row.get(name), str) and row[name]), ""
        )

    url = first(_URLS).strip()
    text, html = first(_TEXTS), first(_HTMLS)
    if not url.casefold().startswith(("http://", "https://")) or not (text or html):
        return None
    record = _base(url, fetched_at=first(_DATES)[:40])
    if not text:
        return await _read(
            record, html.encode("utf-8", "replace"), "text/html; charset=utf-8", reader
        )
    cut = len(text) > MOST_TEXT
    return record.with_text(PageText(first(_TITLES)[:300], text[:MOST_TEXT], "imported", cut))
