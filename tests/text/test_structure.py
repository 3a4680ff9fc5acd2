"""What an answer in Markdown states, and that its form moves nothing."""

from __future__ import annotations

import json
import random
import textwrap
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from argue_bench.records import Answer, Document, Question
from argue_bench.text import read_answer
from argue_bench.text.blocks import LONGEST, blocks
from argue_bench.text.statements import claim_sentences
from tests.growth import assert_linear

DOCUMENTS = [("d1", "One"), ("d2", "Two")]
QUESTION = Question("q", "What of the museum?")


def read(text: str) -> Answer:
    answer = read_answer("q", text, DOCUMENTS)
    for one in answer.sentences:
        # Tags of HTML between the words are read as blanks.
        read = text[one.start : one.end] == one.text
        assert read or any(sign in text for sign in ("</", "<br>", "\ue200"))
    return answer


def claims(text: str) -> list[tuple[str, tuple[str, ...]]]:
    answer = read(text)
    stated = claim_sentences(answer.sentences, QUESTION.text, citing=True)
    return [(one.text, answer.sentences[one.number - 1].citations) for one in stated]


HARLOW = "The Harlow Bridge was opened by the mayor of Leeds in the spring of 1931 and is 412 metres long."
WRAPPED = textwrap.fill(f"{HARLOW[:-1]} [d1]. It was painted red in 1990 by two men [d2].", 46)
CASES = {
    "headings": ("# History\n\nIt opened in 1931.\n\n## Design ##\nIt is long.", ["It opened in 1931.", "It is long."]),
    "a heading that is a sentence": ("## The museum was closed.\n\nIt is long.", ["The museum was closed.", "It is long."]),
    "a heading that cites and is a sentence": ("## The museum was closed [1]\n\nIt is long.", ["The museum was closed", "It is long."]),
    "a heading with a verb": ("## How long it is\n\nIt is long.", ["It is long."]),
    "bold words with a verb over a list": ("**How long it is**\n- It is long.", ["It is long."]),
    "bold words with a verb and a stop over a list": ("**It is closed.**\n- It is long.", ["It is closed.", "It is long."]),
    "a number of items": ("Here are the two halls, built in 1931:\n- Oslo\n- Bergen", ["Here are the halls, built in 1931: Oslo", "Here are the halls, built in 1931: Bergen"]),
    "a number of something else": ("The three sons of both were:\n- Olaf\n- Per", ["The three sons of both were: Olaf", "The three sons of both were: Per"]),
    "lines below a bold label": ("**Opened:**\nOslo 1931\nBergen 1940", ["Opened: Oslo 1931", "Opened: Bergen 1940"]),
    "what an item is about and says": ("1. **Oslo**: Opened in 1931 [1].\n   - Red [2]", ["Oslo: Opened in 1931.", "Oslo: Red"]),
    "a table of three columns under a caption": ("**Halls in Norway**\n\n| Of | Is | In |\n|-|-|-|\n| Age | 95 | Oslo |", ["Of: Age; Is: 95; In: Oslo"]),
    "a caption that is bold in part": ("**Halls built in 1931 (2022)** – size\n\n| Of | Is |\n|-|-|\n| Oslo | 95 |", ["Halls built in 1931 (2022) – size: Of: Oslo; Is: 95"]),
    "items of a cell that cite": ("| Of | Is |\n|-|-|\n| Hall | • Age: 95 [1]<br>• Size: 40 [2] |\n| Park | 5 [1]; 6 [2] |", ["Of: Hall; Is: Age: 95", "Of: Hall; Is: Size: 40", "Of: Park; Is: 5", "Of: Park; Is: 6"]),
    "a line over a list of sentences": ("The hall has been described as follows:\n- It is long.\n- It is red.", ["It is long.", "It is red."]),
    "a line over sentences, which cites": ("Two men met [1]:\n- It is long [2].\n- It is red [2].", ["Two men met:", "It is long.", "It is red."]),
    "a heading that cites": ("## Closed halls [1]\n\nIt is long.", ["It is long."]),
    "a heading that cites alone": ("## Closed halls [1]\n\nIt is long [2].", ["Closed halls", "It is long."]),
    "nothing but a heading": ("# Oslo", ["Oslo"]),
    "a plain name over a list": ("The old bridge\n- Place: Oslo [1]\n- Length: 40 m [2]\n\nKey details\n• It is red.", ["The old bridge: Place: Oslo", "The old bridge: Length: 40 m", "It is red."]),
    "a plain name over a table": ("The old bridge\n\n| Of | Is |\n|-|-|\n| Age | 95 [1] |", ["The old bridge: Of: Age; Is: 95"]),
    "a plain name over fields": ("The old bridge\nPlace: Oslo\nLength: 40 m", ["The old bridge: Place: Oslo", "The old bridge: Length: 40 m"]),
    "names over their paragraphs": ("Main detail\nIt was built by the town [1].\n\n📌 **Other detail**\nIt is the longest one [2].", ["It was built by the town.", "It is the longest one."]),
    "plain names over their lines": ("Main detail\nIt was built by the town [1].\n\nOther detail\nIt is the longest one [2].", ["It was built by the town.", "It is the longest one."]),
    "titles that are underlined": ("Main detail\n===\nIt was built by the town [1].\n\nOther detail\n---\nIt is the longest one [2].", ["It was built by the town.", "It is the longest one."]),
    "items over their own sentences": ("1. Main detail\n   It was built by the town [1].\n2. Other detail\n   It is the longest one [2].", ["It was built by the town.", "It is the longest one."]),
    "items over their own fields": ("1. Oslo\n   Founded: 1048\n2. Bergen\n   Founded: 1070", ["Oslo: Founded: 1048", "Bergen: Founded: 1070"]),
    "numbers of sections": ("1. Main detail\n\nIt was built by the town [1].\n\n2. **Other detail**\n\nIt is the longest one [2].", ["It was built by the town.", "It is the longest one."]),
    "bold lines right below items": ("**Founding**\n- It was opened in 1931 [1].\n**Cost**\n- 12 million crowns [2].\n**Owner**\nThe town owns it.", ["It was opened in 1931.", "Cost: 12 million crowns.", "Owner: The town owns it."]),
    "a last item over a closing line": ("They are:\n- Oslo\n- Bergen\nThese are all that were named.", ["They are: Oslo", "They are: Bergen", "These are all that were named."]),
    "marks that are the subject": ("[1] reports that it opened. [2] adds that it is long. [1] states: \"It fell.\" [2] says so.", ["reports that it opened.", "adds that it is long.", "states: \"It fell.\"", "says so."]),
    "a callout": ("> [!NOTE]\n> It was built by the town [1].\n> It fell [2].", ["It was built by the town.", "It fell."]),
    "a document in a label with other words": ("Revenue in Document 1: 5 million.", ["Revenue in Document 1: 5 million."]),
    "escaped numbers": ("1\\. It was built by the town [1].\n2\\. It fell [2].", ["It was built by the town.", "It fell."]),
    "a tag that nothing closes": ("<result>\nIt was built by the town [1].", ["It was built by the town."]),
    "an answer over its reason": ("Ida Brekke\nShe designed it in 1931.", ["Ida Brekke", "She designed it in 1931."]),
    "a list of names of which one has a colon": ("Avatar\nAvatar: The End\nTitanic", ["Avatar", "Avatar: The End", "Titanic"]),
    "a bold label with its value over a list": ("**Answer:** Oslo.\n\n- It is a city [1].\n- Third: Norway", ["Answer: Oslo.", "It is a city.", "Third: Norway"]),
    "marks in a cell of short sentences": ("| Plan | Says |\n|-|-|\n| Pro | Pro costs $29 [1]. Pro includes 500 GB [2]. |", ["Plan: Pro; Says: Pro costs $29.", "Pro includes 500 GB."]),
    "signs in cells": ("| Of | Oslo | Berg |\n|-|-|-|\n| Bar | ✅ [1] | ❌ [2] |\n| Pool | ★ | — |", ["Of: Bar; Oslo: ✅", "Of: Bar; Berg: ❌", "Of: Pool; Oslo: ★"]),
    "an id behind a word in each cell": ("| Of | Is |\n|-|-|\n| Hall | Oslo d1 |\n| Park | Berg d2 |", ["Of: Hall; Is: Oslo d1", "Of: Park; Is: Berg d2"]),
    "bold headings": ("**History**\n\nIt opened in 1931.", ["It opened in 1931."]),
    "a bold line": ("**History**\nIt opened in 1931.", ["It opened in 1931."]),
    "bold lines one after the other": ("**History**\nIt is old.\n**Design**\nIt is long [1].\nIt is **red**.", ["It is old.", "It is long.", "It is red."]),
    "a bold line with a colon": ("**Opens:**\n9 to 5", ["Opens: 9 to 5"]),
    "numbers in a line": ("There are two plans: 1. It is free. 2. It is not.", ["There are two plans: 1. It is free.", "It is not."]),
    "bold run-in": ("**Location.** It lies in Oslo.", ["Location. It lies in Oslo."]),
    "bold run-in with a colon": ("- **Opening hours:** 9 to 5", ["Opening hours: 9 to 5"]),
    "numbers": ("1. It is old.\n2. It is long.", ["It is old.", "It is long."]),
    "a list with its line": ("Open on:\n\n- Monday\n- Friday [1]", ["Open on: Monday", "Open on: Friday"]),
    "an inner list": ("- Halls\n  - East", ["Halls East"]),
    "round bullets": ("• It is old.\n• It is long.", ["It is old.", "It is long."]),
    "numbers inside a sentence": (
        "Two stand: (1) the wall (of 1931), and (2) the gate. It is old.",
        ["Two stand: the wall (of 1931), and the gate.", "It is old."],
    ),
    "bracketed numbers": ("(1) It is old.\n(2) It is long.", ["It is old.", "It is long."]),
    "a lone number": ("1931.", ["1931."]),
    "a number at the head": ("42. That is all.", ["42. That is all."]),
    "a table": ("| City | People |\n|---|---|\n| Oslo | 700 [1] |\n| Bergen | |\nIt is old.",
                ["City: Oslo; People: 700", "City: Bergen", "It is old."]),
    "a table that counts its rows": ("| # | Fact |\n|---|---|\n| 1 | It is old |\n| 2 | It is long |",
                                     ["Fact: It is old", "Fact: It is long"]),
    "rows by their floor": ("| Floor | Use |\n|---|---|\n| 1 | Shops |\n| 2 | Flats |",
                            ["Floor: 1; Use: Shops", "Floor: 2; Use: Flats"]),
    "a cell that stands alone": ("| Fact | Source |\n|---|---|\n| It has stood since the flood | [1] |", ["It has stood since the flood"]),
    "tags around an answer": ("<answer>\nIt is old.\n</answer>", ["It is old."]),
    "paragraphs of HTML": ("<p>It is old.</p><p class='x'>It is <b>long</b>, and red.</p>", ["It is old.", "It is long, and red."]),
    "a list of HTML": ("<h2>Halls</h2><ul><li>It is old</li><li>It is long</li></ul>", ["It is old", "It is long"]),
    "tags in a line": ("League: <search>2022 La Liga</search>\n<result>\nIt is old.\n</result>", ["League: 2022 La Liga", "It is old."]),
    "breaks of HTML": ("It is old<br>It is long", ["It is old", "It is long"]),
    "a table of HTML": ("<table><tr><th>Year</th><th>City</th></tr><tr><td>1931</td><td>Oslo [1]</td></tr>"
                        "<tr><td>1932</td><td>Bergen [2]</td></tr></table>", ["1931; Oslo;", "1932; Bergen;"]),
    "a head of HTML without names": ("<table><thead><tr><td>Fact</td></tr></thead><tr><td>It is old [1]</td></tr></table>", ["It is old;"]),
    "what is said of tags": ("Use a <div> here, and `<p>`.", ["Use a <div> here, and <p>."]),
    "no tags": ("It is < 5 and > 3 km long.", ["It is < 5 and > 3 km long."]),
    "a bar in a cell": ("| A | B |\n|-|-|\n| x\\|y | 2 |", ["A: x\\|y; B: 2"]),
    "a quotation": ("> It is old.\n> It is long.", ["It is old.", "It is long."]),
    "code": ("It is old.\n\n```py\nprint(1)\n```", ["It is old."]),
    "code at the head": ("```\nx = 1\n```\n\nIt is old.", ["It is old."]),
    "a fenced answer": ("```markdown\nIt is old.\n```", ["It is old."]),
    "an announced fence": ("Here is the report:\n\n```markdown\nIt is old.\n```\n\nLet me know if you need more.", ["It is old."]),
    "a fence beside what is said": ("It is old:\n```\nx = 1\n```", ["It is old:"]),
    "a program behind an announcement": ("Here is the answer:\n```python\nx = 1\n```", ["Here is the answer:"]),
    "quotes around all": ('"It is old [1]. It is long [2]."', ["It is old.", "It is long."]),
    "round quotes around all": ("“It is old [1]. It is long [2].”\n", ["It is old.", "It is long."]),
    "triple quotes around all": ('\"""\nIt is "old". It is long.\n\"""', ['It is "old".', "It is long."]),
    "quotes at both ends": ('"Oslo" is not "Bergen"', ['"Oslo" is not "Bergen"']),
    "asides behind a full stop": ("It is old [1]. (confidence: high) It is long [2]. (Confidence: low)\nIt is red.",
                                  ["It is old. (confidence: high)", "It is long. (Confidence: low)", "It is red."]),
    "a fenced answer in JSON": ("```json\n[\"It is old.\", \"It is long.\"]\n```", ['["It is old.", "It is long."]']),
    "code in a fenced answer": ("```\nIt is old.\n```py\nx = 1\n```\nIt is long.\n```", ["It is old.", "It is long."]),
    "a rule": ("It is old.\n\n---\n\nIt is long.", ["It is old.", "It is long."]),
    "a line over dashes": ("It is old.\n---\nIt is long.", ["It is old.", "It is long."]),
    "emphasis, code, links": ("The *old* `hall` of [Oslo](https://a.example) is __long__.", ["The old hall of Oslo is long."]),
    "a product": ("It is 3*4*5 m.", ["It is 3*4*5 m."]),
    "references": ("It is old [1].\n\n## References\n[1] The museum was closed.", ["It is old."]),
    "a note": ("It is old[^1].\n\n[^1]: The museum was closed.", ["It is old."]),
    "indented text": ("It is old.\n\n    It is long.", ["It is old.", "It is long."]),
    "wrapped lines": (WRAPPED, [HARLOW, "It was painted red in 1990 by two men."]),
    "wrapped items": ("- " + WRAPPED.replace("\n", "\n  "), [HARLOW, "It was painted red in 1990 by two men."]),
    "lines of one length": ("The capital of Norway, which is a kingdom: Oslo\nThe capital of Sweden, also a kingdom: Stockholm\n"
                            "The capital of Finland, the republic: Helsinki\nThe capital of Iceland, an island: Reykjavik",
                            ["The capital of Norway, which is a kingdom: Oslo", "The capital of Sweden, also a kingdom: Stockholm",
                             "The capital of Finland, the republic: Helsinki", "The capital of Iceland, an island: Reykjavik"]),
    "items under a heading": ("## Oslo\n- Opened: 1931\n- It is old.\n\n## Key facts\n- Closed: 1950",
                              ["Oslo: Opened: 1931", "It is old.", "Closed: 1950"]),
    "items under a bold line": ("**Oslo**\n- Opened: 1931", ["Oslo: Opened: 1931"]),
    "items below bold items": ("1. **Oslo**\n   - Opened: 1931\n2. **Bergen**\n   - Opened: 1950\n3. Both: red",
                               ["Oslo: Opened: 1931", "Bergen: Opened: 1950", "Both: red"]),
    "lines below bold items": ("Halls:\n\n- **Oslo**\n  Phone: 1931", ["Oslo: Phone: 1931"]),
    "rows under a heading": ("## Oslo\n\n| Of | Is |\n|-|-|\n| Age | 95 |", ["Oslo: Of: Age; Is: 95"]),
    "bold labels in small letters": ("### Oslo\n**opened:** 1931  \n**closed**: 1950", ["Oslo: opened: 1931", "Oslo: closed: 1950"]),
    "answers under questions": ("### Who was first?\nBerg\n\n### When was it?\nIn 1931", ["Who was first? Berg", "When was it? In 1931"]),
    "sentences in a cell": ("| Of | Is |\n|-|-|\n| Age | It is old [1]. It was built in 1931 [2]. |",
                            ["Of: Age; Is: It is old.", "It was built in 1931."]),
    "cells with marks of their own": ("| Hall | Built | Size |\n|-|-|-|\n| East | 1931 [1] | 40 m [2] |\n| West | 1950 [1] | 30 m |",
                                      ["Hall: East; Built: 1931", "Hall: East; Size: 40 m", "Hall: West; Built: 1950; Size: 30 m"]),
    "bullets in a cell": ("| Of | Is |\n|-|-|\n| Age | • It is old [1].<br>• It was built in 1931 [2]. |\n| Size | - 40 m<br>- wide |",
                          ["Of: Age; Is: It is old.", "It was built in 1931.", "Of: Size; Is: 40 m; wide"]),
    "a trace": ("<think>It is\nnew.</think>It is old.", ["It is old."]),
    "traces of other models": ("[THINK]It is new.[/THINK]<seed:think>New?</seed:think>◁think▷Or◁/think▷It is old.", ["It is old."]),
    "channels": ("<|channel|>analysis<|message|>It is new.<|end|><|start|>assistant<|channel|>final<|message|>It is old.<|return|>", ["It is old."]),
    "an analysis before an answer": ("<analysis>It is new.</analysis>\n<answer>It is old.</answer>", ["It is old."]),
    "tokens of a template": ("It is old.<|im_end|>\n<|im_start|>assistant\nIt is long.<|eot_id|>", ["It is old.", "It is long."]),
    "a website's marks": ("It is old \ue200cite\ue202turn0search0\ue201. It is long.", ["It is old.", "It is long."]),
    "a report in a fence": ("Berg made it.\n```markdown\n# On it\n\nIt is old.\n```\nIt is long.", ["Berg made it.", "It is old.", "It is long."]),
    "bullets right below numbered names": ("1. **Oslo**\n- Opened: 1931\n2. **Bergen**\n  - Opened: 1950",
                                           ["Oslo: Opened: 1931", "Bergen: Opened: 1950"]),
    "bullets below a numbered sentence": ("1. It is old.\n2. It fell in 1931.\n\n- Opened: 1931", ["It is old.", "It fell in 1931.", "Opened: 1931"]),
    "a heading over marks alone": ("## It is old\n\nSource: [1]", ["It is old"]),
    "a head over rows": ("<table><tr><th colspan='2'>Oslo</th></tr>\n<tr>\n<td>Opened</td>\n<td>1931</td>\n</tr></table>", ["Oslo: Opened; 1931;"]),
}  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES)
def test_an_answer_in_markdown_states(text: str, expected: list[str]) -> None:
    assert [one.claim for one in read(text).sentences] == expected


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("# History\n\nOpen on:\n- Monday\n\n---\n```\nx\n```\n", ["heading", "label", "rule", "code"]),
        ("| A | B |\n|-|-|\n| 1 | 2 |", ["table header"]),
        ("It is old [1].\n\nReferences:\n[1] Register", ["references"] * 2),
    ],
)  # fmt: skip
def test_what_states_nothing_has_its_kind_and_place(text: str, kinds: list[str]) -> None:
    assert [one.kind for one in read(text).asides] == kinds


def test_words_of_headings_are_found_and_those_of_references_are_not() -> None:
    plain = read("## Oslo\n\nIt is old [1].\n\nReferences:\n[1] Register").plain
    assert "Oslo" in plain
    assert "Register" not in plain


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("## Halls [1][2]\n\nIt is old. It is long.\n\nIt is red.", ["d1 d2", "d1 d2", ""]),
        ("## Halls [1]\n\n- It is old\n- It is long [2]\n\n## More\n\nIt is red.", ["d1", "d2", ""]),
        ("**Halls** [1]\n\nIt is old.", ["d1"]),
        ("**Halls [1]**\nIt is old. It is long [2].", ["d1", "d2"]),
        ("**Halls** [1]:\n\n- East\n- West [2]", ["d1", "d2"]),
        ("There are two halls [1]:\n- East\n- It is long.", ["d1", "d1"]),
        ("Halls [1]:\n\n| Name | Side |\n|-|-|\n| Berg | East |\n| Lund [2] | West |", ["d1", "d2"]),
        ("- Halls [1]\n  - East\n  - West [2]", ["d1", "d1", "d2"]),
        # What says something by itself has its marks for itself.
        ("## The museum was closed [1]\n\nIt is long.", ["d1", ""]),
        ("- The halls were built in 1931 [1].\n  - It is long.", ["d1", ""]),
        ("It is old [1].\n\nIt is long.", ["d1", ""]),
    ],
)  # fmt: skip
def test_the_marks_of_a_title_reach_what_stands_below_without_any(
    text: str, cited: list[str]
) -> None:
    assert [" ".join(one.citations) for one in read(text).sentences] == cited


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("- It is old.\n- It is long.\n\nSources: [1], [2]", ["d1 d2", "d1 d2"]),
        ("| Hall | Age |\n|-|-|\n| Berg | 9 |\n| Lund | 7 |\n\nSource: [1]", ["d1", "d1"]),
        ("It is wide.\n\n- It is old [1].\n- It is long.\n\nSource: [2]", ["", "d1", "d2"]),
        ("It is old. It is long.\n\nSource: [2]", ["d2", "d2"]),
        ("It is old. It is long.\n\nIt is wide.\n[1]\n\nIt is red. It is new. [2]", ["", "", "d1", "", "d2"]),
        # Alone in a heading, or over a list, they are of what stands below; each below its words, of these.
        ("## [1]\n\nIt is old.\n\n## [2]\n\nIt is long. It is wide.", ["d1", "d2", "d2"]),
        ("- [1]\n  - It is old.\n- [2]\n  - It is long.\n  - It is wide.", ["d1", "d2", "d2"]),
        ("It is old.\n[d1]\n\nIt is long.\n[d2]", ["d1", "d2"]),
        ("It is old [d1]. It is long [d2].\n\n[d1]\n[d2]", ["d1", "d2"]),
    ],
)  # fmt: skip
def test_a_line_of_sources_is_of_all_items_or_rows_over_it_that_have_none(
    text: str, cited: list[str]
) -> None:
    assert [" ".join(one.citations) for one in read(text).sentences] == cited


@pytest.mark.parametrize(
    ("cell", "plain"),
    [
        *((cell, "Hall: Berg; Built: 1931") for cell in ("n/a", "Not stated [1]", "unknown", "?", "")),
        ("not of wood", "Hall: Berg; Built: 1931; Cost: not of wood"),
        ("The documents do not give its cost.", "Hall: Berg; Built: 1931; Cost: The documents do not give its cost."),
    ],
)  # fmt: skip
def test_a_cell_that_tells_nothing_is_no_part_of_its_row(cell: str, plain: str) -> None:
    said = read(f"| Hall | Built | Cost |\n|-|-|-|\n| Berg | 1931 | {cell} |").sentences
    assert [(one.plain, one.citations) for one in said] == [(plain, ("d1",) * ("[1]" in cell))]


def test_a_row_that_tells_nothing_stays_a_denial() -> None:
    (said,) = read("| Hall | Cost |\n|-|-|\n| Berg | not stated [1] |").sentences
    assert (said.plain, said.citations) == ("Hall: Berg; Cost: not stated", ("d1",))


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("It is old. Source: [1]. It is long. Source: [2].", ["d1", "d2"]),
        ("- It is old. Source: [1].\n- It is long. Source: [2].", ["d1", "d2"]),
        ("It is old. — Source: [1]. It is long — Source: [2]", ["d1", "d2"]),
        ("- It is old.\n  - Evidence: [1]\n- It is long.\n  Supported by: [2]", ["d1", "d2"]),
        ("**Claim:** It is old.\n**Beleg:** [1]\n\n**Claim:** It is long.\n**Citation:** [2]", ["d1", "d2"]),
    ],
)  # fmt: skip
def test_the_marks_behind_a_label_belong_to_the_sentence_before(
    text: str, cited: list[str]
) -> None:
    said = read(text).sentences
    assert [" ".join(one.citations) for one in said] == cited
    bare = [one.plain.removeprefix("Claim: ").rstrip(".") for one in said]
    assert bare == ["It is old", "It is long"]


SENTENCES = st.sampled_from(
    ["It opened in 1931 [1].", "The hall is 3.5 m long.", "Dr. Berg has left [2].", "Was it closed? No, it was not."]
)  # fmt: skip
ITEMS = st.lists(SENTENCES, min_size=2, max_size=4)
BLOCKS = st.lists(st.one_of(SENTENCES.map(lambda one: [one]), ITEMS), min_size=1, max_size=4)


def shown(parts: list[list[str]], bullet: str = "-", between: str = "\n\n") -> str:
    told = []
    for part in parts:
        lines = [f"{f'{n}.' if bullet == '1' else bullet} {one}" for n, one in enumerate(part, 1)]
        told.append("\n".join(lines) if len(part) > 1 else part[0])
    return between.join(told)


def bullets_for_numbers(parts: list[list[str]], bullet: str) -> None:
    assert claims(shown(parts, bullet)) == claims(shown(parts))


def headings_rules_and_blank_lines(parts: list[list[str]], between: str) -> None:
    assert claims(shown(parts, between=between)) == claims(shown(parts))


def emphasis(parts: list[list[str]], sign: str, word: str) -> None:
    bold = [[one.replace(word, f"{sign}{word}{sign}") for one in part] for part in parts]
    assert claims(shown(bold)) == claims(shown(parts))


def what_follows_and_line_ends(parts: list[list[str]], end: str) -> None:
    text = shown(parts)
    assert claims(text + end) == claims(text) == claims(text.replace("\n", "\r\n"))


BETWEEN = ["\n\n## More\n\n", "\n\n\n\n", "\n\n---\n\n", "\n\n**History**\n\n", "\n \n"]
ENDS = ["\n", "\r\n", "\n\nReferences:\n[1] One\n[2] Two", "\n\n[^1]: One"]
WORDS = st.sampled_from(["It", "hall", "Berg", "long", "Was"])
PROPERTIES = {
    bullets_for_numbers: (BLOCKS, st.sampled_from(["*", "1", "•", "+"])),
    headings_rules_and_blank_lines: (BLOCKS, st.sampled_from(BETWEEN)),
    emphasis: (BLOCKS, st.sampled_from(["**", "*", "__"]), WORDS),
    what_follows_and_line_ends: (BLOCKS, st.sampled_from(ENDS)),
}


def test_citations_behind_code_at_the_head_are_read() -> None:
    read_ = read("```python\nx[1]\n```\n\nIt is old [1]. It is long [2].")
    assert [one.citations for one in read_.sentences] == [("d1",), ("d2",)]


@pytest.mark.parametrize("examples", [100, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("form", PROPERTIES, ids=lambda one: one.__name__)
def test_the_form_of_an_answer_moves_nothing(form: Callable[..., None], examples: int) -> None:
    settings(deadline=None, max_examples=examples)(given(*PROPERTIES[form])(form))()


@pytest.mark.parametrize("piece", ["- ", "> ", "*a", "[a](", "|", "|a|b|\n|-|-|\n", "# ", "`", "1. a\n", "~~", "![", "  - a\n"])  # fmt: skip
def test_hostile_structure_takes_linear_time(piece: str) -> None:
    assert_linear(piece, blocks)
    assert_linear(piece, lambda text: blocks(text * (1 + LONGEST // len(text))))


@pytest.mark.parametrize("piece", [" ", "\xa0", "# a\n"])
def test_blanks_and_headings_are_read_in_linear_time(piece: str) -> None:
    assert_linear(piece, lambda text: read(f"# a\n{text}It is{text}so"))


@pytest.mark.parametrize("title", ["The old bridge", "I. Overview", "*Overview*", "Bridge (1931)"])
def test_a_line_that_is_no_sentence_over_one_that_is_titles_it(title: str) -> None:
    answer = read(f"{title}\n\nThe bridge was built in 1931.\n\nWhere it stands\n\nIt is in Oslo.")
    assert [one.plain for one in answer.sentences] == [
        "The bridge was built in 1931.",
        "It is in Oslo.",
    ]
    assert [one.kind for one in answer.asides] == ["heading"] * 2
    # Where no sentence follows, it is what the answer says.
    assert [one.plain for one in read(f"{title.strip('*')}\n\nThe new one").sentences][
        -1
    ] == "The new one"


def test_an_item_over_others_titles_them_unless_a_figure_stands_in_it() -> None:
    text = "1. Norway\n   - Its capital is Oslo.\n2. Sweden (1905)\n   - It is large."
    assert [one.plain for one in read(text).sentences] == [
        *("Its capital is Oslo.", "Sweden (1905)", "It is large."),
    ]


@pytest.mark.parametrize("head", ["## Oslo\n\n", "**Oslo:**\n", "- **Oslo**\n"])
@pytest.mark.parametrize(
    "fact", ["Tap water restored: 28 July 2005", "Cut off: Rinan, Lul, Saes, Tor."]
)
def test_a_name_with_its_value_is_read_with_the_heading_whatever_its_words(
    head: str, fact: str
) -> None:
    indent = "  " * head.startswith("-")
    text = f"{head}{indent}- {fact} [a]\n{indent}- Note: the water was cut off in 2005 [a]"
    answer = read_answer("q", text, {"a": Document("a", "")})
    assert [(one.lead, one.plain) for one in answer.sentences] == [
        ("Oslo:", fact),
        ("", "Note: the water was cut off in 2005"),
    ]


def test_an_empty_first_cell_of_a_row_means_the_one_above() -> None:
    text = "| Town | Fact | Value |\n|-|-|-|\n| Oslo [a] | Area | 9 |\n| | Trams | 4 |\n| | | |\n"
    answer = read_answer("q", f"{text}\n{text}", {"a": Document("a", "")})
    each = [
        ("Town: Oslo; Fact: Area; Value: 9", ("a",)),
        ("Town: Oslo; Fact: Trams; Value: 4", ()),
    ]
    assert [(one.plain, one.citations) for one in answer.sentences] == each * 2
    first = read("| Town | Fact | Value |\n|-|-|-|\n| | Area | 9 |")
    assert [one.plain for one in first.sentences] == ["Fact: Area; Value: 9"]
    sources = "| Source | Fact | Value |\n|-|-|-|\n| Report [a] | Area | 9 |\n| [a] | Trams | 4 |"
    marked = read_answer("q", sources, {"a": Document("a", "")}).sentences[-1]
    assert (marked.plain, marked.citations) == ("Fact: Trams; Value: 4", ("a",))


@pytest.mark.parametrize("sign", ["1\ufe0f\u20e3", "2\u20e3", "a)", "•"])
def test_other_signs_of_counting_are_no_words(sign: str) -> None:
    assert [
        one.plain for one in read(f"Two:\n{sign} It is old.\n{sign} It is open.").sentences
    ] == [
        *("It is old.", "It is open."),
    ]


@pytest.mark.parametrize(
    "form", ["{}", "```json\n{}\n```", "Here is the answer:\n\n```json\n{}\n```\n\nLet me know!"]
)
def test_the_one_text_of_a_json_object_is_the_answer(form: str) -> None:
    said = 'It is old [d1].\n\n- It is "open" [d2].'
    text = form.format(json.dumps({"answer": said}))
    answer = read_answer("q", text, [("d1", ""), ("d2", "")])
    assert [(one.plain, one.citations) for one in answer.sentences] == [
        ("It is old.", ("d1",)),
        ('It is "open".', ("d2",)),
    ]
    assert answer.text == text


def test_the_sources_beside_an_answer_in_json_are_its_citations() -> None:
    given = {
        "reasoning": "So it is [d2].",
        "answer": "It is old.",
        "sources": ["d1", 2],
        "sure": 1.0,
    }
    for indent in (None, 2):
        answer = read_answer("q", json.dumps(given, indent=indent), [("d1", ""), ("d2", "")])
        found = [(one.plain, one.citations) for one in answer.sentences]
        assert found == [("It is old.", ("d1", "d2"))]


def test_sources_behind_a_cited_answer_in_one_line_are_not_its_last_sentences() -> None:
    text = '{"answer": "It is old [d1]. It is red [d2].", "citations": ["d1", "d2"]}'
    answer = read_answer("q", text, DOCUMENTS)
    assert [one.citations for one in answer.sentences if one.plain] == [("d1",), ("d2",)]


@pytest.mark.parametrize(
    "id", ["d1", "msmarco_v2.1_doc_1_8001#2_301", "0f8fad5b-d9cb-469f-a165-70867728950e"]
)
def test_no_id_makes_words_a_sentence(id: str) -> None:
    """The signs that stand for a long id counted as words in a script without blanks."""
    text = f"- **Basic:**\n  - **Price:** $9 per month [{id}].\n  - **Storage:** 50 GB [{id}]."
    answer = read_answer("q", text, [(id, "One")])
    assert [(one.lead, one.plain) for one in answer.sentences] == [
        ("Basic:", "Price: $9 per month."),
        ("Basic:", "Storage: 50 GB."),
    ]


def test_an_object_beside_what_is_said_is_no_answer_by_itself() -> None:
    text = 'It is old. {"answer": "It is open."}'
    assert [one.plain for one in read(text).sentences] == [text]


# What a text may be made of, in any order.
PIECES = (
    *("– ", "- ", "* ", "• ", "1. ", "2) ", "# ", "> ", "| ", "|a|b|\n|-|-|\n", "\n", "\n\n", "  ", "    ", "\t"),
    *("```", "**", "_", "`", "[", "]", "(", ")", "[1]", "[^1]: ", "{", "}", '"', "\\", "$", "&amp;", "<!--", "-->"),
    *("<p>", "</p>", "<br>", "<li>", "</li>", "<td>", "</td>", "<tr>", "</tr>", "<th>", "<sup>", "</sup>", "<think>", "</think>"),
    *('<ref name="One">', "</ref>", "Sources:\n", "Oslo", "It opened in 1931.", ". ", ": ", ", ", "—", "。", "✅", "\u2028", "\r", "0"),
)  # fmt: skip


@pytest.mark.parametrize("seed", range(4))
def test_no_order_of_signs_stops_the_reader(seed: int) -> None:
    """`– 2)<p>–  </p>` ended in an IndexError."""
    draw = random.Random(seed)
    for _ in range(600):
        text = "".join(draw.choices(PIECES, k=draw.choice((4, 8, 16))))
        answer = read_answer("q", text, DOCUMENTS)
        assert all(0 <= one.start <= one.end <= len(text) for one in answer.sentences), text
    assert read_answer("q", "– 2)<p>–  </p>", {}).plain == ""


@pytest.mark.parametrize("kind", ["json", "csv", "yaml", "text", ""])
def test_a_fence_of_data_between_courtesies_is_the_answer(kind: str) -> None:
    alone = f"```{kind}\nOslo: 1931\n```"
    said = read_answer("q", f"Here is the answer:\n\n{alone}\n\nI hope this helps!", {})
    assert [one.plain for one in said.sentences] == ["Oslo: 1931"]
    code = read_answer("q", "Here is the answer:\n\n```python\nprint(1931)\n```", {})
    assert "print(1931)" not in [one.plain for one in code.sentences]
