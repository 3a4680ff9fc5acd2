"""Foreign text and links made safe for pages: short, visible, inert.

Invisible characters (controls, direction marks, zero widths) appear as their number, ``⟨U+202E⟩``. Links
lead out only over https, without a user name, to a host that is written in punycode. The templates
escape HTML, always.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Any
from urllib.parse import urlsplit

from argue_bench.records.display import escape

# Older browsers take no longer address (Internet Explorer: 2,083), and few pages have one.
_MOST_LINK = 2_000
_FORBIDDEN = re.compile(r"[\s<>\"'`\\^{}|]")


def text(value: Any, most: int = 200, lines: bool = False) -> str:
    """A text as pages show it: normalised, cut at ``most``, nothing invisible; empty for other values."""
    if not isinstance(value, str):
        return ""
    # The signatures of a thousand systems say the same few words.
    return _short_text(value, most, lines) if len(value) <= most else escape(value, most, lines)


_short_text = lru_cache(maxsize=4096)(escape)


def link(value: Any) -> str:
    """An https address that may be linked to; empty where it is not one."""
    if not isinstance(value, str) or len(value) > _MOST_LINK or _FORBIDDEN.search(value):
        return ""
    if any(unicodedata.category(char) in ("Cc", "Cf") for char in value):
        return ""
    try:
        # urlsplit raises ValueError for a bracket without its pair.
        parts = urlsplit(value)
        # Punycode reveals a host that only looks like another one.
        host = (parts.hostname or "").encode("idna").decode()
        port = parts.port
    except (ValueError, UnicodeError):
        return ""
    # "https://bank.example@evil.example" leads to evil.example: no user names.
    if parts.scheme != "https" or "." not in host or "@" in parts.netloc:
        return ""
    return parts._replace(netloc=host if port is None else f"{host}:{port}").geturl()


def host(address: str) -> str:
    """The host that a link leads to, for showing it."""
    return urlsplit(address).netloc
