"""The frozen rules where the specification leaves a choice: values that the reference's code gave.

Strings beside those of the vectors: gaps and bounds of words in refusals, what is stripped of a gold
answer, blank keys, titles of chunks, replies of judges. Recorded by running both at their commits.
"""

from __future__ import annotations

from typing import Any

import pytest

from argue_bench.metrics import parse
from argue_bench.published.luciole import data as luciole_rows
from argue_bench.published.luciole import v1
from argue_bench.records import Answer, Gold, Question, ShortAnswer


@pytest.mark.parametrize(
    ("generation", "gold"),
    [
        ("**Paris**\nmore", "Paris"),
        ("It is **A**\nor **B**\nthen", "B"),
        ("**Answer :** Paris", " Paris"),
        ("**Answers** Paris", "s Paris"),
        ("Unanswer: Paris", "Paris"),
        ("**Answer:** .", " "),
        ("**Answer:** Paris .", "Paris "),
        ("**Réponse finale**\n\nLyon", "Lyon"),
        ("The answer is Paris. " + "x" * 1000, "Paris"),
    ],
)
def test_gold_answers(generation: str, gold: str) -> None:
    assert luciole_rows.gold_answer(generation) == gold


@pytest.mark.parametrize(
    ("response", "titles"),
    [
        ('<cite>«A"</cite>', ["A"]),
        ('<cite>" "</cite>', []),
        ("<<cite:\nA\n>>", ["A"]),
        ("<<cite: >>", []),
        ("##Cite\tA##", ["A"]),
        ("##CiteA##", []),
        ("[source:A] [SOURCE : a]", ["A"]),
    ],
)
def test_cited_titles(response: str, titles: list[str]) -> None:
    assert v1.cited_titles(response) == titles


@pytest.mark.parametrize(
    ("response", "refused"),
    [
        ("I cannot  answer.", True),
        ("I do  not answer.", False),
        ("AI cannot find information.", False),
        ("I cannot find informational material.", False),
        ("The context provided does not mention it.", True),
        ("Le document ne mentionnent aucune date.", True),
        ("Donne permet pas", False),
        ("Il neexiste pas.", True),
        ("Il n'existe passage.", False),
        ("Ce nest pas disponible.", True),
        ("Je n'ai pas l'information.", True),
        ("Je n'ai pas informationnel.", False),
        ("Je n'ai pas decele d'information.", True),
        ("pas en mesure de répondrebut", False),
        ("I cannot find evidence, but I did find other information.", False),
        ("I cannot answer. Une maison.", True),
        ("I cannot answer. Reponse finale : 5", False),
    ],
)
def test_refusals(response: str, refused: bool) -> None:
    assert v1.refused(response) is refused


@pytest.mark.parametrize(
    ("cited", "gold", "scores", "distractors"),
    [
        (["[abcdef12]"], ["A"], (None, 0.0, None), 1.0),
        (["A"], ["[abcdef12]"], (0.0, None, None), 1.0),
        (["[abcdef12]", "A"], ["A"], (1.0, 1.0, 1.0), 0.5),
        (["Rep[abcdef12] "], ["rep"], (1.0, 1.0, 1.0), 0.0),
        (["A"], ["A", " A "], (1.0, 1.0, 1.0), 0.0),
    ],
)
def test_titles_without_a_key(
    cited: list[str], gold: list[str], scores: tuple[Any, ...], distractors: float
) -> None:
    assert v1.citation_scores(cited, gold, fuzzy=False) == scores
    assert v1.distractor_rate(cited, gold) == distractors
    text = "".join(f'<ref name="{title}">' for title in cited)
    row = v1.head_row_scores(text, "x", gold, True)
    assert (row["citation_precision_strict"], row["distractor_citation_rate"]) == (
        scores[0],
        distractors,
    )


@pytest.mark.parametrize(
    ("system", "context", "titles"),
    [
        ("Here are the retrieved documents : `[A]\nx`\n \n", "[A]\nx", ["A"]),
        (
            "Voici les documents récupérés : `[A]\n[a]\n* filename: B\n`",
            "[A]\n[a]\n* filename: B",
            ["B", "A"],
        ),
        ("Here are the retrieved documents : ` * filename: B\n[C]x``", " * filename: B\n[C]x`", []),
    ],
)
def test_chunks_of_a_prompt(system: str, context: str, titles: list[str]) -> None:
    assert luciole_rows.context(system) == (context, titles)


@pytest.mark.parametrize("rules", ["luciole-v1", "luciole-head"])
@pytest.mark.parametrize(
    ("gold", "exact"),
    [
        (Gold(answer=0, supporting=("d1",)), 1.0),
        (Gold(short_answers=(ShortAnswer("How many?", ()),), supporting=("d1",)), 0.0),
    ],
)
def test_gold_that_is_zero_or_has_no_spelling(rules: Any, gold: Gold, exact: float) -> None:
    found = parse(f"grounding(rules={rules})").tally(
        Question("q", "How many?", gold=gold), Answer("q", "There are 0."), {}
    )
    assert found["answer_em"].value == exact
