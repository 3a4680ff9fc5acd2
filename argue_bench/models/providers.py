"""Providers of chat models: their addresses and keys, from ``providers.toml`` and the environment.

A variable ``NAME_BASE_URL`` names another address, or several with commas between them, which are used in
turn; a provider's row may name another variable.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import cast
from urllib.parse import parse_qsl, urlsplit

from argue_bench.errors import JudgeError, UnknownName
from argue_bench.models.budget import Price
from argue_bench.models.environment import environment
from argue_bench.models.tables import Capabilities, Dialect, ProviderTable, provider_tables

AUTO_ARGUE_CONCURRENCY = "ARGUE_MAX_CONCURRENCY"
CONCURRENCY, TIMEOUT = "ARGUE_BENCH_MAX_CONCURRENCY", "ARGUE_BENCH_TIMEOUT"
POLL = "ARGUE_BENCH_BATCH_SECONDS"


@dataclass(frozen=True)
class Provider:
    """An address where chat models answer. ``model`` is the one if none is named, mostly empty."""

    name: str
    summary: str
    url: str
    url_variable: str
    """The variable that names other addresses."""
    key_variable: str
    """The variable that holds the key."""
    model: str
    keyless: bool
    """Whether it also answers without a key."""
    dialect: Dialect
    headers: Mapping[str, str] = field(repr=False)
    table: ProviderTable = field(repr=False)

    @classmethod
    def of(cls, name: str, table: ProviderTable) -> Provider:
        """The provider of these rows."""
        stem = re.sub("[^A-Z0-9]", "_", name.upper())
        return cls(
            name,
            table.text("summary") or name,
            table.text("url"),
            table.text("url_variable") or f"{stem}_BASE_URL",
            table.text("key_variable") or f"{stem}_API_KEY",
            table.text("model"),
            table.keyless,
            cast(Dialect, table.text("dialect") or "openai"),
            table.headers,
            table,
        )

    def capabilities(self, model: str) -> Capabilities:
        """The capabilities of a model."""
        return self.table.capabilities(model)

    def price(self, model: str) -> Price | None:
        """The price of a model; None where no row has one, which does not mean that it is free."""
        return self.table.price(model)


def list_providers(known: Mapping[str, str] | None = None) -> dict[str, Provider]:
    """Every provider by name, the shipped ones first. ``known`` replaces the environment.

    Raises DataError with all that is wrong in the user's file.
    """
    tables = provider_tables(environment() if known is None else known)
    return {name: Provider.of(name, table) for name, table in tables.items()}


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


def base_urls(provider: Provider, known: Mapping[str, str]) -> tuple[str, ...]:
    """The base URLs, without a slash at the end. Raises JudgeError for one that is not a base URL."""
    text = known.get(provider.url_variable, "") or provider.url
    urls = tuple(url.strip().rstrip("/") for url in text.split(",") if url.strip())
    if not urls:
        raise JudgeError(f"{provider.name}: say where it answers: {provider.url_variable}=URL")
    for url in urls:
        if not is_base_url(url, provider.dialect):
            raise JudgeError(
                f"{provider.url_variable}: {url!r:.200} is not a base URL. "
                "Write one like http://localhost:8000/v1"
            )
    return urls


def is_base_url(url: str, dialect: Dialect = "openai") -> bool:
    """Whether it is an HTTP address that paths can be put behind; Azure's may name an api-version."""
    try:
        parts = urlsplit(url)
        # A user name would be sent as a password; a query or fragment would swallow the path.
        query = parts.query
        if dialect == "azure" and [name for name, _ in parse_qsl(query)] == ["api-version"]:
            query = ""
        beside = parts.username or query or parts.fragment or any(c.isspace() for c in url)
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
