"""What the openai package sends for us, over real HTTP: our bytes, our headers, and nothing of its own."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import pytest

from argue_bench.models.chat import Chat
from tests.models.server import ChatServer
from tests.models.test_chat import echo, requests, run
from tests.models.test_dialects import Call, Habits, completion, known_of

pytest.importorskip("openai", reason="the extra judge is not installed")
ALWAYS = {"host", "accept", "accept-encoding", "user-agent", "content-type", "content-length"}
OF_THE_PACKAGE = {
    "OPENAI_API_KEY": "sk-of-the-package",
    "OPENAI_ADMIN_KEY": "sk-of-the-admin",
    "OPENAI_ORG_ID": "org-of-the-package",
    "OPENAI_PROJECT_ID": "project-of-the-package",
    "OPENAI_CUSTOM_HEADERS": "X-Custom: custom-of-the-package\nAuthorization: Bearer stolen",
}


def message(call: Call) -> Any:
    usage = {"input_tokens": 1, "output_tokens": 1}
    content = [{"type": "text", "text": "yes"}]
    return 200, {}, {"type": "message", "content": content, "usage": usage, "model": "m"}


@pytest.mark.parametrize(
    ("provider", "carried"),
    [
        ("openai", {"authorization": "Bearer k-1"}),
        ("azure", {"api-key": "k-1"}),
        ("anthropic", {"x-api-key": "k-1", "anthropic-version": "2023-06-01"}),
    ],
)
def test_the_packages_own_variables_neither_redirect_nor_add_headers(
    provider: str, carried: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = message if provider == "anthropic" else completion
    with Habits(answer=answer) as server, Habits() as other:
        for name, value in {**OF_THE_PACKAGE, "OPENAI_BASE_URL": other.url}.items():
            monkeypatch.setenv(name, value)
        run(Chat(provider, "m", known=known_of(provider, server.url)), requests(2))
    assert (server.count, other.count) == (2, 0)
    for call in server.seen:
        assert call.headers.keys() == ALWAYS | carried.keys()
        assert carried.items() <= call.headers.items()
        assert call.headers["user-agent"] == "argue-bench"
        assert call.headers["content-type"] == "application/json"


def test_the_package_sends_and_its_logs_hold_neither_key_nor_prompt(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    with ChatServer(model=echo, trick=lambda n, _: "500" if n == 1 else "", key="sk-9") as server:
        known = {"OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "sk-9"}
        run(Chat("openai", "m", known=known), requests(3))
    sent = [one for one in caplog.records if "Sending HTTP Request" in one.getMessage()]
    assert {one.name for one in sent} == {"openai._base_client"}
    assert len(sent) == server.count == 4
    assert not [text for text in caplog.messages if "sk-9" in text or "say " in text]
