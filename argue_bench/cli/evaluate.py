"""``argue-bench evaluate``: the answers of one system in, scores out."""

from __future__ import annotations

import shlex
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from argue_bench.cli.commands import as_field, command, option, options
from argue_bench.cli.judging import JudgingOptions, paid_store, show_costs, show_spent
from argue_bench.cli.options import (
    PATH,
    CollectionOptions,
    DatasetOptions,
    TopicOptions,
    dataset_options,
    fail_if_option,
    format_option,
    metric_option,
    report_option,
    was_given,
)
from argue_bench.cli.tables import bold, dim, print_as, show_findings, show_report, show_table
from argue_bench.errors import Code, DataError, Finding
from argue_bench.loaders import DATASETS, contains_dataset, read_answers
from argue_bench.records.display import escape
from argue_bench.records.table import Table
from argue_bench.satellites import (
    ALCE_LINES,
    CORRECT,
    TRACE_EVENTS,
    TRACE_RECEIVER,
    WEB_FILE,
    WEB_PAGES,
    import_text,
    is_here,
)

if TYPE_CHECKING:
    from argue_bench.eval import Report
    from argue_bench.eval.flags import ScoreBound
    from argue_bench.eval.judging import Evaluation
    from argue_bench.judges import Judge
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.loaders.rows import Rows
    from argue_bench.records import Answer


def rows_in(
    answers: Sequence[Path], columns: tuple[str, ...], answers_format: str, web: bool = False
) -> Rows | None:
    """The rows in ANSWERS; None where they are answers to a data set. Raises UsageError, DataError."""
    # A file is taken for rows only where the user names neither a format nor a data set.
    recognise = answers_format == "auto" and not was_given("dataset", "data", "split")
    if not (columns or recognise or answers_format == "rows"):
        return None
    from argue_bench.loaders.rows import looks_like_rows, read_rows
    from argue_bench.loaders.rows.columns import parse_columns

    named = parse_columns(columns)
    if answers_format != "rows" and not named and not any(map(looks_like_rows, answers)):
        return None
    return read_rows(list(answers), named, web=web)


def show_rows(rows: Rows) -> None:
    """Prints to stderr which columns were recognised and how many rows were read."""
    read = ", ".join(f"{role} <- {name}" for role, name in rows.columns.items())
    facts = rows.facts
    click.echo(
        f"{len(rows.answers):,} of {facts['rows']:,} rows: {read}; {facts['contexts']:,} with "
        f"contexts, {facts['references']:,} with a reference, {facts['citations']:,} with citations",
        err=True,
    )
    show_findings(rows.findings, 20)


def show_limits(rows: Rows) -> None:
    """Prints to stderr what to do about rows that nothing can be checked against."""
    nothing = not rows.facts["contexts"] and not rows.dataset.documents
    pages = {i for one in rows.answers.values() for s in one.sentences for i in s.citations}
    file = shlex.join(rows.dataset.source.get("rows", ("FILE",)))
    if nothing and any(id.startswith(("http://", "https://")) for id in pages):
        click.echo(
            f"\nThe answers cite {len(pages):,} page{'s' * (len(pages) != 1)} of the web, and none is here to check them against:\n"
            f"argue-bench sources fetch {file} --out pages\n"
            f"argue-bench evaluate {file} --sources pages",
            err=True,
        )
    elif nothing:
        click.echo(
            "\nNo row has contexts: nothing can be checked against them. Name their column: --columns contexts=NAME.",
            err=True,
        )


FROM_ZERO = (
    ". Marks count sources from 1: where yours count from 0, all of them name the source before the "
    "one that they mean, so add 1 to each"
)


def show_lacking(report: Report, dataset: Dataset, answers: Mapping[str, Answer]) -> None:
    """Prints to stderr how many questions have no answer, and how many citation marks name no source."""
    # By --only-answered the report is on as many questions as there are answers.
    if report.n > len(answers):
        click.echo(
            f"\n{report.n - len(answers):,} of {report.n:,} questions have no answer, such as {escape(min(dataset.by_id.keys() - answers), 80)}: "
            "each counts as answered by nothing (--only-answered leaves them out).",
            err=True,
        )
    invented = (
        f"[{escape(id, 40)}] in {escape(answer.id, 80)}"
        for answer in answers.values()
        for sentence in answer.sentences
        for id in sentence.citations
        if id not in dataset.documents
    )
    first = ", ".join(islice(invented, 3)) if dataset.documents else ""
    said = [
        f"{one.read:,} mark{'s' * (one.read != 1)} of the form {escape(form, 40)} "
        f"{'was' if one.read == 1 else 'were'} read; {one.unknown:,} name{'s' * (one.unknown == 1)} no source"
        for form, one in report.marks.items()
        if one.unknown
    ]
    # A report that came as sentences has ids and no marks.
    if said or (first and not report.marks):
        click.echo(
            f"\n{'. '.join(said or ['Citations name no document'])}{': ' * bool(first)}{first}"
            f"{FROM_ZERO * ('[0] in' in first)}",
            err=True,
        )


# The share of words that state nothing from which a run is warned: headings and labels are seldom a tenth of
# an answer, and what stands in them is not judged.
MOST_UNSTATED = 0.2


def show_unstated(report: Report, dataset: Dataset, answers: Mapping[str, Answer]) -> None:
    """Prints to stderr which share of the words states nothing, where a metric judges sentences."""
    from argue_bench.text.statements import claim_sentences, unstated_numbers

    names = {"faithfulness", "answer_relevance", "sources", "citations", "support"}
    # Published rules count every sentence.
    ours = (text.partition("(")[0] for text in report.signature if "rules=" not in text)
    if names.isdisjoint(ours):
        return
    pairs = [(question, answers[question.id]) for question in dataset if question.id in answers]
    found = [
        (question.id, answer.sentences[number - 1].text)
        for question, answer in pairs
        for number in unstated_numbers(
            answer, claim_sentences(answer.sentences, question.text, citing=True)
        )
    ]
    kinds = Counter(aside.kind for _, answer in pairs for aside in answer.asides)
    told = [f"{n:,} {kind}{'s' * (n > 1 and kind[-1] != 's')}" for kind, n in kinds.items()]
    if found:
        id, text = found[0]
        told.append(f"{len(found):,} sentences such as {escape(id, 80)}: {escape(text, 80)}")
    if told:
        warns = "warning: " if report.unstated > MOST_UNSTATED else ""
        click.echo(
            f"\n{warns}{report.unstated:.0%} of the words are left out, since they state nothing: "
            + ", ".join(told),
            err=True,
        )


_MORE = ": --show N"
# A corrected score has an interval from 20 on, and some fall out where a person's verdict leads to requests that
# the judge's did not lead to.
QUESTIONS_TO_LABEL = 30


def show_failed(report: Report, most: int, all_flags: bool = False) -> None:
    """Prints the unsupported sentences, the surest first, and the missed nuggets, with the reasons."""
    from argue_bench.eval.flags import flag_lines

    lines = flag_lines(report, most, "--all-flags", weak=all_flags, more=_MORE, bold=bold, dim=dim)
    if shown := "\n".join(lines if most else ()):
        click.echo(f"\n{shown}")
    missed = list({(one.question, one.text): one for one in report.missed_nuggets()}.values())
    if most and missed:
        what = "criteria" if missed[0].metric.startswith("rubric") else "nuggets"
        click.echo(f"\n{bold(f'Missed {what}')} ({len(missed):,})")
        for nugget in missed[:most]:
            click.echo(f"  {escape(nugget.question)}: {escape(nugget.text, 160)}")
            click.echo(f"    {dim(escape(nugget.reason, 160))}")
        if len(missed) > most:
            click.echo(f"  and {len(missed) - most:,} more{_MORE}")


@dataclass(frozen=True)
class AnswerOptions:
    """How answers are read, and which metrics score them."""

    metrics: tuple[str, ...] = as_field(metric_option)
    answers_format: str = as_field(
        option(default="auto", group="Advanced", help="See: argue-bench list formats")
    )
    only_answered: bool = as_field(
        option(is_flag=True, group="Advanced", help="Leave out questions without an answer.")
    )
    columns: tuple[str, ...] = as_field(
        option(
            multiple=True,
            metavar="ROLE=NAME",
            group="Input",
            help="Name a column of own rows; may be repeated.",
        )
    )
    sources: Path | None = as_field(
        option(
            type=PATH,
            metavar="DIR",
            group="Advanced",
            help="Read cited web pages from this snapshot; see: argue-bench sources --help",
        )
    )
    passages: int = as_field(
        option(
            type=click.IntRange(min=0),
            metavar="N",
            default=8,
            group="Advanced",
            help="How many passages of a long web page a judge reads; 0 for all.",
        )
    )
    labels: tuple[Path, ...] = as_field(
        option(
            multiple=True,
            type=PATH,
            group="Advanced",
            help="What people said of some answers: corrects the judge's scores; may be repeated.",
        )
    )


@dataclass(frozen=True)
class ShowingOptions:
    """What is printed, and what is written besides the run file."""

    all_scores: bool = as_field(
        option(is_flag=True, group="Output", help="Print every score, not the headlines alone.")
    )
    show: int | None = as_field(
        option(
            type=click.IntRange(min=0),
            metavar="N",
            group="Output",
            help="Show N that fail. [default: 5]",
        )
    )
    all_flags: bool = as_field(
        option(is_flag=True, group="Output", help="List flags that are mostly wrong, too.")
    )
    fail_if: tuple[str, ...] = as_field(fail_if_option)
    annotated: Path | None = as_field(
        option(
            type=PATH,
            metavar="FILE",
            group="Advanced",
            help="Write every answer with what was found of each sentence, a JSON object a line.",
        )
    )
    report: tuple[Path, ...] = as_field(report_option)
    events: Path | None = as_field(
        option(
            type=PATH,
            metavar="FILE",
            group="Advanced",
            help="Of traces: write OpenTelemetry's gen_ai.evaluation.result events.",
        )
    )
    otlp: str = as_field(
        option(
            default="",
            metavar="URL",
            group="Advanced",
            help="Of traces: send these events to a receiver by OTLP over HTTP.",
        )
    )
    format: str = as_field(format_option)

    def parsed(self) -> tuple[Sequence[ScoreBound], Mapping[Path, Callable[..., None]]]:
        """The bounds, and what writes each report; raises what is wrong with them or the receiver."""
        from argue_bench.eval.annotations import parse_reports
        from argue_bench.eval.flags import parse_bounds

        if self.otlp:
            import_text(TRACE_RECEIVER)(self.otlp)
        return parse_bounds(self.fail_if), parse_reports(self.report)


@command("evaluate")
@click.argument("answers", type=PATH, nargs=-1, required=True)
@dataset_options()
@options("topics", TopicOptions)
@options("cited", CollectionOptions)
@options("answering", AnswerOptions)
@options("judging", JudgingOptions)
@options("showing", ShowingOptions)
@option("--out", type=PATH, group="Output", help="The run file to write.")
def evaluate_command(
    answers: tuple[Path, ...],
    chosen: DatasetOptions,
    topics: TopicOptions,
    cited: CollectionOptions,
    answering: AnswerOptions,
    judging: JudgingOptions,
    showing: ShowingOptions,
    out: Path | None,
) -> None:
    """Score the answers in ANSWERS.

    ANSWERS are files or folders: lines {"id", "answer"}, TREC reports of one run, or rows of your own system
    (question, contexts, answer), which need no data set. The same command continues what was interrupted.

    Example: argue-bench evaluate answers.jsonl --dataset core --split sample
    """
    from argue_bench.eval.annotations import write_annotations
    from argue_bench.eval.judging import DEFAULT_JUDGE, inline_judges, prepare
    from argue_bench.metrics import as_metric

    # What is wrong with the command itself is said before anything is read or paid for.
    bounds, reports = showing.parsed()
    if answering.labels and out is None:
        raise click.UsageError("--labels correct the scores of a run file: name it with --out RUN")
    dataset, given, rows = _input(answers, chosen, topics, cited, answering)
    # A judge whose spec stands in a metric's text was named by the user, too.
    specs = {**inline_judges(map(as_metric, answering.metrics)), **judging.judges}
    default = specs.pop("", DEFAULT_JUDGE)
    ready = prepare(
        dataset,
        given,
        answering.metrics or None,
        judge=_able(default) if judging.dry_run else default,
        only_answered=answering.only_answered,
        on_failure=judging.on_failure,
        system=answers[0].stem,
    )
    if judging.dry_run:
        _show_requests(ready, {"": default, **specs}, judging, showing.format)
        return
    report = _judged(ready, default, specs, judging, out)
    if answering.labels:
        found = import_text(CORRECT)(out, answering.labels, dataset)
        report = replace(report, corrected=found.corrected)
        for remark in found.corrected.remarks:
            click.echo(f"labels: {remark}.", err=True)
    _show(report, dataset.note, showing)
    show_lacking(report, dataset, given)
    show_unstated(report, dataset, given)
    if showing.annotated is not None:
        write_annotations(showing.annotated, report, dataset, given)
    for path, write in reports.items():
        write(path, report, given, rows.places if rows else {}, showing.all_flags)
    if showing.events is not None or showing.otlp:
        count = import_text(TRACE_EVENTS)(answers, report, showing.events, showing.otlp)
        click.echo(f"\n{count:,} events", err=True)
    _finish(report, rows, answering, showing, bounds, out)
    if ready.selection.lacking:
        raise SystemExit(3)


def _judged(
    ready: Evaluation,
    default: str,
    specs: Mapping[str, str],
    judging: JudgingOptions,
    out: Path | None,
) -> Report:
    from argue_bench.cli.progress import JudgingMeter, progress
    from argue_bench.eval.judging import judges_for, run_now

    # With a run file the store stands beside it; without one only verdicts that cost money are kept.
    asked = [default, *specs.values()] if out is None else []
    store = paid_store(judging.store, ready.system, asked)
    kept = store or (Path(f"{out}.verdicts") if out else None)
    made = judges_for(ready.selection.metrics, default, specs)
    bar = progress("scoring", len(ready.pairs), JudgingMeter(made.values()))
    with judging.at_work(made, kept) as working, bar as step:
        return run_now(ready.run(working, out, store, step)).resampled()


def _able(spec: str) -> str | Judge:
    """What says which requests a judge can answer: a model of a provider needs no key for that."""
    from argue_bench.judges.prompted.spec import for_estimates

    return next(iter(for_estimates(spec)), spec)


def _input(
    answers: Sequence[Path],
    chosen: DatasetOptions,
    topics: TopicOptions,
    cited: CollectionOptions,
    answering: AnswerOptions,
) -> tuple[Dataset, Mapping[str, Answer], Rows | None]:
    """The rows with the data set that they form, or answers to the data set that the options name."""
    web = answering.sources is not None
    # Rows bring their own questions; they are looked for only where no data set is named.
    if topics.nuggets is None and (
        rows := rows_in(answers, answering.columns, answering.answers_format, web)
    ):
        show_rows(rows)
        given: Mapping[str, Answer] = dict(rows.answers)
        rows = replace(rows, dataset=_with_sources(rows.dataset, given, answering))
        return rows.dataset, given, rows
    if topics.nuggets is None and cited.collection:
        raise click.UsageError("--collection needs --nuggets: a data set has its own documents")
    if chosen.data is None and contains_dataset(chosen.dataset, answers[0]):
        chosen = replace(chosen, data=answers[0])
    dataset = topics.dataset(chosen, cited.open() if topics.nuggets else None)
    form = "web" if web and answering.answers_format == "auto" else answering.answers_format
    given = _limited(_read(answers, chosen.dataset, dataset, form), dataset)
    return _with_sources(dataset, given, answering), given, None


def _limited(given: Mapping[str, Answer], dataset: Dataset) -> Mapping[str, Answer]:
    """The answers; by a track's limits what is too long is cut or counts as unanswered, as on its board."""
    from argue_bench.loaders.limits import OVER_LIMIT, AnswerLimits, within_limits

    over = dataset.limits.over if dataset.limits else ""
    long = within_limits(given, dataset, dataset.limits or AnswerLimits())
    for id, why in list(long.cut.items())[:1]:
        click.echo(
            f"{len(long.cut):,} of {len(given):,} answers are longer than allowed, the first {id[:80]} with {why}. {OVER_LIMIT.get(over, '')}".rstrip(),
            err=True,
        )
    return dict(given) | {
        id: long.answers[id] if over == "cut" else replace(given[id], text="", sentences=())
        for id in long.cut
        if over
    }


def _with_sources(
    dataset: Dataset, given: Mapping[str, Answer], answering: AnswerOptions
) -> Dataset:
    """The data set with the pages that the answers cite, where --sources names a snapshot."""
    if answering.sources is None:
        return dataset
    return cast(
        "Dataset",
        import_text(WEB_PAGES)(dataset, given.values(), answering.sources, answering.passages),
    )


def _read(
    answers: Sequence[Path], named: str, dataset: Dataset, format: str
) -> Mapping[str, Answer]:
    """The answers of all files; where their ids are unknown, the error names the other splits of the set."""
    from argue_bench.loaders.answers import report_files

    path = answers[0]
    try:
        files = [
            file for one in answers for file in (report_files(one) if format == "auto" else [one])
        ]
        read = _read_file(files[0], dataset, format)
        for path in files[1:]:
            more = _read_file(path, dataset, format)
            if twice := [id for id in more if id in read]:
                what = f"{len(twice):,} questions were answered in another file, the first {twice[0]!r:.80}"
                raise DataError.of(Code.DUPLICATE_ID, what, path, hint="Keep one of the two.")
            read = {**read, **more}
        return read
    except DataError as error:
        # The commonest cause of unknown ids: the answers are to another split.
        splits = DATASETS[named].splits if named in DATASETS else ()
        if len(splits) < 2 or Code.UNKNOWN_ID not in {one.code for one in error.findings}:
            raise
        others = [f"--split {split}" for split in splits if split != dataset.split]
        notice = Finding(
            Code.OTHER_DATA,
            f"the answers were read as answers to {dataset.title}",
            level="notice",
            hint=f"Do they belong to another split? {', '.join(others)}",
        )
        raise DataError([*error.findings, notice]) from None


def _read_file(path: Path, dataset: Dataset, format: str) -> Mapping[str, Answer]:
    if format != "web":
        return read_answers(path, dataset, format)
    read, findings = import_text(WEB_FILE)(path, dataset)
    if any(finding.level == "error" for finding in findings):
        raise DataError(findings)
    show_findings(findings)
    return cast("Mapping[str, Answer]", read)


def _show_requests(
    ready: Evaluation, specs: Mapping[str, str], judging: JudgingOptions, format: str
) -> None:
    """Prints how many requests there would be, and what they would cost."""
    from argue_bench.eval.driver import estimate_requests

    for text, why in ready.selection.not_run.items():
        click.echo(f"not run: {text}: {why}", err=True)
    # Gone through twice: once for the requests, once for what they cost.
    cases = list(ready.cases())
    bounds = estimate_requests(cases, ready.selection.metrics)
    rows = [
        (b.judge or "(default)", b.kind, f"{b.fewest:,}", f"{b.most:,}", ", ".join(b.metrics))
        for b in bounds
    ]
    table = Table(("judge", "request", "fewest", "most", "for"), rows, right=(2, 3))
    if print_as(format, [vars(bound) for bound in bounds], table):
        return
    if not bounds:
        click.echo("These metrics ask nothing.")
        return
    show_table(table)
    show_costs(cases, ready.selection.metrics, specs, judging.batch, judging.budget)


def _show(report: Report, note: str, showing: ShowingOptions) -> None:
    from argue_bench.eval.report import score_table

    data = report.to_dict() if showing.format == "json" else None
    if print_as(showing.format, data, score_table(report, showing.all_scores)):
        return
    show_report(report, showing.all_scores)
    # Who ran ALCE's rules looks for the line that its program prints.
    if any("rules=" in text for text in report.signature) and is_here(ALCE_LINES):
        for line in import_text(ALCE_LINES)(report):
            click.echo(f"\n{line}")
    show_spent(report.cost)
    if note:
        click.echo(f"\n{note}", err=True)


def _finish(
    report: Report,
    rows: Rows | None,
    answering: AnswerOptions,
    showing: ShowingOptions,
    bounds: Sequence[ScoreBound],
    out: Path | None,
) -> None:
    """Says what failed. Exits 3 where failures leave a score unset, 1 for rows or scores that are bad."""
    from argue_bench.eval.flags import SHOWN, broken_bounds
    from argue_bench.stats.bootstrap import few_questions

    if showing.format == "text":
        most = sys.maxsize if showing.all_flags else SHOWN
        show_failed(report, most if showing.show is None else showing.show, showing.all_flags)
        if rows is not None:
            show_limits(rows)
        # What to do next: one line, where there is a run file to draw questions of.
        if (
            rows is not None
            and out is not None
            and not answering.labels
            and report.n >= QUESTIONS_TO_LABEL
            and any(report.failed_sentences())
        ):
            click.echo(
                f"\nLabels of {QUESTIONS_TO_LABEL} questions correct the score (evaluate --labels): "
                f"argue-bench view {shlex.quote(str(out))} --label --questions {QUESTIONS_TO_LABEL}",
                err=True,
            )
        values = (
            tally.value
            for of in report.per_question.values()
            for tallies in of.values()
            for tally in (tallies or {}).values()
        )
        if (few := few_questions(report.n, values)) and any(
            score.low is not None for score in report.scores.values()
        ):
            click.echo(f"\n{few}", err=True)
    if broken := "\n\n".join(broken_bounds(report, bounds, showing.all_flags)):
        click.echo(f"\n{broken}", err=True)
    if any(score.failed and score.value is None for score in report.scores.values()):
        raise SystemExit(3)
    if broken or (rows is not None and any(one.level == "error" for one in rows.findings)):
        raise SystemExit(1)
