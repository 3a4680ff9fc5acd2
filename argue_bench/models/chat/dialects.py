"""Dialects of chat APIs: the address of a call, how it carries the key, and the format of its body.

Bodies are built in OpenAI's words and translated last, so that everything else here knows one form.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

_ANTHROPIC_VERSION = "2023-06-01"


class Dialect:
    """OpenAI's chat completions, which most servers speak; what other APIs do in another way they override."""

    required: frozenset[str] = frozenset(("model", "messages"))
    """Parameters without which the API answers nothing."""

    def url(self, base: str, model: str) -> str:
        """The address of a completion."""
        return f"{base}/chat/completions"

    def headers(self, key: str) -> dict[str, str]:
        """The headers that carry the key."""
        return {"Authorization": f"Bearer {key}"}

    def body(self, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
        """A body in this API's words."""
        return wanted

    def parameter(self, name: str) -> str:
        """OpenAI's name of a parameter of this API."""
        return name


class Azure(Dialect):
    """OpenAI's chat completions at Azure, in both forms of its addresses.

    ``https://NAME.openai.azure.com`` alone, or with ``/openai/v1``, is the newer form: the model's name in
    the body is the deployment's. An address with ``?api-version=`` is the dated form, which has the deployment
    in its path; where the path has none, MODEL is taken for it.
    """

    def url(self, base: str, model: str) -> str:
        parts = urlsplit(base)
        path = parts.path.rstrip("/").removesuffix("/chat/completions")
        if not parts.query:
            path = (
                path if path.endswith("/openai/v1") else f"{path.removesuffix('/openai')}/openai/v1"
            )
        elif "/deployments/" not in path:
            path = f"{path.removesuffix('/openai')}/openai/deployments/{model}"
        return parts._replace(path=f"{path}/chat/completions").geturl()

    def headers(self, key: str) -> dict[str, str]:
        return {"api-key": key}


class Anthropic(Dialect):
    """Anthropic's Messages API, which holds its models to a schema; its compatible address does not."""

    required: frozenset[str] = frozenset(("model", "messages", "max_tokens"))
    _NAMES = {  # noqa: RUF012
        "output_config": "response_format",
        "output_format": "response_format",
        "stop_sequences": "stop",
    }

    def url(self, base: str, model: str) -> str:
        return f"{base}/messages"

    def headers(self, key: str) -> dict[str, str]:
        return {"x-api-key": key, "anthropic-version": _ANTHROPIC_VERSION}

    def body(self, wanted: Mapping[str, Any]) -> Mapping[str, Any]:
        system = "\n\n".join(m["content"] for m in wanted["messages"] if m["role"] == "system")
        body = {k: v for k, v in wanted.items() if k not in ("stop", "response_format")}
        body["messages"] = [m for m in wanted["messages"] if m["role"] != "system"]
        if system:
            body["system"] = system
        if "stop" in wanted:
            body["stop_sequences"] = wanted["stop"]
        if "response_format" in wanted:
            schema = wanted["response_format"]["json_schema"]["schema"]
            body["output_config"] = {"format": {"type": "json_schema", "schema": schema}}
        return body

    def parameter(self, name: str) -> str:
        return self._NAMES.get(name, name)


DIALECTS: Mapping[str, Dialect] = {
    "openai": Dialect(),
    "azure": Azure(),
    "anthropic": Anthropic(),
}
