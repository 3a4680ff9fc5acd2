"""What rubrics' programs and DRAGUN's do that misleads (docs/argue.md): the frozen rules do it. Numbers are worked by hand."""

from __future__ import annotations

import pytest

from argue_bench.errors import ArgueBenchError, DataError
from argue_bench.metrics import parse
from argue_bench.published.rubrics import dragun
from argue_bench.published.rubrics import rubric as rubrics
from argue_bench.published.rubrics.dragun import ReportLabel, RubricQuestion
from argue_bench.records import (
    Answer,
    Criterion,
    Gold,
    Meets,
    Question,
    Sentence,
    Tally,
    Verdict,
)

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


def test_healthbench_stops_without_merits_and_at_a_tag_that_stands_twice() -> None:
    with pytest.raises(ArgueBenchError):
        counted("healthbench", [(-1.0, "met")])
    assert not counted("default", [(-1.0, "met")]).applies
    with pytest.raises(DataError):
        rubrics.healthbench([(Criterion("c", "c", 1.0), 1.0)], ["a", "a"])


def test_deep_research_bench_counts_criteria_whatever_they_weigh() -> None:
    found = counted("drb2", [(9.0, "met"), (1.0, "met"), (1.0, "unmet")])
    assert found.value == pytest.approx(2 / 3)
