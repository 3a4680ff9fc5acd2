"""One request to one checked server: no cookies, no credentials, no proxy, bounded in size and time.

A name is resolved once; if one of its addresses is not public nothing is asked, and the connection goes
to the addresses that were checked, so that a second answer of the name server changes nothing. The
host's name stays in the Host header and in TLS, and its certificate is checked.
"""

from __future__ import annotations

import asyncio
import socket
import ssl
import zlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit, urlunsplit

from argue_bench.errors import UsageError
from argue_bench.version import __version__
from argue_bench.web.addresses import Policy
from argue_bench.web.extraction import need_web, readable

if TYPE_CHECKING:
    from aiohttp.abc import AbstractResolver

AGENT = f"argue-bench/{__version__}"
ACCEPT = "text/html,application/xhtml+xml,application/pdf,text/plain,text/markdown;q=0.9"
Resolve = Callable[[str], Awaitable[Sequence[str]]]
# Bytes that are unpacked at once.
_CHUNK = 1 << 16


@dataclass(frozen=True)
class Bounds:
    """The bounds of a reply: seconds, and bytes after decompression."""

    connect: float = 10.0
    total: float = 30.0
    bytes: int = 10 << 20


@dataclass(frozen=True)
class Reply:
    """The reply of a server. ``status`` is 0 where there was none, and ``problem`` says why.

    ``refused``: the rules forbid to ask. ``too_large`` and ``other_type``: the body was not read.
    """

    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    problem: str = ""
    refused: bool = False
    too_large: bool = False
    other_type: bool = False


async def resolve_host(host: str) -> Sequence[str]:
    """The IP addresses of a host, each once. Raises OSError."""
    found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


class WebClient:
    """Makes requests to servers. ``player`` (for tests): a server on this machine that
    answers for every host."""

    def __init__(
        self,
        policy: Policy | None = None,
        bounds: Bounds | None = None,
        resolve: Resolve = resolve_host,
        player: str = "",
    ) -> None:
        self._policy, self._bounds = policy or Policy(), bounds or Bounds()
        self._resolve = resolve
        # Made here, so that SSL_CERT_FILE names further authorities, as for every program with OpenSSL.
        self._tls = ssl.create_default_context()
        self._player = urlsplit(player) if player else None
        if self._player and Policy(loopback=True).refused(player):
            raise UsageError(f"the server that plays pages is on this machine, not {player!r:.80}")
        need_web()

    async def get(self, url: str, any_type: bool = False) -> Reply:
        """The reply of one address; redirects are replies. Raises no error for any
        behaviour of a server."""
        if why := self._policy.refused(url):
            return Reply(problem=why, refused=True)
        try:
            async with asyncio.timeout(self._bounds.total):
                return await self._get(url, any_type)
        except TimeoutError:
            return Reply(problem=f"no whole answer within {self._bounds.total:g} seconds")

    async def _get(self, url: str, any_type: bool) -> Reply:
        import aiohttp

        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
        asked, sent = url, {"User-Agent": AGENT, "Accept": ACCEPT, "Accept-Encoding": "gzip"}
        if self._player:
            addresses: Sequence[str] = [str(self._player.hostname)]
            sent["Host"] = parts.netloc
            asked = urlunsplit(("http", self._player.netloc, parts.path, parts.query, ""))
        else:
            try:
                addresses = await self._resolve(host) if ":" not in host else [host]
            except (OSError, UnicodeError) as error:
                return Reply(problem=f"the host cannot be found: {_words(error)}")
            if not addresses:
                return Reply(problem="the host has no address")
            if why := self._policy.refused_answers(addresses):
                return Reply(problem=f"{host[:80]}: {why}", refused=True)
        connector = aiohttp.TCPConnector(
            resolver=_checked_resolver(addresses),
            use_dns_cache=False,
            force_close=True,
            ssl=self._tls,
        )
        timeout = aiohttp.ClientTimeout(total=None, sock_connect=self._bounds.connect)
        session = aiohttp.ClientSession(
            connector=connector,
            timeout=timeout,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
            trust_env=False,
        )
        try:
            async with (
                session,
                session.get(asked, headers=sent, allow_redirects=False) as response,
            ):
                return await self._read(response, any_type)
        except aiohttp.ClientConnectorCertificateError as error:
            found = error.certificate_error
            said = _said(getattr(found, "verify_message", "") or found)
            return Reply(problem=f"the certificate of {host[:80]} does not hold: {said}")
        except (aiohttp.ClientError, ssl.SSLError, OSError, ValueError, zlib.error) as error:
            return Reply(problem=_words(error))

    async def _read(self, response: Any, any_type: bool) -> Reply:
        headers = {name.casefold(): _as_text(value) for name, value in response.headers.items()}
        status = int(response.status)
        # The body of an error or a redirect is read by nobody.
        if not 200 <= status < 300:
            return Reply(status, headers)
        if not any_type and not readable(headers.get("content-type", "")):
            return Reply(status, headers, other_type=True, problem="a type that is not read")
        coding = headers.get("content-encoding", "identity").strip().casefold()
        if coding not in ("identity", "", "gzip", "x-gzip", "deflate"):
            return Reply(status, headers, other_type=True, problem=f"the coding {coding[:20]!r}")
        # wbits=47 reads zlib and gzip headers alike.
        unpack = zlib.decompressobj(wbits=47) if coding not in ("identity", "") else None
        body = bytearray()
        async for chunk in response.content.iter_chunked(_CHUNK):
            # One byte more than is allowed tells a page that is too large; no more is unpacked.
            room = self._bounds.bytes + 1 - len(body)
            body += unpack.decompress(chunk, room) if unpack else chunk[:room]
            if len(body) > self._bounds.bytes:
                most = self._bounds.bytes
                return Reply(status, headers, too_large=True, problem=f"more than {most:,} bytes")
        if unpack and not unpack.eof:
            return Reply(problem="the answer is cut short")
        return Reply(status, headers, bytes(body))


def _checked_resolver(addresses: Sequence[str]) -> AbstractResolver:
    """A resolver for aiohttp that knows nothing but addresses that were checked."""
    from aiohttp.abc import AbstractResolver, ResolveResult

    class Checked(AbstractResolver):
        async def resolve(
            self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
        ) -> list[ResolveResult]:
            return [
                ResolveResult(
                    hostname=host,
                    host=address,
                    port=port,
                    family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                    proto=0,
                    flags=socket.AI_NUMERICHOST,
                )
                for address in addresses
            ]

        async def close(self) -> None:
            return None

    return Checked()


def _words(error: BaseException) -> str:
    return _said(getattr(error, "strerror", None) or str(error) or type(error).__name__)


def _said(words: object) -> str:
    return " ".join(_as_text(str(words)).split())[:200]


def _as_text(header: str) -> str:
    """A header as characters: its bytes that are no UTF-8 come as halves of pairs, which no file holds."""
    return header.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
