"""The text of a chat completion: parsed, without the model's thoughts, with its cost."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from argue_bench.models.budget import Price
from argue_bench.models.faults import MOST_KEPT, SHOWN, Fault, status_fault
from argue_bench.models.transport import Completion, Finish
from argue_bench.records.display import escape

_MOST_TOKENS = 10**9
_MARK = re.compile(
    r"<(?P<closes>/?)(?:think|thinking|thought|reasoning)>"
    r"|(?-i:\[(?P<shuts>/?)THINK\])|\u25c1(?P<ends>/?)think\u25b7",
    re.IGNORECASE,
)
_FINAL = re.compile(r"<\|channel\|>final(?:[^<]|<\|constrain\|>){0,50}<\|message\|>")
"""The beginning of the answer in a reply of which the server did not parse OpenAI's harmony format."""
_ANALYSIS = re.compile(r"<\|channel\|>(?:analysis|commentary)\b")
_OVER = re.compile(r"<\|(?:end|return|call)\|>")
CHARACTERS_A_TOKEN = 4


def strip_thoughts(text: str) -> str:
    """The text without its thoughts: the parts between marks of thinking, one of which may be missing."""
    if final := _FINAL.search(text):
        text = _OVER.split(text[final.end() :], maxsplit=1)[0]
    elif _ANALYSIS.search(text):
        return ""
    kept: list[str] = []
    thinking, place = False, 0
    for mark in _MARK.finditer(text):
        if any(mark.groups()):
            if not thinking:  # closed without having been opened: all text before it was thought
                kept.clear()
            thinking, place = False, mark.end()
        elif not thinking:
            kept.append(text[place : mark.start()])
            thinking = True
    if not thinking:
        kept.append(text[place:])
    return "".join(kept).strip()


def read_reply(raw: str, body: Mapping[str, Any], price: Price | None) -> Completion:
    """The completion in the body of a 200. Raises Fault ("retry") if there is none."""
    try:
        value: Any = json.loads(raw)
    except (ValueError, RecursionError):
        page = raw.lstrip()[:1] == "<"  # a proxy's: the model's server was not reached
        found = "a web page" if page else "something that is not whole JSON"
        raise _fault(f"the server answered with {found}", raw, unreached=page) from None
    if isinstance(value, dict) and value.get("error") and not value.get("choices"):
        error = value["error"]
        code = error.get("code") if isinstance(error, dict) else None
        raise status_fault(code if isinstance(code, int) and code >= 400 else 500, raw, "", body)
    try:
        choice = value["choices"][0]
        message = choice["message"]
        text = _text(message.get("content"))
    except (KeyError, IndexError, TypeError, AttributeError):
        raise _fault("the server's reply is not a chat completion", raw) from None
    sent = json.dumps(body, ensure_ascii=False)
    tokens_in = _count(value, "prompt_tokens", len(sent))
    tokens_out = _count(value, "completion_tokens", len(text))
    finish, why = _finish(choice.get("finish_reason"), message)
    return Completion(
        strip_thoughts(text),
        tokens_in,
        tokens_out,
        finish,
        price.of(tokens_in, tokens_out) if price else 0.0,
        sent,
        raw,
        why,
    )


def _fault(reason: str, raw: str, unreached: bool = False) -> Fault:
    reason = f"{reason}: {escape(raw, 120)}"
    return Fault("retry", reason, raw=raw[:MOST_KEPT], maybe_paid=True, unreached=unreached)


def _finish(reason: Any, message: Mapping[str, Any]) -> tuple[Finish, str]:
    """The end of the reply, and in words why the server withheld it."""
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal.strip():
        return "refused", f"the model declined to answer: {escape(refusal, SHOWN)}"
    if reason in ("content_filter", "refusal"):
        return "refused", "the provider withheld the reply (content_filter)"
    if not message.get("content") and message.get("tool_calls"):
        return "stop", "the model called a tool instead of answering"
    return ("length" if reason == "length" else "stop"), ""


def _text(content: Any) -> str:
    """The text of a reply; half a surrogate pair, which no file can hold, becomes a mark."""
    if isinstance(content, list):  # parts, of which some may be thoughts
        parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
        content = "".join(text for part in parts if isinstance(text := part.get("text"), str))
    return content.encode("utf-8", "replace").decode() if isinstance(content, str) else ""


def _count(value: Mapping[str, Any], name: str, characters: int) -> int:
    """Tokens as the server counted them; where it did not, a quarter of the characters."""
    usage = value.get("usage")
    count = usage.get(name) if isinstance(usage, dict) else None
    if isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= _MOST_TOKENS:
        return count
    return -(-characters // CHARACTERS_A_TOKEN)
