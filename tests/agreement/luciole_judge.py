"""What Luciole's harness does with replies of judges and with columns of scores, in both versions."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

JUDGED = ("factual_judge_accuracy_ge_5", "factual_judge_accuracy_gt_4")
_YES = ("true", "yes", "oui", "1")
_FENCED = re.compile(r"```(?:json)?\s*(?P<object>\{.*?\})\s*```", re.DOTALL)
_FLAT = re.compile(r"(?P<object>\{[^{}]*\})")


def judge_object(reply: str) -> Mapping[str, Any] | None:
    """The JSON object in a judge's reply: the whole, else the first fenced, else the first flat one.

    Only one of them is tried: where it is no JSON the others are not looked at.
    """
    text = reply.strip()
    try:
        value = _json(text)
    except ValueError:
        match = _FENCED.search(text) or _FLAT.search(text)
        try:
            value = _json(match["object"]) if match else None
        except ValueError:
            return None
    return value if isinstance(value, dict) else None


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except RecursionError:
        return None


def judge_score(reply: str) -> int | None:
    """The score 1 to 5 of a reply, None where it can't be read."""
    value = judge_object(reply)
    try:
        score = int((value or {})["score"])
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    return score if 1 <= score <= 5 else None


def judged(score: int | None) -> dict[str, float | None]:
    """The two thresholds; ``gt_4`` is at least 4, despite its name."""
    if score is None:
        return dict.fromkeys(JUDGED)
    return dict(zip(JUDGED, (float(score >= 5), float(score >= 4)), strict=True))


def aggregate(values: Iterable[float | None]) -> tuple[float, float | None]:
    """Mean and standard error over the rows that count; (NaN, None) where none does."""
    kept = [value for value in values if value is not None and not math.isnan(value)]
    n = len(kept)
    if n == 0:
        return math.nan, None
    mean = sum(kept) / n
    if n == 1:
        return mean, math.nan
    return mean, math.sqrt(sum((value - mean) ** 2 for value in kept) / (n - 1)) / math.sqrt(n)


def refusal_judged(reply: str) -> bool | None:
    """Whether the refusal judge's reply says that the response refused; None where it does not say."""
    said = (judge_object(reply) or {}).get("refused")
    return is_yes(said) if isinstance(said, bool | int | float | str) else None


def false_refusal_judged(reply: str) -> bool:
    """The same of the factual judge's reply, where not to say it is no."""
    return is_yes((judge_object(reply) or {}).get("refused"))


def is_yes(value: Any) -> bool:
    """A word for yes, or anything else that is neither empty nor 0."""
    return value.strip().lower() in _YES if isinstance(value, str) else bool(value)
