"""The calls of Anthropic's Message Batches: requests and their batch in one call, replies in one file.

A batch has no name of ours, so each request's id bears it: 40 digits of the request's key, 24 of the batch's.
One whose id was lost on the way is looked for among those of its size that are newer than the newest that was
there before; whether it is ours, its replies say once it has ended, which is waited for.
(https://platform.claude.com/docs/en/api/listing-message-batches, read 2026-11-22.)
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any

from argue_bench.models.chat import Chat
from argue_bench.models.chat.connection import Connection
from argue_bench.models.faults import Fault, status_fault
from argue_bench.scale.batch_calls import (
    BatchState,
    LineReply,
    count_in,
    key_of,
    name_in,
    object_in,
)

_PAGE, _MOST_PAGES = 100, 100
_NOTHING_BEFORE = "none"
_KEY_DIGITS = 40
"""Of a request's key in its id; 24 of the batch's own name follow, since an id may have 64."""
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
"""Of an error's type, as the API has it online; 500 for any other."""


class MessageBatches:
    """Message Batches below the chat's first base URL. Every method raises Fault. ``pause`` waits."""

    def __init__(
        self, chat: Chat, connection: Connection, pause: Callable[[], Awaitable[None]]
    ) -> None:
        self._url = f"{chat.bases[0]}/messages/batches"
        self._connection, self._pause = connection, pause

    async def upload(self, nonce: str, bodies: Sequence[str]) -> str:
        """The newest batch so far: ours will be newer. The requests themselves are sent
        with the batch."""
        async for row in self._newest_first():
            return name_in(row.get("id"))
        return _NOTHING_BEFORE

    async def ready(self, file: str) -> bool:
        """True: there is no upload to wait for."""
        return True

    async def begin(self, file: str, nonce: str, bodies: Sequence[str]) -> str:
        """Begins a batch of these requests; returns the provider's name of it."""
        rows = (
            f'{{"custom_id": "{key_of(body).hex()}{nonce}", "params": {body}}}' for body in bodies
        )
        sent = f'{{"requests": [{", ".join(rows)}]}}'.encode("utf-8", "replace")
        made = await self._read(await self._connection.post(self._url, sent), begins=True)
        return name_in(object_in(made).get("id"))

    async def find(self, file: str, nonce: str, count: int) -> str:
        """The provider's name of the batch whose requests bear our name; empty where there is none."""
        # A running batch shows no ids, so one that could be ours is waited for.
        others: set[str] = set()
        while True:
            waiting = False
            async for row in self._newest_first():
                id = name_in(row.get("id"))
                if id == file:
                    break
                if id in others or _total(row) != count:
                    continue
                if row.get("processing_status") != "ended":
                    waiting = True
                elif _is_ours(await self.content(id), nonce):
                    return id
                else:
                    others.add(id)
            if not waiting:
                return ""
            await self._pause()

    async def state(self, id: str) -> BatchState:
        """The state of a batch."""
        value = object_in(await self._get(f"{self._url}/{id}"))
        # There is no word for a cancelled or expired batch: its counts say it.
        counts = _counts(value)
        if value.get("processing_status") != "ended":
            status = str(value.get("processing_status"))
        elif counts["canceled"]:
            status = "cancelled"
        else:
            status = "expired" if counts["expired"] else "completed"
        ended = value.get("processing_status") == "ended"
        failed = counts["errored"] + counts["canceled"] + counts["expired"]
        file = id if ended else ""
        return BatchState(status, counts["succeeded"], failed, _total(value), file)

    async def content(self, file: str) -> str:
        """The replies of a batch, one a line."""
        return await self._get(f"{self._url}/{file}/results")

    @staticmethod
    def reply_in(line: str) -> tuple[bytes, LineReply] | None:
        """Key and reply of a line; None where it is no reply to a request of ours."""
        try:
            value = json.loads(line)
            return bytes.fromhex(value["custom_id"][:_KEY_DIGITS]), _reply(value["result"])
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            return None

    async def _newest_first(self) -> AsyncIterator[Mapping[str, Any]]:
        after = ""
        for _ in range(_MOST_PAGES):
            page = object_in(await self._get(f"{self._url}?limit={_PAGE}{after}"))
            rows = [row for row in page.get("data") or () if isinstance(row, dict)]
            for row in rows:
                yield row
            if not page.get("has_more") or not rows:
                return
            after = f"&after_id={name_in(rows[-1].get('id'))}"

    async def _get(self, url: str) -> str:
        return await self._read(await self._connection.get(url))

    async def _read(self, reply: tuple[int, Mapping[str, str], str], begins: bool = False) -> str:
        status, headers, text = reply
        if status == 404 and begins:
            where = f"there are no Message Batches at {self._url}"
            raise Fault("stop", f"{where}; leave out --batch")
        if status != 200:
            raise status_fault(status, text, headers, ())
        return text


def _counts(value: Mapping[str, Any]) -> dict[str, int]:
    counts = value.get("request_counts")
    counts = counts if isinstance(counts, dict) else {}
    names = ("processing", "succeeded", "errored", "canceled", "expired")
    return {name: count_in(counts.get(name)) for name in names}


def _total(value: Mapping[str, Any]) -> int:
    return sum(_counts(value).values())


def _is_ours(content: str, nonce: str) -> bool:
    try:
        id = json.loads(content.partition("\n")[0])["custom_id"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return False
    return isinstance(id, str) and id[_KEY_DIGITS:] == nonce


def _reply(result: Mapping[str, Any]) -> LineReply:
    if result["type"] == "succeeded":
        return LineReply(200, json.dumps(result["message"], ensure_ascii=False), "")
    if result["type"] != "errored":
        return LineReply(0, "", f"batch_{result['type']}")
    error = result["error"]
    inner = error.get("error") if isinstance(error.get("error"), dict) else error
    return LineReply(_STATUS.get(str(inner.get("type")), 500), json.dumps({"error": inner}), "")
