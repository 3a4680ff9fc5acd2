"""From tallies to scores: the Report that `evaluate` returns.

Scores are shares of 1 (pages show them x100). A score that was not counted is None, with the reason
in ``failures`` or ``not_run``; it is never 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from argue_bench.errors import UnknownName
from argue_bench.eval.signature import MOST_LEFT_OUT, Signature
from argue_bench.metrics.base import Metric, Tallies, tallies_to_json
from argue_bench.records import Miss
from argue_bench.stats.averages import Average, columns_of, value_of
from argue_bench.stats.clusters import Clusters, number_clusters, units_of

if TYPE_CHECKING:
    from argue_bench.eval.people.corrections import Correction


@dataclass(frozen=True)
class Score:
    """One score. ``low`` and ``high`` bound its 95 % interval; ``n`` counts the questions in it.

    ``clusters`` counts the clusters of these questions, 0 where each stands alone.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    n: int = 0
    failed: int = 0
    clusters: int = 0


class Scores(Mapping[str, Score]):
    """Scores by ``<metric text>.<score>``; the short form (``argue.f1``) does where unambiguous."""

    def __init__(self, scores: Mapping[str, Score]) -> None:
        self._scores = dict(scores)

    def __getitem__(self, key: str) -> Score:
        return self._scores[self.full(key)]

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def __repr__(self) -> str:
        return f"Scores({self._scores})"

    def full(self, key: str) -> str:
        """The full key that a short one means. Raises UnknownName, also where two could be meant."""
        if key in self._scores:
            return key
        meant = self._meant(key)
        if len(meant) == 1:
            return meant[0]
        raise UnknownName("score", key, meant or tuple(self._scores))

    def __contains__(self, key: object) -> bool:
        # Without the error of `full`, which takes long to say what was meant.
        return key in self._scores or (isinstance(key, str) and len(self._meant(key)) == 1)

    def _meant(self, key: str) -> list[str]:
        return [full for full in self._scores if short_key(full) == key]


def short_key(full: str) -> str:
    """``argue(rules=auto-argue).f1`` is ``argue.f1`` for short."""
    metric, _, score = full.rpartition(".")
    return f"{metric.partition('(')[0]}.{score}"


class FailedSentence(NamedTuple):
    """A sentence that a metric scored and that lacks support; ``number`` counts from 1.

    ``lack`` is its class: "another source" (``source`` names it), "contradicted", "partly", "missing"
    (it cites only what is not there), "nothing", "uncited"; empty where the metric does not tell.
    """

    question: str
    number: int
    text: str
    metric: str
    reason: str
    lack: str = ""
    source: str = ""


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
    """Question id to metric text to tallies; None where the metric failed on it."""
    failures: tuple[str, ...] = ()
    not_run: Mapping[str, str] = field(default_factory=dict)
    """Metric text to the reason, with the line that turns it on."""
    cost: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Judge name to what it was asked and what that cost."""
    metrics: Mapping[str, Metric] = field(default_factory=dict, repr=False, compare=False)
    """By text: the metrics that made the report, which know the averages of its scores."""
    clusters: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Question id to its cluster, of questions that have one."""
    people: Mapping[str, Mapping[str, Tallies]] = field(default_factory=dict, repr=False)
    """Question id to metric text to the tallies under people's verdicts, of labelled questions."""
    corrected: Mapping[str, Correction] = field(default_factory=dict)
    """By full key: scores corrected by what people said of some questions."""
    remarks: tuple[str, ...] = ()
    """What is to be known of the labels: which are of no use, and what they still allow."""
    pairing: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False, compare=False)
    """Question id to what it is paired by, of own rows (`Question.pairing`)."""

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
        from argue_bench.eval.report_table import failure_lines, score_lines

        return "\n".join([*score_lines(self), *failure_lines(self)])

    def __repr__(self) -> str:
        from argue_bench.eval.report_table import summary

        return summary(self)

    def _repr_html_(self) -> str:
        from argue_bench.eval.report_table import to_html

        return to_html(self)

    def to_pandas(
        self, what: Literal["scores", "tallies", "sentences", "nuggets"] = "scores"
    ) -> Any:
        """A DataFrame with a row for each score (value, 95 % interval, n), by full key.

        "tallies" gives a row for each tally of each question, "sentences" and "nuggets" one for each
        that fails, with the reason. Raises MissingExtra, and UnknownName for another word.
        """
        from argue_bench.eval.report_table import to_pandas

        return to_pandas(self, what)

    def to_latex(self, all_scores: bool = False) -> str:
        """The scores as a LaTeX table (booktabs), with the signatures below."""
        from argue_bench.eval.report_table import score_table

        return score_table(self, all_scores).to_latex()

    def plot(self, path: str | Path | None = None) -> Any:
        """The headline scores with intervals, as a matplotlib figure; written where ``path`` is given.

        Raises MissingExtra, and UsageError where it cannot be written.
        """
        from argue_bench.eval.report_table import plot

        return plot(self, path)

    def bibtex(self) -> str:
        """BibTeX of the papers whose metrics the report has, and of argue-bench."""
        from argue_bench.metrics.papers import cited_papers, paper_bibtex, software_bibtex

        found = cited_papers(self.metric(text) for text in self.signature)
        return "\n\n".join([*map(paper_bibtex, found), software_bibtex()])

    def failed_sentences(self, metric: str = "") -> list[FailedSentence]:
        """The sentences that lack support, question by question, of every metric or one.

        ``metric`` is the text or the name of a metric that judges sentences, such as ``faithfulness``,
        ``support``, ``citations`` or ``argue``.
        Raises UnknownName for a metric that was not run.
        """
        return [
            FailedSentence(
                question, int(miss.id), miss.text, text, miss.reason, miss.lack, miss.source
            )
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

    def value(self, key: str) -> float | None:
        return self.scores[key].value

    def standard_error(self, key: str) -> float | None:
        """The standard error of a score, over the questions to which it applies.

        None where the score is unset, has no tallies or applies to fewer than two questions or clusters.
        Raises UnknownName.
        """
        from argue_bench.stats.bootstrap import standard_error

        text, _, name = self.scores.full(key).rpartition(".")
        if self.value(key) is None or not self.per_question:
            return None
        columns = columns_of(row.get(text) for row in self.per_question.values())
        average = self.averages(text)[name]
        if any(column not in columns for column in average.columns_read):
            return None
        names = (self.clusters.get(question, "") for question in self.per_question)
        return standard_error(average, columns, number_clusters(names))

    def to_dict(self) -> dict[str, Any]:
        """The whole report as plain data, ready for JSON."""
        return {
            "dataset": self.dataset,
            "system": self.system,
            "n": self.n,
            "scores": {key: asdict(score) for key, score in self.scores.items()},
            "signature": {text: dict(signature) for text, signature in self.signature.items()},
            "not_run": dict(self.not_run),
            "failures": list(self.failures),
            "cost": {name: dict(cost) for name, cost in self.cost.items()},
            "per_question": {
                question: {
                    text: None if tallies is None else tallies_to_json(tallies)
                    for text, tallies in metrics.items()
                }
                for question, metrics in self.per_question.items()
            },
            **({"clusters": dict(self.clusters)} if self.clusters else {}),
            **({"remarks": list(self.remarks)} if self.remarks else {}),
            **(
                {"corrected": {key: asdict(one) for key, one in self.corrected.items()}}
                if self.corrected
                else {}
            ),
        }


def score_all(
    metric: Metric,
    rows: Iterable[Tallies | None],
    on_failure: str = "refuse",
    most_left_out: float = MOST_LEFT_OUT,
    clusters: Clusters | None = None,
) -> dict[str, Score]:
    """Every score of one metric from its tallies, by full key, without intervals.

    A failed question (None) leaves its scores unset; ``on_failure="leave-out"`` leaves the question
    out instead, as long as not more than ``most_left_out`` of all questions failed.
    """
    rows = list(rows)
    failed = sum(row is None for row in rows)
    columns = columns_of(rows)
    tolerated = on_failure == "leave-out" and failed <= most_left_out * len(rows)
    text = str(metric)
    averages = {f"{text}.{name}": one for name, one in metric.averages(columns).items()}
    scores: dict[str, Score] = {}
    for key, average in averages.items():
        read = [columns[name] for name in average.columns_read if name in columns]
        n = units = 0
        if len(read) == len(average.columns_read):
            # To how many questions, and clusters, the score applies.
            applies = np.logical_or.reduce([one.denominator != 0 for one in read])
            n = int(np.count_nonzero(applies))
            units = int(units_of(clusters, applies)) if clusters is not None else 0
        unset = (failed and not tolerated) or n == 0
        value = None if unset else value_of(average, columns)
        scores[key] = Score(value, n=n, failed=failed, clusters=units)
    return scores


def with_intervals(
    scores: Mapping[str, Score],
    rows: Sequence[tuple[Metric, Sequence[Tallies | None]]],
    resamples: int,
    clusters: Clusters | None = None,
) -> dict[str, Score]:
    """The scores with 95 % intervals, by the tallies of each metric.

    All metrics have the same questions, so their scores share one draw of resamples.
    """
    from argue_bench.stats.bootstrap import intervals_together

    found = dict(scores)
    groups = []
    for metric, tallies in rows:
        text, columns = str(metric), columns_of(tallies)
        averages = {f"{text}.{name}": one for name, one in metric.averages(columns).items()}
        wanted = {
            key: one
            for key, one in averages.items()
            if one.resampled and scores[key].value is not None
        }
        read = {name for one in wanted.values() for name in one.columns_read}
        groups.append((wanted, {name: columns[name] for name in columns if name in read}))
    for group in intervals_together(groups, clusters=clusters, resamples=resamples):
        for key, bounds in group.items():
            if bounds is not None:
                found[key] = replace(found[key], low=bounds[0], high=bounds[1])
    return found
