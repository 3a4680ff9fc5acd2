"""The text of a chat completion: parsed, without the model's thoughts, with its cost."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from argue_bench.models.budget import Price
from argue_bench.models.faults import MOST_KEPT, SHOWN, Fault, status_fault
from argue_bench.models.transport import Completion, Finish, Served
from argue_bench.records.display import escape

# Of one reply; no server counts more, so that a larger number is no count.
_MOST_TOKENS = 10**9
# What a token costs beyond its price where Anthropic writes it to a cache of five minutes, or of an hour
# (https://platform.claude.com/docs/en/build-with-claude/prompt-caching).
_FIVE_MINUTES, _ONE_HOUR = 0.25, 1.0
# Of one reply; what says that it costs more is no bill.
_MOST_DOLLARS = 10_000
_MARK = re.compile(
    r"<(?P<closes>/?)(?:(?:seed:)?think|thinking|thoughts?|reasoning|scratchpad)>"
    r"|(?-i:\[(?P<shuts>/?)THINK\])|\u25c1(?P<ends>/?)think\u25b7"
    r"|<\|(?:(?P<over>END)|START)_THINKING\|>|<\|(?:(?P<past>end)|begin)_of_thought\|>",
    re.IGNORECASE,
)
_MAY_MARK = re.compile(r"[<\[\u25c1]")
# The beginning of the answer in a reply of which the server did not parse OpenAI's harmony format.
_FINAL = re.compile(r"<\|channel\|>final(?:[^<]|<\|constrain\|>){0,50}<\|message\|>")
_ANALYSIS = re.compile(r"<\|channel\|>(?:analysis|commentary)\b")
_OVER = re.compile(r"<\|(?:end|return|call)\|>")
# OpenAI's rule of thumb for English, used where a server counts no tokens.
CHARACTERS_A_TOKEN = 4


def strip_thoughts(text: str) -> str:
    """The text without the thoughts before its answer, of whose marks one may be missing.

    Marks inside the strings of JSON are text: what is JSON from the beginning, or from the end of a
    thought on, is the answer. Thoughts after the beginning of the answer stay.
    """
    if not _MAY_MARK.search(text):
        return text.strip()
    if final := _FINAL.search(text):
        text = _OVER.split(text[final.end() :], maxsplit=1)[0]
    elif _ANALYSIS.search(text):
        return ""
    over = next((mark.end() for mark in _MARK.finditer(text) if any(mark.groups())), 0)
    for start in (0, over):
        if _is_json(text[start:]):
            return text[start:].strip()
    place, thinking = 0, False
    for mark in _MARK.finditer(text):
        if any(
            mark.groups()
        ):  # closed, perhaps without having been opened: all before it was thought
            place, thinking = mark.end(), False
        elif not thinking and text[place : mark.start()].strip():
            break  # the answer has begun; what is thought after it may take it back, so it stays visible
        else:
            thinking = True
    return "" if thinking else text[place:].strip()


def _is_json(text: str) -> bool:
    """Whether a text is an object in JSON, apart from a code fence."""
    text = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    if not text.startswith("{") or not text.endswith("}"):
        return False
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Tokens:
    """Tokens as the server counted them; None where it did not."""

    read: int | None
    written: int | None
    cached: int = 0
    surcharge: float = 0.0
    """By how many tokens read the price of writing a cache is higher than that of reading without one."""


def read_reply(
    raw: str, sent: str, price: Price | None, host: str = "", *, billed: bool = False
) -> Completion:
    """The completion in the body of a 200, OpenAI's or Anthropic's. Raises Fault ("retry") if there is none.

    ``sent`` is the request's body; ``host`` is the server's. ``billed``: it says in ``usage.cost`` how many
    US dollars the reply costs.
    """
    try:
        value: Any = json.loads(raw)
    except (ValueError, RecursionError):
        page = raw.lstrip()[:1] == "<"  # a proxy's: the model's server was not reached
        found = "a web page" if page else "something that is not whole JSON"
        raise _fault(f"the server answered with {found}", raw, unreached=page) from None
    try:
        if isinstance(value, dict) and (error := _error_in(value)) is not None:
            raise _error_fault(error, raw)
        anthropic = isinstance(value, dict) and value.get("type") == "message"
        message = value if anthropic else value["choices"][0]["message"]
        said = value.get("stop_reason") if anthropic else value["choices"][0].get("finish_reason")
        text = _text(message.get("content"))
        finish, why = _finish(said, message)
    except (KeyError, IndexError, TypeError, AttributeError):
        raise _fault("the server's reply is not a chat completion", raw) from None
    usage = _inner(value, "usage")
    counted = _tokens(usage)
    tokens_in = -(-len(sent) // CHARACTERS_A_TOKEN) if counted.read is None else counted.read
    tokens_out = -(-len(text) // CHARACTERS_A_TOKEN) if counted.written is None else counted.written
    read = tokens_in + counted.surcharge
    cost = price.of(read, tokens_out, counted.cached) if price else None
    bill = usage.get("cost") if billed else None
    if isinstance(bill, (int, float)) and not isinstance(bill, bool) and 0 <= bill < _MOST_DOLLARS:
        cost = float(bill)
    return Completion(
        strip_thoughts(text),
        tokens_in,
        tokens_out,
        finish,
        cost,
        sent,
        raw,
        why,
        _served(host, _word(value.get("model")), _word(value.get("system_fingerprint"))),
    )


def _error_in(value: Mapping[str, Any]) -> Any:
    """The error in a 200, of the whole reply or of its only choice; None where there is none."""
    choices = value.get("choices")
    if value.get("error") and not choices:
        return value["error"]
    first = choices[0] if isinstance(choices, list) and choices else None
    if isinstance(first, dict) and first.get("finish_reason") == "error":
        return first.get("error") or value.get("error") or {}
    return None


def _error_fault(error: Any, raw: str) -> Fault:
    """The fault of an error in a 200: the model began and broke off, so it may have to be paid."""
    code = error.get("code") if isinstance(error, dict) else None
    status = code if isinstance(code, int) and 400 <= code < 600 else 500
    fault = status_fault(status, json.dumps({"error": error}), {}, ())
    return replace(fault, raw=raw[:MOST_KEPT], maybe_paid=True)


def _word(value: Any) -> str:
    return value if isinstance(value, str) else ""


@lru_cache(maxsize=64)
def _served(host: str, model: str, fingerprint: str) -> Served:
    return Served(host, escape(model, 200), escape(fingerprint, 200))


def _fault(reason: str, raw: str, unreached: bool = False) -> Fault:
    reason = f"{reason}: {escape(raw, 120)}"
    return Fault("retry", reason, raw=raw[:MOST_KEPT], maybe_paid=True, unreached=unreached)


def _finish(reason: Any, message: Mapping[str, Any]) -> tuple[Finish, str]:
    """The end of the reply, and in words why the server withheld it."""
    refusal = message.get("refusal")
    if isinstance(refusal, str) and refusal.strip():
        return "refused", f"the model declined to answer: {escape(refusal, SHOWN)}"
    if reason in ("content_filter", "refusal", "safety"):
        return "refused", f"the provider withheld the reply ({reason})"
    if reason == "tool_use" or (not message.get("content") and message.get("tool_calls")):
        return "stop", "the model called a tool instead of answering"
    return ("length" if reason in ("length", "max_tokens") else "stop"), ""


def _text(content: Any) -> str:
    """The text of a reply; half a surrogate pair, which no file can hold, becomes a mark."""
    if isinstance(content, list):  # parts, of which some may be thoughts
        parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
        content = "".join(text for part in parts if isinstance(text := part.get("text"), str))
    return content.encode("utf-8", "replace").decode() if isinstance(content, str) else ""


def _tokens(usage: Mapping[str, Any]) -> _Tokens:
    if "input_tokens" in usage:  # Anthropic counts what came from its cache apart
        read = _count(usage, "input_tokens")
        cached = _count(usage, "cache_read_input_tokens") or 0
        made = _count(usage, "cache_creation_input_tokens") or 0
        whole = None if read is None else read + cached + made
        hour = _count(_inner(usage, "cache_creation"), "ephemeral_1h_input_tokens") or 0
        surcharge = _FIVE_MINUTES * (made - hour) + _ONE_HOUR * hour
        return _Tokens(whole, _count(usage, "output_tokens"), cached, surcharge=surcharge)
    read, written = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    total = _count(usage, "total_tokens")
    if read is not None and written is not None and total is not None and total > read + written:
        # Google's compatible address leaves thoughts out of completion_tokens, and they are paid.
        written = total - read
    hits = _count(_inner(usage, "prompt_tokens_details"), "cached_tokens")
    if hits is None:
        hits = _count(usage, "prompt_cache_hit_tokens")  # DeepSeek's name
    return _Tokens(read, written, min(hits or 0, read or 0))


def _inner(usage: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = usage.get(name)
    return value if isinstance(value, dict) else {}


def _count(usage: Mapping[str, Any], name: str) -> int | None:
    count = usage.get(name)
    if isinstance(count, int) and not isinstance(count, bool) and 0 <= count <= _MOST_TOKENS:
        return count
    return None
