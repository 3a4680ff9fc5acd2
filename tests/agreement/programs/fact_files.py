"""FACT's own files: its stages, and both ways of counting what they leave.

Sources as of `argue_bench.published.web_reports`. A row is one task as the stages leave it:
``citations`` (what a model extracted), ``citations_deduped`` (URL to ``facts``, ``url_content``,
``validate_res``, ``validate_error``). The program pools all tasks, leaves out what the judge calls
unknown, pages that could not be judged, and tasks without citations. What stops the program (a missing
key, a blank line, nothing to count) is a problem that is told here; the rest counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean
from typing import Any, NamedTuple

from argue_bench.errors import ArgueBenchError

NO_PAGE = "scrape failed"
"""What the content of a page begins with that could not be fetched."""
EXTRACTION_FAILED = "extraction failed"
TRIES = 3
"""Attempts at a page, and at a reply that cannot be read, in scrape.py, deduplicate.py and validate.py."""
Row = Mapping[str, Any]
# Links in facts and fragments in addresses, as extract.py cuts them.
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_FRAGMENT = re.compile(r"(\]\([^()\s]*?)#:~:text=[^()]*\)")


@dataclass(frozen=True)
class FactScores:
    """Both ways of counting the program's files, and the rows that stop it.

    ``total``, ``effective``: judged and supported citations a task; ``accuracy``: their quotient; None
    where there is nothing to divide by. ``paper_*``: the same of the paper.
    """

    total: float | None
    effective: float | None
    accuracy: float | None
    paper_effective: float | None
    paper_accuracy: float | None
    problems: tuple[str, ...] = ()


class _Task(NamedTuple):
    """Facts of one task: of all pages, judged by the program, supported by either count."""

    facts: int = 0
    judged: int = 0
    supported: int = 0
    paper_supported: int = 0


def _count_task(row: Row) -> _Task:
    """Counts the pages of one task. Raises KeyError where a key is missing that the program reads."""
    facts = judged = supported = fetched = 0
    for page in row["citations_deduped"].values():
        own = len(page.get("facts") or ())
        facts += own
        if page["validate_error"] is None:
            results = [one["result"] for one in page["validate_res"]]
            yes = results.count("supported")
            supported += yes
            judged += len(results) - results.count("unknown")
            # The program believes a judge that calls a page supporting which could not be fetched.
            if not str(page.get("url_content") or "").startswith(NO_PAGE):
                fetched += min(yes, own)
    return _Task(facts, judged, supported, fetched)


def score_tasks(rows: Iterable[Row | str]) -> FactScores:
    """The scores of judged tasks; a row may be a line of the program's file."""
    problems: list[str] = []
    by_code: list[_Task] = []
    by_paper: list[_Task] = []
    for number, given in enumerate(rows, 1):
        try:
            row = json.loads(given) if isinstance(given, str) else given
            cites = bool(row["citations"])
            # A task without citations has no pages to count.
            empty = row["citations"] == [] and not row.get("citations_deduped")
            counts = _Task() if empty else _count_task(row)
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
            problems.append(f"row {number}: {type(error).__name__}: {error}")
            # A blank line stops the program, but is no task of the paper.
            if not (isinstance(given, str) and not given.strip()):
                by_paper.append(_Task())
            continue
        by_paper.append(counts)
        if cites:
            by_code.append(counts)
    judged = sum(one.judged for one in by_code)
    supported = sum(one.supported for one in by_code)
    if not judged:
        problems.append("no judgment can be counted, so that there is no rate")
    shares = [one.paper_supported / one.facts if one.facts else 0.0 for one in by_paper]
    return FactScores(
        judged / len(by_code) if by_code else None,
        supported / len(by_code) if by_code else None,
        supported / judged if judged else None,
        fmean(one.paper_supported for one in by_paper) if by_paper else None,
        fmean(shares) if shares else None,
        tuple(problems),
    )


# ---- the stages before: what the program makes of a model's replies


def without_fragments(article: str, path: str) -> str:
    """The report as the model sees it: text fragments are cut from links if the path says "openai"."""
    return _FRAGMENT.sub(r"\1)", article) if "openai" in path else article


def _json_of(reply: str) -> Any:
    return json.loads(reply.replace("```json", "").replace("```", ""))


def extracted(reply: str) -> list[dict[str, Any]] | str | None:
    """The citations in an extraction reply; `EXTRACTION_FAILED` for none, None where it cannot be read."""
    if not reply:
        return EXTRACTION_FAILED
    # Models write "\\>" in JSON, which is no escape there.
    for sign in "><+~":
        reply = reply.replace("\\" + sign, sign)
    try:
        return [{**one, "fact": _LINK.sub(r"[\1]", one["fact"])} for one in _json_of(reply)]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def by_url(citations: Iterable[Mapping[str, Any]]) -> dict[str, list[str]]:
    """Facts by the exact URL text, in order; null is the text "null". Raises KeyError without a URL."""
    groups: dict[str, list[str]] = {}
    for one in citations:
        url = "null" if one["url"] is None else str(one["url"])
        groups.setdefault(url, []).append(one["fact"])
    return groups


def kept(facts: Sequence[str], ask: Callable[[], str]) -> list[str]:
    """The facts that the model keeps, by numbers from 1. One fact is not asked about.

    An unreadable reply is asked again, twice. An empty list, a 0, or more numbers than facts keep
    all; a repeated number repeats its fact, and -1 is the last but one. Raises IndexError beyond.
    """
    # There is nothing to merge, and the program saves the call.
    if len(facts) == 1:
        return list(facts)
    for _ in range(TRIES):
        try:
            numbers = _json_of(ask())
            # After such a reply the program keeps every fact.
            whole = not numbers or 0 in numbers or len(numbers) > len(facts)
            places = [] if whole else [int(one) - 1 for one in numbers]
        except (ValueError, TypeError, RecursionError):
            continue
        return list(facts) if whole else [facts[place] for place in places]
    return list(facts)


def page_content(url: str, read: Callable[[str], Mapping[str, str]]) -> str:
    """Title, description and text of a page, or after three failures the words "scrape failed"."""
    reason = ""
    for _ in range(TRIES):
        try:
            page = read(url)
        except ArgueBenchError as error:
            reason = str(error)
            continue
        return "\n\n".join((page["title"], page["description"], page["content"]))
    return f"{NO_PAGE}: {reason}"


def validated(
    facts: Sequence[str], ask: Callable[[], str]
) -> tuple[list[dict[str, Any]], str | None]:
    """The judgments of one page and None, or none and why; they pair with facts by place alone."""
    problem: str | None = None
    for _ in range(TRIES):
        try:
            found = [{"idx": one["idx"] - 1, "result": one["result"]} for one in _json_of(ask())]
        except (ValueError, TypeError, KeyError, RecursionError, ArgueBenchError) as error:
            problem = str(error)
            continue
        # Judgments in another order go to the wrong facts: the program reads "idx", and pairs by place.
        if len(found) == len(facts):
            return found, None
        problem = ""
    return [], problem


@dataclass
class Pipeline:
    """All stages in the program's order; ``ask(stage, what)`` is the model, ``read(url)`` fetches a page.

    ``ask`` and ``read`` raise an error of ours where they fail. After `run`, ``stages`` holds the rows
    of each stage and ``problems`` what would have stopped the program; a task with one is left out.
    """

    ask: Callable[[str, Any], str]
    read: Callable[[str], Mapping[str, str]]
    stages: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    def run(
        self, reports: Sequence[Row], languages: Mapping[Any, str], path: str = ""
    ) -> FactScores:
        """The scores of these reports; those without a language are left out, as in the program."""
        known = [one for one in reports if one["id"] in languages]
        rows = self._stage("extract", known, partial(self._extract, path))
        rows = self._stage("deduplicate", rows, self._deduplicate)
        for stage, change in (("scrape", self._scrape), ("validate", self._validate)):
            rows = self._stage(stage, rows, partial(_each_page, change))
        return score_tasks(rows)

    def _stage(
        self, name: str, rows: Sequence[Row], change: Callable[[Row], dict[str, Any] | None]
    ) -> list[dict[str, Any]]:
        done = self.stages[name] = []
        for row in rows:
            try:
                if (changed := change(row)) is not None:
                    done.append(changed)
            except (KeyError, IndexError, ArgueBenchError) as error:
                self.problems.append(f"report {row['id']}: {type(error).__name__}: {error}")
        return done

    def _extract(self, path: str, row: Row) -> dict[str, Any] | None:
        article = without_fragments(row["article"], path)
        found = extracted(self.ask("extract", {**row, "article": article}))
        return None if found is None else {**row, "citations": found}

    def _deduplicate(self, row: Row) -> dict[str, Any] | None:
        if row["citations"] == EXTRACTION_FAILED:
            return None
        pages = {
            url: {"facts": kept(own, partial(self.ask, "deduplicate", own)), "url_content": None}
            for url, own in by_url(row["citations"]).items()
        }
        return {**row, "citations_deduped": pages}

    def _scrape(self, row: Row, url: str, page: dict[str, Any]) -> dict[str, Any]:
        return {**page, "url_content": page_content(url, self.read)}

    def _validate(self, row: Row, url: str, page: dict[str, Any]) -> dict[str, Any]:
        results, error = validated(page["facts"], lambda: self.ask("validate", page))
        return {**page, "article_id": row["id"], "validate_res": results, "validate_error": error}


def _each_page(
    change: Callable[[Row, str, dict[str, Any]], dict[str, Any]], row: Row
) -> dict[str, Any]:
    pages = row["citations_deduped"].items()
    return {**row, "citations_deduped": {url: change(row, url, page) for url, page in pages}}
