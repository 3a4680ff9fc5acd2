"""Does the agreement hang on one topic, one run, one team?

The correlation again with each of them left out. A run that contributed to a pool of nuggets, or a
team whose runs resemble each other, can carry it; a wide spread says that it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from argue_bench.analysis.rankings import AgreementOptions, Pair, correlate
from argue_bench.analysis.score_table import ScoreTable

Left = dict[Pair, dict[str, float]]
"""Pair of measures to what was left out to the correlation without it."""


def leave_out_topics(
    truth: ScoreTable, judge: ScoreTable, method: str, options: AgreementOptions
) -> Left:
    """Each topic of either side left out of the means."""
    every = tuple(dict.fromkeys((*truth.topics, *judge.topics)))
    topics = every if options.topics is None else options.topics
    return _gather(
        truth,
        judge,
        method,
        (
            (topic, replace(options, topics=tuple(t for t in topics if t != topic)))
            for topic in topics
        ),
    )


def leave_out_runs(
    truth: ScoreTable, judge: ScoreTable, method: str, options: AgreementOptions
) -> Left:
    """Each run left out."""
    runs = _runs(truth, judge, options)
    return leave_out_teams(truth, judge, method, options, {run: run for run in runs})


def leave_out_teams(
    truth: ScoreTable,
    judge: ScoreTable,
    method: str,
    options: AgreementOptions,
    teams: Mapping[str, str],
) -> Left:
    """All runs of each team left out together; ``teams`` maps run to team."""
    runs = _runs(truth, judge, options)
    return _gather(
        truth,
        judge,
        method,
        (
            (team, replace(options, runs=tuple(r for r in runs if teams.get(r) != team)))
            for team in dict.fromkeys(teams[run] for run in runs if run in teams)
        ),
    )


def _runs(truth: ScoreTable, judge: ScoreTable, options: AgreementOptions) -> tuple[str, ...]:
    every = sorted({*truth.runs, *judge.runs})
    return tuple(run for run in every if options.runs is None or run in options.runs)


def _gather(
    truth: ScoreTable,
    judge: ScoreTable,
    method: str,
    readings: Iterable[tuple[str, AgreementOptions]],
) -> Left:
    found: Left = {}
    for left, options in readings:
        for pair, values in correlate(truth, judge, (method,), options).items():
            found.setdefault(pair, {})[left] = values[method]
    return found
