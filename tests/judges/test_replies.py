"""What becomes of replies as models write them: a table of shape, reply, and the verdict that counts.

A line of the corpus is ``{"shape", "kind", "form", "reply", "verdict"}``. ``shape`` is "read", or the fault for
which the reply is asked again (`FAULTS`); ``form`` is "single", "batched N" or "word", with "schema" where the
server holds its model to one and "reasons" where these are asked for; ``{KEY}`` in a reply stands for the key of the form; ``verdict`` is a word, an
object of words by number, or null where nothing of the reply counts. A reply may be a whole message of a chat
completion. ``ARGUE_BENCH_REPLIES=FILE`` names a corpus of others, whose verdicts are those of a careful person:
asking again is no mistake there, another verdict is.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from argue_bench.judges.prompted.replies import (
    FAULTS,
    ReplyForm,
    ReplyReading,
    declared_words,
    read,
)
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
    return "" if completion.finish == "refused" else completion.text


def reading_of(row: dict[str, Any]) -> tuple[ReplyReading, Any]:
    """What the reader makes of the reply of a row, and its verdicts in the form of the row's."""
    form, verdict = str(row["form"]).casefold(), row["verdict"]
    count = 0
    if re.search("batch|many", form):
        told = re.search(r"\d+", form) or re.search(r"\d+", str(row.get("count", row.get("n", ""))))
        count = int(told[0]) if told else len(verdict) if isinstance(verdict, (dict, list)) else 3
    keyed = "" if "schema" in form or "strict" in form or "word" in form else KEY
    asked = ReplyForm(declared_words(KINDS[row["kind"]]), count, keyed, word="word" in form)
    asked = replace(asked, reasons="reasons" in form)
    reading = read(text_of(row["reply"]), asked)
    found = reading.verdicts
    if not count:
        return reading, found.get(1)
    if isinstance(verdict, list):
        return reading, [found.get(n) for n in range(1, count + 1)] if found else None
    return reading, {str(number): word for number, word in sorted(found.items())} or None


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['form']}: {str(row['reply'])[:60]!r}")
def test_a_reply_is_read_or_asked_again_and_never_read_wrongly(row: dict[str, Any]) -> None:
    reading, found = reading_of(row)
    if FILE == OWN:
        assert (reading.shape or "read", found) == (row["shape"], row["verdict"])
    elif isinstance(found, dict) and isinstance(row["verdict"], dict):
        assert found.items() <= row["verdict"].items()
    else:
        assert found in (None, row["verdict"])


def test_the_corpus_has_every_shape_and_many_kinds() -> None:
    rows = [json.loads(line) for line in OWN.read_text(encoding="utf-8").splitlines()]
    assert len({json.dumps(row) for row in rows}) == len(rows) >= 150
    assert {row["shape"] for row in rows} == {"read", *FAULTS} - {"cut_off"}  # the server says that
    assert len({row["kind"] for row in rows}) >= 7
