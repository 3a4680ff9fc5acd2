"""How does a stranger's text get onto a page? Short, with everything in it to be seen, and inert.

Characters that are not to be seen (controls, direction marks, zero widths) are shown by their
number, ``⟨U+202E⟩``; links lead out only over https, without a user name, to a host that is shown in
punycode. Escaping is the templates' work, which always escape.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any
from urllib.parse import urlsplit

from argue_bench.records.display import escape

_MOST_LINK = 2_000


def text(value: Any, most: int = 200, lines: bool = False) -> str:
    """A text as it may be shown: normalised, cut at ``most``, nothing invisible in it."""
    return escape(value, most, lines) if isinstance(value, str) else ""


def link(value: Any) -> str:
    """An https address that may be linked to, empty where it is none."""
    if (
        not isinstance(value, str)
        or len(value) > _MOST_LINK
        or re.search(r"[\s<>\"'`\\^{}|]", value)
    ):
        return ""
    if any(unicodedata.category(char) in ("Cc", "Cf") for char in value):
        return ""
    try:
        parts = urlsplit(value)
        host = (parts.hostname or "").encode("idna").decode()
        port = parts.port
    except (ValueError, UnicodeError):
        return ""
    if parts.scheme != "https" or not host or "." not in host or parts.username is not None:
        return ""
    if parts.password is not None or "@" in parts.netloc:
        return ""
    place = host if port is None else f"{host}:{port}"
    return parts._replace(netloc=place).geturl()


def host(address: str) -> str:
    """The host that a link leads to, for showing it."""
    return urlsplit(address).netloc
