"""Gold: complete by provenance, by an independent look at the text, and by the format's schema."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

import pytest

from tools.core_set.composition import Page
from tools.core_set.scenario import Fact
from tools.core_set.topic import GeneratedTopic
from tools.core_set.values import Count, Day, ProperName
from tools.core_set.world import World, document_rows, gold_row, question_row

SEED = "a5" * 16


@pytest.fixture(scope="module")
def topics() -> list[GeneratedTopic]:
    return list(World(SEED, 72).topics())


def distinctive(fact: Fact, language: str) -> tuple[str, ...]:
    """Spellings of a value that can mean nothing else in a document of the topic."""
    value = fact.value
    if isinstance(value, ProperName):
        return (value.say(language),)
    if isinstance(value, Day) or (isinstance(value, Count) and value.n > 1000):
        return value.aliases(language)
    return ()


def bare(spelling: str) -> str:
    """Without the article, which French contracts and English capitalises."""
    return re.sub(r"^(?:an?|the|le|la|les|des|une?) |^l'", "", spelling.lower())


def says(page: Page, spelling: str) -> bool:
    pattern = rf"(?<![\w,\u202f]){re.escape(spelling)}(?![\w]|[,\u202f]\d)"
    prose = page.prose
    if spelling.startswith(("la ", "le ", "les ", "the ")):
        spelling = spelling.split(" ", 1)[1]
        pattern = rf"(?<!\w){re.escape(spelling)}(?!\w)"
    return re.search(pattern, prose, re.IGNORECASE) is not None


def test_references_are_exhaustive_by_the_text_itself(topics: list[GeneratedTopic]) -> None:
    """Every document of the topic's own that spells a distinctive value is a reference for it."""
    looked = 0
    for topic in topics:
        own = [page for page in topic.pages if page.role not in {"namesake", "neighbour"}]
        written = {page.day for page in own}
        for cell in topic.scenario.cells.values():
            for fact in cell.facts:
                if isinstance(fact.value, Day) and fact.value.day in written:
                    continue  # a document may give its own date
                spelled = {
                    page.id
                    for page in own
                    if any(says(page, text) for text in distinctive(fact, page.language))
                }
                if spelled:
                    looked += 1
                    assert spelled == set(topic.references(fact.id)), fact
    assert looked > 700


def test_every_reference_spells_its_answer(topics: list[GeneratedTopic]) -> None:
    for topic in topics:
        pages = {page.id: page for page in topic.pages}
        for cell in topic.scenario.cells.values():
            for fact in cell.facts:
                for id in topic.references(fact.id):
                    page = pages[id]
                    spellings = [bare(text) for text in fact.value.aliases(page.language)]
                    assert any(text in page.prose.lower() for text in spellings), fact


def test_a_rounded_figure_is_no_reference_for_the_exact_one(topics: list[GeneratedTopic]) -> None:
    wider = 0
    for topic in topics:
        for cell in topic.scenario.cells.values():
            exact = set(topic.references(cell.fact.id))
            loose = set(topic.references(cell.fact.id, "rounded"))
            assert exact <= loose
            wider += exact < loose
    assert wider > 20


def test_rows_fit_the_schemas_of_the_format(topics: list[GeneratedTopic]) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    folder = files("argue_bench.loaders") / "schemas"

    def validator(name: str) -> Any:
        schema = json.loads((folder / f"{name}.schema.json").read_text(encoding="utf-8"))
        return jsonschema.Draft202012Validator(schema)

    question, gold, document = map(validator, ("question", "gold", "document"))
    for topic in topics:
        for checker, row in (
            (question, question_row(topic.question)),
            (gold, gold_row(topic.question)),
            *((document, row) for row in document_rows(topic)),
        ):
            checker.validate(json.loads(json.dumps(row)))


def test_wrong_answers_stand_in_a_document_and_are_not_right(topics: list[GeneratedTopic]) -> None:
    for topic in topics:
        for nugget in topic.question.gold.nuggets if topic.question.gold else ():
            right = {answer.text for answer in nugget.answers}
            assert not right & set(nugget.wrong)
            assert len(set(nugget.wrong)) == len(nugget.wrong)


def test_reports_cite_only_documents_that_state_the_sentence(topics: list[GeneratedTopic]) -> None:
    for topic in topics:
        pages = {page.id: page for page in topic.pages}
        gold = topic.question.gold
        assert gold is not None
        for cell in topic.scenario.cells.values():
            if cell.id in topic.scenario.hidden or not isinstance(cell.fact.value, ProperName):
                continue
            for report in gold.long_answers:
                for sentence in re.split(r"(?<=\.) ", report):
                    if all(fact.value.say("en") in sentence for fact in cell.facts):
                        cited = "\n".join(
                            pages[id].prose for id in re.findall(r"\[(\w+)\]", sentence)
                        )
                        for fact in cell.facts:
                            bare = fact.value.aliases("en")[-1], fact.value.aliases("fr")[-1]
                            assert any(name in cited for name in bare), sentence


def strings(answer: object) -> list[str]:
    """Everything that a structured answer says, its keys included (FanOutQA's reading)."""
    if isinstance(answer, dict):
        return [text for pair in answer.items() for part in pair for text in strings(part)]
    if isinstance(answer, tuple):
        return [text for part in answer for text in strings(part)]
    return [f"{answer:,}" if isinstance(answer, int) else str(answer)]


def test_the_request_does_not_tell_which_question_is_unanswerable(
    topics: list[GeneratedTopic],
) -> None:
    """Place, number and subject of the listed questions are the same with and without a missing cell."""
    places = [0] * 4
    for topic in topics:
        request, gold = topic.question.request, topic.question.gold
        assert request is not None
        assert gold is not None
        _, _, statement = request.problem_statement.partition("should also answer: ")
        listed = [f"{one}?" for one in statement.split("? ")[:-1]]
        assert len(listed) == 4
        nuggets = {nugget.question: nugget for nugget in gold.nuggets}
        assert all(one in nuggets for one in listed)
        unknown = [at for at, one in enumerate(listed) if not nuggets[one].answers]
        assert len(unknown) == (topic.question_plan.missing is not None)
        for at in unknown:
            places[at] += 1
        named = [one for one in listed if any(i.full["en"] in one for i in topic.scenario.items)]
        assert len(named) == 2
    assert min(places) > sum(places) / 8
