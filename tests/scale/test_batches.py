"""Prompts in batches: each answered and paid for once, whatever the provider does meanwhile."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import ArgueBenchError, JudgeError
from argue_bench.models.budget import Budget, BudgetSpent
from argue_bench.models.chat import Chat
from argue_bench.models.transport import ChatRequest, Completion, Message
from argue_bench.records import Failed
from argue_bench.scale import Batches
from argue_bench.scale.batching import BatchedChat
from tests.models.batch_server import BatchServer, MessageBatchServer

MODEL = "gpt-4o-mini-2024-07-18"


def echo(body: dict[str, Any]) -> str:
    return f"said: {body['messages'][-1]['content']}"


def prompts(count: int) -> list[ChatRequest]:
    return [ChatRequest((Message("user", f"question {n}"),), max_tokens=20) for n in range(count)]


def make_chat(server: BatchServer | None, provider: str = "openai") -> Chat:
    if isinstance(server, MessageBatchServer):
        known = {"ANTHROPIC_BASE_URL": server.url, "ANTHROPIC_API_KEY": "key-1"}
        return Chat("anthropic", "claude-sonnet-4-5", known=known, retries=3)
    url = "http://127.0.0.1:9/v1" if server is None else server.url
    return Chat(
        provider, MODEL, known={"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "key-1"}, retries=3
    )


async def ask(chat: BatchedChat, requests: Sequence[ChatRequest]) -> dict[str, Completion | Failed]:
    return {
        request.messages[0].text: reply async for request, reply in chat.complete(list(requests))
    }


def run(
    server: BatchServer, store: Path, requests: Sequence[ChatRequest], **options: Any
) -> dict[str, Completion | Failed]:
    """All replies of a process that is killed before it has used them."""
    budget, said = options.get("budget"), options.get("said", [])
    batches = Batches(store)
    with batches:
        chat = BatchedChat(make_chat(server), batches, said.append, seconds=0.001)
        chat._most_lines = options.get("most", 20_000)
        if budget is not None:
            chat.set_budget(budget)
        replies = asyncio.run(ask(chat, requests))
        store.with_name("copy").write_bytes(store.read_bytes())
    store.with_name("copy").rename(store)
    return replies


def texts(replies: dict[str, Completion | Failed]) -> dict[str, str]:
    return {
        key: one.text if isinstance(one, Completion) else f"failed: {one.reason}"
        for key, one in replies.items()
    }


RIGHT = {f"question {n}": f"said: question {n}" for n in range(9)}


def test_all_replies_come_for_half_the_price(tmp_path: Path) -> None:
    said: list[str] = []
    with BatchServer(model=echo, key="key-1") as server:
        replies = run(server, tmp_path / "s", prompts(9), said=said)
    assert texts(replies) == RIGHT
    assert server.steps[:2] == ["POST /files", "POST /batches"]
    assert set(server.asked.values()) == {1}
    online = make_chat(None)
    for reply in replies.values():
        assert isinstance(reply, Completion)
        assert online.price is not None
        full = online.price.of(reply.tokens_in, reply.tokens_out)
        assert reply.price == pytest.approx(full / 2)
        assert json.loads(reply.sent)["model"] == MODEL
    assert any("in_progress" in line and "0 of 9" in line for line in said)


@pytest.mark.parametrize("trick", ["500", "429", "drop before", "drop after", "garbled"])
def test_a_fault_at_any_step_is_tried_again_and_nothing_is_paid_twice(
    tmp_path: Path, trick: str
) -> None:
    seen: set[str] = set()

    def once(step: str, number: int) -> str:
        """The trick at the first call of each kind."""
        new = step not in seen
        seen.add(step)
        return trick if new else ""

    with BatchServer(model=echo, trick=once) as server:
        assert texts(run(server, tmp_path / "s", prompts(9))) == RIGHT
    assert set(server.asked.values()) == {1}
    assert len(server.batches) == 1
    assert {"POST /files", "POST /batches", "GET /batches/batch", "GET /files/file/content"} <= seen


STEPS = [
    *((BatchServer, step) for step in range(7)),
    *((MessageBatchServer, step) for step in range(9)),
]
"""Each step in which three batches of nine prompts are sent and come back."""


@pytest.mark.parametrize(("serve", "step"), STEPS)
@pytest.mark.parametrize("trick", ["drop before", "drop after"])
def test_a_process_that_ends_between_any_two_steps_goes_on(
    tmp_path: Path, serve: Any, step: int, trick: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the step on nothing is answered any more: the process gives up, and another one goes on."""
    from argue_bench.scale import batching as api

    monkeypatch.setattr(api, "_RETRIES", 0)
    down = True

    def trick_of(what: str, number: int) -> str:
        return trick if down and number == step else "drop before" if down and number > step else ""

    with serve(model=echo, trick=trick_of) as server:
        with pytest.raises(JudgeError, match="the same command finds them again"):
            run(server, tmp_path / "s", prompts(9), most=4)
        down = False
        assert texts(run(server, tmp_path / "s", prompts(9), most=4)) == RIGHT
    assert set(server.asked.values()) == {1}
    assert len(server.batches) == 3


def test_batches_that_were_begun_are_found_again_and_others_are_not_waited_for(
    tmp_path: Path,
) -> None:
    with BatchServer(model=echo) as server:
        run(server, tmp_path / "s", prompts(5))
        assert len(server.batches) == 1
        # Four are in the batch of before; only the fifth to ninth are asked.
        assert texts(run(server, tmp_path / "s", prompts(9))) == RIGHT
        assert len(server.batches) == 2
        assert set(server.asked.values()) == {1}
        with Batches(tmp_path / "s"):
            pass  # a run that came to its end
        run(server, tmp_path / "s", prompts(1))
    assert sorted(server.asked.values()) == [1] * 8 + [2]


@pytest.mark.parametrize("fate", ["expired"])
def test_what_a_batch_did_not_answer_in_time_goes_into_the_next(tmp_path: Path, fate: str) -> None:
    with BatchServer(
        model=echo, fate=lambda number, lines: fate if number == 0 else "completed"
    ) as server:
        assert texts(run(server, tmp_path / "s", prompts(9))) == RIGHT
    assert set(server.asked.values()) == {1}
    assert len(server.batches) == 2


def test_what_never_comes_in_time_fails_after_three_batches(tmp_path: Path) -> None:
    with BatchServer(model=echo, fate=lambda number, lines: "expired") as server:
        replies = texts(run(server, tmp_path / "s", prompts(1)))
        assert replies == {"question 0": "said: question 0"}  # the first of each is answered
        replies = texts(run(server, tmp_path / "s", prompts(20)))
    late = [text for text in replies.values() if text.startswith("failed")]
    assert late
    assert all("batch_expired" in text and "3 batches" in text for text in late)
    assert set(server.asked.values()) == {1}


def test_a_batch_that_somebody_cancelled_is_not_begun_again_in_the_same_run(tmp_path: Path) -> None:
    fates = iter(["cancelled", "completed"])
    with BatchServer(model=echo, fate=lambda number, lines: next(fates)) as server:
        got: dict[str, Completion | Failed] = {}

        async def work(chat: BatchedChat) -> None:
            async for request, reply in chat.complete(prompts(9)):
                got[request.messages[0].text] = reply

        with (
            pytest.raises(JudgeError, match="was cancelled at the provider"),
            Batches(tmp_path / "s") as batches,
        ):
            asyncio.run(work(BatchedChat(make_chat(server), batches, print, seconds=0.001)))
        assert len(got) == 5
        assert len(server.batches) == 1
        rest = [one for one in prompts(9) if one.messages[0].text not in got]
        assert texts(got) | texts(run(server, tmp_path / "s", rest)) == RIGHT
    assert set(server.asked.values()) == {1}


def test_a_batch_that_the_provider_refuses_says_why(tmp_path: Path) -> None:
    with (
        BatchServer(model=echo, fate=lambda number, lines: "failed") as server,
        pytest.raises(JudgeError, match="invalid_json_line: Not like this"),
    ):
        run(server, tmp_path / "s", prompts(9))
    assert not server.asked


def test_too_many_tokens_at_once_go_in_smaller_batches(tmp_path: Path) -> None:
    def fate(number: int, lines: list[Any]) -> str:
        return "token_limit" if len(lines) > 3 else "completed"

    with BatchServer(model=echo, fate=fate) as server:
        assert texts(run(server, tmp_path / "s", prompts(9))) == RIGHT
    assert set(server.asked.values()) == {1}


def test_one_request_that_is_refused_fails_alone(tmp_path: Path) -> None:
    def line(body: dict[str, Any]) -> int:
        return 400 if body["messages"][0]["content"] == "question 3" else 200

    with BatchServer(model=echo, line=line) as server:
        replies = texts(run(server, tmp_path / "s", prompts(9)))
    assert replies.pop("question 3").startswith("failed: the server answered 400")
    assert replies == {key: text for key, text in RIGHT.items() if key != "question 3"}
    assert len(server.batches) == 1


def test_a_request_that_met_a_busy_server_goes_again(tmp_path: Path) -> None:
    met: list[str] = []

    def line(body: dict[str, Any]) -> int:
        text = body["messages"][0]["content"]
        met.append(text)
        return 429 if text == "question 3" and met.count(text) == 1 else 200

    with BatchServer(model=echo, line=line) as server:
        assert texts(run(server, tmp_path / "s", prompts(9))) == RIGHT
    assert set(server.asked.values()) == {1}


def test_a_budget_holds_and_what_fits_is_sent(tmp_path: Path) -> None:
    chat = make_chat(None)
    assert chat.price is not None
    body = json.dumps(dict(chat.wording(prompts(1)[0])))
    most = chat.price.in_batches().of(len(body) + 64, 20)
    with BatchServer(model=lambda body: "x" * 80) as server:
        budget = Budget(2.5 * most)
        with pytest.raises(BudgetSpent):
            run(server, tmp_path / "s", prompts(9), budget=budget)
        # Two fit at first; each costs far less than it might have, so more fit once they have come.
        first = len(server.batches)
        assert first > 1
        assert budget.spent <= budget.limit
        assert 2 < len(server.asked) < 9
        assert budget.left == pytest.approx(budget.limit - budget.spent)  # nothing stays reserved
        assert len(run(server, tmp_path / "s", prompts(9), budget=Budget(1))) == 9
    assert set(server.asked.values()) == {1}


def test_what_another_process_began_is_counted_against_the_budget(tmp_path: Path) -> None:
    with BatchServer(model=echo) as server:
        run(server, tmp_path / "s", prompts(9))
        budget = Budget(0.0)
        assert texts(run(server, tmp_path / "s", prompts(9), budget=budget)) == RIGHT
        assert budget.spent > 0
        with pytest.raises(BudgetSpent):
            run(server, tmp_path / "s", prompts(10), budget=budget)


@pytest.mark.parametrize(
    ("status", "why"), [("401", "401"), ("404", "there is no Batch API at"), ("403", "403")]
)
def test_a_provider_that_has_no_batches_or_refuses_the_key(
    tmp_path: Path, status: str, why: str
) -> None:
    with (
        BatchServer(trick=lambda step, number: status) as server,
        pytest.raises(JudgeError, match=why),
    ):
        run(server, tmp_path / "s", prompts(2))


def test_a_run_that_is_stopped_leaves_its_batches_at_the_provider(tmp_path: Path) -> None:
    async def work(chat: BatchedChat) -> None:
        await ask(chat, prompts(9))

    class Stopped(ArgueBenchError):
        pass

    with BatchServer(model=echo) as server:

        def say(text: str) -> None:
            if "validating" in text or "in_progress" in text:
                chat.stop(Stopped("enough"))

        batches = Batches(tmp_path / "s")
        chat = BatchedChat(make_chat(server), batches, say, seconds=3600)
        with pytest.raises(Stopped), batches:
            asyncio.run(work(chat))
        assert texts(run(server, tmp_path / "s", prompts(9))) == RIGHT
    assert set(server.asked.values()) == {1}
    assert len(server.batches) == 1


def test_anthropic_answers_batches_in_its_own_way(tmp_path: Path) -> None:
    with MessageBatchServer(model=echo, key="key-1") as server:
        assert texts(run(server, tmp_path / "s", prompts(9), most=4)) == RIGHT
        assert texts(run(server, tmp_path / "s", prompts(9), most=4)) == RIGHT
    assert set(server.asked.values()) == {1}
    assert len(server.batches) == 3
    wanted = [dict(make_chat(server).wording(request)) for request in prompts(9)]
    assert sorted(server.bodies.values(), key=str) == sorted(wanted, key=str)


def test_faults_of_batches_at_anthropic(tmp_path: Path) -> None:
    def line(body: dict[str, Any]) -> int:
        return 400 if body["messages"][0]["content"] == "question 3" else 200

    fates = iter(["expired", "completed", "completed"])
    with MessageBatchServer(
        model=echo, line=line, fate=lambda number, lines: next(fates)
    ) as server:
        replies = texts(run(server, tmp_path / "s", prompts(9)))
    assert "400" in replies.pop("question 3")
    assert replies == {key: text for key, text in RIGHT.items() if key != "question 3"}
    assert set(server.asked.values()) == {1}


def test_a_batch_of_the_same_size_that_somebody_else_began_is_not_taken_for_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from argue_bench.scale import batching as api

    monkeypatch.setattr(api, "_RETRIES", 0)
    down = True

    def trick(step: str, number: int) -> str:
        return "drop before" if down and step.startswith("POST") else ""

    with MessageBatchServer(model=echo, trick=trick) as server:
        with pytest.raises(JudgeError):
            run(server, tmp_path / "mine", prompts(4))
        down = False
        run(server, tmp_path / "theirs", prompts(8)[4:])
        assert texts(run(server, tmp_path / "mine", prompts(4))) == dict([*RIGHT.items()][:4])
    assert len(server.batches) == 2
