"""Own rows in ``argue-bench evaluate``: prints what was recognised, which metrics cannot apply,
and which sentences fail."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.options import was_given
from argue_bench.cli.tables import bold, dim, show_findings
from argue_bench.records.display import escape

if TYPE_CHECKING:
    from argue_bench.eval import Report
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.loaders.rows import Rows
    from argue_bench.records import Answer

_CLASSES = {
    "another source": "supported by another source",
    "contradicted": "contradicted",
    "partly": "supported in part",
    "missing": "citing what is not there",
    "nothing": "supported by nothing",
    "uncited": "without a citation",
}


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


def show_limits(rows: Rows, named: Iterable[str] = ()) -> None:
    """Prints to stderr which scores do not apply to these rows, and why.

    ``named``: the texts of the metrics that the user named.
    """
    from argue_bench.eval.judging import CITING

    n = len(rows.answers)
    metrics = [text.partition("(")[0] for text in named]
    if not rows.facts["citations"] and (not metrics or any(one in CITING for one in metrics)):
        click.echo(
            f"\n0 of {n:,} answers contain a citation: support, citations and argue cannot apply; "
            "faithfulness can.",
            err=True,
        )
    # Without contexts nothing can be checked: say what to do next, by what the answers cite.
    nothing = not rows.facts["contexts"] and not rows.dataset.documents
    pages = {i for one in rows.answers.values() for s in one.sentences for i in s.citations}
    of_pages = "a page" if len(pages) == 1 else f"{len(pages):,} pages"
    file = shlex.join(rows.dataset.source.get("rows", ("FILE",)))
    if nothing and any(id.startswith(("http://", "https://")) for id in pages):
        click.echo(
            f"\nThe answers cite {of_pages} of the web, and none is here to check them against:\n"
            f"argue-bench sources fetch {file} --out pages\n"
            f"argue-bench evaluate {file} --sources pages",
            err=True,
        )
    elif nothing:
        click.echo(
            "\nNo row has contexts: nothing can be checked against them. Name their column: "
            "--columns contexts=NAME.",
            err=True,
        )


def show_few(n: int) -> None:
    """Prints to stderr that there are too few questions for firm conclusions, where that is so."""
    from argue_bench.stats.bootstrap import few_questions

    if text := few_questions(n):
        click.echo(f"\n{text}", err=True)


def show_invented(report: Report, dataset: Dataset, answers: Mapping[str, Answer]) -> None:
    """Prints to stderr, in one line, how many citation marks name no source, and the first of them."""
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
        text = ". ".join(said) or "Citations name no document"
        click.echo(f"\n{text}{': ' * bool(first)}{first}", err=True)


MOST_UNSTATED = 0.2
"""The share of words that state nothing from which a run is warned: headings and labels are seldom a tenth of
an answer, and what stands in them is not judged."""


def show_unstated(report: Report, dataset: Dataset, answers: Mapping[str, Answer]) -> None:
    """Prints to stderr which share of the words states nothing, where a metric judges sentences."""
    from argue_bench.text.statements import stated_or_citing, unstated_numbers, unstated_share

    names = {"faithfulness", "answer_relevance", "sources", "citations", "support"}
    if not any(text.partition("(")[0] in names for text in report.signature):
        return
    pairs = [(question, answers[question.id]) for question in dataset if question.id in answers]
    kinds: Counter[str] = Counter(aside.kind for _, answer in pairs for aside in answer.asides)
    found: list[tuple[str, str]] = []
    for question, answer in pairs:
        numbers = unstated_numbers(answer, stated_or_citing(question, answer))
        found += [(question.id, answer.sentences[number - 1].text) for number in numbers]
    if found:
        kinds["sentence"] = len(found)
    if not kinds:
        return
    share = unstated_share(pairs)
    told = ", ".join(
        f"{n:,} {kind}{'s' * (n > 1 and kind[-1] != 's')}" for kind, n in kinds.items()
    )
    such = f". Such as {escape(found[0][0], 80)}: {escape(found[0][1], 80)}" if found else ""
    warns = "warning: " if share > MOST_UNSTATED else ""
    click.echo(
        f"\n{warns}{share:.0%} of the words are left out, since they state nothing: {told}{such}",
        err=True,
    )


def show_failed(report: Report, most: int, all_flags: bool = False) -> None:
    """Prints the unsupported sentences, the surest first, and the missed nuggets, with the reasons."""
    from argue_bench.eval.flags import flag_list, rest_line, tier_lines

    flags = flag_list(report)
    failed = flags.listed(all_flags)
    missed = list({(one.question, one.text): one for one in report.missed_nuggets()}.values())
    what = "Missed criteria" if all(_is_rubric(one.metric) for one in missed) else "Missed nuggets"
    rest = "" if all_flags else rest_line(flags, "--all-flags")
    if most and (failed or rest):
        kinds = Counter(one.lack for one in failed if one.lack)
        classes = ", ".join(f"{count:,} {_CLASSES[lack]}" for lack, count in kinds.most_common())
        click.echo(f"\n{bold('Unsupported sentences')} {_shown(len(failed), most)}")
        tiers = list(tier_lines(flags, all_flags))
        for line in tiers or ([classes] if len(failed) > 1 and classes else []):
            click.echo(f"  {line}")
        for one in failed[:most]:
            click.echo(f"  {escape(one.question)}, sentence {one.number}: {escape(one.text, 160)}")
            click.echo(f"    {dim(escape(one.reason, 160))}")
        if rest:
            click.echo(f"  {rest}")
    if most and missed:
        click.echo(f"\n{bold(what)} {_shown(len(missed), most)}")
        for nugget in missed[:most]:
            click.echo(f"  {escape(nugget.question)}: {escape(nugget.text, 160)}")
            click.echo(f"    {dim(escape(nugget.reason, 160))}")


def _is_rubric(metric: str) -> bool:
    return metric.partition("(")[0] == "rubric"


def _shown(count: int, most: int) -> str:
    return f"({count:,})" if count <= most else f"({most} of {count:,}; --show N shows more)"
