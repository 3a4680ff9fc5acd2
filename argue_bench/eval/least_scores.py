"""Least values of scores, for tests and CI: ``faithfulness>=0.9``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from argue_bench.errors import UnknownName, UsageError
from argue_bench.eval.flags import listed_share
from argue_bench.eval.report import Report

_THRESHOLD = re.compile(r"\s*(?P<key>\S.*?)\s*(?:>=|=)\s*(?P<least>\d*\.?\d+)\s*\Z")


def parse_thresholds(texts: Iterable[str]) -> dict[str, float]:
    """Score to its least value. Raises UsageError where a text is not SCORE=SHARE."""
    found = {}
    for text in texts:
        match = _THRESHOLD.match(text)
        if not match or not 0 <= float(match["least"]) <= 1:
            raise UsageError(
                f"write a threshold as faithfulness=0.9, a share from 0 to 1, not {text!r}"
            )
        found[match["key"]] = float(match["least"])
    return found


def below(report: Report, least: Mapping[str, float], all_flags: bool = False) -> list[str]:
    """A sentence for each score that lies below its least value or is unset.

    Flags that are more often wrong than right count only with ``all_flags`` (`listed_share`).

    A metric's name stands for its first score. Raises UnknownName, and UsageError for a metric that
    could not be run.
    """
    lines = []
    for key, value in least.items():
        # The first score of a metric is its main one.
        known = [name for name in report.scores if name == key or name.rpartition(".")[0] == key]
        for text, why in report.not_run.items() if not known else ():
            if text in (key, key.rpartition(".")[0]):
                raise UsageError(f"{key} could not be computed: {why}")
        if not known:
            raise UnknownName("score", key, tuple(report.scores))
        score, weak = report.scores[known[0]].value, 0
        if not all_flags:
            score, weak = listed_share(report, known[0])
        if score is None:
            lines.append(f"{known[0]} is unset, so it does not reach {100 * value:.1f}")
        elif score < value:
            without = f" without {weak} weaker flag{'s' * (weak != 1)}" if weak else ""
            lines.append(f"{known[0]} is {100 * score:.1f}{without}, below {100 * value:.1f}")
    return lines
