"""Providers of chat models: their addresses and keys, from ``providers.toml`` and the environment.

A variable ``NAME_BASE_URL`` names another address; a provider's row may name another variable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlsplit

from argue_bench.errors import JudgeError, UnknownName
from argue_bench.models.environment import environment
from argue_bench.models.tables import Provider, read_providers

AUTO_ARGUE_CONCURRENCY = "ARGUE_MAX_CONCURRENCY"
CONCURRENCY, TIMEOUT = "ARGUE_BENCH_MAX_CONCURRENCY", "ARGUE_BENCH_TIMEOUT"
POLL = "ARGUE_BENCH_BATCH_SECONDS"


def list_providers(known: Mapping[str, str] | None = None) -> dict[str, Provider]:
    """Every provider by name, the shipped ones first. ``known`` replaces the environment.

    Raises DataError with all that is wrong in the user's file.
    """
    return read_providers(environment() if known is None else known)


class NoProvider(UnknownName, JudgeError):
    """There is no provider of this name."""

    exit_code = 3


def find_provider(name: str, known: Mapping[str, str] | None = None) -> Provider:
    """The provider of this name.

    Raises NoProvider, which is an UnknownName and a JudgeError, and DataError as `list_providers` does.
    """
    providers = list_providers(known)
    if name not in providers:
        raise NoProvider("provider", name, tuple(providers), see="argue-bench list judges")
    return providers[name]


def base_url(provider: Provider, known: Mapping[str, str]) -> str:
    """The base URL, without a slash at the end. Raises JudgeError for one that is not a base URL."""
    url = (known.get(provider.url_variable, "").strip() or provider.url).rstrip("/")
    if not url:
        raise JudgeError(f"{provider.name}: say where it answers: {provider.url_variable}=URL")
    if not is_base_url(url, provider.dialect):
        raise JudgeError(
            f"{provider.url_variable}: {url!r:.200} is not a base URL. "
            "Write one like http://localhost:8000/v1"
        )
    return url


def is_base_url(url: str, dialect: str = "openai") -> bool:
    """Whether it is an HTTP address that paths can be put behind; Azure's may name an api-version."""
    try:
        parts = urlsplit(url)
        # A user name would be sent as a password; a query or fragment would swallow the path.
        query = parts.query
        if dialect == "azure" and [name for name, _ in parse_qsl(query)] == ["api-version"]:
            query = ""
        beside = parts.username or query or parts.fragment or re.search(r"[\s,]", url)
        reachable = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
    except ValueError:
        return False
    return bool(reachable and not beside)


def api_key(provider: Provider, known: Mapping[str, str]) -> str:
    """The key, "none" where none is needed. Raises JudgeError where it is missing or malformed."""
    key = known.get(provider.key_variable, "").strip()
    if not key and not provider.keyless:
        raise JudgeError(
            f"{provider.name} wants a key: set {provider.key_variable}, in the environment or in .env"
        )
    if not key.isascii() or any(c.isspace() for c in key):
        raise JudgeError(f"{provider.key_variable} holds characters that no key has")
    return key or "none"


def further_headers(provider: Provider, known: Mapping[str, str]) -> dict[str, str]:
    """The headers of a provider's row; ``$NAME`` is the value of that variable, if it has one."""
    values = {
        name: known.get(value[1:], "").strip() if value.startswith("$") else value
        for name, value in provider.headers.items()
    }
    return {name: value for name, value in values.items() if value}


def estimating_environment(provider: str, known: Mapping[str, str]) -> dict[str, str]:
    """The environment for a model that is only estimated: it needs neither key nor address.

    Raises NoProvider.
    """
    found = find_provider(provider, known)
    return {**known, found.key_variable: "none", found.url_variable: "http://localhost/v1"}


def concurrency(known: Mapping[str, str], default: int = 10) -> int:
    """The most requests in flight at once; Auto-ARGUE's own variable does too.

    Raises JudgeError where the variable is not a number.
    """
    auto_argue = not known.get(CONCURRENCY, "").strip() and known.get(AUTO_ARGUE_CONCURRENCY)
    return _number(known, AUTO_ARGUE_CONCURRENCY if auto_argue else CONCURRENCY, default, 1024)


def call_timeout(known: Mapping[str, str]) -> int:
    """Seconds to wait for one reply. Raises JudgeError where the variable is not a number."""
    return _number(known, TIMEOUT, 120, 3600)


def poll_seconds(known: Mapping[str, str]) -> float:
    """Seconds between two questions after a batch. Raises JudgeError where the variable is not a number."""
    text = known.get(POLL, "").strip() or "30"
    if not re.fullmatch(r"\d{1,4}(\.\d{1,3})?", text):
        raise JudgeError(f"{POLL}={text!r:.50} is not a number of seconds")
    return float(text)


def _number(known: Mapping[str, str], name: str, default: int, most: int) -> int:
    text = known.get(name, "").strip() or str(default)
    if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) <= most):
        raise JudgeError(f"{name}={text!r:.50} is not a number from 1 to {most}")
    return int(text)
