"""Estimates beside what a server counts: ordinary models, those that think, caches, and what is learned."""

from __future__ import annotations

import json
import re
from itertools import takewhile
from typing import Any

import pytest

from argue_bench.judges.prompted import Prompted
from argue_bench.models.chat import Chat
from argue_bench.records import JudgeRequest
from tests.judges.test_prompted import run, trec_report
from tests.models.server import ChatServer, honest

pytest.importorskip("openai", reason="the extra judge is not installed")
_WORD = re.compile(r"\w{1,6}|[^\w\s]{1,2}|\s{2,}")


def counted(text: str) -> int:
    """Tokens as a tokenizer of its own rules counts them: pieces of words, and punctuation."""
    return len(_WORD.findall(text))


class Counting(ChatServer):
    """A server that counts tokens by itself, and caches what prompts share at their beginning."""

    thinking = 0
    block = 0
    last = ""

    def say(self, body: dict[str, Any]) -> dict[str, Any]:
        said = honest(body)
        text = "".join(message["content"] for message in body["messages"])
        schema = json.dumps(body["response_format"]) if "response_format" in body else ""
        read = counted(text) + counted(schema) + 4 * len(body["messages"])
        pairs = takewhile(lambda pair: pair[0] == pair[1], zip(text, self.last, strict=False))
        shared = "".join(one for one, _ in pairs)
        cached = counted(shared) // 128 * 128 if self.block else 0
        self.last = text
        details = {"cached_tokens": cached if cached >= self.block else 0}
        written = counted(said) + self.thinking
        usage = {
            "prompt_tokens": read,
            "completion_tokens": written,
            "total_tokens": read + written,
        }
        return {"content": said, "usage": {**usage, "prompt_tokens_details": details}}

    def __enter__(self) -> Counting:
        self.model = self.say
        super().__enter__()
        return self


def judge_at(server: ChatServer, model: str, **known: str) -> Prompted:
    variables = {
        "OPENAI_BASE_URL": server.url,
        "OPENAI_API_KEY": "k",
        "ARGUE_BENCH_MAX_CONCURRENCY": "1",
    }
    return Prompted(Chat("openai", model, known={**variables, **known}))


def some() -> list[JudgeRequest]:
    return trec_report()[::3]


@pytest.mark.parametrize(
    ("model", "thinking", "within"), [("gpt-4o", 0, 0.15), ("gpt-5-mini", 400, 0.3)]
)
def test_an_estimate_is_near_to_what_the_server_counts(
    model: str, thinking: int, within: float
) -> None:
    with Counting() as server:
        server.thinking = thinking
        judge = judge_at(server, model)
        expected = judge.estimate(some())
        run(judge, some())
    assert expected.price is not None
    assert expected.price == pytest.approx(judge.counts.price, rel=within)
    assert expected.tokens_in == pytest.approx(judge.counts.tokens_in, rel=within)
