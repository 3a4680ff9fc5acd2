"""From tallies to scores, and the Report that `evaluate` returns, with its tables.

Scores are shares of 1 (tables show them x100). A score that was not counted is None, with the reason
in ``failures`` or ``not_run``; it is never 0.
"""

from __future__ import annotations

from collections import Counter, UserDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from html import escape
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from argue_bench.errors import UnknownName, needing
from argue_bench.eval.flags import (
    Warranty,
    corrected_by_labels,
    flag_lines,
    warranty_of,
    why_unset,
)
from argue_bench.eval.signature import MOST_LEFT_OUT, Signature
from argue_bench.metrics.base import Metric, Tallies, tallies_to_json
from argue_bench.records import MarkCount, Miss, NotJudged
from argue_bench.records.table import Table, points
from argue_bench.stats.averages import Average, columns_of, value_of
from argue_bench.stats.bootstrap import (
    RESAMPLES,
    Groups,
    count_units,
    intervals_together,
    number_groups,
    standard_error,
    units_of,
)

Style = Callable[[str], str]
FrameKind = Literal["scores", "tallies", "sentences", "nuggets"]
# Failures that a report lists; of the others it gives the number.
MOST_FAILURES = 5


@dataclass(frozen=True)
class Score:
    """One score. ``low`` and ``high`` bound its 95 % interval; ``n`` counts the questions in it.

    ``groups`` counts the groups of these questions, 0 where each stands alone. ``failed`` and ``not_judged``
    count questions that are not in it, the latter since nobody can read them (`NotJudged`).
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    failed: int = 0
    groups: int = 0
    not_judged: int = 0

    @property
    def as_failed(self) -> Score:
        """The score where what nobody judged has failed, as on a board: unset, if there is any such question."""
        if not self.not_judged:
            return self
        return Score(None, n=self.n, failed=self.failed + self.not_judged, groups=self.groups)


class Scores(UserDict[str, Score]):
    """Scores by ``<metric text>.<score>``; the short form (``argue.f1``) does where unambiguous, and so does the
    metric (``argue``) for its first score, the main one.
    """

    def __missing__(self, key: str) -> Score:
        return self.data[self.full(key)]

    def full(self, key: str) -> str:
        """The full key that a short one means. Raises UnknownName, also where two could be meant."""
        meant = [key] if key in self.data else self._meant(key)
        if len(meant) != 1:
            metrics = dict.fromkeys(name.partition("(")[0].partition(".")[0] for name in self.data)
            raise UnknownName("score", key, meant or (*self.data, *metrics))
        return meant[0]

    def __contains__(self, key: object) -> bool:
        # Without the error of `full`, which takes long to say what was meant.
        return key in self.data or (isinstance(key, str) and len(self._meant(key)) == 1)

    def _meant(self, key: str) -> list[str]:
        firsts = {full.rpartition(".")[0]: full for full in reversed(self.data)}
        return [full for full in self.data if short_key(full) == key] or [
            full for text, full in firsts.items() if key in (text, text.partition("(")[0])
        ]


def short_key(full: str) -> str:
    """``argue(rules=auto-argue).f1`` is ``argue.f1`` for short."""
    metric, _, score = full.rpartition(".")
    return f"{metric.partition('(')[0]}.{score}"


class FailedSentence(NamedTuple):
    """A sentence that a metric scored and that lacks support; ``number`` counts from 1.

    ``text`` is what stands in the answer from ``start`` to ``end``, in characters.

    ``lack`` is its class: "another source" (``source`` names it), "contradicted", "partly", "missing"
    (it cites only what is not there), "nothing", "uncited"; empty where the metric does not tell. ``flag`` is
    the judge's class and ``probability`` how often such flags are right, None where nobody measured it.
    """

    question: str
    number: int
    text: str
    metric: str
    reason: str
    lack: str = ""
    source: str = ""
    start: int = 0
    end: int = 0
    flag: str = ""
    probability: float | None = None


class MissedNugget(NamedTuple):
    """A nugget that an answer does not cover; ``text`` is the nugget's question."""

    question: str
    nugget: str
    text: str
    metric: str
    reason: str


@dataclass(frozen=True, repr=False)
class Report:
    """The result of an evaluation: scores, what they were counted from, and what was not counted."""

    dataset: str
    system: str
    n: int
    scores: Scores
    signature: Mapping[str, Signature]
    """By metric text."""
    per_question: Mapping[str, Mapping[str, Tallies | None]]
    """Question id to metric text to tallies; None where the metric failed on it, `NotJudged` where nobody
    judged it."""
    failures: tuple[str, ...] = ()
    not_run: Mapping[str, str] = field(default_factory=dict)
    """Metric text to the reason, with the line that turns it on."""
    cost: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Judge name to what it was asked and what that cost."""
    remarks: tuple[str, ...] = ()
    """Where a judge gave nearly always the same verdict, in words."""
    metrics: Mapping[str, Metric] = field(default_factory=dict, repr=False, compare=False)
    """By text: the metrics that made the report, which know the averages of its scores."""
    groups: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Question id to its cluster, of questions that have one."""
    corrected: Mapping[str, Any] = field(default_factory=dict)
    """By full key: scores corrected by what people said of some questions (``lab``), each with ``value``,
    ``low``, ``high``, and a ``note`` that says how it was corrected, or why it was not."""
    marks: Mapping[str, MarkCount] = field(default_factory=dict, repr=False, compare=False)
    """By form, such as "[1]": how many citation marks were read, and how many of them name no source."""
    unstated: float = field(default=0.0, repr=False, compare=False)
    """The share of the answers' words that state nothing: headings, labels, courtesies."""
    pairing: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)
    """Question id to what it is paired by, of own rows (`Question.pairing`)."""
    task: str = ""
    """What the answers are, as `run.task_of_set` tells it."""

    def resampled(self, resamples: int = RESAMPLES) -> Report:
        """The same report with 95 % intervals that rest on so many bootstrap resamples; 0 for none."""
        rows = [
            (self.metric(text), [row.get(text) for row in self.per_question.values()])
            for text in next(iter(self.per_question.values()), {})
        ]
        # Without the ends of before, for a score may have lost its interval.
        bare = {key: replace(one, low=None, high=None) for key, one in self.scores.items()}
        if resamples and rows and self.n > 1:  # one question has no interval
            bare = _with_intervals(bare, rows, resamples, self._groups)
        return replace(self, scores=Scores(bare))

    @property
    def _groups(self) -> Groups | None:
        return number_groups(self.groups.get(one, "") for one in self.per_question)

    def metric(self, text: str) -> Metric:
        """The metric of this text. Raises UnknownName where it is neither kept nor known."""
        from argue_bench.metrics import parse

        return self.metrics[text] if text in self.metrics else parse(text)

    def averages(self, text: str) -> Mapping[str, Average]:
        """The averages that made the scores of the metric of this text, by score name."""
        names = [key.rpartition(".")[2] for key in self.scores if key.rpartition(".")[0] == text]
        return self.metric(text).averages(names)

    def __str__(self) -> str:
        """The table that the command line prints: headline scores, signatures, failures."""
        return "\n".join([*score_lines(self), *failure_lines(self)])

    def __repr__(self) -> str:
        # A metric names its main score first.
        first = [row for one in metric_tables(self) for row in one.table.rows[:1]]
        scores = [f"{row[0]} {row[1]}" for row in first]
        return f"<Report: {title(self)}{': ' if scores else ''}{', '.join(scores)}>"

    def _repr_html_(self) -> str:
        """The table for a notebook. Every text is escaped: names and notes may come from strangers."""
        text = "\n".join([str(self), "", *flag_lines(self)]).rstrip()
        return f"<pre>{escape(text)}</pre>"

    def to_pandas(self, what: FrameKind = "scores") -> Any:
        """A DataFrame with a row for each score (value, 95 % interval, n), by full key.

        "tallies" gives a row for each tally of each question, "sentences" and "nuggets" one for each
        that fails, with the reason. Raises MissingExtra, and UnknownName for another word.
        """
        pandas = pandas_of("Report.to_pandas")
        rows: Iterable[tuple[Any, ...]]
        if what == "scores":
            rows = [
                (*k.rpartition(".")[::2], *vars(one).values()) for k, one in self.scores.items()
            ]
            columns = ["metric", "score", *Score.__dataclass_fields__]
            return pandas.DataFrame(rows, columns=columns, index=list(self.scores))
        if what == "sentences":
            rows = self.failed_sentences()
            columns = ["question", "sentence", *FailedSentence._fields[2:]]
        elif what == "nuggets":
            rows, columns = self.missed_nuggets(), list(MissedNugget._fields)
        elif what == "tallies":
            columns = ["question", "metric", "tally", "numerator", "denominator", "value", "note"]
            rows = [
                (question, text, name, tally.numerator, tally.denominator, tally.value, tally.note)
                for question, metrics in self.per_question.items()
                for text, tallies in metrics.items()
                for name, tally in (tallies or {}).items()
            ]
        else:
            raise UnknownName("table of a report", what, get_args(FrameKind))
        return pandas.DataFrame(rows, columns=columns)

    def to_latex(self, all_scores: bool = False) -> str:
        """The scores as a LaTeX table (booktabs), with the signatures below."""
        return score_table(self, all_scores).to_latex()

    def bibtex(self) -> str:
        """BibTeX of the papers whose metrics the report has, and of argue-bench."""
        from argue_bench.metrics.papers import cited_papers, paper_bibtex, software_bibtex

        found = cited_papers(self.metric(text) for text in self.signature)
        return "\n\n".join([*map(paper_bibtex, found), software_bibtex()])

    def scores_of(self, question: str) -> dict[str, float]:
        """The scores that apply to one question alone, by full key."""
        return {
            key: score.value
            for text, tallies in self.per_question[question].items()
            for key, score in score_all(self.metric(text), [tallies]).items()
            if score.value is not None
        }

    def failed_sentences(self, metric: str = "") -> list[FailedSentence]:
        """The sentences that lack support, question by question, of every metric or one.

        ``metric`` is the text or the name of a metric that judges sentences, such as ``faithfulness``,
        ``support``, ``citations`` or ``argue``.
        Raises UnknownName for a metric that was not run.
        """
        return [
            FailedSentence(question, int(miss.id), miss.text, text, *miss[3:])
            for question, text, miss in self._misses("sentence", metric)
        ]

    def missed_nuggets(self, metric: str = "") -> list[MissedNugget]:
        """The nuggets that answers do not cover, question by question, of every metric or one.

        Metrics that count nuggets: ``argue`` and ``nuggets``. Raises UnknownName as above.
        """
        return [
            MissedNugget(question, miss.id, miss.text, text, miss.reason)
            for question, text, miss in self._misses("nugget", metric)
        ]

    def _misses(self, kind: str, metric: str) -> Iterator[tuple[str, str, Miss]]:
        texts = [t for t in self.signature if metric in ("", t, t.partition("(")[0])]
        if metric and not texts:
            raise UnknownName("metric of this report", metric, tuple(self.signature))
        for question, metrics in self.per_question.items():
            for text in texts:
                for tally in (metrics.get(text) or {}).values():
                    yield from ((question, text, m) for m in tally.misses if m.kind == kind)

    @property
    def warranty(self) -> Warranty | None:
        """How often flags like these were right on people's labels; None where no metric flags sentences."""
        return warranty_of(self)

    def value(self, key: str) -> float | None:
        return self.scores[key].value

    def standard_error(self, key: str) -> float | None:
        """The standard error of a score, over the questions to which it applies.

        None where the score is unset, has no tallies or applies to fewer than two questions or groups.
        Raises UnknownName.
        """
        text, _, name = self.scores.full(key).rpartition(".")
        if self.value(key) is None or not self.per_question:
            return None
        columns = columns_of(row.get(text) for row in self.per_question.values())
        average = self.averages(text)[name]
        if any(column not in columns for column in average.columns_read):
            return None
        return standard_error(average, columns, self._groups)

    def to_dict(self) -> dict[str, Any]:
        """The whole report as plain data, ready for JSON."""
        return {
            "dataset": self.dataset,
            "system": self.system,
            "n": self.n,
            "scores": {
                key: asdict(score) | ({"why": why_unset(self, key)} if score.value is None else {})
                for key, score in self.scores.items()
            },
            "signature": {text: dict(signature) for text, signature in self.signature.items()},
            "not_run": dict(self.not_run),
            "not_judged": dict(not_judged(self)),
            "failures": list(self.failures),
            "marks": {form: one._asdict() for form, one in self.marks.items()},
            "unstated": self.unstated,
            "cost": {name: dict(cost) for name, cost in self.cost.items()},
            **({"remarks": list(self.remarks)} if self.remarks else {}),
            "per_question": {
                question: {
                    text: None if tallies is None else tallies_to_json(tallies)
                    for text, tallies in metrics.items()
                }
                for question, metrics in self.per_question.items()
            },
            **({"clusters": dict(self.groups)} if self.groups else {}),
            "task": self.task,
            "warranty": None if self.warranty is None else asdict(self.warranty),
            "corrected": {key: vars(one) for key, one in corrected_scores(self).items()},
        }


def score_all(
    metric: Metric,
    rows: Iterable[Tallies | None],
    on_failure: str = "refuse",
    most_left_out: float = MOST_LEFT_OUT,
    groups: Groups | None = None,
) -> dict[str, Score]:
    """Every score of one metric from its tallies, by full key, without intervals.

    A failed question (None) leaves its scores unset; ``on_failure="leave-out"`` leaves the question
    out instead, as long as not more than ``most_left_out`` of all questions failed.
    """
    rows = list(rows)
    failed = sum(row is None for row in rows)
    unread = sum(isinstance(row, NotJudged) for row in rows)
    columns = columns_of(rows)
    tolerated = on_failure == "leave-out" and failed <= most_left_out * len(rows)
    averages = {f"{metric}.{name}": one for name, one in metric.averages(columns).items()}
    scores: dict[str, Score] = {}
    for key, average in averages.items():
        read = [columns[name] for name in average.columns_read if name in columns]
        n = units = 0
        if len(read) == len(average.columns_read):
            # To how many questions, and groups, the score applies.
            applies = np.logical_or.reduce([one.denominator != 0 for one in read])
            n = int(np.count_nonzero(applies))
            units = int(units_of(groups, applies)) if groups is not None else 0
        # A score that rests on nothing, or not on all questions, is unset and never 0.
        unset = (failed and not tolerated) or n == 0
        value = None if unset else value_of(average, columns)
        scores[key] = Score(value, n=n, failed=failed, groups=units, not_judged=unread)
    return scores


def _with_intervals(
    scores: Mapping[str, Score],
    rows: Sequence[tuple[Metric, Sequence[Tallies | None]]],
    resamples: int,
    groups: Groups | None = None,
) -> dict[str, Score]:
    """The scores with 95 % intervals_together, by the tallies of each metric.

    All metrics have the same questions, so their scores share one draw of resamples.
    """
    found = dict(scores)
    families = []
    for metric, tallies in rows:
        text, columns = str(metric), columns_of(tallies)
        averages = {f"{text}.{name}": one for name, one in metric.averages(columns).items()}
        wanted = {
            key: one
            for key, one in averages.items()
            if one.resampled and scores[key].value is not None
        }
        # Only the columns that are read are resampled: argue has many that no headline needs.
        read = {name for one in wanted.values() for name in one.columns_read}
        families.append((wanted, {name: columns[name] for name in columns if name in read}))
    for family in intervals_together(families, groups=groups, resamples=resamples):
        for key, bounds in family.items():
            if bounds is not None:
                found[key] = replace(found[key], low=bounds[0], high=bounds[1])
    return found


_HEAD = ("score", "value", "95 % interval", "n", "")
# A corrected score whose interval is wider says nothing, so it is not printed.
_WIDEST = 0.9


class MetricTable(NamedTuple):
    """The scores of one metric, a row each, and its signature."""

    table: Table
    signature: str
    # Scores that are left out because they are not headline scores.
    hidden: int


def corrected_scores(report: Report) -> dict[str, Any]:
    """The corrected scores by full key: by people's labels of these answers, else by those of answers like them."""
    return {**corrected_by_labels(report), **report.corrected}


def metric_tables(report: Report, all_scores: bool = False) -> Iterator[MetricTable]:
    """A table for each metric with its headline scores, or with every score."""
    corrected = corrected_scores(report)
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
            _score_row(report, key, averages[name].unit, corrected.get(key))
            for name in names
            for key in [f"{text}.{name}"]
        ]
        hidden = len(averages) - (len(names) if headline else len(averages))
        yield MetricTable(Table(_HEAD, rows, right=(1, 3)), str(signature), hidden)


def _score_row(report: Report, key: str, unit: str, corrected: Any) -> tuple[str, ...]:
    """The cells of one score; shares are multiplied by 100."""
    score = report.scores[key]
    if score.value is None:
        notes = [why_unset(report, key)]
    else:
        notes = [
            f"{count} {word}"
            for count, word in ((score.failed, "left out"), (score.not_judged, "not judged"))
            if count
        ]
    shown = score
    if corrected is not None:
        ends = _interval(corrected.low, corrected.high, unit)
        told = corrected.note + (f": {_number(corrected.value, unit)} ({ends})" if ends else "")
        if ends and corrected.high - corrected.low > _WIDEST:
            told = "too few answers to correct the score for the judge's errors"
        elif ends and key in report.corrected:
            # Labels of these very answers make the headline; those of answers like them stay a note.
            shown, told = (
                corrected,
                f"corrected by people, {corrected.note}; the judge alone {_number(score.value, unit)}",
            )
        notes.append(told)
    return (
        short_key(key),
        _number(shown.value, unit),
        _interval(shown.low, shown.high, unit),
        f"{score.n} in {score.groups}" if score.groups else str(score.n),
        ", ".join(notes),
    )


def _number(value: float | None, unit: str) -> str:
    return points(value) if value is None or unit == "share" else f"{value:,.1f}".removesuffix(".0")


def _interval(low: float | None, high: float | None, unit: str) -> str:
    """Both ends in words; empty where one is not known."""
    return "" if None in (low, high) else f"{_number(low, unit)} to {_number(high, unit)}"


def title(report: Report) -> str:
    """The system, the data set and the number of questions, and of the groups that they form."""
    system = f"{report.system} on " if report.system else ""
    groups = report._groups
    within = f" in {count_units(report.n, groups)} groups" if groups is not None else ""
    return f"{system}{report.dataset}, {report.n} question{'s' * (report.n != 1)}{within}"


def score_lines(
    report: Report, all_scores: bool = False, *, bold: Style = str, dim: Style = str
) -> Iterator[str]:
    """The title, the tables with the signature under each, and the metrics that were not run."""
    yield bold(title(report))
    if report.warranty is not None:
        yield report.warranty.text
    for one in metric_tables(report, all_scores):
        head, *rows = one.table.render().split("\n")
        yield from ("", dim(head), *rows, dim(one.signature))
    for text, reason in report.not_run.items():
        yield from ("", f"not run: {text}: {reason}")


def not_judged(report: Report) -> Counter[str]:
    """By reason: how many questions nobody judged, by one metric or several."""
    return Counter(
        reason
        for metrics in report.per_question.values()
        for reason in {one.reason for one in metrics.values() if isinstance(one, NotJudged)}
    )


def failure_lines(report: Report) -> Iterator[str]:
    """How many questions nobody judged and why, and how many requests failed, with the first of them."""
    for reason, count in not_judged(report).items():
        yield from ("", f"{count} of {report.n} questions not judged: {reason}")
    if report.failures:
        yield ""
        yield f"{len(report.failures)} judge requests or questions failed; the first:"
        yield from (f"  {failure}" for failure in report.failures[:MOST_FAILURES])
    yield from (f"\n{remark}" for remark in report.remarks)


def pandas_of(asked_by: str) -> Any:
    """The module pandas. Raises MissingExtra, naming what asked for it."""
    with needing(asked_by, "pandas"):
        import pandas
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
        notes=[
            *(one.signature for one in tables),
            *([report.warranty.text] if report.warranty else []),
        ],
    )
