"""The bridge over a change of judge, release or metric: the same answers, scored before and after.

Every re-scoring of a season writes one, from told scores alone, so that it tells nothing more of hidden gold
than the rows do: for each setting every system's score before and after, ranks before and after, Kendall's
tau-b, and the mean shift with its 95 % interval over the systems (Student's t). A shift of fewer than two
systems has no interval; tau of fewer than three, or where a side is constant, is not defined: null.

Beside them stand the bridges of `judge bridge` that an organiser signed, each under ``judges``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from argue_bench.errors import UsageError
from argue_bench.eval.signature import judge_text, without_observed
from argue_bench.leaderboard.formats.layout import SCORED
from argue_bench.leaderboard.formats.ledger import Event
from argue_bench.leaderboard.formats.results import Result

if TYPE_CHECKING:
    from argue_bench.lab.bridge import BridgeFile

# How far all rows may move to one side; another judge of the same answers hardly moves them so far.
MOST_MOVED = 0.3
# System to setting to its told score.
Scores = Mapping[str, Mapping[str, float]]


def scores_before(
    events: Iterable[Event], season: str, reason: str, answers: Mapping[str, str]
) -> dict[str, dict[str, float]]:
    """The scores in the ledger before the re-scoring with this reason: of the very ``answers`` that it scores.

    ``answers``: system to the digest of what is not recorded yet. Where the ledger has no such answers, the last scores.
    """
    found: dict[str, dict[str, float]] = {}
    # Better answers that are not merged came later, and say nothing of these.
    until: dict[tuple[str, str | None], dict[str, float]] = {}
    wanted: dict[str, str] = {}
    for event in events:
        if event.season != season or (event.event == "re-scored" and event.reason == reason):
            wanted |= {event.system: event.answers or ""} if event.season == season else {}
            continue
        told = {
            setting: float(value) for setting, value in event.scores.items() if value is not None
        }
        # A re-scoring replaces all settings of a system; a run adds to those that it was told.
        if event.event == "re-scored":
            found[event.system] = told
        elif event.event in SCORED:
            found.setdefault(event.system, {}).update(told)
        until[event.system, event.answers] = {**found.get(event.system, {})}
    wanted |= answers
    return {**found, **{one[0]: until[one] for one in wanted.items() if one in until}}


def scores_after(events: Iterable[Event], season: str, reason: str) -> dict[str, dict[str, float]]:
    """The scores that the same re-scoring has recorded already."""
    return {
        event.system: {s: float(v) for s, v in event.scores.items() if v is not None}
        for event in events
        if (event.season, event.event, event.reason) == (season, "re-scored", reason)
    }


def suspicion(before: Scores, after: Scores) -> str:
    """What looks like a judge that fails: every score the same, or all rows moved far to one side; else empty."""
    pairs = [
        (before[system][setting], value)
        for system, settings in after.items()
        for setting, value in settings.items()
        if setting in before.get(system, {})
    ]
    moved = [new - old for old, new in pairs]
    if len(pairs) > 1 and len({new for _, new in pairs}) == 1 < len({old for old, _ in pairs}):
        return f"every row would have the score {100 * pairs[0][1]:.1f}"
    if pairs and (min(moved) > MOST_MOVED or max(moved) < -MOST_MOVED):
        return f"every row would move the same way by more than {100 * MOST_MOVED:.0f} points"
    return ""


def judges_before(
    bridges: Iterable[Mapping[str, Any]], judge: str, signature: Mapping[str, str] | None = None
) -> dict[frozenset[str], Mapping[str, Any]]:
    """Retired judges of a season, each with the last signed bridge from it to the season's ``judge``.

    With the ``signature`` of a new row only bridges to the very judge that it names: same model, same prompts.
    """
    signed = [one["judges"] for one in bridges if "judges" in one]
    return {
        bridged(one["old"], one.get("old_identity", {})): one
        for one in signed
        if one["new"] == judge
        and (signature is None or bridged(judge, one["identity"]) == judge_of(signature))
    }


def judge_of(signature: Mapping[str, str]) -> frozenset[str]:
    """The name of the judge in a signature and everything that changes its verdicts; empty where there is none."""
    # In no order: a signed file sorts the parts, and a signature has them as the judge states them.
    return frozenset(without_observed(signature.get("judge", "")).split())


def bridged(name: str, identity: Mapping[str, str]) -> frozenset[str]:
    """A judge of a bridge, as `judge_of` gives the one of a row."""
    return judge_of({"judge": judge_text(name, identity)})


def check_rows(bridge: BridgeFile, results: Iterable[Result]) -> None:
    """Raises UsageError unless all rows of a judge with the old one's name are of the very judge of the bridge."""
    rows = {
        judge_of(signature)
        for result in results
        for setting in result.settings.values()
        for signature in setting.signature.values()
        if bridge.old in judge_of(signature)
    }
    wanted = bridged(bridge.old, bridge.old_identity)
    if rows != {wanted}:
        others = [" ".join(sorted(one - wanted)) for one in rows - {wanted}]
        raise UsageError(
            f"the bridge leads from {judge_text(bridge.old, bridge.old_identity)}, and rows of the season have "
            f"{' or '.join(others) or 'no such judge'}. Make it from runs of the judge that the rows name."
        )


def make_bridge(
    before: Scores,
    after: Scores,
    signatures: tuple[Sequence[Mapping[str, str]], Mapping[str, str]],
    reason: str,
    date: str,
    sign: float = 1.0,
) -> dict[str, Any]:
    """One bridge; ``signatures`` are those of before and the one of after, ``sign`` -1 where less is better."""
    settings = sorted({setting for scores in after.values() for setting in scores})
    return {
        "reason": reason,
        "date": date,
        "from": [dict(one) for one in signatures[0]],
        "to": dict(signatures[1]),
        "settings": {
            setting: _compare(
                {
                    system: (before[system][setting], scores[setting])
                    for system, scores in after.items()
                    if setting in scores and setting in before.get(system, {})
                },
                sign,
            )
            for setting in settings
        },
    }


def _compare(pairs: Mapping[str, tuple[float, float]], sign: float) -> dict[str, Any]:
    names = sorted(pairs)
    sides = np.array([pairs[name] for name in names], dtype=float).reshape(len(names), 2)
    # Rank 1 is the best; ties share the better rank.
    ranks = [[1 + int((sign * side > sign * one).sum()) for one in side] for side in sides.T]
    shift = sides[:, 1] - sides[:, 0]
    low, high = _interval(shift)
    return {
        "systems": [
            {
                "system": name,
                "before": pairs[name][0],
                "after": pairs[name][1],
                "rank_before": ranks[0][place],
                "rank_after": ranks[1][place],
            }
            for place, name in enumerate(names)
        ],
        "rank_changes": sum(a != b for a, b in zip(*ranks, strict=True)),
        "kendall": _kendall(sides),
        "mean_shift": _number(shift.mean()) if names else None,
        "low": low,
        "high": high,
    }


def _kendall(sides: np.ndarray) -> float | None:
    from argue_bench.stats.correlation import FEWEST, correlation

    if len(sides) < FEWEST:
        return None
    return _number(correlation("kendall", sides[:, 0], sides[:, 1]))


def _interval(shift: np.ndarray) -> tuple[float | None, float | None]:
    if len(shift) < 2:
        return None, None
    from scipy.stats import t

    # Student's t, since the systems are few and their spread is estimated from them.
    half = float(t.ppf(0.975, len(shift) - 1)) * float(shift.std(ddof=1)) / math.sqrt(len(shift))
    return _number(shift.mean() - half), _number(shift.mean() + half)


def _number(value: float) -> float | None:
    # Six digits, so that two machines write the same bytes.
    return round(float(value), 6) if math.isfinite(value) else None
