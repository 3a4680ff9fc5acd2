"""Answers that cite web pages: reports with addresses, and responses as products return them.

    {"id": "q1", "answer": "It opened in 1931 ([site](https://a.example/1))."}
    {"id": "q1", "response": {"content": [{"type": "text", "text": "...", "citations": [...]}]}}

A page is a document whose ``url`` is the cited address (compared by `argue_bench.web.text.identity_key`);
a page that the data set does not hold keeps its address, so that its citation supports nothing. `read_cited` finds the addresses that any file of answers cites, so that their pages can be
fetched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding
from argue_bench.loaders.answers import citation_indexes
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import EXCERPT, Findings, json_kind
from argue_bench.loaders.rows.columns import flatten, look_up, recognise, unwrap
from argue_bench.loaders.rows.tables import file_rows
from argue_bench.records import Answer
from argue_bench.records.untrusted import read_lines
from argue_bench.web.addresses import Policy
from argue_bench.web.products import ProductAnswer, read_product_response
from argue_bench.web.products.response_rows import WebAnswer, read_web_answer
from argue_bench.web.snapshot import PASSAGE, PASSAGES, Snapshot
from argue_bench.web.text import MOST_PROBLEMS, citation_problems, read_web_report

# Addresses of one answer that are fetched; an answer with more is told, and the rest is not asked.
MOST_ADDRESSES = 1_000

# The addresses of one answer, and the problems of its citations.
_Cited = tuple[Sequence[str], Sequence[str]]


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
        value = look_up(flat, recognise(flat).get("answer", ""))
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
    return [url for mark in report.marks for url in mark.urls], citation_problems(text, report)


def read_web_answers(path: Path, dataset: Dataset) -> dict[str, Answer]:
    """The answers by question id. Raises DataError with every finding."""
    read, findings = read_web_answer_file(path, dataset)
    if any(finding.level == "error" for finding in findings):
        raise DataError(findings)
    return read


def read_web_answer_file(path: Path, dataset: Dataset) -> tuple[dict[str, Answer], list[Finding]]:
    """The valid answers by question id, and the findings on the others.

    A citation of a response that has no place in its text is a warning; the answer is read.
    """
    found = Findings(path)
    index = citation_indexes(dataset)
    read: dict[str, Answer] = {}
    for line in read_lines(path):
        found.extend(line.findings)
        if not line.read:
            continue
        id, given = _given(line.value, line.number, dataset, found)
        if given is None or id is None:
            continue
        if id in read:
            hint = "Keep one of the two; the first is read."
            message = f"the question {id[:EXCERPT]!r} was answered before"
            found.add(Code.DUPLICATE_ID, message, line.number, "/id", hint)
            continue
        asked = dataset.by_id[id]
        read[id] = read_web_answer(id, given, index(asked), asked.language, "")
    return read, found.all()


def with_sources(
    dataset: Dataset, answers: Iterable[Answer], folder: Path, passages: int = PASSAGES
) -> Dataset:
    """The data set with the pages of a snapshot that the answers cite, for offline scoring.

    Of a page longer than ``passages`` passages a judge reads as many; 0 for whole pages. The digest of
    the snapshot and that number stand in signatures. Raises DataError where the folder is none.
    """
    snapshot = Snapshot(folder)
    # Only cited pages are read from the snapshot: it may hold those of a hundred systems.
    cited = {id for answer in answers for one in answer.sentences for id in one.citations}
    keys = {id for id in cited if id.startswith(("http://", "https://"))} - dataset.documents.keys()
    pages = snapshot.pages(keys, passages)
    read = f"{passages} of {PASSAGE:,} characters" if passages else "whole pages"
    own = tuple(one for one in dataset.metrics if not one.startswith(("citations", "sources")))
    return replace(
        dataset,
        documents={**dataset.documents, **pages},
        metrics=("citations", "sources", *own),
        collection=True,
        signed={"sources": f"sha256:{snapshot.digest}", "passages": read},
        source={**dataset.source, "sources": (str(folder),), "passages": (str(passages),)},
    )


def _given(
    row: Any, line: int, dataset: Dataset, found: Findings
) -> tuple[str | None, str | ProductAnswer | None]:
    """The id of the question and its answer, as text or as a response; None for what cannot be read."""
    if not isinstance(row, Mapping):
        message = f"expected an object, found {json_kind(row)}"
        found.add(Code.WRONG_SHAPE, message, line, "", 'Write {"id": ..., "answer": ...}.')
        return None, None
    id = row.get("id")
    if not isinstance(id, str) or id not in dataset.by_id:
        found.add(Code.UNKNOWN_ID, f"no question has the id {id!r:.{EXCERPT}}", line, "/id")
        return None, None
    if isinstance(row.get("answer"), str):
        for problem in citation_problems(row["answer"])[:MOST_PROBLEMS]:
            found.add(Code.CITATION_PLACE, problem, line, "/answer", level="warning")
        return id, row["answer"]
    given = row.get("answer")  # before "response", as all who check a file read it
    answer = read_product_response(row.get("response") if given is None else given)
    if answer is None:
        message = "the answer is not a text, and the response has no known form"
        hint = (
            "Save the response as the product's API returned it (Anthropic, OpenAI, Gemini, "
            "Cohere, Perplexity, inspect_ai)."
        )
        found.add(Code.ANSWER_NOT_TEXT, message, line, "/response", hint)
        return id, None
    for problem in answer.problems[:MOST_PROBLEMS]:
        found.add(Code.CITATION_PLACE, problem, line, "/response", level="warning")
    return id, answer
