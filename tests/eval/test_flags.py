"""Flags in tiers, how often they are right, and scores corrected by that."""

from __future__ import annotations

import json
from html import escape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import argue_bench
from argue_bench.cli import main
from argue_bench.cli.evaluate import show_failed
from argue_bench.eval.flags import (
    FLAGS_FILE,
    broken_bounds,
    flag_list,
    labelled_flags,
    parse_bounds,
    tier_lines,
    tier_of,
)
from argue_bench.eval.report import Report
from argue_bench.eval.run import read_reports
from argue_bench.judges.lexical import Lexical
from argue_bench.lab.commands.check import flag_table
from argue_bench.records import Contradicts, Refuses, Verdict
from argue_bench.text.tasks import task_of

PLACES = {"Bergen": (0.9, "name"), "Rome": (0.6, "nothing"), "Lima": (0.2, "nothing")}
DENIED = {"Paris": 0.8, "Quito": 0.3}
"""What a made-up judge is sure of, by the town of a sentence."""


def told(request: Any) -> Verdict:
    if isinstance(request, Refuses):
        return Verdict("no")
    for town, (probability, flag) in PLACES.items():
        if town in getattr(request, "sentence", ""):
            return Verdict("no", f"{town} is not there", probability=probability, flag=flag)
    for town, probability in DENIED.items():
        if town in getattr(request, "sentence", ""):
            word = "yes" if isinstance(request, Contradicts) else "no"
            return Verdict(word, probability=probability, flag="contradicted")
    return Verdict("full" if type(request).__name__ == "SupportLevel" else "no")


def rows(*towns: str, question: str = "Where is it?") -> list[dict[str, Any]]:
    answer = " ".join(f"The tower stands in {town}." for town in towns)
    return [{"question": question, "answer": answer, "contexts": ["The tower stands in Oslo."]}]


def report_of(*towns: str, judge: Any = told, **changed: Any) -> Report:
    dataset, answers = argue_bench.from_rows(rows(*towns, **changed) * 2)
    return argue_bench.evaluate(dataset, answers, ["faithfulness"], judge=judge)


def test_all_flags_are_returned_and_the_surest_printed_first(
    capsys: pytest.CaptureFixture[str],
) -> None:
    report = report_of("Lima", "Rome", "Oslo", "Bergen")
    first = report.failed_sentences()[:3]
    assert [(one.probability, tier_of(one)) for one in first] == [
        (0.2, "weak"),
        (0.6, "look"),
        (0.9, "sure"),
    ]
    show_failed(report, 5)
    shown = capsys.readouterr().out
    assert shown.index("Bergen") < shown.index("Rome")
    assert "2 sure" in shown
    assert "Lima" not in shown
    assert "and 2 weaker flags: --all-flags" in shown
    show_failed(report, 9, all_flags=True)
    assert "Lima" in capsys.readouterr().out


def test_contradictions_are_shown_before_surer_flags_and_the_rest_is_counted(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_failed(report_of("Bergen", "Paris"), 2)
    shown = capsys.readouterr().out
    assert (shown.count("Paris"), shown.count("Bergen")) == (2, 0)
    assert "  and 2 more: --show N\n" in shown


def test_where_all_are_weak_the_likeliest_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    report = report_of("Oslo", "Lima", question="Where does it stand?")
    dataset, answers = argue_bench.from_rows(rows("Lima") * 5)
    show_failed(argue_bench.evaluate(dataset, answers, ["faithfulness"], judge=told), 5)
    shown = capsys.readouterr().out
    assert shown.count("stands in Lima") == 3
    assert "3 weaker" in shown
    assert "and 2 weaker flags: --all-flags" in shown
    assert len(flag_list(report).listed()) == 2


def test_flags_of_a_judge_without_probabilities_are_listed_without_tiers() -> None:
    report = report_of("Bergen", judge=lambda request: "no")
    flags = flag_list(report)
    assert [one.text for one in flags.listed()] == ["The tower stands in Bergen."] * 2
    assert not list(tier_lines(flags))
    assert "judge check" in (report.warranty.text if report.warranty else "")


@pytest.mark.parametrize(
    ("towns", "bound", "all_flags", "said"),
    [
        # Lima's flag is more often wrong than right, so it counts only where somebody asks for all.
        ("Oslo Lima", "faithfulness < 0.9", False, []),
        ("Oslo Lima", "faithfulness < 0.9", True, ["faithfulness.supported is 50.0, below 90.0"]),
        (
            "Oslo Lima Bergen",
            "faithfulness < 0.9",
            False,
            ["faithfulness.supported is 66.7 without 2 weaker flags, below 90.0"],
        ),
        (
            "Oslo",
            "faithfulness.supported > 0.5",
            False,
            ["faithfulness.supported is 100.0, above 50.0"],
        ),
        ("Oslo Paris", "contradicted > 0", False, ["sentences contradicted: 2, above 0"]),
        ("Oslo Paris", "contradicted > 2", False, []),
        ("Oslo Bergen", "contradicted > 0", False, []),
        ("Oslo Quito", "contradicted > 0", False, []),
        ("Oslo Quito", "contradicted >= 2", True, ["sentences contradicted: 2, not below 2"]),
    ],
)
def test_bounds_count_what_is_listed(
    towns: str, bound: str, all_flags: bool, said: list[str]
) -> None:
    report = report_of(*towns.split())
    assert list(broken_bounds(report, parse_bounds([bound]), all_flags)) == said


@pytest.mark.parametrize("sign", ["<", "<=", ">", ">="])
def test_what_is_asserted_is_broken_where_its_opposite_holds(sign: str) -> None:
    """On either side of the bound and at it: exactly one of the two senses makes a run bad."""
    for towns in ("Oslo", "Oslo Bergen", "Bergen"):
        report = report_of(*towns.split())
        text = f"faithfulness {sign} 0.5"
        bad, good = parse_bounds([text]), parse_bounds([text], asserted=True)
        assert bool(list(broken_bounds(report, bad))) != bool(list(broken_bounds(report, good)))


RECORD = '{"name": "Tower", "town": "Oslo"}'
GERMAN = "Der Turm steht in Oslo und wurde von der Stadt gebaut."


@pytest.mark.parametrize(
    ("question", "contexts", "task"),
    [
        ("Where is it?", ["The tower stands in Oslo."], "questions"),
        ("Please summarize the article.", ["The tower stands in Oslo."], "summaries"),
        ("", ["The tower stands in Oslo."], "summaries"),
        ("Describe it.", [RECORD], "data to text"),
        ("Summarise it.", ["| a | b |\n|---|---|\n| c | d |"], "data to text"),
        ("Where is it?", [RECORD, "It stands in Oslo.", "It is old."], "questions"),
        ("Where is it?", [], ""),
    ],
)
def test_the_kind_of_task_is_told_by_question_and_contexts(
    question: str, contexts: list[str], task: str
) -> None:
    assert task_of(question, contexts) == task


def test_a_report_says_how_often_such_flags_were_right(tmp_path: Path) -> None:
    report = report_of("Bergen", judge="lexical")
    (near,) = [one for one in labelled_flags()["sets"] if one["task"] == "questions"]
    right = round(100 * near["flags"]["precision"][0])
    text = report.warranty.text if report.warranty else ""
    assert f"(RAGTruth, questions), {right} of 100 flags were right" in text
    assert text in str(report)
    assert escape(text) in report._repr_html_()
    assert report.to_dict()["warranty"]["figures"]["sentences"] == near["sentences"]
    dataset, answers = argue_bench.from_rows(rows("Bergen"))
    argue_bench.evaluate(dataset, answers, judge="lexical", out=tmp_path / "run")
    (read,) = read_reports(tmp_path / "run").values()
    assert read.warranty == report.warranty
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(rows("Bergen")), encoding="utf-8")
    for form in ("text", "md", "json"):
        said = CliRunner().invoke(main, ["evaluate", str(path), "--format", form])
        assert text in said.output


@pytest.mark.parametrize(
    "changed", [{"question": "Wo steht der Turm, und wer hat ihn wann gebaut?"}, {"contexts": []}]
)
def test_where_no_labels_are_near_that_is_said(changed: dict[str, Any]) -> None:
    row = {"question": "Where?", "answer": GERMAN, "contexts": [GERMAN], **changed}
    dataset, answers = argue_bench.from_rows([row])
    report = argue_bench.evaluate(dataset, answers, ["faithfulness"])
    assert report.warranty is not None
    assert "is not known" in report.warranty.text
    assert not report.to_dict()["corrected"]


def test_docs_and_cards_show_the_figures_of_the_file() -> None:
    shown = flag_table()
    docs = Path(__file__).parents[2] / "docs" / "judges.md"
    assert shown.render("md") in docs.read_text(encoding="utf-8")
    for one, task in ((row, row["task"]) for row in labelled_flags()["sets"]):
        right = f"{one['flags']['right']:,} of {one['flags']['n']:,}"
        assert any(row[1:4] == (task, "all", right) for row in shown.rows)


def test_the_measured_judge_is_the_one_that_is_shipped() -> None:
    assert labelled_flags()["rules"] == Lexical().identity()["rules"], (
        f"measure again: python -m benchmarks.flags --write ({FLAGS_FILE.name})"
    )


def test_a_score_stands_beside_what_the_errors_of_its_judge_make_of_it() -> None:
    dataset, answers = argue_bench.from_rows(
        [one | {"id": f"{n}"} for n in range(40) for one in rows("Oslo", *["Bergen"] * (n % 3 + 1))]
    )
    report = argue_bench.evaluate(dataset, answers, ["faithfulness"])
    one = report.to_dict()["corrected"]["faithfulness.supported"]
    score = report.scores["faithfulness.supported"]
    assert one["low"] < one["value"] < one["high"]
    (near,) = [one for one in labelled_flags()["sets"] if one["task"] == "questions"]
    found, spared = near["by_answer"]["recall"][0], near["by_answer"]["specificity"][0]
    # Rogan and Gladen 1978: of the flagged share to the bad one.
    bad = (1 - (score.value or 0) + spared - 1) / (found + spared - 1)
    assert one["value"] == pytest.approx(1 - bad)
    assert one["high"] - one["low"] > (score.high or 0) - (score.low or 0)
    shown = f"{100 * one['value']:.1f} ({100 * one['low']:.1f} to {100 * one['high']:.1f})"
    assert f"corrected for the judge's errors on RAGTruth, questions: {shown}" in str(report)


def test_a_corrected_score_that_could_be_anything_is_not_printed() -> None:
    report = report_of("Oslo", "Bergen", judge="lexical")
    one = report.to_dict()["corrected"]["faithfulness.supported"]
    assert one["high"] - one["low"] > 0.9
    assert "too few answers to correct the score" in str(report)
    assert "corrected for" not in str(report)
