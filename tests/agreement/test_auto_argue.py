"""Auto-ARGUE's published numbers, recomputed from its judgments: every row of every topic found."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from argue_bench.eval.driver import Case, Counted, run_metrics
from argue_bench.judges.recorded import Recorded
from argue_bench.metrics import parse
from argue_bench.metrics.argue.argue import count_report
from argue_bench.metrics.argue.judging import PRESETS
from argue_bench.published.auto_argue.files import (
    ALL,
    TOPIC_ROWS,
    Judgments,
    ScoreRow,
    Segment,
    Shape,
    read_judgments,
    write_judgments,
)
from argue_bench.published.auto_argue.judgments import report_from_judgments, score_rows
from argue_bench.published.trec.topic_files import NuggetTopic, question_of, read_topics
from argue_bench.records import (
    Answers,
    Entails,
    FirstInstance,
    JudgeRequest,
    NeedsCitation,
    Nugget,
    Source,
    Tally,
    Verdict,
)
from tests.agreement.programs.score_file import score_rows_of
from tests.agreement.vectors import parameters

CLOSE = 1e-12
RULES = "auto-argue"


class Published(NamedTuple):
    """One topic of one run, with the folder that it came from."""

    folder: Path
    run: str
    topic: str
    rows: tuple[ScoreRow, ...]


@cache
def judged(folder: Path) -> dict[tuple[str, str], Judgments]:
    files = sorted(folder.glob("*judgments*.jsonl"))
    return {(one.run, one.topic): one for file in files for one in read_judgments(file)}


@cache
def topics(folder: Path) -> dict[str, NuggetTopic]:
    return read_topics(folder)[0]


@cache
def tallies(folder: Path, run: str, topic: str) -> dict[str, Tally]:
    nuggets = topics(folder)[topic].nuggets
    return count_report(
        report_from_judgments(judged(folder)[run, topic], nuggets, RULES), PRESETS[RULES]
    )


def published(path: Path) -> Iterator[Published]:
    by: dict[tuple[str, str], list[ScoreRow]] = {}
    for row in score_rows_of(path):
        if row.topic != ALL:
            by.setdefault((row.run, row.topic), []).append(row)
    for (run, topic), rows in by.items():
        yield Published(path.parent, run, topic, tuple(rows))


def one_a_row(path: Path) -> Iterator[tuple[str, Any]]:
    for one in published(path):
        for row in one.rows:
            yield f"{one.run}-{one.topic}-{row.metric}", (one, row)


def one_a_topic(path: Path) -> Iterator[tuple[str, Any]]:
    for one in published(path):
        yield f"{one.run}-{one.topic}", one


def aggregates(path: Path) -> Iterator[tuple[str, Any]]:
    """The rows of topic ``all``, for runs of which every topic is here (their sentences add up)."""
    rows = score_rows_of(path)
    sums = [row for row in rows if row.metric == "sentences"]
    for run in dict.fromkeys(row.run for row in rows):
        here = sum(row.value for row in sums if row.run == run and row.topic != ALL)
        said = [row.value for row in sums if row.run == run and row.topic == ALL]
        for row in rows:
            if said == [here] and (row.run, row.topic) == (run, ALL):
                yield f"{run}-{row.metric}", (path, row)


@cache
def all_rows(path: Path) -> dict[tuple[str, str], float]:
    counted = (
        (one.run, one.topic, tallies(one.folder, one.run, one.topic)) for one in published(path)
    )
    return {(r.run, r.metric): r.value for r in score_rows(counted, RULES) if r.topic == ALL}


@pytest.mark.parametrize("case", parameters("auto_argue", "*scores*.tsv", aggregates))
def test_an_aggregate_is_the_published_one(case: tuple[Path, ScoreRow]) -> None:
    path, row = case
    assert all_rows(path)[row.run, row.metric] == pytest.approx(row.value, abs=CLOSE)


@pytest.mark.parametrize("case", parameters("auto_argue", "*scores*.tsv", one_a_row))
def test_a_row_is_the_published_one(case: tuple[Published, ScoreRow]) -> None:
    one, row = case
    value = tallies(one.folder, one.run, one.topic)[row.metric].value
    assert value == pytest.approx(row.value, abs=CLOSE)


@pytest.mark.parametrize("one", parameters("auto_argue", "*scores*.tsv", one_a_topic))
def test_a_topic_has_all_its_rows(one: Published) -> None:
    assert {row.metric for row in one.rows} == set(TOPIC_ROWS)


def recorded_verdicts(
    judged: Judgments, nuggets: Sequence[Nugget]
) -> tuple[dict[JudgeRequest, Verdict], list[JudgeRequest]]:
    """The verdicts of one judged report, implied noes included, and requests that were judged both ways.

    The requests are made as ``argue(rules=auto-argue)`` makes them: an answer was tried where its
    references hold a cited document, and is matched if any citation's list has it. A request with two
    verdicts (a sentence that occurs twice) has none here, so that a judge that replays them fails on it.
    """
    verdicts: dict[JudgeRequest, Verdict] = {}
    twice: dict[JudgeRequest, None] = {}

    def record(request: JudgeRequest, yes: bool | None) -> None:
        if yes is None:
            return
        verdict = Verdict("yes" if yes else "no", note="Auto-ARGUE")
        if verdicts.setdefault(request, verdict).value != verdict.value:
            twice[request] = None

    previous: tuple[str, ...] = ()
    for segment in judged.segments:
        if segment.citations:
            attests = segment.per_citation("SENTENCE_ATTESTED")
            for (id, text), judgment in zip(segment.citations, attests, strict=True):
                if judgment is not None:
                    record(Entails((Source(id, text),), segment.text), judgment.yes)
            for answers, matched in _tried_answers(segment, nuggets):
                record(answers, matched)
        else:
            for judgment in segment.of("REQUIRES_CITATION"):
                record(NeedsCitation(segment.text), judgment.yes)
            for judgment in segment.of("FIRST_INSTANCE"):
                record(FirstInstance(segment.text, previous), judgment.yes)
        previous = (*previous, segment.text)
    return {
        request: verdict for request, verdict in verdicts.items() if request not in twice
    }, list(twice)


def _tried_answers(
    segment: Segment, nuggets: Sequence[Nugget]
) -> Iterator[tuple[JudgeRequest, bool]]:
    """The requests for answers that were tried on a sentence, and whether each was matched."""
    lists = segment.of("SENTENCE_ANSWERS_QUESTION")
    matched = {pair for judgment in lists for pair in judgment.matched}
    cited = {id for id, _ in segment.citations}
    for nugget in nuggets if lists else ():
        for answer in nugget.answers:
            pair = (nugget.question, answer.text)
            if pair in matched or not cited.isdisjoint(answer.references):
                yield Answers(segment.text, *pair), pair in matched


@pytest.mark.parametrize("one", parameters("auto_argue", "*scores*.tsv", one_a_topic))
def test_the_metric_with_a_recorded_judge_counts_the_same(one: Published) -> None:
    """The other way to the same numbers: asks, one driver, implied noes."""
    report = judged(one.folder)[one.run, one.topic]
    topic = topics(one.folder)[one.topic]
    verdicts, twice = recorded_verdicts(report, topic.nuggets)
    counted = asyncio.run(driven(report, topic, verdicts))
    if (
        twice
    ):  # a sentence that stands twice and was judged both ways can't be replayed by its words
        assert counted.tallies is None
        assert len(counted.failures) == len(twice)
    else:
        assert counted.failures == ()
        expected = tallies(one.folder, one.run, one.topic)
        assert counted.tallies is not None
        assert {name: counted.tallies[name].value for name in TOPIC_ROWS} == {
            name: expected[name].value for name in TOPIC_ROWS
        }


async def driven(
    report: Judgments, topic: NuggetTopic, verdicts: dict[JudgeRequest, Verdict]
) -> Counted:
    judge = Recorded({request.key: verdict for request, verdict in verdicts.items()})
    metric = parse(f"argue(rules={RULES})")
    case = Case(question_of(topic), report.answer, report.documents)
    outcomes = [outcome async for outcome in run_metrics([case], [metric], {"": judge})]
    return outcomes[0].counted[str(metric)]


@pytest.mark.parametrize("one", parameters("auto_argue", "*scores*.tsv", one_a_topic))
@pytest.mark.parametrize("shape", ["report", "segments"])
def test_both_shapes_are_written_back(one: Published, shape: Shape, tmp_path: Path) -> None:
    report = judged(one.folder)[one.run, one.topic]
    write_judgments(tmp_path / "again.jsonl", [report], shape)
    (again,) = read_judgments(tmp_path / "again.jsonl")
    assert again.segments == report.segments
    assert (again.run, again.topic, again.collections) == (one.run, one.topic, report.collections)
    if shape == "report":
        assert again == report
