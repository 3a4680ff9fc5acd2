"""Honest answers that rules against cheaters once took points from: they score as the definitions say."""

from __future__ import annotations

import pytest

from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import parse
from argue_bench.records import (
    Answers,
    Confirms,
    Document,
    Entails,
    Gold,
    JudgeRequest,
    NegativeAssertion,
    Nugget,
    NuggetAnswer,
    Question,
    ShortAnswer,
)
from argue_bench.text import read_answer

FACTS = {"Oslo": (1048, 709_000), "Bergen": (1070, 291_000)}
FORMS = {
    "a table": "| city | founded | population |\n|---|---|---|\n"
    "| Oslo | 1048 | 709,000 |\n| Bergen | 1070 | 291,000 |",
    "a fact sheet": "**Oslo**\n- Founded: 1048\n- Population: 709,000\n\n"
    "**Bergen**\n- Founded: 1070\n- Population: 291,000",
    "capitals": "OSLO WAS FOUNDED IN 1048 AND HAS 709,000 PEOPLE. BERGEN, OF 1070, HAS 291,000 PEOPLE.",
    "one line": "Oslo: founded 1048, population 709,000. Bergen: founded 1070, population 291,000.",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("metric", ["accuracy", "str_em", "grounding"])
def test_facts_are_found_in_whatever_form(form: str, metric: str) -> None:
    wanted = ("Oslo", "1048", "709000", "Bergen", "1070", "291000")
    gold = Gold(
        answer=FACTS if metric == "accuracy" else None,
        short_answers=()
        if metric == "accuracy"
        else tuple(ShortAnswer(f"Which {one}?", (one,)) for one in wanted),
    )
    question = Question("q", "How old and how large are they?", gold=gold)
    found = parse(metric).tally(question, read_answer("q", FORMS[form], {}), {})
    score = {"accuracy": "loose", "str_em": "recall", "grounding": "answer_em"}[metric]
    assert found[score].value == 1  # type: ignore[index]


NUGGETS = (
    *(Nugget(f"n{n}", f"What is {n}?", (NuggetAnswer(f"{n}{n}", ("d",)),)) for n in range(3)),
    Nugget("u", "What is u?", ()),
)
SET = Dataset(
    "toy",
    "dev",
    (Question("q", "What?", documents=("d",), gold=Gold(nuggets=NUGGETS)),),
    {"d": Document("d", "0 is 00. 1 is 11. 2 is 22.")},
)
STATED = tuple((f"{n} is plainly {n}{n}", ("d",)) for n in range(3))


def knowing(request: JudgeRequest) -> str:
    """Knows the toy world: a sentence speaks of what it names, and "falsely" is false."""
    if isinstance(request, NegativeAssertion):
        return "yes" if request.sentence.startswith("Nobody") else "no"
    if isinstance(request, Confirms):
        return "yes" if request.question[8] in request.sentence.split() else "no"
    if isinstance(request, Entails):
        return "no" if "falsely" in request.hypothesis else "yes"
    if isinstance(request, Answers):
        return "yes" if f" {request.answer}" in request.sentence else "no"
    return "yes"
