"""Agreement between a language model judging one request a call and many requests a call.

Both ways are compared with the same labels, and with each other: the share of requests on which they
agree and Cohen's kappa (1960), by kind, over the requests to which both gave a verdict. Where no two
labels share a sentence, both ways make nearly the same calls; the counts of calls show it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, get_args

from argue_bench.errors import UsageError
from argue_bench.judges.base import Counts, Judge
from argue_bench.judges.checks.agreement import (
    Interval,
    JudgeCheck,
    Replies,
    comparable,
    compare_with_labels,
    judge_labels,
)
from argue_bench.judges.labels import read_labels
from argue_bench.judges.prompted import Prompted
from argue_bench.judges.prompted.calls import CallMode
from argue_bench.records import KINDS, Verdict
from argue_bench.stats.reliability import cohen_kappa, confusion, kappa_interval

CALL_MODES: tuple[CallMode, ...] = get_args(CallMode)


@dataclass(frozen=True)
class ModeAgreement:
    """Agreement of the two modes on one kind. ``kappa`` is None for texts, and where nothing varies."""

    n: int
    agreement: float | None = None
    kappa: float | None = None
    kappa_interval: Interval | None = None


@dataclass(frozen=True)
class BatchingCheck:
    """What `check_batching` found, by mode, and between the modes by kind."""

    checked: Mapping[str, JudgeCheck]
    counts: Mapping[str, Counts]
    between: Mapping[str, ModeAgreement]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        forms = {
            mode: {**checked.to_dict(), "spent": asdict(self.counts[mode])}
            for mode, checked in self.checked.items()
        }
        return {"forms": forms, "between": {k: asdict(row) for k, row in self.between.items()}}


def both_modes(judge: Judge) -> dict[str, Prompted]:
    """The judge in each call mode. Raises UsageError where it is not a language model."""
    if not isinstance(judge, Prompted):
        raise UsageError(f"{judge.name} has one form only: name a language model, PROVIDER/MODEL")
    return {mode: judge.with_mode(mode) for mode in CALL_MODES}


def check_batching(judges: Mapping[str, Judge], labels: Path) -> BatchingCheck:
    """Sends the requests of all labels in each mode (`both_modes`).

    Raises DataError for a bad label file, and JudgeError where a judge cannot go on.
    """
    known = read_labels(labels)

    async def ask() -> dict[str, Replies]:
        return {mode: await judge_labels(judge, known) for mode, judge in judges.items()}

    replies = asyncio.run(ask())
    pairs: dict[str, list[tuple[str | float, str | float]]] = {}
    for label in known:
        one, other = (replies[mode].get(label.request.key) for mode in CALL_MODES)
        if isinstance(one, Verdict) and isinstance(other, Verdict):
            both = comparable(one.value), comparable(other.value)
            pairs.setdefault(label.kind, []).append(both)
    between = {}
    for kind in filter(pairs.__contains__, KINDS):
        agreement = sum(one == other for one, other in pairs[kind]) / len(pairs[kind])
        cells = {} if KINDS[kind].verdicts is str else confusion(pairs[kind])
        kappa = (cohen_kappa(cells), kappa_interval(cells)) if cells else (None, None)
        between[kind] = ModeAgreement(len(pairs[kind]), agreement, *kappa)
    return BatchingCheck(
        {mode: compare_with_labels(j.name, known, [replies[mode]]) for mode, j in judges.items()},
        {mode: judge.counts for mode, judge in judges.items()},
        between,
    )
