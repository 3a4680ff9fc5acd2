"""Snapshots: a folder with the pages at cited addresses when they were fetched, and the journal
of a fetch.

    sources.jsonl   one page a line, sorted by key; its SHA-256 is the snapshot's digest
    journal.jsonl   the pages that came so far while a fetch runs; the next fetch goes on from them

Scoring reads nothing else, so that the same snapshot gives the same scores, years later and offline. A page becomes a `WebPage`, of which a judge reads the best passages.
"""

from __future__ import annotations

import hashlib
import heapq
import json
import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, lru_cache
from io import BufferedReader
from pathlib import Path
from typing import Annotated, Any, BinaryIO, ClassVar

from pydantic import Field

from argue_bench.errors import Code, DataError
from argue_bench.records import Document, Source, State
from argue_bench.records.atomic import atomic_write
from argue_bench.records.digests import sha256
from argue_bench.records.untrusted import Limits, read_lines
from argue_bench.records.validation import strict, validate
from argue_bench.retrieval import Corpus, Passage
from argue_bench.web.extraction import PageText, state_of_text

# Between passages that do not follow each other, so that a judge sees that something is left out.
GAP = "\n[...]\n"
# On 114 labelled claims (WiCE) 8 passages of this size held the support of 95.6 %.
# The longest passage of a page, in characters.
PASSAGE = 1_000


@dataclass(frozen=True, slots=True)
class WebPage(Document):
    """A web page as it was when it was fetched; its id is the address's `identity_key`.

    ``passages``: how many passages of a long text a judge reads, 0 for the whole text.
    """

    fetched: ClassVar[bool] = True

    state: State = "read"
    passages: int = 0

    @classmethod
    def evidence_of(cls, documents: Sequence[Document], statement: str) -> Sequence[Source]:
        """The pages as they are, or of pages that are long together as many passages as of one long page.

        These are the passages that BM25+ ranks first for the statement, page by page in their order.
        """
        pages = [one for one in documents if isinstance(one, WebPage) and one.passages]
        most = max((one.passages for one in pages), default=0)
        # Pages that fit together are read whole, as a judge without this bound would read them.
        if sum(len(one.text) for one in pages) <= most * PASSAGE:
            return list(map(Source.of, documents))
        corpus, cut = _corpus(tuple(pages)), {one.id for one in pages}
        chosen: defaultdict[str, list[Passage]] = defaultdict(list)
        # A statement without any word finds nothing: then the pages' beginnings are read.
        for one in list(corpus.best(statement, most)) or corpus.passages[:most]:
            chosen[one.document].append(one)
        return [
            _joined(one, chosen[one.id]) if one.id in cut else Source.of(one)
            for one in documents
            if one.id in chosen or one.id not in cut
        ]


def _joined(document: Document, passages: Iterable[Passage]) -> Source:
    """The title and these passages of a page, in its order."""
    ordered = sorted(passages, key=lambda one: one.start)
    text = GAP.join(one.content.strip() for one in ordered)
    return Source(document.id, "\n".join(filter(None, (document.title, text))))


# The sentences of an answer are held against the same few pages.
@lru_cache(maxsize=16)
def _corpus(pages: tuple[WebPage, ...]) -> Corpus:
    return Corpus(pages, PASSAGE)


SOURCES, JOURNAL = "sources.jsonl", "journal.jsonl"
# A page has at most 200,000 characters, which take 1.2 MB as JSON where each is escaped.
LIMITS = Limits(line_bytes=4 << 20, file_bytes=1 << 36, lines=1 << 30)
# How many passages of a long page a judge reads by default.
PASSAGES = 8


@strict
@dataclass(frozen=True)
class PageRecord:
    """One address of a snapshot. ``key`` is its identity, ``hops`` the redirects up to ``final_url``."""

    url: str
    key: Annotated[str, Field(min_length=1)]
    state: State
    final_url: str = ""
    hops: tuple[str, ...] = ()
    fetched_at: str = ""
    """UTC, as 2026-01-31T12:00:00Z; empty where nothing was asked."""
    status: int = 0
    content_type: str = ""
    title: str = ""
    text: str = ""
    text_sha256: str = ""
    extractor: str = ""
    truncated: bool = False
    reason: str = ""
    """Why there is no text, in words."""

    def line(self) -> str:
        """The record as a line of sources.jsonl; the same record is always the same line."""
        # Empty fields are left out, so that a new field changes no digest of older snapshots.
        plain = {name: value for name, value in asdict(self).items() if value or name in _ALWAYS}
        if self.text and not self.text_sha256:
            plain["text_sha256"] = sha256(self.text.encode())
        return json.dumps(plain, ensure_ascii=False, sort_keys=True, separators=(",", ":")) + "\n"

    def with_text(self, found: PageText) -> PageRecord:
        """The record with what was extracted from its page, and the state that this text shows."""
        return replace(
            self,
            title=found.title,
            text=found.text,
            text_sha256=sha256(found.text.encode()) if found.text else "",
            extractor=found.extractor,
            truncated=found.truncated,
            reason=found.problem,
            state="unsupported" if found.problem else state_of_text(found.title, found.text),
        )

    def page(self, passages: int = 0) -> WebPage:
        """The document that an answer cites by this address."""
        return WebPage(
            self.key,
            self.text,
            self.title,
            date=self.fetched_at[:10],
            url=self.final_url or self.url,
            state=self.state,
            passages=passages,
        )


_EDITED = "A snapshot is never edited: fetch the pages again."
_ALWAYS = ("url", "key", "state", "fetched_at", "status", "title", "text")


def record_of(value: Any, file: str | Path = "", line: int | None = None) -> PageRecord:
    """The record in a line. Raises DataError saying what is wrong."""
    record = validate(PageRecord, value, Code.WRONG_SHAPE, file, line, hint=_EDITED)
    if record.text_sha256 != (sha256(record.text.encode()) if record.text else ""):
        why = "the text is not the one of its SHA-256"
        raise DataError.of(Code.WRONG_SHAPE, why, file, line, hint=_EDITED)
    return record


@dataclass(frozen=True)
class Snapshot:
    """A finished snapshot on disk."""

    folder: Path

    @property
    def file(self) -> Path:
        return self.folder / SOURCES

    @cached_property
    def digest(self) -> str:
        """SHA-256 of sources.jsonl. Raises DataError where there is none."""
        with self._opened() as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def records(self) -> Iterator[PageRecord]:
        """The records by key, one in memory at a time. Raises DataError at the first line that is none."""
        self._opened().close()
        before = ""
        for line in read_lines(self.file, LIMITS):
            if line.blank:
                continue
            if not line.ok:
                raise DataError(line.findings)
            record = record_of(line.value, self.file, line.number)
            # Sorted lines make the same pages the same bytes, and a double is seen without memory.
            if record.key <= before:
                why = "the page is in the wrong place, or occurs twice"
                raise DataError.of(Code.WRONG_SHAPE, why, self.file, line.number, hint=_EDITED)
            before = record.key
            yield record

    def pages(self, keys: Collection[str], passages: int = PASSAGES) -> dict[str, WebPage]:
        """The pages of these addresses by key; one that was not asked is "not_looked_up"."""
        wanted = frozenset(keys)
        found = {one.key: one.page(passages) for one in self.records() if one.key in wanted}
        return {
            key: found.get(key) or WebPage(key, "", url=key, state="not_looked_up")
            for key in sorted(wanted)
        }

    def _opened(self) -> BufferedReader:
        try:
            return self.file.open("rb")
        except OSError:
            hint = "Make one with: argue-bench sources fetch ANSWERS --out DIR"
            raise DataError.of(
                Code.WRONG_SHAPE, "this folder is not a finished snapshot", self.folder, hint=hint
            ) from None


@dataclass
class Journal:
    """The pages that came so far in a fetch, kept line by line: a fetch that was killed goes on after them.

    ``pages`` gives for a key the place of its line.
    """

    folder: Path
    pages: dict[str, int] = field(default_factory=dict)
    _file: BinaryIO = field(init=False, repr=False)

    def __enter__(self) -> Journal:
        path = self.folder / JOURNAL
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._file = path.open("a+b")
            self._file.seek(0)
            whole = 0
            for line in self._file:
                try:
                    key = record_of(json.loads(line)).key
                except (ValueError, DataError):
                    break  # the line that a killed process was writing
                self.pages[key] = whole
                whole += len(line)
            # What is cut off here would else be glued to the next line.
            self._file.truncate(whole)
        except OSError as error:
            raise _not_written(path, error) from None
        return self

    def __exit__(self, *error: object) -> None:
        self._file.close()

    def keep(self, record: PageRecord) -> None:
        """Adds a page. Raises DataError."""
        try:
            self.pages[record.key] = self._file.seek(0, os.SEEK_END)
            self._file.write(record.line().encode())
            self._file.flush()
        except OSError as error:
            raise _not_written(self.folder / JOURNAL, error) from None

    def finish(self) -> Snapshot:
        """Puts what came into sources.jsonl, beside what stood there, and removes the journal."""
        before = Snapshot(self.folder)
        known = before.records() if before.file.exists() else iter(())
        # A page that came anew takes the place of the one that was there.
        kept = (one for one in known if one.key not in self.pages)
        both = heapq.merge(kept, self._sorted_pages(), key=lambda one: one.key)
        with atomic_write(before.file) as file:
            file.writelines(one.line() for one in both)
        self.__exit__()
        with suppress(OSError):
            (self.folder / JOURNAL).unlink()
        return Snapshot(self.folder)

    def _sorted_pages(self) -> Iterator[PageRecord]:
        for _, place in sorted(self.pages.items()):
            self._file.seek(place)
            yield record_of(json.loads(self._file.readline()))


def _not_written(path: Path, error: OSError) -> DataError:
    message = f"the snapshot could not be written: {error.strerror or error}"
    return DataError.of(
        Code.NOT_WRITTEN, message, path, hint="What came so far is kept; run it again."
    )
