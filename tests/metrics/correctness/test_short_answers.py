"""STR-EM, QA and QAMPARI scores, by hand; and ALCE's faults, which the defaults mend."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from argue_bench.published.alce.content import Qampari
from argue_bench.records import (
    Answer,
    Document,
    Gold,
    JudgeRequest,
    Question,
    Sentence,
    ShortAnswer,
    Span,
)
from argue_bench.text import read_answer
from tests.growth import assert_linear
from tests.metrics.correctness.counted import counted, values


def _gold(*pairs: tuple[str, ...]) -> Gold:
    return Gold(short_answers=tuple(ShortAnswer(f"q{n}?", pair) for n, pair in enumerate(pairs)))


@pytest.mark.parametrize("metric", ["str_em", "str_em(rules=alce)"])
def test_any_spelling_counts(metric: str) -> None:
    gold = _gold(("1931", "the thirties"), ("Marsh",))
    tallies = counted(metric, gold, "It was built in 1931 by Smith.")
    assert values(tallies) == {"recall": 0.5, "hit": 0.0}
    assert tallies["recall"].note == "missing: Marsh"
    assert values(counted(metric, gold, "Marsh, 1931"))["hit"] == 1.0
    assert values(counted(metric, Gold(), "x")) == {"recall": None, "hit": None}


def test_spans_are_compared_in_squads_normal_form() -> None:
    gold = _gold(("The 1930s", "1931"), ("Sir John Marsh",))
    asked: list[JudgeRequest] = []

    def reader(request: JudgeRequest) -> str:
        asked.append(request)
        assert isinstance(request, Span)
        return {"q0?": "1931.", "q1?": "john marsh"}[request.question]

    answer = Answer("q", "John Marsh, 1931 [1]", (Sentence("John Marsh, 1931", ("d",)),))
    found = values(counted("qa", gold, answer, reader))
    assert [request.context for request in asked if isinstance(request, Span)] == [
        "John Marsh, 1931"
    ] * 2
    assert found["em"] == 0.5
    assert found["f1"] == pytest.approx((1 + 4 / 5) / 2)  # 2 words of 2 and of 3
    assert found["hit"] == 0.0


def test_an_empty_answer_is_not_read() -> None:
    assert values(counted("qa", _gold(("x",)), "")) == {"em": 0.0, "f1": 0.0, "hit": 0.0}
    assert values(counted("qa", Gold(), "x"))["em"] is None


@pytest.mark.parametrize(
    ("number", "joint"),
    [
        *(("", joint) for joint in (", ", ",", "; ", "\n", "<br>", "<br />", "，", "、", "\n- ")),
        *((f"{{}}{sign}", "\n") for sign in (". ", ") ", ".", ")", "\\. ", ": ", " - ")),
        *(("**{}. ", joint) for joint in ("**\n", "**\n\n")),
        *(("({}) ", joint) for joint in ("\n", ", ")),
    ],
)
def test_the_items_of_a_list_may_be_parted_and_numbered_in_any_way(number: str, joint: str) -> None:
    names = ["Oslo", "Leeds, England", "1. FC Union", "Bergen"]
    end = "**" * number.startswith("**")
    items = [f"{number.format(n)}{name}" for n, name in enumerate(names[:2] + names[3:], 1)]
    gold = _gold(*((name,) for name in names))
    found = values(counted("qampari", gold, joint.join([*items, f"{number.format(4)}Rome"]) + end))
    assert (found["precision"], found["recall"]) == (3 / 4, 3 / 4)
    assert values(counted("qampari", gold, "\n".join(names)))["f1"] == 1


NAMES = ("Oslo", "The Hague", "Trinidad and Tobago", "Leeds, England", "Dr. No")
CITED = {f"d{n}": Document(f"d{n}", "Text.", f"Page {n}") for n in range(1, 61)}
JOINTS = (
    *(", ", "; ", "\n", "<br>", "<br />", "\n- ", "\r- ", "\u2028", "\t", " | ", " • ", "، "),
    *(" / ", "/", " · ", " - ", " – ", " — ", " and ", " & ", " und ", ". ", "; and "),
)


def _list_score(text: str, names: Sequence[str] = NAMES) -> tuple[float | None, float | None]:
    """Precision and recall of an answer, as its blocks are read, to a question that wants these names."""
    question = "Which places are large?"
    asked = Question("q", question, gold=_gold(*((name,) for name in names)))
    found = Qampari().tally(asked, read_answer("q", text, CITED), CITED)
    return found["precision"].value, found["recall"].value


@pytest.mark.parametrize("joint", JOINTS)
def test_a_list_reads_the_same_whatever_parts_its_items(joint: str) -> None:
    # Where a name holds the joint nobody can tell the two apart.
    names = [one for one in (*NAMES, "Bergen") if joint.strip(" ") not in one or joint == ", "]
    names = [one for one in names if "Dr." not in one or joint != ". "]
    first = "- " if joint in ("\n- ", "\r- ") else ""
    assert _list_score(first + joint.join(names), names) == (1, 1)
    # What is no gold counts each for itself, so that a stuffed list gains nothing.
    stuffed = first + joint.join([*names, *(f"Wrong{n:02} Place" for n in range(50))])
    precision, recall = _list_score(stuffed, names)
    assert recall == 1
    assert precision == len(names) / (len(names) + 50)


@pytest.mark.parametrize(
    "item",
    [
        *("({}) {}", "#{} {}", "No. {}: {}", "Item {}: {}", "- **Name:** {1}", "- [x] {1}"),
        *("{1} [{0}]", "{1} ({0})", "{1}¹", "{1}^{0}^", "{1}<sup>{0}</sup>", "{1} (Page {0})", "{1} {{{0}}}"),
        *("{1} (Page {0}, 2020)", "- According to [{0}]: {1}", "{1}: https://a.example/{0}", "the {1}"),
    ],
)  # fmt: skip
def test_numbers_labels_citations_and_articles_are_no_part_of_an_item(item: str) -> None:
    assert _list_score("\n".join(item.format(n, one) for n, one in enumerate(NAMES, 1))) == (1, 1)


@pytest.mark.parametrize("sign", ["①②③④⑤", "ABCDE", ["i", "ii", "iii", "iv", "v"]])
def test_items_may_be_counted_by_letters_and_other_signs(sign: Sequence[str]) -> None:
    stop = "" if sign[0] == "①" else "."
    lines = [f"{number}{stop} {one}" for number, one in zip(sign, NAMES, strict=True)]
    assert _list_score("\n".join(lines)) == (1, 1)


_PLAIN = ", ".join(NAMES)
_LINES = "\n".join(f"- {one}" for one in NAMES)


@pytest.mark.parametrize(
    "text",
    [
        *(f"{front}{_PLAIN}" for front in ("Answer: ", "**Answer:** ", "The answers are: ")),
        *(f"{head}\n\n{_LINES}" for head in ("## Answer", "**Answer**", "Here are the answers:")),
        "\n".join(f"- **{one}**: It is described there as such." for one in NAMES),
        *(f"{_LINES}\n\n{end}" for end in ("Note: This list may not be complete.", "These are all that the documents name.")),
        *(f"{_LINES}\n\n{end}" for end in ("I hope this helps!", "Total: 5", "If you like, I can say more.")),
        "Oslo, The Hague, Trinidad and Tobago, Leeds, England, and Dr. No.",
        "The large places are Oslo, The Hague, Trinidad and Tobago, Leeds, England, and Dr. No.",
        "Oslo, The Hague, Trinidad and Tobago, Leeds, England and Dr. No.",
        "- Large\n" + "\n".join(f"  - {one}" for one in NAMES),
        f"**Question:** Which places are large?\n\n**Answer:** {_PLAIN}",
        f"\\boxed{{{_PLAIN}}}",
        f"{_PLAIN}<|im_end|>",
        json.dumps({"answers": NAMES}),
        "```json\n" + json.dumps({"answer": NAMES}, indent=2) + "\n```",
        f"<ul>{''.join(f'<li>{one}</li>' for one in NAMES)}</ul>",
        "".join(f"<p>{one}</p>" for one in NAMES),
        "| # | Name | Source |\n|---|---|---|\n" + "\n".join(f"| {n} | {one} | [{n}] |" for n, one in enumerate(NAMES, 1)),
        "1. Oslo 2. The Hague 3. Trinidad and Tobago 4. Leeds, England 5. Dr. No",
        "(1) Oslo (2) The Hague (3) Trinidad and Tobago (4) Leeds, England (5) Dr. No",
    ],
)  # fmt: skip
def test_what_stands_around_a_list_is_no_item(text: str) -> None:
    assert _list_score(text) == (1, 1)


@pytest.mark.parametrize(
    ("text", "precision", "recall"),
    [
        # A name that is no gold may hold a joint, and is one wrong item.
        ("Oslo, Bosnia and Herzegovina, Dr. No", 2 / 3, 2 / 5),
        # Guesses under headings, behind labels or with a question mark count as any do.
        ("Oslo? Rome? Paris?", 1 / 3, 1 / 5),
        ("## Oslo\n\nIt is a town.\n\n## Rome\n\nIt is a port.", 1 / 2, 1 / 5),
        # Where a list stands, a name in a heading, a note or an offer is none of its items, right or wrong.
        *((f"# {name}\n\nOslo, Rome, Dr. No", 2 / 3, 2 / 5) for name in ("The Hague", "Paris")),
        *(
            (f"Oslo, Rome, Dr. No\n\nIt may be {name} as well.", 2 / 3, 2 / 5)
            for name in ("The Hague", "Paris")
        ),
        # Headings over descriptions are the items, each of them, and over names none is, right or wrong.
        ("## Oslo\n- A town\n\n## Rome\n- A port", 1 / 2, 1 / 5),
        ("## Oslo\n- Place: north\n- Year: 1901\n\n## Rome\n- Place: south", 1 / 2, 1 / 5),
        ("## Oslo\n- The Hague\n\n## Dr. No\n- Rome", 1 / 2, 1 / 5),
        # So is what stands before what is told of it; of two names the one behind the colon.
        ("- **Oslo**: famous town\n- Rome: 1901\n- Dr. No: old film of that year", 2 / 3, 2 / 5),
        ("- Oslo – famous town\n- Rome – an old port\n- Dr. No – film", 2 / 3, 2 / 5),
        ("- Norway: Oslo\n- Italy: Rome", 1 / 2, 1 / 5),
        # Fields tell of what stands over them, by a label that comes again, unless it was asked for.
        ("1. **Oslo**\n   - Mayor: Ada Holm\n2. **Rome**\n   - Mayor: Ivar Krog", 1 / 2, 1 / 5),
        (
            "### Oslo\n- Mayor: Ada Holm\n- Year: 1901\n\n### Dr. No\n- Mayor: Rome\n- Year: 2",
            1,
            2 / 5,
        ),
        ("### Norway\n- Place: Oslo\n- Place: Bergen\n\n### Film\n- Place: Dr. No", 2 / 3, 2 / 5),
        ("- Oslo: an old town\n- Dr. No: an old film\n\n**Summary:** Oslo, Rome", 2 / 3, 2 / 5),
        # Words in small letters are no free guesses.
        ("Oslo, Rome, the large city of paris", 1 / 2, 1 / 5),
        ("Rome, the large town of oslo", 0, 0),
        ("1. **Oslo**\n   - Year: 1979\n2. **Rome**\n   - Year: 1980", 1 / 2, 1 / 5),
        ("- Oslo\n- The Hague, which was built in 1400\n- Dr. No\n- Rome", 3 / 4, 3 / 5),
        # What is left of a wrong item without its notes and labels is not what it says.
        ("Oslo (b: 1^1), Rome (b: 1^1), Paris (b: 1^1)", 1 / 3, 1 / 5),
        ("1. Rome\n2. Rome\n3. Oslo", 1 / 2, 1 / 5),
        ("Oslo: Rome\nRome: Paris", 0, 0),
        ("Oslo (Rome, Paris)", 1, 1 / 5),
        # Beside one joint a second one hides nothing.
        ("Oslo, The Hague, " + " and ".join(f"Wrong{n} Place" for n in range(50)), 2 / 52, 2 / 5),
        ("", 0, 0),
    ],
)
def test_what_is_listed_and_is_no_gold_counts(text: str, precision: float, recall: float) -> None:
    assert _list_score(text) == (precision, recall)


def test_a_long_name_hides_no_more_guesses_than_it_has_pieces() -> None:
    guesses = " and ".join(f"Wrong{n} Place" for n in range(6))
    names = ("Oslo", "Leeds, West Yorkshire, England")
    assert _list_score(f"Oslo; {guesses}", names) == (1 / 7, 1 / 2)


def test_numbers_count_where_numbers_were_asked_for() -> None:
    assert _list_score("1990, 1994, 2000.", ("1990", "1994")) == (2 / 3, 1)


@pytest.mark.parametrize("piece", ["Oslo, ", "Rome and ", "(a) ", "a (b) (c ", "x: ", "1. A ", "^1", "https://a.b/"])  # fmt: skip
def test_the_time_to_read_a_list_grows_with_its_length(piece: str) -> None:
    assert_linear(piece, _list_score)


@pytest.mark.parametrize("metric", ["qampari", "qampari(rules=alce)"])
def test_lists(metric: str) -> None:
    gold = _gold(("Oslo", "Christiania"), ("Bergen",), ("Tromsø",))
    found = values(counted(metric, gold, "Christiania, Paris, Bergen, Rome."))
    assert found["precision"] == 2 / 4
    assert found["recall"] == 2 / 3
    assert found["f1"] == pytest.approx(4 / 7)
    six = _gold(*((f"city {n}",) for n in range(6)))
    found = values(counted(metric, six, ", ".join(f"City {n}" for n in range(5))))
    assert (found["recall"], found["recall_top5"], found["f1_top5"]) == (5 / 6, 1.0, 1.0)
    assert set(values(counted(metric, gold, "")).values()) == {0.0}
    assert set(values(counted(metric, Gold(), "x")).values()) == {None}
