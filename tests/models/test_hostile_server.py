"""A server that means harm: what it sends must end in the right state, in bounded time and memory.

Each test states the number of requests: a fault that passes costs a try, one that never passes is not
tried for ever, and nothing is asked twice for what was answered.
"""

from __future__ import annotations

import asyncio
import gzip
import json
import time
import tracemalloc
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from argue_bench.errors import JudgeError
from argue_bench.models.chat import Chat
from argue_bench.models.reply import Fault, Patience, strip_thoughts
from argue_bench.models.transport import Completion
from tests.models.server import ChatServer
from tests.models.test_chat import chat_of, echo, requests, run

pytest.importorskip("openai", reason="the extra judge is not installed")

Wire = Callable[[asyncio.StreamWriter, str], Awaitable[bool]]
MEMORY = 60_000_000


@pytest.fixture
def _bounded() -> Iterator[None]:
    """Fails where a test took more memory or time than a reply may."""
    tracemalloc.start()
    start = time.monotonic()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < MEMORY
        assert time.monotonic() - start < 20
    finally:
        tracemalloc.stop()


def answer(body: bytes, head: str = "Content-Type: application/json") -> bytes:
    return f"HTTP/1.1 200 OK\r\n{head}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


def once(send: Wire, chat: Callable[[ChatServer], Chat] = chat_of) -> tuple[Any, int]:
    """What comes of a request whose first try is answered by hand, and how many were sent."""
    trick = lambda n, _: "wire" if n == 0 else ""  # noqa: E731
    with ChatServer(model=echo, trick=trick, wire=send) as server:
        reply = run(chat(server), requests(1))["say 0"]
    return reply, server.count


async def endless(writer: asyncio.StreamWriter, whole: str) -> bool:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while True:  # until the client goes
        writer.write(b"10000\r\n" + b" " * 65536 + b"\r\n")
        await writer.drain()


async def dripping(writer: asyncio.StreamWriter, whole: str) -> bool:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.02)


async def slow_head(writer: asyncio.StreamWriter, whole: str) -> bool:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X-More: 1\r\n")
        await writer.drain()
        await asyncio.sleep(0.02)


async def bomb(writer: asyncio.StreamWriter, whole: str) -> bool:
    packed = gzip.compress(b" " * 50_000_000, 1)  # fast: the client waits one second
    writer.write(answer(packed, "Content-Type: application/json\r\nContent-Encoding: gzip"))
    return True


async def long(writer: asyncio.StreamWriter, whole: str) -> bool:
    text = json.dumps({"choices": [{"message": {"content": "x" * 10_000_000}}]})
    writer.write(answer(text.encode()))
    await writer.drain()
    return False


async def closed_midway(writer: asyncio.StreamWriter, whole: str) -> bool:
    writer.write(answer(whole.encode())[:-20])
    await writer.drain()
    return False


async def chunk_broken(writer: asyncio.StreamWriter, whole: str) -> bool:
    writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n")
    await writer.drain()
    return False


async def no_http(writer: asyncio.StreamWriter, whole: str) -> bool:
    writer.write(b"220 mail.example.org ESMTP\r\n" * 5)
    await writer.drain()
    return False


async def huge_head(writer: asyncio.StreamWriter, whole: str) -> bool:
    writer.write(b"HTTP/1.1 200 OK\r\nX-Long: " + b"x" * 1_000_000 + b"\r\n\r\n")
    await writer.drain()
    return False


def saying(text: str) -> Wire:
    async def send(writer: asyncio.StreamWriter, whole: str) -> bool:
        writer.write(answer(text.encode()))
        return True

    send.__name__ = f"saying {text[:20]}"
    return send


@pytest.mark.usefixtures("_bounded")
@pytest.mark.parametrize(
    "send",
    [
        endless,
        dripping,
        slow_head,
        bomb,
        long,
        closed_midway,
        chunk_broken,
        no_http,
        huge_head,
        saying("[" * 100_000),
        saying('{"a":' * 100_000),
        saying("9" * 100_000),
        saying(""),
        saying("null"),
        saying('{"choices": []}'),
        saying('{"choices": [{"message": null}]}'),
        saying('{"choices": {"0": 1}}'),
        saying('{"choices": [{"message": {"content": "x"}}'),
    ],
    ids=lambda send: send.__name__,
)
def test_what_is_no_reply_costs_one_try_in_bounded_time_and_memory(send: Wire) -> None:
    # What never ends is given up after the timeout; all else has time enough.
    timeout = 0.5 if send in (dripping, slow_head) else 2.0
    reply, asked = once(send, lambda server: chat_of(server, timeout=timeout))
    assert isinstance(reply, Completion), reply
    assert (reply.text, asked) == ("say 0", 2)


@pytest.mark.parametrize(
    "kind",
    [
        "text/plain",
        "text/html; charset=utf-7",
        "application/json; charset=utf-16",
        "application/json; charset=zlib",
        "application/json; charset=rot13",
        "x" * 2000,
        "application/json; charset=\xff",
    ],
)
def test_a_reply_is_read_as_utf8_whatever_it_says_of_itself(kind: str) -> None:
    async def send(writer: asyncio.StreamWriter, whole: str) -> bool:
        writer.write(answer(whole.encode(), f"Content-Type: {kind}"))
        return True

    reply, asked = once(send)
    assert isinstance(reply, Completion), reply
    assert (reply.text, asked) == ("say 0", 1)


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308, 304])
def test_prompts_are_not_sent_on_to_another_address(status: int) -> None:
    with ChatServer(model=echo) as other:

        async def send(writer: asyncio.StreamWriter, whole: str) -> bool:
            head = f"HTTP/1.1 {status} Moved\r\nLocation: {other.url}/chat/completions\r\n"
            writer.write(f"{head}Content-Length: 0\r\n\r\n".encode())
            return True

        with ChatServer(model=echo, trick=lambda n, _: "wire", wire=send) as server:
            chat = chat_of(server, known={"ARGUE_BENCH_MAX_CONCURRENCY": "1"})
            with pytest.raises(JudgeError, match=f"{status} and sends on to {other.url}"):
                run(chat, requests(5))
    assert (server.count, other.count) == (1, 0)


@pytest.mark.parametrize(
    "after",
    [
        "-5",
        "0",
        "1e999",
        "nan",
        "soon",
        "Mon, 06 Jul 2015 07:28:00 GMT",
        "99999999999999",
        "Wed, 21 Oct 99999 07:28:00 GMT",
        "\t",
        "1, 2",
    ],
)
def test_no_retry_after_shortens_the_wait_or_is_believed_for_ever(
    after: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float | None] = []
    pause = Patience.pause

    def noted(self: Patience, fault: Fault, reason: str, tries: int) -> float | None:
        waits.append(pause(self, fault, reason, tries))
        return 0.0

    async def send(writer: asyncio.StreamWriter, whole: str) -> bool:
        head = f"HTTP/1.1 429 Slow\r\nRetry-After: {after}\r\nContent-Length: 0\r\n\r\n"
        writer.write(head.encode())
        return True

    monkeypatch.setattr("argue_bench.models.reply._FIRST_WAIT", 7.0)
    monkeypatch.setattr(Patience, "pause", noted)
    _, asked = once(send)
    (wait,) = waits
    assert wait is not None
    assert 3.5 <= wait <= 120
    assert asked == 2


@pytest.mark.parametrize(
    "usage",
    [
        None,
        [],
        "many",
        {"prompt_tokens": -5, "completion_tokens": "7"},
        {"prompt_tokens": 1.5},
        {"prompt_tokens": True, "completion_tokens": None},
        {"prompt_tokens": 10**30},
        {},
        {"prompt_tokens": {"a": 1}, "completion_tokens": [1]},
    ],
)
def test_tokens_that_were_not_counted_are_estimated(usage: Any) -> None:
    with ChatServer(model=lambda body: {"content": "x" * 400, "usage": usage}) as server:
        reply = run(chat_of(server), requests(1))["say 0"]
        sent = json.dumps(server.requests[0])
    assert isinstance(reply, Completion)
    assert reply.tokens_out == 100
    assert reply.tokens_in == -(-len(sent) // 4)


@pytest.mark.parametrize(
    "mark",
    ["<think>", "</think>", "<think></think>", "<", "<think ", "[THINK]", "<|channel|>final"],
)
def test_marks_without_end_take_no_time(mark: str) -> None:
    text = mark * (500_000 // len(mark))
    start = time.process_time()
    strip_thoughts(text)
    assert time.process_time() - start < 5  # a tenth of a second; quadratic would be many minutes
