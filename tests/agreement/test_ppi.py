"""Corrected means equal ppi-python's: point estimate, standard error, normal interval, within 1e-9."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from argue_bench.stats.prediction_powered import corrected_mean, normal_interval
from tests.agreement.vectors import parameters, read


def means(path: Path) -> Iterator[tuple[str, Any]]:
    for case in read(path)["cases"]:
        yield f"{case['kind']} {len(case['people'])}", case


@pytest.mark.parametrize("case", parameters("ppi", "means.json", means))
def test_a_corrected_mean_is_that_of_ppi_python(case: dict[str, Any]) -> None:
    found = corrected_mean(*(np.array(case[name]) for name in ("people", "judge", "rest")))
    low, high = normal_interval(found)
    assert float(found.value) == pytest.approx(case["value"], abs=1e-9)
    error = (case["high"] - case["low"]) / 2 / norm.ppf(0.975)
    assert float(found.standard_error) == pytest.approx(error, abs=1e-9)
    assert (float(low), float(high)) == pytest.approx((case["low"], case["high"]), abs=1e-9)
