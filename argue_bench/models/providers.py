"""Providers of chat models: addresses and keys, from ``providers.json`` and the environment.

The providers are Auto-ARGUE's and the user's own servers; all speak OpenAI's chat completions. A
variable ``NAME_BASE_URL`` names another address, or several with commas between them, which are used in
turn.
"""

from __future__ import annotations

import json
import os
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from io import StringIO
from pathlib import Path
from urllib.parse import urlsplit

from argue_bench.errors import JudgeError, UnknownName

CONCURRENCY, TIMEOUT = "ARGUE_BENCH_MAX_CONCURRENCY", "ARGUE_BENCH_TIMEOUT"


@dataclass(frozen=True)
class Provider:
    """An address where chat models answer. ``model`` is Auto-ARGUE's default, empty if it has none."""

    name: str
    summary: str
    url: str
    url_variable: str
    """The variable that names other addresses."""
    key: str
    """The variable that holds the key."""
    model: str = ""
    keyless: bool = False
    """Whether it also answers without a key, and then free of charge."""


PROVIDERS: dict[str, Provider] = {
    row["name"]: Provider(**row)
    for row in json.loads(Path(__file__).with_name("providers.json").read_text("utf-8"))
}


class NoProvider(UnknownName, JudgeError):
    """There is no provider of this name."""

    exit_code = 3


def find_provider(name: str) -> Provider:
    """The provider of this name. Raises NoProvider, which is an UnknownName and a JudgeError."""
    if name not in PROVIDERS:
        raise NoProvider("provider", name, tuple(PROVIDERS), see="argue-bench list judges")
    return PROVIDERS[name]


def environment() -> Mapping[str, str]:
    """The environment, completed by the file ``.env`` in the working folder.

    Raises JudgeError where that file can't be read.
    """
    file = Path(".env")
    try:
        raw = file.read_bytes() if file.is_file() else b""
    except OSError as error:
        raise JudgeError(f"{file} can't be read: {error.strerror}") from None
    # Editors and shells on Windows write UTF-16 and byte order marks. What is not text becomes marks,
    # and the reader of that variable reports them.
    code = "utf-16" if raw[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else "utf-8-sig"
    added = _assignments(raw.decode(code, "replace")) if raw else {}
    return {**{name: value for name, value in added.items() if value}, **os.environ}


@lru_cache(maxsize=1)
def _assignments(text: str) -> Mapping[str, str | None]:
    # Remembered, so that dotenv's warning on a line that assigns nothing comes once.
    from dotenv import dotenv_values

    return dotenv_values(stream=StringIO(text))


def base_urls(provider: Provider, known: Mapping[str, str]) -> tuple[str, ...]:
    """The base URLs, without a slash at the end. Raises JudgeError for one that is not a base URL."""
    text = known.get(provider.url_variable, "") or provider.url
    urls = tuple(url.strip().rstrip("/") for url in text.split(",") if url.strip())
    if not urls:
        raise JudgeError(f"{provider.name}: say where it answers: {provider.url_variable}=URL")
    for url in urls:
        if not is_base_url(url):
            raise JudgeError(
                f"{provider.url_variable}: {url!r:.200} is not a base URL. "
                "Write one like http://localhost:8000/v1"
            )
    return urls


def is_base_url(url: str) -> bool:
    """Whether it is an HTTP address that paths and queries can be put behind."""
    try:
        parts = urlsplit(url)
        # A user name would be sent as a password; a query or fragment would swallow the path.
        beside = parts.username or parts.query or parts.fragment or any(c.isspace() for c in url)
        reachable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        return False
    return bool(reachable and not beside)


def api_key(provider: Provider, known: Mapping[str, str]) -> str:
    """The key, "none" where none is needed. Raises JudgeError where it is missing or malformed."""
    key = known.get(provider.key, "").strip()
    if not key and not provider.keyless:
        raise JudgeError(
            f"{provider.name} wants a key: set {provider.key}, in the environment or in .env"
        )
    if not key.isascii() or any(c.isspace() for c in key):
        raise JudgeError(f"{provider.key} holds characters that no key has")
    return key or "none"


def estimating_environment(provider: str, known: Mapping[str, str]) -> dict[str, str]:
    """The environment for a model that is only estimated: it needs neither key nor address.

    Raises NoProvider.
    """
    found = find_provider(provider)
    return {**known, found.key: "none", found.url_variable: "http://localhost/v1"}


def concurrency(known: Mapping[str, str]) -> int:
    """The most requests in flight at once. Raises JudgeError where the variable is not a number."""
    return _number(known, CONCURRENCY, 10, 1024)


def call_timeout(known: Mapping[str, str]) -> int:
    """Seconds to wait for one reply. Raises JudgeError where the variable is not a number."""
    return _number(known, TIMEOUT, 120, 3600)


def _number(known: Mapping[str, str], name: str, default: int, most: int) -> int:
    text = known.get(name, "").strip() or str(default)
    if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) <= most):
        raise JudgeError(f"{name}={text!r:.50} is not a number from 1 to {most}")
    return int(text)
