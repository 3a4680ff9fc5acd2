"""The text of a chat completion: parsed, without the model's thoughts, with its cost."""

from __future__ import annotations

import json
import logging
import random
import re
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any, Literal

from argue_bench.errors import JudgeError
from argue_bench.models.budget import Price
from argue_bench.models.transport import Completion, Finish, Served
from argue_bench.records.display import escape

# The faults of a call to a server, and their consequences for the request and the run.
#
# retry   429 (after the time that the server asks for), 408, 409, 5xx, a lost or slow connection, no JSON
# drop    400 or 422 that names a parameter: sent again without it
# fail    any other 4xx: this request gets no answer, others may
# deny    403: a blocked prompt where the model has answered others, else perhaps a wrong key
# stop    a wrong key, no money, an unknown model or address, a redirect: no request can be answered

# Decides when a call is tried again, when a request has failed, and when a whole run is given up.
#
# Waits double, with jitter, and are never shorter than the server asks. A fault of one request is told from
# one of all by what came before: once the model has answered, a refusal concerns the prompt. After many
# requests in a row with the same refusal, or three in a row that got nothing for all their tries, nothing more
# is sent.

_LOG = logging.getLogger(__name__)
# With waits that double from half a second to thirty: about a minute in all.
RETRIES = 7
# Until the first reply of a server: more likely a wrong address than a pause.
RETRIES_AT_FIRST = 2
# Requests in a row that may be refused for one reason.
MOST_REFUSED = 50
# Requests in a row that may be denied by a server that never answered: the key is likelier wrong.
MOST_DENIED = 3
# Requests in a row that got nothing for all their tries: the server is gone.
_MOST_LOST = 3
_FIRST_WAIT, _LONGEST_BACKOFF = 0.5, 30.0
# Seconds from which a pause is said, once.
_WARNING_WAIT = 3.0
_PAUSED = "%s: %s; trying again after %.0f s, and so on at later faults"


class Patience:
    """The record of a server for the requests of one model. ``name`` and ``place`` go into
    messages."""

    def __init__(self, name: str, place: str, retries: int = RETRIES) -> None:
        self._name, self._place, self._retries = name, place, retries
        # Whether the model ever answered.
        self.answered = False
        self._reached = self._warned = False
        self._lost = self._refused = 0
        self._reason = ""

    def note_answer(self) -> None:
        """The model answered a request: what was refused before was refused for itself."""
        self.answered = self._reached = True
        self._lost = self._refused = 0

    def pause(self, fault: Fault, reason: str, tries: int) -> float | None:
        """Seconds until the next try; None where the request has failed.

        ``tries``: how often it was sent. Raises JudgeError where no request can be answered any more.
        """
        if fault.kind == "stop":
            raise JudgeError(f"{self._name}: {reason}")
        self._reached |= not fault.unreached
        if fault.kind != "retry":
            self._count_refusal(fault, reason)
            return None
        if tries <= (self._retries if self._reached else min(self._retries, RETRIES_AT_FIRST)):
            wait: float = min(_FIRST_WAIT * 2 ** (tries - 1), _LONGEST_BACKOFF)
            pause = max(wait * random.uniform(0.5, 1.0), fault.wait or 0.0)
            if pause >= _WARNING_WAIT and not self._warned:
                self._warned = True
                _LOG.warning(_PAUSED, self._name, reason, pause)
            return pause
        self._lost += 1
        if self._lost >= _MOST_LOST:
            raise JudgeError(
                f"{self._name} at {self._place}: {_MOST_LOST} requests in a row got no reply, each "
                f"tried {tries} times; the last: {reason}"
            )
        return None

    def _count_refusal(self, fault: Fault, reason: str) -> None:
        kind = re.sub(r"\d+", "0", reason)[:80]
        self._refused = self._refused + 1 if kind == self._reason else 1
        self._reason = kind
        most = MOST_DENIED if fault.kind == "deny" and not self.answered else MOST_REFUSED
        if self._refused >= most:
            hint = (
                ". Is the key right, and does it allow this model?" if fault.kind == "deny" else ""
            )
            raise JudgeError(
                f"{self._name}: {self._refused} requests in a row were refused for one reason: "
                f"{reason}{hint}"
            )


_REFUSAL = re.compile(
    r"unsupported|not support|does not accept|unrecogni[sz]ed|unknown|unexpected|not permitted"
    r"|not allowed|not available|unavailable|extra (input|field)|extra_forbidden|deprecated|only the default"
    r"|invalid param|invalid value|not valid|cannot both be specified",
    re.IGNORECASE,
)
# Words of a refusal that name a parameter by its value.
_ALIASES = {"json_schema": "response_format", "json_object": "response_format"}
_NO_MONEY = (
    "insufficient_quota",
    "billing_hard_limit_reached",
    "credit balance",
    "credit_balance_exhausted",
    "spend_limit_reached",
    "usage limits",
    "exceeded your current quota",
)
_WRONG_KEY = re.compile(r"api[ _]?key", re.IGNORECASE)
_DAILY = re.compile(r"per[ _]?day", re.IGNORECASE)
# Google says in the body how long to wait, and in no header.
_RETRY_DELAY = re.compile(r'"retryDelay": ?"(\d{1,9}(?:\.\d+)?)s"')
_NUMBER = re.compile(r"\d{1,9}(\.\d{1,9})?")
# Seconds: a server that asks for an hour is asked again in two minutes, and the tries run out.
_LONGEST_WAIT = 120.0
# Bytes of a reply; no completion has more.
MOST_BYTES = 4_000_000
# Characters of a server's message that an error quotes: some lines of a terminal.
SHOWN = 300
# Characters of a reply that is not a completion which are kept for reading.
MOST_KEPT = 100_000


@dataclass
class Fault(Exception):
    """A call that brought no reply. ``maybe_paid``: the server may charge for it."""

    kind: Literal["retry", "drop", "fail", "deny", "stop"]
    reason: str
    # Seconds that the server asked to wait.
    wait: float | None = None
    # The parameter to drop.
    parameter: str = ""
    raw: str = ""
    maybe_paid: bool = False
    # Whether nothing was heard from the model's server.
    unreached: bool = False


def status_fault(status: int, raw: str, headers: Mapping[str, str], sent: Collection[str]) -> Fault:
    """The fault of an HTTP status other than 2xx. ``sent``: the parameters of the request."""
    message, parameter = _read_error(raw)
    raw = raw[:MOST_KEPT]
    reason = f"the server answered {status}" + (f": {escape(message, SHOWN)}" if message else "")
    if status < 400:
        # Prompts, and the key, go to the address that was named and to no other.
        location = headers.get("location", "")
        target = f" and sends on to {escape(location, SHOWN)}" if location else ""
        reason = f"the server answered {status}{target}, which is not followed"
        return Fault("stop", f"{reason}. Name the right base URL", raw=raw)
    if stop := _stops(status, message, raw):
        return Fault("stop", f"{reason}. {stop}", raw=raw)
    if status in (400, 404, 422) and (name := _refused_parameter(message, parameter, raw, sent)):
        return Fault("drop", reason, parameter=name, raw=raw)
    if status in (408, 409, 425, 429) or status >= 500:
        return Fault("retry", reason, wait=_asked_wait(headers, raw), raw=raw)
    return Fault("deny" if status == 403 else "fail", reason, raw=raw)


def _stops(status: int, message: str, raw: str) -> str:
    """The reason why no request can be answered, and what to do; empty where others may be."""
    said = raw.lower()
    # Google says "You exceeded your current quota" of a minute's quota too.
    if status == 429 and ("resource_exhausted" in said or '"retrydelay"' in said):
        return "The quota of a day is used up; go on tomorrow" if _DAILY.search(raw) else ""
    no_money = any(sign in said for sign in _NO_MONEY)
    if status == 402 or (status in (400, 403, 429) and no_money):
        return "There is no money or quota left"
    if status == 401 or (status == 400 and _WRONG_KEY.search(message)):
        return "Is the key right, and does it allow this model?"
    # OpenRouter: no provider takes all of the parameters.
    if status == 404 and "requested parameters" not in said:
        return "Are the model and the base URL right?"
    wrong_model = "model_not_found" in said or "invalid model" in said
    return "Is the model right?" if status in (400, 422) and wrong_model else ""


def _refused_parameter(message: str, parameter: str, raw: str, sent: Collection[str]) -> str:
    """The parameter that the server does not accept, empty where it complains of something else."""
    if not _REFUSAL.search(raw):
        return ""
    if parameter:
        head = re.split(r"[.\[]", parameter)[0]
        return head if head in sent else ""
    # Where two are named ("max_tokens is not supported, use max_completion_tokens") the first is meant.
    words = {word: _ALIASES.get(word, word) for word in (*sent, *_ALIASES)}
    found = [
        (match.start(), name)
        for word, name in words.items()
        if name in sent
        and name not in ("model", "messages")
        and (match := re.search(rf"(?<!\w){re.escape(word)}(?!\w)", message))
    ]
    return min(found)[1] if found else ""


def _read_error(raw: str) -> tuple[str, str]:
    """The message of an error's body, and the parameter that it names."""
    try:
        value: Any = json.loads(raw[: 1 << 16])
    except (ValueError, RecursionError):
        return ("" if "<" in raw[:200] else raw[:SHOWN]), ""
    if isinstance(value, list) and value:
        value = value[0]
    error = value.get("error", value) if isinstance(value, dict) else value
    if not isinstance(error, dict):
        return str(error)[: 4 * SHOWN], ""
    message = error.get("message") or error.get("detail") or error.get("msg") or ""
    if not isinstance(message, str):
        message = json.dumps(message, ensure_ascii=False)
    parameter = error.get("param")
    return message[: 4 * SHOWN], parameter if isinstance(parameter, str) else ""


def _asked_wait(headers: Mapping[str, str], raw: str) -> float | None:
    """Seconds that the server asks to wait, at most 120; None where it does not say."""
    milliseconds = headers.get("retry-after-ms", "").strip()
    if _NUMBER.fullmatch(milliseconds):
        return min(float(milliseconds) / 1000, _LONGEST_WAIT)
    if delay := _RETRY_DELAY.search(raw):
        return min(float(delay[1]), _LONGEST_WAIT)
    return retry_after_seconds(headers.get("retry-after", ""))


def retry_after_seconds(header: str) -> float | None:
    """Retry-After, which is seconds or a date, as 0 to 120 seconds; None where it is neither."""
    text = header.strip()
    if _NUMBER.fullmatch(text):
        return min(float(text), _LONGEST_WAIT)
    try:
        wait = parsedate_to_datetime(text).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError):
        return None
    return min(max(0.0, wait), _LONGEST_WAIT)


# Of one reply; no server counts more, so that a larger number is no count.
_MOST_TOKENS = 10**9
# Ends of a reply of which the provider keeps some back, OpenAI's, Anthropic's and Google's.
_WITHHELD = {"content_filter", "refusal", "safety", "recitation", "prohibited_content", "blocklist"}
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
        said, *more = _OVER.split(text[final.end() :])
        # What follows the answer may take it back, so all stays visible.
        text = text if "".join(more).strip() else said
    elif _ANALYSIS.search(text):
        return ""
    over = next((mark.end() for mark in _MARK.finditer(text) if any(mark.groups())), 0)
    first = _MARK.search(text)
    if first and not any(first.groups()) and text[: first.start()].strip():
        over = 0  # the answer has begun before any thought
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
    # By how many tokens read the price of writing a cache is higher than that of reading without one.
    surcharge: float = 0.0


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
    cost = price.of(tokens_in + counted.surcharge, tokens_out, counted.cached) if price else None
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
    refusal = message.get("refusal") or "".join(
        str(one.get("refusal")) for one in _parts(message.get("content"), "refusal")
    )
    if isinstance(refusal, str) and refusal.strip():
        return "refused", f"the model declined to answer: {escape(refusal, SHOWN)}"
    if str(reason).casefold() in _WITHHELD:
        return "refused", f"the provider withheld the reply ({reason})"
    if reason == "tool_use" or (not message.get("content") and message.get("tool_calls")):
        return "stop", "the model called a tool instead of answering"
    return ("length" if str(reason).casefold() in ("length", "max_tokens") else "stop"), ""


def _text(content: Any) -> str:
    """The text of a reply; half a surrogate pair, which no file can hold, becomes a mark."""
    if isinstance(content, list):  # parts, of which some may be thoughts
        texts = [part.get("text") for part in _parts(content, "text")]
        content = "".join(text for text in texts if isinstance(text, str))
    return content.encode("utf-8", "replace").decode() if isinstance(content, str) else ""


def _parts(content: Any, kind: str) -> list[Mapping[str, Any]]:
    """The parts of one type, of a content that has parts."""
    return [
        part
        for part in (content if isinstance(content, list) else ())
        if isinstance(part, dict) and part.get("type") == kind
    ]


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
