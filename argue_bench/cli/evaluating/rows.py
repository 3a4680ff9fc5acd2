"""Own rows in ``argue-bench evaluate``: what was recognised, what cannot apply, which sentences fail."""

from __future__ import annotations

import re
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
    from argue_bench.loaders.rows import Rows

FEW_QUESTIONS = 20
"""Below this many questions an interval says little."""
_THRESHOLD = re.compile(r"\s*(?P<key>.+?)\s*(?:>=|=)\s*(?P<least>[0-9.]+)\s*\Z")


def rows_in(answers: Path, columns: tuple[str, ...], answers_format: str) -> Rows | None:
    """The rows in ANSWERS; None where they are answers to a data set. Raises UsageError, DataError."""
    from argue_bench.loaders.rows import looks_like_rows, read_rows
    from argue_bench.loaders.rows.columns import parse_columns

    named = parse_columns(columns)
    if answers_format != "rows" and not named:
        if answers_format != "auto" or was_given("dataset", "data", "split"):
            return None
        if not looks_like_rows(answers):
            return None
    return read_rows(answers, named)


def show_rows(rows: Rows) -> None:
    """What was read and how, on standard error."""
    read = ", ".join(f"{role} <- {name}" for role, name in rows.columns.items())
    facts = rows.facts
    click.echo(
        f"{len(rows.answers):,} of {facts['rows']:,} rows: {read}; {facts['contexts']:,} with "
        f"contexts, {facts['references']:,} with a reference, {facts['citations']:,} with citations",
        err=True,
    )
    show_findings(rows.findings, 20)


def show_limits(rows: Rows, report: Report) -> None:
    """Which scores cannot say anything about these rows, and why."""
    n = len(rows.answers)
    if not rows.facts["citations"]:
        click.echo(
            f"\n0 of {n:,} answers contain a citation: citations and argue cannot apply; "
            "faithfulness can.",
            err=True,
        )
    if not rows.facts["contexts"]:
        click.echo(
            "\nNo row has contexts: nothing can be checked against them. Name their column: "
            "--columns contexts=NAME.",
            err=True,
        )
    if n < FEW_QUESTIONS:
        click.echo(f"\n{n} questions are few: intervals of fewer than 20 are too narrow.", err=True)


def show_failed(report: Report, most: int) -> None:
    """The sentences without support and the nuggets that are missed, with the reasons."""
    each: dict[tuple[str, int], FailedSentence] = {}
    for one in report.failed_sentences():  # two metrics may find the same sentence
        each.setdefault((one.question, one.number), one)
    failed = list(each.values())
    missed = report.missed_nuggets()
    if most and failed:
        click.echo(f"\n{bold('Unsupported sentences')} {_shown(len(failed), most)}")
        for one in failed[:most]:
            click.echo(f"  {escape(one.question)}, sentence {one.number}: {escape(one.text, 160)}")
            click.echo(f"    {dim(escape(one.reason, 160))}")
    if most and missed:
        click.echo(f"\n{bold('Missed nuggets')} {_shown(len(missed), most)}")
        for nugget in missed[:most]:
            click.echo(f"  {escape(nugget.question)}: {escape(nugget.text, 160)}")
            click.echo(f"    {dim(escape(nugget.reason, 160))}")


def _shown(count: int, most: int) -> str:
    return f"({count:,})" if count <= most else f"({most} of {count:,}; --show N shows more)"


def parse_thresholds(texts: Iterable[str]) -> dict[str, float]:
    """Score to the least value of ``faithfulness=0.9`` texts. Raises click.UsageError."""
    found = {}
    for text in texts:
        match = _THRESHOLD.match(text)
        try:
            least = float(match["least"]) if match else -1.0
        except ValueError:
            least = -1.0
        if not match or not 0 <= least <= 1:
            raise click.UsageError(
                f"write --fail-under SCORE=0.9, a share from 0 to 1, not {text!r}"
            )
        found[match["key"]] = least
    return found


def below(report: Report, least: Mapping[str, float]) -> list[str]:
    """A sentence for each score that lies below its threshold or is unset.

    A metric's name stands for its first headline score. Raises click.UsageError for an unknown one.
    """
    lines = []
    for key, value in least.items():
        known = [name for name in report.scores if name == key or name.partition(".")[0] == key]
        if not known:
            raise click.UsageError(
                f"--fail-under: no score is called {key!r}; there are {', '.join(report.scores)}"
            )
        score = report.scores[known[0]].value
        if score is None:
            lines.append(f"{known[0]} is unset, so it does not reach {value}")
        elif score < value:
            lines.append(f"{known[0]} is {100 * score:.1f}, below {100 * value:.1f}")
    return lines
