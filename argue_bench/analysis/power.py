"""How many questions does it take to see a difference, and what can this set see?

From scores that exist: the bootstrap standard error of a score's difference between two systems
falls with the square root of the number of questions; a two-sided paired test at alpha finds a
difference of (t at 1 - alpha/2 + t at the power) standard errors with that power.

With two or more systems the standard error is that of their pairs, the median and the worst. With
one system it is guessed: sqrt(2 (1 - r)) times its own, r the correlation of two systems over
questions, 0 unless told. Most pairs correlate, so that guess asks for too many rather than too few.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np

from argue_bench.analysis.aligned import align_reports, score_columns
from argue_bench.analysis.score_table import ScoreTable, is_run_file, read_scores, run_name
from argue_bench.errors import UnknownName, UsageError
from argue_bench.eval.report import short_key
from argue_bench.eval.run import read_reports
from argue_bench.metrics import Metric
from argue_bench.stats.averages import Average, Column, Columns, Macro, Unit, macro, take
from argue_bench.stats.bootstrap import (
    RESAMPLES,
    SEED,
    TOLERANCE,
    applies_to,
    replicates,
    spread,
)
from argue_bench.stats.significance import ALPHA, POWER, questions_needed, resolvable

DEFAULT_DIFFERENCE = 0.02


@dataclass(frozen=True)
class ScorePower:
    """What one score can resolve."""

    score: str
    n: int
    pairs: int
    """0 where there was one system and its pair was guessed."""
    standard_error: float
    """Of a difference, the median over pairs."""
    resolvable: float | None
    """The smallest difference that n questions find, for the median pair."""
    needed: int | None
    """Questions that find the difference asked for, for the median pair; None without spread."""
    needed_worst: int | None
    unit: Unit


def score_power(
    score: str,
    average: Average,
    columns: Columns,
    *,
    difference: float = DEFAULT_DIFFERENCE,
    alpha: float = ALPHA,
    power: float = POWER,
    correlation: float = 0.0,
    resamples: int = RESAMPLES,
    seed: int = SEED,
) -> ScorePower:
    """Columns of shape (n, systems); ``difference`` in the score's own unit (0.02 is 2 points).

    Raises UsageError for a difference that is not positive or too small to count questions for, a
    power outside (alpha, 1), or fewer than two questions.
    """
    if not difference > 0:
        raise UsageError(f"the difference must be above 0, not {difference:g}")
    if not 0 < alpha < power < 1:
        raise UsageError("power and alpha lie between 0 and 1, and power above alpha")
    if not -1 < correlation < 1:
        raise UsageError("the correlation of two systems lies between -1 and 1")
    n = int(np.min(applies_to(average, columns)))
    if n < 2:
        raise UsageError(f"{score} applies to {n} questions; its spread needs at least two")
    drawn = replicates({"": average}, columns, resamples=resamples, seed=seed)[""]
    pairs = list(combinations(range(drawn.shape[1]), 2))
    if pairs:
        first, second = (list(side) for side in zip(*pairs, strict=True))
        errors = spread(drawn[:, first] - drawn[:, second], n)
    else:
        errors = spread(drawn, n) * np.sqrt(2 * (1 - correlation))
    middle, worst = float(np.median(errors)), float(np.max(errors))
    needed = [
        questions_needed(error, n, difference, alpha=alpha, power=power)
        if error > TOLERANCE
        else None
        for error in (middle, worst)
    ]
    found = resolvable(middle, n, alpha=alpha, power=power)
    return ScorePower(score, n, len(pairs), middle, found, needed[0], needed[1], average.unit)


def table_columns(table: ScoreTable, measure: str) -> tuple[Macro, dict[str, Column]]:
    """A measure of a score table as a mean over topics; a missing topic does not apply."""
    runs: Mapping[str, Mapping[str, float]] = table.values.get(measure, {})
    if not runs:
        raise UsageError(f"{measure} has no topics in {table.source}, only aggregates")
    topics = list(dict.fromkeys(topic for values in runs.values() for topic in values))
    got = np.array([[v.get(topic, 0.0) for v in runs.values()] for topic in topics])
    of = np.array([[float(topic in v) for v in runs.values()] for topic in topics])
    return macro(measure), {measure: Column(got, of)}


def power_of_files(
    files: Sequence[Path],
    format: str,
    chosen: Sequence[str],
    points: float,
    *,
    alpha: float = ALPHA,
    power: float = POWER,
    correlation: float = 0.0,
    metrics: Sequence[Metric] = (),
) -> list[ScorePower]:
    """What run files, or files of scores on topics, can resolve; ``points`` of 100.

    Run files are resampled from their tallies, score by score; other formats as means over topics.
    ``metrics``: those of the runs that are not in the catalogue.
    A count's difference is in its own unit, and so is that of a measure with values above 1. Raises
    DataError, UsageError, UnknownName, UnlikeSignatures.
    """
    table = None
    if format not in ("", "run") or not all(is_run_file(file) for file in files):
        table = read_scores(files, format, metrics)
    sources = _of_runs(files, metrics) if table is None else _of_table(table)
    known = [key for key, _, _ in sources]
    for key in chosen:
        if not any(key in (full, short_key(full)) for full in known):
            raise UnknownName("score", key, known)
    found = []
    for key, average, columns in sources:
        wanted = key in chosen or short_key(key) in chosen
        if chosen and not wanted:
            continue
        if not chosen and (
            average.unit != "share" or int(np.min(applies_to(average, columns))) < 2
        ):
            continue
        difference = points / 100 if average.unit == "share" else points
        found.append(
            score_power(
                key,
                average,
                columns,
                difference=difference,
                alpha=alpha,
                power=power,
                correlation=correlation,
            )
        )
    if not found:
        raise UsageError(
            "no score here is a share that applies to two questions; name one: --score"
        )
    return found


def _of_runs(
    files: Sequence[Path], metrics: Sequence[Metric]
) -> list[tuple[str, Average, Mapping[str, Column]]]:
    reports = {}
    for file in files:
        for run, report in read_reports(file, metrics=metrics).items():
            name = run or run_name(file)
            while name in reports:
                name += "'"
            reports[name] = report
    if len(reports) == 1:
        [report] = reports.values()
        return [
            (key, average, take(columns, np.s_[:, None]))
            for key, average, columns in score_columns(report)
            if average.resampled
        ]
    aligned = align_reports(tuple(reports), tuple(reports.values()))
    return [(one.key, one.average, one.columns) for one in aligned.scores]


def _of_table(table: ScoreTable) -> list[tuple[str, Average, Mapping[str, Column]]]:
    sources: list[tuple[str, Average, Mapping[str, Column]]] = []
    for measure in table.values:
        average, columns = table_columns(table, measure)
        if np.max(np.abs(columns[measure].numerator)) > 1:
            average = replace(average, unit="count")
        sources.append((measure, average, columns))
    return sources
