"""A pytest fixture that holds rows to thresholds: ``assert_scores(rows, "faithfulness>=0.9")``."""

from __future__ import annotations

from typing import Any, Protocol

import pytest

SHOWN = 10
"""Sentences that a failure lists."""


class AssertScores(Protocol):
    """The type of the fixture: a function of rows and thresholds, with the options of `evaluate`."""

    def __call__(self, rows: Any, *thresholds: str, **options: Any) -> Any: ...


@pytest.fixture
def assert_scores() -> AssertScores:
    """Evaluate rows (see `argue_bench.from_rows`) and fail where a score is below its threshold.

    A threshold is SCORE>=SHARE; a metric's name stands for its first score. The failure lists the sentences that
    lack support, the surest first. Flags that are more often wrong than right are counted apart, and count
    against a threshold only with ``all_flags=True``. Returns the report.
    """

    def check(rows: Any, *thresholds: str, all_flags: bool = False, **options: Any) -> Any:
        import argue_bench
        from argue_bench.eval.flags import flag_lines
        from argue_bench.eval.least_scores import below, parse_thresholds

        dataset, answers = argue_bench.from_rows(rows)
        report = argue_bench.evaluate(dataset, answers, **options)
        if low := below(report, parse_thresholds(thresholds), all_flags):
            listed = flag_lines(report, SHOWN, "all_flags=True", weak=all_flags)
            pytest.fail("\n".join([*low, *listed]), pytrace=False)
        return report

    return check
