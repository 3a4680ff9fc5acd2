"""Statistical power: how many questions it takes to find a difference, and which differences a
given number can find.

The bootstrap standard error of a difference between two systems falls with the square root of the number
of questions. A two-sided paired test at alpha finds a difference of (t at 1 - alpha/2 + t at the power)
standard errors with that power (Card et al. 2020, "With Little Power Comes Great Responsibility").

From two or more systems the standard error is measured on their pairs, the median and the worst. From one
system it is guessed: sqrt(2 (1 - r)) times its own, where r is the correlation of two systems over
questions, 0 by default. Most pairs correlate, so the guess asks for too many questions, not too few.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path

import numpy as np

from argue_bench.analysis.aligned import align_reports, score_columns
from argue_bench.analysis.score_table import ScoreTable, read_scores, run_name
from argue_bench.errors import UnknownName, UsageError
from argue_bench.eval.report import Report, short_key
from argue_bench.eval.run import is_run_file, read_reports
from argue_bench.metrics import Metric
from argue_bench.stats.averages import Average, Column, Columns, Unit, macro, take
from argue_bench.stats.bootstrap import TOLERANCE, applies_to, replicates, spread
from argue_bench.stats.clusters import Clusters, number_clusters
from argue_bench.stats.significance import ALPHA, POWER, questions_needed, resolvable

DEFAULT_DIFFERENCE = 0.02


@dataclass(frozen=True)
class ScorePower:
    """The differences that one score can resolve."""

    score: str
    n: int
    pairs: int
    """0 where there was a single system and its pair was guessed."""
    standard_error: float
    """Of a difference, the median over pairs."""
    resolvable: float | None
    """The smallest difference that n questions find, for the median pair."""
    needed: int | None
    """Questions that find the wanted difference, for the median pair; None without spread."""
    needed_worst: int | None
    unit: Unit
    clusters: int = 0
    """How many clusters the questions form; 0 where each stands alone."""


def score_power(
    score: str,
    average: Average,
    columns: Columns,
    *,
    clusters: Clusters | None = None,
    difference: float = DEFAULT_DIFFERENCE,
    alpha: float = ALPHA,
    power: float = POWER,
    correlation: float = 0.0,
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
    units = int(np.min(applies_to(average, columns, clusters)))
    if units < 2:
        what = "questions" if clusters is None else "clusters"
        raise UsageError(f"{score} applies to {units} {what}; its spread needs at least two")
    drawn = replicates({"": average}, columns, clusters=clusters)[""]
    first, second = np.triu_indices(drawn.shape[1], 1)
    if len(first):
        errors = spread(drawn[:, first] - drawn[:, second], units)
    else:
        errors = spread(drawn, units) * np.sqrt(2 * (1 - correlation))
    middle, worst = float(np.median(errors)), float(np.max(errors))
    needed = [
        # Further questions come in clusters of the same size.
        ceil(questions_needed(error, units, difference, alpha=alpha, power=power) * n / units)
        if error > TOLERANCE
        else None
        for error in (middle, worst)
    ]
    found = resolvable(middle, units, alpha=alpha, power=power)
    within = 0 if clusters is None else units
    return ScorePower(
        score, n, len(first), middle, found, needed[0], needed[1], average.unit, within
    )


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
    """The power of run files, or of files of scores on topics; ``points`` of 100.

    Run files are resampled from their tallies, score by score; other formats as means over topics.
    A count's difference is in its own unit, and so is the difference of a measure with values above 1.
    ``metrics`` are those of the runs that are not in the catalogue.
    Raises DataError, UsageError, UnknownName, UnlikeSignatures.
    """
    if format in ("", "run") and all(map(is_run_file, files)):
        sources = list(_run_scores(files, metrics))
    else:
        table = read_scores(files, format, metrics)
        sources = [(*_table_score(table, measure), None) for measure in table.values]
    known = [key for key, *_ in sources]
    for key in chosen:
        if not any(key in (full, short_key(full)) for full in known):
            raise UnknownName("score", key, known)
    aims = {"alpha": alpha, "power": power, "correlation": correlation}
    found = []
    for key, average, columns, clusters in sources:
        share = average.unit == "share"
        if chosen:
            wanted = key in chosen or short_key(key) in chosen
        else:
            wanted = share and int(np.min(applies_to(average, columns))) >= 2
        if wanted:
            difference = points / 100 if share else points
            found.append(
                score_power(key, average, columns, clusters=clusters, difference=difference, **aims)
            )
    if not found:
        raise UsageError(
            "no score here is a share that applies to two questions; name one: --score"
        )
    return found


def _run_scores(
    files: Sequence[Path], metrics: Sequence[Metric]
) -> Iterator[tuple[str, Average, Columns, Clusters | None]]:
    """Every score of run files: key, average, columns (n, systems), clusters of the questions."""
    reports: dict[str, Report] = {}
    for file in files:
        for run, report in read_reports(file, metrics=metrics).items():
            name = run or run_name(file)
            while name in reports:
                name += "'"
            reports[name] = report
    if len(reports) > 1:
        for one in align_reports(tuple(reports), tuple(reports.values())).scores:
            yield one.key, one.average, one.columns, one.clusters
        return
    for report in reports.values():
        clusters = number_clusters(report.clusters.get(one, "") for one in report.per_question)
        for key, average, columns in score_columns(report):
            if average.resampled:
                yield key, average, take(columns, np.s_[:, None]), clusters


def _table_score(table: ScoreTable, measure: str) -> tuple[str, Average, Columns]:
    """A measure of a score table as a mean over topics; to a missing topic it does not apply."""
    runs = table.values[measure].values()
    topics = table.topics_of[measure]
    scores = np.array([[run.get(topic, 0.0) for run in runs] for topic in topics])
    scored = np.array([[float(topic in run) for run in runs] for topic in topics])
    average = macro(measure)
    if np.max(np.abs(scores)) > 1:
        average = replace(average, unit="count")
    return measure, average, {measure: Column(scores, scored)}
