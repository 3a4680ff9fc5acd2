"""The calls of OpenAI's Batch API, which Azure shares, and the lines of its files.

A request is ``{"custom_id", "method", "url", "body"}``; a reply ``{"custom_id", "response": {"status_code",
"body"}, "error"}``, in any order.

At Azure a file is taken up some time after it was uploaded, its lines name a shorter path, and a batch may lack
our own name for it (https://learn.microsoft.com/azure/ai-foundry/openai/how-to/batch, read 2026-11-22).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Awaitable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from argue_bench.models.chat import Chat
from argue_bench.models.chat.connection import Connection
from argue_bench.models.faults import MOST_BYTES, Fault, status_fault
from argue_bench.records.display import escape

if TYPE_CHECKING:
    from openai._legacy_response import LegacyAPIResponse

    from argue_bench.models.chat.wire import RawReply

_OUR_NAME = "argue_bench"
"""Under this name of its metadata a batch has our own name for it."""
_ENDED = ("completed", "expired", "cancelled", "failed")
_PAGE, _MOST_PAGES = 100, 100
MOST_FILE_BYTES = 1 << 30
"""Of a file of replies."""
_SHOWN = 300
"""Characters of a provider's message that are repeated."""


PATH, AZURE_PATH = "/v1/chat/completions", "/chat/completions"
_KEY_BYTES = 20
"""Of a request's key: 40 digits, which leave room for 24 of a batch's own in Anthropic's ids."""


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
    # Files come from a server: any broken line is no reply, and its request is asked again.
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


@dataclass(frozen=True)
class BatchState:
    """The state of a batch as the provider reports it. The files are empty where there are none."""

    status: str
    completed: int = 0
    failed: int = 0
    total: int = 0
    output_file: str = ""
    error_file: str = ""
    reason: str = ""
    """Why it failed as a whole."""
    too_many_tokens: bool = False
    """Whether it failed since too much waits in other batches."""

    @property
    def ended(self) -> bool:
        return self.status in _ENDED


class BatchApi:
    """The Batch API below one base URL, by the openai package's files and batches. Every method raises Fault.

    Replies are taken raw: the package would read one that is no JSON object as an object without values.
    """

    def __init__(self, chat: Chat, connection: Connection) -> None:
        self._base, self._connection = chat.bases[0], connection
        self._azure = chat.provider.dialect == "azure"
        self._path = AZURE_PATH if self._azure else PATH
        self._files = connection.client.files.with_raw_response
        self._batches = connection.client.batches.with_raw_response

    async def upload(self, nonce: str, bodies: Sequence[str]) -> str:
        """Uploads a file of requests; returns the provider's name of it."""
        lines = "".join(request_line(body, self._path) for body in bodies).encode()
        file = (f"{nonce}.jsonl", lines, "application/jsonl")
        made = await self._made(self._files.create(file=file, purpose="batch"))
        return name_in(made.get("id"))

    async def ready(self, file: str) -> bool:
        """Whether a batch can be begun on a file. Raises Fault where it never can."""
        if not self._azure:
            return True
        value = object_in(await self._call(self._files.retrieve(file)))
        if value.get("status") in ("error", "deleting", "deleted"):
            why = escape(str(value.get("status_details") or value["status"]), _SHOWN)
            raise Fault("fail", f"the provider can't use the file of requests: {why}")
        return value.get("status") == "processed"

    async def begin(self, file: str, nonce: str, bodies: Sequence[str]) -> str:
        """Begins a batch; returns the provider's name of it."""
        begun = self._batches.create(
            input_file_id=file,
            endpoint=self._path,
            completion_window="24h",
            metadata={_OUR_NAME: nonce},
        )
        return name_in((await self._made(begun)).get("id"))

    async def find(self, file: str, nonce: str, count: int) -> str:
        """The provider's name of the batch with our name, or on our file; empty where there is none."""
        after: Mapping[str, str] = {}
        # The newest come first, and ours was begun a moment before the process ended.
        for _ in range(_MOST_PAGES):
            page = object_in(await self._call(self._batches.list(limit=_PAGE, **after)))
            rows = [row for row in page.get("data") or () if isinstance(row, dict)]
            for row in rows:
                metadata = row.get("metadata")
                named = isinstance(metadata, dict) and metadata.get(_OUR_NAME) == nonce
                if named or row.get("input_file_id") == file:
                    return name_in(row.get("id"))
            if not page.get("has_more") or not rows:
                return ""
            after = {"after": name_in(rows[-1].get("id"))}
        return ""

    async def state(self, id: str) -> BatchState:
        """The state of a batch."""
        value = object_in(await self._call(self._batches.retrieve(id)))
        counts = value.get("request_counts")
        counts = counts if isinstance(counts, dict) else {}
        errors = value.get("errors")
        rows = errors.get("data") if isinstance(errors, dict) else None
        first = rows[0] if isinstance(rows, list) and rows and isinstance(rows[0], dict) else {}
        code, message = str(first.get("code") or ""), str(first.get("message") or "")
        return BatchState(
            name_in(value.get("status")),
            count_in(counts.get("completed")),
            count_in(counts.get("failed")),
            count_in(counts.get("total")),
            str(value.get("output_file_id") or ""),
            str(value.get("error_file_id") or ""),
            escape(f"{code}: {message}" if code else message, _SHOWN) or "it failed",
            "token_limit" in code or "enqueued token" in message.lower(),
        )

    async def content(self, file: str) -> str:
        """The text of a file."""
        return await self._call(self._files.content(file))

    reply_in = staticmethod(reply_in)

    async def _made(self, call: Awaitable[LegacyAPIResponse[Any]]) -> Mapping[str, Any]:
        """The object that a call created."""
        where = f"there is no Batch API at {self._base}"
        return object_in(await self._call(call, f"{where}; leave out --batch"))

    async def _call(self, call: Awaitable[LegacyAPIResponse[Any]], absent: str = "") -> str:
        """The text of a reply. ``absent``: what status 404 means."""

        async def raw() -> RawReply:
            response: RawReply = (await call).http_response
            return response

        status, headers, text = await self._connection.reply(raw())
        if status == 404 and absent:
            raise Fault("stop", absent)
        if status != 200:
            raise status_fault(status, text, headers, ())
        return text


def object_in(text: str) -> Mapping[str, Any]:
    """The JSON object that a reply is."""
    try:
        value = json.loads(text) if len(text) <= MOST_BYTES else None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Fault("retry", f"the Batch API answered with no JSON object: {escape(text, 120)}")
    return value


def name_in(value: Any) -> str:
    """A name that the provider gave, which goes into further addresses."""
    # It goes into an address, so a slash or a dot in it must not lead elsewhere.
    if (
        not isinstance(value, str)
        or not value
        or not value.replace("-", "").replace("_", "").isalnum()
    ):
        raise Fault("retry", f"the Batch API gave no name: {value!r:.80}")
    return value


def count_in(value: Any) -> int:
    return value if isinstance(value, int) and value >= 0 else 0
