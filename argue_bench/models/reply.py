"""What did the model say? The text of a chat completion, without its thoughts, with what it cost."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from argue_bench.models.faults import Fault, of_status, shown
from argue_bench.models.prices import Price
from argue_bench.models.transport import Completion

_LONGEST = 8_000_000
_THOUGHTS = r"think|thinking|thought|reasoning"
_CLOSED = re.compile(rf"<({_THOUGHTS})>.*?</\1>", re.DOTALL | re.IGNORECASE)
_BEGUN_BEFORE = re.compile(rf"\A.*</(?:{_THOUGHTS})>", re.DOTALL | re.IGNORECASE)
_NEVER_CLOSED = re.compile(rf"<(?:{_THOUGHTS})>.*\Z", re.DOTALL | re.IGNORECASE)
CHARACTERS_A_TOKEN = 4


def without_thoughts(text: str) -> str:
    """The text without what stands between marks of thinking, also where one of the marks is missing."""
    if "<" not in text:
        return text.strip()
    text = _CLOSED.sub("", text)
    text = _BEGUN_BEFORE.sub("", text)
    return _NEVER_CLOSED.sub("", text).strip()


def read_reply(raw: str, body: Mapping[str, Any], price: Price | None) -> Completion:
    """The completion in the body of a 200. Raises Fault ("again") where it is none."""
    if len(raw) > _LONGEST:
        raise Fault("again", "the reply is longer than any completion", maybe_paid=True)
    try:
        value: Any = json.loads(raw)
    except (ValueError, RecursionError):
        what = "a web page" if raw.lstrip()[:1] == "<" else "something that is no whole JSON"
        reason = f"the server answered with {what}: {shown(raw[:120])}"
        raise Fault("again", reason, raw=raw, maybe_paid=True) from None
    if isinstance(value, dict) and value.get("error") and not value.get("choices"):
        error = value["error"]
        code = error.get("code") if isinstance(error, dict) else None
        raise of_status(code if isinstance(code, int) and code >= 400 else 500, raw, "", body)
    try:
        choice = value["choices"][0]
        text = _text(choice["message"].get("content"))
    except (KeyError, IndexError, TypeError, AttributeError):
        reason = f"the server's reply is no chat completion: {shown(raw[:120])}"
        raise Fault("again", reason, raw=raw, maybe_paid=True) from None
    sent = json.dumps(body, ensure_ascii=False)
    tokens_in = _count(value, "prompt_tokens", len(sent))
    tokens_out = _count(value, "completion_tokens", len(text))
    return Completion(
        without_thoughts(text), tokens_in, tokens_out,
        "length" if choice.get("finish_reason") == "length" else "stop",
        price.of(tokens_in, tokens_out) if price else 0.0, sent, raw,
    )  # fmt: skip


def _text(content: Any) -> str:
    if isinstance(content, list):  # parts, of which some may be thoughts
        parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
        return "".join(str(part.get("text", "")) for part in parts)
    return content if isinstance(content, str) else ""


def _count(value: Mapping[str, Any], name: str, characters: int) -> int:
    """Tokens as the server counted them; where it did not, a quarter of the characters."""
    usage = value.get("usage")
    count = usage.get(name) if isinstance(usage, dict) else None
    if isinstance(count, int) and not isinstance(count, bool) and count >= 0:
        return count
    return -(-characters // CHARACTERS_A_TOKEN)
