"""Imports pages that were fetched before: WARC files, folders of pages, collections as JSON Lines.

    *.warc, *.warc.gz           responses of a crawl, also requests that were answered 404
    *.jsonl, *.jsonl.gz         a page a line: its address and its text, or its HTML
    a folder                    a mirror (HOST/PATH as wget writes it), or one with urls.tsv (ADDRESS TAB FILE)

Columns of JSON Lines are those of ClueWeb22 (URL, Clean-Text), BrowseComp-Plus (url, text, docid) and
common crawls (url, text|content|html). A page without an address is skipped and told.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import zlib
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import unquote

from argue_bench.errors import Code, DataError, Finding, MissingExtra
from argue_bench.records.untrusted import is_text
from argue_bench.sources.extraction import MOST_TEXT, TextReader, readable
from argue_bench.sources.snapshot import Journal, PageRecord, Snapshot, text_digest
from argue_bench.sources.states import state_of_status, state_of_text
from argue_bench.text.web import identity_key

MOST_BYTES = 10 << 20
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
                journal.keep({"page": json.loads(record.line())})
                count += 1
        if not count:
            raise DataError.of(
                Code.SNAPSHOT,
                "no page with an address can be read here",
                source,
                hint="See: argue-bench sources import --help",
            )
        return journal.finish()


async def _records(source: Path, reader: TextReader, tell: Tell) -> AsyncIterator[PageRecord]:
    name = source.name.casefold()
    try:
        if source.is_dir():
            for url, path in _files_of(source, tell):
                with path.open("rb") as file:
                    body = file.read(MOST_BYTES + 1)
                yield await _read(_base(url), body, _type_of(path), reader)
        elif name.endswith((".warc", ".warc.gz")):
            for record, raw in _responses(source, tell):
                done = raw is None
                yield (
                    record if done else await _read(record, raw or b"", record.content_type, reader)
                )
        else:
            for number, row in _rows(source, tell):
                found = await _of_row(row, reader)
                if found is None:
                    message = "the line has no web address with a text or HTML"
                    tell(Finding(Code.SNAPSHOT, message, str(source), number, level="warning"))
                else:
                    yield found
    except (OSError, EOFError, zlib.error) as error:
        message = f"the pages cannot be read: {getattr(error, 'strerror', None) or error}"
        raise DataError.of(Code.SNAPSHOT, message, source) from None


def _base(url: str, status: int = 200, fetched_at: str = "") -> PageRecord:
    return PageRecord(
        url,
        identity_key(url),
        "read",
        url,
        fetched_at=fetched_at,
        status=status,
        extractor="imported",
    )


async def _read(
    record: PageRecord, body: bytes, content_type: str, reader: TextReader
) -> PageRecord:
    if len(body) > MOST_BYTES:
        return replace(record, state="unsupported", reason=f"more than {MOST_BYTES:,} bytes")
    found = await reader.read(body, content_type, record.url)
    record = replace(
        record,
        content_type=content_type[:200],
        extractor=found.extractor,
        truncated=found.truncated,
        reason=found.problem,
    )
    if found.problem:
        return replace(record, state="unsupported")
    return _with_text(record, found.title, found.text)


def _with_text(record: PageRecord, title: str, text: str) -> PageRecord:
    return replace(
        record,
        title=title,
        text=text,
        text_sha256=text_digest(text) if text else "",
        state=state_of_text(title, text),
    )


# ---- folders


def _files_of(folder: Path, tell: Tell) -> Iterator[tuple[str, Path]]:
    """Address and file of each page: as urls.tsv says, else as the mirror's paths do."""
    root = folder.resolve()
    table = folder / "urls.tsv"
    if table.is_file():
        for number, line in _lines(table, tell):
            url, tab, name = line.decode("utf-8", "replace").partition("\t")
            path = (folder / name.strip()).resolve()
            inside = bool(tab) and path.is_relative_to(root) and path.is_file()
            if inside and url.strip().casefold().startswith(("http://", "https://")):
                yield url.strip(), path
            else:
                message = "expected a web address, a tab and a file of this folder"
                tell(Finding(Code.SNAPSHOT, message, str(table), number, level="warning"))
        return
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if not path.is_file() or path.is_symlink() or len(parts) < 2 or "." not in parts[0]:
            continue
        name = unquote("/".join(parts))
        for index in ("/index.html", "/index.htm"):
            name = name.removesuffix(index) + "/" if name.endswith(index) else name
        yield f"https://{name}", path


def _type_of(path: Path) -> str:
    suffix = path.suffix.casefold()
    return _SUFFIXES.get(suffix, "text/plain" if suffix in _TEXT_SUFFIXES else "")


# ---- JSON Lines


def _rows(source: Path, tell: Tell) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for number, line in _lines(source, tell):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if isinstance(row, Mapping) and all(is_text(v) for v in row.values() if isinstance(v, str)):
            yield number, row
        else:
            message = "the line is not a JSON object"
            if isinstance(row, Mapping):
                message = "a text of the line holds half a surrogate pair, which is not a character"
            tell(Finding(Code.SNAPSHOT, message, str(source), number, level="warning"))


def _lines(source: Path, tell: Tell) -> Iterator[tuple[int, bytes]]:
    """The lines that hold something, with their numbers; one that is too long is told and skipped."""
    with _opened(source) as file:
        number, skipping = 0, False
        while piece := file.readline(MOST_LINE + 1):
            whole, skipped = piece.endswith(b"\n"), skipping
            number += not skipped
            skipping = not whole and (skipped or len(piece) > MOST_LINE)
            if skipping and not skipped:
                message = f"the line has more than {MOST_LINE:,} bytes"
                tell(Finding(Code.SNAPSHOT, message, str(source), number, level="warning"))
            if not skipping and not skipped and piece.strip():
                yield number, piece


def _opened(source: Path) -> BinaryIO:
    if source.suffix.casefold() == ".gz":
        return gzip.open(source, "rb")  # type: ignore[return-value]
    return source.open("rb")


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
    return replace(_with_text(record, first(_TITLES)[:300], text[:MOST_TEXT]), truncated=cut)


# ---- WARC


def _responses(source: Path, tell: Tell) -> Iterator[tuple[PageRecord, bytes | None]]:
    """Each response with its body, None where there is no page to read in it."""
    try:
        from warcio.archiveiterator import ArchiveIterator
        from warcio.exceptions import ArchiveLoadFailed
    except ImportError:
        raise MissingExtra("importing WARC files", "web") from None
    with source.open("rb") as file:
        try:
            for entry in ArchiveIterator(file):
                if entry.rec_type != "response" or entry.http_headers is None:
                    continue
                url = entry.rec_headers.get_header("WARC-Target-URI") or ""
                if not url.startswith(("http://", "https://")):
                    continue
                code = entry.http_headers.get_statuscode()
                status = int(code) if code.isdecimal() else 0
                date = entry.rec_headers.get_header("WARC-Date") or ""
                kind = entry.http_headers.get_header("Content-Type") or ""
                record = replace(_base(url, status, date), content_type=kind[:200])
                state = state_of_status(status)
                if 300 <= status < 400:
                    continue
                if state != "read" or not readable(kind):
                    state = "unsupported" if state == "read" else state
                    why = (
                        f"the server answered {status}"
                        if status >= 300
                        else "a type that is not read"
                    )
                    yield replace(record, state=state, reason=why), None
                    continue
                yield record, entry.content_stream().read(MOST_BYTES + 1)
        except (ArchiveLoadFailed, ValueError) as error:
            message = f"the WARC file cannot be read to its end: {error}"
            tell(Finding(Code.SNAPSHOT, message[:200], str(source), level="warning"))


def write_warc(snapshot: Snapshot, path: Path) -> int:
    """Writes the raw pages of a snapshot as a WARC file, and returns how many. Raises MissingExtra, DataError."""
    try:
        from warcio.statusandheaders import StatusAndHeaders
        from warcio.warcwriter import WARCWriter
    except ImportError:
        raise MissingExtra("writing WARC files", "web") from None
    beside = path.with_name(f".{path.name}.part")
    count = 0
    try:
        with beside.open("wb") as file:
            writer = WARCWriter(file, gzip=path.suffix.casefold() == ".gz")
            for one in snapshot.records():
                raw = snapshot.folder / "raw" / one.raw_sha256
                if not one.raw_sha256 or not raw.is_file():
                    continue
                head = StatusAndHeaders(
                    f"{one.status} OK", [("Content-Type", one.content_type)], protocol="HTTP/1.1"
                )
                with raw.open("rb") as body:
                    entry = writer.create_warc_record(
                        one.final_url or one.url,
                        "response",
                        payload=body,
                        http_headers=head,
                        warc_headers_dict={"WARC-Date": one.fetched_at},
                    )
                    writer.write_record(entry)
                    entry.raw_stream.close()  # warcio's own copy, which it leaves open
                count += 1
        beside.replace(path)
    except OSError as error:
        message = f"the file could not be written: {error.strerror or error}"
        raise DataError.of(Code.NOT_WRITTEN, message, path) from None
    finally:
        beside.unlink(missing_ok=True)
    return count
