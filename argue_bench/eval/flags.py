"""The flagged sentences of a report as they are shown: in tiers, the surest first.

``sure``: a value, a date or a name that the sources lack or contradict, in tasks in which such flags are more
often right than wrong. ``look``: the others that are more often right than wrong. ``weak``: those that are more often wrong. How
often is the flag's ``probability``; flags of judges without one have no tier.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from statistics import fmean
from typing import TYPE_CHECKING, NamedTuple

from argue_bench.eval.warranty import Warranty, warranty_of
from argue_bench.records import SURE

if TYPE_CHECKING:
    from argue_bench.eval.report import FailedSentence, Report

TIERS = {
    "sure": "sure: the sources contradict it or lack its names or values",
    "look": "to look at: little of it was found",
    "weak": "weaker",
}
LIKELIEST = 3
"""How many weaker flags are shown where there are no others."""
SHOWN = 5
"""How many flags, or missed nuggets, are shown where nobody says how many."""


class FlagList(NamedTuple):
    """Flags by tier, each sentence once: of flags by several metrics the likeliest. "" are those without a tier."""

    tiers: dict[str, list[FailedSentence]]
    warranty: Warranty | None

    def listed(self, weak: bool = False) -> list[FailedSentence]:
        """Those that are shown, the surest first: the likeliest weaker ones where there are no others, with
        ``weak`` all."""
        found = [one for tier, some in self.tiers.items() if tier != "weak" for one in some]
        return found + self.tiers["weak"][: None if weak else 0 if found else LIKELIEST]


def tier_of(one: FailedSentence) -> str:
    """The tier of a flag; empty where nobody measured how often it is right."""
    if one.probability is None:
        return ""
    if one.probability < 0.5:  # as often wrong as right
        return "weak"
    return "sure" if one.flag in SURE else "look"


def flag_list(report: Report) -> FlagList:
    """The flags of all metrics of a report, by tier."""
    each: dict[tuple[str, int], FailedSentence] = {}
    for one in report.failed_sentences():
        other = each.setdefault((one.question, one.number), one)
        if (one.probability or 0) > (other.probability or 0):
            each[one.question, one.number] = one
    tiers: dict[str, list[FailedSentence]] = {tier: [] for tier in ("sure", "look", "", "weak")}
    for one in each.values():
        tiers[tier_of(one)].append(one)
    for some in tiers.values():
        # What the sources deny is what a reader must see first.
        some.sort(key=lambda one: (-(one.probability or 0), one.lack != "contradicted"))
    return FlagList(tiers, warranty_of(report))


def tier_lines(flags: FlagList, weak: bool = False) -> Iterator[str]:
    """A line for each tier with flags: how many, what they are, and how often such flags were right."""
    counts = Counter(map(tier_of, flags.listed(weak)))
    for tier in TIERS:
        if count := counts[tier]:
            right = flags.warranty.precision(tier) if flags.warranty else None
            measured = (
                "" if right is None else f" (such flags were right {100 * right:.0f} of 100 times)"
            )
            yield f"{count:,} {TIERS[tier]}{measured}"


def rest_line(flags: FlagList, how: str) -> str:
    """How many weaker flags are not shown, and ``how`` to see them; empty where there are none."""
    count = len(flags.listed(weak=True)) - len(flags.listed())
    right = flags.warranty.precision("weak") if flags.warranty else None
    measured = f" (about 1 in {round(1 / right)} is right)" if right else ""
    return f"and {count:,} weaker flag{'s' * (count != 1)}{measured}: {how}" if count else ""


def listed_share(report: Report, key: str) -> tuple[float | None, int]:
    """A score without the weaker flags, and their number: thresholds count what is listed.

    That holds for the share of sentences that the contexts support (``faithfulness.supported``); any other score
    is as it is.
    """
    metric, _, name = key.rpartition(".")
    value = report.scores[key].value
    if value is None or (metric, name) != ("faithfulness", "supported"):
        return value, 0
    weak = Counter(
        one.question for one in report.failed_sentences(metric) if tier_of(one) == "weak"
    )
    rows = ((id, (row.get(metric) or {}).get(name)) for id, row in report.per_question.items())
    shares = [
        (tally.numerator + weak[id]) / tally.denominator
        for id, tally in rows
        if tally is not None and tally.denominator
    ]
    return fmean(shares) if weak else value, weak.total()


def flag_lines(
    report: Report,
    most: int = SHOWN,
    how: str = "failed_sentences() has them",
    *,
    weak: bool = False,
) -> list[str]:
    """The flags as plain lines, for a page, a notebook or a test: at most so many, the surest first.

    ``how`` says how the weaker ones are seen, which are listed with ``weak``.
    """
    flags = flag_list(report)
    listed = flags.listed(weak)
    lines = [*tier_lines(flags, weak)]
    lines += [f"{one.question}: {one.text} ({one.reason})" for one in listed[:most]]
    lines += [f"and {len(listed) - most:,} more"] if len(listed) > most else []
    return [*lines, *filter(None, ["" if weak else rest_line(flags, how)])]
