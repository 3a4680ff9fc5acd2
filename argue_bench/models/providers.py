"""Where do chat models answer, under which key? The providers that Auto-ARGUE knows, and servers of one's own.

All of them speak OpenAI's chat completions. A variable ``NAME_BASE_URL`` names another address, or several
with commas between them, which are used in turn.
"""

from __future__ import annotations

import os
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from io import StringIO
from pathlib import Path
from urllib.parse import urlsplit

from argue_bench.errors import JudgeError, UnknownName

CONCURRENCY = "ARGUE_BENCH_MAX_CONCURRENCY"
TIMEOUT = "ARGUE_BENCH_TIMEOUT"
_CONCURRENCY = 10
_MOST_CONCURRENCY = 1024
_TIMEOUT = 120
_LONGEST_TIMEOUT = 3600


@dataclass(frozen=True)
class Provider:
    """A place where chat models answer. ``model`` is Auto-ARGUE's default, empty where it has none."""

    name: str
    summary: str
    url: str
    key: str
    model: str = ""
    keyless: bool = False
    """Whether it also answers without a key, and then for nothing."""

    @property
    def url_variable(self) -> str:
        """The variable that names other addresses."""
        return f"{'ARGUE_BENCH' if self.name == 'server' else self.name.upper()}_BASE_URL"


PROVIDERS: dict[str, Provider] = {
    provider.name: provider
    for provider in (
        Provider(
            "openai",
            "OpenAI",
            "https://api.openai.com/v1",
            "OPENAI_API_KEY",
            "gpt-4o-mini-2024-07-18",
        ),
        Provider(
            "anthropic",
            "Anthropic",
            "https://api.anthropic.com/v1",
            "ANTHROPIC_API_KEY",
            "claude-sonnet-4-5-20250929",
        ),
        Provider(
            "together",
            "Together",
            "https://api.together.xyz/v1",
            "TOGETHER_API_KEY",
            "meta-llama/Llama-3.3-70B-Instruct-Turbo",
        ),
        Provider(
            "huggingface",
            "Hugging Face's router",
            "https://router.huggingface.co/v1",
            "HUGGINGFACEHUB_API_TOKEN",
            "meta-llama/Llama-3.3-70B-Instruct",
        ),
        Provider(
            "ollama",
            "Ollama on this machine",
            "http://localhost:11434/v1",
            "OLLAMA_API_KEY",
            keyless=True,
        ),
        Provider(
            "vllm", "vLLM on this machine", "http://localhost:8000/v1", "VLLM_API_KEY", keyless=True
        ),
        Provider(
            "server",
            "any server that speaks OpenAI's chat completions (ARGUE_BENCH_BASE_URL)",
            "",
            "ARGUE_BENCH_API_KEY",
            keyless=True,
        ),
    )
}


class NoProvider(UnknownName, JudgeError):
    """No provider of this name, so nobody can be asked."""

    exit_code = 3


def find_provider(name: str) -> Provider:
    """The provider of this name. Raises NoJudge, which is an UnknownName and a JudgeError."""
    if name not in PROVIDERS:
        raise NoProvider("provider", name, tuple(PROVIDERS), see="argue-bench judges")
    return PROVIDERS[name]


def environment() -> Mapping[str, str]:
    """The environment, with what ``.env`` in the working folder adds to it."""
    file = Path(".env")
    added = _values_of(_text_of(file)) if file.is_file() else {}
    return {**{name: value for name, value in added.items() if value}, **os.environ}


@lru_cache(maxsize=1)
def _values_of(text: str) -> Mapping[str, str | None]:
    """What the lines assign; those that assign nothing are told once and not at every look."""
    from dotenv import dotenv_values

    return dotenv_values(stream=StringIO(text))


def _text_of(file: Path) -> str:
    """The text of an editor's or a shell's file: Windows writes UTF-16 and marks of byte order.

    What is no text becomes marks, and whoever wants that line says what is wrong with it.
    """
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise JudgeError(f"{file} can't be read: {error.strerror}") from None
    code = "utf-16" if raw[:2] in (BOM_UTF16_LE, BOM_UTF16_BE) else "utf-8-sig"
    return raw.decode(code, "replace")


def base_urls(provider: Provider, known: Mapping[str, str]) -> tuple[str, ...]:
    """The base URLs, without a slash at the end. Raises JudgeError where one is none."""
    text = known.get(provider.url_variable, "") or provider.url
    urls = tuple(url.strip().rstrip("/") for url in text.split(",") if url.strip())
    if not urls:
        raise JudgeError(f"{provider.name}: say where it answers: {provider.url_variable}=URL")
    for url in urls:
        if not _is_address(url):
            raise JudgeError(
                f"{provider.url_variable}: {url!r:.200} is no base URL. "
                "Write one like http://localhost:8000/v1"
            )
    return urls


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.port != 0
            and not (
                parts.username or parts.query or parts.fragment or any(c.isspace() for c in url)
            )
        )
    except ValueError:
        return False


def api_key(provider: Provider, known: Mapping[str, str]) -> str:
    """The key. Raises JudgeError where the provider wants one and there is none."""
    key = known.get(provider.key, "").strip()
    if not key and not provider.keyless:
        raise JudgeError(
            f"{provider.name} wants a key: set {provider.key}, in the environment or in .env"
        )
    if not key.isascii() or any(c.isspace() for c in key):
        raise JudgeError(f"{provider.key} holds characters that no key has")
    return key or "none"


def estimating_environment(provider: str, known: Mapping[str, str]) -> dict[str, str]:
    """The environment for a model that is never asked, only estimated: it needs no key and no address.

    Raises JudgeError where there is no such provider.
    """
    place = find_provider(provider)
    return {**known, place.key: "none", place.url_variable: "http://localhost/v1"}


def concurrency(known: Mapping[str, str]) -> int:
    """How many requests may be out at once. Raises JudgeError where the variable is no number."""
    return _number(known, CONCURRENCY, _CONCURRENCY, _MOST_CONCURRENCY)


def call_timeout(known: Mapping[str, str]) -> int:
    """How long to wait for one reply. Raises JudgeError where the variable is no number."""
    return _number(known, TIMEOUT, _TIMEOUT, _LONGEST_TIMEOUT)


def _number(known: Mapping[str, str], name: str, default: int, most: int) -> int:
    text = known.get(name, "").strip() or str(default)
    if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) <= most):
        raise JudgeError(f"{name}={text!r:.50} is not a number from 1 to {most}")
    return int(text)
