"""What published programs do that misleads (docs/argue.md, docs/from/trec.md): the frozen rules do it, we do not.

One test for each row of the tables that no other test holds; numbers are worked by hand.
"""

from __future__ import annotations

from typing import Any

import pytest

from argue_bench.errors import ArgueBenchError, DataError
from argue_bench.lab.score_table import TopicScore, table_of
from argue_bench.metrics import parse
from argue_bench.published.rubrics import dragun
from argue_bench.published.rubrics import rubric as rubrics
from argue_bench.published.rubrics.dragun import ReportLabel, RubricQuestion
from argue_bench.records import (
    Answer,
    Criterion,
    Gold,
    Meets,
    NuggetImportance,
    Question,
    RelevanceGrade,
    Sentence,
    Tally,
    Verdict,
)
from argue_bench.retrieval import measure
from tests.agreement.programs import autojudge_files, rubric_programs, umbrela
from tests.agreement.programs import nuggetizer_loops as nuggetizer
from tests.agreement.programs import scholarqa_files as scholarqa
from tests.agreement.programs import support_labels as support
from tests.agreement.programs.leaderboards import BoardRow, board_text, complete_rows

HAVE, NICE = 4.0, 1.0


def asked(id: str, weight: float | None, *answers: str) -> RubricQuestion:
    return RubricQuestion(id, int(id[-1]), "?", weight, tuple((name, name) for name in answers))


def told(*labels: tuple[str, str, str]) -> list[ReportLabel]:
    """Topic, answer, label of one run."""
    return [ReportLabel(t, "r", a, said, line) for line, (t, a, said) in enumerate(labels, 2)]


def supportive(rubric: dict[str, list[RubricQuestion]], *labels: tuple[str, str, str]) -> float:
    [score] = dragun.score_reports(rubric, told(*labels)).values()
    return score.supportive / score.most


@pytest.mark.parametrize(
    ("questions", "labels", "value"),
    [
        # An unjudged answer shrinks the divisor.
        ([asked("t-1", HAVE, "a", "b")], [("t", "a", "supports")], 1.0),
        # Questions whose ids end alike merge.
        (
            [asked("x-1", HAVE, "a"), asked("y-1", NICE, "b")],
            [("t", "a", "supports"), ("t", "b", "none")],
            0.5,
        ),
        # An answer in two questions counts in both.
        (
            [asked("t-1", HAVE, "a"), asked("t-2", NICE, "a", "b")],
            [("t", "a", "supports"), ("t", "b", "none")],
            0.9,
        ),
        # A question of unknown importance that nobody labelled is out of the maximum.
        ([asked("t-1", HAVE, "a"), asked("t-2", None, "b")], [("t", "a", "supports")], 1.0),
    ],
)
def test_dragun_counts_as_its_program(
    questions: list[RubricQuestion], labels: list[tuple[str, str, str]], value: float
) -> None:
    assert supportive({"t": questions}, *labels) == pytest.approx(value)


def counted(rules: str, verdicts: list[tuple[float, str]]) -> Tally:
    """The score of a rubric with these weights and verdicts."""
    rubric = tuple(Criterion(str(n), f"c{n}", weight) for n, (weight, _) in enumerate(verdicts))
    said = {f"c{n}": Verdict(verdict) for n, (_, verdict) in enumerate(verdicts)}
    answer = Answer("q", "It is.", (Sentence("It is.", ()),))
    steps = parse(f"rubric(rules={rules})").tally(
        Question("q", "?", gold=Gold(rubric=rubric)), answer, {}
    )
    requests = next(steps)
    try:
        steps.send({one: said[one.criterion] for one in requests if isinstance(one, Meets)})
    except StopIteration as stop:
        found: Tally = stop.value["score"]
        return found
    raise AssertionError("one round is enough")


def test_healthbench_items_below_0_pull_the_mean() -> None:
    fault = [(1.0, "unmet"), (-3.0, "met")]
    assert counted("healthbench", fault).value == -3
    assert counted("default", fault).value == 0


def test_healthbench_asks_without_end_and_stops_without_merits() -> None:
    assert rubric_programs.healthbench_reply('{"criteria_met": "yes"}') is None, (
        "it would ask again"
    )
    with pytest.raises(ArgueBenchError):
        counted("healthbench", [(-1.0, "met")])
    assert not counted("default", [(-1.0, "met")]).applies


def test_researchrubrics_a_judge_that_failed_on_a_fault_is_the_best_result() -> None:
    """Any number of the judge is a score there; a request that failed is no verdict here."""
    lines = [("s", 1.0, 2.0), ("s", 0.0, -2.0)]
    assert rubric_programs.compliance(lines) == {"s": 1.0}
    assert rubric_programs.compliance([("s", 7.0, 1.0)])["s"] == 7
    assert not Meets.declares(7.0)
    assert not Meets.declares("0")


def test_deep_research_bench_drops_scores_that_are_texts() -> None:
    found = rubric_programs.deep_research_bench({"info_recall": ["1", True, 0]})
    assert found["total"].value == 0.5
    assert counted("drb2", [(1.0, "met"), (1.0, "met"), (1.0, "unmet")]).value == pytest.approx(
        2 / 3
    )


def test_astabench_a_repeated_paragraph_is_found_once_and_a_part_never() -> None:
    twice = "The mill turns with the tide.\n\nThe mill turns with the tide.\n\nIt is old."
    value, _ = scholarqa.answer_precision(twice, ["The mill turns with the tide."])
    assert value == pytest.approx(2 / 3)
    part, _ = scholarqa.answer_precision(twice, ["the tide"])
    assert part == 1


def test_open_rag_eval_counts_documents_and_not_citations() -> None:
    parts = [[("d1", "full")], [("d1", "full")], [("d1", "full")], [("d2", "no")]]
    found = support.open_rag_eval(parts, [])
    assert 0.5 in found.values(), "d1 is one document, however often it is cited"
    precision, _ = support.first_citation([["full"], ["full"], ["full"], ["no"]])
    assert precision.value == 0.75


def test_open_rag_eval_forgets_what_was_relevant_below_the_depth() -> None:
    theirs: Any = umbrela.ranked_measures([3, 0, 3], [1])
    assert theirs["AP@"] == {"1": 1.0}
    ours = measure({"t": {"a": 3, "b": 2, "c": 1}}, {"t": {"a": 3, "b": 0, "c": 3}}, ("ap",), 2)
    assert ours["ap"]["t"] == pytest.approx((1 + 2 / 3) / 2)


def test_open_rag_eval_an_empty_set_still_counts_in_the_divisor() -> None:
    found = nuggetizer.open_rag_scores(["okay"], ["support"])
    assert pytest.approx(0.5 / 1.5) in list(found.values())
    ours = nuggetizer.nugget_scores([{"importance": "okay", "assignment": "support"}])
    assert ours["all_score"] == 1


@pytest.mark.parametrize(
    ("reply", "grade"),
    [
        ("##final score: 2\nThe trio 3 was good", 3),
        ("final score: 10", 1),
        ("Built in 1931.", 1),
        ("I can't say.", None),
    ],
)
def test_umbrela_reads_grades_where_none_was_given(reply: str, grade: int | None) -> None:
    assert umbrela.read_grade(reply) == grade
    assert not RelevanceGrade.declares(reply), "no reply is a verdict here, but its own form"


def test_nuggetizer_a_text_becomes_letters_and_labels_are_not_checked() -> None:
    made = nuggetizer.create_nuggets(
        ["p"], lambda call: '"ab"', lambda call: '["important", " vital "]'
    )
    assert [one["text"] for one in made] == ["a", "b"]
    assert not NuggetImportance.declares("important")
    assert not NuggetImportance.declares(" vital ")


def test_nuggetizer_reads_and_labels_as_many_at_a_time_as_it_is_told() -> None:
    asked: list[tuple[str, int]] = []

    def create(call: nuggetizer.CreateCall) -> str:
        asked.append(("create", len(call.passages)))
        return repr([*call.nuggets, *call.passages])

    def label(call: nuggetizer.LabelCall) -> str:
        asked.append(("label", len(call.nuggets)))
        return repr(["support" if call.text else "vital"] * len(call.nuggets))

    made = nuggetizer.create_nuggets(["a", "b", "c"], create, label, window=2)
    found = nuggetizer.assign_nuggets(made, "an answer", label, window=3)
    assert [one["text"] for one in found] == ["a", "b", "c"]
    assert asked == [("create", 2), ("create", 1), ("label", 2), ("label", 1), ("label", 3)]


def test_autojudge_counts_a_row_twice_and_loses_names_of_runs() -> None:
    rows = [
        BoardRow("r", "t", {"m": 1.0}),
        BoardRow("r", "t", {"m": 1.0}),
        BoardRow("r", "u", {"m": 0.0}),
    ]
    done = complete_rows(rows, ["m"])
    assert done[-1].values["m"] == pytest.approx(2 / 3)
    assert "r\t" not in board_text(done, ["m"], "trec_eval")
    with pytest.raises(ArgueBenchError, match="occurs twice"):
        table_of([TopicScore("r", "t", "m", 1.0), TopicScore("r", "t", "m", 1.0)])


NONE: Any = {}


@pytest.mark.parametrize(
    "call",
    [
        lambda: rubrics.healthbench([(Criterion("c", "c", 1.0), 1.0)], ["a", "a"]),
        lambda: rubric_programs.healthbench_mean([]),
        lambda: rubric_programs.draco_passes([]),
        lambda: rubric_programs.facts_grounding([]),
        lambda: nuggetizer.global_scores([{"qid": "1"}]),
        lambda: nuggetizer.nugget_scores([{"text": "a"}]),
        lambda: nuggetizer.create_in_batch([{"query": {"qid": "1"}}], [], NONE, NONE),
        lambda: nuggetizer.assign_in_batch([{"nuggets": []}], [], "run", [], NONE),
        lambda: autojudge_files.make_bank("t", "", [{"importance": "vital"}]),
    ],
)
def test_what_stops_a_program_is_an_error_of_the_data(call: Any) -> None:
    """A tag twice, nothing to take the mean of, a key that is missing."""
    with pytest.raises(DataError):
        call()
