"""Calls to one provider through the openai package: JSON out, text in, bounded in time, size and where they go.

A connection belongs to one event loop. The package sends by its generic ``post`` and returns the raw response,
since its own reading of a completion costs more than all else and hides what a server really said. It
tries nothing twice: how often and when is `Patience`'s to say. Redirects are not followed, since prompts and
keys go to the address that was named; compressed replies are refused, since a few bytes may unpack to gigabytes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from typing import TYPE_CHECKING

from argue_bench.errors import MissingExtra
from argue_bench.models.faults import MOST_BYTES, Fault

if TYPE_CHECKING:
    from openai import AsyncOpenAI
    from openai._types import RequestOptions

    from argue_bench.models.chat.wire import RawReply

Reply = tuple[int, Mapping[str, str], str]
"""Status, headers with their names in small letters, and text."""

# The package makes what is not said anew for each request, which costs a tenth of the whole.
_OPTIONS: RequestOptions = {
    "headers": {},
    "params": {},
    "max_retries": 0,
    "timeout": None,
    "follow_redirects": False,
    "idempotency_key": "",
    "security": {"bearer_auth": True},
}


class Connection:
    """Connections to the servers of one provider; ``client`` is the openai package's."""

    def __init__(
        self,
        name: str,
        base: str,
        headers: Mapping[str, str],
        timeout: float,
        most: int = MOST_BYTES,
    ) -> None:
        """``name``: the model that wants it; ``most``: bytes of a reply.

        Raises MissingExtra where the openai package or aiohttp is not installed.
        """
        try:
            import httpx2
            import openai

            from argue_bench.models.chat.wire import openai_client
        except ImportError:
            raise MissingExtra(name, "judge") from None
        self.loop = asyncio.get_running_loop()
        self.client: AsyncOpenAI = openai_client(base, headers, most)
        self._timeout = timeout
        self._raw, self._refusal = httpx2.Response, openai.APIStatusError

    async def post(self, url: str, body: bytes) -> Reply:
        """The reply to a JSON body. Raises Fault ("retry") where there is none."""
        return await self.reply(
            self.client.post(url, cast_to=self._raw, content=body, options=_OPTIONS)
        )

    async def get(self, url: str) -> Reply:
        """The reply to a question without a body. Raises Fault ("retry") where there is none."""
        return await self.reply(self.client.get(url, cast_to=self._raw))

    async def reply(self, call: Awaitable[RawReply]) -> Reply:
        """The reply to a call of ``client``, whatever its status. Raises Fault where there is none."""
        try:
            async with asyncio.timeout(self._timeout):
                response = await call
        except TimeoutError:
            why = f"no reply within {self._timeout:g} s"
            raise Fault("retry", why, maybe_paid=True, unreached=True) from None
        except Fault:
            raise
        except self._refusal as error:
            response = error.response
        except Exception as error:  # whatever a broken reply does to the parsers below
            raise Fault("retry", f"the connection was lost: {error}", maybe_paid=True) from None
        return response.status_code, response.came, response.whole.decode("utf-8", "replace")

    async def close(self) -> None:
        """Closes every connection."""
        await self.client.close()
