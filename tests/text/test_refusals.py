"""Refusals by wording and by behaviour, against phrases labelled by hand."""

from __future__ import annotations

import pytest

from argue_bench.text import read_answer, sentences
from argue_bench.text.refusals import Conduct, conduct, declines, refuses_in_words, says_unknown
from tests.growth import assert_linear
from tests.text.refusal_phrases import DOES_NOT_REFUSE, REFUSES


@pytest.mark.parametrize("sentence", REFUSES)
def test_it_refuses(sentence: str) -> None:
    assert refuses_in_words(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        *("NO_ANSWER", "NOT_FOUND", "No data.", "Not applicable.", "I must abstain."),
        "Insufficient context to answer.",
        "The information needed to answer this is missing.",
        "The report does not disclose this figure.",
        "None of the provided chunks answers the question.",
        "The documents fail to mention this.",
        "This detail isn't disclosed.",
        "The required data is absent from the report.",
        *("Aucune réponse.", "Réponse introuvable.", "Ce n'est pas indiqué."),
        "Il manque l'information nécessaire.",
        "Cette information est absente des documents.",
    ],
)
def test_an_answer_of_few_words_refuses(sentence: str) -> None:
    assert conduct([sentence]).refuses


KNOWN_MISTAKES = {
    "Nous ne savons pas nager, disent les enfants.",  # "we do not know" of another kind
}


@pytest.mark.parametrize("sentence", DOES_NOT_REFUSE)
def test_it_does_not_refuse(sentence: str) -> None:
    assert refuses_in_words(sentence) == (sentence in KNOWN_MISTAKES)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The bridge opened in 1931.", Conduct.ANSWERS),
        ("I cannot answer this question.", Conduct.REFUSES),
        ("Sorry. I cannot answer this question. Please provide more documents.", Conduct.REFUSES),
        ("Je ne peux pas répondre. N'hésitez pas à préciser votre question.", Conduct.REFUSES),
        ("I cannot answer. But wait. In the end I cannot answer.", Conduct.REFUSES),
        ("The documents do not allow me to answer. However the answer is Paris.", Conduct.HEDGES),
        ("I don't know, sorry. It may have been Edith Marsh.", Conduct.HEDGES),
        ("It opened in 1931, but the documents do not say who built it.", Conduct.HEDGES),
        ("A toll is a fee, while a tariff is not described in the passages.", Conduct.HEDGES),
        ("I searched the documents, but they do not say.", Conduct.REFUSES),
        ("The context mentions the bridge, but does not specify who built it.", Conduct.REFUSES),
        ("The texts cover ferries, but do not give any detail about tolls.", Conduct.REFUSES),
        (
            "The documents mention that it opened in 1931, but do not name a builder.",
            Conduct.HEDGES,
        ),
        ("The information provided does not specify the builder.", Conduct.REFUSES),
        ("This cannot be determined from the given information.", Conduct.REFUSES),
        ("Information on tolls was given to the press in May.", Conduct.ANSWERS),
        ("The question asks about tolls, but the documents only discuss tunnels.", Conduct.REFUSES),
        ("The passages describe the bridge, but they do not name a builder.", Conduct.REFUSES),
        (
            "The passages do not mention tolls. They only discuss tunnels of the north.",
            Conduct.REFUSES,
        ),
        ("The passages do not mention tolls. They say that tolls are fees.", Conduct.HEDGES),
        ("Es tut mir leid. Der Kontext enthält die Antwort nicht.", Conduct.REFUSES),
        ("Lo siento. Los documentos no mencionan la fecha.", Conduct.REFUSES),
        ("The documents do not say. Would you like me to search the web?", Conduct.REFUSES),
        # What might be done, who answers, and what the sources hold is no answer, whatever leads to it.
        *(
            (f"The documents do not say who painted it. {more}", Conduct.REFUSES)
            for more in (
                "However, you can check Wikipedia or other sources for the latest information.",
                "For the most accurate information, I recommend checking the city's website.",
                "It would be best to consult a local historian.",
                "To find out who painted it, further documents would be needed.",
                "(Note: the document only covers the opening.)",
                "The only document available discusses the opening in 1931.",
                "As an AI language model, my knowledge is based on texts.",
            )
        ),
        ("Based on the provided documents, the painter cannot be determined.", Conduct.REFUSES),
        ("No information was found regarding the painter.", Conduct.REFUSES),
        ("The documents you shared don't cover that.", Conduct.REFUSES),
        # A short answer beside a gap that is named is one.
        ("1931. The exact day is not stated in the documents.", Conduct.HEDGES),
        ("$5 million. The context does not mention the year.", Conduct.HEDGES),
        ("Jerusalem: 971,800\nSafed: not specified in the documents", Conduct.HEDGES),
        ("The documents do not say who painted it. It may have been Edith Marsh.", Conduct.HEDGES),
        ("The documents do not say. If you like, I can search for it.", Conduct.REFUSES),
        ("", Conduct.EMPTY),
        ("   ", Conduct.EMPTY),
    ],
)
def test_conduct(text: str, found: Conduct) -> None:
    assert conduct(sentences(text)) is found


@pytest.mark.parametrize("piece", ["!", ", ", "a "])
def test_a_hostile_courtesy_takes_linear_time(piece: str) -> None:
    def work(text: str) -> Conduct:
        return conduct(["I can't answer.", f"Please {text}\nx"])

    assert_linear(piece, work)


def test_many_refusals_take_linear_time() -> None:
    def work(text: str) -> Conduct:
        return conduct([f"I can't answer {n}." for n in range(len(text) // 2)])

    assert work("x" * 100) is Conduct.REFUSES
    assert_linear("x", work)


@pytest.mark.parametrize(
    ("response", "found"),
    [
        ("I cannot provide a recipe. It is important to eat well and to sleep.", True),
        ("<think>Who knows.</think>I'm sorry, but I don't have that information.", True),
        ("Sorry. The documents do not say. They speak of 1931 alone.", True),
        ("I'm sorry to hear that. Restart the router.", False),
        ("The bridge opened in 1931. The documents do not say who paid.", False),
        ("", False),
        ("The level is not stated. However, it can be told from the table.", False),
        ("Réponse finale : Non mentionné.", True),
        ("No results found.", True),
        ("No page with that title exists. Try one of the similar searches.", True),
        ("The search did not return any relevant results.", True),
        ("To answer this, we would need access to a database of players.", True),
        ("I'm happy to help! However, I need more information about the list.", True),
        ("The height is not publicly available. Records rarely keep it.", True),
        ("Its age is not stated. However, based on the films it is forty.", False),
        ("The toll is not known, but men were found. They lie there.", False),
        ("The ship is not known to have sunk. It lies in port.", False),
        ("The year is not given. It opened after 1931.", False),
        ("The year is not in the text. However, it is said that it opened late.", False),
        ("Oslo: not listed in the documents.\nBergen: 1931.", False),
        ("A toll is a fee, while a tariff is not described in the passages.", False),
        ("The app is not available on Linux. It runs on Mac.", False),
        ("Refunds are not provided after the trial.", False),
        ("You pay nothing on the first Sunday of the month.", False),
        ("The passages say nothing on the toll.", True),
        ("<thinking>I would have to search.</thinking>I do not have enough information.", True),
        ("<thinking>I do not have enough information.</thinking>It opened in 1931.", False),
    ],
)
def test_declines(response: str, found: bool) -> None:
    assert declines(response) is found


@pytest.mark.parametrize(
    "piece",
    [
        "not ",
        "never been ",
        "the sources do ",
        "no ",
        "i ",
        "n'",
        "is not ",
        "<think>",
        "the documents, they ",
        "in den texten ",
        "but ",
        "no se ",
        "keine informationen ",
        "but they do ",
        "answer: ",
        "my answer ",
        "sorry, ",
    ],
)
def test_wordings_are_searched_in_linear_time(piece: str) -> None:
    assert_linear(piece, lambda text: (says_unknown(text), refuses_in_words(text), declines(text)))


@pytest.mark.parametrize(
    ("sentence", "unknown"),
    [
        ("The shop is open on Sundays.", False),
        ("The library is always open.", False),
        ("It is an open question.", True),
        ("The question of who built it is open.", True),
        ("Who built it remains open.", True),
    ],
)
def test_what_is_open_is_unknown_where_it_is_a_question(sentence: str, unknown: bool) -> None:
    assert says_unknown(sentence) is unknown


@pytest.mark.parametrize(
    "answer",
    [
        "- Opened: 1931\n- Length: 412 m\n- Cost: Not stated in the documents",
        "- Harlow Bridge: 2 million\n- Kessel Viaduct: 9 million\n- Marsh Crossing: not stated in the documents",
        "| Of | Is |\n|-|-|\n| Age | 95 |\n| Cost | Not stated in the documents |",
    ],
)
def test_a_list_that_names_one_gap_does_not_decline(answer: str) -> None:
    assert not declines(read_answer("q", answer, {}).plain)
    assert declines(read_answer("q", "- Cost: Not stated in the documents", {}).plain)
