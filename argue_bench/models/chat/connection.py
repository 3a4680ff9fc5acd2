"""HTTP calls to one server: JSON out, text in, bounded in time, size and where they go.

A connection belongs to one event loop. Redirects are not followed, since prompts and keys go to the address
that was named; compressed replies are refused, since a few bytes may unpack to gigabytes.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from argue_bench.errors import MissingExtra
from argue_bench.models.faults import MOST_BYTES, Fault, connection_fault

_KEEP_SECONDS = 60.0
"""A connection that waits for longer than this is made anew."""
_SENT_ALWAYS = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "User-Agent": "argue-bench",
}
_JSON = {"Content-Type": "application/json"}


class Connection:
    """Connections to the servers of one provider. ``users`` are calls of `Chat.complete` in progress."""

    def __init__(
        self, name: str, headers: Mapping[str, str], timeout: float, secure: bool = True
    ) -> None:
        """``name``: the model that wants it; ``secure``: whether any address is HTTPS.

        Raises MissingExtra where aiohttp is not installed.
        """
        try:
            import aiohttp
        except ImportError:
            raise MissingExtra(name, "judge") from None
        self.loop = asyncio.get_running_loop()
        self.users = 0
        self._timeout = timeout
        self._proxies: dict[str, str | None] = {}
        connector = aiohttp.TCPConnector(
            limit=0,
            ssl=_certificates() if secure else True,
            keepalive_timeout=_KEEP_SECONDS,
            ttl_dns_cache=600,
        )
        self._session = aiohttp.ClientSession(
            connector=connector,
            headers={**_SENT_ALWAYS, **headers},
            timeout=aiohttp.ClientTimeout(total=None),
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
        )

    async def post(self, url: str, body: bytes) -> tuple[int, Mapping[str, str], str]:
        """Status, headers and text of the reply. Raises Fault ("retry") where there is none."""
        return await self.call("POST", url, data=body, headers=_JSON)

    async def call(
        self, method: str, url: str, *, data: Any = None, most: int = MOST_BYTES, **more: Any
    ) -> tuple[int, Mapping[str, str], str]:
        """Like `post` with any method; ``data`` may be a form, ``most`` are the bytes of a reply."""
        try:
            async with (
                asyncio.timeout(self._timeout),
                self._session.request(
                    method,
                    url,
                    data=data,
                    allow_redirects=False,
                    proxy=self._proxy(url),
                    **more,
                ) as reply,
            ):
                packed = reply.headers.get("Content-Encoding", "identity").strip().lower()
                if packed not in ("", "identity"):
                    why = "the server answered compressed despite our header"
                    raise Fault("retry", why, maybe_paid=True)
                parts: list[bytes] = []
                size = 0
                while part := await reply.content.readany():
                    parts.append(part)
                    size += len(part)
                    if size > most:
                        why = "the reply is longer than any completion"
                        raise Fault("retry", why, maybe_paid=True)
                text = b"".join(parts).decode("utf-8", "replace")
                return reply.status, reply.headers, text
        except TimeoutError:
            why = f"no reply within {self._timeout:g} s"
            raise Fault("retry", why, maybe_paid=True, unreached=True) from None
        except Fault:
            raise
        except Exception as error:  # whatever a broken reply does to the parsers below
            raise connection_fault(error) from None

    async def close(self) -> None:
        """Closes every connection."""
        await self._session.close()

    def _proxy(self, url: str) -> str | None:
        """The proxy that the environment names for an address, looked up once for each server."""
        parts = urlsplit(url)
        if parts.netloc not in self._proxies:
            named = getproxies()
            proxy = named.get(parts.scheme) or named.get("all")
            bypassed = proxy is None or proxy_bypass(parts.hostname or "")
            self._proxies[parts.netloc] = None if bypassed else proxy
        return self._proxies[parts.netloc]


def _certificates() -> ssl.SSLContext:
    """The system's certificates, and those of certifi, for a Python that came without."""
    context = ssl.create_default_context()
    try:
        import certifi
    except ImportError:
        return context
    context.load_verify_locations(certifi.where())
    return context
