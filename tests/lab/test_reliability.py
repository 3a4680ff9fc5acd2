"""Alpha on Krippendorff's own example; kappa's interval; flips."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import pytest

from argue_bench.lab.label_agreement import (
    Scale,
    cohen_kappa,
    flip_rate,
    kappa_interval,
    krippendorff_alpha,
)

# Krippendorff 2011, "Computing Krippendorff's alpha-reliability": 4 observers, 12 units
Counts = dict[tuple[Hashable, Hashable], int]
OBSERVED: list[list[Hashable | None]] = [
    [1, 1, None, 1],
    [2, 2, 3, 2],
    [3, 3, 3, 3],
    [3, 3, 3, 3],
    [2, 2, 2, 2],
    [1, 2, 3, 4],
    [4, 4, 4, 4],
    [1, 1, 2, 1],
    [2, 2, 2, 2],
    [None, 5, 5, 5],
    [None, None, 1, 1],
    [None, None, 3, None],
]


@pytest.mark.parametrize(("scale", "alpha"), [("nominal", 0.743), ("interval", 0.849)])
def test_the_published_example(scale: Scale, alpha: float) -> None:
    assert krippendorff_alpha(OBSERVED, scale) == pytest.approx(alpha, abs=5e-4)


def test_alpha_is_undefined_where_there_is_one_value_or_no_pair() -> None:
    assert krippendorff_alpha([["y", "y"], ["y", "y"]]) is None
    assert krippendorff_alpha([["y", None], ["n"]]) is None


def test_intervals_hold_the_value_and_narrow_with_more_units() -> None:
    cells: dict[tuple[str, str], int] = {
        ("y", "y"): 20,
        ("n", "n"): 15,
        ("y", "n"): 5,
        ("n", "y"): 10,
    }
    few, many = kappa_interval(cells), kappa_interval({k: 16 * v for k, v in cells.items()})
    kappa = cohen_kappa(cells)
    assert few is not None
    assert many is not None
    assert kappa is not None
    assert few[0] < many[0] < kappa < many[1] < few[1]
    # sixteen times as many: a quarter of the width
    assert (few[1] - few[0]) / (many[1] - many[0]) == pytest.approx(4, rel=0.1)


def test_kappa_of_a_literal_loop_has_the_same_interval() -> None:
    rng = np.random.default_rng(4)
    pairs = [("y", "y")] * 20 + [("n", "n")] * 15 + [("y", "n")] * 5 + [("n", "y")] * 10
    values = []
    for _ in range(2_000):
        cells: dict[tuple[str, str], int] = {}
        for at in rng.integers(0, len(pairs), len(pairs)):
            cells[pairs[at]] = cells.get(pairs[at], 0) + 1
        values.append(cohen_kappa(cells))
    expected = np.percentile(np.array(values, dtype=float), [2.5, 97.5])
    ours = kappa_interval({pair: pairs.count(pair) for pair in set(pairs)})
    assert ours == pytest.approx(tuple(expected), abs=0.03)


def test_flips() -> None:
    # three askings, two alike: of three pairs two differ; one asking says nothing
    assert flip_rate([["y", "y", "n"], ["y", "y"], ["n"]]) == pytest.approx((2 / 3 + 0) / 2)
    assert flip_rate([["y"], [None, "n"]]) is None
