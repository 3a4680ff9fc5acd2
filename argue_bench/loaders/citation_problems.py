"""What is wrong with the citations of a report that cites the web, a sentence each."""

from __future__ import annotations

import re
from itertools import islice

from argue_bench.sources.addresses import MOST_CHARACTERS
from argue_bench.text.web import WebReport, read_web_report

MOST_PROBLEMS = 20
"""Problems of one answer that are told."""
_TOO_LONG = re.compile(rf"https?://[^\s)\]>]{{{MOST_CHARACTERS},}}")
_OTHER_SCHEME = re.compile(
    r"\]\(\s{0,9}<?((?:javascript|vbscript|data|file|ftp|blob):[^\s)]{0,200})", re.IGNORECASE
)


def citation_problems(text: str, report: WebReport | None = None) -> list[str]:
    """Marks that are given twice, links that lead to no web page, addresses that are too long."""
    problems = []
    first: dict[str, str | None] = {}
    for entry in (report or read_web_report(text)).references:
        if entry.id and first.setdefault(entry.id, entry.url) != entry.url:
            problems.append(f"the reference list gives [{entry.id[:20]}] twice; the first is read")
    for match in islice(_OTHER_SCHEME.finditer(text), MOST_PROBLEMS):
        problems.append(f"{match[1][:60]!r} is not an address of the web, so it cites nothing")
    for match in islice(_TOO_LONG.finditer(text), MOST_PROBLEMS):
        length = len(match[0])
        problems.append(f"{match[0][:60]!r}... has {length:,} characters, too many for an address")
    return problems
