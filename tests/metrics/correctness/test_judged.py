"""What is asked of judges, and what their verdicts count."""

from __future__ import annotations

import pytest

from argue_bench import load
from argue_bench.errors import UsageError
from argue_bench.eval import evaluate
from argue_bench.judges import FunctionJudge
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import (
    Answer,
    Entails,
    Factual,
    Gold,
    JudgeRequest,
    Question,
    Sentence,
    Similar,
    Source,
)
from tests.metrics.correctness.counted import counted, values
from tests.shared import shared


def test_claims_are_entailed_by_the_answer_without_marks() -> None:
    gold = Gold(claims=("It is old.", "It is red."))
    answer = Answer("q", "It is old [1]. So.", (Sentence("It is old.", ("d",)), Sentence("So.")))
    asked: list[JudgeRequest] = []

    def judge(request: JudgeRequest) -> str:
        asked.append(request)
        assert isinstance(request, Entails)
        return "yes" if request.hypothesis in request.premise_text else "no"

    tallies = counted("claims", gold, answer, judge)
    assert asked[0] == Entails((Source("answer", "It is old. So."),), "It is old.")
    assert values(tallies) == {"recall": 0.5}
    assert tallies["recall"].note == "missing: It is red."


def test_claims_of_no_answer_are_not_asked() -> None:
    assert values(counted("claims", Gold(claims=("a", "b")), " ")) == {"recall": 0.0}
    assert values(counted("claims", Gold(), "x")) == {"recall": None}


def test_alce_reads_the_first_line_for_claims() -> None:
    def judge(request: JudgeRequest) -> str:
        assert isinstance(request, Entails)
        assert request.premise_text == "It is old."
        return "yes"

    counted("claims(rules=alce)", Gold(claims=("c",)), "It is old [1].\nMore.", judge)


def test_length_is_in_words() -> None:
    answer = Answer("q", "Two words [1].\nMore", (Sentence("Two words.", ("d",)), Sentence("More")))
    assert counted("length", Gold(), answer)["words"].numerator == 3
    assert counted("length(rules=alce)", Gold(), answer)["words"].numerator == 2
    assert counted("length", Gold(), "")["words"].numerator == 0


def test_bleurt_compares_gold_as_text_also_with_nothing() -> None:
    def judge(request: JudgeRequest) -> float:
        assert request == Similar("a - 1\nb - yes", "")
        return -0.25

    assert values(counted("bleurt", Gold(answer={"a": 1, "b": True}), "", judge)) == {
        "score": -0.25
    }
    assert values(counted("bleurt", Gold(), "x")) == {"score": None}


@pytest.mark.parametrize(("letter", "right"), [*zip("ABCDEF", (0, 1, 1, 0, 1, 0), strict=True)])
def test_factuality_counts_b_c_and_e(letter: str, right: int) -> None:
    def judge(request: JudgeRequest) -> str:
        assert request == Factual("What is it?", "Oslo", "It is Oslo [1].")
        return letter

    tallies = counted("factuality(judge=x)", Gold(answer="Oslo"), "It is Oslo [1].", judge)
    assert tallies["accuracy"].value == right
    assert tallies["accuracy"].note == letter


def test_factuality_of_no_answer_costs_nothing() -> None:
    assert values(counted("factuality(judge=x)", Gold(answer="Oslo"), " ")) == {"accuracy": 0.0}


@pytest.mark.parametrize(
    ("metric", "judge"), [("factuality", "PROVIDER/MODEL"), ("bleurt", "bleurt:MODEL")]
)
def test_a_model_s_metric_is_off_until_its_judge_is_named(metric: str, judge: str) -> None:
    questions = [Question("q", "What is it?", gold=Gold(answer="Oslo"))]
    answers = [{"id": "q", "answer": "Oslo"}]
    with pytest.raises(
        UsageError, match=f"{metric}: no judge is named for it: add --judge {judge}"
    ):
        evaluate(questions, answers, [metric])
    named = Dataset("own", "dev", tuple(questions), metrics=("accuracy", metric))
    report = evaluate(named, answers)
    assert list(report.scores) == ["accuracy.loose", "accuracy.strict"]
    assert f"-m '{metric}(judge={judge})'" in report.not_run[metric]
    # A judge that was named fills what lacks one.
    assert f"{metric}.{'score' if metric == 'bleurt' else 'accuracy'}" in (
        evaluate(named, answers, judge=_agrees).scores
    )


def _agrees(request: JudgeRequest) -> str | float:
    return 1.0 if isinstance(request, Similar) else "C"


class _OnlyFactual(FunctionJudge):
    def __init__(self) -> None:
        super().__init__(_agrees)
        self.kinds = frozenset({Factual})


def test_a_judge_that_cannot_answer_leaves_a_set_s_own_metric_out() -> None:
    questions = (Question("q", "What is it?", gold=Gold(answer="Oslo")),)
    own = Dataset("own", "dev", questions, metrics=("bleurt", "factuality"))
    report = evaluate(own, [{"id": "q", "answer": "Oslo"}], judge=_OnlyFactual())
    assert list(report.scores) == ["factuality.accuracy"]
    assert list(report.not_run) == ["bleurt"]


def test_a_set_s_own_metric_may_not_name_a_judge_that_costs_money() -> None:
    questions = (Question("q", "What is it?", gold=Gold(answer="Oslo")),)
    own = Dataset("own", "dev", questions, metrics=("factuality(judge=openai/gpt-4o)",))
    with pytest.raises(UsageError, match="names a judge: name it yourself"):
        evaluate(own, [{"id": "q", "answer": "Oslo"}])


def test_a_judge_in_the_text_of_a_metric_imports_nothing() -> None:
    questions = [Question("q", "What is it?", gold=Gold(answer="Oslo"))]
    with pytest.raises(UsageError, match="code outside the package"):
        evaluate(questions, [{"id": "q", "answer": "Oslo"}], ["factuality(judge=antigravity:fly)"])


def test_fanoutqa_lists_what_is_not_run() -> None:
    dev = load("fanoutqa", path=shared("data", "fanoutqa"))
    assert dev.metrics[2:] == ("bleurt", "factuality")
    report = evaluate(dev[:1], [{"id": dev[0].id, "answer": "Oslo"}])
    assert set(report.not_run) >= {"bleurt", "factuality"}
