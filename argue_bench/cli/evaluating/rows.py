"""Own rows in ``argue-bench evaluate``: prints what was recognised, which metrics cannot apply,
and which sentences fail."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.options import was_given
from argue_bench.cli.tables import bold, dim, show_findings
from argue_bench.records.display import escape

if TYPE_CHECKING:
    from argue_bench.eval import Report
    from argue_bench.eval.report import FailedSentence
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
    answers: Path, columns: tuple[str, ...], answers_format: str, web: bool = False
) -> Rows | None:
    """The rows in ANSWERS; None where they are answers to a data set. Raises UsageError, DataError."""
    recognise = answers_format == "auto" and not was_given("dataset", "data", "split")
    if not (columns or recognise or answers_format == "rows"):
        return None
    from argue_bench.loaders.rows import looks_like_rows, read_rows
    from argue_bench.loaders.rows.columns import parse_columns

    named = parse_columns(columns)
    if answers_format != "rows" and not named and not looks_like_rows(answers):
        return None
    return read_rows(answers, named, web=web)


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


_CITING = ("support", "citations", "argue")


def show_limits(rows: Rows, named: Iterable[str] = ()) -> None:
    """Prints to stderr which scores do not apply to these rows, and why.

    ``named``: the texts of the metrics that the user named.
    """
    n = len(rows.answers)
    metrics = [text.partition("(")[0] for text in named]
    if not rows.facts["citations"] and (not metrics or any(one in _CITING for one in metrics)):
        click.echo(
            f"\n0 of {n:,} answers contain a citation: support, citations and argue cannot apply; "
            "faithfulness can.",
            err=True,
        )
    nothing = not rows.facts["contexts"] and not rows.dataset.documents
    pages = {i for one in rows.answers.values() for s in one.sentences for i in s.citations}
    of_pages = "a page" if len(pages) == 1 else f"{len(pages):,} pages"
    file = shlex.quote(rows.dataset.source.get("rows", ("FILE",))[0])
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


def show_invented(dataset: Dataset, answers: Mapping[str, Answer]) -> None:
    """Prints to stderr how many citations name no document, and the first of them."""
    count = 0
    unknown = []
    for answer in answers.values():
        cited = [id for sentence in answer.sentences for id in sentence.citations]
        count += len(cited)
        unknown += [(answer.id, id) for id in cited if id not in dataset.documents]
    if unknown and dataset.documents:
        first = ", ".join(
            f"[{escape(id, 40)}] in {escape(answer, 80)}" for answer, id in unknown[:3]
        )
        click.echo(f"\n{len(unknown):,} of {count:,} citations name no document: {first}", err=True)


def show_unstated(report: Report, dataset: Dataset, answers: Mapping[str, Answer]) -> None:
    """Prints to stderr how many sentences state nothing, where a metric leaves them out."""
    from argue_bench.text.statements import stated_or_citing, unstated_numbers

    names = {"faithfulness", "answer_relevance", "sources"}
    if not any(text.partition("(")[0] in names for text in report.signature):
        return
    found: list[tuple[str, str]] = []
    for question in dataset:
        if answer := answers.get(question.id):
            numbers = unstated_numbers(answer, stated_or_citing(question, answer))
            found += [(question.id, answer.sentences[number - 1].text) for number in numbers]
    if found:
        id, text = found[0]
        many = "1 sentence is" if len(found) == 1 else f"{len(found):,} sentences are"
        click.echo(
            f"\n{many} left out: courtesies, or what was said before. Such as "
            f"{escape(id, 80)}: {escape(text, 80)}",
            err=True,
        )


def show_failed(report: Report, most: int) -> None:
    """Prints the unsupported sentences and the missed nuggets, with the reasons."""
    each: dict[tuple[str, int], FailedSentence] = {}
    for one in report.failed_sentences():  # two metrics may find the same sentence
        each.setdefault((one.question, one.number), one)
    failed = list(each.values())
    missed = list({(one.question, one.text): one for one in report.missed_nuggets()}.values())
    what = "Missed criteria" if all(_is_rubric(one.metric) for one in missed) else "Missed nuggets"
    if most and failed:
        kinds = Counter(one.lack for one in failed if one.lack)
        classes = ", ".join(f"{count:,} {_CLASSES[lack]}" for lack, count in kinds.most_common())
        click.echo(f"\n{bold('Unsupported sentences')} {_shown(len(failed), most)}")
        if len(failed) > 1 and classes:
            click.echo(f"  {classes}")
        # What the sources deny is what a reader must see first.
        for one in sorted(failed, key=lambda one: one.lack != "contradicted")[:most]:
            click.echo(f"  {escape(one.question)}, sentence {one.number}: {escape(one.text, 160)}")
            click.echo(f"    {dim(escape(one.reason, 160))}")
    if most and missed:
        click.echo(f"\n{bold(what)} {_shown(len(missed), most)}")
        for nugget in missed[:most]:
            click.echo(f"  {escape(nugget.question)}: {escape(nugget.text, 160)}")
            click.echo(f"    {dim(escape(nugget.reason, 160))}")


def _is_rubric(metric: str) -> bool:
    return metric.partition("(")[0] == "rubric"


def _shown(count: int, most: int) -> str:
    return f"({count:,})" if count <= most else f"({most} of {count:,}; --show N shows more)"
