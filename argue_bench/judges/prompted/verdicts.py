"""Reads the verdicts in a reply: one JSON object of the form that the prompt asks for, and nothing else.

Whatever else a reply has may take its verdict back, in any language and in any words, so no prose is
interpreted: the reply is refused with its fault, and the model is asked again. A prompt that asks for one
word is answered by that word alone. Thoughts before the answer are taken off where the reply is read from
the server; here one code fence around all of it is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from argue_bench.judges.prompted.reply_form import ReplyForm

# What is wrong with a refused reply, by its shape: told to the model, and counted (`Counts.again_...`).
FAULTS = {
    "empty": "it was empty",
    "cut_off": "it was cut off before its end",
    "no_object": "it was not one JSON object",
    "text_before": "something stood before the JSON object",
    "text_after": "something stood after the JSON object",
    "other_names": "its names were not exactly those of the form",
    "other_verdict": "a verdict in it was not {allowed}",
    "not_one_word": "it was not one word alone, {allowed}",
}
# The language of a code fence stands on its first line; a fenced word is no language.
_FENCE_HEAD = re.compile(r"```(?:\w*(?=\s))?")


@dataclass(frozen=True)
class ReplyReading:
    """The verdicts of a reply by number (1 for a request alone), their reasons, and the shape of its fault.

    ``shape`` is empty where every request has a verdict, else a name of `FAULTS`.
    """

    verdicts: Mapping[int, str] = field(default_factory=dict)
    reasons: Mapping[int, str] = field(default_factory=dict)
    shape: str = ""


def read(text: str, form: ReplyForm) -> ReplyReading:
    """Reads a reply that has the form, or finds its fault."""
    text = without_fence(text)
    if form.word and text:
        word = _verdict(text, form)
        return ReplyReading({1: word}) if word else ReplyReading(shape="not_one_word")
    try:
        value = json.loads(text, object_pairs_hook=_object)
    except RepeatedName:
        return ReplyReading(shape="other_names")
    except (ValueError, RecursionError):
        return ReplyReading(shape=_shape(text))
    if not isinstance(value, dict):
        return ReplyReading(shape="no_object")
    rows: Any = {"1": value}
    if form.count:
        rows = value.get(form.name)
        numbers = {str(number) for number in range(1, form.count + 1)}
        if len(value) > 1 or not isinstance(rows, dict) or set(rows) != numbers:
            return ReplyReading(shape="other_names")
    verdicts, reasons = {}, {}
    for number, row in rows.items():
        if form.names:
            # A reason that is missing takes nothing back.
            if not isinstance(row, dict) or not {form.verdict_name} <= set(row) <= form.names:
                return ReplyReading(shape="other_names")
            if isinstance(row.get("reason"), str):
                reasons[int(number)] = row["reason"].strip()
            row = row[form.verdict_name]
        if (said := _verdict(row, form)) is not None:
            verdicts[int(number)] = said
    return ReplyReading(verdicts, reasons, "" if len(verdicts) == len(rows) else "other_verdict")


class RepeatedName(ValueError):
    """An object in which a name stands twice: neither of its values can be trusted."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(value := dict(pairs)) < len(pairs):
        raise RepeatedName
    return value


def without_fence(text: str) -> str:
    """The text without blanks and without the code fence around all of it."""
    text = text.strip()
    head = _FENCE_HEAD.match(text)
    if head is None or not text.endswith("```") or text.count("```") != 2:
        return text
    return text[head.end() : -3].strip()


def _shape(text: str) -> str:
    """The shape of a text that is not JSON from its beginning to its end."""
    if not text:
        return "empty"
    if not text.startswith("{"):
        return "text_before" if "{" in text else "no_object"
    try:
        json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return "no_object"
    return "text_after"


def _verdict(value: Any, form: ReplyForm) -> str | None:
    """The declared verdict that a value is; of a kind without declared ones any text but the form's own."""
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str):
        return None
    said = value.strip()
    if not form.words:  # half of a surrogate pair, which no file can hold, becomes a mark
        return None if said == "..." else said.encode("utf-8", "replace").decode()
    said = said.removesuffix(".").casefold()
    return next((word for word in form.words if word.casefold() == said), None)
