"""Canonical addresses: the key by which web pages are compared."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

_UNRESERVED = re.compile(r"[A-Za-z0-9\-._~]")
_ENCODED = re.compile(r"%([0-9A-Fa-f]{2})")
_TRACKING = re.compile(r"(?:utm_[^=]*|gclid|fbclid)(?:=.*)?", re.IGNORECASE | re.DOTALL)
_PORTS = {"http": 80, "https": 443}
_KEPT = "!$&'()*+,;=:@/?%[]~"


def identity_key(url: str) -> str:
    """The address without the parts that do not change the page; an address that cannot be
    parsed is returned as it is.

    Scheme and host in small letters and ASCII (IDNA), the default port, a host's final dot, dot
    segments, the fragment (except ``#/`` and ``#!`` routes), tracking parameters and an empty query
    go, and percent-encoding takes one form. Order of parameters, final slash, ``www`` and
    ``index.html`` may name other pages, so they stay.

    >>> identity_key("HTTPS://A.Example:443/a/../%7eb?utm_source=chat&c=2#top")
    'https://a.example/~b?c=2'
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError:
        return url
    scheme = parts.scheme.casefold()
    if scheme not in _PORTS or not parts.hostname:
        return url
    host = _ascii_host(parts.hostname.rstrip("."))
    if ":" in host:
        host = f"[{host}]"
    if port is not None and port != _PORTS[scheme]:
        host = f"{host}:{port}"
    user = parts.netloc.rpartition("@")[0]
    path = _without_dots(_encoded(parts.path)) or "/"
    kept = [one for one in parts.query.split("&") if one and not _TRACKING.fullmatch(one)]
    query = "?" + _encoded("&".join(kept)) if kept else ""
    route = "#" + parts.fragment if parts.fragment[:1] in ("/", "!") else ""
    return f"{scheme}://{user + '@' if user else ''}{host}{path}{query}{route}"


def _ascii_host(host: str) -> str:
    try:
        return host.encode("idna").decode().casefold()
    except UnicodeError:
        return host.casefold()


def _encoded(part: str) -> str:
    def one(match: re.Match[str]) -> str:
        character = chr(int(match[1], 16))
        return character if _UNRESERVED.fullmatch(character) else match.group().upper()

    return quote(_ENCODED.sub(one, part), safe=_KEPT)


def _without_dots(path: str) -> str:
    """RFC 3986, section 5.2.4."""
    kept: list[str] = []
    segments = path.split("/")
    for segment in segments:
        if segment == "..":
            if len(kept) > 1:
                kept.pop()
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/".join(kept)
