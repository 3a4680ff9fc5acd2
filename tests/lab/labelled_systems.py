"""Planted systems of whose answers people labelled some, for tests and benchmarks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from argue_bench.analysis.aligned import ComparedScore
from argue_bench.eval.report import Report, Scores
from argue_bench.eval.signature import Signature
from argue_bench.lab.corrected.corrections import CorrectedScores
from argue_bench.records import Tally
from argue_bench.stats.averages import Average, Column, Harmonic, macro, micro, stack
from argue_bench.stats.bootstrap import estimate

QUESTIONS = tuple(f"q{at}" for at in range(150))
METRIC = "faithfulness"
F1 = Harmonic(micro("x"), macro("y"))


def planted(
    labelled: Sequence[Sequence[int]], average: Average = F1, groups: bool = False
) -> tuple[ComparedScore, dict[str, Report]]:
    """Systems of rising quality, of whose answers people labelled these questions; the judge is kind."""
    rng = np.random.default_rng(3)
    n, columns, reports = len(QUESTIONS), [], {}
    hard = rng.normal(0, 0.2, n)
    for number, places in enumerate(labelled):
        quality = 0.3 + 0.5 * number / len(labelled)
        share = np.clip(quality + hard + rng.normal(0, 0.15, n), 0, 1)
        sizes = rng.integers(1, 6, n)
        right = rng.binomial(sizes, share)
        seen = np.minimum(right + (rng.random(n) < 0.3), sizes).astype(float)
        found = (share > 0.5).astype(float)
        its = np.where(rng.random(n) < 0.15, 1.0, found)
        columns.append(
            {"x": Column(seen, sizes.astype(float)), "y": Column(its, np.ones_like(its))}
        )
        people = {
            QUESTIONS[at]: {
                METRIC: {
                    "x": Tally(float(right[at]), float(sizes[at])),
                    "y": Tally(float(found[at]), 1.0),
                }
            }
            for at in places
        }
        signature = {METRIC: Signature({"metric": METRIC})}
        name = f"s{number}"
        reports[name] = Report(
            "own", name, n, Scores({}), signature, {}, corrected=CorrectedScores({}, people)
        )
    together = stack(columns, average.columns_read)
    values = tuple(float(value) for value in estimate(average, together))
    of = np.arange(n) // 3 if groups else None
    key = f"{METRIC}.supported"
    return ComparedScore(key, average, together, QUESTIONS, values, of), reports
