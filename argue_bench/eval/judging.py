"""One judged pass of metrics over cases: what is run, by which judges, and what is kept of it.

`evaluate` and `evaluate_reports` are two callers of `run_cases`, which drives the metrics, keeps every
verdict in the store as it arrives, and writes the run file. A verdict that is stored is never
requested again, so a run that was killed continues when it is repeated and ends in the same bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from argue_bench.errors import MissingExtra, UsageError
from argue_bench.eval.driver import Case, OnFailure, Outcome, Progress, run_metrics
from argue_bench.eval.run import Header, RunWriter, rewrite_signature, store_name
from argue_bench.eval.signature import MOST_LEFT_OUT, sign
from argue_bench.judges import Judge, JudgeFunction, as_judge
from argue_bench.judges import known as known_judge
from argue_bench.loaders.core import METRICS as DEFAULT_METRICS
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import Metric, MetricFunction, WholeMetric, as_metric, parse
from argue_bench.records import Question

JudgeLike = str | Judge | JudgeFunction
MetricLike = str | Metric | MetricFunction


@dataclass(frozen=True)
class Selection:
    """The metrics of a run. ``whole`` are those of all answers together, which make no requests."""

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
            raise UsageError(f"Number {place} of the questions is no Question: {question!r:.40}.")
        if question.id in seen:
            raise UsageError(f"Two questions have the id {question.id!r}: give each its own.")
        seen.add(question.id)
    return Dataset("questions", "", tuple(questions), metrics=DEFAULT_METRICS)


def select(dataset: Dataset, named: Sequence[MetricLike] | None = None) -> Selection:
    """The metrics that the user named, or the data set's own, without those that lack an extra.

    Raises UnknownName and UsageError, and MissingExtra where a metric was named.
    """
    if isinstance(named, str):
        raise UsageError(f"metrics is a list of metrics: write metrics=[{named!r}].")
    # A data set's own metrics were read from data, so they are parsed, which imports nothing.
    wanted = [parse(text) for text in dataset.metrics] if named is None else map(as_metric, named)
    chosen: dict[str, Metric] = {}
    not_run: dict[str, str] = {}
    for metric in wanted:
        if chosen.get(str(metric), metric) != metric:
            raise UsageError(f"Two metrics are called {metric}: give one another name.")
        try:
            metric.require()
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


def judges_for(
    metrics: Iterable[Metric], judge: JudgeLike, judges: Mapping[str, JudgeLike]
) -> dict[str, Judge]:
    """The judges that these metrics use, by the name in their texts; "" is the default one."""
    named: dict[str, JudgeLike] = {"": judge, **judges}
    for like in named.values():
        if isinstance(like, str):
            known_judge(like)  # a wrong name is an error also where no metric uses it
    used = sorted({metric.judge_name for metric in metrics if metric.requests})
    return {name: as_judge(named.get(name, name)) for name in used}


def header_for(
    dataset: Dataset,
    metrics: Iterable[Metric],
    judges: Mapping[str, Judge],
    *,
    n: int,
    answers: str,
    on_failure: OnFailure,
    most_left_out: float = MOST_LEFT_OUT,
    parts: Mapping[str, str] | None = None,
) -> Header:
    """The header of a run file, with a signature for each metric; ``parts`` go into each of them."""
    metrics = tuple(metrics)
    signatures: dict[str, Mapping[str, str]] = {}
    for metric in metrics:
        signed = sign(
            metric,
            judges[metric.judge_name] if metric.requests else None,
            data=dataset.title,
            n=n,
            answers=answers,
            on_failure=on_failure,
            most_left_out=most_left_out,
        )
        signatures[str(metric)] = {**signed, **(parts or {})}
    texts = tuple(str(metric) for metric in metrics if not isinstance(metric, WholeMetric))
    return Header(
        dataset.title, dataset.digest, texts, signatures, on_failure, most_left_out=most_left_out
    )


async def run_cases(
    cases: Iterable[Case],
    metrics: Sequence[Metric],
    judges: Mapping[str, Judge],
    header_of: Callable[[Mapping[str, Judge]], Header],
    take: Callable[[Outcome], None],
    *,
    on_failure: OnFailure = "refuse",
    out: Path | None = None,
    store: Path | None = None,
    progress: Progress | None = None,
) -> Header:
    """Drives the metrics over the cases and hands each outcome to ``take``, in order.

    ``out`` is the run file to write, ``store`` where verdicts are kept (OUT.verdicts by default).
    Returns the header with the signatures as they are after judging. Raises what `run_metrics`
    raises, and DataError for a store or a disk that can't be used.
    """
    header = header_of(judges)
    with ExitStack() as stack:
        writer: RunWriter | None = None
        if out is not None or store is not None:
            from argue_bench.judges.stored import Stored, open_store

            place = store or Path(f"{out}.verdicts")
            opened = stack.enter_context(open_store(place))
            judges = {name: Stored(judge, opened) for name, judge in judges.items()}
            if out is not None:
                header = replace(header, store=store_name(place, out))
                writer = stack.enter_context(RunWriter(out, header))
        async for outcome in run_metrics(cases, metrics, judges, on_failure, progress):
            if writer is not None:
                writer.add(outcome.case.answer, outcome.counted)
            take(outcome)
        # A server may have refused a parameter that the judge's identity promised: only after
        # judging is it known how the scores were made.
        final = replace(header, signature=header_of(judges).signature)
    if out is not None and final.signature != header.signature:
        rewrite_signature(out, final.signature)
    return final
