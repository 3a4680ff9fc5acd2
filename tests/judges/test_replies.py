"""Replies of the habits of many models, each with the verdict that a careful person reads in it.

A line of the corpus is ``{"kind", "form", "reply", "verdict"}``: ``form`` is "single" or "batched N", with
"schema" where the server holds its model to one; ``{KEY}`` in a reply stands for the key of the form;
``verdict`` is a word, an object of words by number, or null where nobody could decide. A reply may be a
whole message of a chat completion. ``ARGUE_BENCH_REPLIES=FILE`` replaces the corpus.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from argue_bench.judges.prompted.forms import ReplyForm, declared_words
from argue_bench.judges.prompted.verdicts import read
from argue_bench.models.reply import read_reply, strip_thoughts
from argue_bench.records import KINDS

OWN = Path(__file__).with_name("replies.jsonl")
FILE = Path(os.environ.get("ARGUE_BENCH_REPLIES", OWN))
ROWS = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines() if line.strip()]
KEY = "3f9a1c07"


def text_of(said: str | dict[str, Any]) -> str:
    """The answer in a reply, or in a message of a chat completion, without its thoughts."""
    if isinstance(said, str):
        return strip_thoughts(said.replace("{KEY}", KEY))
    choice = {"message": said, "finish_reason": said.get("finish_reason", "stop")}
    raw = json.dumps({"choices": [choice]}, ensure_ascii=False).replace("{KEY}", KEY)
    completion = read_reply(raw, "", None)
    return "" if completion.finish == "refused" else strip_thoughts(completion.text)


def verdict_of(row: dict[str, Any]) -> Any:
    """What the reader finds in the reply of a row, in the form of its verdict."""
    form, verdict = str(row["form"]).casefold(), row["verdict"]
    count = 0
    if re.search("batch|many", form):
        told = re.search(r"\d+", form) or re.search(r"\d+", str(row.get("count", row.get("n", ""))))
        count = int(told[0]) if told else len(verdict) if isinstance(verdict, (dict, list)) else 3
    strict = "schema" in form or "strict" in form
    asked = ReplyForm(declared_words(KINDS[row["kind"]]), count, "" if strict else KEY)
    found = read(text_of(row["reply"]), asked, strict).verdicts
    if not count:
        return found.get(1)
    if isinstance(verdict, list):
        return [found.get(number) for number in range(1, count + 1)] if found else None
    return {str(number): word for number, word in sorted(found.items())} or None


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['form']}: {str(row['reply'])[:60]!r}")
def test_a_reply_has_the_verdict_that_a_careful_person_reads(row: dict[str, Any]) -> None:
    assert verdict_of(row) == row["verdict"]


def test_the_corpus_is_large_and_of_all_sorts() -> None:
    rows = [json.loads(line) for line in OWN.read_text(encoding="utf-8").splitlines()]
    assert len({json.dumps(row) for row in rows}) == len(rows) >= 150
    assert 0.35 < sum(row["verdict"] is None for row in rows) / len(rows) < 0.65
    assert len({row["kind"] for row in rows}) >= 7
    assert {row["form"].split()[0] for row in rows} == {"single", "batched"}
