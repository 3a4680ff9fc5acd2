"""How much of a server's reply is taken in? Not more than any completion has, as plain bytes, from nobody else.

A proxy, or a server that means harm, may send without end, send a few bytes that unfold into gigabytes, or name
an encoding whose decoder does. So replies are asked for uncompressed and refused compressed, counted
while they come, and read as UTF-8 whatever they say of themselves. Redirects are not followed: prompts go to the
address that was named.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from importlib import import_module
from typing import Any

from argue_bench.models.faults import Fault

LONGEST = 4_000_000
"""Bytes of a reply."""
HEADERS = {"Accept-Encoding": "identity"}


async def bounded(response: Any) -> None:
    """A hook on responses whose body has not been read. Raises Fault now, or while the body is read."""
    packed = response.headers.get("content-encoding", "identity").strip().lower()
    if packed not in ("", "identity"):
        raise Fault(
            "again", "the server answered compressed, which was not asked for", maybe_paid=True
        )
    response.headers["content-type"] = "application/json; charset=utf-8"
    response.stream = _counting(response)


def _counting(response: Any) -> Any:
    # The SDK brings httpx or its successor; a stream has to be one of the same.
    httpx: Any = import_module(type(response).__module__.partition(".")[0])
    stream = response.stream

    class Counting(httpx.AsyncByteStream):  # type: ignore[misc]
        async def __aiter__(self) -> AsyncIterator[bytes]:
            size = 0
            async for chunk in stream:
                size += len(chunk)
                if size > LONGEST:
                    raise Fault("again", "the reply is longer than any completion", maybe_paid=True)
                yield chunk

        async def aclose(self) -> None:
            await stream.aclose()

    return Counting()
