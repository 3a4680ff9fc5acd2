"""``argue-bench auto-argue``: Auto-ARGUE's own command line, with its files.

Source: https://github.com/hltcoe/auto-argue, README. Auto-ARGUE reads its options with argparse, where
``-a annotate score`` gives one option two values; click knows only ``-a annotate -a score``, so such
lists are spread out before they are read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import Command, option
from argue_bench.cli.options import (
    PATH,
    CollectionOptions,
    DatasetOptions,
    TopicOptions,
    budget_option,
    cluster_option,
    dry_run_option,
    group_options,
    on_failure_option,
    workers_option,
)

if TYPE_CHECKING:
    from argue_bench.cli.evaluating.command import OnFailure
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.metrics.argue.tree import Preset

ACTIONS = ("annotate", "score")
LOCAL, LOCAL_MODEL = "huggingface_local", "meta-llama/Llama-3.1-8B-Instruct"
NO_PROVIDER = (
    "no provider was named: the lexical judge compares words, offline and free; "
    "-p together is Auto-ARGUE's own default"
)


class _AutoArgue(Command):
    """A command whose ``-a`` and ``-c`` take one value or a list."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, self._spread(args))

    def _spread(self, args: list[str]) -> list[str]:
        """``-a annotate score`` as ``-a annotate -a score``, and so with ``-c``.

        Words after ``-c NAME`` are names too, but for the last ones where REPORTS, NUGGETS and PREFIX
        come behind them.
        """
        options = {name: one for one in self.params for name in one.opts}
        parts: list[list[str]] = []
        lists: list[int] = []  # the parts that were words behind ``-c NAME``
        name, kind = "", ""  # the option whose list may go on, and what it lists
        words = iter(args)
        for word in words:
            known = options.get(_hyphens(word))
            if isinstance(known, click.Option):
                parts.append([word] if known.is_flag else [word, *[next(words, "")][:1]])
                name, kind = word, str(known.name)
            elif kind == "actions" and word in ACTIONS:
                parts.append([name, word])
            elif kind == "subsets" and not word.startswith("-"):
                lists.append(len(parts))
                parts.append([name, word])
            else:
                parts.append([word])
                kind = ""
        arguments = sum(isinstance(one, click.Argument) for one in self.params)
        given = sum(len(part) == 1 and not part[0].startswith("-") for part in parts)
        if lacking := max(0, arguments - given):
            for place in lists[-lacking:]:
                parts[place] = parts[place][1:]
        return [word for part in parts for word in part]


@dataclass(frozen=True)
class JudgedBy:
    """Auto-ARGUE's options on the model."""

    provider: str
    model: str
    prompt_config: Path | None
    always_check_all_nuggets: bool
    rerun: bool

    @property
    def rules(self) -> Preset:
        return "auto-argue-all" if self.always_check_all_nuggets else "auto-argue"

    @property
    def spec(self) -> str:
        """The judge that the options name. Raises UsageError and UnknownName."""
        from argue_bench.models.providers import find_provider

        if self.provider in ("", "lexical"):
            if self.model or self.prompt_config:
                raise click.UsageError(
                    "-m and -P go with -p PROVIDER; the lexical judge has neither"
                )
            return "lexical"
        if self.provider == LOCAL:
            spec = f"local:{self.model or LOCAL_MODEL}"
        else:
            provider = find_provider(self.provider)
            model = self.model or provider.model
            if not model:
                raise click.UsageError(f"-p {self.provider} has no default model: name one with -m")
            spec = f"{provider.name}/{model}"
        if self.prompt_config is None:
            return spec
        if "," in str(self.prompt_config):
            raise click.UsageError(f"-P {self.prompt_config}: give the file a name without a comma")
        return f"{spec},prompts={self.prompt_config}"


def _hyphens(name: str) -> str:
    """``--prompt_config`` is ``--prompt-config``."""
    return name.replace("_", "-")


@dataclass(frozen=True)
class Counting:
    """Options on how the judgments are checked, written and printed."""

    validate: bool
    older_scores: bool
    verbose: bool


@dataclass(frozen=True)
class AutoArgueFiles:
    """The files of one PREFIX: Auto-ARGUE's two, and the run file that `view` opens."""

    prefix: str

    @property
    def judgments(self) -> Path:
        return Path(f"{self.prefix}.judgments.jsonl")

    @property
    def scores(self) -> Path:
        return Path(f"{self.prefix}.scores.tsv")

    @property
    def run(self) -> Path:
        return Path(f"{self.prefix}.run")

    def reusable(self, reports: Path, dataset: Dataset) -> bool:
        """Whether the judgments are there and are of exactly these reports.

        Raises DataError where they are of other reports and were not made here: nothing is lost that
        somebody paid for.
        """
        from argue_bench.errors import Code, DataError
        from argue_bench.eval.report_runs import check_reports, report_cases
        from argue_bench.loaders.auto_argue import read_judgments

        if not self.judgments.is_file():
            return False
        overview = check_reports(reports, dataset)
        wanted = {
            (case.answer.run, case.answer.id): tuple(one.text for one in case.answer.sentences)
            for case in report_cases(reports, dataset, overview, missing=False)
        }
        there = {
            (judged.run, judged.topic): tuple(segment.text for segment in judged.segments)
            for judged in read_judgments(self.judgments)
        }
        if there == wanted:
            return True
        if not self.run.is_file():
            message = f"these are not the judgments of the reports in {reports}"
            hint = "Name another PREFIX, or judge anew with --rerun."
            raise DataError.of(Code.REPORT_DIFFERS, message, self.judgments, hint=hint)
        return False


@click.command("auto-argue", cls=_AutoArgue, context_settings={"token_normalize_func": _hyphens})
@click.argument("reports", type=PATH)
@click.argument("nuggets", type=PATH)
@click.argument("prefix")
@option("-a", "--actions", multiple=True, type=click.Choice(ACTIONS))
@group_options(
    "cited",
    CollectionOptions,
    option("-C", "--collection-dir", "collection", default=""),
    option("-c", "--collection-ids", "subsets", multiple=True),
    option("--skip-bad-documents", is_flag=True),
)
@group_options(
    "judged_by",
    JudgedBy,
    option("-p", "--provider", default=""),
    option("-m", "--model", default=""),
    option("-P", "--prompt-config", type=PATH),
    option("--always-check-all-nuggets", is_flag=True),
    option("--rerun", is_flag=True),
)
@group_options(
    "counting",
    Counting,
    option("--validate", "--validate-judgments", "validate", is_flag=True),
    option("--older-scores", is_flag=True),
    option("--verbose", is_flag=True),
)
@on_failure_option
@budget_option
@workers_option
@cluster_option
@dry_run_option
def auto_argue(
    reports: Path,
    nuggets: Path,
    prefix: str,
    actions: tuple[str, ...],
    cited: CollectionOptions,
    judged_by: JudgedBy,
    counting: Counting,
    on_failure: OnFailure,
    budget: float | None,
    workers: int | None,
    cluster: str,
    dry_run: bool,
) -> None:
    """Judge REPORTS by NUGGETS as Auto-ARGUE does, and write its files.

    "annotate" writes PREFIX.judgments.jsonl, and beside it PREFIX.run for `view`; "score" counts
    the judgments and writes PREFIX.scores.tsv. Judgments that are there already are used again.

    Example: argue-bench auto-argue reports.jsonl nuggets out -p together -C lookup -a annotate score
    """
    from argue_bench.cli.evaluating.command import JudgingOptions, ReportOptions
    from argue_bench.cli.evaluating.judgments import ScoresFile, print_scores
    from argue_bench.cli.evaluating.reports import judge_reports

    files, wanted = AutoArgueFiles(prefix), set(actions or ACTIONS)
    topics, chosen = TopicOptions(nuggets, None, None), DatasetOptions("", None, "")
    scores = files.scores if "score" in wanted else None
    judging = dry_run or "annotate" in wanted
    if judging and not dry_run and not judged_by.rerun:
        judging = not files.reusable(reports, topics.dataset(chosen))
    if judging:
        spec = judged_by.spec
        if not judged_by.provider:
            click.echo(NO_PROVIDER, err=True)
        judge_reports(
            reports,
            topics,
            _with_default(cited),
            chosen,
            JudgingOptions(
                {"": spec}, budget, None, workers, cluster, dry_run, on_failure, "", judged_by.rerun
            ),
            ReportOptions(judged_by.rules, "each", scores, counting.older_scores, files.judgments),
            (),
            files.run,
            "text",
        )
    if dry_run:
        return
    if not files.judgments.is_file():
        raise click.UsageError(f"there is no {files.judgments} to score; -a annotate writes it")
    if not judging and "annotate" in wanted:
        click.echo(f"{files.judgments} is used again; --rerun judges anew", err=True)
    dataset = topics.dataset(chosen)
    if scores is not None and not judging:
        written = ScoresFile(scores, counting.older_scores)
        print_scores(written, files.judgments, dataset, "auto-argue", counting.validate)
    if counting.verbose or counting.validate:
        _check(files.judgments, dataset, counting)


def _with_default(cited: CollectionOptions) -> CollectionOptions:
    """The collection; without ``-c`` those of NeuCLIR's three that it has, or else all of it.

    Raises UsageError where no collection is named.
    """
    from argue_bench.errors import UsageError
    from argue_bench.loaders.collection import LOOKUP, NEUCLIR, find_collection, lookup_folder

    if not cited.collection and not lookup_folder():
        raise click.UsageError(
            f"-C DIR is required (or set {LOOKUP}): where the cited documents lie"
        )
    if cited.subsets:
        return cited
    there = []
    for name in NEUCLIR:
        try:
            find_collection(cited.collection, name)
        except UsageError:
            continue
        there.append(name)
    if there and (gone := [name for name in NEUCLIR if name not in there]):
        click.echo(f"the collection lacks {' and '.join(gone)}; looked up in the others", err=True)
    return replace(cited, subsets=tuple(there))


def _check(judgments: Path, dataset: Dataset, counting: Counting) -> None:
    """Counts every topic of the judgments and prints the scores; with ``validate`` doubtful
    judgments are refused."""
    from argue_bench.cli.tables import points, show_table
    from argue_bench.eval.judgments import score_judgments
    from argue_bench.loaders.auto_argue.scores import ALL
    from argue_bench.table import Table

    found: dict[tuple[str, str], dict[str, float]] = {}
    _, rows = score_judgments(judgments, dataset, "auto-argue", counting.validate)
    for row in rows:
        found.setdefault((row.run, row.topic), {})[row.metric] = row.value
    names = ("f1", "nugget_coverage", "sentence_support")
    lines = [
        (run, topic, *(points(values.get(name)) for name in names))
        for (run, topic), values in found.items()
        if topic != ALL
    ]
    if counting.verbose:
        show_table(Table(("run", "topic", "f1", "coverage", "support"), lines, right=(2, 3, 4)))
