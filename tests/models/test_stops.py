"""What ends a run and what fails one request alone; parameters that are found out; the pace of calls."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from argue_bench.errors import Interrupted, JudgeError
from argue_bench.models.chat import Chat
from argue_bench.models.reply import MOST_DENIED, MOST_REFUSED
from argue_bench.models.transport import Completion
from argue_bench.records import Failed
from tests.models.server import ChatServer
from tests.models.test_chat import chat_of, echo, requests, run
from tests.models.test_dialects import Call, Habits, Reply

pytest.importorskip("openai", reason="the extra judge is not installed")
ONE = {"ARGUE_BENCH_MAX_CONCURRENCY": "1"}


def chat_at(server: Habits, **known: str) -> Chat:
    return Chat(
        "openai",
        "gpt-4o",
        known={**ONE, "OPENAI_BASE_URL": server.url, "OPENAI_API_KEY": "k", **known},
    )


@pytest.mark.parametrize("at_once", ["1", "10"])
def test_a_blocked_prompt_fails_alone_also_where_it_comes_first(at_once: str) -> None:
    def trick(number: int, body: dict[str, Any]) -> str:
        return "403" if echo(body) in ("say 0", "say 60") else ""

    with ChatServer(model=echo, trick=trick) as server:
        replies = run(
            chat_of(server, known={"ARGUE_BENCH_MAX_CONCURRENCY": at_once}), requests(100)
        )
    failed = [name for name, reply in replies.items() if isinstance(reply, Failed)]
    assert sorted(failed) == ["say 0", "say 60"]
    assert server.count == 100


def test_a_key_that_is_denied_everything_stops_the_run_soon() -> None:
    with ChatServer(trick=lambda n, _: "403") as server:
        chat = chat_of(server, known=ONE)
        with pytest.raises(JudgeError, match=r"in a row .* Is the key right"):
            run(chat, requests(100))
    assert server.count == MOST_DENIED


def test_lasting_refusals_stop_the_run_with_their_reason() -> None:
    def answer(call: Call) -> Reply:
        said = f"This model's maximum context length is 128000 tokens, your messages have {call.number}."
        error = {
            "message": said,
            "type": "invalid_request_error",
            "code": "context_length_exceeded",
        }
        return 400, {}, {"error": error}

    with (
        Habits(answer=answer) as server,
        pytest.raises(
            JudgeError, match=f"{MOST_REFUSED} requests in a row .*maximum context length"
        ),
    ):
        run(chat_at(server), requests(1000))
    assert server.count == MOST_REFUSED


def test_a_stopped_chat_sends_nothing_more_and_waits_for_no_pause() -> None:
    async def stop(chat: Chat) -> list[str]:
        came = []
        try:
            async for _, reply in chat.complete(requests(50)):
                assert isinstance(reply, Completion)
                came.append(reply.text)
                if len(came) == 1:
                    chat.stop(Interrupted("enough"))
        except Interrupted:
            came.append("stopped")
        return came

    # Five are told to wait for longer than any test may take; once they have been, five are answered.
    def trick(number: int, body: dict[str, Any]) -> str:
        return "429 100" if number < 5 else "slow 0.3"

    with ChatServer(model=echo, trick=trick) as server:
        chat = chat_of(server, known={"ARGUE_BENCH_MAX_CONCURRENCY": "10"})
        came = asyncio.run(asyncio.wait_for(stop(chat), 60))
    assert came[-1] == "stopped"
    assert server.count <= 20
    assert len(came) - 1 == server.count - 5  # all that was sent and is paid for came in
