"""Which sentences state nothing, worked by hand; and attempts to hide a claim in one that does."""

from __future__ import annotations

import pytest

from argue_bench import from_rows
from argue_bench.records import Document, Sentence
from argue_bench.text import read_answer
from argue_bench.text.statements import claim_sentences, states_nothing, unstated_share

COURTESIES = """
Hope this helps!
I hope this answers your question. 😊
Great question!
You're welcome!
Thank you for your question.
Hello! How can I help you today?
Let me know if you have any other questions.
Please let me know if you need anything else.
If you have any more questions, feel free to ask!
Don't hesitate to reach out if you need further assistance.
Is there anything else I can help you with?
Would you like to know more?
Here is what I found:
Here's what I found in the documents:
Here's a summary of the information I found:
Here is the answer to your question:
Here are the key points:
Based on the provided context, here is the answer:
Let's break it down step by step.
In summary:
## Conclusion
**Key points:**
TL;DR:
Bonjour !
Voici la réponse à votre question :
N'hésitez pas si vous avez d'autres questions.
Selon les documents fournis :
Guten Tag!
Vielen Dank für Ihre Frage!
Hier ist die Antwort:
Ich hoffe, das hilft!
Mit freundlichen Grüßen
---
"""
CLAIMS = """
Paris.
First.
Great.
Yes.
Hope.
It helps.
In the documents.
Here is Paris:
Hier ist Paris:
Ich hoffe auf Paris.
Here is what I found: the shop is open.
Hope this helps Paris.
Thank you for your 5 questions.
Based on the documents the shop is open.
According to the documents, yes.
Let me know if you have cancer.
In summary, the shop is open.
## The shop is open
**Open**
Next steps: call 112
Note: false
Welcome to Paris.
Here is the answer: 🇫🇷
Here is the answer: ½
Here is the answer: ⅩⅣ
Here is the answer: ９
Here is the answer: ⠏⠁⠗⠊⠎
Here is the answer: π
Here is what I found at example.org:
"""


@pytest.mark.parametrize("sentence", COURTESIES.strip().splitlines())
def test_courtesies_and_announcements_state_nothing(sentence: str) -> None:
    assert states_nothing(sentence, "When was the shop opened?")


@pytest.mark.parametrize("sentence", CLAIMS.strip().splitlines())
def test_what_could_be_checked_is_stated(sentence: str) -> None:
    assert not states_nothing(sentence, "When was the shop opened?")


@pytest.mark.parametrize(
    ("sentence", "nothing"),
    [
        ("Here is a list of the opening hours of the shop:", True),
        ("Here is a list of the opening hours of the shop.", True),
        ("Here are the opening hours of the shop.", False),
        ("Here is a list of the new opening hours of the shop:", False),
        ("Here is a list of the opening hours in 2020:", False),
        ("Here is not a list of the opening hours of the shop:", False),
        ("Here isn't the shop:", False),
        ("The shop has opening hours:", False),
    ],
)
def test_an_announcement_has_the_questions_words_alone(sentence: str, nothing: bool) -> None:
    question = "What are the opening hours of the shop, and isn't it not closed?"
    assert states_nothing(sentence, question) is nothing


@pytest.mark.parametrize(
    ("said", "counted"),
    [
        (["Yes.", "It is open."], [(2, "Yes. It is open.", 1)]),
        (["Yes, of course!", "It is open."], [(2, "Yes. It is open.", 1)]),
        (["No!", "Here is what I found:", "It is shut."], [(3, "No. It is shut.", 1)]),
        (["Sure, happy to help!", "It is open."], [(2, "Sure. It is open.", 1)]),
        (["Yes.", "Absolutely!", "It is open."], [(3, "Absolutely. It is open.", 2)]),
        (["Yes.", "No.", "It is shut."], [(1, "Yes.", 1), (3, "No. It is shut.", 2)]),
        (["It is open.", "Yes."], [(1, "It is open.", 1), (2, "Yes.", 2)]),
        (["Yes.", "Hope this helps!"], [(1, "Yes.", 1)]),
        (["Hello!", "Hope this helps!"], []),
        ([], []),
    ],
)
def test_a_bare_answer_is_read_with_the_sentence_after_it(
    said: list[str], counted: list[tuple[int, str, int]]
) -> None:
    assert [tuple(one) for one in claim_sentences([*map(Sentence, said)])] == counted


def test_a_whole_sentence_is_read_without_what_leads_to_it_however_long_its_marks_are() -> None:
    lead = "Here are the findings, formatted as a bulleted list:"
    documents = {"d": Document("d", "", title="The history of the old harbour of Bergen")}
    text = f"{lead}\n- Exports of fish twice as high. [The history of the old harbour of Bergen]"
    (one,) = claim_sentences(read_answer("q", text, documents).sentences, "Why?", citing=True)
    assert one.text == "Exports of fish twice as high."


def test_a_row_of_several_columns_is_read_without_the_question() -> None:
    table = "| Bridge | Cost | Opened |\n|---|---|---|\n| Levrarm | 5 crowns | 1931 |"
    (one,) = claim_sentences(read_answer("q", table, {}).sentences, "Which bridges are there?")
    assert one.text == "Bridge: Levrarm; Cost: 5 crowns; Opened: 1931"


def test_what_cites_counts_by_itself() -> None:
    said = [
        Sentence("Yes.", ("d",)),
        Sentence("Here is what I found:", ("d",)),
        Sentence("It is open."),
    ]
    found = claim_sentences(said, "", citing=True)
    assert [tuple(one) for one in found] == [
        (number, one.text, number) for number, one in enumerate(said, 1)
    ]


@pytest.mark.parametrize(
    "hostile",
    ["let me know if you have any more " * 6, "based on the given " + "given " * 29, "sure " * 39],
    ids=["offers", "given", "bare"],
)
def test_a_hostile_sentence_is_given_up_soon(hostile: str) -> None:
    assert not states_nothing(f"{hostile[:199]}x")
    assert not states_nothing(hostile * 10_000)


def test_bars_of_a_table_and_bullets_are_no_words() -> None:
    """Two of six words are the header's; the heading is one of three, and its signs are none."""
    table = "| City | People |\n|---|---|\n| Oslo | 700 |\n| Bergen | 310 |"
    for answer, share in ((table, 2 / 6), ("## Towns\n\n- Oslo grew.", 1 / 3)):
        dataset, answers = from_rows([{"question": "Q?", "contexts": ["C."], "answer": answer}])
        assert unstated_share(zip(dataset.questions, answers, strict=True)) == pytest.approx(share)


REMARKS = [
    "Would you like me to go into more detail on any of these?",
    "Is there anything else you'd like to know?",
    "Please let me know if you need any further details or clarification.",
    "If you'd like, I can expand on any of these points.",
    "Dites-moi si vous voulez en savoir plus, je peux détailler.",
]


@pytest.mark.parametrize("remark", REMARKS)
def test_a_question_or_an_offer_at_the_end_states_nothing(remark: str) -> None:
    said = [Sentence("It was built in 1931."), Sentence(remark)]
    assert [one.number for one in claim_sentences(said)] == [1]
    # It counts alone, where it cites, and in front of what is said, but for a question.
    assert [one.number for one in claim_sentences(said[1:])] == (
        [1] if not states_nothing(remark) else []
    )
    cited = [said[0], Sentence(remark, ("d1",))]
    assert [one.number for one in claim_sentences(cited, citing=True)] == [1, 2]


@pytest.mark.parametrize(
    "said",
    ["You can reach me at 555-0100.", "I was born there.", "You must close the valve first."],
)
def test_what_tells_a_fact_of_author_or_reader_states_something(said: str) -> None:
    assert len(claim_sentences([Sentence("It was built in 1931."), Sentence(said)])) == 2
