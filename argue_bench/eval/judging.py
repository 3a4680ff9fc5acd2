"""`evaluate`: which metrics run, by which judges, over which answers, and what becomes of the tallies.

`prepare` reads what the user handed over, `Evaluation.run` lets the driver do the work and averages.
The command line calls the two apart, since it shows costs in between, or has the judges work elsewhere.
"""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from collections.abc import Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

from argue_bench.errors import Code, MissingExtra, UsageError
from argue_bench.eval.driver import Case, OnFailure, Progress, refuse_sealed
from argue_bench.eval.report import Report, Score, Scores
from argue_bench.eval.run import Entry, header_for, report_of, run_cases
from argue_bench.eval.signature import MOST_LEFT_OUT
from argue_bench.judges import Judge, JudgeFunction, as_judge, create_judge, find_judge
from argue_bench.judges.base import costs_of
from argue_bench.loaders.answers import AnswersLike, as_answers
from argue_bench.loaders.core import METRICS as DEFAULT_METRICS
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import default_hint
from argue_bench.loaders.limits import Limited
from argue_bench.loaders.source import keep
from argue_bench.metrics import CITING, Metric, MetricFunction, WholeMetric, as_metric, parse
from argue_bench.records import Answer, Question, sum_marks
from argue_bench.stats.bootstrap import count_units, number_groups
from argue_bench.text.statements import unstated_share

T = TypeVar("T")
DEFAULT_JUDGE = "lexical"
# What a judge's spec has and its name in a metric text has not.
JUDGE_SPEC = re.compile("[/:]")
JudgeLike = str | Judge | JudgeFunction
MetricLike = str | Metric | MetricFunction


@dataclass(frozen=True)
class Selection:
    """The metrics of a run. ``whole`` metrics score all answers together and make no requests."""

    metrics: tuple[Metric, ...]
    whole: tuple[WholeMetric, ...]
    # Metric text to the line that turns it on.
    not_run: Mapping[str, str]
    # Those of them that the data set names and that lack an extra or documents.
    lacking: tuple[str, ...] = ()


def as_dataset(questions: Dataset | Sequence[Question]) -> Dataset:
    """A list of questions as a data set. Raises UsageError where two of them have one id."""
    if isinstance(questions, Dataset):
        return questions
    if not (isinstance(questions, Sequence) and all(isinstance(q, Question) for q in questions)):
        raise UsageError(f"Expected a Dataset or a list of Question, not {questions!r:.40}.")
    ids = Counter(question.id for question in questions)
    # Everything is kept by question id, so two questions of one id would overwrite each other.
    if twice := [id for id, times in ids.items() if times > 1]:
        raise UsageError(f"Two questions have the id {twice[0]!r}: give each its own.")
    own = tuple(dict.fromkeys(text for question in questions for text in question.metrics))
    return Dataset("questions", "", tuple(questions), metrics=own or DEFAULT_METRICS)


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
    lacking: list[str] = []
    if named is None and not dataset.metrics and any(question.pairing for question in dataset):
        not_run["faithfulness"] = "no row has contexts"
    for metric in wanted:
        if chosen.get(str(metric), metric) != metric:
            raise UsageError(f"Two metrics are called {metric}: give one another name.")
        try:
            # ALCE's and rageval's programs score such answers, so their rules do.
            literal = metric.name == "citations" and metric.frozen
            if metric.name in CITING and not dataset.documents and not literal:
                raise UsageError(
                    f"{metric} checks citations, and there is no document: name them by -C DIR, --columns "
                    "contexts=NAME or --sources DIR; in Python a Dataset with documents"
                )
            metric.require()
        except (MissingExtra, UsageError) as missing:
            if named is not None or len(dataset.metrics) == 1:
                raise
            not_run[str(metric)] = str(missing)
            lacking.append(str(metric))
            continue
        why = _judge_lacking(metric, judge, own=named is None)
        if why and named is not None:
            raise UsageError(f"{metric}: {why}")
        if why:
            not_run[str(metric)] = why
        else:
            chosen[str(metric)] = metric
    return Selection(
        tuple(metric for metric in chosen.values() if not isinstance(metric, WholeMetric)),
        tuple(metric for metric in chosen.values() if isinstance(metric, WholeMetric)),
        not_run,
        tuple(lacking),
    )


def _judge_lacking(metric: Metric, judge: JudgeLike, own: bool) -> str:
    """What to do where a metric has only the default judge and wants another; empty where it has its judge.

    A data set's ``own`` metric came from a file, which must not name a judge that costs money.
    """
    if own and JUDGE_SPEC.search(metric.judge_name):
        raise UsageError(
            f"The data set's metric {metric} names a judge: name it yourself, -m {metric}"
        )
    if not metric.wants_judge or metric.judge_name:
        return ""
    # A metric that the user named takes any judge that the user named; a data set's own metric runs only
    # where that judge can answer it.
    fits = getattr(judge, "name", judge) != DEFAULT_JUDGE
    if fits and (not own or set(metric.requests) <= set(as_judge(judge).kinds)):
        return ""
    given = f"{metric.name}(judge={metric.wants_judge})"
    return (
        f"no judge is named for it: add --judge {metric.wants_judge} or write -m '{given}', "
        f"in Python judge='{metric.wants_judge}' or metrics=['{given}']"
    )


def inline_judges(metrics: Iterable[Metric]) -> dict[str, str]:
    """The judges whose specs are written in metric texts
    (``factuality(judge=openai/gpt-4o)``), by spec."""
    names = (metric.judge_name for metric in metrics)
    return {name: name for name in names if JUDGE_SPEC.search(name)}


def judges_for(
    metrics: Iterable[Metric], judge: JudgeLike, judges: Mapping[str, JudgeLike]
) -> dict[str, Judge]:
    """The judges that these metrics use, by the name in their texts; "" is the default one."""
    named: dict[str, JudgeLike] = {"": judge, **judges}
    used = sorted({metric.judge_name for metric in metrics if metric.requests})
    for name, like in named.items():
        if name not in used and isinstance(like, str) and like != DEFAULT_JUDGE:
            find_judge(like)  # a wrong name is an error also where no metric uses it
    # A judge that stands in the text of a metric may come from a file, which imports nothing.
    return {name: as_judge(named[name]) if name in named else create_judge(name) for name in used}


def read_on_failure(text: str) -> tuple[OnFailure, float]:
    """``leave-out=5%`` as the word and the share, which is 2 % where none is said. Raises UsageError."""
    match = re.fullmatch(r"(refuse|default|leave-out)|leave-out=(\d+(?:\.\d+)?)%", text)
    if match is None or float(match[2] or 0) > 100:
        known = "refuse, leave-out, leave-out=5% or default"
        raise UsageError(f"on_failure={text!r:.40}: write {known}")
    # The expression knows no other words.
    return (
        cast("OnFailure", match[1] or "leave-out"),
        float(match[2]) / 100 if match[2] else MOST_LEFT_OUT,
    )


@dataclass(frozen=True)
class Evaluation:
    """Answers of one system and the metrics that score them, before anything is judged."""

    dataset: Dataset
    pairs: Sequence[tuple[Question, Answer]]
    selection: Selection
    # Which answers are scored, as signatures say it.
    answers: str
    on_failure: OnFailure = "refuse"
    most_left_out: float = MOST_LEFT_OUT
    system: str = ""

    def cases(self) -> Iterator[Case]:
        """Each question with its answer and what may be cited."""
        citable = self.dataset.citable
        return (Case(question, answer, citable(question)) for question, answer in self.pairs)

    async def run(
        self,
        judges: Mapping[str, Judge],
        out: str | Path | None = None,
        store: str | Path | None = None,
        progress: Progress | None = None,
    ) -> Report:
        """The report without intervals. ``judges`` by name, as `judges_for` gives them.

        ``out`` and ``store`` are those of `aevaluate`; ``progress`` is called after every verdict.
        """
        chosen, entries = self.selection, dict[str, Entry]()
        header = partial(
            header_for,
            self.dataset if out is None else keep(self.dataset, Path(out)),
            (*chosen.metrics, *chosen.whole),
            n=self._n(),
            answers=self.answers,
            on_failure=self.on_failure,
            most_left_out=self.most_left_out,
        )
        done = await run_cases(
            self.cases(),
            chosen.metrics,
            judges,
            header,
            lambda case, entry: entries.setdefault(case.question.id, entry.counted),
            on_failure=self.on_failure,
            out=out,
            store=store,
            progress=progress,
        )
        report = report_of(done, chosen.metrics, self.system, entries)
        # MAUVE compares all answers with all references at once: one value, no interval.
        whole = {
            f"{metric}.{name}": Score(value, n=len(self.pairs))
            for metric in chosen.whole
            for name, value in metric.whole(self.pairs).items()
        }
        return replace(
            report,
            scores=Scores({**report.scores, **whole}),
            metrics={**report.metrics, **{str(metric): metric for metric in chosen.whole}},
            not_run=chosen.not_run,
            marks=sum_marks(answer for _, answer in self.pairs),
            unstated=unstated_share(self.pairs),
            cost=costs_of(judges.values()) if judges else {},
            remarks=(
                *self._uncited(),
                *dict.fromkeys(r for one in judges.values() for r in one.same.lines(one.name)),
            ),
        )

    def _uncited(self) -> Iterator[str]:
        """A sentence where a metric checks citations and none of several answers has one that could be read."""
        said = [answer for _, answer in self.pairs if answer.sentences]
        counted = not CITING.isdisjoint(metric.name for metric in self.selection.metrics)
        cites = any(one.citations for answer in said for one in answer.sentences)
        if counted and self.dataset.documents and len(said) > 1 and not cites:
            why = f"None of {len(said):,} answers contains a citation that can be read; faithfulness needs none"
            yield f"{why}. {default_hint(Code.NO_CITATION)}"

    def _n(self) -> str:
        """The number of questions, and of the groups that they form."""
        n = len(self.pairs)
        names = [question.cluster for question, _ in self.pairs]
        groups = number_groups(names) if any(names) else None
        return f"{n}" if groups is None else f"{n} in {count_units(n, groups)}"


def prepare(
    dataset: Dataset | Sequence[Question],
    answers: AnswersLike | Limited,
    metrics: Sequence[MetricLike] | None = None,
    *,
    judge: JudgeLike = DEFAULT_JUDGE,
    only_answered: bool = False,
    on_failure: str = "refuse",
    system: str = "",
) -> Evaluation:
    """Everything that `aevaluate` does before it judges; the parameters are its own."""
    word, share = read_on_failure(on_failure)
    dataset = as_dataset(dataset)
    cut = isinstance(answers, Limited)
    given = as_answers(answers.answers if isinstance(answers, Limited) else answers, dataset)
    ids = [id for id in dataset.by_id if id in given or not only_answered]
    if not ids:
        raise UsageError(
            f"no question of {dataset.name} was answered, so there is nothing to score; without "
            "only_answered each of them counts 0"
        )
    # Before a judge is asked, since it may cost money.
    for id in ids:
        refuse_sealed(dataset.by_id[id])
    # What is missing is of the same run as the rest: a run file holds one.
    nothing = Answer("", run=next((one.run for one in given.values()), system))
    pairs = [(dataset.by_id[id], given.get(id) or replace(nothing, id=id)) for id in ids]
    taken = ("answered" if only_answered else "all") + (", cut" if cut else "")
    return Evaluation(dataset, pairs, select(dataset, metrics, judge), taken, word, share, system)


def evaluate(
    dataset: Dataset | Sequence[Question],
    answers: AnswersLike | Limited,
    metrics: Sequence[MetricLike] | None = None,
    *,
    judge: JudgeLike = DEFAULT_JUDGE,
    judges: Mapping[str, JudgeLike] | None = None,
    only_answered: bool = False,
    on_failure: str = "refuse",
    system: str = "",
    out: str | Path | None = None,
    store: str | Path | None = None,
) -> Report:
    """Scores answers on a data set, also where an event loop is running (a notebook).

    See `aevaluate` for the parameters and the errors.
    """
    return run_now(
        aevaluate(
            dataset,
            answers,
            metrics,
            judge=judge,
            judges=judges,
            only_answered=only_answered,
            on_failure=on_failure,
            system=system,
            out=out,
            store=store,
        )
    )


async def aevaluate(
    dataset: Dataset | Sequence[Question],
    answers: AnswersLike | Limited,
    metrics: Sequence[MetricLike] | None = None,
    *,
    judge: JudgeLike = DEFAULT_JUDGE,
    judges: Mapping[str, JudgeLike] | None = None,
    only_answered: bool = False,
    on_failure: str = "refuse",
    system: str = "",
    out: str | Path | None = None,
    store: str | Path | None = None,
) -> Report:
    """Scores answers on a data set. The report has 95 % intervals (`Report.resampled`).

    * ``dataset``: a data set, a slice of one (``dev[:5]``) or a list of questions.
    * ``answers`` of one system: ``{"id", "answer"}`` mappings, TREC report objects or `Answer` records;
      or what `argue_bench.loaders.limits.within_limits` cut to the length that is allowed.
    * ``metrics``: texts, also ``module:name`` (which is imported), metrics, or functions from a question
      and an answer to ``{score: Tally}``. By default the data set's own.
    * ``judge`` answers the requests of metrics: a spec, a judge or a function. ``judges`` maps names in
      metric texts (``citations(judge=NAME)``) to further judges. What a judge may cost belongs to it:
      ``as_judge("openai/gpt-4o", budget=2)``; so does where it works (`argue_bench.scale`).
    * ``only_answered`` leaves out questions without an answer; otherwise they count as empty answers.
    * ``on_failure`` decides what a judge's failure on one request means. "refuse": the score is unset.
      "leave-out": the question is left out, up to 2 % of them, or to another share ("leave-out=5%").
      "default": ARGUE's default verdicts.
    * ``system`` is the name of the system in tables.
    * ``out`` writes a run file, ``store`` the verdicts (beside the run file by default). A verdict that is
      stored is never asked for again, so the same call goes on with a run that was killed.

    Raises DataError (broken answers), UsageError (nothing to score, an option without meaning, two
    questions with one id, a metric that returns no tallies), NoGold, UnknownName, MissingExtra and
    JudgeError (no judge can answer, or a budget is spent).
    """
    ready = prepare(
        dataset,
        answers,
        metrics,
        judge=judge,
        only_answered=only_answered,
        on_failure=on_failure,
        system=system,
    )
    chosen = judges_for(ready.selection.metrics, judge, judges or {})
    return (await ready.run(chosen, out, store)).resampled()


def run_now(work: Coroutine[Any, Any, T]) -> T:
    """The result of a coroutine; where an event loop is running already, another thread runs it."""
    result: list[T] = []

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
