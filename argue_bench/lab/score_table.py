"""Scores of many runs on many topics and how far two such tables rank alike, from files of TREC's programs and from our own run files.

    trec_eval     measure topic value            (one file a run; the run is the file's name)
    tot           run measure topic value
    ir_measures   run topic measure value
    rag4reports   topic run measure value
    ranking       topic Q0 run rank value measure
    jsonl         {"run_id", "topic_id", "measure", "value"} a line
    run           a run file of `evaluate --out`

The format of a file of words must be named: tot and ir_measures have the same four columns in another
order. The topic ``all`` is an aggregate; aggregates are kept apart from topics. A folder means the files in
it. All errors are listed at once: values that are not finite numbers, the same (run, topic, measure) twice,
lines of the wrong shape.

Of two tables, a judge's leaderboard and people's, the systems that both rank are compared. A system's score is the mean over its topics, recomputed from the topics by default: the aggregates in
a file need not be the mean of its topics. Runs are matched by name. ``on_missing`` says what happens
to runs and topics that one side lacks:

    error     an error lists every missing run and topic
    warn      as skip, and each is noted
    skip      a run that one side lacks is left out; a mean is over the topics that the run has
    default   a run that the judge lacks scores 0 there; a run that the truth lacks is left out

``like="autojudge"`` reproduces autojudge-evaluate exactly, with its two traps: one @k method in the
list makes all methods use shared runs only (so ``on_missing`` never applies), and aggregates in a file
are believed.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Literal, NamedTuple

import numpy as np

from argue_bench.analysis.aligned import score_columns
from argue_bench.errors import Code, DataError, Finding, UnknownName
from argue_bench.eval.run import is_run_file, read_reports, run_name
from argue_bench.judges.recorded import is_store
from argue_bench.loaders.findings import few
from argue_bench.metrics import Metric
from argue_bench.records.untrusted import Limits, parse_json, read_bounded
from argue_bench.stats.correlation import METHODS, correlation, parse_method
from argue_bench.stats.permutation import per_question

OnMissing = Literal["error", "warn", "skip", "default"]
Aggregates = Literal["recompute", "as-given", "recompute-truth", "recompute-judge"]
Like = Literal["", "autojudge"]
Side = Literal["truth", "judge"]
# A measure of the truth and one of the judge.
Pair = tuple[str, str]
# By pair of measures: the correlation without each topic or run, by its name.
LeftOut = dict[Pair, dict[str, float]]


@dataclass(frozen=True)
class AlignedSystems:
    """Systems that both sides scored: run ids with the truth's and the judge's scores."""

    runs: tuple[str, ...]
    truth: tuple[float, ...]
    judge: tuple[float, ...]
    best: tuple[str, ...]
    """The truth's runs from the best down, ties in the order of its file."""

    def top(self, k: int) -> AlignedSystems:
        """The k best by truth."""
        at = [i for i, run in enumerate(self.runs) if run in self.best[:k]]
        return AlignedSystems(
            tuple(self.runs[i] for i in at),
            tuple(self.truth[i] for i in at),
            tuple(self.judge[i] for i in at),
            self.best[:k],
        )


@dataclass(frozen=True)
class AgreementStudy:
    """Two score tables, and what is compared in them. None means everything."""

    truth: ScoreTable
    judge: ScoreTable
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
        """Whether the aggregates of one side are computed as means over topics; always so
        for a part of the topics."""
        if self.topics is not None or self.only_shared_topics:
            return True
        return (
            not self.like
            if self.aggregates is None
            else self.aggregates in ("recompute", f"recompute-{side}")
        )

    def measure_pairs(self) -> list[Pair]:
        """The pairs of measures that are compared. Raises UnknownName."""
        chosen = []
        for side, table, wanted in (
            ("truth", self.truth, self.truth_measures),
            ("judge", self.judge, self.judge_measures),
        ):
            for measure in wanted or ():
                if measure not in table.measures:
                    raise UnknownName(f"measure of the {side}", measure, table.measures)
            chosen.append([m for m in table.measures if wanted is None or m in wanted])
        return [(first, second) for first in chosen[0] for second in chosen[1]]

    def shared_topics(self) -> list[str]:
        """The chosen topics that both sides have. Raises DataError for none."""
        both = set(self.judge.topics)
        if self.topics is not None:
            both &= set(self.topics)
        if shared := [topic for topic in self.truth.topics if topic in both]:
            return shared
        raise DataError.of(
            Code.EMPTY,
            f"truth and judge have no topic in common: {_some(self.truth.topics)} against "
            f"{_some(self.judge.topics)}",
            self.judge.source,
            hint="Check the topic ids and the formats.",
        )

    def align(self, pair: Pair) -> AlignedSystems:
        """Both sides' system scores on one pair of measures. Raises DataError."""
        topics = self.shared_topics() if self.only_shared_topics else self.topics
        truth = system_scores(self.truth, pair[0], self.recomputes("truth"), topics)
        judge = system_scores(self.judge, pair[1], self.recomputes("judge"), topics)
        wanted = {*truth, *judge} if self.runs is None else set(self.runs)
        if self.only_shared_runs:
            wanted &= _scored_runs(self.truth, topics) & _scored_runs(self.judge, topics)
        truth = {run: score for run, score in truth.items() if run in wanted}
        judge = {run: score for run, score in judge.items() if run in wanted}
        if self.on_missing == "error" and truth.keys() != judge.keys():
            raise DataError(self._missing_runs(pair, truth, judge))
        if self.on_missing == "default":
            judge = {run: judge.get(run, 0.0) for run in truth}
        runs = tuple(sorted(truth.keys() & judge.keys()))
        # The sort is stable, so ties keep the order of the file.
        best = tuple(sorted(truth, key=lambda run: -truth[run]))
        return AlignedSystems(
            runs, tuple(truth[run] for run in runs), tuple(judge[run] for run in runs), best
        )

    def correlate(self, methods: Sequence[str] = METHODS) -> dict[Pair, dict[str, float]]:
        """Each method for each pair of measures; NaN where a correlation is undefined.

        Raises DataError (missing runs or topics), UsageError (fewer than three systems), UnknownName.
        """
        parsed = {method: parse_method(method) for method in methods}
        study = self
        # The trap of autojudge-evaluate: one @k in the list, and all methods see shared runs only.
        if self.like and any(k for _, k in parsed.values()):
            study = replace(self, only_shared_runs=True)
        study.check()
        found: dict[Pair, dict[str, float]] = {}
        for pair in study.measure_pairs():
            found[pair] = {}
            for method, (name, k) in parsed.items():
                # The best k can be compared only where the judge scored them.
                aligned = replace(study, only_shared_runs=bool(k) or study.only_shared_runs)
                systems = aligned.align(pair).top(k) if k else aligned.align(pair)
                scores = np.array(systems.truth), np.array(systems.judge)
                found[pair][method] = correlation(name, *scores)
        return found

    def correlate_topics(
        self, methods: Sequence[str] = METHODS
    ) -> dict[Pair, dict[str, dict[str, float]]]:
        """The same within each topic that both sides have: pair to topic to method."""
        replace(self, only_shared_topics=True).check()
        found: dict[Pair, dict[str, dict[str, float]]] = {}
        for topic in sorted(self.shared_topics()):
            for pair, values in replace(self, topics=(topic,)).correlate(methods).items():
                found.setdefault(pair, {})[topic] = values
        return found

    def leave_out_topics(self, method: str) -> LeftOut:
        """The correlation without each topic of either side in turn."""
        every = self.topics
        if every is None:
            every = tuple(dict.fromkeys((*self.truth.topics, *self.judge.topics)))
        return _without(
            {t: replace(self, topics=tuple(o for o in every if o != t)) for t in every}, method
        )

    def leave_out_runs(self, method: str) -> LeftOut:
        """The correlation without each run in turn."""
        every = sorted({*self.truth.runs, *self.judge.runs})
        runs = [run for run in every if self.runs is None or run in self.runs]
        return _without(
            {r: replace(self, runs=tuple(o for o in runs if o != r)) for r in runs}, method
        )

    def check(self) -> None:
        """Raises UnknownName for a topic or run that neither side has, DataError for missing topics.

        Topics may be missing unless ``on_missing`` is "error"; means over no common topic never pass.
        """
        for kind, wanted, known in (
            ("topic", self.topics, {*self.truth.topics, *self.judge.topics}),
            ("run", self.runs, {*self.truth.runs, *self.judge.runs}),
        ):
            for name in wanted or ():
                if name not in known:
                    raise UnknownName(kind, name, sorted(known)[:20])
        if self.on_missing == "error" and (findings := self.missing_topics()):
            raise DataError(findings)
        means = self.recomputes("truth") and self.recomputes("judge") and not self.like
        if means and self.truth.topics and self.judge.topics:
            self.shared_topics()

    def missing_topics(self) -> list[Finding]:
        """Topics that a run lacks within its side, or one side against the other."""
        sides = (
            ("truth", self.truth, self.judge, self.truth_measures),
            ("judge", self.judge, self.truth, self.judge_measures),
        )
        missing = []
        chosen = None if self.topics is None else set(self.topics)
        for side, table, _, measures in sides:
            for measure, runs in table.values.items():
                wanted = [
                    topic for topic in table.topics_of[measure] if chosen is None or topic in chosen
                ]
                for run, topics in runs.items():
                    lacking = [topic for topic in wanted if topic not in topics]
                    compared = (measures is None or measure in measures) and (
                        self.runs is None or run in self.runs
                    )
                    if lacking and compared:
                        why = f"the {side}'s run {run} lacks {measure} on {_some(lacking)}"
                        missing.append((why, table.source))
        if (
            self.recomputes("truth")
            and self.recomputes("judge")
            and not (self.topics is not None or self.only_shared_topics or self.like)
        ):
            for side, table, other, _ in sides:
                own = set(table.topics)
                if lacks := [topic for topic in other.topics if topic not in own]:
                    missing.append((f"the {side} lacks the topics {_some(lacks)}", table.source))
        return [
            Finding(
                Code.MISSING_IDS,
                why,
                source,
                hint="Choose: --only-shared-topics, or --on-missing skip.",
            )
            for why, source in missing
        ]

    def _missing_runs(
        self, pair: Pair, truth: Mapping[str, float], judge: Mapping[str, float]
    ) -> list[Finding]:
        hint = (
            "Choose what to do with them: --on-missing skip, default or warn; or which measures are "
            "compared: --truth-measure, --judge-measure."
        )
        return [
            Finding(
                Code.MISSING_IDS,
                f"the {side} lacks {len(runs)} runs that the other side has: {_some(runs)} "
                f"({own} against {other})",
                table.source,
                hint=hint,
            )
            for side, own, other, table, runs in (
                ("judge", pair[1], pair[0], self.judge, sorted(truth.keys() - judge.keys())),
                ("truth", pair[0], pair[1], self.truth, sorted(judge.keys() - truth.keys())),
            )
            if runs
        ]


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
            Code.EMPTY,
            f"no aggregate of {measure} is given",
            table.source,
            hint="Recompute aggregates from the topics.",
        )
    scores: dict[str, float] = {}
    for run, by_topic in table.values.get(measure, {}).items():
        # A run is scored on the topics that it has, of those that are asked for.
        read = by_topic.keys() if topics is None else set(topics) & by_topic.keys()
        if read:
            scores[run] = fmean([by_topic[topic] for topic in read])
    if not scores and measure in table.given and topics is None:
        raise DataError.of(
            Code.EMPTY,
            f"{measure} is given as an aggregate alone, without topics to recompute it from",
            table.source,
            hint="Believe the file's aggregates: --compat autojudge.",
        )
    return scores


def _without(studies: Mapping[str, AgreementStudy], method: str) -> LeftOut:
    found: LeftOut = {}
    for name, study in studies.items():
        for pair, values in study.correlate((method,)).items():
            found.setdefault(pair, {})[name] = values[method]
    return found


def _scored_runs(table: ScoreTable, topics: Sequence[str] | None) -> set[str]:
    """The runs with any score on any of these topics."""
    if topics is None:
        return set(table.runs)
    wanted = set(topics)
    return {run for runs in table.values.values() for run in runs if wanted & runs[run].keys()}


def _some(names: Sequence[str]) -> str:
    return few(names, 5) or "none"


AGGREGATE = "all"
# A track's file has some million lines of a few words.
LIMITS = Limits(file_bytes=1 << 30)
# Findings that are listed; of more, only the number is given.
MOST_FINDINGS = 50
# What float() takes besides, such as 1_000 or nan, is no value in any of these formats.
NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?")
# Format to its columns.
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "trec_eval": ("measure", "topic", "value"),
    "tot": ("run", "measure", "topic", "value"),
    "ir_measures": ("run", "topic", "measure", "value"),
    "rag4reports": ("topic", "run", "measure", "value"),
    "ranking": ("topic", "Q0", "run", "rank", "value", "measure"),
    "jsonl": ("run_id", "topic_id", "measure", "value"),
}


class TopicScore(NamedTuple):
    """One value, with the file and line that it came from."""

    run: str
    topic: str
    measure: str
    value: float
    file: str = ""
    line: int | None = None


@dataclass(frozen=True)
class ScoreTable:
    """Measure to run to topic to value, in the order of the file."""

    values: Mapping[str, Mapping[str, Mapping[str, float]]]
    given: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """Measure to run to the aggregate that the file gives."""
    source: str = ""

    @cached_property
    def measures(self) -> tuple[str, ...]:
        return tuple(sorted({*self.values, *self.given}))

    @cached_property
    def runs(self) -> tuple[str, ...]:
        both = (*self.values.values(), *self.given.values())
        return tuple(dict.fromkeys(run for runs in both for run in runs))

    @cached_property
    def topics(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(chain.from_iterable(self.topics_of.values())))

    @cached_property
    def topics_of(self) -> Mapping[str, Mapping[str, None]]:
        """By measure: the topics of any run, in order, as the keys of a dictionary."""
        return {
            measure: dict.fromkeys(chain.from_iterable(runs.values()))
            for measure, runs in self.values.items()
        }


def table_of(rows: Iterable[TopicScore], source: str = "") -> ScoreTable:
    """The table of these rows. Raises DataError where one (run, topic, measure) occurs twice."""
    values: dict[str, dict[str, dict[str, float]]] = {}
    given: dict[str, dict[str, float]] = {}
    seen: dict[tuple[str, str, str], TopicScore] = {}
    findings: list[Finding] = []
    for row in rows:
        before = seen.setdefault(row[:3], row)
        if before is not row:
            why = (
                f"run {row.run}, topic {row.topic}, measure {row.measure} occurs twice, first with "
                f"{before.value:g} at {before.file}:{before.line}"
            )
            findings.append(
                Finding(
                    Code.DUPLICATE_ID,
                    why,
                    row.file or source,
                    row.line,
                    hint="Keep one of them.",
                )
            )
        elif row.topic == AGGREGATE:
            given.setdefault(row.measure, {})[row.run] = row.value
        else:
            values.setdefault(row.measure, {}).setdefault(row.run, {})[row.topic] = row.value
    _raise(findings)
    return ScoreTable(values, given, source)


def read_scores(
    paths: Path | Sequence[Path], format: str = "", metrics: Sequence[Metric] = ()
) -> ScoreTable:
    """The scores in files or folders of one format; run files need no format.

    ``metrics`` are those of run files that are not in the catalogue. Raises DataError with every
    finding, UnknownName for an unknown format.
    """
    if format not in ("", "run", *COLUMNS):
        raise UnknownName(
            "score format", format, (*COLUMNS, "run"), see="argue-bench judge agreement -h"
        )
    files = [f for p in ([paths] if isinstance(paths, Path) else paths) for f in _files(p)]
    findings: list[Finding] = []
    rows: list[TopicScore] = []
    for file in files:
        if not format and not is_run_file(file):
            why = "the format must be named: tot and ir_measures have the same four columns in another order"
            raise DataError.of(
                Code.WRONG_SHAPE, why, file, hint=f"Name one of: {', '.join(COLUMNS)}."
            )
        columns = COLUMNS.get(format)
        rows += _scores(file, columns, findings) if columns else _run(file, metrics)
    _raise(findings)
    source = ", ".join(map(str, files[:3])) + (", ..." if len(files) > 3 else "")
    if not rows:
        raise DataError.of(Code.EMPTY, "the file holds no score", source)
    return table_of(rows, source)


def _files(path: Path) -> list[Path]:
    """A file, or those of a folder without verdict stores, which lie beside run files."""
    if not path.is_dir():
        return [path]
    visible = sorted(f for f in path.iterdir() if f.is_file() and not f.name.startswith("."))
    found = [file for file in visible if not is_store(file)]
    if not found:
        raise DataError.of(Code.EMPTY, "the folder holds no file", path)
    return found


def _scores(path: Path, names: Sequence[str], findings: list[Finding]) -> Iterator[TopicScore]:
    """The scores of a file of words; without a column ``run`` the file's name is the run."""
    try:
        text = read_bounded(path, LIMITS).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError.of(Code.NOT_UTF_8, "the file is not UTF-8", path) from None
    for number, line in enumerate(text.split("\n"), 1):
        words = line.split() if names != COLUMNS["jsonl"] else _json_words(line, path, number)
        # A line of another width is found below; here it only may hold the headings.
        row = dict(zip(names, words, strict=False))
        value = row.get("value", "")
        if not line.strip() or (number == 1 and value.casefold() in ("value", "v", "score")):
            continue
        if len(words) != len(names):
            why = f"the line has {len(words)} columns, expected {len(names)}: {' '.join(names)}"
            hint = "Check the line, and whether the format is the right one."
            findings.append(Finding(Code.WRONG_SHAPE, why, str(path), number, hint=hint))
        elif NUMBER.fullmatch(value) and math.isfinite(float(value)):
            run, topic = (row.get(f"{key}_id", row.get(key, path.name)) for key in ("run", "topic"))
            yield TopicScore(run, topic, row["measure"], float(value), str(path), number)
        else:
            why = f"the value is {value!r:.80}, expected a finite number"
            hint = "Write a number, or leave the line out: it then counts as missing."
            findings.append(Finding(Code.WRONG_VALUE, why, str(path), number, hint=hint))


def _json_words(line: str, path: Path, number: int) -> list[str]:
    """The values of a line's columns, as far as they are there. Raises DataError."""
    row = parse_json(line.encode(), str(path), number) if line.strip() else {}
    return [str(row[key]) for key in COLUMNS["jsonl"] if isinstance(row, dict) and key in row]


def _run(path: Path, metrics: Sequence[Metric]) -> Iterator[TopicScore]:
    """The value of every score of a run file on each question alone, from the stored tallies."""
    for name, report in read_reports(path, metrics=metrics).items():
        run = name or run_name(path)
        for key, average, columns in score_columns(report):
            alone = per_question(average, columns)
            for question, value in zip(report.per_question, alone, strict=True):
                if value == value:  # NaN: the score does not apply to this question
                    yield TopicScore(run, question, key, float(value), str(path))
            if (whole := report.scores[key].value) is not None:
                yield TopicScore(run, AGGREGATE, key, whole, str(path))


def _raise(findings: Sequence[Finding]) -> None:
    if not findings:
        return
    shown = list(findings[:MOST_FINDINGS])
    if len(findings) > MOST_FINDINGS:
        shown.append(Finding(Code.MORE, f"and {len(findings) - MOST_FINDINGS} more findings"))
    raise DataError(shown)
