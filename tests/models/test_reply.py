"""What a reply says of its cost, and a refusal of the time to wait: what is billed is counted, no wait is endless."""

from __future__ import annotations

import json

import pytest

from argue_bench.models.budget import Price
from argue_bench.models.reply import read_reply, status_fault


def test_tokens_that_anthropic_read_from_its_cache_or_put_there_are_billed() -> None:
    usage = {
        "input_tokens": 100,
        "cache_read_input_tokens": 2_000,
        "cache_creation_input_tokens": 30_000,
        "cache_creation": {"ephemeral_1h_input_tokens": 10_000},
        "output_tokens": 7,
    }
    content = [{"type": "text", "text": "yes"}]
    raw = json.dumps({"type": "message", "content": content, "usage": usage})
    reply = read_reply(raw, "sent", Price(3.0, 15.0, cached=0.3))
    assert (reply.tokens_in, reply.tokens_out) == (32_100, 7)
    written = 20_000 * 1.25 + 10_000 * 2  # for five minutes, and for an hour
    assert reply.price == pytest.approx(((100 + written) * 3.0 + 2_000 * 0.3 + 7 * 15.0) / 1e6)


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({"retry-after-ms": "1500"}, 1.5),
        ({"retry-after-ms": "900000000"}, 120.0),
        ({"retry-after-ms": "900000000", "retry-after": "3"}, 120.0),
        ({"retry-after-ms": "soon", "retry-after": "3"}, 3.0),
        ({"retry-after": "86400"}, 120.0),
        ({"retry-after": "Fri, 01 Jan 2100 00:00:00 GMT"}, 120.0),
        ({}, None),
    ],
)
def test_a_server_may_ask_for_two_minutes_at_most(
    headers: dict[str, str], wait: float | None
) -> None:
    assert status_fault(429, "", headers, ()).wait == wait
