"""Rows of a retired judge, carried over to the season's judge by a signed bridge until they are scored again.

The ranked score moves by the shift of the system's mean verdict, and the two intervals' sides add as variances
do. A row whose system the bridge does not name stays as it is, and so does a score that is no share or of which
less is better: the shift says nothing of those.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from argue_bench.leaderboard.scoring.bridge import judge_of, judges_before
from argue_bench.pages.columns import find_key
from argue_bench.pages.inputs import BoardSeason
from argue_bench.view.columns import score_facts, split_key

Json = Mapping[str, Any]


def carry_over(season: BoardSeason, bridges: Sequence[Json]) -> BoardSeason:
    """The season with rows of judges before its own carried over by these bridges, and marked."""
    before = judges_before(bridges, season.judge)
    entries = [
        replace(
            entry,
            settings={
                name: _carried(setting, season.ranked, entry.system, before)
                for name, setting in entry.settings.items()
            },
        )
        for entry in season.entries
    ]
    return replace(season, entries=tuple(entries))


def _carried(setting: Json, ranked: str, system: str, before: Mapping[str, Json]) -> Json:
    scores, signature = setting["scores"], setting["signature"]
    key = find_key(ranked, scores)
    if not key or score_facts(key)[:2] != ("share", "higher"):
        return setting
    judges = {one: judge_of(signature.get(split_key(one)[0], {})) for one in scores}
    bridge, score = before.get(judges[key], {"systems": {}}), scores[key]
    shift = bridge["systems"].get(system)
    if shift is None or score["low"] is None:
        return setting
    value = score["value"] + shift["new"] - shift["old"]
    low = value - math.hypot(score["value"] - score["low"], shift["new"] - shift["low"])
    high = value + math.hypot(score["high"] - score["value"], shift["high"] - shift["new"])
    moved = {
        name: min(1.0, max(0.0, number))
        for name, number in (("value", value), ("low", low), ("high", high))
    }
    # Nothing is known of what the new judge makes of the other scores.
    kept = {one: scores[one] for one in scores if judges[one] != judges[key]}
    return {**setting, "scores": {**kept, key: {**score, **moved}}, "carried": True}
