"""The oracle knows what the world printed, and nothing else."""

from __future__ import annotations

from functools import cache

from argue_bench.records import (
    Answers,
    Confirms,
    Entails,
    Failed,
    NeedsCitation,
    NegativeAssertion,
    Question,
    Refuses,
    Relevant,
    Source,
    SupportLevel,
    Supports,
    Verdict,
)
from tools.core_set.gold import nugget_cells
from tools.core_set.oracle import Oracle
from tools.core_set.printer import StatedFact
from tools.core_set.scenario import Cell
from tools.core_set.scripted import Reporter, ScriptedSentence
from tools.core_set.topic import GeneratedTopic
from tools.core_set.values import Count
from tools.core_set.world import World

YES, NO = Verdict("yes"), Verdict("no")


@cache
def topics() -> tuple[GeneratedTopic, ...]:
    return tuple(World("0b" * 16, 20).topics())


def corrected() -> tuple[GeneratedTopic, Cell]:
    """A topic with a figure that was corrected and may be rounded, and its cell."""
    return next(
        (topic, cell)
        for topic in topics()
        for cell in Reporter(topic, "find").known
        if cell.old and isinstance(cell.fact.value, Count) and cell.fact.value.rounding("en")
    )


def sources(topic: GeneratedTopic, *ids: str) -> tuple[Source, ...]:
    texts = {document.id: document.text for document in topic.documents}
    return tuple(Source(id, texts[id]) for id in ids)


def question_of(topic: GeneratedTopic, cell: Cell) -> str:
    ids = [id for id, asked in nugget_cells(topic).items() if asked is cell]
    return next(n.question for n in gold(topic.question).nuggets if n.id == ids[0])


def gold(question: Question):  # type: ignore[no-untyped-def]
    assert question.gold is not None
    return question.gold


def test_a_document_attests_what_it_states_and_a_superseded_figure_is_a_fact_of_its_own() -> None:
    topic, cell = corrected()
    reporter, oracle = Reporter(topic, "test"), Oracle()
    right, old = reporter.cell(cell), reporter.cell(cell, old=True)
    oracle.learn(topic, [right, old])
    for line, other in ((right, old), (old, right)):
        (states, *_) = topic.references(line.facts[0].fact.id)
        assert oracle.verdict(Entails(sources(topic, states), line.text)) == YES
        apart = set(topic.references(other.facts[0].fact.id)) - set(
            topic.references(line.facts[0].fact.id)
        )
        for id in apart:
            assert oracle.verdict(Entails(sources(topic, id), line.text)) == NO


def test_a_rounded_sentence_gives_the_rounding_and_not_the_figure() -> None:
    topic, cell = corrected()
    printed = topic.printer("test").cell(cell, "ledger", "rounded")
    oracle = Oracle()
    oracle.learn(topic, [ScriptedSentence(printed.text, facts=printed.facts)])
    question, value = question_of(topic, cell), cell.fact.value
    assert oracle.verdict(Answers(printed.text, question, value.rounding("en"))) == YES
    assert oracle.verdict(Answers(printed.text, question, value.aliases("en")[0])) == NO
    said = Supports(printed.text, question, value.aliases("en")[0])
    assert oracle.verdict(said) == Verdict("partial")
    assert oracle.verdict(Supports(printed.text, question, value.rounding("en"))) == Verdict("full")


def test_only_the_cell_itself_confirms_that_it_is_unknown() -> None:
    topic = next(t for t in topics() if len(Reporter(t, "x").unknown) > 1)
    reporter, oracle = Reporter(topic, "test"), Oracle()
    lines = [reporter.not_known(cell) for cell in reporter.unknown]
    oracle.learn(topic, lines)
    asked = question_of(topic, reporter.unknown[0])
    assert [oracle.verdict(Confirms(line.text, asked)) for line in lines[:2]] == [YES, NO]
    assert oracle.verdict(NegativeAssertion(lines[0].text)) == YES
    assert oracle.verdict(NeedsCitation(lines[0].text)) == NO


def test_what_was_not_printed_fails() -> None:
    topic, cell = corrected()
    oracle = Oracle([topic])
    strange = "Something else happened."
    page = topic.pages[0]
    question = question_of(topic, cell)
    answer = cell.fact.value.aliases("en")[0]
    line = topic.pages[0].sentences[-1].text
    for request in (
        Entails((Source(page.id, page.text),), strange),
        Entails((Source("elsewhere", ""),), line),
        SupportLevel((Source(page.id, page.text),), strange),
        Answers(strange, question, answer),
        Answers(line, "What else?", answer),
        Answers(line, question, "an answer of nobody's"),
        Confirms(line, "What else?"),
        NeedsCitation(strange),
        Refuses(topic.question.text, strange),
        Relevant(Source(page.id, ""), question, "an answer of nobody's"),
        Supports(strange, question, answer),
    ):
        assert isinstance(oracle.verdict(request), Failed), request


def test_a_sentence_of_two_topics_is_judged_only_where_the_ask_says_which() -> None:
    one, other = topics()[:2]
    fact = one.scenario.members[0]
    oracle = Oracle()
    oracle.learn(one, [ScriptedSentence("The same words.", facts=(StatedFact(fact),))])
    oracle.learn(other, [ScriptedSentence("The same words.")])
    assert isinstance(oracle.verdict(NeedsCitation("The same words.")), Failed)
    stating = sources(one, one.references(fact.id)[0])
    assert oracle.verdict(Entails(stating, "The same words.")) == YES
    assert oracle.verdict(Entails(sources(other, other.pages[0].id), "The same words.")) == NO
