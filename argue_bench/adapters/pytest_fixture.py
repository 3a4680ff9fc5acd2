"""A pytest fixture that holds rows to bounds: ``assert_scores(rows, "faithfulness >= 0.9", "contradicted <= 0")``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

# Sentences that a failure lists.
SHOWN = 10


@pytest.fixture
def assert_scores() -> Callable[..., Any]:
    """Evaluate rows (see `argue_bench.from_rows`) and fail where a bound does not hold.

    A bound is SCORE >= SHARE or CLASS <= COUNT; a metric's name means its first score. The failure lists the sentences that
    lack support, the surest first. Flags that are more often wrong than right are counted apart, and count
    against a bound only with ``all_flags=True``. Returns the report.
    """

    def check(rows: Any, *bounded: str, all_flags: bool = False, **options: Any) -> Any:
        import argue_bench
        from argue_bench.eval.flags import broken_bounds, flag_lines, parse_bounds

        bounds = parse_bounds(bounded, asserted=True)
        dataset, answers = argue_bench.from_rows(rows)
        report = argue_bench.evaluate(dataset, answers, **options)
        if broken := list(broken_bounds(report, bounds, all_flags)):
            listed = flag_lines(report, SHOWN, "all_flags=True", weak=all_flags)
            pytest.fail("\n".join([*broken, *listed]), pytrace=False)
        return report

    return check
