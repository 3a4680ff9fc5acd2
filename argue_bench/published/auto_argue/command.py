"""``argue-bench auto-argue``: Auto-ARGUE's own command line, with its files.

Source: https://github.com/hltcoe/auto-argue, README. Auto-ARGUE reads its options with argparse, where
``-a annotate score`` gives one option two values; click knows only ``-a annotate -a score``, so such
lists are spread out before they are read.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import Command, as_field, option, options
from argue_bench.cli.options import (
    PATH,
    CollectionOptions,
    DatasetOptions,
    TopicOptions,
    budget_option,
    dry_run_option,
    on_failure_option,
)

if TYPE_CHECKING:
    from argue_bench.cli.judging import JudgingOptions
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.metrics.argue.judging import Preset


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
        # REPORTS, NUGGETS and PREFIX may stand behind a list: then its last words are these.
        arguments = sum(isinstance(one, click.Argument) for one in self.params)
        given = sum(len(part) == 1 and not part[0].startswith("-") for part in parts)
        if lacking := max(0, arguments - given):
            for place in lists[-lacking:]:
                parts[place] = parts[place][1:]
        return [word for part in parts for word in part]


@dataclass(frozen=True)
class LookupOptions(CollectionOptions):
    """Auto-ARGUE's options on the documents that reports cite."""

    subsets: tuple[str, ...] = as_field(
        option(
            "-c",
            "--collection",
            multiple=True,
            group="Input",
            help="A part of that folder; may be repeated. [default: all of it]",
        )
    )


@dataclass(frozen=True)
class JudgedBy:
    """Auto-ARGUE's options on the model."""

    provider: str = as_field(
        option(
            "-p",
            "--provider",
            default="",
            group="Judge",
            help="together, openai, anthropic, huggingface, huggingface_local, or another of: argue-bench list judges. [default: lexical]",
        )
    )
    model: str = as_field(
        option(
            "-m",
            "--model-name",
            default="",
            group="Judge",
            help="Model of the provider. [default: Auto-ARGUE's]",
        )
    )
    prompt_config: Path | None = as_field(
        option(
            "-P",
            "--prompt-config",
            type=PATH,
            group="Judge",
            help="Auto-ARGUE's prompt configuration, a JSON file.",
        )
    )
    always_check_all_nuggets: bool = as_field(
        option(
            is_flag=True,
            group="Judge",
            help="Try every nugget on every cited sentence, and have the judge decide what is relevant.",
        )
    )
    rerun: bool = as_field(
        option(
            is_flag=True,
            help="Judge everything anew; the old store of verdicts is set aside.",
        )
    )

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
        # A local model has its own spec, since no provider is asked.
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

    validate: bool = as_field(
        option(
            "--validate",
            "--validate-judgments",
            is_flag=True,
            help="Refuse judgments with any warning.",
        )
    )
    segments: bool = as_field(
        option(is_flag=True, help="Write the judgments without the report, as its README has them.")
    )
    verbose: bool = as_field(option(is_flag=True, help="Print the scores of each topic."))


@dataclass(frozen=True)
class AutoArgueFiles:
    """The files of one PREFIX: Auto-ARGUE's two, and the run file that `view` opens."""

    judgments: Path
    scores: Path
    run: Path

    def reusable(self, reports: Path, dataset: Dataset) -> bool:
        """Whether the judgments are there and are of exactly these reports.

        Raises DataError where they are of other reports and were not made here: nothing is lost that
        somebody paid for.
        """
        from argue_bench.errors import Code, DataError
        from argue_bench.published.auto_argue.files import read_judgments
        from argue_bench.published.auto_argue.runs import check_reports, report_cases

        if not self.judgments.is_file():
            return False
        check_reports(reports, dataset)
        wanted = {
            (case.answer.run, case.answer.id): tuple(one.plain for one in case.answer.sentences)
            for case in report_cases(reports, dataset)
        }
        there = {
            (judged.run, judged.topic): tuple(segment.text for segment in judged.segments)
            for judged in read_judgments(self.judgments)
        }
        # Judgments of exactly these sentences; a text that was edited is another report.
        if there == wanted:
            return True
        if not self.run.is_file():
            message = f"these are not the judgments of the reports in {reports}"
            hint = "Name another PREFIX, or judge anew with --rerun."
            raise DataError.of(Code.OTHER_DATA, message, self.judgments, hint=hint)
        return False


@click.command("auto-argue", cls=_AutoArgue, context_settings={"token_normalize_func": _hyphens})
@click.argument("reports", type=PATH)
@click.argument("nuggets", type=PATH)
@click.argument("prefix")
@option(
    "-a",
    "--actions",
    multiple=True,
    type=click.Choice(ACTIONS),
    help="annotate or score; may be repeated. [default: both]",
)
@options(
    "cited",
    LookupOptions,
    collection={"names": ("-C", "--collection-dir")},
)
@options("judged_by", JudgedBy)
@options("counting", Counting)
@on_failure_option.but(help="How a failed verdict counts; default: as Auto-ARGUE's defaults say.")
@budget_option
@dry_run_option
def auto_argue(
    reports: Path,
    nuggets: Path,
    prefix: str,
    actions: tuple[str, ...],
    cited: LookupOptions,
    judged_by: JudgedBy,
    counting: Counting,
    on_failure: str,
    budget: float | None,
    dry_run: bool,
) -> None:
    """Judge REPORTS by NUGGETS as Auto-ARGUE does, and write its files.

    "annotate" writes PREFIX.judgments.jsonl, and beside it PREFIX.run for `view`; "score" counts
    the judgments and writes PREFIX.scores.tsv. Judgments that are there already are used again.

    Example: argue-bench auto-argue reports.jsonl nuggets out -p together -C lookup -a annotate score
    """
    from argue_bench.cli.judging import JudgingOptions

    endings = ("judgments.jsonl", "scores.tsv", "run")
    files = AutoArgueFiles(*(Path(f"{prefix}.{ending}") for ending in endings))
    wanted = set(actions or ACTIONS)
    judging = dry_run or "annotate" in wanted
    topics, chosen = TopicOptions(nuggets, None, None), DatasetOptions("", None, "")
    # Nothing is judged that lies there already, as Auto-ARGUE has it.
    if judging and not dry_run and not judged_by.rerun:
        judging = not files.reusable(reports, topics.dataset(chosen))
    failed = False
    if judging:
        spec = judged_by.spec
        if not judged_by.provider:
            click.echo(NO_PROVIDER, err=True)
        given = JudgingOptions(
            {"": spec},
            budget,
            workers=None,
            cluster="",
            dry_run=dry_run,
            on_failure=on_failure,
        )
        failed = _annotate(reports, topics, cited, given, judged_by, files, counting)
    if dry_run:
        return
    if not files.judgments.is_file():
        raise click.UsageError(f"there is no {files.judgments} to score; -a annotate writes it")
    if not judging and "annotate" in wanted:
        click.echo(f"{files.judgments} is used again; --rerun judges anew", err=True)
    rules = judged_by.rules if judging else None
    _score(files, topics.dataset(chosen), counting, "score" in wanted, rules)
    if failed:
        raise SystemExit(3)


def _annotate(
    reports: Path,
    topics: TopicOptions,
    cited: LookupOptions,
    judging: JudgingOptions,
    judged_by: JudgedBy,
    files: AutoArgueFiles,
    counting: Counting,
) -> bool:
    """Judges the reports, writes run file and judgments; whether a verdict failed.

    Raises UsageError where no collection is named.
    """
    from argue_bench.loaders.source import LOOKUP, lookup_folder
    from argue_bench.metrics.argue.argue import Argue
    from argue_bench.published.auto_argue.files import write_judgments
    from argue_bench.published.auto_argue.judgments import stored_judgments
    from argue_bench.published.auto_argue.runs import judge_reports

    if not cited.collection and not lookup_folder():
        raise click.UsageError(
            f"-C DIR is required (or set {LOOKUP}): where the cited documents lie"
        )
    dataset = topics.dataset(DatasetOptions("", None, ""), cited.open(cited.subsets))
    if cited.subsets:
        dataset = replace(dataset, source={**dataset.source, "subset": cited.subsets})
    metric = Argue(rules=judged_by.rules)
    failed = judge_reports(reports, dataset, metric, judging, files.run, judged_by.rerun)
    if not judging.dry_run:
        write_judgments(
            files.judgments,
            stored_judgments(files.run, dataset, metric),
            "segments" if counting.segments else "report",
        )
    return failed


def _score(
    files: AutoArgueFiles, dataset: Dataset, counting: Counting, write: bool, rules: Preset | None
) -> None:
    """Prints averages and writes scores.tsv: of the run file that was just made under ``rules``, whose
    failed reports count as such, else of the judgments.

    Raises DataError for judgments that can't be counted, or with ``validate`` are doubtful.
    """
    from argue_bench.eval.run import read_entries, read_header
    from argue_bench.eval.signature import Signature
    from argue_bench.metrics.argue.argue import Argue, count_report
    from argue_bench.published.auto_argue.files import (
        show_averages,
        show_topics,
        write_scores,
    )
    from argue_bench.published.auto_argue.judgments import judged_reports, score_rows

    metric = Argue(rules=rules or "auto-argue")
    text = str(metric)
    judged = judged_reports(files.judgments, dataset, "auto-argue", counting.validate)
    if rules is None:
        counted = [
            (one.run, one.topic, count_report(report, metric.decided)) for one, report in judged
        ]
        parts = {"metric": text, "data": dataset.title, "judge": files.judgments.name}
        rows = list(score_rows(counted, metric.rules))
    else:
        if counting.validate:
            deque(judged, maxlen=0)
        header = read_header(files.run)
        parts = dict(header.signature[text])
        entries = (
            (one.answer.run, one.answer.id, one.tallies[text]) for one in read_entries(files.run)
        )
        rows = list(score_rows(entries, metric.rules, header.on_failure, header.most_left_out))
    if write:
        write_scores(files.scores, rows)
        click.echo(f"scores: {files.scores}", err=True)
    show_averages(rows, str(Signature(parts)))
    if counting.verbose:
        show_topics(rows)
