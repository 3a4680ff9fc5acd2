"""DeepScholar-Bench's own replies, references and reports, read as its program reads them.

Source as of `argue_bench.published.web_reports`: eval/evaluator/reference_coverage.py and
eval/parsers/deepscholar_base.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from difflib import SequenceMatcher
from math import isnan

from argue_bench.published.web_reports import Work

ALIKE = 0.8
"""difflib's ratio above which two titles are one work in its reference_coverage.py."""
_ARXIV_LINK = re.compile(r"\[([^\]]+)\]\((https?://[^)]+)\)")
_ARXIV_ID = re.compile(r"arxiv\.org/abs/([^)\s]+)")
# Its own list of words that titles are compared without.
_LEFT_OUT = frozenset(
    ["the", "a", "an", "and", "or", "but", "in", "on", "at", "to", "for", "of", "with", "by"]
)


def reply_supports(reply: str) -> bool:
    """Whether a judge's reply is 1 when all but letters, digits and _ are taken out."""
    return re.sub(r"\W", "", reply) == "1"


def reference_coverage(important: Iterable[Mapping[str, str]], found: Sequence[Work]) -> float:
    """The share of important references (``title``, ``arxiv_link``) that a found work is, by arXiv id or title.

    The id is looked for as a part of title or text, so that 2401.1234 is found in 2401.12345.
    """
    hits = total = 0
    for one in important:
        total += 1
        # The first number with a point in the link, which is the id of every new arXiv address.
        match = re.search(r"\d+\.\d+", str(one["arxiv_link"]).strip())
        title = _words_of(str(one["title"]).strip())
        hits += any(
            (match is not None and (match[0] in work.title or match[0] in work.text))
            or _alike(title, _words_of(work.title))
            for work in found
        )
    return hits / total if total else 0.0


def _alike(one: str, other: str) -> bool:
    return bool(one and other) and SequenceMatcher(None, one, other).ratio() > ALIKE


def _words_of(title: str) -> str:
    words = re.sub(r"[^\w\s]", "", title.lower()).split()
    return " ".join(word for word in words if word not in _LEFT_OUT and len(word) > 2)


def rounded_mean(values: Sequence[float | None]) -> float:
    """The mean, NaN counted 0, rounded to 2 decimals; 0 for nothing."""
    known = [0.0 if value is None or isnan(value) else value for value in values]
    return round(sum(known) / len(known), 2) if known else 0.0


def read_own_report(text: str, works: Mapping[str, Work]) -> tuple[str, list[Work]]:
    """The form that deepscholar_base writes: links to arXiv abstracts become numbers, others their words.

    ``works`` by arXiv id; one that is missing has no title and no text.
    """
    numbers: dict[str, int] = {}

    def number(match: re.Match[str]) -> str:
        id = _ARXIV_ID.search(match[2])
        # Another link is no citation: its words stay, and its address goes.
        if id is None:
            return match[1]
        return f"[{numbers.setdefault(id[1], len(numbers) + 1)}]"

    clean = _ARXIV_LINK.sub(number, text).strip()
    return clean, [works.get(id, Work("", "")) for id in numbers]
