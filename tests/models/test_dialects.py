"""Each dialect against a server that keeps its provider's documented habits, over real HTTP.

A habit is which parameters an API refuses and in what words, how its errors look, what its limits say. The
habits are from a review of this client, from the providers' documentation as far as it could be read, and from
reports of users; the addresses below say where a habit is described.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import JudgeError
from argue_bench.models.chat import Chat, Decoding
from argue_bench.models.transport import ChatRequest, Completion, Message
from argue_bench.records import Failed
from tests.models.server import ChatServer
from tests.models.test_chat import run

pytest.importorskip("openai", reason="the extra judge is not installed")
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"verdict": {"type": "string", "enum": ["yes", "no"]}},
        "required": ["verdict"],
        "additionalProperties": False,
    }
)
SAID = '{"verdict": "yes"}'

Reply = tuple[int, Mapping[str, str], Any]


@dataclass(frozen=True)
class Call:
    """A request as a server sees it; ``number`` counts from 0."""

    number: int
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def text(self) -> str:
        return str(self.body["messages"][-1]["content"])


@dataclass
class Habits(ChatServer):
    """A server that answers as it is told, whatever it is asked."""

    answer: Callable[[Call], Reply] = lambda call: (500, {}, {})
    seen: list[Call] = field(default_factory=list)

    async def _reply(self, head: str, body: dict[str, Any], writer: asyncio.StreamWriter) -> bool:
        first, *lines = head.strip().split("\r\n")
        headers = {name.lower(): value for name, _, value in (one.partition(": ") for one in lines)}
        call = Call(self.count, first.split(" ")[1], headers, body)
        self.count += 1
        self.seen.append(call)
        status, more, value = self.answer(call)
        text = value if isinstance(value, str) else json.dumps(value)
        self._send(writer, status, text, "".join(f"{k}: {v}\r\n" for k, v in more.items()))
        return True

    @property
    def origin(self) -> str:
        return self.url.removesuffix("/v1")


def asked(count: int = 1) -> list[ChatRequest]:
    return [
        ChatRequest((Message("system", "Judge."), Message("user", f"say {n}")), 16, schema=SCHEMA)
        for n in range(count)
    ]


def completion(call: Call, **more: Any) -> Reply:
    """An honest reply in OpenAI's form."""
    usage = {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107}
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": SAID},
        "finish_reason": "stop",
    }
    value = {
        "object": "chat.completion",
        "model": call.body.get("model"),
        "choices": [choice],
        "usage": usage,
    }
    return 200, {}, {**value, **more}


def refused(status: int, **error: str) -> Reply:
    """An error in OpenAI's form, which is Anthropic's but for the type beside it."""
    return status, {}, {"type": "error", "error": {"type": "invalid_request_error", **error}}


def one(chat: Chat) -> Completion:
    reply = run(chat, asked())["say 0"]
    assert isinstance(reply, Completion), reply
    assert reply.text == SAID
    return reply


def known_of(provider: str, url: str) -> dict[str, str]:
    stem = {"azure": "AZURE_OPENAI", "bedrock": "AWS"}.get(provider, provider.upper())
    variable = "AZURE_OPENAI_ENDPOINT" if provider == "azure" else f"{stem}_BASE_URL"
    return {variable: url, f"{stem}_API_KEY": "k-1", "ARGUE_BENCH_MAX_CONCURRENCY": "1"}


# OpenAI: https://platform.openai.com/docs/guides/rate-limits, /guides/error-codes


def openai_reasoning(call: Call) -> Reply:
    """A reasoning model: its own name for the token limit, no temperature, thoughts in the usage."""
    if call.headers.get("authorization") != "Bearer k-1":
        return refused(401, message="Incorrect API key provided", code="invalid_api_key")
    if "max_tokens" in call.body:
        said = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
        return refused(400, message=said, param="max_tokens", code="unsupported_parameter")
    if "temperature" in call.body:
        said = "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported."
        return refused(400, message=said, param="temperature", code="unsupported_value")
    usage = {
        "prompt_tokens": 2000,
        "completion_tokens": 320,
        "total_tokens": 2320,
        "prompt_tokens_details": {"cached_tokens": 1024},
        "completion_tokens_details": {"reasoning_tokens": 313},
    }
    return completion(call, usage=usage, model="gpt-5-mini-2025-08-07", system_fingerprint="fp_1")


def test_openai_reasoning_models_get_what_they_accept_and_their_thoughts_are_counted() -> None:
    with Habits(answer=openai_reasoning) as server:
        chat = Chat("openai", "gpt-5-mini", Decoding(seed=1), known=known_of("openai", server.url))
        reply = one(chat)
    assert server.count == 1  # the shipped row knows: nothing was refused
    body = server.seen[0].body
    assert body["response_format"]["json_schema"]["strict"] is True
    assert body["max_completion_tokens"] == 16 + 8192
    assert (reply.tokens_in, reply.tokens_out) == (2000, 320)
    # 976 at $0.25, 1,024 cached at $0.025, 320 written at $2, for a million each.
    assert reply.price == pytest.approx((976 * 0.25 + 1024 * 0.025 + 320 * 2) / 1e6)
    assert (
        str(reply.served)
        == f"gpt-5-mini-2025-08-07 fp_1 at {server.origin.removeprefix('http://')}"
    )


def test_openais_limits_are_waited_for_as_long_as_it_says(monkeypatch: pytest.MonkeyPatch) -> None:
    pauses = watched_pauses(monkeypatch)

    def answer(call: Call) -> Reply:
        error = {"type": "tokens", "code": "rate_limit_exceeded"}
        if call.number == 0:
            said = "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000."
            return 429, {"retry-after": "72"}, {"error": {"message": said, **error}}
        if call.number == 1:
            said = "Rate limit reached for gpt-4o. Please try again in 20ms."
            headers = {"retry-after-ms": "7000", "retry-after": "7"}
            return 429, headers, {"error": {"message": said, **error}}
        return completion(call)

    with Habits(answer=answer) as server:
        one(Chat("openai", "gpt-4o", known=known_of("openai", server.url)))
    assert pauses == [72.0, 7.0]


def watched_pauses(monkeypatch: pytest.MonkeyPatch) -> list[float | None]:
    """The pauses that would have been made; none is."""
    from argue_bench.models.reply import Patience

    pauses: list[float | None] = []
    pause = Patience.pause

    def noted(self: Patience, *given: Any) -> float | None:
        found = pause(self, *given)
        pauses.append(found)
        return None if found is None else 0.0

    monkeypatch.setattr(Patience, "pause", noted)
    return pauses


# Azure: https://learn.microsoft.com/azure/foundry/openai/api-version-lifecycle,
# https://www.developersdigest.tech/errors/api/azure-openai


def azure(call: Call) -> Reply:
    """Both forms of addresses, the key in api-key, filtered prompts answered 400."""
    if call.headers.get("api-key") != "k-1":
        said = "Access denied due to invalid subscription key or wrong API endpoint."
        return 401, {}, {"error": {"code": "401", "message": said}}
    dated = re.fullmatch(
        r"/openai/deployments/(\w+)/chat/completions\?api-version=2024-10-21", call.path
    )
    newer = call.path == "/openai/v1/chat/completions" and call.body["model"]
    deployment = dated[1] if dated else newer
    if deployment is False:
        return 404, {}, {"error": {"code": "404", "message": "Resource not found"}}
    if deployment != "judge4o":
        said = "The API deployment for this resource does not exist."
        return 404, {}, {"error": {"code": "DeploymentNotFound", "message": said}}
    if "say 1" in call.text:
        said = "The response was filtered due to the prompt triggering Azure OpenAI's content management policy."
        inner = {"code": "ResponsibleAIPolicyViolation"}
        error = {"message": said, "type": None, "param": "prompt", "code": "content_filter"}
        return 400, {}, {"error": {**error, "status": 400, "innererror": inner}}
    return completion(call, model="gpt-4o-2024-11-20", system_fingerprint="fp_az")


@pytest.mark.parametrize(
    "address",
    [
        "",
        "/",
        "/openai/v1",
        "/openai/v1/",
        "/?api-version=2024-10-21",
        "/openai?api-version=2024-10-21",
        "/openai/deployments/judge4o?api-version=2024-10-21",
        "/openai/deployments/judge4o/chat/completions?api-version=2024-10-21",
    ],
)
def test_azure_is_reached_in_both_forms_of_its_addresses(address: str) -> None:
    with Habits(answer=azure) as server:
        chat = Chat("azure", "judge4o", known=known_of("azure", server.origin + address))
        replies = run(chat, asked(3))
    assert server.count == 3
    failed = replies.pop("say 1")
    assert isinstance(failed, Failed)
    assert "content management policy" in failed.reason
    assert all(isinstance(reply, Completion) for reply in replies.values())


# Anthropic: https://platform.claude.com/docs/es/build-with-claude/structured-outputs,
# https://learn.microsoft.com/en-us/microsoft-cloud/dev/dev-proxy/concepts/anthropic-529-overloaded-error


def anthropic(call: Call) -> Reply:
    """The Messages API: strict about fields, its own usage and errors."""
    said = ""
    if call.headers.get("x-api-key") != "k-1" or "anthropic-version" not in call.headers:
        return refused(401, type="authentication_error", message="invalid x-api-key")
    fields = "model messages max_tokens system temperature stop_sequences output_config"
    allowed = {*fields.split()}
    if extra := set(call.body) - allowed:
        said = f"{extra.pop()}: Extra inputs are not permitted"
    elif "max_tokens" not in call.body:
        said = "max_tokens: Field required"
    elif any(m["role"] not in ("user", "assistant") for m in call.body["messages"]):
        said = 'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter.'
    elif call.body["model"] == "claude-opus-5" and "temperature" in call.body:
        said = "`temperature` is deprecated for this model."
    if said:
        return refused(400, type="invalid_request_error", message=said)
    if call.number == 0:
        return refused(529, type="overloaded_error", message="Overloaded")
    stop = "refusal" if "say 1" in call.text else "end_turn"
    content = [{"type": "thinking", "thinking": "no, no"}, {"type": "text", "text": SAID}]
    usage = {
        "input_tokens": 90,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 1000,
        "output_tokens": 9,
    }
    value = {"type": "message", "role": "assistant", "model": "claude-x-1", "content": content}
    return 200, {}, {**value, "stop_reason": stop, "usage": usage}


@pytest.mark.parametrize("model", ["claude-sonnet-4-5-20250929", "claude-opus-5"])
def test_anthropics_own_api_is_spoken_and_held_to_a_schema(model: str) -> None:
    with Habits(answer=anthropic) as server:
        chat = Chat("anthropic", model, Decoding(seed=3), known=known_of("anthropic", server.url))
        assert chat.identity()["structured"] == "json_schema"
        replies = run(chat, asked(2))
    assert server.count == 3  # the overloaded one was sent again
    assert not chat.dropped
    first = replies["say 0"]
    assert isinstance(first, Completion)
    assert (first.text, first.tokens_in, first.tokens_out) == (SAID, 1090, 9)
    assert isinstance(replies["say 1"], Completion)
    assert replies["say 1"].finish == "refused"
    call = server.seen[-1]
    assert call.path == "/v1/messages"
    assert call.body["system"] == "Judge."
    assert call.body["output_config"] == {
        "format": {"type": "json_schema", "schema": json.loads(SCHEMA)}
    }


# Gemini: https://ai.google.dev/api/compatibility, https://ai.google.dev/gemini-api/docs/rate-limits


def gemini_quota(of: str, delay: str) -> Reply:
    details = [
        {
            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            "violations": [{"quotaId": f"GenerateRequestsPer{of}PerProjectPerModel-FreeTier"}],
        },
        {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": delay},
    ]
    message = "You exceeded your current quota, please check your plan and billing details."
    error = {"code": 429, "message": message, "status": "RESOURCE_EXHAUSTED", "details": details}
    return 429, {}, [{"error": error}]


def test_geminis_quota_of_a_minute_is_waited_for_and_thoughts_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses = watched_pauses(monkeypatch)

    def answer(call: Call) -> Reply:
        if "seed" in call.body:
            said = 'Invalid JSON payload received. Unknown name "seed": Cannot find field.'
            error = {"code": 400, "message": said, "status": "INVALID_ARGUMENT"}
            return 400, {}, [{"error": error}]
        if call.number < 2:
            return gemini_quota("Minute", "26s")
        usage = {"prompt_tokens": 50, "completion_tokens": 7, "total_tokens": 357}
        return completion(call, usage=usage)

    with Habits(answer=answer) as server:
        chat = Chat(
            "gemini", "gemini-2.5-flash", Decoding(seed=1), known=known_of("gemini", server.url)
        )
        reply = one(chat)
    assert pauses == [26.0, 26.0]
    assert reply.tokens_out == 307
    assert server.count == 3


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        (gemini_quota("Day", "31s"), "quota of a day is used up"),
        (
            (400, {}, [{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.", "status": "INVALID_ARGUMENT"}}]),
            "Is the key right",
        ),
    ],
)  # fmt: skip
def test_geminis_quota_of_a_day_and_a_wrong_key_stop_the_run(reply: Reply, said: str) -> None:
    with Habits(answer=lambda call: reply) as server:
        chat = Chat("gemini", "gemini-2.5-flash", known=known_of("gemini", server.url))
        with pytest.raises(JudgeError, match=said):
            run(chat, asked(5))
    assert server.count == 1


# OpenRouter: https://openrouter.ai/docs/errors, https://openrouter.ai/docs/structured-outputs


def openrouter(call: Call) -> Reply:
    """Moderation by 403, a model that broke off by 200 with an error in its choice."""
    if call.body.get("provider") != {"require_parameters": True}:
        return 500, {}, {"error": {"code": 500, "message": "require_parameters was not sent"}}
    if "say 1" in call.text:
        metadata = {"reasons": ["violence"], "flagged_input": "say 1", "provider_name": "X"}
        said = "X requires moderation on Y. Your input was flagged."
        return 403, {}, {"error": {"code": 403, "message": said, "metadata": metadata}}
    if "say 2" in call.text and call.number < 5:
        error = {"code": 502, "message": "Provider returned error"}
        choice = {"message": {"role": "assistant", "content": '{"ver'}, "finish_reason": "error"}
        return completion(call, choices=[{**choice, "error": error}])
    return completion(call, provider="X")


def test_openrouter_flags_one_prompt_and_breaks_off_another() -> None:
    with Habits(answer=openrouter) as server:
        chat = Chat("openrouter", "meta/llama", known=known_of("openrouter", server.url))
        replies = run(chat, asked(4))
    failed = replies.pop("say 1")
    assert isinstance(failed, Failed)
    assert "flagged" in failed.reason
    assert all(isinstance(one, Completion) and one.text == SAID for one in replies.values())


# vLLM: https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html


# Mistral answers 422 with a list of findings, as FastAPI does.


def test_a_refusal_that_names_the_place_of_a_parameter_is_understood() -> None:
    def answer(call: Call) -> Reply:
        if "temperature" in call.body:
            found = {"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted"}
            message = {"detail": [{"type": "extra_forbidden", **found}]}
            return 422, {}, {"object": "error", "message": message, "type": "invalid_request_error"}
        return completion(call)

    with Habits(answer=answer) as server:
        chat = Chat("mistral", "mistral-small", known=known_of("mistral", server.url))
        one(chat)
    assert list(chat.dropped) == ["temperature"]
    assert server.count == 2


def test_headers_and_parameters_of_a_row_of_ones_own_are_sent(tmp_path: Path) -> None:
    file = tmp_path / "providers.toml"
    file.write_text(
        """
        [lab]
        url = "http://replaced.example.org"
        headers = { X-Team = "judges", X-Secret = "$LAB_SECRET", X-None = "$LAB_NONE" }
        body = { chat_template_kwargs = { enable_thinking = false } }
        """
    )
    with Habits(answer=completion) as server:
        known = {
            "ARGUE_BENCH_PROVIDERS": str(file),
            "LAB_BASE_URL": server.url,
            "LAB_SECRET": "s-1",
        }
        one(Chat("lab", "m", known=known))
    call = server.seen[0]
    assert (call.headers["x-team"], call.headers["x-secret"]) == ("judges", "s-1")
    assert "x-none" not in call.headers
    assert call.body["chat_template_kwargs"] == {"enable_thinking": False}
