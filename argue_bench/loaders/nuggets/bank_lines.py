"""Nugget banks as trec-auto-judge keeps them in ``NAME.nuggets.jsonl``: one topic a line.

    {"query_id", "title_query", "format_version": "v3", "nugget_bank": {QUESTION: {...}}}
    {"query", "qid", "nuggets": [{"text", "importance"}]}                nuggetizer's, without questions

Source: trec-auto-judge base d58f174; castorini/nuggetizer d00dc3e. A line of the first form is a nugget
file of version 3 (`argue_bench.loaders.nuggets`), where an aggregator may be missing: then any answer
is enough; a claim (``claim_bank``) is an accepted answer to the topic's title. Of the second, each text is the accepted answer to the topic's question. nuggetizer writes
"failed" where no importance could be read: such a nugget has none here, and a warning says so.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from argue_bench.errors import Code, DataError
from argue_bench.loaders.findings import Findings
from argue_bench.records import Nugget, NuggetAnswer
from argue_bench.records.untrusted import GOLD_LIMITS, read_json, read_lines

_HINT = "A line is a bank of version 3 (query_id, nugget_bank) or nuggetizer's (qid, nuggets)."


class BankLine(NamedTuple):
    """One topic: its id, and the bank of version 3 as it is in the file, or nuggets with their question."""

    topic: str
    bank: Mapping[str, Any]
    nuggets: tuple[Nugget, ...]
    question: str
    line: int


def read_bank_lines(path: Path, found: Findings) -> Iterator[BankLine]:
    """The topics of the file, one after the other; problems are added to the findings.

    A file that is not called ``*.jsonl`` holds one bank.
    """
    for number, value in _values(path, found):
        own = Findings(path)
        bank = _bank(value, own, number)
        found.extend(replace(one, line=number) for one in own.all())
        if bank is not None:
            yield bank


def _values(path: Path, found: Findings) -> Iterator[tuple[int, Any]]:
    """Line number and value of each bank in the file."""
    if path.suffix != ".jsonl":
        try:
            yield 1, read_json(path)
        except DataError as error:
            found.extend(error.findings)
        return
    for line in read_lines(path, GOLD_LIMITS):
        found.extend(line.findings)
        if line.read:
            yield line.number, line.value


def _bank(value: Any, found: Findings, line: int) -> BankLine | None:
    row = value if isinstance(value, dict) else {}
    key = "qid" if "nuggets" in row or ("qid" in row and "query_id" not in row) else "query_id"
    id = row.get(key)
    if not isinstance(id, str) or not id:
        found.add(Code.NUGGET_FILE, f"{key} is {id!r:.60}, not a text", hint=_HINT)
        return None
    if key == "query_id":
        bank, claims = (row.get(part, {}) for part in ("nugget_bank", "claim_bank"))
        bank, claims = ({} if one is None else one for one in (bank, claims))
        if not isinstance(bank, dict) or not isinstance(claims, dict):
            part = "claim_bank" if isinstance(bank, dict) else "nugget_bank"
            found.add(Code.NUGGET_FILE, f"{part} is not an object", hint=_HINT)
            return None
        whole = {
            question: {"aggregator_type": "OR", **one} if isinstance(one, dict) else one
            for question, one in bank.items()
        }
        return BankLine(id, {**row, "nugget_bank": whole, "claim_bank": claims}, (), "", line)
    question = str(row.get("query") or id)
    rows = row.get("nuggets", [])
    rows = rows if isinstance(rows, list) else [rows]
    nuggets = (_nugget(id, question, one, found) for one in rows)
    return BankLine(id, {}, tuple(filter(None, nuggets)), question, line)


def claims_of(topic: str, bank: Mapping[str, Any], found: Findings) -> Iterator[Nugget]:
    """The claims of a bank as nuggets: accepted answers to the topic's title, or to a question of their
    own, with the documents that say so.
    """
    asked = str(bank.get("title_query") or topic)
    claims = bank.get("claim_bank") or {}
    for text, row in claims.items() if isinstance(claims, dict) else ():
        own = row if isinstance(row, dict) else {}
        nugget = _nugget(topic, str(own.get("question") or asked), {**own, "text": text}, found)
        listed = [one.get("doc_id") for one in own.get("references") or () if isinstance(one, dict)]
        ids = tuple(id for id in listed if isinstance(id, str))
        id = str(own.get("claim_id") or hashlib.md5(text.encode()).hexdigest())
        if nugget is not None:
            yield replace(nugget, id=id, answers=(NuggetAnswer(text, ids),))


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
