"""``argue-bench evaluate``: answers, reports or stored judgments in, scores out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import click
from click.core import ParameterSource

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import (
    PATH,
    DatasetOptions,
    budget_option,
    dataset_options,
    dry_run_option,
    format_option,
    group_options,
    judge_option,
    metric_option,
    on_failure_option,
    store_option,
)
from argue_bench.metrics.argue.tree import Preset

if TYPE_CHECKING:
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.records import Document

OnFailure = Literal["refuse", "leave-out", "default"]


@dataclass(frozen=True)
class JudgingOptions:
    """Who judges, how much it may cost, in how many processes, and where verdicts are kept."""

    judges: dict[str, str]
    budget: float | None
    store: Path | None
    workers: int
    dry_run: bool
    on_failure: OnFailure
    shard: str
    rerun: bool


@dataclass(frozen=True)
class TopicOptions:
    """Nugget files with what belongs to them, instead of a data set."""

    nuggets: Path | None
    requests: Path | None
    qrels: Path | None

    def dataset(
        self, chosen: DatasetOptions, documents: Mapping[str, Document] | None = None
    ) -> Dataset:
        """The topics that the options name. Raises click.UsageError, DataError, UnknownName."""
        from argue_bench.loaders.nuggets import load_topics

        if self.nuggets is None:
            if self.requests is not None or self.qrels is not None:
                raise click.UsageError("--requests and --qrels go with --nuggets")
            return chosen.load()
        if was_given("dataset"):
            raise click.UsageError("--nuggets and --dataset exclude each other")
        if was_given("split", "data"):
            raise click.UsageError("--split and --data go with --dataset")
        name = self.nuggets.absolute().name.removesuffix(".v3.json")
        return load_topics(self.nuggets, documents, self.requests, self.qrels, name=name)


@dataclass(frozen=True)
class ReportOptions:
    """How reports are judged by nuggets, and what is written beside the run file."""

    collection: str
    subset: str
    skip_bad_documents: bool
    rules: Preset | None
    support: Literal["each", "joint"]
    scores: Path | None
    judgments_out: Path | None


@dataclass(frozen=True)
class AnswerOptions:
    """How answers are read and scored."""

    metrics: tuple[str, ...]
    answers_format: str
    only_answered: bool
    all_scores: bool


REPORTS_ONLY = (
    *("nuggets", "requests", "qrels", "collection", "subset", "skip_bad_documents"),
    *("rules", "support", "scores", "judgments_out", "rerun"),
)
ANSWERS_ONLY = ("metrics", "answers_format", "only_answered", "all_scores")
RECOUNT = (
    *("judgments", "nuggets", "requests", "qrels", "dataset", "data", "split"),
    *("rules", "scores", "validate", "format"),
)
"""What can be said of stored judgments; everything else is of those who judge."""


@command()
@click.argument("answers", metavar="[ANSWERS]", type=PATH, required=False)
@dataset_options()
@group_options(
    "topics",
    TopicOptions,
    option("--nuggets", type=PATH),
    option("--requests", type=PATH),
    option("--qrels", type=PATH),
)
@option("--judgments", type=PATH)
@group_options(
    "answering",
    AnswerOptions,
    metric_option,
    option("--answers-format", default="auto"),
    option("--only-answered", is_flag=True),
    option("--all-scores", is_flag=True),
)
@group_options(
    "judging",
    JudgingOptions,
    judge_option,
    budget_option,
    store_option,
    option("--workers", type=click.IntRange(1, 64), metavar="N", default=1),
    dry_run_option,
    on_failure_option,
    option("--shard", metavar="I/N", default=""),
    option("--rerun", is_flag=True),
)
@group_options(
    "reporting",
    ReportOptions,
    option("-C", "--collection", default=""),
    option("-c", "--subset", default=""),
    option("--skip-bad-documents", is_flag=True),
    option("--rules", type=click.Choice(get_args(Preset))),
    option("--support", type=click.Choice(["each", "joint"]), default="each"),
    option("--scores", type=PATH),
    option("--judgments-out", type=PATH),
)
@option("--validate", is_flag=True)
@option("--out", type=PATH)
@format_option
def evaluate(
    answers: Path | None,
    chosen: DatasetOptions,
    topics: TopicOptions,
    judgments: Path | None,
    answering: AnswerOptions,
    judging: JudgingOptions,
    reporting: ReportOptions,
    validate: bool,
    out: Path | None,
    format: str,
) -> None:
    """Score the answers or reports in ANSWERS.

    ANSWERS holds lines {"id", "answer"} or TREC reports. A folder, or --nuggets or another option
    of reports, has many runs judged by the metric argue; the same command goes on where it was
    interrupted. --judgments counts what was judged, and asks no judge.

    Example: argue-bench evaluate answers.jsonl --dataset core --split sample
    """
    if judgments is not None:
        from argue_bench.cli.evaluating.judgments import print_scores

        _refuse_others(RECOUNT, "with --judgments, which asks no judge")
        named = was_given("nuggets", "requests", "qrels", "dataset", "data", "split")
        dataset = topics.dataset(chosen) if named else None
        print_scores(reporting.scores, judgments, dataset, reporting.rules, validate, format)
        return
    if answers is None:
        raise click.UsageError("Missing argument ANSWERS (or --judgments FILE).")
    if validate:
        raise click.UsageError("--validate goes with --judgments")
    if answers.is_dir() or topics.nuggets or was_given(*REPORTS_ONLY):
        from argue_bench.cli.evaluating.reports import judge_reports

        for name in ANSWERS_ONLY:
            if was_given(name):
                raise click.UsageError(f"{_option(name)} goes with answers, not with reports")
        judge_reports(answers, topics, chosen, judging, reporting, out, format)
        return
    from argue_bench.cli.evaluating.answers import score_answers

    score_answers(answers, chosen, answering, judging, out, format)


def was_given(*names: str) -> bool:
    """Whether the command line has one of these parameters; a default of the configuration is none."""
    ctx = click.get_current_context()
    return any(ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE for name in names)


def _refuse_others(allowed: tuple[str, ...], why: str) -> None:
    for parameter in click.get_current_context().command.params:
        name = str(parameter.name)
        if name not in allowed and was_given(name):
            raise click.UsageError(f"{_option(name)} does nothing {why}")


def _option(name: str) -> str:
    parameters = {one.name: one for one in click.get_current_context().command.params}
    return max(parameters[name].opts, key=len)
