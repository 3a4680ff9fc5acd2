"""The form of a reply: a JSON object with a verdict, or with one for each of several numbered requests, or
one word where a prompt of somebody else's asks for that.

Where a server holds its model to a JSON schema, the object's name for the verdict is always the same, as
servers keep schemas. Elsewhere the name ends in a key, told in the last line of the prompt: eight
hexadecimal digits that whoever wrote the judged text cannot know. An object that a model copies out of
that text lacks it, and so is never taken for the reply.

A reply is read as one object of its form, and nothing else.

Whatever else a reply has may take its verdict back, in any language and in any words, so no prose is
interpreted: the reply is refused with its fault, and the model is asked again. A prompt that asks for one
word is answered by that word alone. Thoughts before the answer are taken off where the reply is read from
the server; here one code fence around all of it is.
"""

from __future__ import annotations

import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from argue_bench.records import JudgeRequest

# The verdicts of a kind; empty for a kind whose verdict is any text.
Words = tuple[str, ...]


def declared_words(kind: type[JudgeRequest]) -> Words:
    """The verdicts that a kind declares; empty where its verdict is a text."""
    return kind.verdicts if isinstance(kind.verdicts, tuple) else ()


def keyed_hash(secret: bytes, text: str, digits: int) -> str:
    """The first hexadecimal digits of the HMAC-SHA256 of a text under a secret."""
    return hmac.digest(secret, text.encode("utf-8", "surrogatepass"), "sha256").hex()[:digits]


@dataclass(frozen=True)
class ReplyForm:
    """The form that one prompt asks for. ``count`` is the number of requests in it, 0 for one alone.

    ``key`` is empty under a schema. With ``reasons`` a reason stands before each verdict, in its object.
    """

    words: Words
    count: int = 0
    key: str = ""
    reasons: bool = False
    # The text in the data of which the reason is the sentence that decides; empty for a free one.
    quotes: str = ""
    # Whether the reply is the verdict alone, without an object.
    word: bool = False

    @property
    def allowed(self) -> str:
        """The verdicts in words."""
        return " or ".join(self.words) or "a text"

    @property
    def name(self) -> str:
        """The object's name for the verdict, or for all of them."""
        ending = f"-{self.key}" if self.key else ""
        return f"verdict{'s' if self.count else ''}{ending}"

    @property
    def verdict_name(self) -> str:
        """The name for a verdict in the object of one request."""
        return "verdict" if self.count else self.name

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the object of one request has; none where a number stands before the verdict alone."""
        if self.reasons:
            return "reason", self.verdict_name
        return () if self.count else (self.name,)

    def rules(self) -> str:
        """The description of the form in the system prompt; it depends on neither key nor count."""
        if self.word:
            return f"Reply with the verdict alone and nothing else: {self.allowed}."
        verdicts = "Each number has a verdict of its own:" if self.count else "The verdict is"
        reasons = ' Its "reason" has one or two sentences.' if self.reasons else ""
        if self.quotes:
            reasons = (
                f' Its "reason" is the one sentence of the {self.quotes} that decides, copied letter by '
                "letter, or empty if there is none."
            )
        return (
            "Reply with one JSON object of the form in the last line of the user message, with exactly its "
            f"names. {verdicts} {self.allowed}.{reasons} Write nothing before the object and nothing after it: "
            "whatever you weigh or correct, do it before you reply."
        )

    def last_line(self) -> str:
        """The form with its key, as the last line of the user message shows it; empty for a word."""
        if self.word:
            return ""
        one = '"..."'
        if not self.count:
            reason = f'"reason": {one}, ' if self.reasons else ""
            return f'Form: {{{reason}"{self.name}": {one}}}'
        if self.reasons:
            one = f'{{"reason": {one}, "verdict": {one}}}'
        rows = [f'"{number}": {one}' for number in sorted({1, min(2, self.count), self.count})]
        if self.count > len(rows):
            rows.insert(2, "...")
        return f'Form: {{"{self.name}": {{{", ".join(rows)}}}}}'

    def schema(self) -> str:
        """The JSON schema of the reply, for servers that hold their model to one; empty for a word."""
        return "" if self.word else _schema(self.words, self.count, self.reasons)


@cache
def _schema(words: Words, count: int, reasons: bool) -> str:
    verdict: dict[str, Any] = {"type": "string", **({"enum": list(words)} if words else {})}
    with_reason = {"reason": {"type": "string"}, "verdict": verdict}
    if not count:
        return json.dumps(_object_schema(with_reason if reasons else {"verdict": verdict}))
    one = _object_schema(with_reason) if reasons else verdict
    numbered = {str(number): one for number in range(1, count + 1)}
    return json.dumps(_object_schema({"verdicts": _object_schema(numbered)}))


def _object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


# What is wrong with a refused reply, by its shape: told to the model, and counted (`Counts.again_...`).
FAULTS = {
    "empty": "it was empty",
    "cut_off": "it was cut off before its end",
    "no_object": "it was not one JSON object",
    "text_before": "something stood before the JSON object",
    "text_after": "something stood after the JSON object",
    "other_names": "its names were not exactly those of the form, in their order",
    "other_verdict": "a verdict in it was not {allowed}",
    "not_one_word": "it was not one word alone, {allowed}",
}
# Any other word there may be the verdict itself, or what is thought of it.
_FENCE_HEAD = re.compile(r"```(?:(?:json|text|txt|plaintext)(?=\s))?", re.IGNORECASE)


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
            # A reason that is missing takes nothing back; one after its verdict may.
            if not isinstance(row, dict) or tuple(row) not in (form.names, form.names[-1:]):
                return ReplyReading(shape="other_names")
            if isinstance(row.get("reason"), str):
                reasons[int(number)] = row["reason"].strip()
            row = row[form.verdict_name]
        if (said := _verdict(row, form)) is not None:
            verdicts[int(number)] = said
        elif not (str(row).isascii() and str(row).isalnum()):
            # More than a word may be about another number.
            return ReplyReading(shape="other_verdict")
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
