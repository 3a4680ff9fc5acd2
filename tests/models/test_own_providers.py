"""Providers that are not shipped, each by one small file, against a server of the shape that its pages publish.

Fireworks: https://docs.fireworks.ai/structured-responses/structured-response-formatting (models by paths, schemas).
Cerebras: https://inference-docs.cerebras.ai/support/error, /support/rate-limits (errors without an object around
them, limits in headers). Cohere: https://docs.cohere.com/docs/compatibility-api (errors of one message, no seed).
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_chat_judges import CAREFUL
from tests.models.server import data_of, honest
from tests.models.test_dialects import Call, Habits, Reply, completion
from tests.shared import run_command

pytest.importorskip("openai", reason="the extra judge is not installed")
pytestmark = pytest.mark.usefixtures("own_folder")

FIREWORKS = """
[fireworks]
url = "https://api.fireworks.ai/inference/v1"
key_variable = "FIREWORKS_API_KEY"
structured = "json_schema"
[[fireworks.models]]
model = "accounts/fireworks/models/gpt-oss-20b"
reasoning = true
thinking = 100
in = 0.07
out = 0.3
"""
CEREBRAS = """
[cerebras]
url = "https://api.cerebras.ai/v1"
key_variable = "CEREBRAS_API_KEY"
limit = "max_completion_tokens"
structured = "json_schema"
in = 0.35
out = 0.75
rpm = 100000
"""
COHERE = """
[cohere]
url = "https://api.cohere.ai/compatibility/v1"
key_variable = "CO_API_KEY"
structured = "none"
in = 2.5
out = 10
"""


def answered(call: Call, **usage: Any) -> Reply:
    """An honest verdict in OpenAI's form."""
    counted = {"prompt_tokens": 300, "completion_tokens": 9, "total_tokens": 309, **usage}
    message = {"role": "assistant", "content": honest(call.body)}
    choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
    return completion(call, choices=choices, usage=counted)


def fireworks(call: Call) -> Reply:
    error: dict[str, Any] = {"object": "error", "type": "invalid_request_error"}
    if call.body["model"] != "accounts/fireworks/models/gpt-oss-20b":
        said = "Model not found, inaccessible, and/or not deployed"
        return 404, {}, {"error": {**error, "code": "NOT_FOUND", "message": said}}
    unknown = set(call.body) - {
        *("model", "messages", "max_tokens", "temperature", "response_format"),
    }
    if unknown:
        said = f"Extra inputs are not permitted, field: '{unknown.pop()}'"
        return 400, {}, {"error": {**error, "code": "invalid_request_error", "message": said}}
    assert call.body["response_format"]["json_schema"]["schema"]["additionalProperties"] is False
    status, headers, value = answered(call, completion_tokens=120, total_tokens=420)
    value["choices"][0]["message"]["reasoning_content"] = "It says yes. yes? no."
    return status, headers, value


def cerebras(call: Call) -> Reply:
    limits = {
        "x-ratelimit-limit-requests-day": "14400",
        "x-ratelimit-remaining-requests-day": "14000",
        "x-ratelimit-remaining-tokens-minute": "50000",
        "x-ratelimit-reset-tokens-minute": "11.38",
    }
    if call.number == 3:
        said = "Requests per minute limit exceeded - too many requests sent."
        error = {"message": said, "type": "too_many_requests_error", "param": "quota"}
        return 429, {**limits, "retry-after": "0.01"}, {**error, "code": "request_quota_exceeded"}
    if "max_tokens" in call.body:
        said = "body.max_tokens: property is unsupported"
        error = {"message": said, "type": "invalid_request_error", "param": "max_tokens"}
        return 400, limits, {**error, "code": "wrong_api_format"}
    status, _, value = answered(call)
    return status, limits, {**value, "system_fingerprint": "fp_1", "time_info": {"total_time": 0.1}}


def cohere(call: Call) -> Reply:
    if "response_format" in call.body:
        return 400, {}, {"id": "1", "message": "response_format.json_schema is not supported"}
    if call.number == 2:
        return 500, {}, {"id": "2", "message": "internal server error, this has been reported"}
    return answered(call)


@pytest.mark.parametrize(
    ("file", "model", "shape", "key"),
    [
        (FIREWORKS, "accounts/fireworks/models/gpt-oss-20b", fireworks, "FIREWORKS_API_KEY"),
        (CEREBRAS, "gemma-4-31b", cerebras, "CEREBRAS_API_KEY"),
        (COHERE, "command-a-03-2025", cohere, "CO_API_KEY"),
    ],
    ids=["fireworks", "cerebras", "cohere"],
)
def test_a_provider_works_by_one_small_file(
    file: str, model: str, shape: Any, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = file.strip().split("]")[0].removeprefix("[")
    Path("providers.toml").write_text(file)
    words = ("evaluate", CAREFUL, "--split", "sample", "-m", "citations", "--judge")
    dry = run_command(*words, f"{name}/{model}", "--dry-run")
    assert f"{name}/{model} $" in dry.stderr
    assert run_command(*words, f"{name}/{model}").exit_code == 3  # without its key
    monkeypatch.setenv(key, "k-1")
    with Habits(answer=shape) as server:
        monkeypatch.setenv(f"{name.upper()}_BASE_URL", server.url)
        done = run_command(*words, f"{name}/{model}", "--budget", "9", "--format", "json")
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    (cost,) = report["cost"].values()
    assert cost.get("failed", 0) == 0
    assert cost["price"] > 0
    assert all(one.headers["authorization"] == "Bearer k-1" for one in server.seen)
    asked = Counter(json.dumps(data_of(one.body)) for one in server.seen)
    assert len(asked) == cost["calls"]
    assert sum(asked.values()) <= len(asked) + 1  # but for the call that the server refused once
    assert "without" not in report["signature"]["citations"]["judge"]
