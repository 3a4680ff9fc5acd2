"""`evaluate` and `aevaluate`: pair answers with questions, tally, average, sign.

from argue_bench import load_dev
from argue_bench.eval import evaluate

report = evaluate(load_dev(), [{"id": "q1", "answer": "It was built in 1931 [d1]."}])
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any, TypeVar

from argue_bench.errors import UsageError
from argue_bench.eval.driver import Case, OnFailure, Outcome, Progress, refuse_sealed
from argue_bench.eval.judging import (
    JudgeLike,
    MetricLike,
    as_dataset,
    header_for,
    judges_for,
    run_cases,
    select,
)
from argue_bench.eval.report import Report, Score, Scores
from argue_bench.eval.run import Entry, report_of
from argue_bench.eval.signature import MOST_LEFT_OUT, Signature
from argue_bench.judges import Judge, set_budget
from argue_bench.loaders.answers import AnswerInput, as_answers
from argue_bench.loaders.dataset import Dataset
from argue_bench.models.budget import Budget
from argue_bench.records import Answer, Question

__all__ = ["Report", "Score", "Scores", "Signature", "aevaluate", "evaluate"]

T = TypeVar("T")
RESAMPLES = 10_000


def evaluate(
    dataset: Dataset | Sequence[Question],
    answers: Iterable[AnswerInput],
    metrics: Sequence[MetricLike] | None = None,
    *,
    judge: JudgeLike = "lexical",
    judges: Mapping[str, JudgeLike] | None = None,
    only_answered: bool = False,
    on_failure: OnFailure = "refuse",
    most_left_out: float = MOST_LEFT_OUT,
    resamples: int = RESAMPLES,
    system: str = "",
    out: str | Path | None = None,
    store: str | Path | None = None,
    budget: float | None = None,
    progress: Progress | None = None,
) -> Report:
    """Scores answers on a data set, also where an event loop is running (a notebook).

    See `aevaluate` for the parameters and the errors.
    """
    return _run_in_loop(
        aevaluate(
            dataset,
            answers,
            metrics,
            judge=judge,
            judges=judges,
            only_answered=only_answered,
            on_failure=on_failure,
            most_left_out=most_left_out,
            resamples=resamples,
            system=system,
            out=out,
            store=store,
            budget=budget,
            progress=progress,
        )
    )


async def aevaluate(
    dataset: Dataset | Sequence[Question],
    answers: Iterable[AnswerInput],
    metrics: Sequence[MetricLike] | None = None,
    *,
    judge: JudgeLike = "lexical",
    judges: Mapping[str, JudgeLike] | None = None,
    only_answered: bool = False,
    on_failure: OnFailure = "refuse",
    most_left_out: float = MOST_LEFT_OUT,
    resamples: int = RESAMPLES,
    system: str = "",
    out: str | Path | None = None,
    store: str | Path | None = None,
    budget: float | None = None,
    progress: Progress | None = None,
) -> Report:
    """Scores answers on a data set.

    ``dataset``: a data set, a slice of one (``dev[:5]``) or a list of questions.
    ``answers``: ``{"id", "answer"}`` mappings, TREC report objects or `Answer` records, one system's.
    ``metrics``: texts, also ``module:name`` (which is imported), metrics, or functions from a
    question and an answer to ``{score: Tally}``; the data set's own metrics by default.
    ``judge`` answers the requests of metrics; ``judges`` maps names used in metric texts
    (``citations(judge=NAME)``) to further ones.
    An unanswered question counts as an empty answer, unless ``only_answered``.
    ``resamples``: how many bootstrap resamples the intervals rest on; 0 for no intervals.
    ``out`` writes a run file, with the verdicts in ``store`` (beside it by default). ``budget``: the
    most US dollars that all judges together may spend; before it is passed, JudgeError.

    Raises DataError (broken answers), UsageError (nothing to score, an option without meaning, two
    questions with one id, a metric that returns no tallies), NoGold, UnknownName, MissingExtra,
    JudgeError. A judge's failure on one request raises nothing: it is listed, and ``on_failure``
    decides ("refuse": the score is unset; "leave-out": the question is left out, up to a share of
    ``most_left_out`` of them; "default": ARGUE's default verdicts).
    """
    if not 0 <= most_left_out <= 1:
        raise UsageError(f"most_left_out is a share from 0 to 1, not {most_left_out:g}")
    dataset = as_dataset(dataset)
    pairs = _pairs(dataset, answers, only_answered, system)
    selection = select(dataset, metrics)
    chosen = judges_for(selection.metrics, judge, judges or {})
    if budget is not None:
        limit = Budget(budget, stored=out is not None or store is not None)
        for one in chosen.values():
            set_budget(one, limit)
    outcomes: list[Outcome] = []
    header = await run_cases(
        (Case(question, answer, dataset.citable(question)) for question, answer in pairs),
        selection.metrics,
        chosen,
        partial(
            header_for,
            dataset,
            (*selection.metrics, *selection.whole),
            n=len(pairs),
            answers="answered" if only_answered else "all",
            on_failure=on_failure,
            most_left_out=most_left_out,
        ),
        outcomes.append,
        on_failure=on_failure,
        out=None if out is None else Path(out),
        store=None if store is None else Path(store),
        progress=progress,
    )
    entries = {
        outcome.case.question.id: Entry.of(outcome.case.answer, outcome.counted)
        for outcome in outcomes
    }
    report = report_of(header, selection.metrics, system, entries, resamples)
    whole = {
        f"{metric}.{name}": Score(value, n=len(pairs))
        for metric in selection.whole
        for name, value in metric.whole(pairs).items()
    }
    return replace(
        report,
        scores=Scores({**report.scores, **whole}),
        not_run=selection.not_run,
        cost=_cost(chosen.values()),
        metrics={**report.metrics, **{str(metric): metric for metric in selection.whole}},
    )


def _pairs(
    dataset: Dataset, answers: Iterable[AnswerInput], only_answered: bool, system: str
) -> list[tuple[Question, Answer]]:
    """The questions to score, each with its answer, an empty one where there is none."""
    given = as_answers(answers, dataset)
    pairs = [
        (question, given.get(question.id) or Answer(question.id, run=system))
        for question in dataset
        if question.id in given or not only_answered
    ]
    if not pairs:
        raise UsageError(
            f"no question of {dataset.name} was answered, so there is nothing to score; without "
            "only_answered each of them counts 0"
        )
    for question, _ in pairs:
        refuse_sealed(question)
    return pairs


def _cost(judges: Iterable[Judge]) -> dict[str, dict[str, float]]:
    """What each judge was asked and what that cost; two that bear one name are summed."""
    cost: dict[str, dict[str, float]] = {}
    for judge in {id(judge): judge for judge in judges}.values():
        row = cost.setdefault(judge.name, {"asked": 0})
        for key, value in vars(judge.counts).items():
            if value:
                row[key] = row.get(key, 0) + value
    return cost


def _run_in_loop(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine; from a thread of its own where a loop is running already."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    result: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        try:
            result.append(asyncio.run(work))
        except BaseException as error:
            failure.append(error)

    thread = Thread(target=run, name="argue-bench-evaluate")
    thread.start()
    thread.join()
    if failure:
        raise failure[0]
    return result[0]
