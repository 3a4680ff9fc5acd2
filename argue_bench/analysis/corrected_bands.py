"""Rank bands of systems whose scores people's labels correct.

Tests of the judge's verdicts would rank the judge's errors too. So two systems are told apart here where the
95 % interval of their difference, corrected by labels of both systems' answers
(`argue_bench.eval.people.differences`), leaves 0 out. A pair without such an interval, for want of labels, is
not told apart. Bands are made as in `argue_bench.analysis.bands`. The ranks of a system are those that its tests
against all others allow (Mogstad, Romano, Shaikh and Wilhelm 2024), without a correction for their number.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import permutations
from typing import Any

import numpy as np

from argue_bench.analysis.aligned import ComparedScore, align_reports
from argue_bench.analysis.bands import SCHEMA
from argue_bench.eval.people.corrections import Correction
from argue_bench.eval.people.differences import (
    CorrectedDifference,
    corrected_differences,
    corrected_scores,
)
from argue_bench.eval.report import Report
from argue_bench.stats.bootstrap import RESAMPLES
from argue_bench.stats.significance import ALPHA

Gap = tuple[float, bool]
"""One system's score minus another's, and whether that is shown not to be 0."""


def bands_of_labelled(key: str, reports: Mapping[str, Report]) -> dict[str, Any] | None:
    """The bands of one score, full key, of reports that people labelled; None where it is not compared.

    Raises UsageError and UnlikeSignatures as `align_reports` does.
    """
    aligned = align_reports(tuple(reports), tuple(reports.values()))
    one = next((one for one in aligned.scores if one.key == key), None)
    if one is None:
        return None
    own = corrected_scores(one, aligned.reports)
    return corrected_bands(one, own, corrected_differences([one], aligned.reports))


def corrected_bands(
    one: ComparedScore,
    own: Mapping[str, Correction],
    differences: Iterable[CorrectedDifference],
    resamples: int = RESAMPLES,
) -> dict[str, Any] | None:
    """Every system with its corrected value, interval, ranks and band, as `bands.rank_bands` gives them.

    ``own`` has each system's corrected score, ``differences`` those of pairs; ``below_leader`` is each
    system's corrected difference from the first. None where one of the systems has no corrected score,
    or the score has no better end.
    """
    known = {name: found for name, found in own.items() if found.value is not None}
    if len(known) < len(one.values) or not one.average.better:
        return None
    gaps: dict[tuple[str, str], Gap] = {}
    labelled: list[int] = []
    for pair in (pair for pair in differences if pair.score == one.key):
        found = pair.correction
        labelled.append(found.labelled)
        if found.value is None:
            continue
        shown = found.low is not None and found.high is not None and found.low * found.high > 0
        gaps[pair.first, pair.second] = (found.value, shown)
        gaps[pair.second, pair.first] = (-found.value, shown)
    sign = 1.0 if one.average.better == "higher" else -1.0
    order = sorted(known, key=lambda name: -sign * (known[name].value or 0.0))
    below = {
        (a, b) for a, b in permutations(order, 2) if (a, b) in gaps and _is_below(gaps[a, b], sign)
    }
    bands, size = _bands(order, below), len(order)
    rows = [
        {
            "system": name,
            **{end: getattr(known[name], end) for end in ("value", "low", "high")},
            "rank": place,
            "rank_low": 1 + sum((name, other) in below for other in order),
            "rank_high": size - sum((other, name) in below for other in order),
            "band": bands[name][0],
            "p_below_leader": bands[name][1],
            "below_leader": gaps.get((name, order[0]), (None, False))[0],
        }
        for place, name in enumerate(order, 1)
    ]
    return {
        "schema": SCHEMA,
        "score": one.key,
        "better": one.average.better,
        "unit": one.average.unit,
        "n": len(one.questions),
        "labelled": min(labelled, default=0),
        **({"clusters": int(np.max(one.clusters)) + 1} if one.clusters is not None else {}),
        "resolvable": None,
        "alpha": ALPHA,
        "test": "interval of the difference corrected by people's labels",
        "correction": "none",
        "resamples": resamples,
        "systems": rows,
    }


def _is_below(gap: Gap, sign: float) -> bool:
    value, shown = gap
    return shown and sign * value < 0


def _bands(order: list[str], below: set[tuple[str, str]]) -> dict[str, tuple[int, str | None]]:
    """The band of each system and its p against the leader of that band, in words."""
    found: dict[str, tuple[int, str | None]] = {}
    rest, number = order, 0
    while rest:
        number += 1
        leader, *others = rest
        found[leader] = (number, None)
        rest = [name for name in others if (name, leader) in below]
        found |= {name: (number, f">={ALPHA:g}") for name in others if name not in rest}
    return found
