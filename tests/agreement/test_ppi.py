"""Corrected means equal ppi-python's: point estimate, standard error, normal interval, within 1e-9.

`ppi_values` wrote what that package gave. Where it is installed, it is asked anew on other cases.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.stats import norm

from argue_bench.lab.corrected.prediction_powered import corrected_mean
from tests.agreement.ppi_values import normal_interval
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


def test_it_is_that_of_ppi_python_where_this_is_installed() -> None:
    ppi_py = pytest.importorskip("ppi_py", reason="ppi-python is not installed")
    rng = np.random.default_rng(19)
    for n, others in ((4, 9), (20, 500), (60, 60), (300, 40)):
        people = rng.beta(2, 1.2, n + others)
        judge = np.clip(people + rng.normal(0.1, 0.2, n + others), 0, 1)
        given = people[:n], judge[:n], judge[n:]
        found = corrected_mean(*given)
        value = float(np.squeeze(ppi_py.ppi_mean_pointestimate(*given)))
        ends = [float(np.squeeze(end)) for end in ppi_py.ppi_mean_ci(*given, alpha=0.05)]
        assert float(found.value) == pytest.approx(value, abs=1e-9)
        low, high = normal_interval(found)
        assert [float(low), float(high)] == pytest.approx(ends, abs=1e-9)
        error = (ends[1] - ends[0]) / 2 / norm.ppf(0.975)
        assert float(found.standard_error) == pytest.approx(error, abs=1e-9)
