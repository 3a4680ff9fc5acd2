"""The oracle knows what the world printed, and nothing else."""

from __future__ import annotations

from functools import cache

from argue_bench.baselines.oracle import Oracle
from argue_bench.baselines.scripted import Reporter, ScriptedSentence, refuse
from argue_bench.records import (
    Answers,
    Confirms,
    Entails,
    Failed,
    FirstInstance,
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
from argue_bench.synthetic.gold import nugget_cells
from argue_bench.synthetic.printer import StatedFact
from argue_bench.synthetic.scenario import Cell
from argue_bench.synthetic.topic import GeneratedTopic
from argue_bench.synthetic.values import Count
from argue_bench.synthetic.world import World

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


def test_documents_are_read_together() -> None:
    topic, cell = next(
        (topic, cell)
        for topic in topics()
        for cell in Reporter(topic, "find").known
        if cell.relation.many
    )
    line, oracle = Reporter(topic, "test").cell(cell), Oracle()
    oracle.learn(topic, [line])
    whole = set(Reporter(topic, "test").attesting(line.facts))
    pages = [page.id for page in topic.pages if page.id not in whole]
    each = [oracle.verdict(Entails(sources(topic, id), line.text)) for id in pages]
    assert set(each) == {NO}
    everything = sources(topic, *(page.id for page in topic.pages))
    assert oracle.verdict(Entails(everything, line.text)) == YES
    assert oracle.verdict(SupportLevel(everything, line.text)) == Verdict("full")
    levels = {id: oracle.verdict(SupportLevel(sources(topic, id), line.text)) for id in pages}
    stated = {id for one in line.facts for id in topic.references(one.fact.id, one.form)}
    assert {id for id, level in levels.items() if level == Verdict("partial")} == stated - whole
    assert {id for id, level in levels.items() if level == Verdict("no")} == set(pages) - stated


def test_an_answer_is_given_by_the_fact_that_it_words() -> None:
    topic, cell = corrected()
    reporter, oracle = Reporter(topic, "test"), Oracle()
    right, old = reporter.cell(cell), reporter.cell(cell, old=True)
    oracle.learn(topic, [right, old])
    question, value = question_of(topic, cell), cell.fact.value
    exact, rounded = value.aliases("en")[0], value.rounding("en")
    assert cell.old is not None
    wrong = cell.old.value.say("en")
    assert oracle.verdict(Answers(right.text, question, exact)) == YES
    assert oracle.verdict(Answers(right.text, question, rounded)) == YES
    assert oracle.verdict(Answers(right.text, question, wrong)) == NO
    assert oracle.verdict(Answers(old.text, question, exact)) == NO
    assert oracle.verdict(Answers(old.text, question, wrong)) == YES


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


def test_whatever_is_said_of_an_item_names_it_as_one() -> None:
    topic = topics()[0]
    question = gold(topic.question).nuggets[0].question
    first, second = topic.scenario.items[:2]
    cell = next(c for c in Reporter(topic, "x").known if c.subject is first)
    line, oracle = Reporter(topic, "test").cell(cell), Oracle()
    oracle.learn(topic, [line])
    assert oracle.verdict(Answers(line.text, question, first.full["en"])) == YES
    assert oracle.verdict(Answers(line.text, question, second.full["en"])) == NO


def test_only_the_cell_itself_confirms_that_it_is_unknown() -> None:
    topic = next(t for t in topics() if len(Reporter(t, "x").unknown) > 1)
    reporter, oracle = Reporter(topic, "test"), Oracle()
    lines = [reporter.not_known(cell) for cell in reporter.unknown]
    oracle.learn(topic, lines)
    asked = question_of(topic, reporter.unknown[0])
    assert [oracle.verdict(Confirms(line.text, asked)) for line in lines[:2]] == [YES, NO]
    assert oracle.verdict(NegativeAssertion(lines[0].text)) == YES
    assert oracle.verdict(NeedsCitation(lines[0].text)) == NO


def test_a_sentence_is_new_while_it_states_something_unsaid() -> None:
    topic = topics()[0]
    reporter, again, oracle = Reporter(topic, "a"), Reporter(topic, "b", family="office"), Oracle()
    one, two = (reporter.cell(cell) for cell in reporter.known[:2])
    same = again.cell(again.known[0])
    oracle.learn(topic, [one, two, same])
    assert same.text != one.text
    assert oracle.verdict(FirstInstance(two.text, (one.text,))) == YES
    assert oracle.verdict(FirstInstance(same.text, (two.text, one.text))) == NO


def test_a_copied_sentence_without_facts_stands_where_it_stands() -> None:
    topic = next(t for t in topics() if t.languages == "en")
    oracle = Oracle([topic])
    page = next(p for p in topic.pages if p.role == "no answer")
    other = next(p for p in topic.pages if p.kind == "encyclopedia")
    text = page.sentences[0].text
    from argue_bench.text import sentences

    first = sentences(text)[0]
    assert oracle.verdict(Entails(sources(topic, page.id), first)) == YES
    assert oracle.verdict(Entails(sources(topic, other.id), first)) == NO


def test_relevance_is_the_golds_references() -> None:
    topic = topics()[0]
    oracle = Oracle([topic])
    for nugget in gold(topic.question).nuggets:
        for answer in nugget.answers:
            for page in topic.pages:
                request = Relevant(Source(page.id, page.text), nugget.question, answer.text)
                assert oracle.verdict(request) == (YES if page.id in answer.references else NO)


def test_refusing_is_what_was_scripted_as_refusing() -> None:
    topic = topics()[0]
    oracle = Oracle()
    oracle.learn(topic, refuse(), Reporter(topic, "x").perfect())
    refusal = refuse()[0].text
    perfect = " ".join(line.text for line in Reporter(topic, "x").perfect())
    assert oracle.verdict(Refuses(topic.question.text, refusal)) == YES
    assert oracle.verdict(Refuses(topic.question.text, perfect)) == NO


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
