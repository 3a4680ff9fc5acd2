"""A report as a table: for a terminal, for a notebook, and as a pandas DataFrame."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from argue_bench.errors import MissingExtra, UnknownName
from argue_bench.stats.clusters import number_clusters
from argue_bench.table import Table

if TYPE_CHECKING:
    from argue_bench.eval.people.corrections import Correction
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
        # A short key may mean another metric, so that it has to be one of this one's too.
        names = [
            name
            for name in headline or averages
            if name in averages and f"{text}.{name}" in report.scores
        ]
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

    key = _short(metric, name)
    if score.value is None:
        reason = f"{score.failed} failed" if score.failed else "does not apply"
        return key, "-", "", questions_of(score), reason
    interval = ""
    if score.low is not None and score.high is not None:
        interval = f"{number(score.low)} to {number(score.high)}"
    left_out = f"{score.failed} left out" if score.failed else ""
    return key, number(score.value), interval, questions_of(score), left_out


def _is_headline(report: Report, key: str) -> bool:
    text, _, name = key.rpartition(".")
    return name in (report.metric(text).headline or (name,))


def _short(metric: str, name: str) -> str:
    """The key of a score without the options of its metric."""
    return f"{metric.partition('(')[0]}.{name}"


def questions_of(score: Score) -> str:
    """The number of questions, and of the clusters that they form."""
    return f"{score.n} in {score.clusters}" if score.clusters else str(score.n)


def correction_table(report: Report) -> Table | None:
    """The scores that people's labels correct, a row each; None where there are none."""
    rows = []
    for key, one in report.corrected.items():
        text, _, name = key.rpartition(".")
        if _is_headline(report, key):
            rows.append(correction_row(_short(text, name), report.scores[key].value, one))
    return Table(CORRECTED, rows, right=range(1, 7)) if rows else None


CORRECTED = ("corrected", "judge", "value", "95 % interval", "judge bias", "labelled", "halved by")


def correction_row(name: str, judged: float | None, one: Correction) -> tuple[str, ...]:
    """The cells of one corrected score; shares are multiplied by 100."""

    def number(value: float | None, sign: str = "") -> str:
        if value is None:
            return "-"
        return f"{100 * value if one.unit == 'share' else value:{sign}.1f}"

    bias = number(one.bias, "+")
    if one.bias_low is not None:
        bias += f" ({number(one.bias_low, '+')} to {number(one.bias_high, '+')})"
    interval = "-" if one.low is None else f"{number(one.low)} to {number(one.high)}"
    labelled = (
        f"{one.labelled} of {one.n}" if one.method != "calibration" else f"{one.labelled} other"
    )
    within = f" in {one.clusters}" if one.clusters else ""
    halved = "-"
    if one.halved_by is not None:
        halved = f"{one.halved_by:,} labels"
    elif one.low is not None and one.method != "calibration" and not one.clusters:
        halved = "more questions"
    return name, number(judged), number(one.value), interval, bias, f"{labelled}{within}", halved


METHODS = {
    "mean": "prediction-powered inference (PPI++), t interval: a mean, labels of this run",
    "bootstrap": "prediction-powered bootstrap: no plain mean, or clusters, labels of this run",
    "calibration": "sensitivity and specificity (arXiv 2511.21140): labels of other texts, so the "
    "judge is taken to err on this run as often as on them",
}
"""Which method applied, and why."""


def correction_lines(report: Report, *, dim: Style = str) -> Iterator[str]:
    """The corrected scores with the method and the labels used, and which labels are missing."""
    table = correction_table(report)
    if table is not None:
        head, *rows = table.render().split("\n")
        yield from ("", dim(head), *rows)
        used = dict.fromkeys(
            one.method for one in report.corrected.values() if one.value is not None
        )
        yield from (dim(f"{METHODS[method]}.") for method in used)
    yield from correction_notes(report)


def correction_notes(report: Report) -> Iterator[str]:
    """Why scores are not corrected or have no interval, and what the labels lack."""
    found = report.corrected
    if (found or report.remarks) and all(one.value is None for one in found.values()):
        yield "No score is corrected by these labels."
    main = {key: one for key, one in found.items() if _is_headline(report, key)}
    yield from correction_reasons(main or found)
    yield from (f"labels: {remark}." for remark in report.remarks)


def correction_reasons(corrected: Mapping[str, Correction]) -> Iterator[str]:
    """Why scores are not corrected or have no interval, each reason once."""
    reasons: dict[str, list[str]] = {}
    for key, one in corrected.items():
        if one.reason:
            reasons.setdefault(one.reason, []).append(_short(*key.rpartition(".")[::2]))
    yield from (f"{', '.join(keys)}: {why}." for why, keys in reasons.items())


def title(report: Report) -> str:
    """The system, the data set and the number of questions, and of the clusters that they form."""
    system = f"{report.system} on " if report.system else ""
    clusters = number_clusters(report.clusters.get(one, "") for one in report.per_question)
    within = f" in {int(clusters.max()) + 1} clusters" if clusters is not None else ""
    return f"{system}{report.dataset}, {report.n} question{'s' * (report.n != 1)}{within}"


def score_lines(
    report: Report, all_scores: bool = False, *, bold: Style = str, dim: Style = str
) -> Iterator[str]:
    """The title, the tables with the signature under each, and the metrics that were not run."""
    yield bold(title(report))
    for one in metric_tables(report, all_scores):
        head, *rows = one.table.render().split("\n")
        yield from ("", dim(head), *rows, dim(one.signature))
    yield from correction_lines(report, dim=dim)
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
        parts.append(_html_table(one.table))
        parts.append(f"<p><small>{escape(one.signature)}</small></p>")
    if (corrected := correction_table(report)) is not None:
        parts.append(_html_table(corrected))
    parts += [f"<p>{escape(line)}</p>" for line in correction_notes(report)]
    parts += [f"<p>not run: {escape(t)}: {escape(why)}</p>" for t, why in report.not_run.items()]
    if failures := [line.strip() for line in failure_lines(report) if line]:
        parts.append(f"<p>{'<br>'.join(map(escape, failures))}</p>")
    return f"<div>{''.join(parts)}</div>"


def _html_table(table: Table) -> str:
    head = "".join(f"<th>{escape(cell)}</th>" for cell in table.head)
    rows = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in table.rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"


def pandas_of(asked_by: str) -> Any:
    """The module pandas. Raises MissingExtra, naming what asked for it."""
    try:
        import pandas
    except ImportError:
        raise MissingExtra(asked_by, "pandas") from None
    return pandas


def score_table(report: Report, all_scores: bool = False) -> Table:
    """The scores of every metric in one table, with the signatures below."""
    tables = list(metric_tables(report, all_scores))
    rows = [row for one in tables for row in one.table.rows]
    head = ("score", "value", "95 % interval", "n", "note")
    noted = len(head) if any(row[-1] for row in rows) else len(head) - 1
    return Table(
        head[:noted],
        [row[:noted] for row in rows],
        right=(1, 3),
        notes=[one.signature for one in tables],
    )


def to_pandas(report: Report, what: FrameKind = "scores") -> Any:
    """A DataFrame of scores, of tallies, or of the sentences or nuggets that fail."""
    pandas = pandas_of("Report.to_pandas")
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


def plot(report: Report, path: str | Path | None = None) -> Any:
    """The headline scores that are shares, times 100, with 95 % intervals. Raises MissingExtra, UsageError."""
    from argue_bench.stats.figures import Row, score_figure

    names: list[str] = []
    rows: list[Row] = []
    for text in report.signature:
        averages = report.averages(text)
        for name in report.metric(text).headline or averages:
            score = report.scores.get(f"{text}.{name}")
            if score is None or score.value is None or averages[name].unit != "share":
                continue
            low, high = (None if end is None else 100 * end for end in (score.low, score.high))
            names.append(f"{text.partition('(')[0]}.{name} (n = {score.n})")
            rows.append((100 * score.value, low, high))
    return score_figure(names, rows, title(report), path)
