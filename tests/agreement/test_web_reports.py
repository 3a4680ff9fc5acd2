"""Reports that cite the web: every notation, every product's citations, every address."""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import ArgueBenchError, Code, UsageError
from argue_bench.loaders.rows import read_rows
from argue_bench.published import web_reports
from argue_bench.published.web_reports import CitedClaim, scholarqa_citations
from argue_bench.records import State
from argue_bench.web.addresses import Policy
from argue_bench.web.extraction import read_page, state_of_status, state_of_text
from argue_bench.web.products import read_product_response
from argue_bench.web.text import identity_key, read_web_report
from argue_bench.web.web import WebClient
from tests.agreement.programs import deepscholar_files
from tests.agreement.programs import fact_files as fact
from tests.agreement.programs import scholarqa_files as scholarqa
from tests.agreement.vectors import cases_of, parameters, read


def rows_of(part: str) -> Callable[[Path], Iterator[tuple[str, Any]]]:
    """The rows of one part of a file, numbered."""

    def expand(path: Path) -> Iterator[tuple[str, Any]]:
        for number, row in enumerate(read(path)[part], 1):
            yield f"{number}-{row.get('url', row.get('id', ''))[:60]}", row

    return expand


@pytest.mark.parametrize("case", parameters("web_reports", "notations*.json", cases_of))
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


@pytest.mark.parametrize("case", parameters("web_reports", "structured*.json", cases_of))
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


@pytest.mark.parametrize(
    "case", parameters("web_reports", "fetch_policy*.json", rows_of("identity"))
)
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


# ---- measures


NEAR = 1e-9


def split(text: str) -> list[str]:
    """The splitter of the vectors."""
    return re.split(r"(?<=[.!?])\s+", text.strip()) if text.strip() else []


def near(found: float | None, expected: float | None) -> None:
    """Equal within 1e-9; where nothing is expected, NaN or None."""
    if expected is None:
        assert found is None or math.isnan(found)
    else:
        assert found == pytest.approx(expected, abs=NEAR, rel=0)


def by_program(found: fact.FactScores, expected: Mapping[str, Any]) -> None:
    """What stops the program is told; the rest of its figures are ours."""
    if "error" in expected:
        assert found.problems
        return
    assert not found.problems
    near(found.total, expected["total_citations"])
    near(found.effective, expected["total_valid_citations"])
    near(found.accuracy, expected["valid_rate"])


@pytest.mark.parametrize("case", parameters("web_reports", "fact_stat*.json", cases_of))
def test_the_counting_of_fact(case: dict[str, Any]) -> None:
    lines = case["input_jsonl"].split("\n")
    found = fact.score_tasks(lines[:-1] if lines[-1] == "" else lines)
    by_program(found, case["expected"])
    if paper := case.get("by_paper_formula"):
        near(found.paper_accuracy, paper["citation_accuracy"])
        near(found.paper_effective, paper["effective_citations"])


class Script:
    """A model and a page reader that give what a case says, and keep the calls."""

    def __init__(self, case: Mapping[str, Any]) -> None:
        self.replies = {stage: list(some) for stage, some in case["replies"].items()}
        self.pages = case["pages"]
        self.calls: list[str] = []

    def ask(self, stage: str, what: Any) -> str:
        self.calls.append(stage)
        reply = self.replies[stage].pop(0)
        if isinstance(reply, dict):
            raise UsageError(reply["raise"])
        return str(reply)

    def read(self, url: str) -> Mapping[str, str]:
        self.calls.append(f"scrape:{url}")
        if url not in self.pages:
            raise UsageError(f"Jina AI Reader Failed for {url}: 404")
        page: Mapping[str, str] = self.pages[url]
        return page


@pytest.mark.parametrize("case", parameters("web_reports", "fact_pipeline*.json", cases_of))
def test_the_stages_of_fact(case: dict[str, Any]) -> None:
    script = Script(case)
    pipeline = fact.Pipeline(script.ask, script.read)
    languages = {one["id"]: one["language"] for one in case["queries"]}
    scores = pipeline.run(case["reports"], languages, f"{case['file_name']}.jsonl")
    expected = case["expected"]
    stops = [stage for stage in fact_stages if "error" in expected[stage]]
    if stops:
        assert pipeline.problems or scores.problems
    for stage in fact_stages[: fact_stages.index(stops[0]) if stops else None]:
        rows = expected[stage]["rows"]
        found = [
            {key: row[key] for key in want}
            for row, want in zip(pipeline.stages[stage], rows, strict=True)
        ]
        assert found == rows, stage
    if not stops:
        assert script.calls == expected["calls"]
        by_program(scores, expected["stat"])


fact_stages = ("extract", "deduplicate", "scrape", "validate")


class Judge:
    """A judge of scripted replies that asks again where a reply cannot be read."""

    def __init__(self, replies: list[str]) -> None:
        self.replies, self.calls = list(replies), 0

    def __call__(self, read: Callable[[str], Any], again: bool) -> Any:
        for _ in range(scholarqa.MOST_ATTEMPTS if again else 1):
            self.calls += 1
            if (found := read(self.replies.pop(0))) is not None:
                return found
        return None


def scholarqa_scores(case: Mapping[str, Any], judge: Judge, olmo: bool) -> dict[str, float]:
    report = scholarqa.read_report(case["response"])
    if case["part"] == "answer_precision":
        if report is None:
            return {"answer_precision": 0.0}
        answer = scholarqa.answer_text(report)
        try:
            said = judge(scholarqa.irrelevant_in, not olmo)
        except ArgueBenchError:
            if not olmo:
                raise
            said = None
        return {"answer_precision": scholarqa.answer_precision(answer, said or [])[0]}
    if case["part"] == "ingredient_recall":
        ingredients = case["rubric"]["ingredients"]
        count = sum(bool(one.get("criterion")) for one in ingredients)
        read = scholarqa.grades_in_once if olmo else lambda reply: scholarqa.grades_in(reply, count)
        grades = judge(read, not olmo)
        return {"ingredient_recall": scholarqa.weighted_ingredients(ingredients, grades)}
    sections, bare = [], set[str]()
    for group in scholarqa.groups_of(report, olmo):
        claims: list[CitedClaim] | None = []
        if group.evidence:
            claims = judge(scholarqa.read_claims_once if olmo else scholarqa.read_claims, not olmo)
        sentences = len(split(group.text))
        sections.append((claims or [], max(sentences, 1) if claims is None else sentences))
        bare |= group.title_only
    recall, precision, f1 = scholarqa_citations(sections, bare)
    return {
        "citation_recall": recall,
        "citation_precision": precision,
        **({} if olmo else {"f1": f1}),
    }


@pytest.mark.parametrize("program", ["astabench", "olmo_eval"])
@pytest.mark.parametrize("case", parameters("web_reports", "scholarqa*.json", cases_of))
def test_scholarqa(case: dict[str, Any], program: str) -> None:
    expected = case["expected"][program]
    judge = Judge(case["replies"])
    if "error" in expected:
        with pytest.raises(ArgueBenchError):
            scholarqa_scores(case, judge, program == "olmo_eval")
        return
    found = scholarqa_scores(case, judge, program == "olmo_eval")
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        near(found[name], value)
    if program == "astabench":
        assert judge.calls == case["expected"]["judge_calls"]


@pytest.mark.parametrize("case", parameters("web_reports", "scholarqa*.json", rows_of("averages")))
def test_the_average_of_scholarqa(case: dict[str, Any]) -> None:
    near(scholarqa.global_average(case["parts"]), case["expected"]["global_avg"])


def works(rows: list[list[str]] | None) -> list[web_reports.Work] | None:
    return None if rows is None else [web_reports.Work(*row) for row in rows]


@pytest.mark.parametrize("case", parameters("web_reports", "deepscholar*.json", cases_of))
def test_deepscholar(case: dict[str, Any]) -> None:
    docs, expected = works(case["docs"]) or [], case["expected"]
    if case["metric"] == "reference_coverage":
        near(deepscholar_files.reference_coverage(case["important"], docs), expected["value"])
        return
    judged = works(case["judged_documents"])
    text = case["clean_text"]
    if case["metric"] == "cite_p":
        asking = web_reports.citation_precision(text, len(docs), judged, split)
    else:
        own = web_reports.Work(case["gt"]["title"], case["gt"]["abstract"])
        window = case.get("window", 1)
        asking = web_reports.claim_coverage(text, len(docs), judged, own, split, window)
    replies, calls = list(case["replies"]), list[Any]()
    if "error" in expected:
        with pytest.raises(ArgueBenchError) as raised:
            asked(asking, replies, calls)
        assert str(Code.WRONG_SHAPE) in str(raised.value)
        return
    near(asked(asking, replies, calls), expected["value"])
    assert calls == expected["calls"]
    assert len(replies) == expected["unused_replies"]


def asked(asking: web_reports.Asking, replies: list[str], calls: list[Any]) -> float:
    """The score that these replies give."""
    try:
        question = next(asking)
        while True:
            calls.append(question._asdict())
            question = asking.send(deepscholar_files.reply_supports(replies.pop(0)))
    except StopIteration as stop:
        return float(stop.value)


@pytest.mark.parametrize(
    "case", parameters("web_reports", "deepscholar*.json", rows_of("aggregate"))
)
def test_the_aggregate_of_deepscholar(case: dict[str, Any]) -> None:
    near(deepscholar_files.rounded_mean(case["values"]), case["expected"])


@pytest.mark.parametrize("case", parameters("web_reports", "deepscholar*.json", rows_of("parser")))
def test_the_reports_of_deepscholar(case: dict[str, Any]) -> None:
    known = {
        row["id"].strip(): web_reports.Work(row["title"].strip(), row["snippet"].strip())
        for row in case["paper_csv"]
    }
    text, found = deepscholar_files.read_own_report(case["text"], known)
    assert text == case["expected"]["clean_text"]
    assert [{"title": one.title, "sent": one.text} for one in found] == case["expected"]["docs"]


# ---- fetching


@pytest.mark.parametrize("case", parameters("web_reports", "fetch_policy*.json", rows_of("urls")))
def test_which_addresses_are_asked(case: dict[str, Any]) -> None:
    refused = bool(Policy().refused(case["url"]))
    assert refused == (case["expect"] == "deny")


@pytest.mark.parametrize(
    "case", parameters("web_reports", "fetch_policy*.json", rows_of("redirects"))
)
def test_which_redirects_are_followed(case: dict[str, Any]) -> None:
    assert bool(Policy().refused_hops(case["hops"])) == (case["expect"] == "deny")


@pytest.mark.parametrize("case", parameters("web_reports", "fetch_policy*.json", rows_of("names")))
def test_which_names_are_asked(case: dict[str, Any]) -> None:
    """The client connects to nothing where an answer is not public, and resolves a name once."""
    answers = [case["answers"], case.get("second_answers", case["answers"])]
    asked: list[str] = []

    async def resolve(host: str) -> list[str]:
        asked.append(host)
        return list(answers[min(len(asked), 2) - 1])

    if case["expect"] == "allow":
        assert not Policy().refused_answers(asyncio.run(resolve(case["host"])))
        return
    reply = asyncio.run(WebClient(resolve=resolve).get(f"http://{case['host']}/"))
    assert asked == [case["host"]]
    assert reply.status == 0
    assert reply.refused == (case["expect"] == "deny")


def state_of_missing(archive: Any) -> State:
    """The state of an address with 404 or 410, by what the archive says of it."""
    if archive is not None and not isinstance(archive, dict):
        return "not_looked_up"
    copy = archive if archive and archive.get("available") else {}
    # A copy of an error page is none.
    good = str(copy.get("status", "200"))[:1] in ("2", "3")
    return "gone" if good and isinstance(copy.get("url"), str) and copy["url"] else "never_archived"


@pytest.mark.parametrize("case", parameters("web_reports", "url_states*.json", cases_of))
def test_the_state_of_an_address(case: dict[str, Any]) -> None:
    """As a reader asks with GET alone, the last reply of a case decides."""
    last = case["get"] if case["get"] is not None else case["head"]
    status = last if isinstance(last, int) else 0
    state = state_of_status(status)
    if state == "gone":
        state = state_of_missing(case["archive"])
    assert state == case["recommended_state"].split(" ")[0]


@pytest.mark.parametrize("page", parameters("web_reports", "pages*.json", rows_of("pages")))
def test_the_text_of_a_page(page: dict[str, Any]) -> None:
    """No sentence of the page is lost, no cell of its tables, and no script is read."""
    found = read_page(page["html"].encode(), "text/html; charset=utf-8")
    text = " ".join(found.text.split())
    assert not found.problem
    assert found.title
    assert [one for one in page["main"] if " ".join(one.split()) not in text] == []
    assert [one for one in page["cells"] if one not in text] == []
    assert "do not read me" not in text
    assert state_of_text(found.title, found.text) == "read"


@pytest.mark.parametrize("case", parameters("web_reports", "structured*.json", cases_of))
def test_a_saved_response_is_a_row_as_it_is(case: dict[str, Any], tmp_path: Path) -> None:
    """`evaluate response.json` finds the answer in it, whatever product returned it."""
    file = tmp_path / "response.json"
    file.write_text(json.dumps(case["payload"]), encoding="utf-8")
    rows = read_rows(file, web=True)
    assert [answer.text for answer in rows.answers.values()] == [case["expected"]["text"]]
