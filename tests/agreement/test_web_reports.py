"""Reports that cite the web: every notation, every product's citations, every address."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from argue_bench.text.products import read_product_response
from argue_bench.text.web import identity_key, read_web_report
from tests.agreement.vectors import parameters, read


def cases(path: Path) -> Iterator[tuple[str, Any]]:
    for case in read(path)["cases"]:
        yield case["id"], case


@pytest.mark.parametrize("case", parameters("web_reports", "notations*.json", cases))
def test_a_notation(case: dict[str, Any]) -> None:
    report = read_web_report(case["text"], **case.get("options", {}))
    found = [
        {
            "start": mark.start,
            "end": mark.end,
            "kind": mark.kind,
            "ids": list(mark.ids),
            "urls": list(mark.urls),
            "locator": mark.locator,
            "statement": list(mark.statement) if mark.statement else None,
        }
        for mark in report.marks
    ]
    assert found == [{key: mark[key] for key in found_keys} for mark in case["markers"]]
    assert [reference._asdict() for reference in report.references] == case["references"]


found_keys = ("start", "end", "kind", "ids", "urls", "locator", "statement")


@pytest.mark.parametrize("case", parameters("web_reports", "structured*.json", cases))
def test_citations_of_a_product(case: dict[str, Any]) -> None:
    answer = read_product_response(case["payload"])
    assert answer is not None
    assert answer.text == case["expected"]["text"]
    found = [
        {
            "start": one.start,
            "end": one.end,
            "kind": one.kind,
            "ids": list(one.ids),
            "urls": list(one.urls),
            "source_quote": one.source_quote,
            "title": one.title,
            "source": one.source,
            "statement": list(one.statement) if one.statement else None,
            "text": None if one.start is None else answer.text[one.start : one.end],
        }
        for one in answer.citations
    ]
    wanted = case["expected"]["citations"]
    assert [
        {key: one[key] for key in want} for one, want in zip(found, wanted, strict=True)
    ] == wanted


def addresses(path: Path) -> Iterator[tuple[str, Any]]:
    for case in read(path)["identity"]:
        yield case["url"], case


@pytest.mark.parametrize("case", parameters("web_reports", "fetch_policy*.json", addresses))
def test_the_key_of_an_address(case: dict[str, str]) -> None:
    assert identity_key(case["url"]) == case["key"]
    assert identity_key(case["key"]) == case["key"]


def reports(path: Path) -> Iterator[tuple[str, Any]]:
    for row in read(path):
        yield f"{row['language']}-{row['id']}", row


@pytest.mark.parametrize("row", parameters("web_reports", "reports*.jsonl", reports))
def test_a_real_report(row: dict[str, Any]) -> None:
    report = read_web_report(row["article"])
    found = {
        "markers": len(report.marks),
        "references": len(report.references),
        "markers_without_url": sum(not mark.urls for mark in report.marks),
        "markers_without_statement": sum(mark.statement is None for mark in report.marks),
    }
    assert found == row["parsed"]
