"""``argue-bench evaluate``: answers, reports or stored judgments in, scores out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import (
    PATH,
    CollectionOptions,
    DatasetOptions,
    LateChoice,
    Spending,
    TopicOptions,
    batch_file_option,
    batch_option,
    batching_of,
    budget_option,
    cite_option,
    cluster_of,
    cluster_option,
    collection_options,
    dataset_options,
    dry_run_option,
    format_option,
    group_options,
    judge_option,
    metric_option,
    on_failure_option,
    rpm_option,
    store_option,
    strict_model_option,
    topic_options,
    tpm_option,
    was_given,
    workers_option,
)

if TYPE_CHECKING:
    from argue_bench.judges.batches import Batching
    from argue_bench.metrics.argue.tree import Preset

OnFailure = Literal["refuse", "leave-out", "default"]


@dataclass(frozen=True)
class JudgingOptions:
    """Who judges, how much it may cost, in how many processes, and where verdicts are kept."""

    judges: dict[str, str]
    budget: float | None
    store: Path | None
    workers: int | None
    cluster: str
    dry_run: bool
    on_failure: OnFailure
    shard: str
    rerun: bool
    rpm: float | None = None
    tpm: float | None = None
    strict_model: bool = False
    batch: bool = False
    batch_file: Path | None = None

    def __post_init__(self) -> None:
        """Raises click.UsageError."""
        _ = self.batching
        if (self.batch or self.batch_file) and (self.shared_with is not None or self.shard):
            raise click.UsageError(
                "one process sends all batches: leave out --workers, --cluster and --shard"
            )

    @property
    def shared_with(self) -> int | str | None:
        """The cluster that does the work; None for this process alone. Raises click.UsageError."""
        return cluster_of(self.workers, self.cluster)

    @property
    def batching(self) -> Batching | None:
        """How prompts are sent in batches, if they are."""
        return batching_of(self.batch, self.batch_file)

    @property
    def spending(self) -> Spending:
        """What the judges may use up."""
        return Spending(self.budget, self.rpm, self.tpm, self.strict_model)


@dataclass(frozen=True)
class ReportOptions:
    """How reports are judged by nuggets, and what is written beside the run file."""

    rules: Preset | None
    support: Literal["each", "joint"]
    scores: Path | None
    older_scores: bool
    judgments_out: Path | None


@dataclass(frozen=True)
class AnswerOptions:
    """How answers are read and scored."""

    metrics: tuple[str, ...]
    answers_format: str
    only_answered: bool
    cut: bool
    all_scores: bool
    columns: tuple[str, ...] = ()
    show: int | None = None
    fail_under: tuple[str, ...] = ()
    annotated: Path | None = None
    plot: Path | None = None
    cite: bool = False
    sources: Path | None = None
    passages: int = 8
    labels: tuple[Path, ...] = ()


REPORTS_ONLY = (
    *("nuggets", "requests", "qrels", "collection", "subsets", "skip_bad_documents"),
    *("rules", "support", "scores", "older_scores", "judgments_out", "rerun"),
)
ANSWERS_ONLY = (
    *("metrics", "answers_format", "only_answered", "cut", "all_scores"),
    *("columns", "show", "fail_under", "annotated", "plot", "cite", "sources", "passages"),
)
RECOUNT = (
    *("judgments", "nuggets", "requests", "qrels", "dataset", "data", "split"),
    *("rules", "scores", "older_scores", "validate", "format"),
)
"""What can be said of stored judgments; everything else is of those who judge."""


@command("evaluate")
@click.argument("answers", metavar="[ANSWERS]", type=PATH, required=False)
@dataset_options()
@topic_options
@collection_options
@option("--judgments", type=PATH)
@group_options(
    "answering",
    AnswerOptions,
    metric_option,
    option("--answers-format", default="auto"),
    option("--only-answered", is_flag=True),
    option("--cut", is_flag=True),
    option("--all-scores", is_flag=True),
    option("--columns", multiple=True, metavar="ROLE=NAME"),
    option("--show", type=click.IntRange(min=0), metavar="N"),
    option("--fail-under", multiple=True, metavar="SCORE=0.9"),
    option("--annotated", type=PATH, metavar="FILE"),
    option("--plot", type=PATH, metavar="FILE"),
    cite_option,
    option("--sources", type=PATH, metavar="DIR"),
    option("--passages", type=click.IntRange(min=0), metavar="N", default=8),
    option("--labels", multiple=True, type=PATH),
)
@group_options(
    "judging",
    JudgingOptions,
    judge_option,
    budget_option,
    rpm_option,
    tpm_option,
    store_option,
    workers_option,
    cluster_option,
    dry_run_option,
    on_failure_option,
    option("--shard", metavar="I/N", default=""),
    option("--rerun", is_flag=True),
    strict_model_option,
    batch_option,
    batch_file_option,
)
@group_options(
    "reporting",
    ReportOptions,
    option("--rules", type=LateChoice("metrics.argue.tree:Preset")),
    option("--support", type=click.Choice(["each", "joint"]), default="each"),
    option("--scores", type=PATH),
    option("--older-scores", is_flag=True),
    option("--judgments-out", type=PATH),
)
@option("--validate", is_flag=True)
@option("--out", type=PATH)
@format_option
def evaluate_command(
    answers: Path | None,
    chosen: DatasetOptions,
    topics: TopicOptions,
    cited: CollectionOptions,
    judgments: Path | None,
    answering: AnswerOptions,
    judging: JudgingOptions,
    reporting: ReportOptions,
    validate: bool,
    out: Path | None,
    format: str,
) -> None:
    """Score the answers or reports in ANSWERS.

    ANSWERS holds lines {"id", "answer"}, or rows of your own system (question, contexts, answer),
    which need no data set. With a folder of reports, or --nuggets, the command judges reports; --judgments
    counts what was judged. The same command continues what was interrupted.

    Example: argue-bench evaluate answers.jsonl --dataset core --split sample
    """
    if judgments is not None:
        from argue_bench.cli.evaluating.judgments import ScoresFile, print_scores

        _refuse_others(RECOUNT, "with --judgments, which needs no judge")
        named = was_given("nuggets", "requests", "qrels", "dataset", "data", "split")
        dataset = topics.dataset(chosen) if named else None
        written = ScoresFile(reporting.scores, reporting.older_scores)
        print_scores(written, judgments, dataset, reporting.rules, validate, format)
        return
    if answers is None:
        raise click.UsageError("Missing argument ANSWERS (or --judgments FILE).")
    if validate:
        raise click.UsageError("--validate goes with --judgments")
    folder = answers.is_dir() and not (answers / "dataset_info.json").is_file()
    if folder or topics.nuggets or was_given(*REPORTS_ONLY):
        from argue_bench.cli.evaluating.reports import judge_reports

        for name in ANSWERS_ONLY:
            if was_given(name):
                raise click.UsageError(f"{_option(name)} goes with answers, not with reports")
        labels = answering.labels
        judge_reports(answers, topics, cited, chosen, judging, reporting, labels, out, format)
        return
    from argue_bench.cli.evaluating.answers import score_answers

    score_answers(answers, chosen, answering, judging, out, format)


def _refuse_others(allowed: tuple[str, ...], why: str) -> None:
    for parameter in click.get_current_context().command.params:
        name = str(parameter.name)
        if name not in allowed and was_given(name):
            raise click.UsageError(f"{_option(name)} does nothing {why}")


def _option(name: str) -> str:
    parameters = {one.name: one for one in click.get_current_context().command.params}
    return max(parameters[name].opts, key=len)
