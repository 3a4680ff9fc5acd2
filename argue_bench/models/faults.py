"""The faults of a call to a server, and their consequences for the request and the run.

retry   429 (after the time that the server asks for), 408, 409, 5xx, a lost or slow connection, no JSON
drop    400 or 422 that names a parameter: sent again without it
fail    any other 4xx: this request gets no answer, others may
deny    403: a blocked prompt where the model has answered others, else perhaps a wrong key
stop    a wrong key, no money, an unknown model or address, a redirect: no request can be answered
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from argue_bench.records.display import escape

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
    wait: float | None = None
    """Seconds that the server asked to wait."""
    parameter: str = ""
    """The parameter to drop."""
    raw: str = ""
    maybe_paid: bool = False
    unreached: bool = False
    """Whether nothing was heard from the model's server."""


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
    passing = "resource_exhausted" in said or '"retrydelay"' in said
    if status == 429 and passing:
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
