"""Evaluates metrics over the answers of one system: which metrics run, by which judges, and what
is stored.

`evaluate` and `evaluate_reports` are two callers of `run_cases`, which drives the metrics, keeps every
verdict in the store as it arrives, and writes the run file. A verdict that is stored is never
requested again, so a run that was killed continues when it is repeated and ends in the same bytes.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from argue_bench.errors import MissingExtra, UsageError
from argue_bench.eval.cluster.running import run_cases
from argue_bench.eval.driver import Case, OnFailure, Progress, refuse_sealed
from argue_bench.eval.report import Report, Score, Scores
from argue_bench.eval.run import Entry, header_for, report_of
from argue_bench.eval.signature import MOST_LEFT_OUT
from argue_bench.judges import (
    Judge,
    JudgeFunction,
    as_judge,
    create_judge,
    find_judge,
    set_budget,
    set_strict_model,
)
from argue_bench.judges.base import costs_of
from argue_bench.loaders.answers import AnswerPairs, AnswersLike, as_answers
from argue_bench.loaders.core import METRICS as DEFAULT_METRICS
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.limits import AnswerLimits, within_limits
from argue_bench.metrics import Metric, MetricFunction, WholeMetric, as_metric, parse
from argue_bench.models.budget import Budget
from argue_bench.records import Answer, Question
from argue_bench.stats.bootstrap import RESAMPLES
from argue_bench.stats.clusters import number_clusters

if TYPE_CHECKING:
    from argue_bench.eval.cluster.connecting import ClusterLike
    from argue_bench.eval.people.labelling import Labelling
    from argue_bench.judges.batches import Batching
    from argue_bench.judges.labels import LabelsLike

DEFAULT_JUDGE = "lexical"
JUDGE_SPEC = re.compile("[/:]")
"""What a judge's spec has and its name in a metric text has not."""
JudgeLike = str | Judge | JudgeFunction
MetricLike = str | Metric | MetricFunction


@dataclass(frozen=True)
class Selection:
    """The metrics of a run. ``whole`` metrics score all answers together and make no requests."""

    metrics: tuple[Metric, ...]
    whole: tuple[WholeMetric, ...]
    not_run: Mapping[str, str]
    """Metric text to the line that turns it on."""


def as_dataset(questions: Dataset | Sequence[Question]) -> Dataset:
    """A list of questions as a data set. Raises UsageError where two of them have one id."""
    if isinstance(questions, Dataset):
        return questions
    if isinstance(questions, str) or not isinstance(questions, Sequence):
        raise UsageError(f"Expected a Dataset or a list of Question, not {questions!r:.40}.")
    seen: set[str] = set()
    for place, question in enumerate(questions, 1):
        if not isinstance(question, Question):
            raise UsageError(
                f"Number {place} of the questions is not a Question: {question!r:.40}."
            )
        if question.id in seen:
            raise UsageError(f"Two questions have the id {question.id!r}: give each its own.")
        seen.add(question.id)
    return Dataset("questions", "", tuple(questions), metrics=DEFAULT_METRICS)


def select(
    dataset: Dataset,
    named: Sequence[MetricLike] | None = None,
    judge: JudgeLike = DEFAULT_JUDGE,
) -> Selection:
    """The metrics that the user named, or those of the data set, without those that lack an
    extra or a judge.

    ``judge`` is the default one. Raises UnknownName and UsageError, and MissingExtra where a metric was
    named.
    """
    if isinstance(named, str):
        raise UsageError(f"metrics is a list of metrics: write metrics=[{named!r}].")
    # A data set's own metrics were read from data, so they are parsed, which imports nothing.
    wanted = [parse(text) for text in dataset.metrics] if named is None else map(as_metric, named)
    chosen: dict[str, Metric] = {}
    not_run: dict[str, str] = {}
    if named is None and not dataset.metrics and any(question.pairing for question in dataset):
        not_run["faithfulness"] = "no row has contexts"
    for metric in wanted:
        if chosen.get(str(metric), metric) != metric:
            raise UsageError(f"Two metrics are called {metric}: give one another name.")
        try:
            metric.require()
            _require_judge(metric, judge, own=named is None)
        except _NoJudge as missing:
            if named is not None:
                raise UsageError(f"{metric}: {missing}") from None
            not_run[str(metric)] = str(missing)
        except MissingExtra as missing:
            if named is not None:
                raise
            not_run[str(metric)] = str(missing)
        else:
            chosen[str(metric)] = metric
    return Selection(
        tuple(metric for metric in chosen.values() if not isinstance(metric, WholeMetric)),
        tuple(metric for metric in chosen.values() if isinstance(metric, WholeMetric)),
        not_run,
    )


class _NoJudge(UsageError):
    """A metric has no judge that can answer it."""


def _require_judge(metric: Metric, judge: JudgeLike, own: bool) -> None:
    """Raises an error where a metric has only the default judge and wants another.

    A data set's ``own`` metric came from a file, which must not name a judge that costs money.
    """
    if own and JUDGE_SPEC.search(metric.judge_name):
        raise UsageError(
            f"The data set's metric {metric} names a judge: name it yourself, -m {metric}"
        )
    if not metric.wants_judge or metric.judge_name:
        return
    fits = getattr(judge, "name", judge) != DEFAULT_JUDGE
    if fits and own:
        fits = set(metric.requests) <= set(as_judge(judge).kinds)
    if not fits:
        given = f"{metric.name}(judge={metric.wants_judge})"
        raise _NoJudge(
            f"no judge is named for it: add --judge {metric.wants_judge} or write -m '{given}', "
            f"in Python judge='{metric.wants_judge}' or metrics=['{given}']"
        )


def inline_judges(metrics: Iterable[Metric]) -> dict[str, str]:
    """The judges whose specs are written in metric texts
    (``factuality(judge=openai/gpt-4o)``), by spec."""
    names = (metric.judge_name for metric in metrics)
    return {name: name for name in names if JUDGE_SPEC.search(name)}


def judges_for(
    metrics: Iterable[Metric],
    judge: JudgeLike,
    judges: Mapping[str, JudgeLike],
    budget: Budget | None = None,
    strict_model: bool = False,
) -> dict[str, Judge]:
    """The judges that these metrics use, by the name in their texts; "" is the default one.

    ``budget`` is what all of them together may spend; with ``strict_model`` another server or model
    than before is an error.
    """
    named: dict[str, JudgeLike] = {"": judge, **judges}
    used = sorted({metric.judge_name for metric in metrics if metric.requests})
    for like in {name: like for name, like in named.items() if name not in used}.values():
        if isinstance(like, str) and like != DEFAULT_JUDGE:
            find_judge(like)  # a wrong name is an error also where no metric uses it
    # A judge that stands in the text of a metric may come from a file, which imports nothing.
    made = {name: as_judge(named[name]) if name in named else create_judge(name) for name in used}
    if budget is not None:
        for one in made.values():
            set_budget(one, budget)
    for one in made.values() if strict_model else ():
        set_strict_model(one)
    return made


def evaluate(
    dataset: Dataset | Sequence[Question],
    answers: AnswersLike,
    metrics: Sequence[MetricLike] | None = None,
    *,
    judge: JudgeLike = DEFAULT_JUDGE,
    judges: Mapping[str, JudgeLike] | None = None,
    only_answered: bool = False,
    cut: bool = False,
    on_failure: OnFailure = "refuse",
    most_left_out: float = MOST_LEFT_OUT,
    resamples: int = RESAMPLES,
    system: str = "",
    out: str | Path | None = None,
    store: str | Path | None = None,
    budget: float | None = None,
    strict_model: bool = False,
    batch: Batching | None = None,
    cluster: ClusterLike = None,
    labels: LabelsLike | None = None,
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
            cut=cut,
            on_failure=on_failure,
            most_left_out=most_left_out,
            resamples=resamples,
            system=system,
            out=out,
            store=store,
            budget=budget,
            strict_model=strict_model,
            batch=batch,
            cluster=cluster,
            labels=labels,
            progress=progress,
        )
    )


async def aevaluate(
    dataset: Dataset | Sequence[Question],
    answers: AnswersLike,
    metrics: Sequence[MetricLike] | None = None,
    *,
    judge: JudgeLike = DEFAULT_JUDGE,
    judges: Mapping[str, JudgeLike] | None = None,
    only_answered: bool = False,
    cut: bool = False,
    on_failure: OnFailure = "refuse",
    most_left_out: float = MOST_LEFT_OUT,
    resamples: int = RESAMPLES,
    system: str = "",
    out: str | Path | None = None,
    store: str | Path | None = None,
    budget: float | None = None,
    strict_model: bool = False,
    batch: Batching | None = None,
    cluster: ClusterLike = None,
    labels: LabelsLike | None = None,
    progress: Progress | None = None,
) -> Report:
    """Scores answers on a data set.

    * ``dataset``: a data set, a slice of one (``dev[:5]``) or a list of questions.
    * ``answers`` of one system: ``{"id", "answer"}`` mappings, TREC report objects or `Answer` records.
    * ``metrics``: texts, also ``module:name`` (which is imported), metrics, or functions from a question
      and an answer to ``{score: Tally}``. By default the data set's own.
    * ``judge`` answers the requests of metrics. ``judges`` maps names in metric texts
      (``citations(judge=NAME)``) to further judges.
    * ``only_answered`` leaves out questions without an answer; otherwise they count as empty answers.
    * ``cut`` cuts an answer that is too long at the last sentence that fits.
    * ``resamples``: how many bootstrap resamples the intervals rest on; 0 for no intervals.
    * ``out`` writes a run file, ``store`` the verdicts (beside the run file by default).
    * ``budget``: the most US dollars that all judges together may spend.
    * ``batch`` sends prompts to providers in batches (`argue_bench.judges.batches`) and needs a store.
    * ``cluster``: the address of a Dask scheduler, a `distributed.Client`, ``slurm:FILE``, or a number
      of processes on this machine.
    * ``strict_model``: another server or model than before is an error, not a notice.
    * ``labels``: a label file, several, or `Labels`: verdicts by people, which correct the judge's
      scores in ``report.corrected``.
    * ``on_failure`` decides what a judge's failure on one request means. "refuse": the score is unset.
      "leave-out": the question is left out, up to a share of ``most_left_out`` of them. "default":
      ARGUE's default verdicts.

    Raises DataError (broken answers), UsageError (nothing to score, an option without meaning, two
    questions with one id, a metric that returns no tallies), NoGold, UnknownName, MissingExtra and
    JudgeError (no judge can answer, or the budget is spent).
    """
    if not 0 <= most_left_out <= 1:
        raise UsageError(f"most_left_out is a share from 0 to 1, not {most_left_out:g}")
    dataset = as_dataset(dataset)
    pairs = _paired(dataset, answers, only_answered, cut, system)
    selection = select(dataset, metrics, judge)
    limit = None if budget is None else Budget(budget, stored=(out or store) is not None)
    chosen = judges_for(selection.metrics, judge, judges or {}, limit, strict_model)
    given = None if labels is None else _labelling(labels, selection.metrics)
    taken = ("answered" if only_answered else "all") + (", cut" if cut else "")
    header = partial(header_for, dataset, (*selection.metrics, *selection.whole), answers=taken)
    header = partial(header, on_failure=on_failure, most_left_out=most_left_out)
    entries: dict[str, Entry] = {}

    def take(case: Case, entry: Entry) -> None:
        entries[case.question.id] = entry

    done = await run_cases(
        _cases(dataset, pairs),
        dataset,
        selection.metrics,
        chosen,
        partial(header, n=_counted(pairs), labelling=given),
        take,
        on_failure=on_failure,
        out=out,
        store=store,
        batch=batch,
        cluster=cluster,
        progress=progress,
        labelling=given,
    )
    report = report_of(done, selection.metrics, system, entries, resamples)
    if given is not None:
        from argue_bench.eval.people.calibrated import corrected_report

        place = store or (out and f"{out}.verdicts")
        report = await corrected_report(report, given, _cases(dataset, pairs), chosen, place)
    return _with_whole(replace(report, cost=costs_of(chosen.values())), selection, pairs)


def _labelling(labels: LabelsLike, metrics: Sequence[Metric]) -> Labelling:
    from argue_bench.eval.people.labelling import Labelling
    from argue_bench.judges.labels import as_labels

    return Labelling(as_labels(labels), metrics)


def _cases(dataset: Dataset, pairs: Iterable[tuple[Question, Answer]]) -> Iterator[Case]:
    return (Case(question, answer, dataset.citable(question)) for question, answer in pairs)


def _with_whole(
    report: Report, selection: Selection, pairs: Sequence[tuple[Question, Answer]]
) -> Report:
    """The report with the scores of metrics of all answers together, and what was not run."""
    scores = {
        f"{metric}.{name}": Score(value, n=len(pairs))
        for metric in selection.whole
        for name, value in metric.whole(pairs).items()
    }
    return replace(
        report,
        scores=Scores({**report.scores, **scores}),
        metrics={**report.metrics, **{str(metric): metric for metric in selection.whole}},
        not_run=selection.not_run,
    )


def _paired(
    dataset: Dataset, answers: AnswersLike, only_answered: bool, cut: bool, system: str
) -> AnswerPairs:
    """The questions to score, each with its answer."""
    given = as_answers(answers, dataset)
    if cut:
        given = within_limits(given, dataset, AnswerLimits()).answers
    ids = [id for id in dataset.by_id if id in given or not only_answered]
    if not ids:
        raise UsageError(
            f"no question of {dataset.name} was answered, so there is nothing to score; without "
            "only_answered each of them counts 0"
        )
    for id in ids:
        refuse_sealed(dataset.by_id[id])
    return AnswerPairs(dataset.by_id, given, ids, system)


def _counted(pairs: AnswerPairs) -> str:
    """The number of questions, and of the clusters that they form, for signatures."""
    clusters = number_clusters(pairs.questions[id].cluster for id in pairs.ids)
    return str(len(pairs)) + (f" in {int(clusters.max()) + 1}" if clusters is not None else "")


def _run_in_loop(work: Coroutine[Any, Any, Report]) -> Report:
    """The result of a coroutine; where an event loop is running already, another thread runs it."""
    result: list[Report] = []

    async def keep() -> None:
        # Not the result of the main task: asyncio.run formats that one, with all its tables.
        result.append(await work)

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(keep())
    else:
        with ThreadPoolExecutor(1, "argue-bench-evaluate") as thread:
            thread.submit(lambda: asyncio.run(keep())).result()
    return result[0]
