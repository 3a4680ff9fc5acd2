"""Imports pages that were fetched before: a page a line, its address and its text, or its HTML.

Columns are those of ClueWeb22 (URL, Clean-Text), BrowseComp-Plus (url, text, docid) and common crawls (url,
text|content|html). A page without an address is skipped and told.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding
from argue_bench.loaders.findings import Findings
from argue_bench.records.untrusted import read_lines
from argue_bench.web.extraction import MOST_TEXT, PageText, TextReader
from argue_bench.web.snapshot import LIMITS, Journal, PageRecord, Snapshot
from argue_bench.web.text import identity_key

# As many as are fetched of a page (web.Bounds).
MOST_LINE = 10 << 20
_URLS = ("url", "URL", "uri", "link", "target_uri", "address")
_TEXTS = ("text", "Clean-Text", "clean_text", "contents", "content", "body", "extracted_text")
_HTMLS = ("html", "raw_html", "HTML")
_TITLES = ("title", "Title", "headline")
_DATES = ("fetched_at", "date", "timestamp", "crawl_date")
_HTML_TYPE = "text/html; charset=utf-8"


def import_sources(source: Path, folder: Path) -> tuple[Snapshot, list[Finding]]:
    """Adds the pages of ``source`` to the snapshot in ``folder``; a page that it has is replaced.

    The findings are on lines that hold no page. Raises DataError where nothing can be read or written, MissingExtra.
    """
    return asyncio.run(_import(source, folder))


async def _import(source: Path, folder: Path) -> tuple[Snapshot, list[Finding]]:
    found = Findings(source)
    with Journal(folder) as journal:
        async with TextReader() as reader:
            for line in read_lines(source, replace(LIMITS, line_bytes=MOST_LINE)):
                found.extend(replace(one, level="warning") for one in line.findings)
                if not line.read:
                    continue
                row = line.value if isinstance(line.value, Mapping) else {}
                if (record := await _page(row, reader)) is not None:
                    journal.keep(record)
                else:
                    why = "the line has no web address with a text or HTML"
                    found.add(Code.WRONG_SHAPE, why, line.number, level="warning")
        if not journal.pages:
            hint = "See: argue-bench sources import --help"
            found.add(Code.WRONG_SHAPE, "no page with an address can be read here", hint=hint)
            raise DataError(found.all())
        return journal.finish(), found.all()


async def _page(row: Mapping[str, Any], reader: TextReader) -> PageRecord | None:
    """The page in a row; None where it has no address, or neither text nor HTML."""

    def first(names: tuple[str, ...]) -> str:
        return next(
            (row[name] for name in names if isinstance(row.get(name), str) and row[name]), ""
        )

    url = first(_URLS).strip()
    text, html = first(_TEXTS), first(_HTMLS)
    if not url.casefold().startswith(("http://", "https://")) or not (text or html):
        return None
    date = first(_DATES)[:40]
    record = PageRecord(url, identity_key(url), "read", url, fetched_at=date, status=200)
    if text:
        cut = len(text) > MOST_TEXT
        return record.with_text(PageText(first(_TITLES)[:300], text[:MOST_TEXT], "imported", cut))
    read = await reader.read(html.encode("utf-8", "replace"), _HTML_TYPE, url)
    return replace(record.with_text(read), content_type=_HTML_TYPE)
