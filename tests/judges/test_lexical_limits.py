"""What the lexical judge can't see, row by row: docs/judges.md promises no more than this.

Each row holds the verdict that is right and the one that the judge gives. A row that comes right
one day belongs in ``test_lexical.py``, and its sentence in the docs goes.
"""

from __future__ import annotations

import pytest

from argue_bench.judges.lexical.judge import RULES
from argue_bench.judges.lexical.reading import _MOST_CHARS, forget_readings, read_text
from argue_bench.records import (
    Answers,
    Entails,
    FirstInstance,
    JudgeRequest,
    NegativeAssertion,
    Relevant,
    Source,
)


def _entails(premise: str, hypothesis: str) -> Entails:
    return Entails((Source("d", premise),), hypothesis)


LIMITS: list[tuple[str, JudgeRequest, str]] = [
    (
        "who did what to whom",
        _entails("Anna Berg sued Carl Dahl.", "Carl Dahl sued Anna Berg."),
        "no",
    ),
    (
        "figures that changed places",
        _entails(
            "Quenholt spent 33.9 million and Clairvesse 8.05 million.",
            "Quenholt spent 8.05 million and Clairvesse 33.9 million.",
        ),
        "no",
    ),
    (
        "what only the meaning gives",
        _entails("Nobody on board survived.", "All passengers perished."),
        "yes",
    ),
    ("sums", _entails("Three men and four women came.", "Seven people came."), "yes"),
    ("comparisons", _entails("Turnout was 61%, after 58% in 2019.", "Turnout grew."), "yes"),
    (
        "a cause that is only near",
        _entails(
            "The bridge was closed for repairs in the week of the fire.",
            "The bridge was closed because of the fire.",
        ),
        "no",
    ),
    (
        "who said it",
        _entails("The minister claimed that 40 houses had burned.", "40 houses burned."),
        "no",
    ),
    (
        "what was planned",
        _entails(
            "The city plans to spend 5 million crowns on a hall.",
            "The city spent 5 million crowns on a hall.",
        ),
        "no",
    ),
    (
        "ages and spans",
        _entails("She was born in 1950 and died in 1990.", "She died aged 40."),
        "yes",
    ),
    (
        "a figure that the source takes back",
        _entails("The toll was revised from nine to eleven.", "The toll was nine."),
        "no",
    ),
    (
        "a rounded figure",
        _entails("1,287 people were evacuated.", "About 1,300 people were evacuated."),
        "yes",
    ),
    (
        "a fact of one thing, and another thing beside it",
        _entails(
            "Side effects of Tolvex were nausea and itching. Brumal was given to 40 patients.",
            "Side effects of Brumal were nausea and itching.",
        ),
        "no",
    ),
    (
        "other words for the answer",
        Answers(
            "They did not leave hospital any sooner.",
            "Did patients leave hospital sooner?",
            "no, the stay was as long as before",
        ),
        "yes",
    ),
    (
        "a number that happens to be there",
        Answers("The bridge was painted by 412 men.", "How many people died on the bridge?", "412"),
        "no",
    ),
    (
        "an answer far from its question",
        Relevant(
            Source("d", "The ferry sank on 6 August 2023. The fair opened on 7 August 2023."),
            "When did the ferry sink?",
            "7 August 2023",
        ),
        "no",
    ),
    (
        "a name that begins a sentence",
        FirstInstance("Clairvesse spent 8 million.", ("Quenholt spent 8 million.",)),
        "yes",
    ),
    (
        "names strung together by a word that fits all",
        Entails(
            (Source("d", "The Dugrold was built at Vedisk for Anna Berg in 1931."),),
            "The Dugrold, Vedisk, Anna Berg and 1931 are described.",
        ),
        "no",
    ),
    (
        "a word used otherwise",
        NegativeAssertion("The unknown soldier was buried here in 1920."),
        "no",
    ),
]


@pytest.mark.parametrize(("what", "asked", "right"), LIMITS, ids=[row[0] for row in LIMITS])
def test_it_does_not_see(what: str, asked: JudgeRequest, right: str) -> None:
    assert RULES[type(asked)](asked).value != right, (
        f"it sees {what!r} now: say so in docs/judges.md"
    )


def test_a_long_source_is_read_once_whatever_is_read_between() -> None:
    forget_readings()
    book = "In 1412 the mayor of Dunmarrick lost 300 crowns. " * (_MOST_CHARS // 40)
    assert len(book) > _MOST_CHARS
    read = read_text(book)
    for number in range(3):
        read_text(f"The bridge number {number} fell. " * 100)
    assert read_text(book) is read
    forget_readings()
