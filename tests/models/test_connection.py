"""What the openai package sends for us, over real HTTP: our bytes, our headers, and nothing of its own."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping
from typing import Any

import pytest

from argue_bench.models.chat import Chat
from argue_bench.models.chat.addresses import Addresses
from argue_bench.models.transport import Completion
from argue_bench.records import Failed
from tests.models.server import ChatServer
from tests.models.test_chat import chat_of, echo, requests, run
from tests.models.test_dialects import Call, Habits, completion, known_of
from tests.models.test_hostile_server import endless

pytest.importorskip("openai", reason="the extra judge is not installed")
ALWAYS = {"host", "accept", "accept-encoding", "user-agent", "content-type", "content-length"}
OF_THE_PACKAGE = {
    "OPENAI_API_KEY": "sk-of-the-package",
    "OPENAI_ADMIN_KEY": "sk-of-the-admin",
    "OPENAI_ORG_ID": "org-of-the-package",
    "OPENAI_PROJECT_ID": "project-of-the-package",
    "OPENAI_CUSTOM_HEADERS": "X-Custom: custom-of-the-package\nAuthorization: Bearer stolen",
}


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("argue_bench.models.chat.patience._FIRST_WAIT", 0.002)


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


def test_cookies_are_not_kept() -> None:
    def answer(call: Call) -> Any:
        status, _, value = completion(call)
        return status, {"Set-Cookie": "stay=here; Path=/"}, value

    with Habits(answer=answer) as server:
        known = known_of("openai", server.url.replace("127.0.0.1", "localhost"))
        run(Chat("openai", "m", known=known), requests(3))
    assert len(server.seen) == 3
    assert not [call for call in server.seen if "cookie" in call.headers]


@pytest.mark.parametrize("charset", ["zlib", "utf-16", "rot13", "nothing", "\xff"])
def test_a_refusal_is_read_as_utf8_whatever_it_says_of_itself(charset: str) -> None:
    async def send(writer: asyncio.StreamWriter, whole: str) -> bool:
        body = b'{"error": {"message": "b\xc3\xa4d"}}'
        head = f"Content-Type: text/html; charset={charset}\r\nContent-Length: {len(body)}"
        writer.write(f"HTTP/1.1 400 Bad\r\n{head}\r\n\r\n".encode() + body)
        return True

    trick = lambda n, body: "wire" if echo(body) == "say 0" else ""  # noqa: E731
    with ChatServer(model=echo, trick=trick, wire=send) as server:
        chat = chat_of(server, known={"ARGUE_BENCH_MAX_CONCURRENCY": "1"})
        replies = run(chat, requests(2)[::-1])
    failed = replies["say 0"]
    assert isinstance(failed, Failed)
    assert "answered 400: b\xe4d" in failed.reason


def test_a_refusal_without_end_is_bounded() -> None:
    async def send(writer: asyncio.StreamWriter, whole: str) -> bool:
        class Refusing:
            def write(self, data: bytes) -> None:
                writer.write(re.sub(b"^HTTP/1.1 200 OK", b"HTTP/1.1 500 No", data))

            drain = writer.drain

        return await endless(Refusing(), whole)  # type: ignore[arg-type]

    with ChatServer(model=echo, trick=lambda n, _: "wire" if n == 0 else "", wire=send) as server:
        assert isinstance(run(chat_of(server), requests(1))["say 0"], Completion)
    assert server.count == 2


def test_an_address_where_nobody_answers_is_left_out_of_turn() -> None:
    with ChatServer() as gone:
        pass
    with ChatServer(model=echo) as server:
        known = {
            "ARGUE_BENCH_BASE_URL": f"{gone.url}, {server.url}",
            "ARGUE_BENCH_MAX_CONCURRENCY": "1",
        }
        chat = Chat("server", "m", known=known)
        replies = run(chat, requests(20))
    assert all(isinstance(reply, Completion) for reply in replies.values())
    assert server.count == 20
    assert chat.calls < 30  # half of them would be lost if it stayed in turn


def test_an_address_comes_back_in_turn() -> None:
    now = [0.0]
    addresses = Addresses(("a", "b", "c"), clock=lambda: now[0])
    assert [addresses.next() for _ in range(4)] == ["a", "b", "c", "a"]
    addresses.rest("b")
    assert [addresses.next() for _ in range(3)] == ["c", "a", "c"]
    now[0] = 31.0
    assert [addresses.next() for _ in range(3)] == ["a", "b", "c"]
    for name in "abc":
        addresses.rest(name)
    assert [addresses.next() for _ in range(3)] == ["a", "b", "c"]
    addresses.heard("b")
    assert [addresses.next() for _ in range(2)] == ["b", "b"]
