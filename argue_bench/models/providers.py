"""Providers of chat models: rows of ``providers.toml``, shipped and the user's own, with addresses and keys from
the environment.

A table ``[NAME]`` is a provider: its address, key variable and dialect, and what holds for all of its models;
``[[NAME.models]]`` adds what holds for models whose name fits a pattern. Every value comes from the first
row that gives it: the models' rows from top to bottom, then the provider's own. A user's file is the one
that ``ARGUE_BENCH_PROVIDERS`` names, or ``providers.toml`` in the user's folder of settings; its rows come
before the shipped ones.

A variable ``NAME_BASE_URL`` names another address; a provider's row may name another variable.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from datetime import date
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar
from urllib.parse import parse_qsl, urlsplit

from pydantic import Field, model_validator

from argue_bench.errors import Code, DataError, JudgeError, UnknownName
from argue_bench.models.budget import Price
from argue_bench.models.environment import borrowed, environment
from argue_bench.records.untrusted import Limits, read_bounded
from argue_bench.records.validation import Expect, Record, unexpected, validate

AUTO_ARGUE_CONCURRENCY = "ARGUE_MAX_CONCURRENCY"
CONCURRENCY, TIMEOUT = "ARGUE_BENCH_MAX_CONCURRENCY", "ARGUE_BENCH_TIMEOUT"
POLL = "ARGUE_BENCH_BATCH_SECONDS"


PROVIDERS_FILE = "ARGUE_BENCH_PROVIDERS"
_SHIPPED = Path(__file__).with_name("providers.toml")
# A table of providers has some kilobytes; a larger file is another one, and is not read into memory.
_LIMITS = Limits(file_bytes=1_000_000)
_HINT = "docs/models.md shows a row."
_NAME = re.compile("[a-z][a-z0-9_-]{0,39}")
_Dollars = Annotated[float, Field(ge=0)]
Dialect = Literal["openai", "azure", "anthropic"]


class _Row(Record):
    """Values of models: what they accept, and what is sent to them besides.

    What a row leaves out comes from the next row that has it, at last from the defaults here.
    """

    temperature: bool = True
    """false where the parameter is not accepted."""
    seed: bool = True
    """false where the parameter is not accepted."""
    limit: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    """What the limit of a reply is called."""
    structured: Literal["json_schema", "none"] = "json_schema"
    """json_schema where the server holds its model to a schema."""
    reasoning: bool = False
    """Whether the model thinks before it answers."""
    thinking: Annotated[int, Field(ge=0)] = 0
    """About how many tokens it thinks in a call."""
    tokens_in: Annotated[
        _Dollars | None, Field(alias="in", description="US dollars for a million tokens read.")
    ] = None
    tokens_out: Annotated[
        _Dollars | None, Field(alias="out", description="US dollars for a million tokens written.")
    ] = None
    cached: _Dollars | None = None
    """US dollars for a million tokens read from a cache."""
    batch: Annotated[float, Field(gt=0, le=1)] | None = None
    """The share of the price in a batch API."""
    billed: bool = False
    """true where each reply says in usage.cost how many US dollars it costs."""
    concurrency: Annotated[int, Field(ge=1, le=1024)] = 10
    """Calls at once, at most."""
    body: dict[str, Any] = Field(default_factory=dict)
    """Further parameters of every request."""
    source: str = ""
    """The page where the row was read."""
    read: date | None = None
    """The day on which it was read."""
    note: str = ""
    """Anything else to know."""

    @model_validator(mode="after")
    def _priced_whole(self) -> _Row:
        if (self.tokens_in is None) != (self.tokens_out is None):
            raise unexpected("both in and out, or neither")
        return self


class _ModelRow(_Row):
    model: str


class _ProviderRow(_Row):
    summary: str = ""
    """A few words for lists."""
    url: str = ""
    """The base URL."""
    url_variable: str = ""
    """The variable that replaces it; NAME_BASE_URL where left out."""
    key_variable: str = ""
    """The variable that holds the key; NAME_API_KEY where left out."""
    keyless: bool | None = None
    """true where the server also answers without a key."""
    model: str = ""
    """The model if none is named."""
    dialect: Dialect = "openai"
    """openai (chat completions; the default), azure, or anthropic (Messages API)."""
    headers: dict[str, str] = Field(default_factory=dict)
    """Further HTTP headers; $NAME is the value of a variable."""
    models: tuple[_ModelRow, ...] = ()
    """The same values for models whose name fits a pattern, `model`."""


_Name = Annotated[
    str,
    Expect("a short name in lower case", lambda name: _NAME.fullmatch(name) is not None),
]
_File = dict[_Name, _ProviderRow]
R = TypeVar("R", bound=_Row)


class Provider:
    """An address where chat models answer: all rows of one provider, the user's before the shipped ones."""

    def __init__(self, name: str, rows: tuple[_ProviderRow, ...]) -> None:
        stem = re.sub("[^A-Z0-9]", "_", name.upper())
        self.name, self._rows, own = name, rows, _merged(_ProviderRow, rows)
        self.summary, self.url, self.model = own.summary or name, own.url, own.model
        self.url_variable = own.url_variable or f"{stem}_BASE_URL"
        self.key_variable = own.key_variable or f"{stem}_API_KEY"
        self.dialect, self.headers = own.dialect, own.headers
        self.models = [one for row in rows for one in row.models]
        # Whether it also answers without a key: as a row says, else where no row names a key.
        self.keyless = not own.key_variable if own.keyless is None else own.keyless
        # Whether some of its models may cost money: a key is wanted, or a row has a price above 0.
        priced = any(row.tokens_in or row.tokens_out for row in (*rows, *self.models))
        self.paid = not self.keyless or priced

    def capabilities(self, model: str) -> _Row:
        """The parameters that a model accepts, and what is sent to it besides."""
        return _merged(_Row, self._fitting(model))

    def price(self, model: str) -> Price | None:
        """The price of a model; None where no row has one, which does not mean that it is free."""
        fitting = self._fitting(model)
        priced = next((row for row in fitting if row.tokens_in is not None), None)
        if priced is None:
            return None
        batch = next((row.batch for row in fitting if row.batch is not None), None)
        where = f"{priced.source}, read {priced.read}" if priced.read else priced.source
        read, written = priced.tokens_in or 0.0, priced.tokens_out or 0.0
        return Price(read, written, priced.cached, batch, where)

    def _fitting(self, model: str) -> list[_Row]:
        return [*(row for row in self.models if fnmatchcase(model, row.model)), *self._rows]


def _merged(kind: type[R], rows: Sequence[_Row]) -> R:
    """The values that the first row gives; tables of values (headers, body) are those of all rows together."""
    values: dict[str, Any] = {}
    known = {one.alias or name for name, one in kind.model_fields.items()}
    for row in reversed(rows):
        given = row.model_dump(exclude_unset=True, by_alias=True, exclude={"models"})
        for name in given.keys() & {"headers", "body"}:
            given[name] = {**values.get(name, {}), **given[name]}
        values |= {name: value for name, value in given.items() if name in known}
    return kind(**values)


def list_providers(known: Mapping[str, str] | None = None) -> dict[str, Provider]:
    """Every provider by name, the shipped ones first. ``known`` replaces the environment.

    Raises DataError with all that is wrong in the user's file.
    """
    shipped = _read_shipped(_SHIPPED)
    path = _own_file(environment() if known is None else known)
    own = {} if path is None else _parse(path)
    return {
        name: Provider(name, tuple(table[name] for table in (own, shipped) if name in table))
        for name in {**shipped, **own}
    }


def _own_file(known: Mapping[str, str]) -> Path | None:
    """The user's file. Only a person names it: a folder that somebody else made cannot."""
    if named := known.get(PROVIDERS_FILE, "").strip():
        if borrowed(known, PROVIDERS_FILE, known):
            raise JudgeError(
                f".env names {PROVIDERS_FILE}, a file that says where keys go. Set it in the environment: the folder may be somebody else's"
            )
        return Path(named).expanduser()
    from platformdirs import user_config_path

    path = user_config_path("argue-bench") / "providers.toml"
    return path if path.is_file() else None


def _parse(path: Path) -> dict[str, _ProviderRow]:
    raw = read_bounded(path, _LIMITS)
    try:
        value = tomllib.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise DataError.of(
            Code.WRONG_SHAPE, f"the file of providers is not TOML: {error}", path, hint=_HINT
        ) from None
    return validate(_File, value, Code.WRONG_SHAPE, path)


_read_shipped = lru_cache(maxsize=1)(_parse)


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
    """The base URL, without a slash at the end.

    Raises JudgeError for one that is not a base URL, and for one of ``.env`` whose key lies elsewhere.
    """
    url = (known.get(provider.url_variable, "").strip() or provider.url).rstrip("/")
    if not url:
        raise JudgeError(f"{provider.name}: say where it answers: {provider.url_variable}=URL")
    if not is_base_url(url, provider.dialect):
        raise JudgeError(
            f"{provider.url_variable}: {url!r:.200} is not a base URL. "
            "Write one like http://localhost:8000/v1"
        )
    variables = (one.removeprefix("$") for one in provider.headers.values())
    if own := borrowed(known, provider.url_variable, [provider.key_variable, *variables]):
        raise JudgeError(
            f".env names {provider.url_variable}, and {own[0]} comes from the environment: the folder may be somebody else's, "
            "who would get it. Write both in one place"
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
