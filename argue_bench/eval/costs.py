"""What would judging cost, by judge and metric? Calls, tokens and US dollars, fewest and most.

The first round of every metric is exact: its prompts are built and not sent; an ask that several metrics
share is put down to the first of them. Later rounds depend on verdicts: their bounds (`Metric.later_asks`) are
taken times what a call of the first round took on average.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from argue_bench.eval.drive import Case
from argue_bench.metrics.base import Metric
from argue_bench.records import JudgeRequest


class Estimate(Protocol):
    """Calls, tokens and US dollars; ``price`` None where it is not known."""

    @property
    def calls(self) -> int: ...

    @property
    def tokens_in(self) -> int: ...

    @property
    def tokens_out(self) -> int: ...

    @property
    def price(self) -> float | None: ...


class Estimating(Protocol):
    """A judge that knows what asks would come to."""

    @property
    def name(self) -> str: ...

    def estimate(self, requests: Iterable[JudgeRequest]) -> Estimate: ...


@dataclass(frozen=True)
class Amount:
    """So many calls and tokens, at this price."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    price: float | None = 0.0

    def plus(self, other: Estimate | Amount, times: float = 1.0) -> Amount:
        """This and so many times the other."""
        unknown = self.price is None or other.price is None
        return Amount(
            self.calls + round(times * other.calls),
            self.tokens_in + round(times * other.tokens_in),
            self.tokens_out + round(times * other.tokens_out),
            None if unknown else (self.price or 0.0) + times * (other.price or 0.0),
        )


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
    later: tuple[int, int] = (0, 0)


def costs(
    cases: Iterable[Case],
    metrics: Sequence[Metric],
    judges: Mapping[str, Sequence[Estimating]],
) -> list[Cost]:
    """Costs by judge and metric. ``judges``: for each name used in metrics, those who would be asked
    (the members of a panel). Asks nothing."""
    rows: dict[tuple[Estimating, str], _Row] = {}
    seen: set[tuple[str, str]] = set()
    for case in cases:
        for metric in metrics:
            models = judges.get(metric.judge_name, ())
            if not models:
                continue
            new = _first_round(case, metric, seen)
            later = metric.later_asks(case.question, case.answer, case.documents).values()
            for model in models:
                row = rows.setdefault((model, str(metric)), _Row())
                row.first = row.first.plus(model.estimate(new))
                row.later = (
                    row.later[0] + sum(low for low, _ in later),
                    row.later[1] + sum(high for _, high in later),
                )
    return [_cost(model.name, metric, row) for (model, metric), row in rows.items()]


def _first_round(case: Case, metric: Metric, seen: set[tuple[str, str]]) -> list[JudgeRequest]:
    asking = metric.tally(case.question, case.answer, case.documents)
    try:
        requests = next(asking)
    except StopIteration:
        return []
    asking.close()
    new = {
        request.key: request for request in requests if (metric.judge_name, request.key) not in seen
    }
    seen.update((metric.judge_name, key) for key in new)
    return list(new.values())


def _cost(judge: str, metric: str, row: _Row) -> Cost:
    each = row.first
    low, high = row.first, row.first
    if each.calls:
        low = low.plus(each, row.later[0] / each.calls)
        high = high.plus(each, row.later[1] / each.calls)
    return Cost(judge, metric, low, high)
