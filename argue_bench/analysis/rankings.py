"""How far does a judge's leaderboard agree with the truth's, as an order of systems?

A system's score is the mean over its topics, recomputed from the topics unless told otherwise: a
file's own aggregates need not be the mean of its topics. The truth's runs and the judge's are laid
side by side by name; what is missing on one side is settled by an explicit policy.

    error     every missing run and topic is told, and nothing is computed
    warn      as skip, and told
    skip      a run that one side lacks is left out; a mean is over the topics that the run has
    default   a run that the judge lacks counts 0 there; one that the truth lacks is left out

``like="autojudge"`` keeps two traps of autojudge-evaluate: an @k method in the list makes all methods
use shared runs only (and so disarms the policy), and aggregates in a file are believed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Literal

import numpy as np

from argue_bench.analysis.score_table import ScoreTable
from argue_bench.errors import Code, DataError, Finding, UnknownName
from argue_bench.stats.correlation import METHODS, correlation, parse_method

OnMissing = Literal["error", "warn", "skip", "default"]
Aggregates = Literal["recompute", "as-given", "recompute-truth", "recompute-judge"]
Like = Literal["", "autojudge"]
Side = Literal["truth", "judge"]
Pair = tuple[str, str]
"""A measure of the truth and one of the judge."""


@dataclass(frozen=True)
class AgreementOptions:
    """What of two leaderboards is read, and how. None stands for everything."""

    topics: tuple[str, ...] | None = None
    runs: tuple[str, ...] | None = None
    truth_measures: tuple[str, ...] | None = None
    judge_measures: tuple[str, ...] | None = None
    on_missing: OnMissing = "error"
    aggregates: Aggregates | None = None
    """None recomputes; under ``like="autojudge"`` it believes the file."""
    only_shared_runs: bool = False
    only_shared_topics: bool = False
    like: Like = ""

    def recomputes(self, side: Side) -> bool:
        """Whether a side's aggregates are means of its topics; always so on some of the topics."""
        if self.topics is not None or self.only_shared_topics:
            return True
        if self.aggregates is None:
            return not self.like
        return self.aggregates in ("recompute", f"recompute-{side}")


@dataclass(frozen=True)
class AlignedSystems:
    """Systems that both sides scored: by run id, with the truth's and the judge's scores."""

    runs: tuple[str, ...]
    truth: tuple[float, ...]
    judge: tuple[float, ...]
    best: tuple[str, ...]
    """The truth's runs from the best down, ties in the order of its file."""

    def top(self, k: int) -> AlignedSystems:
        """The k best by truth."""
        kept = set(self.best[:k])
        at = [i for i, run in enumerate(self.runs) if run in kept]
        return AlignedSystems(
            tuple(self.runs[i] for i in at),
            tuple(self.truth[i] for i in at),
            tuple(self.judge[i] for i in at),
            self.best[:k],
        )


def correlate(
    truth: ScoreTable,
    judge: ScoreTable,
    methods: Sequence[str] = METHODS,
    options: AgreementOptions = AgreementOptions(),
) -> dict[Pair, dict[str, float]]:
    """Each method for each pair of measures; NaN where a correlation is undefined.

    Raises DataError (missing runs or topics), UsageError (fewer than three systems), UnknownName.
    """
    parsed = {method: parse_method(method) for method in methods}
    if options.like and any(k for _, k in parsed.values()):
        options = replace(options, only_shared_runs=True)
    check_sides(truth, judge, options)
    found: dict[Pair, dict[str, float]] = {}
    for pair in measure_pairs(truth, judge, options):
        found[pair] = {}
        for method, (name, k) in parsed.items():
            read = replace(options, only_shared_runs=True) if k else options
            aligned = align_systems(truth, judge, pair, read)
            if k:
                aligned = aligned.top(k)
            found[pair][method] = correlation(
                name, np.array(aligned.truth), np.array(aligned.judge)
            )
    return found


def correlate_topics(
    truth: ScoreTable,
    judge: ScoreTable,
    methods: Sequence[str] = METHODS,
    options: AgreementOptions = AgreementOptions(),
) -> dict[Pair, dict[str, dict[str, float]]]:
    """The same within each topic that both sides have: pair to topic to method."""
    check_sides(truth, judge, replace(options, only_shared_topics=True))
    found: dict[Pair, dict[str, dict[str, float]]] = {}
    for topic in sorted(shared_topics(truth, judge, options)):
        alone = replace(options, topics=(topic,))
        for pair, values in correlate(truth, judge, methods, alone).items():
            found.setdefault(pair, {})[topic] = values
    return found


def measure_pairs(truth: ScoreTable, judge: ScoreTable, options: AgreementOptions) -> list[Pair]:
    """The pairs of measures that are compared. Raises UnknownName."""
    chosen = []
    for side, table, wanted in (
        ("truth", truth, options.truth_measures),
        ("judge", judge, options.judge_measures),
    ):
        for measure in wanted or ():
            if measure not in table.measures:
                raise UnknownName(f"measure of the {side}", measure, table.measures)
        chosen.append([m for m in table.measures if wanted is None or m in wanted])
    return [(first, second) for first in chosen[0] for second in chosen[1]]


def shared_topics(truth: ScoreTable, judge: ScoreTable, options: AgreementOptions) -> list[str]:
    """The topics that both sides have, of those that are read. Raises DataError for none."""
    theirs = set(judge.topics)
    shared = [
        topic
        for topic in truth.topics
        if topic in theirs and (options.topics is None or topic in options.topics)
    ]
    if not shared:
        raise DataError.of(
            Code.NO_SHARED_TOPIC,
            (
                f"truth and judge have no topic in common: {_some(truth.topics)} against "
                f"{_some(judge.topics)}"
            ),
            judge.source,
            hint="Check the topic ids and the formats.",
        )
    return shared


def system_scores(
    table: ScoreTable, measure: str, recompute: bool, topics: Sequence[str] | None = None
) -> dict[str, float]:
    """Run to score: the mean over (these) topics, or the aggregate that the file gives.

    Raises DataError where the aggregates are to be believed and there are none.
    """
    if not recompute and measure in table.given:
        return dict(table.given[measure])
    if not recompute and table.given:
        raise DataError.of(
            Code.NO_AGGREGATE,
            f"no aggregate of {measure} is given",
            table.source,
            hint="Recompute aggregates from the topics.",
        )
    kept = None if topics is None else set(topics)
    scores: dict[str, float] = {}
    for run, by_topic in table.values.get(measure, {}).items():
        read = by_topic.keys() if kept is None else kept & by_topic.keys()
        if read:
            scores[run] = fmean([by_topic[topic] for topic in read])
    if not scores and measure in table.given and topics is None:
        raise DataError.of(
            Code.NO_TOPICS,
            f"{measure} is given as an aggregate alone, without topics to recompute it from",
            table.source,
            hint="Believe the file's aggregates: --aggregates as-given.",
        )
    return scores


def align_systems(
    truth: ScoreTable, judge: ScoreTable, pair: Pair, options: AgreementOptions
) -> AlignedSystems:
    """Both sides' system scores for one pair of measures, by run id. Raises DataError."""
    topics: Sequence[str] | None = options.topics
    if options.only_shared_topics:
        topics = shared_topics(truth, judge, options)
    sides = [
        system_scores(truth, pair[0], options.recomputes("truth"), topics),
        system_scores(judge, pair[1], options.recomputes("judge"), topics),
    ]
    if options.runs is not None:
        sides = [{run: v for run, v in side.items() if run in options.runs} for side in sides]
    x, y = sides
    if options.only_shared_runs:
        both = _scored_runs(truth, topics) & _scored_runs(judge, topics)
        x, y = ({run: v for run, v in side.items() if run in both} for side in sides)
    if options.on_missing == "error" and x.keys() != y.keys():
        raise DataError(missing_runs(x, y, truth, judge, pair))
    if options.on_missing == "default":
        y = {run: y.get(run, 0.0) for run in x}
    runs = tuple(sorted(x.keys() & y.keys()))
    best = tuple(sorted(x, key=lambda run: -x[run]))
    return AlignedSystems(runs, tuple(x[r] for r in runs), tuple(y[r] for r in runs), best)


def _scored_runs(table: ScoreTable, topics: Sequence[str] | None) -> set[str]:
    """The runs with any score on any of these topics."""
    if topics is None:
        return set(table.runs)
    kept = set(topics)
    return {run for runs in table.values.values() for run in runs if kept & runs[run].keys()}


def missing_runs(
    x: Mapping[str, float], y: Mapping[str, float], truth: ScoreTable, judge: ScoreTable, pair: Pair
) -> list[Finding]:
    """What each side lacks of the other's runs, on one pair of measures."""
    hint = (
        "Choose what to do with them: --on-missing skip, default or warn; or which measures are "
        "compared: --truth-measure, --judge-measure."
    )
    return [
        Finding(
            Code.MISSING_RUN,
            f"the {side} lacks {len(lacking)} runs that the other side has: {_some(lacking)} "
            f"({own} against {theirs})",
            table.source,
            hint=hint,
        )
        for side, own, theirs, table, lacking in (
            ("judge", pair[1], pair[0], judge, sorted(x.keys() - y.keys())),
            ("truth", pair[0], pair[1], truth, sorted(y.keys() - x.keys())),
        )
        if lacking
    ]


def check_sides(truth: ScoreTable, judge: ScoreTable, options: AgreementOptions) -> None:
    """Raises UnknownName for a topic or run that neither side has; DataError where topics are missing
    under ``on_missing="error"``, and where means would be over no topic in common at all."""
    for kind, wanted, known in (
        ("topic", options.topics, {*truth.topics, *judge.topics}),
        ("run", options.runs, {*truth.runs, *judge.runs}),
    ):
        for name in wanted or ():
            if name not in known:
                raise UnknownName(kind, name, sorted(known)[:20])
    if options.on_missing == "error" and (findings := missing_topics(truth, judge, options)):
        raise DataError(findings)
    means = options.recomputes("truth") and options.recomputes("judge") and not options.like
    if means and truth.topics and judge.topics:
        shared_topics(truth, judge, options)


def missing_topics(
    truth: ScoreTable, judge: ScoreTable, options: AgreementOptions
) -> list[Finding]:
    """Topics that a run lacks within its side, or one side against the other."""
    hint = "Choose: --only-shared-topics, or --on-missing skip."
    sides = (
        ("truth", truth, judge, options.truth_measures),
        ("judge", judge, truth, options.judge_measures),
    )
    findings = []
    for side, table, _, measures in sides:
        for (run, measure), lacking in _incomplete(table, measures, options).items():
            message = f"the {side}'s run {run} lacks {measure} on {_some(lacking)}"
            findings.append(Finding(Code.MISSING_TOPIC, message, table.source, hint=hint))
    both = options.recomputes("truth") and options.recomputes("judge")
    whole = options.topics is None and not options.only_shared_topics and not options.like
    if both and whole:
        for side, table, other, _ in sides:
            own = set(table.topics)
            if lacking := [topic for topic in other.topics if topic not in own]:
                message = f"the {side} lacks the topics {_some(lacking)}"
                findings.append(Finding(Code.MISSING_TOPIC, message, table.source, hint=hint))
    return findings


def _incomplete(
    table: ScoreTable, measures: Sequence[str] | None, options: AgreementOptions
) -> dict[tuple[str, str], list[str]]:
    """(Run, measure) to the topics that it lacks though another run of its side has them."""
    lacking: dict[tuple[str, str], list[str]] = {}
    for measure, runs in table.values.items():
        if measures is not None and measure not in measures:
            continue
        known = table.topics_of[measure]
        read = known if options.topics is None else dict.fromkeys(options.topics)
        wanted = [topic for topic in read if topic in known]
        for run, topics in runs.items():
            missing = [topic for topic in wanted if topic not in topics]
            if missing and (options.runs is None or run in options.runs):
                lacking[run, measure] = missing
    return lacking


def _some(names: Sequence[str]) -> str:
    told = ", ".join(names[:5])
    return f"{told} and {len(names) - 5} more" if len(names) > 5 else told or "none"
