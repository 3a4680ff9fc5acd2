"""Reference values of `ppi-python`: ``python -m tests.agreement.ppi_values`` writes them anew.

That package pulls in numba, statsmodels, scikit-learn and gdown, so the tests read what it gave: point
estimate, power tuning and normal interval of means, from ppi-python 0.2.3 (`ppi_mean_pointestimate`,
`ppi_mean_ci`). Run it where ``pip install ppi-python`` was done.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from scipy.special import ndtri

from argue_bench.lab.corrected.prediction_powered import Corrected
from argue_bench.stats.averages import Array

VALUES = Path(__file__).parent / "vectors" / "ppi" / "means.json"


def normal_interval(found: Corrected, level: float = 0.95) -> tuple[Array, Array]:
    """The published normal interval, which holds the truth too seldom on few labels."""
    reach = ndtri((1 + level) / 2) * found.standard_error
    return found.value - reach, found.value + reach


def main() -> None:
    """Writes the cases with what ppi-python makes of them."""
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate  # type: ignore[import-not-found]

    rng = np.random.default_rng(7)
    cases = []
    for n, others in ((3, 4), (20, 30), (25, 200), (50, 60), (40, 10)):
        for kind in ("graded", "binary", "useless", "opposite", "constant judge"):
            truth = np.round(rng.random(n + others), 3)
            people = (truth > 0.4).astype(float) if kind == "binary" else truth
            judge = np.round(np.clip(people + rng.normal(0, 0.3, n + others), 0, 1), 3)
            if kind == "useless":
                judge = np.round(rng.random(n + others), 3)
            elif kind == "opposite":
                judge = np.round(1 - people, 3)
            elif kind == "constant judge" and n > 3:
                judge = np.where(np.arange(n + others) < n + 1, 1.0, 0.5)
            given = people[:n], judge[:n], judge[n:]
            low, high = ppi_mean_ci(*given, alpha=0.05)
            cases.append(
                {
                    "kind": kind,
                    "people": given[0].tolist(),
                    "judge": given[1].tolist(),
                    "rest": given[2].tolist(),
                    "value": np.asarray(ppi_mean_pointestimate(*given)).item(),
                    "low": np.asarray(low).item(),
                    "high": np.asarray(high).item(),
                }
            )
    VALUES.write_text(json.dumps({"ppi-python": "0.2.3", "cases": cases}) + "\n")


if __name__ == "__main__":
    main()
