"""What went wrong with a call, and what follows from it: try again, drop a parameter, give up, stop?

again      429 (with Retry-After), 408, 409, 5xx, a lost or slow connection, a reply that is no JSON
refused    400 or 422 that names a parameter: sent again without it
failed     any other 4xx: this request is not answered, others may be
lost       a wrong key, no money, no such model or address, a redirect: nothing more can be asked
"""

from __future__ import annotations

import re
import time
from collections.abc import Collection
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from argue_bench.records.display import escape

Kind = Literal["again", "refused", "failed", "lost"]

_REFUSAL = re.compile(
    r"unsupported|not support|does not accept|unrecogni[sz]ed|unknown|unexpected|not permitted"
    r"|not allowed|not available|extra (input|field)|deprecated|only the default|invalid param",
    re.IGNORECASE,
)
_BAD_VALUE = re.compile(r"invalid value|not valid|cannot both be specified", re.IGNORECASE)
"""Of a token limit this may mean that it is too high, which another name would not mend."""
_NO_MONEY = (
    "insufficient_quota",
    "billing_hard_limit_reached",
    "credit balance",
    "exceeded your current quota",
)
_LONGEST_WAIT = 120.0
SHOWN = 300
MOST_KEPT = 100_000
"""Characters of a reply that is no completion which are kept for reading."""


@dataclass
class Fault(Exception):
    """A call that brought no reply. ``maybe_paid``: the server may have worked for it."""

    kind: Kind
    reason: str
    wait: float | None = None
    """Seconds that the server asked to wait."""
    parameter: str = ""
    raw: str = ""
    maybe_paid: bool = False
    unreached: bool = False
    """Whether nothing was heard from the server."""


def of_status(
    status: int, raw: str, retry_after: str, sent: Collection[str], location: str = ""
) -> Fault:
    """What an HTTP status other than 2xx means. ``sent``: the parameters of the request; ``location``:
    where a redirect leads."""
    message, code, parameter = _error(raw)
    raw = raw[:MOST_KEPT]
    said = f"the server answered {status}" + (f": {escape(message, SHOWN)}" if message else "")
    if status < 400:
        where = f" and sends on to {escape(location, SHOWN)}" if location else ""
        why = f"the server answered {status}{where}, which is not followed. Name the right base URL"
        return Fault("lost", why, raw=raw)
    if status == 402 or (status in (400, 403, 429) and _has_no_money(code, message)):
        return Fault("lost", f"{said}. There is no money or quota left", raw=raw)
    if status in (401, 403):
        return Fault("lost", f"{said}. Is the key right, and does it allow this model?", raw=raw)
    if status == 404:
        return Fault("lost", f"{said}. Are the model and the base URL right?", raw=raw)
    if status in (400, 422):
        name = _refused(message, code, parameter, sent)
        if name:
            return Fault("refused", said, parameter=name, raw=raw)
        if "model_not_found" in code or "invalid model" in message.lower():
            return Fault("lost", f"{said}. Is the model right?", raw=raw)
    if status in (408, 409, 425, 429) or status >= 500:
        return Fault("again", said, wait=retry_after_seconds(retry_after), raw=raw)
    return Fault("failed", said, raw=raw)


def _has_no_money(code: str, message: str) -> bool:
    return any(sign in code or sign in message.lower() for sign in _NO_MONEY)


def _refused(message: str, code: str, parameter: str, sent: Collection[str]) -> str:
    """The parameter that the server does not take, empty where it complains of something else."""
    if not _REFUSAL.search(f"{code} {message}"):
        if not _BAD_VALUE.search(f"{code} {message}"):
            return ""
        sent = [name for name in sent if not name.startswith("max_")]
    if parameter:
        head = re.split(r"[.\[]", parameter)[0]
        return head if head in sent else ""
    # Where two are named ("max_tokens is not supported, use max_completion_tokens") the first is meant.
    found = [
        (match.start(), name)
        for name in sent
        if (match := re.search(rf"(?<![\w]){re.escape(name)}(?![\w])", message))
    ]
    return min(found)[1] if found else ""


def _error(raw: str) -> tuple[str, str, str]:
    """Message, code and parameter of an error body, as far as it has them."""
    import json

    try:
        value: Any = json.loads(raw[: 1 << 16])
    except (ValueError, RecursionError):
        return ("" if "<" in raw[:200] else raw[:SHOWN]), "", ""
    if isinstance(value, list) and value:
        value = value[0]
    error = value.get("error", value) if isinstance(value, dict) else value
    if not isinstance(error, dict):
        return str(error)[: 4 * SHOWN], "", ""
    message = error.get("message") or error.get("detail") or error.get("msg") or ""
    code = f"{error.get('code') or ''} {error.get('type') or ''}"
    parameter = error.get("param")
    return str(message)[: 4 * SHOWN], code, parameter if isinstance(parameter, str) else ""


def retry_after_seconds(retry_after: str) -> float | None:
    """Retry-After, which is seconds or a date, as seconds within reason; None where it says nothing."""
    text = retry_after.strip()
    if not text:
        return None
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text):
        return min(float(text), _LONGEST_WAIT)
    try:
        wait = parsedate_to_datetime(text).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError):
        return None
    return min(max(0.0, wait), _LONGEST_WAIT)
