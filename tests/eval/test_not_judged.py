"""The fourth state: what judge or metric cannot read is counted, said, and leaves the rest its score."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import argue_bench as ab
from argue_bench.eval.report import score_all
from argue_bench.eval.run import read_reports
from argue_bench.judges.combined import majority
from argue_bench.metrics import parse
from argue_bench.metrics.base import Tallies
from argue_bench.records import Failed, NotJudged, Refuses, SupportLevel, Tally, Verdict
from argue_bench.view.pages import write_viewer

WHY = "the judge does not read Amharic"
ROWS = [
    {
        "question": f"Where is bridge {n}?",
        "answer": "It stands in Oslo [1].",
        "contexts": ["It is in Oslo."],
    }
    for n in range(99)
] + [{"question": "ድልድዩ የት ነው?", "answer": "ድልድዩ በኦስሎ ነው [1].", "contexts": ["ድልድዩ በኦስሎ ይገኛል።"]}]


def unable(request: object) -> Verdict | NotJudged:
    """A judge that reads no Amharic; whatever else is said it holds for supported."""
    if "ድልድዩ" in repr(request):
        return NotJudged(WHY)
    return Verdict({Refuses: "no", SupportLevel: "full"}.get(type(request), "yes"))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[ab.Report, Path]:
    out = tmp_path_factory.mktemp("run") / "run"
    data, answers = ab.from_rows(ROWS)
    return ab.evaluate(data, answers, ["faithfulness"], judge=unable, out=out), out


def test_one_row_that_the_judge_cannot_read_leaves_the_others_their_score(
    run: tuple[ab.Report, Path],
) -> None:
    report, _ = run
    score = report.scores["faithfulness.supported"]
    assert (score.value, score.n, score.not_judged, score.failed) == (1.0, 99, 1, 0)
    assert report.signature["faithfulness"]["not-judged"] == "1"
    assert str(report).count(f"1 of 100 questions not judged: {WHY}") == 1
    assert f"1 of 100 questions not judged: {WHY}" in report._repr_html_()
    assert "1 not judged" in str(report).split(f": {WHY}")[0]
    assert json.loads(json.dumps(report.to_dict()))["not_judged"] == {WHY: 1}
    assert not report.failures


def test_a_run_file_and_its_store_keep_it(run: tuple[ab.Report, Path]) -> None:
    report, out = run
    (again,) = read_reports(out).values()
    assert again.scores == {key: again.scores[key] for key in report.scores}
    assert again.scores["faithfulness.supported"].not_judged == 1
    assert again.signature["faithfulness"] == report.signature["faithfulness"]
    data, answers = ab.from_rows(ROWS)
    resumed = ab.evaluate(data, answers, ["faithfulness"], judge=unable, out=out)
    assert replace(resumed, cost=report.cost) == report


def test_the_viewer_shows_it(run: tuple[ab.Report, Path], tmp_path: Path) -> None:
    data, _ = ab.from_rows(ROWS)
    write_viewer(run[1], data, tmp_path)
    assert "1 not judged" in (tmp_path / "index.html").read_text("utf-8")
    assert f"not judged: {WHY}" in (tmp_path / "100-row-100.html").read_text("utf-8")


@pytest.mark.parametrize("on_failure", ["refuse", "leave-out", "default"])
def test_on_failure_does_not_touch_it(on_failure: str) -> None:
    data, answers = ab.from_rows(ROWS[-3:])
    report = ab.evaluate(data, answers, ["faithfulness"], judge=unable, on_failure=on_failure)
    score = report.scores["faithfulness.supported"]
    assert (score.value, score.n, score.not_judged) == (1.0, 2, 1)


def test_a_run_of_which_nothing_can_be_read_has_no_score() -> None:
    data, answers = ab.from_rows(ROWS[-1:])
    report = ab.evaluate(data, answers, ["faithfulness"], judge=unable)
    assert report.value("faithfulness.supported") is None
    assert "1 not judged" in str(report)


def test_a_metric_may_say_so_itself() -> None:
    def words(question: ab.Question, answer: ab.Answer) -> Tallies:
        return {"n": Tally(2)} if answer.text.isascii() else NotJudged("words are parted by blanks")

    data, answers = ab.from_rows(ROWS[-3:])
    report = ab.evaluate(data, answers, [words])
    assert (report.scores["words.n"].value, report.scores["words.n"].not_judged) == (2.0, 1)


def test_a_panel_of_judges_that_cannot_read_it_has_not_judged_it() -> None:
    unread, failed, yes = NotJudged(WHY), Failed("down"), Verdict("yes")
    assert isinstance(majority([("a", unread), ("b", unread), ("c", yes)]), NotJudged)
    assert isinstance(majority([("a", unread), ("b", failed), ("c", yes)]), Failed)
    decided = majority([("a", unread), ("b", yes), ("c", yes)])
    assert isinstance(decided, Verdict)
    assert decided.yes


states = st.one_of(
    st.builds(lambda a, b: {"supported": Tally(a, a + b)}, st.integers(0, 3), st.integers(0, 3)),
    st.none(),
    st.just(NotJudged(WHY)),
)


@given(st.lists(states), st.lists(states))
def test_two_halves_count_as_the_whole(
    first: list[Tallies | None], second: list[Tallies | None]
) -> None:
    metric = parse("faithfulness")
    one, two, both = (
        score_all(metric, rows)["faithfulness.supported_micro"]
        for rows in (first, second, first + second)
    )
    for counted in ("n", "failed", "not_judged"):
        assert getattr(both, counted) == getattr(one, counted) + getattr(two, counted)
    assert both.n + both.failed + both.not_judged <= len(first + second)
