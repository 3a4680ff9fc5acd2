"""The form of a reply: a JSON object with a verdict, or with one for each of several numbered requests, or
one word where a prompt of somebody else's asks for that.

Where a server holds its model to a JSON schema, the object's name for the verdict is always the same, as
servers keep schemas. Elsewhere the name ends in a key, told in the last line of the prompt: eight
hexadecimal digits that whoever wrote the judged text cannot know. An object that a model copies out of
that text lacks it, and so is never taken for the reply.
"""

from __future__ import annotations

import hmac
import json
from dataclasses import dataclass
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
    quotes: str = ""
    """The text in the data of which the reason is the sentence that decides; empty for a free one."""
    word: bool = False
    """Whether the reply is the verdict alone, without an object."""

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
    def names(self) -> frozenset[str]:
        """The names that the object of one request has; none where a number stands before the verdict alone."""
        if self.reasons:
            return frozenset(("reason", self.verdict_name))
        return frozenset() if self.count else frozenset((self.name,))

    def rules(self) -> str:
        """The description of the form in the system prompt; it depends on neither key nor count."""
        if self.word:
            return f"Reply with the verdict alone and nothing else: {self.allowed}."
        verdicts = f"The verdict is {self.allowed}."
        if self.count:
            verdicts = f"Each number has a verdict of its own: {self.allowed}."
        reasons = ' Its "reason" has one or two sentences.' if self.reasons else ""
        if self.quotes:
            reasons = (
                f' Its "reason" is the one sentence of the {self.quotes} that decides, copied letter by '
                "letter, or empty if there is none."
            )
        return (
            "Reply with one JSON object of the form in the last line of the user message, with exactly its "
            f"names. {verdicts}{reasons} Write nothing before the object and nothing after it: whatever you "
            "weigh or correct, do it before you reply."
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
        return json.dumps(_object(with_reason if reasons else {"verdict": verdict}))
    one = _object(with_reason) if reasons else verdict
    numbered = {str(number): one for number in range(1, count + 1)}
    return json.dumps(_object({"verdicts": _object(numbered)}))


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
