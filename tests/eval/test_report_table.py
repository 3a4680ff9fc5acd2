"""A report in print, in a notebook, and as a DataFrame."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.errors import MissingExtra, UnknownName
from argue_bench.eval import Report, evaluate
from argue_bench.judges.recorded import Recorded
from argue_bench.metrics.base import tallies_from_json
from argue_bench.records import NeedsCitation, Verdict
from tests.eval.toys import Needs, dataset

ANSWERS = [
    {"id": "flood-toll", "answer": "Eleven people died in the flood [D03]. The moon is cheese."}
]


@pytest.fixture(scope="module")
def report() -> Report:
    from argue_bench import load

    return evaluate(
        load("core", split="sample"), ANSWERS, ["argue", "accuracy"], only_answered=True
    )


def test_a_report_prints_as_the_command_line_does(
    report: Report, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("answers")
    (folder / "answers.jsonl").write_text(
        '{"id": "flood-toll", "answer": "Eleven people died in the flood [D03]. The moon is cheese."}'
    )
    args = ["evaluate", str(folder / "answers.jsonl"), "-m", "argue", "-m", "accuracy"]
    result = CliRunner().invoke(main, [*args, "--split", "sample", "--only-answered"])
    lines = str(replace(report, system="answers")).splitlines()
    assert lines[0] == f"answers on {report.dataset}, 1 question"
    assert [line for line in lines if line not in result.stdout] == []
    assert "argue.f1                 25.0                 1" in lines


def test_the_console_shows_one_short_line(report: Report) -> None:
    assert (
        repr(report) == f"<Report: {report.dataset}, 1 question: argue.f1 25.0, accuracy.loose 0.0>"
    )


def test_a_notebook_shows_tables_with_every_text_escaped(report: Report) -> None:
    hostile = replace(
        report,
        system="<script>alert(1)</script>",
        not_run={"bleurt": "<b>"},
        failures=("q1: <img src=x>",) * 9,
    )
    page = hostile._repr_html_()
    assert re.search(r"argue\.f1 +25\.0", page)
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page
    assert "not run: bleurt: &lt;b&gt;" in page
    assert page.count("&lt;img") == 5
    assert "9 judge requests or questions failed" in page


def test_failures_are_listed_in_print() -> None:
    judge = Recorded({NeedsCitation("a").key: Verdict("yes")}, name="people")
    answers = [{"id": "q1", "answer": "a"}, {"id": "q2", "answer": "b"}]
    report = evaluate(dataset({"q1": "a", "q2": "b"}), answers, [Needs()], judge=judge)
    assert "1 judge requests or questions failed; the first:" in str(report)
    assert "  q2: needs: NeedsCitation: not recorded" in str(report).splitlines()


def test_a_data_frame_has_a_row_for_each_score(report: Report) -> None:
    pytest.importorskip("pandas")
    frame = report.to_pandas()
    assert list(frame.columns) == [
        *("metric", "score", "value", "low", "high", "n", "failed", "groups", "not_judged")
    ]
    assert len(frame) == len(report.scores)
    assert frame.loc["argue.f1", "value"] == report.value("argue.f1")
    assert tuple(frame.loc["argue.f1", ["metric", "score"]]) == ("argue", "f1")


def test_a_data_frame_has_a_row_for_each_tally(report: Report) -> None:
    pytest.importorskip("pandas")
    frame = report.to_pandas("tallies")
    row = frame[(frame.metric == "argue") & (frame.tally == "sentence_support")].iloc[0]
    assert (row.question, row.numerator, row.denominator, row.value) == ("flood-toll", 1, 2, 0.5)


def test_without_pandas_the_extra_is_named(report: Report, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtra, match=r"pip install 'argue-bench\[pandas\]'"):
        report.to_pandas()


def test_failed_sentences_say_what_is_wrong_with_each(report: Report) -> None:
    (failed,) = report.failed_sentences()
    assert failed[:5] == (
        "flood-toll",
        2,
        "The moon is cheese.",
        "argue",
        "needs a citation and has none",
    )


def test_missed_nuggets_are_named(report: Report) -> None:
    from argue_bench import load

    gold = load("core", split="sample").question("flood-toll").gold
    assert gold is not None
    missed = report.missed_nuggets()
    assert len(missed) == 5
    assert {(one.nugget, one.text) for one in missed} <= {(n.id, n.question) for n in gold.nuggets}
    assert [one.reason for one in missed] == [
        *["no sentence answers it"] * 4,
        "no sentence says that it cannot be answered",
    ]
    coverage = report.per_question["flood-toll"]["argue"]
    assert coverage is not None
    tally = coverage["nugget_coverage"]
    assert len(missed) == tally.denominator - tally.numerator


def test_citations_and_nuggets_list_what_they_miss() -> None:
    from argue_bench import load

    answers = [{"id": "flood-toll", "answer": "The moon is cheese [D03]. It is green. Truly!"}]
    metrics = ["citations", "nuggets"]
    report = evaluate(load("core", split="sample"), answers, metrics, only_answered=True)
    found = [(one.number, one.metric, one.reason) for one in report.failed_sentences()]
    assert found[:2] == [
        (1, "citations", "[D03] unsupported"),
        (2, "citations", "cites nothing"),
    ]
    assert report.failed_sentences("nuggets") == []
    assert report.failed_sentences("citations") == report.failed_sentences()
    assert {one.metric for one in report.missed_nuggets()} == {"nuggets"}
    with pytest.raises(UnknownName, match="no metric of this report is called 'argue'"):
        report.failed_sentences("argue")


def test_a_metric_with_options_may_be_named_without_them() -> None:
    from argue_bench import load

    report = evaluate(
        load("core", split="sample"), ANSWERS, ["argue(rules=argue-2024)"], only_answered=True
    )
    (failed,) = report.failed_sentences("argue")
    assert failed.metric == "argue(rules=argue-2024)"
    assert report.missed_nuggets("argue(rules=argue-2024)") == report.missed_nuggets()


def test_a_run_file_keeps_failed_sentences_and_missed_nuggets(tmp_path: Path) -> None:
    from argue_bench import load
    from argue_bench.eval.run import read_reports

    report = evaluate(
        load("core", split="sample"),
        ANSWERS,
        ["argue"],
        only_answered=True,
        out=tmp_path / "run",
    )
    (read,) = read_reports(tmp_path / "run").values()
    assert read.failed_sentences() == report.failed_sentences() != []
    assert read.missed_nuggets() == report.missed_nuggets() != []


@pytest.mark.parametrize(
    "row",
    [
        [1],
        [1, 2, "", [], 5],
        [1, 2, 3],
        [1, 2, "", 5],
        [1, 2, "", ["abc"]],
        [1, 2, "", [["sentence", "one", "t", "r"]]],
        [1, 2, "", [["nugget", "n1", "t", 3]]],
        [1, 2, "", [["verdict", "n1", "t", "r"]]],
        [float("nan"), 2],
    ],
)
def test_a_damaged_tally_is_refused(row: list[Any]) -> None:
    assert tallies_from_json({"a": [1, 2, "", [["sentence", "1", "t", "r"]]]})["a"].misses
    with pytest.raises((ValueError, TypeError)):
        tallies_from_json({"a": row})
