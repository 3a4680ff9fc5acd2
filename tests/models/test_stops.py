"""What ends a run and what fails one request alone; parameters that are found out; the pace of calls."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from argue_bench.errors import Interrupted, JudgeError
from argue_bench.models.budget import Rates
from argue_bench.models.chat import Chat
from argue_bench.models.chat.pace import Pace, read_duration
from argue_bench.models.chat.patience import MOST_DENIED, MOST_REFUSED
from argue_bench.models.transport import Completion
from argue_bench.records import Failed
from tests.models.server import ChatServer
from tests.models.test_chat import chat_of, echo, requests, run
from tests.models.test_dialects import Call, Habits, Reply, asked, completion

pytest.importorskip("openai", reason="the extra judge is not installed")
ONE = {"ARGUE_BENCH_MAX_CONCURRENCY": "1"}


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("argue_bench.models.chat.patience._FIRST_WAIT", 0.002)


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


def test_a_block_of_everything_stops_a_run_that_was_answered_before() -> None:
    with ChatServer(model=echo, trick=lambda n, _: "403" if n > 5 else "") as server:
        chat = chat_of(server, known=ONE)
        with pytest.raises(JudgeError, match=f"{MOST_REFUSED} requests in a row"):
            run(chat, requests(200))
    assert server.count == 6 + MOST_REFUSED


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


def test_refusals_of_one_reason_between_answers_stop_nothing() -> None:
    with ChatServer(model=echo, trick=lambda n, _: "400" if n % 2 else "") as server:
        replies = run(chat_of(server, known=ONE), requests(2 * MOST_REFUSED + 10))
    assert sum(isinstance(reply, Failed) for reply in replies.values()) == MOST_REFUSED + 5


@pytest.mark.parametrize(
    ("parameter", "said"),
    [
        ("response_format", "This response_format type is unavailable now"),
        ("response_format", "json_schema is not supported"),
        ("temperature", "Something about this request is not to my liking"),
        ("max_completion_tokens", "Bad request"),
    ],
)
def test_a_refused_parameter_is_found_whatever_the_words(parameter: str, said: str) -> None:
    def answer(call: Call) -> Reply:
        if parameter in call.body:
            return 400, {}, {"error": {"message": said, "type": "invalid_request_error"}}
        return completion(call)

    with Habits(answer=answer) as server:
        chat = chat_at(server, ARGUE_BENCH_MAX_CONCURRENCY="8")
        replies = run(chat, asked(40))
    assert all(isinstance(reply, Completion) for reply in replies.values())
    assert list(chat.dropped) == [parameter]
    assert server.count < 40 + 8 + 4  # those under way, and one search


def test_two_refused_parameters_without_a_name_are_found_together() -> None:
    def answer(call: Call) -> Reply:
        if {"temperature", "response_format"} & set(call.body):
            return 400, {}, {"error": {"message": "no"}}
        return completion(call)

    with Habits(answer=answer) as server:
        chat = chat_at(server)
        assert all(isinstance(one, Completion) for one in run(chat, asked(5)).values())
    assert {"temperature", "response_format"} <= set(chat.dropped)


def test_a_prompt_that_is_refused_for_itself_drops_nothing() -> None:
    def answer(call: Call) -> Reply:
        if "say 0" in call.text:
            return 400, {}, {"error": {"message": "no"}}
        return completion(call)

    with Habits(answer=answer) as server:
        chat = chat_at(server)
        replies = run(chat, asked(20))
    assert [name for name, reply in replies.items() if isinstance(reply, Failed)] == ["say 0"]
    assert not chat.dropped
    assert (
        server.count == 20 + 4
    )  # say 0 was asked without each of three parameters, and without all


def test_a_reply_that_broke_off_is_tried_again_with_a_pause(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from tests.models.test_dialects import watched_pauses

    pauses = watched_pauses(monkeypatch)

    def answer(call: Call) -> Reply:
        if call.number < 3:
            choice = {"message": {"content": '{"verdict": "no'}, "finish_reason": "error"}
            return completion(call, choices=[choice])
        return completion(call)

    with Habits(answer=answer) as server:
        (reply,) = run(chat_at(server), asked()).values()
    assert isinstance(reply, Completion)
    assert server.count == 4
    assert len(pauses) == 3


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


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


def sent_within(pace: Pace, clock: Clock, seconds: float, tokens: float) -> int:
    """How many calls the pace lets through in this time, however many want to."""
    end, sent = clock.now + seconds, 0
    while clock.now < end:
        if pause := pace.book(tokens):
            clock.now += pause
        else:
            sent += 1
    return sent


@pytest.mark.parametrize(
    ("rates", "tokens", "sent"),
    [
        (Rates(rpm=30), 500, 30),
        (Rates(tpm=12_000), 500, 24),
        (Rates(rpm=30, tpm=12_000), 500, 24),
        (Rates(rpm=6), 500, 6),
    ],
)
def test_no_minute_has_more_than_its_share(rates: Rates, tokens: float, sent: int) -> None:
    clock = Clock()
    pace = Pace(rates, clock)
    assert sent_within(pace, clock, 59.999, tokens) == sent
    assert sent_within(pace, clock, 60, tokens) in (sent, sent + 1)


def test_tokens_beyond_what_was_thought_count_too() -> None:
    clock = Clock()
    pace = Pace(Rates(tpm=6000), clock)
    assert pace.book(100) == 0
    pace.add_tokens(500)  # it took 600, a tenth of a minute's
    assert pace.book(100) == pytest.approx(6.0)


@pytest.mark.parametrize(
    ("headers", "pause"),
    [
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "12.5s"}, 12.5),
        ({"x-ratelimit-remaining-tokens": "90", "x-ratelimit-reset-tokens": "1m0s"}, 60.0),
        ({"x-ratelimit-remaining-tokens": "110", "x-ratelimit-reset-tokens": "1m0s"}, 0.0),
        ({"x-ratelimit-remaining-tokens": "-1", "x-ratelimit-reset-tokens": "0"}, 0.0),
        ({"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "24h0m0s"}, 120.0),
        ({"x-ratelimit-remaining-requests": "none", "x-ratelimit-reset-requests": "soon"}, 0.0),
    ],
)
def test_what_a_server_says_is_left_is_kept_to(headers: dict[str, str], pause: float) -> None:
    clock = Clock()
    pace = Pace(Rates(), clock)
    pace.hear(headers)
    assert pace.book(100) == pytest.approx(pause)
    if pause:
        clock.now += pause
        assert pace.book(100) == 0


def test_durations_are_read_in_every_form() -> None:
    assert read_duration("6m0s") == 360
    assert read_duration("20ms") == 0.02
    assert read_duration("1h2m3.5s") == 3723.5
    assert read_duration("17") == 17
    assert read_duration("2020-01-01T00:00:00Z") == 0
    assert read_duration("m") is None
    assert read_duration("1 s ago") is None


def test_the_rate_of_a_row_and_of_the_user_hold_together() -> None:
    assert Rates(10, None).strictest(Rates(20, 100)) == Rates(10, 100)
    assert Rates(10, 100).shared(4) == Rates(2.5, 25)


def test_a_limit_of_the_server_is_never_passed_where_it_is_known() -> None:
    """A server that allows ten requests a minute, and says so: nobody is refused."""
    times: list[float] = []
    clock = Clock()

    async def sleep(seconds: float) -> None:
        clock.now += seconds

    def answer(call: Call) -> Reply:
        times.append(clock.now)
        if sum(at > clock.now - 60 for at in times) > 10:
            return 429, {}, {"error": {"message": "slow down"}}
        return completion(call)

    with Habits(answer=answer) as server:
        chat = chat_at(server)
        chat._pace = Pace(Rates(rpm=10), clock)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr("argue_bench.models.chat.pace.asyncio.sleep", sleep)
            replies = run(chat, asked(45))
    assert all(isinstance(reply, Completion) for reply in replies.values())
    assert server.count == 45
    assert json.dumps(times) == json.dumps(sorted(times))
