"""The inverter reads what the public patterns give away, off documents alone."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from argue_bench.baselines.oracle import Oracle
from argue_bench.baselines.scripted import report_text
from argue_bench.records import Document, Entails, Question, Request, Source, Verdict
from argue_bench.synthetic.topic import GeneratedTopic
from argue_bench.synthetic.world import World
from argue_bench.text import read_answer
from benchmarks.inverter.reading import Inverted, invert
from benchmarks.inverter.reports import private_pack, report, write

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


def test_what_was_asked_and_not_found_is_called_unknown_without_a_citation() -> None:
    answer = read(LIST).answer
    assert "The documents do not give the number of people evacuated in Tesk." in answer
    assert answer.count("[d0]") == 1


def test_rows_are_read_one_by_one() -> None:
    found = read(
        LIST, f"On {FLOOD}. Evacuees numbered 1,240 in Karvel, 310 in Mornd and 77 in Tesk."
    )
    assert {(c.subject, c.values) for c in found.claims if c.relation.key == "evacuated"} == {
        ("Karvel", ("1,240",)),
        ("Mornd", ("310",)),
        ("Tesk", ("77",)),
    }


def test_the_later_document_is_believed_and_an_exact_figure_before_a_rounded_one() -> None:
    found = read(
        LIST,
        f"On {FLOOD}. Crews evacuated 1,240 people from Karvel.",
        f"On {FLOOD}. Crews evacuated 1,310 people from Karvel.",
        f"On {FLOOD}. Crews evacuated about 1,300 people from Karvel.",
    )
    assert ("evacuated", "Karvel", ("1,310",), "d2") in facts(found)


@pytest.mark.parametrize(
    "text",
    [
        "Crews evacuated 1,240 people from Karvel.",  # of which flood?
        f"On {FLOOD}. Crews evacuated many people from Karvel.",
        f"On {FLOOD}. Crews evacuated 1,240 people from Elsewhere.",
        f"On {FLOOD}. They got 1,240 folk out of Karvel.",  # no public pattern
    ],
)
def test_what_fits_no_pattern_kind_or_name_is_not_believed(text: str) -> None:
    assert ("evacuated", "Karvel", ()) in {one[:3] for one in facts(read(LIST, text))}


def test_french_is_not_read() -> None:
    assert read(LIST, language="fr").claims[0].values == ()


def test_a_question_of_another_form_is_declined() -> None:
    asked = Question("q", "How tall is it?")
    assert invert(asked, {}).answer == "I cannot answer this question."


@cache
def topics(pack: Path | None = None) -> tuple[GeneratedTopic, ...]:
    return tuple(t for t in World("0c" * 16, 20, pack).topics() if t.languages == "en")


def test_it_has_no_gold() -> None:
    for topic in topics()[:3]:
        documents = {document.id: document for document in topic.documents}
        bare = replace(topic.question, gold=None)
        assert invert(bare, documents) == invert(topic.question, documents)


def test_its_lines_are_its_answer_and_read_as_they_were_written() -> None:
    for topic in topics():
        documents = {document.id: document for document in topic.documents}
        found = invert(topic.question, documents)
        said = report(topic, found)
        assert report_text(said) == found.answer
        sentences = read_answer(topic.id, found.answer, documents).sentences
        assert [s.text for s in sentences] == [line.text for line in said]


def test_a_claim_that_no_fact_bears_out_states_nothing() -> None:
    topic = topics()[0]
    documents = {document.id: document for document in topic.documents}
    found = invert(topic.question, documents)
    claim = next(c for c in found.claims if c.values and not c.relation.many)
    wrong = replace(claim, values=("something else",))
    (line,) = report(topic, Inverted(found.items, None, (wrong,)))
    (right,) = report(topic, Inverted(found.items, None, (claim,)))
    assert not line.facts
    assert right.facts


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
