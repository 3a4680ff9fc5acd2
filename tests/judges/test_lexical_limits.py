"""What the lexical judge can't see, row by row: docs/judges.md promises no more than this.

Each row holds the verdict that is right and the one that the judge gives. A row that comes right
one day belongs in ``test_lexical.py``, and its sentence in the docs goes.
"""

from __future__ import annotations

import pytest

from argue_bench.judges.lexical import RULES
from argue_bench.records import (
    Answers,
    Entails,
    FirstInstance,
    JudgeRequest,
    NegativeAssertion,
    Relevant,
    Source,
)
from tests.shared import table

ENTAILS = table(
    """
    who did what to whom | Anna Berg sued Carl Dahl. | Carl Dahl sued Anna Berg. | no
    figures that changed places | Quenholt spent 33.9 million and Clairvesse 8.05 million. | Quenholt spent 8.05 million and Clairvesse 33.9 million. | no
    opposites | The price rose in spring. | The price fell in spring. | no
    a number in several words | One hundred and forty-three houses burned. | 143 houses burned. | yes
    what only the meaning gives | Nobody on board survived. | All passengers perished. | yes
    sums | Three men and four women came. | Seven people came. | yes
    another year beside the one asked for | The 1997 final started late because of a power cut. The 1996 final was played in rain. | The 1996 final started late because of a power cut. | no
    a cause that is only near | The bridge was closed for repairs in the week of the fire. | The bridge was closed because of the fire. | no
    who said it | The minister claimed that 40 houses had burned. | 40 houses burned. | no
    what was planned | The city plans to spend 5 million crowns on a hall. | The city spent 5 million crowns on a hall. | no
    ages and spans | She was born in 1950 and died in 1990. | She died aged 40. | yes
    a figure that the source takes back | The toll was revised from nine to eleven. | The toll was nine. | no
    a rounded figure | 1,287 people were evacuated. | About 1,300 people were evacuated. | yes
    a fact of one thing, and another thing beside it | Side effects of Tolvex were nausea and itching. Brumal was given to 40 patients. | Side effects of Brumal were nausea and itching. | no
    names strung together by a word that fits all | The Dugrold was built at Vedisk for Anna Berg in 1931. | The Dugrold, Vedisk, Anna Berg and 1931 are described. | no
    """
)
ANSWERS = table(
    """
    other words for the answer | They did not leave hospital any sooner. | Did patients leave hospital sooner? | no, the stay was as long as before | yes
    a number that happens to be there | The bridge was painted by 412 men. | How many people died on the bridge? | 412 | no
    """
)
FERRY = Source("d", "The ferry sank on 6 August 2023. The fair opened on 7 August 2023.")
LIMITS: list[tuple[str, JudgeRequest, str]] = [
    *((what, Entails((Source("d", one),), said), right) for what, one, said, right in ENTAILS),
    *((what, Answers(*asked), right) for what, *asked, right in ANSWERS),
    (
        "an answer far from its question",
        Relevant(FERRY, "When did the ferry sink?", "7 August 2023"),
        "no",
    ),
    (
        "a name that begins a sentence",
        FirstInstance("Clairvesse spent 8 million.", ("Quenholt spent 8 million.",)),
        "yes",
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
