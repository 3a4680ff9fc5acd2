"""Requests and costs of a run before it is made: fewest and most, without judging anything.

The first round of every metric is exact: its requests are gathered, and one that several metrics
share is counted for the first of them. Later rounds depend on verdicts; for them each metric declares
bounds (`Metric.later_requests`), which are added up without looking for requests that are alike, so
the upper bound is safe. Costs of later rounds are bounds times the mean cost of a first-round call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from argue_bench.eval.driver import Case
from argue_bench.judges.base import Amount
from argue_bench.metrics.base import Bounds, Metric, first_round, tally_steps
from argue_bench.records import JudgeRequest

if TYPE_CHECKING:
    from argue_bench.judges.prompted import Prompted


@dataclass(frozen=True)
class Bound:
    """How many requests of one kind would go to one judge; ``metrics`` make them."""

    judge: str
    kind: str
    fewest: int
    most: int
    metrics: tuple[str, ...]


@dataclass(frozen=True)
class Cost:
    """What one judge would cost for one metric."""

    judge: str
    metric: str
    fewest: Amount
    most: Amount


@dataclass
class _Row:
    first: Amount = field(default_factory=Amount)
    fewest: int = 0
    most: int = 0


def estimate_requests(cases: Iterable[Case], metrics: Sequence[Metric]) -> list[Bound]:
    """Bounds on the requests of all cases, by judge and kind."""
    fewest: Counter[tuple[str, str]] = Counter()
    most: Counter[tuple[str, str]] = Counter()
    makers: dict[tuple[str, str], dict[str, None]] = {}
    for metric, requests, new, later in _first_rounds(cases, metrics):
        # Requests that another metric has made already cost nothing, but this metric makes them too.
        groups = [(metric.judge_name, type(request).__name__) for request in new]
        fewest.update(groups)
        most.update(groups)
        for kind, (low, high) in later.items():
            fewest[metric.judge_name, kind] += low
            most[metric.judge_name, kind] += high
        for kind in [*(type(request).__name__ for request in requests), *later]:
            makers.setdefault((metric.judge_name, kind), {})[str(metric)] = None
    return [
        Bound(judge, kind, fewest[judge, kind], most[judge, kind], tuple(makers[judge, kind]))
        for judge, kind in sorted(makers)
    ]


def estimate_costs(
    cases: Iterable[Case], metrics: Sequence[Metric], judges: Mapping[str, Sequence[Prompted]]
) -> list[Cost]:
    """Costs by judge and metric.

    ``judges``: for each name used in metrics, those that would be called (the members of a panel).
    """
    rows: dict[tuple[Prompted, str], _Row] = {}
    costly = [metric for metric in metrics if judges.get(metric.judge_name)]
    for metric, _, new, later in _first_rounds(cases, costly):
        for model in judges[metric.judge_name]:
            row = rows.setdefault((model, str(metric)), _Row())
            row.first = row.first.plus(model.estimate(new))
            # Behind a cheaper judge none of the later ones may reach the model.
            row.fewest += 0 if model.asked_of else sum(low for low, _ in later.values())
            row.most += sum(high for _, high in later.values())
    costs: list[Cost] = []
    for (model, metric_text), row in rows.items():
        # Of one call on average; without a first-round call there is nothing to go by.
        calls = row.first.calls
        low, high = (
            row.first.plus(row.first, later / calls) if calls else row.first
            for later in (row.fewest, row.most)
        )
        costs.append(Cost(model.name, metric_text, low, high))
    return costs


def _first_rounds(
    cases: Iterable[Case], metrics: Sequence[Metric]
) -> Iterator[tuple[Metric, Sequence[JudgeRequest], list[JudgeRequest], Bounds]]:
    """For each metric and case: its first requests, the new ones among them, bounds on later ones."""
    seen: set[tuple[str, str]] = set()
    for case in cases:
        for metric in metrics:
            requests = first_round(tally_steps(metric, *case))
            new = {
                request.key: request
                for request in requests
                if (metric.judge_name, request.key) not in seen
            }
            seen.update((metric.judge_name, key) for key in new)
            yield metric, requests, list(new.values()), metric.later_requests(*case)
