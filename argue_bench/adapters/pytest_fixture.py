"""A pytest fixture that holds rows to thresholds: ``assert_scores(rows, "faithfulness>=0.9")``."""

from __future__ import annotations

from typing import Any, Protocol

import pytest


class AssertScores(Protocol):
    """The type of the fixture: a function of rows and thresholds, with the options of `evaluate`."""

    def __call__(self, rows: Any, *thresholds: str, **options: Any) -> Any: ...


@pytest.fixture
def assert_scores() -> AssertScores:
    """Evaluate rows (see `argue_bench.from_rows`) and fail where a score is below its threshold.

    A threshold is SCORE>=SHARE; a metric's name stands for its first score. The failure lists the
    sentences that lack support. Returns the report.
    """

    def check(rows: Any, *thresholds: str, **options: Any) -> Any:
        import argue_bench
        from argue_bench.eval.thresholds import below, parse_thresholds

        dataset, answers = argue_bench.from_rows(rows)
        report = argue_bench.evaluate(dataset, answers, **options)
        low = below(report, parse_thresholds(thresholds))
        if low:
            failed = [
                f"{one.question}: {one.text} ({one.reason})" for one in report.failed_sentences()
            ]
            pytest.fail("\n".join([*low, *failed[:10]]), pytrace=False)
        return report

    return check
