"""Metrics of one's own: functions, decorated functions, ``module:name``; in reports and run files."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from click.testing import CliRunner

from argue_bench import load
from argue_bench.analysis.compare import compare
from argue_bench.cli import main
from argue_bench.errors import UsageError
from argue_bench.eval import evaluate
from argue_bench.eval.run import read_reports
from argue_bench.lab.score_table import read_scores
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import Metric, as_metric, find_metric, metric, parse
from argue_bench.metrics.base import MissingVerdicts, replay, run_together
from argue_bench.records import Answer, Gold, NeedsCitation, Question, Tally, Verdict
from argue_bench.stats.averages import Harmonic, macro, mean_count
from tests.eval.toys import Letters, Needs, dataset

SET = dataset({"q1": "ab", "q2": "cd", "q3": "ef"})
ANSWERS = [{"id": "q1", "answer": "ab"}, {"id": "q2", "answer": "x"}]


def exact_match(question: Question, answer: Answer) -> Mapping[str, Tally]:
    """Is the answer the gold answer, letter by letter?"""
    assert question.gold is not None
    return {"share": Tally(float(answer.text == question.gold.answer))}


@metric(
    name="overlap",
    summary="which letters are shared?",
    scores={"f1": Harmonic(macro("p"), macro("r")), "letters": mean_count("letters")},
)
def overlapping(question: Question, answer: Answer) -> Mapping[str, Tally]:
    assert question.gold is not None
    gold, given = set(str(question.gold.answer)), set(answer.text)
    shared = len(gold & given)
    return {"p": Tally(shared, len(given)), "r": Tally(shared, len(gold)), "letters": Tally(12)}


def test_a_function_is_a_metric() -> None:
    report = evaluate(SET, ANSWERS, [exact_match])
    found = report.scores["exact_match.share"]
    assert found.value == pytest.approx(1 / 3)
    assert (found.n, found.failed) == (3, 0)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= 1 / 3 <= found.high
    assert report.signature["exact_match"]["metric"] == "exact_match"
    assert report.standard_error("exact_match.share") == pytest.approx((2 / 9 / 2) ** 0.5)


def test_a_decorator_says_name_summary_and_averages() -> None:
    assert (overlapping.name, overlapping.summary) == ("overlap", "which letters are shared?")
    report = evaluate(SET, ANSWERS, [overlapping])
    # q1 shares 2 of 2 letters, q2 none of 1, q3 has none given: its precision does not apply
    assert {key: score.value for key, score in report.scores.items()} == {
        "overlap.p": pytest.approx(1 / 2),
        "overlap.r": pytest.approx(1 / 3),
        "overlap.letters": 12,
        "overlap.f1": pytest.approx(2 * (1 / 2) * (1 / 3) / (1 / 2 + 1 / 3)),
    }
    assert report.averages("overlap")["letters"].unit == "count"
    assert isinstance(metric(exact_match), Metric)
    assert metric(exact_match).summary == "Is the answer the gold answer, letter by letter?"


def test_a_function_may_ask_if_it_says_what() -> None:
    @metric(requests=(NeedsCitation,))
    def needs(question: Question, answer: Answer) -> Any:
        request = NeedsCitation(answer.text)
        verdicts = yield [request]
        return {"yes": Tally(float(verdicts[request].yes))}

    report = evaluate(SET, ANSWERS, [needs])
    assert report.scores["needs.yes"].n == 3
    assert report.signature["needs"]["judge"].startswith("lexical")


def nothing(question: Question, answer: Answer) -> Any:
    return None


def a_number(question: Question, answer: Answer) -> Any:
    return 0.5


def a_float_score(question: Question, answer: Answer) -> Any:
    return {"share": 0.5}


def a_dotted_score(question: Question, answer: Answer) -> Any:
    return {"a.b": Tally(1.0)}


def an_infinite_score(question: Question, answer: Answer) -> Any:
    return {"share": Tally(float("inf"))}


def raising(question: Question, answer: Answer) -> Any:
    return {}["share"]


def stopping(question: Question, answer: Answer) -> Any:
    return {"share": next(iter(()))}


async def waiting(question: Question, answer: Answer) -> Any:
    return {"share": Tally(1.0)}


def yielding_words(question: Question, answer: Answer) -> Any:
    yield ["is it so?"]


def yielding_one(question: Question, answer: Answer) -> Any:
    yield NeedsCitation("x")


def asking_unsaid(question: Question, answer: Answer) -> Any:
    yield [NeedsCitation("x")]


def too_few(question: Question) -> Any:
    return {"share": Tally(1.0)}


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (nothing, "it returned NoneType"),
        (a_number, "it returned float"),
        (a_float_score, "it returned float for the score 'share'"),
        (a_dotted_score, "the score name 'a.b'"),
        (an_infinite_score, "not finite for the score 'share'"),
        (raising, "KeyError: 'share'"),
        (stopping, "it returned NoneType"),
        (waiting, "a metric can't be async"),
        (yielding_words, "it yielded str, but it declares no kind of request"),
        (yielding_one, "it yielded NeedsCitation, but it declares no kind of request"),
        (asking_unsaid, "it yielded NeedsCitation, but it declares no kind of request"),
        (too_few, "TypeError: too_few"),
    ],
)
def test_a_function_that_is_no_metric_is_one_clear_error(
    function: Callable[..., Any], says: str
) -> None:
    with pytest.raises(UsageError) as raised:
        evaluate(SET, ANSWERS, [function])
    assert str(raised.value).startswith(
        f"The metric {function.__name__} failed on the question 'q1': "
    )
    assert says in str(raised.value)


@pytest.mark.parametrize(
    ("named", "says"),
    [
        ([lambda question, answer: {}], "write @metric(name=...)"),
        ([5], "5 is not a metric and not a function"),
        ([Letters], "hand over Letters()"),
        ("argue", "write metrics=['argue']"),
        ([metric(name="accuracy")(exact_match)], "The name accuracy is taken"),
        ([exact_match, metric(name="exact_match")(nothing)], "Two metrics are called exact_match"),
        (["nowhere_at_all:exact_match"], "there is no module 'nowhere_at_all'"),
        (["json:exact_match"], "json has no 'exact_match'"),
        (["json:dumps(rules=x)"], "takes no options"),
        (["json:JSONDecoder"], "json:JSONDecoder is neither a metric nor a function"),
    ],
)
def test_what_is_no_metric_is_told(named: Any, says: str) -> None:
    with pytest.raises(UsageError) as raised:
        evaluate(SET, ANSWERS, named)
    assert says in str(raised.value)


OWN = """
from dataclasses import dataclass
from typing import ClassVar
from argue_bench.metrics import Metric, metric
from argue_bench.records import Tally
from argue_bench.stats.averages import macro

def exact_match(question, answer):
    return {"share": Tally(answer.text == question.gold.answer)}

@metric(name="other")
def renamed(question, answer):
    return exact_match(question, answer)

@dataclass(frozen=True)
class AtLeast(Metric):
    words: int = 1
    name: ClassVar[str] = "at_least"
    summary: ClassVar[str] = "has it so many words?"
    scores: ClassVar = {"share": macro("share")}
    def tally(self, question, answer, documents):
        return {"share": Tally(len(answer.text.split()) >= self.words)}
"""


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with a module of metrics, the current folder of the test."""
    (tmp_path / "own_metrics.py").write_text(OWN, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    sys.modules.pop("own_metrics", None)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("own_metrics:exact_match", 1 / 3),
        ("own_metrics:renamed", 1 / 3),
        ("own_metrics:AtLeast", 2 / 3),
        ("own_metrics:AtLeast(words=2)", 0.0),
    ],
)
def test_a_module_and_a_name_are_a_metric(own: Path, text: str, value: float) -> None:
    report = evaluate(SET, ANSWERS, [text])
    (key,) = report.scores
    assert key == f"{text}.share"
    assert report.scores[key].value == pytest.approx(value)
    assert str(as_metric(text)) == text


def test_parsing_never_imports(own: Path) -> None:
    for text in ("own_metrics:exact_match", "own_metrics:AtLeast(words=2)"):
        with pytest.raises(UsageError, match="hand it over, -m own_metrics:"):
            parse(text)
    with pytest.raises(UsageError, match="Hand it over"):
        find_metric("own_metrics:exact_match", (), Path("a.run"))
    named = Dataset("toy", "dev", SET.questions, metrics=("own_metrics:exact_match",))
    with pytest.raises(UsageError, match="hand it over"):
        evaluate(named, ANSWERS)
    assert "own_metrics" not in sys.modules


@pytest.fixture
def sample() -> Dataset:
    return load("core", "sample")


def lines(dataset: Dataset, text: str = "It was finished in 1931 [1].") -> list[dict[str, str]]:
    return [{"id": question.id, "answer": text} for question in dataset]


@metric(scores={"letters": mean_count("letters")})
def size(question: Question, answer: Answer) -> Mapping[str, Tally]:
    return {"letters": Tally(len(answer.text) + len(question.id)), "short": Tally(1, 2)}


def test_a_run_file_is_read_with_the_metric_handed_over(tmp_path: Path, sample: Dataset) -> None:
    out = tmp_path / "a.run"
    report = evaluate(sample, lines(sample), [size, "length"], out=out)
    (again,) = read_reports(out, [size]).values()
    assert dict(again.resampled().scores) == dict(report.scores)
    assert again.standard_error("size.letters") == report.standard_error("size.letters")
    with pytest.raises(UsageError, match="made with the metric size, which is not in the catal"):
        read_reports(out)
    other = tmp_path / "b.run"
    evaluate(sample, lines(sample, "Other."), [size, "length"], out=other)
    (second,) = read_reports(other, [size]).values()
    found = compare(again, second, names=["a", "b"], all_scores=True, permutations=50)
    assert [one.key for one in found.compared] == ["size.letters", "size.short", "length.words"]
    assert "size.letters" in read_scores(out, metrics=[size]).measures


def test_the_command_line_takes_a_module_and_a_name(own: Path, sample: Dataset) -> None:
    def run(*words: str) -> Any:
        return CliRunner().invoke(main, words)

    for name, text in (("a", "It was."), ("b", "Other words.")):
        rows = "".join(json.dumps(row) + "\n" for row in lines(sample, text))
        Path(f"{name}.jsonl").write_text(rows, encoding="utf-8")
        evaluated = ("evaluate", f"{name}.jsonl", "--split", "sample", "-m", "own_metrics:AtLeast")
        done = run(*evaluated, "--out", f"{name}.run")
        assert done.exit_code == 0, done.output
        assert "own_metrics:AtLeast.share" in done.stdout
    sys.modules.pop("own_metrics")
    for words in (("compare", "a.run", "b.run"), ("view", "a.run", "--out", "pages")):
        refused = run(*words)
        assert refused.exit_code == 2
        assert "Hand it over: -m module:name" in refused.output
        assert "own_metrics" not in sys.modules
        done = run(*words, "-m", "own_metrics:AtLeast")
        assert done.exit_code == 0, done.output
        sys.modules.pop("own_metrics")


def test_a_list_of_questions_and_a_slice_are_data_sets(sample: Dataset) -> None:
    part = sample[:3]
    assert isinstance(part, Dataset)
    assert (len(part), part[0], part.documents) == (3, sample[0], sample.documents)
    assert part.title != sample.title
    assert sample[:].title == sample.title
    declared = Dataset("toy", "dev", SET.questions, declared_digest="sha256:00")
    assert len({declared[:2].digest, declared[1:].digest, declared.digest}) == 3
    assert evaluate(part, lines(part), ["length"]).n == 3
    listed = evaluate(list(SET), ANSWERS, [exact_match])
    assert listed.scores["exact_match.share"].value == pytest.approx(1 / 3)
    assert listed.dataset.startswith("questions@")
    assert set(evaluate(list(SET), ANSWERS).signature) >= {"grounding", "accuracy"}
    asked = [Question("q1", "Who?", gold=Gold(answer="Ada"), metrics=("length", "rouge"))]
    assert set(evaluate(asked, []).signature) == {"length", "rouge"}


def test_citations_are_not_scored_without_any_document() -> None:
    report = evaluate(list(SET), ANSWERS)
    for text in ("citations", "argue"):
        assert text not in report.signature
        assert "there is no document: name them by -C DIR" in report.not_run[text]
        with pytest.raises(UsageError, match="there is no document"):
            evaluate(list(SET), ANSWERS, [text])
    alone = Dataset("topics", "dev", SET.questions, metrics=("argue",))
    with pytest.raises(UsageError, match="there is no document"):
        evaluate(alone, ANSWERS)


@pytest.mark.parametrize(
    ("questions", "says"),
    [
        ([*SET, Question("q2", "again?", gold=Gold())], "Two questions have the id 'q2'"),
        (["q1"], "Expected a Dataset or a list of Question"),
        ("core", "Expected a Dataset or a list of Question"),
        (5, "Expected a Dataset or a list of Question"),
    ],
)
def test_what_is_no_list_of_questions_is_told(questions: Any, says: str) -> None:
    with pytest.raises(UsageError) as raised:
        evaluate(questions, ANSWERS)
    assert says in str(raised.value)


def test_steps_run_side_by_side_and_lack_nothing_unseen() -> None:
    needs = Needs()
    yes = {NeedsCitation("a"): Verdict("yes"), NeedsCitation("b"): Verdict("no")}

    def steps(text: str) -> Any:
        return needs.tally(SET[0], Answer("q1", text), {})

    first, second = replay(run_together([steps("a"), steps("b")]), yes)
    assert (first["yes"].numerator, second["yes"].numerator) == (1.0, 0.0)
    with pytest.raises(MissingVerdicts) as raised:
        replay(steps("c"), yes)
    assert raised.value.requests == [NeedsCitation("c")]


@dataclass(frozen=True)
class Asks(Metric):
    """Yields a request of a kind that it does not declare."""

    judge: str = ""
    name: ClassVar[str] = "asks"
    summary: ClassVar[str] = "a metric of the tests"
    scores: ClassVar = {"x": macro("x")}

    def tally(self, question: Question, answer: Answer, documents: Any) -> Any:
        yield [NeedsCitation("x")]


def test_a_metric_object_is_held_to_what_it_declares() -> None:
    with pytest.raises(UsageError, match="The metric asks failed on the question 'q1': TypeError"):
        evaluate(SET, ANSWERS, [Asks()])
