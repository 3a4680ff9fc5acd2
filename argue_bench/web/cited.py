"""The addresses that answers cite, read from any file of answers, so that their pages can be fetched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding
from argue_bench.loaders.findings import Findings
from argue_bench.loaders.rows.columns import look_up, recognise
from argue_bench.loaders.rows.contexts import unwrap
from argue_bench.loaders.rows.shapes import flatten
from argue_bench.loaders.rows.tables import file_rows
from argue_bench.web.addresses import Policy
from argue_bench.web.products import ProductAnswer, read_product_response
from argue_bench.web.products.web_answer import WebAnswer
from argue_bench.web.text import MOST_PROBLEMS, citation_problems, read_web_report

MOST_ADDRESSES = 1_000
"""Addresses of one answer that are fetched; an answer with more is told, and the rest is not asked."""

_Cited = tuple[Sequence[str], Sequence[str]]
"""The addresses of one answer, and the problems of its citations."""


@dataclass(frozen=True)
class CitedFile:
    """The addresses that the answers of a file cite, each once, in order; how many cite; what is wrong."""

    urls: tuple[str, ...]
    answers: int
    findings: tuple[Finding, ...]


def read_cited(path: Path, policy: Policy | None = None) -> CitedFile:
    """Every web address that an answer in the file cites. Raises DataError where nothing can be read.

    ``policy`` says which addresses are findings. The file holds answers, rows or saved responses.
    """
    found = Findings(path)
    urls: dict[str, None] = {}
    answers = 0
    policy = policy or Policy()
    for number, (cited, problems) in _answers(path, found):
        answers += 1
        own = list(dict.fromkeys(cited))
        for problem in problems[:MOST_PROBLEMS]:
            found.add(Code.CITATION_PLACE, problem, number, level="warning")
        if len(own) > MOST_ADDRESSES:
            message = (
                f"the answer cites {len(own):,} addresses; the first {MOST_ADDRESSES:,} are fetched"
            )
            found.add(Code.CITED_ADDRESS, message, number, level="warning")
        for url in own[:MOST_ADDRESSES]:
            if why := policy.refused(url):
                message = f"{url[:80]!r} is not fetched: {why}"
                found.add(Code.CITED_ADDRESS, message, number, level="warning")
            urls[url] = None
    if not answers and found.errors:
        raise DataError(found.all())
    return CitedFile(tuple(urls), answers, tuple(found.all()))


def _answers(path: Path, found: Findings) -> Iterator[tuple[int, _Cited]]:
    for number, row in file_rows(path, found):
        flat = flatten(row)
        named = recognise(flat, {})
        value = look_up(flat, named["answer"]) if "answer" in named else None
        cited = _in_row(value, row)
        if cited is None:
            message = "the row has no answer that is a text or a response of a product"
            found.add(Code.ROW_COLUMNS, message, number)
        else:
            yield number, cited


def _in_row(value: Any, row: Any) -> _Cited | None:
    """The citations of one answer; None where there is no answer."""
    # A response may stand in the answer's cell, or be the whole row.
    for given in (value, row):
        nested = unwrap(given) if isinstance(given, str) and given[:1] in "{[" else given
        response = given.given if isinstance(given, WebAnswer) else None
        if isinstance(nested, Mapping):
            response = read_product_response(nested)
        if isinstance(response, ProductAnswer):
            return [url for one in response.citations for url in one.urls], response.problems
    return _in_text(value) if isinstance(value, str) else None


def _in_text(text: str) -> _Cited:
    report = read_web_report(text)
    urls = [url for mark in report.marks for url in mark.urls]
    return urls, citation_problems(text, report)
