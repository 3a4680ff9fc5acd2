"""Decides which addresses may be requested, before and after a name is resolved: public web
servers only.

What a stranger's report cites must not lead into the network of whoever scores it. The rules are those
of an allow list: http and https, no credentials, few ports, hosts in their one usual form, and every
address that the name resolves to is public.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

# A longer address is not asked; servers refuse them from about 8,000 bytes.
MOST_CHARACTERS = 4096
# Browsers follow 20; honest addresses need one or two (http to https, a shortener).
MOST_REDIRECTS = 5
_SCHEMES = {"http": 80, "https": 443}
_INTERNAL = ("localhost", "internal", "local", "localdomain", "home.arpa", "onion")
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f\\<>\"{}|^`]")
_NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")
# Networks that Python calls global in part: IPv6 that carries IPv4 inside, or is local; and where machines of
# clouds are told of themselves (Azure's WireServer, Oracle's metadata, relays of 6to4).
_EMBEDDING = tuple(
    map(
        ipaddress.ip_network,
        (
            *("64:ff9b::/96", "64:ff9b:1::/48", "2002::/16", "2001::/32", "::/96", "fec0::/10"),
            *("168.63.129.16/32", "192.0.0.0/24", "192.88.99.0/24"),
        ),
    )
)


@dataclass(frozen=True)
class Policy:
    """The policy for requests. ``loopback`` is for tests: it also allows this machine, on any port.

    With ``names_only`` a public IP address in a host's place is refused too, as by `sources fetch`.
    """

    loopback: bool = False
    names_only: bool = False

    def refused(self, url: str) -> str:
        """The reason why an address must not be requested, in words; empty where it may be."""
        if len(url) > MOST_CHARACTERS:
            return f"the address has {len(url):,} characters, more than {MOST_CHARACTERS:,}"
        if _FORBIDDEN.search(url):
            return "the address holds a character that addresses must not hold"
        try:
            parts = urlsplit(url)
            host, port = (parts.hostname or "").rstrip("."), parts.port
        except ValueError as error:
            return f"the address cannot be parsed: {error}"
        if parts.scheme not in _SCHEMES:
            return f"only http and https are asked, not {parts.scheme[:20] or 'nothing'}:"
        if not host:
            return "the address names no host"
        # https://bank.example@evil.example leads to evil.example, and names a password besides.
        if "@" in parts.netloc:
            return "the address holds a user name or password"
        if why := self._refused_host(host):
            return why
        # Other ports are those of mail, databases and the like, which must not be sent requests.
        usual = port is None or port in (80, 443) or 8000 <= port <= 8999
        if not usual and not (self.loopback and self._on_loopback(host)):
            return f"the port {port} is not one of web servers"
        return ""

    def _refused_host(self, host: str) -> str:
        if self.loopback and self._on_loopback(host):
            return ""
        try:
            # Once, before anything is decided: circled digits become digits here, and in the connection.
            plain = host if ":" in host else host.encode("idna").decode()
        except UnicodeError:
            return "the host is not a name that can be looked up"
        # Whatever ends in a number is an address to some resolver: 127.1, 0x7f000001, 2130706433.
        if ":" in plain or _NUMERIC.fullmatch(plain.rpartition(".")[2]):
            return self.refused_answer(plain) or (
                "the host is an IP address, which no report cites" if self.names_only else ""
            )
        if plain.rpartition(".")[2] in _INTERNAL or plain.endswith(".home.arpa"):
            return f"{plain[:80]} is a name inside a network"
        if "." not in plain or not all(map(_LABEL.fullmatch, plain.split("."))):
            return "the host is not a name of the public web"
        return ""

    def _on_loopback(self, host: str) -> bool:
        try:
            return host == "localhost" or ipaddress.ip_address(host).is_loopback
        except ValueError:
            return False

    def refused_answer(self, address: str) -> str:
        """The reason why an IP address must not be requested; empty where it may be."""
        try:
            found = ipaddress.ip_address(address)
        except ValueError:
            return f"{address[:80]} is not the usual form of an IP address"
        if self.loopback and found.is_loopback:
            return ""
        # ::ffff:10.0.0.1 is 10.0.0.1 in another dress.
        mapped = getattr(found, "ipv4_mapped", None)
        embedded = mapped is not None or any(
            found in network for network in _EMBEDDING if network.version == found.version
        )
        scoped = bool(getattr(found, "scope_id", None))
        # is_global knows the registries of private, shared and reserved networks.
        if not found.is_global or found.is_multicast or embedded or scoped:
            return f"{found} is not an address of the public web"
        return ""

    def refused_answers(self, addresses: Iterable[str]) -> str:
        """The reason why a host with these IP addresses must not be requested: one that
        is not public is enough."""
        return next(filter(None, map(self.refused_answer, addresses)), "")

    def refused_hops(self, hops: Sequence[str]) -> str:
        """The reason why a chain of redirects, from the first address on, is not followed
        to its end."""
        if len(hops) - 1 > MOST_REDIRECTS:
            return f"more than {MOST_REDIRECTS} redirects"
        return next(filter(None, map(self.refused, hops)), "")


def redirect_target(url: str, location: str) -> str:
    """The target of a redirect, without fragment; empty where the header holds no address."""
    try:
        return urljoin(url, location.strip()).partition("#")[0]
    except ValueError:
        return ""


def origin_of(url: str) -> str:
    """Scheme, host and port: whose robots.txt holds, and who is asked one request at a time."""
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    host = f"[{host}]" if ":" in host else host
    port = parts.port or _SCHEMES.get(parts.scheme, 0)
    return f"{parts.scheme}://{host}:{port}"
