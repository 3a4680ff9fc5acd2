"""FACT, the citation measures of DeepResearch Bench, counted as its program and as its paper do.

Sources: Ayanami0730/deep_research_bench 214741e, utils/{extract,deduplicate,scrape,validate,stat}.py;
Du et al. 2025 (arXiv 2506.11763, appendix E, equations 4 to 6).

A row is one task as the stages leave it: ``citations`` (what a model extracted), ``citations_deduped``
(URL to ``facts``, ``url_content``, ``validate_res``, ``validate_error``). The program pools all tasks,
leaves out what the judge calls unknown, pages that could not be judged, and tasks without citations.
The paper takes the mean over all tasks, and what was not found to be supported is not. What stops the
program (a missing key, a blank line, nothing to count) is a problem that is told here; the rest counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import fmean
from typing import Any

from argue_bench.errors import ArgueBenchError

NO_PAGE = "scrape failed"
"""What the content of a page begins with that could not be fetched."""
EXTRACTION_FAILED = "extraction failed"
TRIES = 3
Row = Mapping[str, Any]
_LINK = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_FRAGMENT = re.compile(r"(\]\([^()\s]*?)#:~:text=[^()]*\)")


@dataclass(frozen=True)
class FactScores:
    """Both ways of counting, what the program leaves out, and the rows that stop it.

    ``total``, ``effective``: judged and supported citations a task; ``accuracy``: their quotient; None
    where there is nothing to divide by. ``paper_*``: the same of the paper.
    """

    total: float | None
    effective: float | None
    accuracy: float | None
    paper_effective: float | None
    paper_accuracy: float | None
    unknown: int = 0
    failed: int = 0
    """Facts of pages whose judging failed."""
    uncited: int = 0
    """Tasks without a citation."""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class TaskCounts:
    """Facts of one task: ``facts`` of all pages, ``judged`` by the program, ``supported`` by either count."""

    facts: int = 0
    judged: int = 0
    supported: int = 0
    paper_supported: int = 0
    unknown: int = 0
    failed: int = 0


def count_task(row: Row) -> TaskCounts:
    """Counts the pages of one task. Raises KeyError where a key is missing that the program reads."""
    facts = judged = supported = fetched = unknown = failed = 0
    for page in row["citations_deduped"].values():
        own = len(page.get("facts") or ())
        facts += own
        if page["validate_error"] is not None:
            failed += own
            continue
        results = [one["result"] for one in page["validate_res"]]
        yes = results.count("supported")
        supported += yes
        unknown += results.count("unknown")
        judged += len(results) - results.count("unknown")
        if not str(page.get("url_content") or "").startswith(NO_PAGE):
            fetched += min(yes, own)
    return TaskCounts(facts, judged, supported, fetched, unknown, failed)


def score_tasks(rows: Iterable[Row | str]) -> FactScores:
    """The scores of judged tasks; a row may be a line of the program's file."""
    problems: list[str] = []
    by_code: list[TaskCounts] = []
    by_paper: list[TaskCounts] = []
    uncited = 0
    for number, given in enumerate(rows, 1):
        try:
            row = json.loads(given) if isinstance(given, str) else given
            cites = bool(row["citations"])
            counts = (
                TaskCounts()
                if row["citations"] == [] and not row.get("citations_deduped")
                else count_task(row)
            )
        except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
            problems.append(f"row {number}: {type(error).__name__}: {error}")
            if not (isinstance(given, str) and not given.strip()):
                by_paper.append(TaskCounts())
            continue
        by_paper.append(counts)
        uncited += not cites
        if cites:
            by_code.append(counts)
    judged = sum(one.judged for one in by_code)
    supported = sum(one.supported for one in by_code)
    if not judged:
        problems.append("no judgment can be counted, so that there is no rate")
    tasks = len(by_code)
    return FactScores(
        judged / tasks if tasks else None,
        supported / tasks if tasks else None,
        supported / judged if judged else None,
        fmean(one.paper_supported for one in by_paper) if by_paper else None,
        fmean(one.paper_supported / one.facts if one.facts else 0.0 for one in by_paper)
        if by_paper
        else None,
        sum(one.unknown for one in by_code),
        sum(one.failed for one in by_code),
        uncited,
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
    if len(facts) == 1:
        return list(facts)
    for _ in range(TRIES):
        try:
            numbers = _json_of(ask())
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
        rows = self._extract([one for one in reports if one["id"] in languages], path)
        self.stages["extract"] = rows
        self.stages["deduplicate"] = rows = self._deduplicate(rows)
        self.stages["scrape"] = rows = self._each_page(
            rows, lambda row, url, page: {**page, "url_content": page_content(url, self.read)}
        )
        self.stages["validate"] = rows = self._each_page(rows, self._validate)
        return score_tasks(rows)

    def _extract(self, reports: Sequence[Row], path: str) -> list[dict[str, Any]]:
        rows = []
        for report in reports:
            article = without_fragments(report["article"], path)
            try:
                found = extracted(self.ask("extract", {**report, "article": article}))
            except ArgueBenchError as error:
                self.problems.append(f"report {report['id']}: {error}")
                continue
            if found is not None:
                rows.append({**report, "citations": found})
        return rows

    def _deduplicate(self, before: Sequence[Row]) -> list[dict[str, Any]]:
        rows = []
        for row in before:
            if row["citations"] == EXTRACTION_FAILED:
                continue
            try:
                pages = {
                    url: {
                        "facts": kept(own, partial(self.ask, "deduplicate", own)),
                        "url_content": None,
                    }
                    for url, own in by_url(row["citations"]).items()
                }
            except (KeyError, IndexError, ArgueBenchError) as error:
                self.problems.append(f"report {row['id']}: {type(error).__name__}: {error}")
                continue
            rows.append({**row, "citations_deduped": pages})
        return rows

    def _each_page(
        self, before: Sequence[Row], change: Callable[[Row, str, dict[str, Any]], dict[str, Any]]
    ) -> list[dict[str, Any]]:
        return [
            {
                **row,
                "citations_deduped": {
                    url: change(row, url, page) for url, page in row["citations_deduped"].items()
                },
            }
            for row in before
        ]

    def _validate(self, row: Row, url: str, page: dict[str, Any]) -> dict[str, Any]:
        results, error = validated(page["facts"], lambda: self.ask("validate", page))
        return {**page, "article_id": row["id"], "validate_res": results, "validate_error": error}
