"""Luciole's numbers, both versions: every row, every single step, every aggregate."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from argue_bench.published.luciole import data as luciole_rows
from argue_bench.published.luciole import v1
from tests.agreement import luciole_judge
from tests.agreement.vectors import parameters, read

VERSIONS = ("v1", "head")


def scored(case: dict[str, Any], version: str) -> dict[str, Any]:
    """What we make of one row: as its ``expected`` is shaped."""
    if version == "v1":
        gold, response = luciole_rows.gold_answer(case["gold_generation"]), case["response"]
        supporting = case["supporting_titles"]
        answerable = bool(supporting)
        metrics = v1.row_scores(response, gold, supporting)
        cited, refused = v1.cited_titles(response), v1.refused(response)
    else:
        response = case.get("response_ref") or case["response"]
        rows = luciole_rows.partition(
            case["id"], len(case["documents"]), case["supporting_index"], 0, False
        )
        supporting = [case["documents"][index]["title"] for index in rows.supporting]
        answerable, gold = rows.answerable, case["gold_answer"].strip()
        metrics = v1.head_row_scores(response, gold, supporting, answerable)
        text = v1.without_reasoning(response)
        cited, refused = v1.tagged_titles(text), v1.refuses_canonically(text)
    return {
        "answerable": answerable,
        "reference_answer": gold,
        "refused": refused,
        "cited_titles": cited,
        "metrics": metrics | judged(case, version, answerable),
    }


def judged(case: dict[str, Any], version: str, answerable: bool) -> dict[str, float | None]:
    reply = case["judge_reply"] if answerable else None
    score = None if reply is None else luciole_judge.judge_score(reply)
    found = luciole_judge.judged(score)
    if version == "head":
        found["false_refusal_judge"] = found["refusal_judge_recall"] = None
        if reply is not None and score is not None:
            found["false_refusal_judge"] = float(luciole_judge.false_refusal_judged(reply))
        response = v1.without_reasoning(case.get("response_ref") or case["response"])
        if not answerable and response:
            said = luciole_judge.refusal_judged(case["refusal_judge_reply"] or "")
            found["refusal_judge_recall"] = None if said is None else float(said)
    return found


def rows(path: Path) -> Iterator[tuple[str, Any]]:
    for case in read(path)["cases"]:
        for version in VERSIONS:
            if version in case["expected"]:
                yield f"{case['id']}-{version}", (case, version)


@pytest.mark.parametrize("row", parameters("luciole", "cases.json", rows))
def test_row(row: tuple[dict[str, Any], str]) -> None:
    case, version = row
    expected, found = case["expected"][version], scored(case, version)
    for name in expected.keys() - {"metrics"}:
        assert found[name] == expected[name], name
    assert_scores(found["metrics"], expected["metrics"])


def aggregates(path: Path) -> Iterator[tuple[str, Any]]:
    value = read(path)
    for version, one in value["aggregate"].items():
        for group, metrics in one.items():
            if isinstance(metrics, dict):
                for metric in metrics:
                    yield (
                        f"{version}-{group}-{metric}",
                        (value["cases"], version, metric, metrics[metric]),
                    )


@pytest.mark.parametrize("entry", parameters("luciole", "cases.json", aggregates))
def test_aggregate(entry: tuple[list[dict[str, Any]], str, str, dict[str, Any]]) -> None:
    cases, version, metric, expected = entry
    column = [scored(case, version)["metrics"].get(metric) for case in cases]
    mean, error = luciole_judge.aggregate(column)
    assert sum(value is not None for value in column) == expected["n"]
    assert close(None if math.isnan(mean) else mean, expected["value"])
    assert close(None if error is None or math.isnan(error) else error, expected["stderr"])


def units(path: Path) -> Iterator[tuple[str, Any]]:
    for section, entries in read(path).items():
        if isinstance(entries, list):
            for number, entry in enumerate(entries):
                yield f"{section}-{number}", (section, entry)


@pytest.mark.parametrize("unit", parameters("luciole", "units.json", units))
def test_unit(unit: tuple[str, dict[str, Any]]) -> None:
    section, entry = unit
    if section not in CHECKS:
        pytest.skip(f"a step of the harness that this package does not have: {section}")
    CHECKS[section](entry)


def assert_scores(found: dict[str, Any], expected: dict[str, Any]) -> None:
    wrong = {n: (found.get(n), v) for n, v in expected.items() if not close(found.get(n), v)}
    assert not wrong


def close(found: Any, expected: Any) -> bool:
    if expected == "NaN":
        return isinstance(found, float) and math.isnan(found)
    if expected is None or found is None:
        return found is None and expected is None
    return abs(float(found) - float(expected)) <= 1e-9


def check_normalize(entry: dict[str, Any]) -> None:
    assert v1.normalize(entry["input"]) == entry["output"]


def check_match(entry: dict[str, Any]) -> None:
    assert v1.answer_match(entry["response"], entry["gold"]) == (entry["exact"], entry["fuzzy"])


def check_gold(entry: dict[str, Any]) -> None:
    assert (luciole_rows.gold_answer(entry["input"]) or None) == (entry["v1"] or None)


def check_cited(entry: dict[str, Any]) -> None:
    for version, read_titles in (("v1", v1.cited_titles), ("head", v1.tagged_titles)):
        if version in entry:
            assert read_titles(entry["input"]) == entry[version], version


def check_citations(entry: dict[str, Any]) -> None:
    for mode in ("strict", "fuzzy"):
        found = v1.citation_scores(entry["cited"], entry["gold"], mode == "fuzzy")
        assert all(close(a, b) for a, b in zip(found, entry[mode], strict=True)), (mode, found)


def check_refusal(entry: dict[str, Any]) -> None:
    for version, refuses in (("v1", v1.refused), ("head", v1.refuses_canonically)):
        if version in entry:
            assert refuses(entry["input"]) == entry[version], version


def check_context(entry: dict[str, Any]) -> None:
    text, titles = luciole_rows.context(entry["system"])
    assert {"context": text, "chunk_titles": titles} == entry["v1"]


def check_judge(entry: dict[str, Any]) -> None:
    reply = entry["input"]
    score = luciole_judge.judge_score(reply)
    assert score == entry["v1_score"]
    false_refusal = None if score is None else float(luciole_judge.false_refusal_judged(reply))
    found = None if score is None else {"score": score, "refused": bool(false_refusal)}
    assert found == entry["head"]
    assert luciole_judge.refusal_judged(reply) == entry["head_refusal"]
    assert_scores(luciole_judge.judged(score), entry["v1_metrics"])
    assert_scores(
        luciole_judge.judged(score) | {"false_refusal_judge": false_refusal}, entry["head_metrics"]
    )


def check_partition(entry: dict[str, Any]) -> None:
    for name, expected in entry.items():
        if not name.startswith("ratio_"):
            continue
        ratio = float(name.removeprefix("ratio_"))
        found = luciole_rows.partition(
            entry["id"], entry["documents"], entry["supporting_index"], ratio
        )
        assert close(found.bucket, entry["bucket"])
        assert found.dropped == expected["dropped"]
        assert found.answerable == expected["answerable"]
        assert [f"T{index}" for index in found.shown] == expected["titles_shown"]
        assert {f"T{index}" for index in found.supporting} == set(expected["gold_titles"])
        assert ("" if found.dropped else "x") == expected["reference_answer"]


def check_reasoning(entry: dict[str, Any]) -> None:
    assert v1.without_reasoning(entry["input"]) == entry["head"]


def check_aggregation(entry: dict[str, Any]) -> None:
    mean, error = luciole_judge.aggregate(entry["values"])
    assert close(mean, entry["output"]["m"])
    assert (error is None) == ("m_stderr" not in entry["output"])
    assert error is None or close(error, entry["output"]["m_stderr"])


CHECKS = {
    "normalize_answer": check_normalize,
    "answer_match": check_match,
    "gold_extraction": check_gold,
    "cited_titles": check_cited,
    "citation_scores": check_citations,
    "refusal": check_refusal,
    "context_parse": check_context,
    "judge_reply": check_judge,
    "row_partition": check_partition,
    "strip_reasoning": check_reasoning,
    "aggregation": check_aggregation,
}
