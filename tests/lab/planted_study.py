"""A study with the shape of the Auto-ARGUE paper's, whose true agreement is known because it is planted.

17 runs in each of Chinese, Russian and Farsi, on 21 topics, scored by people and by a judge. Run r has
a true quality z_r, and the judge's view of it is

    g_r = rho * z_r + sqrt(1 - rho^2) * e_r,    z, e standard normal

so Kendall's tau of the two orders tends to 2/pi * arcsin(rho) over runs drawn anew, and for these 51
runs to the tau of (z, g). Scores on topics add topic difficulty and noise to either side. Nothing in it
comes from TREC.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from argue_bench.lab.score_table import ScoreTable, TopicScore, table_of
from argue_bench.stats.correlation import correlation

LANGUAGES: Mapping[str, float] = {"fas": 0.95, "rus": 0.9, "zho": 0.8}
"""Language to the planted rho."""
RUNS, TEAMS, TOPICS, SEED = 17, 5, 21, 7
MEASURE = "nugget_coverage"


@dataclass(frozen=True)
class PlantedStudy:
    """A planted study."""

    truth: ScoreTable
    judge: ScoreTable
    groups: Mapping[str, str]
    """Run to language."""
    planted: Mapping[str, float]
    """Language to Kendall's tau of the planted qualities; "" for all runs."""
    limit: Mapping[str, float]
    """Language to 2/pi * arcsin(rho)."""


def planted_study(seed: int = SEED, topics: int = TOPICS, noise: float = 0.12) -> PlantedStudy:
    """The planted study; more topics bring the measured tau to the planted one."""
    rng = np.random.default_rng(seed)
    names: list[str] = []
    groups: dict[str, str] = {}
    truth: list[np.ndarray] = []
    judge: list[np.ndarray] = []
    for language, rho in LANGUAGES.items():
        z, e = rng.standard_normal((2, RUNS))
        truth.append(z)
        judge.append(rho * z + np.sqrt(1 - rho**2) * e)
        for number in range(RUNS):
            run = f"{language}-team{number % TEAMS + 1}-run{number // TEAMS + 1}"
            names.append(run)
            groups[run] = language
    quality = {"truth": np.concatenate(truth), "judge": np.concatenate(judge)}
    easy = rng.normal(0, 0.05, topics)
    sides = {
        side: table_of(_rows(names, 0.5 + 0.1 * q, easy, noise, rng), f"planted {side}")
        for side, q in quality.items()
    }
    planted = {"": correlation("kendall", quality["truth"], quality["judge"])}
    for i, language in enumerate(LANGUAGES):
        planted[language] = correlation("kendall", truth[i], judge[i])
    limit = {language: float(2 / np.pi * np.arcsin(rho)) for language, rho in LANGUAGES.items()}
    return PlantedStudy(sides["truth"], sides["judge"], groups, planted, limit)


def _rows(
    names: list[str], means: np.ndarray, easy: np.ndarray, noise: float, rng: np.random.Generator
) -> Iterator[TopicScore]:
    scores = means[:, None] + easy + rng.normal(0, noise, (len(names), len(easy)))
    for run, values in zip(names, scores, strict=True):
        for number, value in enumerate(values, 1):
            yield TopicScore(run, f"{300 + number}", MEASURE, float(np.round(value, 4)))
