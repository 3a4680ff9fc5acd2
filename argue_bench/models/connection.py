"""Calls to one provider through the openai package: JSON out, text in, bounded in time, size and where they go.

A connection belongs to one event loop. The package sends by its generic ``post`` and returns the raw response,
since its own reading of a completion costs more than all else and hides what a server really said. It
tries nothing twice: how often and when is `Patience`'s to say. Redirects are not followed, since prompts and
keys go to the address that was named; compressed replies are refused, since a few bytes may unpack to gigabytes.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Mapping
from functools import lru_cache
from typing import Any
from urllib.parse import parse_qsl, urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import certifi
import httpx2
from openai import APIStatusError, AsyncOpenAI, DefaultAioHttpClient, Omit
from openai._types import RequestOptions

from argue_bench.models.reply import MOST_BYTES, SHOWN, Fault
from argue_bench.records.display import escape

# The HTTP layer below the openai package: aiohttp carries its requests, bounded and without
# extra headers.
#
# The package hands each request to this transport and gets its reply whole. Of a request's headers only
# those of the provider's row are sent, and its Content-Type: what the package adds by itself, or finds in its
# own variables of the environment (OPENAI_CUSTOM_HEADERS, OPENAI_ORG_ID, OPENAI_ADMIN_KEY), stays here. Nothing is made
# of a body and its reply that nobody looks at: merged headers, parsed addresses and copies cost more than the
# connection itself.

# A connection that waits for longer than this is made anew.
_KEEP_SECONDS = 60.0
_SENT_ALWAYS = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "User-Agent": "argue-bench",
}


class _Client(AsyncOpenAI):  # type: ignore[misc]
    """The package's client without headers about this machine, which stay here anyway."""

    @property
    def default_headers(self) -> dict[str, str | Omit]:
        """What each request has unless it says otherwise."""
        return {"Content-Type": "application/json"}

    def _build_request(self, options: Any, *, retries_taken: int = 0) -> httpx2.Request:
        """A finished body goes as it is; the package builds all other requests, as of files."""
        if not isinstance(options.content, bytes):
            made: httpx2.Request = super()._build_request(options, retries_taken=retries_taken)
            return made
        return httpx2.Request("POST", _parsed(options.url), stream=_Bytes(options.content))


class _Carried(DefaultAioHttpClient):  # type: ignore[misc]
    """The package's HTTP client without cookies, redirects and credentials of this machine."""

    def build_request(self, method: str, url: Any, **more: Any) -> httpx2.Request:
        """A request as it is said, with nothing of the client's own."""
        more.pop("timeout", None)  # the caller's deadline is the only one
        return httpx2.Request(method, _parsed(str(url)), **more)

    async def send(self, request: httpx2.Request, **_: Any) -> httpx2.Response:
        """Sends a request over the wire; returns the reply."""
        response: httpx2.Response = await self._transport.handle_async_request(request)
        response.request = request
        return response


class _Bytes(httpx2.ByteStream):
    """A body of JSON that is in memory."""

    def __init__(self, whole: bytes) -> None:
        super().__init__(whole)
        self.whole = whole


class RawReply(httpx2.Response):
    """A reply that is in memory, with the headers as they came, whose names are found in any case."""

    def __init__(self, status: int, came: Mapping[str, str], whole: bytes) -> None:
        super().__init__(status, stream=_Bytes(whole))
        self.came, self.whole = came, whole


class Wire(httpx2.AsyncBaseTransport):
    """Connections of aiohttp to the servers of one provider."""

    def __init__(self, headers: Mapping[str, str], most: int, secure: bool) -> None:
        self._most = most
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

    async def handle_async_request(self, request: httpx2.Request) -> RawReply:
        """The reply, read to its end. Raises Fault where there is none, or it is too long or compressed."""
        kind: str | None = "application/json"
        if isinstance(body := request.stream, _Bytes):
            data = body.whole
        else:
            kind, data = request.headers.get("content-type"), await request.aread()
        url = str(request.url)
        try:
            async with self._session.request(
                request.method,
                url,
                data=data or None,
                headers={"Content-Type": kind} if kind else None,
                allow_redirects=False,
                proxy=self._proxy(url),
            ) as reply:
                content = await self._bounded(reply)
        except (aiohttp.ClientError, OSError, ValueError) as error:
            raise _lost(error) from None
        return RawReply(reply.status, reply.headers, content)

    async def aclose(self) -> None:
        """Closes every connection."""
        await self._session.close()

    async def _bounded(self, reply: aiohttp.ClientResponse) -> bytes:
        packed = reply.headers.get("Content-Encoding", "identity").strip().lower()
        if packed not in ("", "identity"):
            raise Fault(
                "retry", "the server answered compressed despite our header", maybe_paid=True
            )
        parts: list[bytes] = []
        size = 0
        while part := await reply.content.readany():
            parts.append(part)
            size += len(part)
            if size > self._most:
                raise Fault("retry", "the reply is longer than any completion", maybe_paid=True)
        return b"".join(parts)

    def _proxy(self, url: str) -> str | None:
        """The proxy that the environment names for an address, looked up once for each server."""
        parts = urlsplit(url)
        if parts.netloc not in self._proxies:
            named = getproxies()
            proxy = named.get(parts.scheme) or named.get("all")
            bypassed = proxy is None or proxy_bypass(parts.hostname or "")
            self._proxies[parts.netloc] = None if bypassed else proxy
        return self._proxies[parts.netloc]


def _lost(error: Exception) -> Fault:
    """The fault of a lost connection, or of one that was never made and so cannot cost anything."""
    connected = not isinstance(error, aiohttp.ClientConnectorError)
    reason = "the connection was lost" if connected else "no connection"
    if isinstance(error, aiohttp.ClientProxyConnectionError):
        reason += " to the proxy that HTTP_PROXY, HTTPS_PROXY or ALL_PROXY names"
    reason = f"{reason}: {escape(str(error) or type(error).__name__, SHOWN)}"
    return Fault("retry", reason, maybe_paid=connected, unreached=not connected)


@lru_cache(maxsize=256)
def _parsed(url: str) -> httpx2.URL:
    return httpx2.URL(url)


def _certificates() -> ssl.SSLContext:
    """The system's certificates, and those of certifi, for a Python that came without."""
    context = ssl.create_default_context()
    context.load_verify_locations(certifi.where())
    return context


# Status, headers with their names in small letters, and text.
Reply = tuple[int, Mapping[str, str], str]

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
        self, base: str, headers: Mapping[str, str], timeout: float, most: int = MOST_BYTES
    ) -> None:
        """``timeout``: the seconds for one call; ``most``: bytes of a reply.

        The package's client follows no redirect, tries nothing twice and has no deadline of its own.
        """
        self.loop = asyncio.get_running_loop()
        self._timeout = timeout
        wire = Wire(headers, most, base.startswith("https:"))
        parts = urlsplit(base)
        self.client = _Client(
            api_key="none",  # the key is in the headers of the wire, where the provider wants it
            base_url=parts._replace(query="").geturl(),
            default_query=dict(parse_qsl(parts.query)),  # Azure's api-version
            max_retries=0,
            timeout=None,
            http_client=_Carried(transport=wire, follow_redirects=False, trust_env=False),
        )

    async def post(self, url: str, body: bytes) -> Reply:
        """The reply to a JSON body. Raises Fault ("retry") where there is none."""
        return await self.reply(
            self.client.post(url, cast_to=httpx2.Response, content=body, options=_OPTIONS)
        )

    async def get(self, url: str) -> Reply:
        """The reply to a question without a body. Raises Fault ("retry") where there is none."""
        return await self.reply(self.client.get(url, cast_to=httpx2.Response))

    async def reply(self, call: Awaitable[RawReply]) -> Reply:
        """The reply to a call of ``client``, whatever its status. Raises Fault where there is none."""
        try:
            async with asyncio.timeout(self._timeout):
                response = await call
        except TimeoutError:
            raise Fault(
                "retry", f"no reply within {self._timeout:g} s", maybe_paid=True, unreached=True
            ) from None
        except Fault:
            raise
        except APIStatusError as error:
            response = error.response
        except Exception as error:  # whatever a broken reply does to the parsers below
            raise Fault("retry", f"the connection was lost: {error}", maybe_paid=True) from None
        return response.status_code, response.came, response.whole.decode("utf-8", "replace")

    async def close(self) -> None:
        """Closes every connection."""
        await self.client.close()
