"""Replies in a store: beside verdicts, found by model, request and attempt, merged, and never lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from argue_bench.errors import DataError
from argue_bench.records import Answers, Verdict
from argue_bench.store import Author, ModelReply, Replies, Store, StoredReply, reply_key
from argue_bench.store.file import merge_stores

MODEL = Author.of("server/m", {"temperature": "0"})
ASK = Answers("s", "q", "a")
JUDGE = Author.of("someone", {"model": "m"})


def replied(
    text: str, request: str = "say it", attempt: int = 1, model: Author = MODEL
) -> StoredReply:
    reply = ModelReply(text, "stop", 3, 5, 0.25)
    return StoredReply(
        reply_key(model, request, attempt), model, "q1", attempt, reply, "sent", "raw"
    )


def test_what_is_kept_is_found_by_model_request_and_attempt(tmp_path: Path) -> None:
    one = replied("It is so.")
    with Replies(tmp_path / "s") as replies:
        replies.add(one)
        replies.add(replied("Another text."))  # what stands is not replaced
        assert replies.find(one.key) == ModelReply("It is so.", "stop", 3, 5, 0.25)
        others = [
            reply_key(MODEL, "say it", 2),
            reply_key(MODEL, "say it "),
            reply_key(Author.of("server/m", {"temperature": "1"}), "say it"),
            reply_key(Author.of("server/n", {"temperature": "0"}), "say it"),
        ]
        assert [replies.find(key) for key in others] == [None] * 4
    with Replies(tmp_path / "s", write=False) as replies:
        assert list(replies) == [one]
        assert replies.models() == (MODEL,)
        with pytest.raises(DataError, match="not-written"):
            replies.add(replied("x", "new"))


def test_a_price_that_nobody_knows_and_half_a_surrogate_pair(tmp_path: Path) -> None:
    one = replied("a\ud800")
    with Replies(tmp_path / "s") as replies:
        replies.add(replace(one, reply=replace(one.reply, price=None), received="\udfff"))
        assert replies.find(one.key) == ModelReply("a?", "stop", 3, 5, None)


def test_merging_carries_replies(tmp_path: Path) -> None:
    with Store(tmp_path / "verdicts") as store:
        store.add(JUDGE, ASK, Verdict("yes"))
    for name, said in (("a", {"r1": "one", "r2": "two"}), ("b", {"r2": "other", "r3": "three"})):
        with Replies(tmp_path / name) as replies:
            for request, text in said.items():
                replies.add(replied(text, request))
    found = merge_stores(tmp_path / "all", [tmp_path / name for name in ("a", "b", "verdicts")])
    assert (found.replies_read, found.replies_added, found.differing) == (4, 3, 1)
    assert (found.read, found.added) == (1, 1)
    with Replies(tmp_path / "all", write=False) as replies:
        assert [one.reply.text for one in replies] == ["one", "two", "three"]
        assert {one.sent for one in replies} == {"sent"}
