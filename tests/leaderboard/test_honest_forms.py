"""An honest participant's answers in tables, lists, with headings and repeated names pass, and earn what prose earns."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from argue_bench import evaluate
from argue_bench.leaderboard.screening.answers import facts_of, screen_flags
from argue_bench.loaders.answers import as_answers
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Document, Gold, Nugget, NuggetAnswer, Question, ShortAnswer

BRIDGES = {
    "Arlon Bridge": ("Norvik", "1931", "412 metres", "Ida Brekke"),
    "Besk Bridge": ("Norvik", "1948", "1,207 metres", "Tor Lund"),
    "Corv Bridge": ("Tamsund", "1962", "655 metres", "Ida Brekke"),
}
LABELS = ("Stands at", "Opened in", "Length", "Designed by")
VERBS = ("stands at", "was opened in", "has a length of", "was designed by")
IDS = {name: name[:5].strip().lower() for name in BRIDGES}
SAYS = {
    name: [f"The {name} {verb} {value}" for verb, value in zip(VERBS, values, strict=True)]
    for name, values in BRIDGES.items()
}
DOCUMENTS = {
    IDS[name]: Document(IDS[name], " ".join(f"{one}." for one in [*said, "It rained that year"]))
    for name, said in SAYS.items()
}
LINES = [f"{one} [{IDS[name]}]" for name, said in SAYS.items() for one in said]
PROSE = " ".join(f"{one}." for one in LINES)


def _parts(head: str, lines: Callable[[str], Iterable[str]], joint: str = "\n") -> str:
    """A part for each bridge: its name in ``head``, then what is said of it."""
    return "\n\n".join(f"{head.format(name)}{joint.join(lines(name))}" for name in BRIDGES)


def _said(name: str) -> list[str]:
    return [f"{one} [{IDS[name]}]." for one in SAYS[name]]


def _told(name: str) -> list[str]:
    return [
        f"- {label}: {value} [{IDS[name]}]"
        for label, value in zip(LABELS, BRIDGES[name], strict=True)
    ]


ROWS = [
    f"| {name} | {label} | {value} | [{IDS[name]}] |"
    for name, values in BRIDGES.items()
    for label, value in zip(LABELS, values, strict=True)
]
TABLE = "| bridge | stands at | opened in | length | designed by |\n|---|---|---|---|---|\n"
FORMS = {
    "a list": "\n".join(f"- {one}." for one in LINES),
    "a numbered list": "\n".join(f"{at}. {one}" for at, one in enumerate(LINES, 1)),
    "headings": _parts("## {}\n\n", _said, " "),
    "bold headings and lists": _parts("**{}**\n", lambda name: [f"* {one}" for one in _said(name)]),
    "a table": TABLE
    + "\n".join(f"| {name} | {' | '.join(said)} [{IDS[name]}] |" for name, said in BRIDGES.items()),
    "a table with a citation in each cell": TABLE
    + "\n".join(
        f"| {name} | {' | '.join(f'{one} [{IDS[name]}]' for one in said)} |"
        for name, said in BRIDGES.items()
    ),
    "a fact sheet": _parts("**{}**\n", _told),
    "an introduction": "# The three bridges\n\nHere is what the documents say:\n\n"
    + "\n".join(f"1. {one}" for one in LINES),
    "bold names": PROSE.replace("The ", "The **").replace(" Bridge", " Bridge**"),
    "a column that the documents are silent on": TABLE.replace(
        "designed by", "designed by | cost"
    ).replace("|---|---|---|---|---|", "|---|---|---|---|---|---|")
    + "\n".join(
        f"| {name} | {' | '.join(said)} | not stated [{IDS[name]}] |"
        for name, said in BRIDGES.items()
    ),
    "a source below each table": _parts(
        "## {}\n\n| Attribute | Value |\n|---|---|\n",
        lambda name: [
            *(f"| {label} | {value} |" for label, value in zip(LABELS, BRIDGES[name], strict=True)),
            f"\nSource: [{IDS[name]}]",
        ],
    ),
    "a row for each fact": "| Bridge | Fact | Value | Source |\n|---|---|---|---|\n"
    + "\n".join(ROWS),
    "an introduction and an offer": "Sure! Here's a concise report based only on the documents you provided.\n\n"
    f"{PROSE}\n\nLet me know if you'd like a shorter version or a timeline.",
    "clauses": " ".join(f"{'; '.join(said)} [{IDS[name]}]." for name, said in SAYS.items()),
}


def _question(id: str) -> Question:
    asked = {
        f"The {name}: {label.lower()} what?": (value, IDS[name])
        for name, values in BRIDGES.items()
        for label, value in zip(LABELS, values, strict=True)
    }
    nuggets = tuple(
        Nugget(f"n{at}", question, (NuggetAnswer(value, (document,)),))
        for at, (question, (value, document)) in enumerate(asked.items())
    )
    short = tuple(ShortAnswer(question, (value,)) for question, (value, _) in asked.items())
    text = "Where do the bridges of the coast stand, since when, how long are they, and by whom?"
    gold = Gold(nuggets=nuggets, short_answers=short, supporting=tuple(DOCUMENTS))
    return Question(id, text, documents=tuple(DOCUMENTS), gold=gold)


SET = Dataset("bridges", "dev", tuple(map(_question, FORMS)), DOCUMENTS)
RANKED = (
    *("argue.f1", "argue.nugget_coverage", "argue.sentence_support", "citations.recall"),
    *("citations.precision", "faithfulness.supported", "str_em.recall"),
)


def _scores(form: str, text: str) -> dict[str, float | None]:
    one = Dataset("bridges", "dev", (SET.by_id[form],), DOCUMENTS)
    metrics = list(dict.fromkeys(key.partition(".")[0] for key in RANKED))
    found = evaluate(one, [{"id": form, "answer": text}], metrics=metrics)
    return {key: found.scores[key].value for key in RANKED}


@pytest.mark.parametrize("form", FORMS)
def test_no_form_loses_a_point_against_prose(form: str) -> None:
    assert set(_scores(form, PROSE).values()) == {1.0}
    assert _scores(form, FORMS[form]) == _scores(form, PROSE)


TERSE = {"stands at": "town", "opened in": "year", "designed by": "designer"}


def _terse(form: str) -> str:
    """A table or fact sheet with labels of one word, so that no small word is left."""
    text = FORMS[form]
    for label, short in TERSE.items() if "table" in form or "sheet" in form else ():
        text = text.replace(label, short).replace(label.capitalize(), short.capitalize())
    return text


@pytest.mark.parametrize("form", [*FORMS, "ten forms"])
def test_a_row_of_such_answers_passes_without_a_flag(form: str) -> None:
    """A row in which every answer is a table is as honest as one with a table among ten."""
    rows = [{"id": id, "answer": _terse(form if form in FORMS else id)} for id in FORMS]
    facts = facts_of(as_answers(rows, SET).values(), SET)
    assert facts.flags == {}
    assert not list(screen_flags(facts, len(SET), "", looked=False))
