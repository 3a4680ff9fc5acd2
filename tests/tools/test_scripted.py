"""Scripted systems get exactly the scores that follow from their construction."""

from __future__ import annotations

from functools import cache

import pytest

from argue_bench.eval import evaluate
from argue_bench.eval.report import Report
from argue_bench.judges.recorded import Recorded
from argue_bench.loaders.dataset import Dataset
from argue_bench.text import read_answer
from tests.tools.scripted_scores import Due, due, grounding
from tools.core_set.oracle import Oracle
from tools.core_set.scripted import SCRIPTS, ScriptedSentence, report_text
from tools.core_set.topic import GeneratedTopic
from tools.core_set.world import World

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
    return evaluate(dataset(), submitted(name), METRICS, judge=oracle())


def per_topic(name: str, metric: str, column: str) -> dict[str, float | None]:
    return {id: tallies[metric][column].value for id, tallies in scored(name).per_question.items()}


def approximately(value: float) -> object:
    return pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_report_reads_as_it_was_written(name: str) -> None:
    for question in dataset():
        lines = report_on(name)[question.id]
        read = read_answer(question.id, report_text(lines), dataset().documents_of(question))
        assert [(" ".join(s.plain.split()), s.citations) for s in read.sentences] == [
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


def test_verdicts_of_the_oracle_can_be_stored_and_replayed(tmp_path) -> None:  # type: ignore[no-untyped-def]
    answers = submitted("wrong-citations")
    told = evaluate(
        dataset(),
        answers,
        ["argue"],
        judge=oracle(),
        store=tmp_path / "verdicts",
        out=tmp_path / "run",
    )
    replayed = evaluate(
        dataset(), answers, ["argue"], judge=Recorded.from_file(tmp_path / "verdicts")
    )
    assert {k: s.value for k, s in told.scores.items()} == {
        k: s.value for k, s in replayed.scores.items()
    }
