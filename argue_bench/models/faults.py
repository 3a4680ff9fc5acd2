"""Everything that can go wrong with a call to a server, and whether it is retried.

retry   429 (after Retry-After), 408, 409, 5xx, a lost or slow connection, a reply that is not JSON
drop    400 or 422 that names a parameter: sent again without it
fail    any other 4xx: this request gets no answer, others may
stop    a wrong key, no money, an unknown model or address, a redirect: no request can be answered

What a server sends is bounded here, too: a proxy or a hostile server may send without end, send a few
bytes that unpack to gigabytes, or name an encoding whose decoder does.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from importlib import import_module
from typing import Any, Literal

from argue_bench.records.display import escape

_REFUSAL = re.compile(
    r"unsupported|not support|does not accept|unrecogni[sz]ed|unknown|unexpected|not permitted"
    r"|not allowed|not available|extra (input|field)|deprecated|only the default|invalid param",
    re.IGNORECASE,
)
_BAD_VALUE = re.compile(r"invalid value|not valid|cannot both be specified", re.IGNORECASE)
_NO_MONEY = (
    "insufficient_quota",
    "billing_hard_limit_reached",
    "credit balance",
    "exceeded your current quota",
)
_LONGEST_WAIT = 120.0
_MOST_BYTES = 4_000_000
"""Bytes of a reply; no completion has more."""
SHOWN = 300
MOST_KEPT = 100_000
"""Characters of a reply that is not a completion which are kept for reading."""


@dataclass
class Fault(Exception):
    """A call that brought no reply. ``maybe_paid``: the server may charge for it."""

    kind: Literal["retry", "drop", "fail", "stop"]
    reason: str
    wait: float | None = None
    """Seconds that the server asked to wait."""
    parameter: str = ""
    """The parameter to drop."""
    raw: str = ""
    maybe_paid: bool = False
    unreached: bool = False
    """Whether nothing was heard from the model's server."""


def status_fault(
    status: int, raw: str, retry_after: str, sent: Collection[str], location: str = ""
) -> Fault:
    """The fault of an HTTP status other than 2xx.

    ``sent``: the parameters of the request; ``location``: the target of a redirect.
    """
    message, code, parameter = _read_error(raw)
    raw = raw[:MOST_KEPT]
    reason = f"the server answered {status}" + (f": {escape(message, SHOWN)}" if message else "")
    if status < 400:
        # Prompts, and the key, go to the address that was named and to no other.
        target = f" and sends on to {escape(location, SHOWN)}" if location else ""
        reason = f"the server answered {status}{target}, which is not followed"
        return Fault("stop", f"{reason}. Name the right base URL", raw=raw)
    no_money = any(sign in code or sign in message.lower() for sign in _NO_MONEY)
    if status == 402 or (status in (400, 403, 429) and no_money):
        return Fault("stop", f"{reason}. There is no money or quota left", raw=raw)
    if status in (401, 403):
        return Fault("stop", f"{reason}. Is the key right, and does it allow this model?", raw=raw)
    if status == 404:
        return Fault("stop", f"{reason}. Are the model and the base URL right?", raw=raw)
    if status in (400, 422):
        if name := _refused_parameter(f"{code} {message}", message, parameter, sent):
            return Fault("drop", reason, parameter=name, raw=raw)
        if "model_not_found" in code or "invalid model" in message.lower():
            return Fault("stop", f"{reason}. Is the model right?", raw=raw)
    if status in (408, 409, 425, 429) or status >= 500:
        return Fault("retry", reason, wait=retry_after_seconds(retry_after), raw=raw)
    return Fault("fail", reason, raw=raw)


def connection_fault(error: Exception) -> Fault:
    """The fault of a lost connection, or of one that was never made and so cannot cost anything."""
    why: BaseException = error
    connected, proxy = True, False
    while why.__cause__ is not None:
        why = why.__cause__
        if isinstance(why, Fault):
            return why
        names = [base.__name__ for base in type(why).__mro__]
        connected &= not any("Connector" in name for name in names)  # aiohttp: never connected
        proxy |= "ClientProxyConnectionError" in names
    reason = "the connection was lost" if connected else "no connection"
    if proxy:
        reason += " to the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names"
    reason = f"{reason}: {escape(str(why) or type(why).__name__, SHOWN)}"
    return Fault("retry", reason, maybe_paid=connected, unreached=not connected)


def _refused_parameter(text: str, message: str, parameter: str, sent: Collection[str]) -> str:
    """The parameter that the server does not accept, empty where it complains of something else."""
    if not _REFUSAL.search(text):
        if not _BAD_VALUE.search(text):
            return ""
        # A bad value of a token limit may be too high a value, which another name would not mend.
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


def _read_error(raw: str) -> tuple[str, str, str]:
    """Message, code and parameter of an error body, as far as it has them."""
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


def retry_after_seconds(header: str) -> float | None:
    """Retry-After, which is seconds or a date, as 0 to 120 seconds; None where it is neither."""
    text = header.strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text):
        return min(float(text), _LONGEST_WAIT)
    try:
        wait = parsedate_to_datetime(text).timestamp() - time.time()
    except (ValueError, TypeError, OverflowError):
        return None
    return min(max(0.0, wait), _LONGEST_WAIT)


async def bound_reply(response: Any) -> None:
    """A hook on responses whose body has not been read. Raises Fault now, or while the body is read."""
    packed = response.headers.get("content-encoding", "identity").strip().lower()
    if packed not in ("", "identity"):
        raise Fault("retry", "the server answered compressed despite our header", maybe_paid=True)
    response.headers["content-type"] = "application/json; charset=utf-8"
    # The SDK brings httpx or its successor; a stream has to be one of the same.
    httpx: Any = import_module(type(response).__module__.partition(".")[0])
    stream = response.stream

    class BoundedStream(httpx.AsyncByteStream):  # type: ignore[misc]
        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for chunk in stream:
                size += len(chunk)
                if size > _MOST_BYTES:
                    raise Fault("retry", "the reply is longer than any completion", maybe_paid=True)
                yield chunk

        async def aclose(self) -> None:
            await stream.aclose()

    response.stream = BoundedStream()
