"""Requests and replies as lines of JSON, as OpenAI's Batch API has them.

A request is ``{"custom_id", "method", "url", "body"}``; a reply ``{"custom_id", "response": {"status_code",
"body"}, "error"}``, in any order. ``vllm run-batch`` reads and writes the same.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

PATH, AZURE_PATH = "/v1/chat/completions", "/chat/completions"
_KEY_BYTES = 20


@dataclass(frozen=True)
class LineReply:
    """The reply of one line. ``status`` 0 and an empty ``body`` where the line was not answered."""

    status: int
    body: str
    error: str
    """What the server says of a line that it did not answer, such as ``batch_expired``."""


def key_of(body: str) -> bytes:
    """The key of a request: what is the same has the same key, in whatever run it is made."""
    return hashlib.sha256(body.encode("utf-8", "replace")).digest()[:_KEY_BYTES]


def request_line(body: str, path: str = PATH) -> str:
    """The line of a request, whose body is JSON."""
    head = json.dumps({"custom_id": key_of(body).hex(), "method": "POST", "url": path})
    return f'{head[:-1]}, "body": {body}}}\n'


def reply_in(line: str) -> tuple[bytes, LineReply] | None:
    """Key and reply of a line; None where it is no reply to a request of ours, which is then asked again."""
    try:
        value: Any = json.loads(line)
        return bytes.fromhex(value["custom_id"]), _reply(value.get("response"), value.get("error"))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return None


def _reply(response: Any, error: Any) -> LineReply:
    if isinstance(response, Mapping) and isinstance(status := response.get("status_code"), int):
        body = response.get("body")
        text = body if isinstance(body, str) else json.dumps(body, ensure_ascii=False)
        return LineReply(status, text, "")
    code = error.get("code") if isinstance(error, Mapping) else error
    said = error.get("message") if isinstance(error, Mapping) else ""
    return LineReply(0, "", ": ".join(str(one)[:200] for one in (code, said) if one) or "no reply")
