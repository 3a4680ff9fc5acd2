"""The inverter reads what the public patterns give away, off documents alone."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from argue_bench.records import Document, Entails, Question, Request, Source, Verdict
from benchmarks.inverter.reading import Inverted, invert
from benchmarks.inverter.reports import private_pack, write
from tools.core_set.oracle import Oracle
from tools.core_set.topic import GeneratedTopic
from tools.core_set.world import World

FLOOD = "the Brell flood of 2003"
QUESTION = Question(
    "q1",
    f"For each of the towns struck by {FLOOD}, say how many people were evacuated.",
    Request(
        problem_statement=f"... A report should also answer: Who coordinated the relief work during "
        f"{FLOOD}? What was the damage caused by {FLOOD} put at? Say what cannot be found out."
    ),
)


def read(*texts: str, language: str = "en") -> Inverted:
    documents = {
        f"d{at}": Document(f"d{at}", text, language=language, date=f"2003-01-{10 + at}")
        for at, text in enumerate(texts)
    }
    return invert(QUESTION, documents)


def facts(found: Inverted) -> set[tuple[str, str, tuple[str, ...], str]]:
    return {(c.relation.key, c.subject, c.values, c.document) for c in found.claims}


LIST = f"The towns struck were Karvel, Mornd and Tesk. It concerns {FLOOD}."


def test_facts_are_read_under_their_subjects() -> None:
    found = read(
        LIST,
        f"Long after {FLOOD}, records remain. Crews evacuated 1,240 people from Karvel. "
        "A total of 310 people were evacuated from Mornd.",
    )
    assert found.items == ("Karvel", "Mornd", "Tesk")
    assert found.roll_call is not None
    assert found.roll_call.document == "d0"
    assert facts(found) == {
        ("evacuated", "Karvel", ("1,240",), "d1"),
        ("evacuated", "Mornd", ("310",), "d1"),
        ("evacuated", "Tesk", (), ""),
        ("coordinator", FLOOD, (), ""),
        ("damage", FLOOD, (), ""),
    }


@cache
def topics(pack: Path | None = None) -> tuple[GeneratedTopic, ...]:
    return tuple(t for t in World("0c" * 16, 20, pack).topics() if t.languages == "en")


def test_it_has_no_gold() -> None:
    for topic in topics()[:3]:
        documents = {document.id: document for document in topic.documents}
        bare = replace(topic.question, gold=None)
        assert invert(bare, documents) == invert(topic.question, documents)


def test_private_patterns_keep_their_secret(tmp_path: Path) -> None:
    """A season whose every fact is said in words that are not public gives nothing away."""
    pack = tmp_path / "pack.txt"
    pack.write_text(private_pack())

    def found(some: tuple[GeneratedTopic, ...]) -> int:
        return sum(bool(line.facts) for topic in some for line in write(topic))

    assert found(topics(pack)) < found(topics()) / 4


def test_the_oracle_can_judge_all_that_it_says() -> None:
    for topic in topics()[:4]:
        said, oracle = write(topic), Oracle()
        oracle.learn(topic, said)
        texts = {document.id: document.text for document in topic.documents}
        verdicts = [
            oracle.verdict(Entails((Source(id, texts[id]),), line.text))
            for line in said
            for id in line.cites
        ]
        assert all(isinstance(verdict, Verdict) for verdict in verdicts)
        assert Verdict("yes") in verdicts
