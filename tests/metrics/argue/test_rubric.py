"""The metric rubric: examples worked by hand, under our own rules and under each preset."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from argue_bench.errors import DataError
from argue_bench.eval import evaluate
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import parse
from argue_bench.metrics.base import replay, tally_steps
from argue_bench.records import Answer, Criterion, Gold, Meets, Nugget, Question, Sentence, Verdict

TEXT = "The mill was built in 1731."
RUBRIC = (
    Criterion("a", "Says when.", 4, "facts", ("level:cluster",)),
    Criterion("b", "Says who.", 2, "facts"),
    Criterion("c", "Is short.", 2, "style"),
    Criterion("d", "Invents a date.", -3, "facts"),
)
SAID = {"a": "met", "b": "partly", "c": "contradicts", "d": "unmet"}


def tallies(rules: str, said: dict[str, str], rubric: Any = RUBRIC, text: str = TEXT) -> Any:
    metric = parse(f"rubric(rules={rules})")
    question = Question("q", "What of the mill?", categories=("theme:x",), gold=Gold(rubric=rubric))
    answer = Answer("q", text, (Sentence(text),) if text else ())
    verdicts = {Meets(one.text, question.text, text): Verdict(said[one.id]) for one in rubric}
    return replay(tally_steps(metric, question, answer, {}), verdicts)


def values(rules: str, said: dict[str, str], rubric: Any = RUBRIC, text: str = TEXT) -> Any:
    return {name: tally.value for name, tally in tallies(rules, said, rubric, text).items()}


def test_our_own_counting() -> None:
    assert values("default", SAID) == {
        "score": 5 / 8,
        "strict": 4 / 8,
        "contradicted": 2 / 8,
        "faults": 0,
        "axis_facts": 5 / 6,
        "axis_style": 0,
    }
    with_fault = values("default", SAID | {"d": "met"})
    assert with_fault["score"] == 2 / 8
    assert with_fault["faults"] == 1
    # A fault can only cost what merits earn.
    assert values("default", dict.fromkeys("abc", "unmet") | {"d": "met"})["score"] == 0


def test_an_empty_answer_meets_nothing_and_asks_nothing() -> None:
    assert next(tally_steps(parse("rubric"), question(), Answer("q"), {}), None) is None
    empty = values("default", SAID, text="")
    assert (empty["score"], empty["faults"]) == (0, 0)


def question() -> Question:
    return Question("q", "What of the mill?", gold=Gold(rubric=RUBRIC))


def test_a_question_without_a_rubric_does_not_apply() -> None:
    for rules in ("default", "healthbench", "dragun"):
        metric = parse(f"rubric(rules={rules})")
        bare = Question("q", "What?", gold=Gold(nuggets=(Nugget("n", "When?", ()),)))
        found = replay(tally_steps(metric, bare, Answer("q", TEXT), {}), {})
        assert not any(tally.applies for tally in found.values())


def test_criteria_of_a_group_share_its_weight() -> None:
    grouped = tuple(
        Criterion(f"{group}{n}", f"{group}{n}", weight, group=group)
        for group, weight, count in (("x", 4, 2), ("y", 1, 3))
        for n in range(count)
    )
    said = {"x0": "met", "x1": "contradicts", "y0": "partly", "y1": "met", "y2": "unmet"}
    found = values("default", said, grouped)
    assert found["score"] == pytest.approx((2 + 0.5 / 3 + 1 / 3) / 5)
    assert found["contradicted"] == pytest.approx(2 / 5)
    official = values("dragun", said, grouped)
    assert official["supportive"] == pytest.approx((4 * 1 / 2 + 1 * 1.5 / 3) / 5)
    assert official["contradictory"] == pytest.approx((4 * 1 / 2) / 5)


def test_the_presets_count_as_their_programs() -> None:
    worst = dict.fromkeys("abc", "unmet") | {"d": "met"}
    assert values("healthbench", SAID) == {
        "score": 0.5,
        "tag_theme:x": 0.5,
        "tag_level:cluster": 1.0,
    }
    assert values("healthbench", worst)["score"] == -3 / 8
    both = values("researchrubrics", SAID)
    assert both == {"score": 5 / 8, "binary": 4 / 8}
    found = values("draco", SAID)
    assert found == {"score": 4 / 8, "pass_rate": 2 / 4, "axis_facts": 4 / 6, "axis_style": 0}
    assert values("draco", worst)["score"] == 0
    assert values("drb2", SAID) == {"score": 1 / 4, "axis_facts": 1 / 3, "axis_style": 0}
    merits = RUBRIC[:3]
    assert values("scholarqa", SAID, merits) == {"score": (4 + 2 * 0.5) / 8}


def test_healthbench_clips_the_mean_and_not_the_items() -> None:
    rubric = (Criterion("a", "good", 1), Criterion("b", "bad", -3))
    questions = tuple(Question(f"q{n}", "?", gold=Gold(rubric=rubric)) for n in (1, 2))

    def judge(request: Any) -> Verdict:
        bad = request.answer == "bad"
        return Verdict("met" if bad == (request.criterion == "bad") else "unmet")

    answers = [{"id": "q1", "answer": "good"}, {"id": "q2", "answer": "bad"}]
    data = Dataset("d", "dev", questions)
    report = evaluate(data, answers, ["rubric(rules=healthbench)", "rubric"], judge=judge)
    assert report.scores["rubric(rules=healthbench).score"].value == 0  # the mean is (1 - 3) / 2
    assert report.scores["rubric.score"].value == 0.5
    better = evaluate(
        data, answers[:1] * 1, ["rubric(rules=healthbench)"], judge=judge, only_answered=True
    )
    assert better.scores["rubric(rules=healthbench).score"].value == 1


def test_a_rubric_without_merits_is_refused_where_the_program_stops() -> None:
    faults = tuple(replace(one, weight=-1) for one in RUBRIC)
    with pytest.raises(DataError, match="no weight is above 0"):
        values("healthbench", SAID, faults)
    assert values("researchrubrics", SAID, faults) == {"score": 0, "binary": 0}
    assert values("default", SAID, faults)["score"] is None


def test_what_was_missed_is_listed() -> None:
    misses = tallies("default", SAID)["score"].misses
    assert [(miss.id, miss.reason) for miss in misses] == [
        ("b", "the answer does a part of it"),
        ("c", "the answer says the opposite"),
    ]
