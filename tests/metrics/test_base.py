"""The text of a metric creates it, and nothing else does."""

from __future__ import annotations

import dataclasses
import textwrap

import pytest

from argue_bench import load, records, satellites
from argue_bench.errors import UnknownName, UsageError
from argue_bench.eval import evaluate
from argue_bench.metrics import METRICS, PUBLISHED, base, class_of, parse
from argue_bench.metrics.base import WholeMetric
from argue_bench.records import KINDS
from argue_bench.stats.averages import macro

REQUIRED = {"factuality": "factuality(judge=j)", "grounding_judge": "grounding_judge(judge=j)"}
"""Metrics that have no default judge, so that nobody pays for one by accident."""


@pytest.mark.parametrize("name", [*METRICS, *PUBLISHED])
def test_the_text_of_a_metric_gives_it_back(name: str) -> None:
    text = REQUIRED.get(name, name)
    assert str(parse(text)) == text
    assert parse(str(parse(text))) == parse(text)


@pytest.mark.parametrize(
    ("text", "shortest"),
    [
        ("accuracy( rules = fanoutqa )", "accuracy(rules=fanoutqa)"),
        ("accuracy(rules=default)", "accuracy"),
        ("accuracy()", "accuracy"),
        (" argue(judge=my.judge-1,rules=auto-argue) ", "argue(rules=auto-argue,judge=my.judge-1)"),
    ],
)
def test_defaults_and_blanks_are_left_out(text: str, shortest: str) -> None:
    assert str(parse(text)) == shortest


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("acuracy", "Did you mean 'accuracy'"),
        ("accuracy(rules=none)", "no rules=none; it has: default, fanoutqa"),
        ("rouge(rules=alce)", "no rules=alce; it has: default"),
        ("citations(rule=alce)", "no option 'rule'; it has: judge"),
        ("accuracy(rules)", "write option=value"),
        ("accuracy(rules=fanoutqa", "write NAME or NAME"),
        ("argue(judge=openai/gpt 4)", "--judge NAME=SPEC"),
        ("argue(judge=a,judge=b)", "is given twice"),
        ("", "write NAME or NAME"),
    ],
)
def test_what_is_wrong_is_said(text: str, says: str) -> None:
    with pytest.raises((UsageError, UnknownName)) as raised:
        parse(text)
    assert says in str(raised.value)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("citations(rules=alce,judge=nli)", "published.alce.auto_ais.AlceCitations"),
        ("argue(rules=auto-argue)", "metrics.argue.argue.Argue"),
        ("citations", "metrics.citations.recall_precision.Citations"),
    ],
)
def test_a_text_from_a_file_names_a_class(text: str, name: str) -> None:
    kind = class_of(text)
    assert kind is not None
    assert f"{kind.__module__}.{kind.__name__}" == f"argue_bench.{name}"


@pytest.mark.parametrize("text", ["", "mine", "citations2(rules=alce)", "(", "a.b:c"])
def test_any_other_text_names_none(text: str) -> None:
    assert class_of(text) is None


def test_without_its_folder_a_published_definition_is_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(satellites, "is_here", lambda text: not text.startswith("published."))
    with pytest.raises(UsageError, match=r"no rules=alce; it has: default$"):
        parse("citations(rules=alce)")
    with pytest.raises(UnknownName, match="nuggets"):
        parse("nuggets")
    assert "nuggets" not in METRICS
    assert str(parse("citations")) == "citations"


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_says_what_it_is(name: str) -> None:
    metric = METRICS[name]
    assert metric.summary
    assert metric.scores
    assert set(metric.headline) <= set(metric.scores)
    assert set(metric.requests) <= set(KINDS.values())
    if metric.requests:
        assert "judge" in {field.name for field in dataclasses.fields(metric)}
    if not issubclass(metric, WholeMetric):
        assert all(average.columns_read for average in metric.scores.values())


def test_the_example_of_a_metric_runs() -> None:
    text = base.__doc__ or ""
    example = textwrap.dedent(text[text.index("    @dataclass") :])
    names = {**vars(records), **vars(base), "macro": macro, "__name__": __name__}
    exec(compile(example, "example", "exec", dont_inherit=True), names)
    dataset = load("core", "sample")
    golds = {question.id: question.gold for question in dataset if question.gold}
    answers = [
        {"id": id, "answer": gold.nuggets[0].answers[0].text}
        for id, gold in golds.items()
        if gold.nuggets and gold.nuggets[0].answers
    ]
    assert answers
    report = evaluate(dataset, answers, [names["Coverage"]()], only_answered=True)
    recall = report.scores["coverage.recall"]
    assert recall.value is not None
    assert 0 < recall.value < 1
    assert recall.n == len(answers)
