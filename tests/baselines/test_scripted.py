"""Scripted systems get exactly the scores that follow from their construction."""

from __future__ import annotations

from functools import cache

import pytest

from argue_bench.baselines.oracle import Oracle
from argue_bench.baselines.scripted import SCRIPTS, ScriptedSentence, report_text
from argue_bench.eval import evaluate
from argue_bench.eval.report import Report
from argue_bench.judges.recorded import Recorded
from argue_bench.loaders.dataset import Dataset
from argue_bench.synthetic.topic import GeneratedTopic
from argue_bench.synthetic.world import World
from argue_bench.text import read_answer
from tests.baselines.scripted_scores import Due, due, grounding, nuggets_said, strings_said

METRICS = ["argue", "nuggets", "accuracy", "str_em", "citations", "grounding"]


@cache
def topics() -> tuple[GeneratedTopic, ...]:
    return tuple(World(f"{1:032x}", 20).topics())


@cache
def dataset() -> Dataset:
    documents = {one.id: one for topic in topics() for one in topic.documents}
    return Dataset("core", "dev", tuple(topic.question for topic in topics()), documents)


@cache
def report_on(name: str) -> dict[str, list[ScriptedSentence]]:
    return {topic.id: SCRIPTS[name].write(topic) for topic in topics()}


@cache
def oracle() -> Oracle:
    oracle = Oracle()
    for topic in topics():
        oracle.learn(topic, *(report_on(name)[topic.id] for name in SCRIPTS))
    return oracle


def submitted(name: str) -> list[dict[str, str]]:
    return [{"id": id, "answer": report_text(lines)} for id, lines in report_on(name).items()]


@cache
def scored(name: str) -> Report:
    return evaluate(dataset(), submitted(name), METRICS, judge=oracle(), resamples=0)


def per_topic(name: str, metric: str, column: str) -> dict[str, float | None]:
    return {id: tallies[metric][column].value for id, tallies in scored(name).per_question.items()}


def approximately(value: float) -> object:
    return pytest.approx(value, abs=1e-12)


def test_there_are_topics_of_every_sort() -> None:
    """Else a formula could hold because its term is always zero."""
    counts = [due("half-lists", topic).coverage for topic in topics()]
    assert any(share < 1 for share in counts)
    assert any(due("superseded", topic).coverage < 1 for topic in topics())
    assert any(not topic.question_plan.answerable for topic in topics())
    assert any(not due("negatives-right", topic).support for topic in topics())


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_report_reads_as_it_was_written(name: str) -> None:
    for question in dataset():
        lines = report_on(name)[question.id]
        read = read_answer(question.id, report_text(lines), dataset().documents_of(question))
        assert [(" ".join(s.text.split()), s.citations) for s in read.sentences] == [
            (" ".join(line.text.split()), line.cites) for line in lines
        ]


@pytest.mark.parametrize("name", SCRIPTS)
def test_argue_gives_what_is_due(name: str) -> None:
    assert not scored(name).failures
    wanted: dict[str, Due] = {topic.id: due(name, topic) for topic in topics()}
    for column, field in (
        ("sentence_support", "support"),
        ("nugget_coverage", "coverage"),
        ("citation_support", "citation_support"),
        ("f1", "f1"),
    ):
        got = per_topic(name, "argue", column)
        assert got == {id: approximately(getattr(one, field)) for id, one in wanted.items()}, column


@pytest.mark.parametrize("name", SCRIPTS)
def test_nuggets_are_counted_that_were_said_cited_or_not(name: str) -> None:
    got = per_topic(name, "nuggets", "strict_all")
    assert got == {t.id: approximately(nuggets_said(name, t)) for t in topics()}


@pytest.mark.parametrize("name", SCRIPTS)
def test_strings_are_found_that_were_said_and_no_others(name: str) -> None:
    for metric, column, place in (("accuracy", "loose", 0), ("str_em", "recall", 1)):
        got = per_topic(name, metric, column)
        for topic in topics():
            wanted = strings_said(name, topic)[place]
            if name == "stuffs" and wanted is not None:  # a list that is far too long is not read
                assert got[topic.id] in (0.0, approximately(wanted)), (topic.id, column)
            elif wanted is not None:
                assert got[topic.id] == approximately(wanted), (topic.id, column)
            elif not topic.question_plan.answerable:
                assert got[topic.id] is None


@pytest.mark.parametrize("name", SCRIPTS)
def test_citations_give_what_is_due(name: str) -> None:
    recall, precision = (per_topic(name, "citations", c) for c in ("recall", "precision"))
    for topic in topics():
        wanted = due(name, topic)
        if not topic.question_plan.answerable:
            assert recall[topic.id] is None
            continue
        assert recall[topic.id] == approximately(wanted.cited_sentences or 0.0)
        assert precision[topic.id] == approximately(wanted.citation_support)


@pytest.mark.parametrize("name", SCRIPTS)
def test_grounding_gives_what_is_due(name: str) -> None:
    for topic in topics():
        for column, wanted in grounding(name, topic).items():
            got = per_topic(name, "grounding", column)[topic.id]
            if (name, column) == ("stuffs", "answer_em"):
                assert got in (0.0, approximately(wanted)), topic.id
            else:
                assert got == approximately(wanted), (topic.id, column)


def test_a_list_is_read_only_where_it_is_about_as_long_as_what_was_asked_for() -> None:
    for metric, column in (("accuracy", "loose"), ("str_em", "recall"), ("grounding", "answer_em")):
        assert {0.0, 1.0} == {
            got for got in per_topic("stuffs", metric, column).values() if got is not None
        }


def test_only_who_refuses_rightly_has_it_both_ways() -> None:
    rates = {name: scored(name).scores["grounding.balanced_accuracy"].value for name in SCRIPTS}
    assert rates.pop("refuses-rightly") == 1
    assert set(rates.values()) == {0.5}


def test_order_of_quality_is_the_order_of_scores() -> None:
    f1 = {name: scored(name).scores["argue.f1"].value or 0.0 for name in SCRIPTS}
    assert f1["perfect"] == f1["repeats"] == f1["in-french"] == 1
    for worse in set(SCRIPTS) - {"perfect", "repeats", "in-french"}:
        assert f1[worse] < 1, worse
    assert f1["refuses"] == f1["stuffs"] == f1["injects"] == f1["negatives-wrong"] == 0


def test_verdicts_of_the_oracle_can_be_stored_and_replayed(tmp_path) -> None:  # type: ignore[no-untyped-def]
    answers = submitted("wrong-citations")
    told = evaluate(
        dataset(),
        answers,
        ["argue"],
        judge=oracle(),
        resamples=0,
        store=tmp_path / "verdicts",
        out=tmp_path / "run",
    )
    replayed = evaluate(
        dataset(), answers, ["argue"], judge=Recorded.from_file(tmp_path / "verdicts"), resamples=0
    )
    assert {k: s.value for k, s in told.scores.items()} == {
        k: s.value for k, s in replayed.scores.items()
    }
