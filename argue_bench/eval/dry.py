"""What a run would ask, without asking: fewest and most asks by judge and kind.

The first round of a metric is exact: its asks are gathered and alike ones counted once. Later
rounds depend on verdicts; for them each metric declares bounds (``Metric.later_asks``), which are
added up without looking for alike ones, so the upper bound is safe.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from argue_bench.eval.drive import Case
from argue_bench.metrics.base import Metric


@dataclass(frozen=True)
class Bound:
    """How many asks of one kind would go to one judge; ``metrics`` are those that want them."""

    judge: str
    kind: str
    fewest: int
    most: int
    metrics: tuple[str, ...]


def dry_run(cases: Iterable[Case], metrics: Sequence[Metric]) -> list[Bound]:
    """Bounds for all cases, by judge and kind. Asks nothing."""
    seen: set[tuple[str, str]] = set()
    fewest: Counter[tuple[str, str]] = Counter()
    most: Counter[tuple[str, str]] = Counter()
    wanted: dict[tuple[str, str], dict[str, None]] = {}
    for case in cases:
        for metric in metrics:
            asking = metric.tally(case.question, case.answer, case.documents)
            try:
                requests = next(asking)
            except StopIteration:
                requests = ()
            asking.close()
            for request in requests:
                group = (metric.judge_name, type(request).__name__)
                wanted.setdefault(group, {})[str(metric)] = None
                if (metric.judge_name, request.key) not in seen:
                    seen.add((metric.judge_name, request.key))
                    fewest[group] += 1
                    most[group] += 1
            later = metric.later_asks(case.question, case.answer, case.documents)
            for kind, (low, high) in later.items():
                group = (metric.judge_name, kind)
                wanted.setdefault(group, {})[str(metric)] = None
                fewest[group] += low
                most[group] += high
    return [
        Bound(judge, kind, fewest[judge, kind], most[judge, kind], tuple(wanted[judge, kind]))
        for judge, kind in sorted(wanted)
    ]
