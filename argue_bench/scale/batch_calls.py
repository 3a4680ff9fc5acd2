"""The calls of two batch interfaces: OpenAI's Batch API and Anthropic's Message Batches.

OpenAI takes a file of requests, on which a batch is begun under a name of ours; its replies and errors are
files, in any order. (https://platform.openai.com/docs/guides/batch, read 2026-11-22.)

Anthropic takes requests and batch in one call. There is no room for a name of ours, so each request's id bears
it: 40 digits of the request's key, 24 of the batch's. One whose id was lost on the way is looked for among those
of its size that are newer than the newest that was there before; whether it is ours, its replies say once it
has ended, which is waited for.
(https://platform.claude.com/docs/en/api/listing-message-batches, read 2026-11-22.)
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from argue_bench.models.chat import Chat
from argue_bench.models.reply import MOST_BYTES, SHOWN, Fault, status_fault
from argue_bench.records.display import escape

if TYPE_CHECKING:
    from argue_bench.models.connection import Connection, Reply

# Under this name of its metadata a batch of OpenAI's has our own name for it.
_OUR_NAME = "argue_bench"
_PATH = "/v1/chat/completions"
_PAGE, _MOST_PAGES = 100, 100
_NOTHING_BEFORE = "none"
# Of a request's key: 40 digits, which leave room for 24 of a batch's own in Anthropic's ids.
_KEY_BYTES = 20
# Of an error's type, as Anthropic has it online; 500 for any other.
_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "timeout_error": 504,
    "overloaded_error": 529,
}


@dataclass(frozen=True)
class LineReply:
    """The reply of one line. ``status`` 0 and an empty ``body`` where the line was not answered."""

    status: int
    body: str
    error: str
    """What the server says of a line that it did not answer, such as ``batch_expired``."""


@dataclass(frozen=True)
class BatchState:
    """The state of a batch as the provider reports it."""

    status: str
    ended: bool
    done: int = 0
    total: int = 0
    files: tuple[str, ...] = ()
    """Its replies, and behind them its errors."""
    reason: str = ""
    """Why it failed as a whole."""
    too_many_tokens: bool = False
    """Whether it failed since too much waits in other batches."""


def key_of(body: str) -> bytes:
    """The key of a request: what is the same has the same key, in whatever run it is made."""
    return hashlib.sha256(body.encode("utf-8", "replace")).digest()[:_KEY_BYTES]


class BatchApi:
    """OpenAI's Batch API below a chat's base URL. Every method raises Fault. ``pause`` waits."""

    after = "after"
    """The parameter of a list that names the row before."""
    place = "batches"

    def __init__(
        self, chat: Chat, connection: Connection, pause: Callable[[], Awaitable[None]]
    ) -> None:
        self.base, self._connection, self._pause = chat.base, connection, pause
        self._url = f"{chat.base}/{self.place}"

    async def upload(self, nonce: str, bodies: Sequence[str]) -> str:
        """Uploads a file of requests; returns the provider's name of it."""
        heads = (
            json.dumps({"custom_id": key_of(body).hex(), "method": "POST", "url": _PATH})
            for body in bodies
        )
        lines = (
            f'{head[:-1]}, "body": {body}}}\n' for head, body in zip(heads, bodies, strict=True)
        )
        file = (f"{nonce}.jsonl", "".join(lines).encode(), "application/jsonl")
        created = self._connection.client.files.with_raw_response.create(file=file, purpose="batch")

        async def raw() -> Any:
            return (await created).http_response

        return self._made(await self._connection.reply(raw()))

    async def begin(self, file: str, nonce: str, bodies: Sequence[str]) -> str:
        """Begins a batch; returns the provider's name of it."""
        wanted = {"input_file_id": file, "endpoint": _PATH, "completion_window": "24h"}
        sent = json.dumps({**wanted, "metadata": {_OUR_NAME: nonce}}).encode()
        return self._made(await self._connection.post(self._url, sent))

    async def find(self, file: str, nonce: str, count: int) -> str:
        """The provider's name of the batch with our name, or on our file; empty where there is none."""
        async for row in self._newest_first():
            if row.get("input_file_id") == file or _inner(row, "metadata").get(_OUR_NAME) == nonce:
                return _name_in(row)
        return ""

    async def state(self, id: str) -> BatchState:
        """The state of a batch."""
        value = await self._object(f"{self._url}/{id}")
        counts, errors = _inner(value, "request_counts"), _inner(value, "errors").get("data")
        first = errors[0] if isinstance(errors, list) and errors else {}
        code, message = str(first.get("code") or ""), str(first.get("message") or "")
        files = (value.get("output_file_id"), value.get("error_file_id"))
        return BatchState(
            status := str(value.get("status")),
            status in ("completed", "expired", "cancelled", "failed"),
            _count(counts, "completed", "failed"),
            _count(counts, "total"),
            tuple(file for file in files if isinstance(file, str) and file),
            escape(f"{code}: {message}" if code else message, SHOWN) or "it failed",
            "token_limit" in code or "enqueued token" in message.lower(),
        )

    async def content(self, file: str) -> str:
        """The text of a file."""
        return await self._get(f"{self.base}/files/{file}/content")

    def reply_in(self, line: str) -> tuple[bytes, LineReply] | None:
        """Key and reply of a line; None where it is no reply to a request of ours, which is then asked again."""
        # Files come from a server: any broken line is no reply, and its request is asked again.
        try:
            value: Any = json.loads(line)
            return bytes.fromhex(value["custom_id"][: 2 * _KEY_BYTES]), self._reply(value)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    def _reply(self, value: Any) -> LineReply:
        if response := value.get("response"):
            body = json.dumps(response["body"], ensure_ascii=False)
            return LineReply(int(response["status_code"]), body, "")
        error = value.get("error") or {}
        said = [str(error[name])[:200] for name in ("code", "message") if error.get(name)]
        return LineReply(0, "", ": ".join(said) or "no reply")

    async def _newest_first(self) -> AsyncIterator[Mapping[str, Any]]:
        after = ""
        for _ in range(_MOST_PAGES):
            page = await self._object(f"{self._url}?limit={_PAGE}{after}")
            rows = [row for row in page.get("data") or () if isinstance(row, dict)]
            for row in rows:
                yield row
            if not page.get("has_more") or not rows:
                return
            after = f"&{self.after}={_name_in(rows[-1])}"

    async def _object(self, url: str) -> Mapping[str, Any]:
        return _object_in(await self._get(url))

    async def _get(self, url: str) -> str:
        status, headers, text = await self._connection.get(url)
        if status != 200:
            raise status_fault(status, text, headers, ())
        return text

    def _made(self, reply: Reply) -> str:
        """The name of what a call created."""
        status, headers, text = reply
        if status == 404:
            where = f"there is no Batch API at {self.base}"
            raise Fault("stop", f"{where}; leave out --batch")
        if status != 200:
            raise status_fault(status, text, headers, ())
        return _name_in(_object_in(text))


class MessageBatches(BatchApi):
    """Anthropic's Message Batches below a chat's base URL."""

    after = "after_id"
    place = "messages/batches"

    async def upload(self, nonce: str, bodies: Sequence[str]) -> str:
        """The newest batch so far: ours will be newer. The requests themselves are sent with the batch."""
        async for row in self._newest_first():
            return _name_in(row)
        return _NOTHING_BEFORE

    async def begin(self, file: str, nonce: str, bodies: Sequence[str]) -> str:
        rows = (
            f'{{"custom_id": "{key_of(body).hex()}{nonce}", "params": {body}}}' for body in bodies
        )
        sent = f'{{"requests": [{", ".join(rows)}]}}'.encode("utf-8", "replace")
        return self._made(await self._connection.post(self._url, sent))

    async def find(self, file: str, nonce: str, count: int) -> str:
        """The provider's name of the batch whose requests bear our name; empty where there is none."""
        async for row in self._newest_first():
            if (id := _name_in(row)) == file:
                break
            state = _state(row)
            # A running batch shows no ids, so one that could be ours is waited for.
            while state.total == count and not state.ended:
                await self._pause()
                state = await self.state(id)
            if state.total == count and f'{nonce}"' in (await self.content(id)).partition("\n")[0]:
                return id
        return ""

    async def state(self, id: str) -> BatchState:
        return _state(await self._object(f"{self._url}/{id}"))

    async def content(self, file: str) -> str:
        return await self._get(f"{self._url}/{file}/results")

    def _reply(self, value: Any) -> LineReply:
        result = value["result"]
        if result["type"] == "succeeded":
            return LineReply(200, json.dumps(result["message"], ensure_ascii=False), "")
        if result["type"] != "errored":
            return LineReply(0, "", f"batch_{result['type']}")
        error = result["error"]
        inner = error.get("error") or error
        return LineReply(_STATUS.get(inner.get("type"), 500), json.dumps({"error": inner}), "")


def _state(row: Mapping[str, Any]) -> BatchState:
    """The state of one of Anthropic's batches. None is called cancelled or expired: its counts say it."""
    counts, status = _inner(row, "request_counts"), str(row.get("processing_status"))
    ended = status == "ended"
    lost = [name for name in ("canceled", "expired") if _count(counts, name)]
    if ended:
        status = {"canceled": "cancelled"}.get(lost[0], "expired") if lost else "completed"
    done = _count(counts, "succeeded", "errored", "canceled", "expired")
    files = (_name_in(row),) if ended else ()
    return BatchState(status, ended, done, done + _count(counts, "processing"), files)


def _inner(value: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    inner = value.get(name)
    return inner if isinstance(inner, dict) else {}


def _count(counts: Mapping[str, Any], *names: str) -> int:
    return sum(one for name in names if isinstance(one := counts.get(name), int) and one > 0)


def _object_in(text: str) -> Mapping[str, Any]:
    """The JSON object that a reply is."""
    try:
        value = json.loads(text) if len(text) <= MOST_BYTES else None
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise Fault("retry", f"the Batch API answered with no JSON object: {escape(text, 120)}")
    return value


def _name_in(row: Mapping[str, Any]) -> str:
    """The name that the provider gave to something."""
    # It goes into an address, so a slash or a dot in it must not lead elsewhere.
    name = row.get("id")
    if not isinstance(name, str) or not name.replace("-", "").replace("_", "").isalnum():
        raise Fault("retry", f"the Batch API gave no name: {name!r:.80}")
    return name
