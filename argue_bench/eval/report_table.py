"""A report as a table: for a terminal, for a notebook, and as a pandas DataFrame."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from argue_bench.errors import MissingExtra, UnknownName
from argue_bench.stats.clusters import number_clusters
from argue_bench.table import Table

if TYPE_CHECKING:
    from argue_bench.eval.report import Report, Score

Style = Callable[[str], str]
FrameKind = Literal["scores", "tallies", "sentences", "nuggets"]
MOST_FAILURES = 5
"""Failures that a report lists; of the others it gives the number."""
_HEAD = ("score", "value", "95 % interval", "n", "")


class MetricTable(NamedTuple):
    """The scores of one metric, a row each, and its signature."""

    metric: str
    table: Table
    signature: str
    hidden: int
    """Scores that are left out because they are not headline scores."""


def metric_tables(report: Report, all_scores: bool = False) -> Iterator[MetricTable]:
    """A table for each metric with its headline scores, or with every score."""
    for text, signature in report.signature.items():
        averages = report.averages(text)
        headline = () if all_scores else report.metric(text).headline
        names = [name for name in headline or averages if f"{text}.{name}" in report.scores]
        rows = [
            score_row(text, name, report.scores[f"{text}.{name}"], averages[name].unit)
            for name in names
        ]
        hidden = len(averages) - (len(names) if headline else len(averages))
        yield MetricTable(text, Table(_HEAD, rows, right=(1, 3)), str(signature), hidden)


def score_row(metric: str, name: str, score: Score, unit: str) -> tuple[str, ...]:
    """The cells of one score; shares are multiplied by 100."""

    def number(value: float) -> str:
        return f"{100 * value:.1f}" if unit == "share" else f"{value:,.1f}".removesuffix(".0")

    key = f"{metric.partition('(')[0]}.{name}"
    if score.value is None:
        reason = f"{score.failed} failed" if score.failed else "does not apply"
        return key, "-", "", counted(score), reason
    interval = ""
    if score.low is not None and score.high is not None:
        interval = f"{number(score.low)} to {number(score.high)}"
    left_out = f"{score.failed} left out" if score.failed else ""
    return key, number(score.value), interval, counted(score), left_out


def counted(score: Score) -> str:
    """The number of questions, and of the clusters that they form."""
    return f"{score.n} in {score.clusters}" if score.clusters else str(score.n)


def title(report: Report) -> str:
    """The system, the data set and the number of questions, and of the clusters that they form."""
    system = f"{report.system} on " if report.system else ""
    clusters = number_clusters(report.clusters.get(one, "") for one in report.per_question)
    within = f" in {int(clusters.max()) + 1} clusters" if clusters is not None else ""
    return f"{system}{report.dataset}, {report.n} questions{within}"


def score_lines(
    report: Report, all_scores: bool = False, *, bold: Style = str, dim: Style = str
) -> Iterator[str]:
    """The title, the tables with the signature under each, and the metrics that were not run."""
    yield bold(title(report))
    for one in metric_tables(report, all_scores):
        head, *rows = one.table.render().split("\n")
        yield from ("", dim(head), *rows, dim(one.signature))
    for text, reason in report.not_run.items():
        yield from ("", f"not run: {text}: {reason}")


def failure_lines(report: Report) -> Iterator[str]:
    """The number of judge requests and questions that failed, and the first of them."""
    if report.failures:
        yield ""
        yield f"{len(report.failures)} judge requests or questions failed; the first:"
        yield from (f"  {failure}" for failure in report.failures[:MOST_FAILURES])


def summary(report: Report) -> str:
    """One line with the headline score of each metric."""
    scores = [
        f"{row[0]} {row[1]}"
        for one in metric_tables(report)
        for row in one.table.rows[:1]  # a metric names its main score first
    ]
    return f"<Report: {title(report)}{': ' if scores else ''}{', '.join(scores)}>"


def to_html(report: Report) -> str:
    """The tables for a notebook. Every text is escaped: names and notes may come from strangers."""
    parts = [f"<p><strong>{escape(title(report))}</strong></p>"]
    for one in metric_tables(report):
        head = "".join(f"<th>{escape(cell)}</th>" for cell in one.table.head)
        rows = "".join(
            "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
            for row in one.table.rows
        )
        parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>")
        parts.append(f"<p><small>{escape(one.signature)}</small></p>")
    parts += [f"<p>not run: {escape(t)}: {escape(why)}</p>" for t, why in report.not_run.items()]
    if failures := [line.strip() for line in failure_lines(report) if line]:
        parts.append(f"<p>{'<br>'.join(map(escape, failures))}</p>")
    return f"<div>{''.join(parts)}</div>"


def to_pandas(report: Report, what: FrameKind = "scores") -> Any:
    """A DataFrame of scores, of tallies, or of the sentences or nuggets that fail."""
    try:
        import pandas
    except ImportError:
        raise MissingExtra("Report.to_pandas", "pandas") from None
    if what == "scores":
        rows = [
            (*key.rpartition(".")[::2], *vars(score).values())
            for key, score in report.scores.items()
        ]
        columns = ["metric", "score", "value", "low", "high", "n", "failed", "clusters"]
        return pandas.DataFrame(rows, columns=columns, index=list(report.scores))
    if what == "sentences":
        columns = ["question", "sentence", "text", "metric", "reason", "lack", "source"]
        return pandas.DataFrame(report.failed_sentences(), columns=columns)
    if what == "nuggets":
        columns = ["question", "nugget", "text", "metric", "reason"]
        return pandas.DataFrame(report.missed_nuggets(), columns=columns)
    if what != "tallies":
        raise UnknownName("table of a report", what, get_args(FrameKind))
    columns = ["question", "metric", "tally", "numerator", "denominator", "value", "note"]
    return pandas.DataFrame(
        [
            (question, text, name, tally.numerator, tally.denominator, tally.value, tally.note)
            for question, metrics in report.per_question.items()
            for text, tallies in metrics.items()
            for name, tally in (tallies or {}).items()
        ],
        columns=columns,
    )
