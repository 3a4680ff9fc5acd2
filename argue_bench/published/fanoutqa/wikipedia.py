"""Wikipedia at the date of FanOutQA's data set (Zhu et al. 2024, section 3).

from argue_bench import load_dev
from argue_bench.published.fanoutqa.wikipedia import wiki_content, wiki_search

question = load_dev("fanoutqa")[0]
text = wiki_content(question.evidence[0])          # Markdown, with tables and infoboxes
pages = wiki_search("first overall draft picks")   # more evidence, the best first

Each page and search is requested once: results are kept in the cache folder, whole files only. Pages of
FanOutQA's published cache (``~/.cache/fanoutqa/wikicache``, or the folder that ``FANOUTQA_CACHE_DIR``
names) are read too; without a network the pages come from there. ``ARGUE_BENCH_WIKIPEDIA`` names another
MediaWiki API, and ``ARGUE_BENCH_CONTACT`` an address that the server is told.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path

from argue_bench.errors import Code, DataError, Finding
from argue_bench.published.fanoutqa.wikipedia_api import LIVE, MediaWiki, NotFound, Unreachable
from argue_bench.published.fanoutqa.wikipedia_text import Unreadable, page_markdown
from argue_bench.records import Document, Evidence
from argue_bench.records.atomic import atomic_write
from argue_bench.records.untrusted import read_json
from argue_bench.records.validation import validate
from argue_bench.store.fetch import cache_folder

__all__ = ["Wikipedia", "wiki_content", "wiki_search"]


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
            with atomic_write(file) as out:
                json.dump([asdict(page) for page in found], out, ensure_ascii=False)
        hint = "Remove the file; it is fetched again."
        return validate(list[Evidence], read_json(file), Code.WRONG_SHAPE, file, hint=hint)

    def content(self, page: Evidence) -> str:
        """A page as Markdown. Raises DataError: no such page at the epoch, no way to Wikipedia."""
        file = self._cache / self.source.name / f"{self.source.key(page)}.md"
        text = _read(file)
        if text is None and page.pageid is not None:
            text = _read(self._published / f"{page.pageid}-dated.md")
        if text is None:
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
            with atomic_write(file) as out:  # an empty file: the page does not exist
                out.write(text)
        if not text.strip():
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

        ``pass_over_missing``: leave out pages that did not exist, which a search of today may find.
        """
        found: dict[str, Document] = {}
        findings: list[Finding] = []
        for page in pages:
            try:
                text = self.content(page)
                found[page.title] = Document(page.title, text, page.title, url=page.url)
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
    try:
        return file.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DataError.of(
            Code.UNREADABLE,
            f"can't be read: {error.strerror}",
            file,
            hint="Change its permissions, or remove it.",
        ) from None
