"""Does a judge say the same asked one by one and many at once? Both forms against the same labels.

For each form its agreement with the labels, its calls and its tokens; between the forms, over the asks
to which both gave a verdict, the share on which they agree and Cohen's kappa (1960) by kind of ask. Labels
whose asks share no sentence make the two forms nearly the same calls, and the counts of calls say so.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from argue_bench.errors import UsageError
from argue_bench.judges.base import Counts, Judge
from argue_bench.judges.check import Checked, Interval, Replies, asked, compared, same
from argue_bench.judges.labels import Label, read_labels
from argue_bench.judges.prompted import Prompted
from argue_bench.judges.prompted.calls import Asking
from argue_bench.records import KINDS, Verdict

FORMS: tuple[Asking, ...] = ("single", "batched")


@dataclass(frozen=True)
class Between:
    """Agreement of the two forms on one kind. ``kappa`` is None for texts, and where nothing varies."""

    n: int
    agreement: float | None = None
    kappa: float | None = None
    kappa_interval: Interval | None = None


@dataclass(frozen=True)
class Forms:
    """What `compare_forms` found, by form and by kind."""

    checked: Mapping[str, Checked]
    counts: Mapping[str, Counts]
    between: Mapping[str, Between]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        forms = {
            form: {**checked.to_dict(), "spent": asdict(self.counts[form])}
            for form, checked in self.checked.items()
        }
        return {"forms": forms, "between": {k: asdict(row) for k, row in self.between.items()}}


def both_forms(judge: Judge) -> dict[str, Prompted]:
    """The judge asked in each form, by form. Raises UsageError where it is no language model."""
    if not isinstance(judge, Prompted):
        raise UsageError(f"{judge.name} has one form only: name a language model, PROVIDER/MODEL")
    return {form: judge.asked(form) for form in FORMS}


def compare_forms(judges: Mapping[str, Judge], labels: Path) -> Forms:
    """Asks every label's ask in each form. Raises DataError for a bad label file, and JudgeError
    where one of the forms can't be asked."""
    known = read_labels(labels)
    replies = asyncio.run(_both(judges, known))
    between = {}
    for kind in KINDS:
        pairs = [
            pair
            for label in known
            if type(label.request).__name__ == kind
            if (pair := _pair(label, replies)) is not None
        ]
        if pairs:
            between[kind] = _between(pairs, KINDS[kind].verdicts is not str)
    checked = {form: compared(judge.name, known, [replies[form]]) for form, judge in judges.items()}
    return Forms(checked, {form: judge.counts for form, judge in judges.items()}, between)


async def _both(judges: Mapping[str, Judge], labels: Sequence[Label]) -> dict[str, Replies]:
    return {form: await asked(judge, labels) for form, judge in judges.items()}


def _pair(label: Label, replies: Mapping[str, Replies]) -> tuple[str | float, str | float] | None:
    one, other = (replies[form].get(label.request.key) for form in FORMS)
    if isinstance(one, Verdict) and isinstance(other, Verdict):
        return same(one.value), same(other.value)
    return None


def _between(pairs: Sequence[tuple[str | float, str | float]], words: bool) -> Between:
    from argue_bench.stats.kappa import cohen_kappa, confusion
    from argue_bench.stats.reliability import kappa_interval

    agreement = sum(one == other for one, other in pairs) / len(pairs)
    if not words:
        return Between(len(pairs), agreement)
    cells = confusion(pairs)
    return Between(len(pairs), agreement, cohen_kappa(cells), kappa_interval(cells))
