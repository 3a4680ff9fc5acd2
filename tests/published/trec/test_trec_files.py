"""Banks of nuggets: what is written, read back, and refused at once."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argue_bench.errors import DataError
from argue_bench.loaders.banks import write_banks
from argue_bench.published.trec.topic_files import read_topics
from argue_bench.records import Gold, Nugget, NuggetAnswer, Question


def codes(error: DataError) -> list[str]:
    return [str(finding.code) for finding in error.findings]


def test_our_nuggets_are_a_bank_that_is_read_back(tmp_path: Path) -> None:
    nugget = Nugget("n1", "When?", (NuggetAnswer("1731", ("d1",)),), "any", "vital")
    question = Question("t1", "What of the mill?", gold=Gold(nuggets=(nugget,)))
    file = tmp_path / "x.nuggets.jsonl"
    write_banks(file, [question])
    assert read_topics(file)[0]["t1"].nuggets == (nugget,)


def test_a_claim_is_an_accepted_answer_to_the_topic(tmp_path: Path) -> None:
    bank = {
        "query_id": "t1",
        "title_query": "Tide mill",
        "claim_bank": {"built in 1731": {"claim_id": "c1", "references": [{"doc_id": "d1"}]}},
    }
    file = tmp_path / "bank.json"
    file.write_text(json.dumps(bank))
    [nugget] = read_topics(file)[0]["t1"].nuggets
    answer = NuggetAnswer("built in 1731", ("d1",))
    assert (nugget.id, nugget.question, nugget.answers) == ("c1", "Tide mill", (answer,))


def test_nuggets_that_ask_the_same_are_claims_and_none_is_lost(tmp_path: Path) -> None:
    nuggets = tuple(
        Nugget(id, "What of the mill?", (NuggetAnswer(text, ("d1",)),), "any", "okay")
        for id, text in (("n1", "built in 1731"), ("n2", "closed in 1987"))
    )
    question = Question("t1", "What of the mill?", gold=Gold(nuggets=nuggets))
    write_banks(tmp_path / "x.nuggets.jsonl", [question])
    assert read_topics(tmp_path / "x.nuggets.jsonl")[0]["t1"].nuggets == nuggets
    two = Nugget("n3", "What of the mill?", (NuggetAnswer("a"), NuggetAnswer("b")))
    with pytest.raises(DataError) as raised:
        write_banks(
            tmp_path / "x.nuggets.jsonl", [Question("t1", "?", gold=Gold(nuggets=(*nuggets, two)))]
        )
    assert codes(raised.value) == ["wrong-shape"]
