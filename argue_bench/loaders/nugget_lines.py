"""Nugget banks as trec-auto-judge keeps them in ``NAME.nuggets.jsonl``: one topic a line.

    {"query_id", "title_query", "format_version": "v3", "nugget_bank": {QUESTION: {...}}}
    {"query", "qid", "nuggets": [{"text", "importance"}]}                nuggetizer's, without questions

Source: trec-auto-judge base d58f174; castorini/nuggetizer d00dc3e. A line of the first form is a nugget
file of version 3 (`argue_bench.loaders.nuggets`), where an aggregator may be missing: then any answer
is enough. Of the second, each text is the accepted answer to the topic's question. nuggetizer writes
"failed" where no importance could be read: such a nugget has none here, and a warning says so.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Any

from argue_bench.errors import Code
from argue_bench.loaders.findings import Findings
from argue_bench.loaders.nuggets import NuggetTopic, topic_of_bank
from argue_bench.records import Nugget, NuggetAnswer, Request
from argue_bench.records.untrusted import GOLD_LIMITS, read_lines

_HINT = "A line is a bank of version 3 (query_id, nugget_bank) or nuggetizer's (qid, nuggets)."


def read_bank_lines(path: Path) -> tuple[dict[str, NuggetTopic], list[Any]]:
    """The topics of the file by id, and warnings. Raises DataError with all findings."""
    found = Findings(path)
    topics: dict[str, NuggetTopic] = {}
    for line in read_lines(path, GOLD_LIMITS):
        found.extend(line.findings)
        if not line.read:
            continue
        own = Findings(path)
        topic = _topic(line.value, own)
        found.extend(replace(one, line=line.number) for one in own.all())
        if topic is None:
            continue
        if topic.id in topics:
            found.add(
                Code.DUPLICATE_TOPIC, f"a second bank for the topic {topic.id!r}", line.number
            )
        topics[topic.id] = topic
    if not topics and not found.errors:
        found.add(Code.NO_NUGGETS, "the file holds no nugget bank", hint=_HINT)
    found.raise_errors()
    return topics, found.all()


def _topic(value: Any, found: Findings) -> NuggetTopic | None:
    row = value if isinstance(value, dict) else {}
    key = "qid" if "nuggets" in row or ("qid" in row and "query_id" not in row) else "query_id"
    id = row.get(key)
    if not isinstance(id, str) or not id:
        found.add(Code.NUGGET_FILE, f"{key} is {id!r:.60}, not a text", hint=_HINT)
        return None
    if key == "query_id":
        bank = row.get("nugget_bank", {})
        if not isinstance(bank, dict):
            found.add(Code.NUGGET_FILE, "nugget_bank is not an object", hint=_HINT)
            return None
        whole = {
            question: {"aggregator_type": "OR", **one} if isinstance(one, dict) else one
            for question, one in bank.items()
        }
        return topic_of_bank(id, {**row, "nugget_bank": whole}, found)
    question = str(row.get("query") or id)
    rows = row.get("nuggets", [])
    nuggets = [
        _nugget(id, question, one, found) for one in (rows if isinstance(rows, list) else [rows])
    ]
    return NuggetTopic(id, tuple(filter(None, nuggets)), Request(title=question))


def _nugget(topic: str, question: str, row: Any, found: Findings) -> Nugget | None:
    text = row.get("text") if isinstance(row, dict) else None
    if not isinstance(text, str):
        found.add(Code.NUGGET_SHAPE, "a nugget has no text", hint=_HINT)
        return None
    weight = row.get("importance")
    if weight == "failed":
        found.add(Code.MIXED_IMPORTANCE, f"the importance of {text!r:.60} failed", level="warning")
        weight = None
    elif weight not in ("vital", "okay", None):
        found.add(Code.IMPORTANCE, f"importance is {weight!r:.40}, not 'vital' or 'okay'")
        weight = None
    id = hashlib.md5(f"{topic} {text}".encode()).hexdigest()
    return Nugget(id, question, (NuggetAnswer(text),), "any", weight)
