"""Citations by our rules, each beside the fault of ALCE's that it mends (worked out by hand)."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

from argue_bench.errors import UsageError
from argue_bench.metrics import parse
from argue_bench.metrics.base import replay
from argue_bench.metrics.citations.judgments import CheckedSentence
from argue_bench.metrics.citations.metric import Citations
from argue_bench.records import (
    Answer,
    Document,
    Entails,
    Gold,
    JudgeRequest,
    Question,
    Sentence,
    Tally,
    Verdict,
)
from argue_bench.stats.averages import Column, value_of
from argue_bench.text import read_answer
from tests.metrics.citations.bridge import DOCUMENTS, judged, question, scored

ALCE = "citations(rules=alce)"
OPENED = "The Harlow Bridge opened in 1931"
BOTH = "The Harlow Bridge was designed by Edith Marsh born in Leeds"


def findings(text: str) -> list[tuple[str, str]]:
    (sentence,) = judged(text).sentences
    return [(one.document, one.finding) for one in sentence.citations]


def test_recall_and_precision_of_an_answer() -> None:
    found = scored(f"{OPENED} [1]. Edith Marsh won the Telford Medal in 1935 [3]. It is long.")
    assert found["recall"] == (1, 3)
    assert found["precision"] == (1, 2)
    assert found.tallies["recall"].note == "unsupported sentences: 2, 3"
    assert found.tallies["precision"].note == "1: [d1] supports; 2: [d3] unsupported"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"{OPENED} [1].", [("d1", "supports")]),
        (f"{OPENED} [1][5].", [("d1", "supports"), ("d5", "supports")]),
        (f"{OPENED} [1][3].", [("d1", "supports"), ("d3", "adds nothing")]),
        (f"{BOTH} [1][2].", [("d1", "needed"), ("d2", "needed")]),
        (f"{BOTH} [1][2][3].", [("d1", "needed"), ("d2", "needed"), ("d3", "adds nothing")]),
        (f"{BOTH} [1][2][4].", [("d1", "needed"), ("d2", "needed"), ("d4", "exchangeable")]),
        (f"{BOTH} [2][3].", [("d2", "unsupported"), ("d3", "unsupported")]),
        (f"{OPENED} [1][9].", [("d1", "supports"), ("9", "names nothing")]),
        ("It opened. [1]", [("d1", "supports")]),
        ("[1]", [("d1", "says nothing")]),
    ],
)
def test_what_is_found_of_each_citation(text: str, expected: list[tuple[str, str]]) -> None:
    assert findings(text) == expected


def test_two_documents_for_each_of_two_facts_are_all_correct() -> None:
    documents = {
        "a1": Document("a1", "apple"),
        "a2": Document("a2", "apple"),
        "b1": Document("b1", "berry"),
        "b2": Document("b2", "berry"),
    }
    found = scored("apple berry [1][2][3][4].", documents=documents)
    assert found["precision"] == (4, 4)
    unlimited = "citations(rules=alce,max_citations=0)"
    assert scored("apple berry [1][2][3][4].", unlimited, documents=documents)["precision"] == (
        0,
        4,
    )


class TestFaultsOfAlce:
    """Spec section 4, by its numbers: what ALCE gives, then what we give."""

    def test_1_an_empty_answer_counts(self) -> None:
        assert scored("", ALCE)["recall"] == (0, 0)
        assert scored("")["recall"] == (0, 1)
        assert scored("")["precision"] == (0, 1)

    def test_1_abstaining_never_raises_a_score(self) -> None:
        right, wrong = f"{OPENED} [1].", f"{OPENED} [3]. It was designed by Edith Marsh [1][3]."
        for column in ("recall", "precision"):
            assert _mean(column, [right, ""]) <= _mean(column, [right, wrong])
            assert _mean(column, [right, ""], ALCE) > _mean(column, [right, wrong], ALCE)

    def test_2_zero_names_nothing(self) -> None:
        text = f"{OPENED}, says the register [0]."
        assert scored(text, ALCE)["recall"] == (1, 1)
        assert scored(text)["recall"] == (0, 1)
        assert findings(text) == [("0", "names nothing")]

    def test_3_repeated_and_interchangeable_citations_are_correct(self) -> None:
        twice = f"{BOTH} [1][1][2]."
        assert scored(twice, ALCE)["precision"] == (1, 3)
        assert scored(twice)["precision"] == (2, 2)
        either = f"{BOTH} [1][2][4]."
        assert scored(either, ALCE)["precision"] == (1, 3)
        assert scored(either)["precision"] == (3, 3)

    def test_4_inventing_numbers_lowers_precision(self) -> None:
        text = f"{OPENED} [1]. It rises in Wales [9][8]."
        assert scored(text, ALCE)["precision"] == (1, 1)
        assert scored(text)["precision"] == (1, 3)

    def test_4_a_citation_out_of_range_fails_alone(self) -> None:
        assert scored(f"{OPENED} [1][9].", ALCE)["recall"] == (0, 1)
        assert scored(f"{OPENED} [1][9].")["recall"] == (1, 1)

    def test_5_no_limit_and_copies_take_no_place(self) -> None:
        assert scored(f"{BOTH} [1][1][1][2].", ALCE)["recall"] == (0, 1)
        assert scored(f"{BOTH} [1][1][1][2].")["recall"] == (1, 1)
        assert scored(f"{BOTH} [3][5][1][2].", ALCE)["recall"] == (0, 1)
        assert scored(f"{BOTH} [3][5][1][2].")["recall"] == (1, 1)

    def test_6_a_citation_behind_the_full_stop_belongs_before_it(self) -> None:
        text = f"{OPENED}. [1] The Teme rises in Wales. [3]"
        assert scored(text)["recall"] == (2, 2)
        assert scored(text)["precision"] == (2, 2)
        punkt = [f"{OPENED}.", "[1] The Teme rises in Wales.", "[3]"]
        assert _with_sentences(punkt, text).tallies["recall"].value == 0

    def test_7_lists_and_ranges_are_read(self) -> None:
        for text in (f"{BOTH} [1, 2].", f"{BOTH} [1-2]."):
            assert scored(text, ALCE)["recall"] == (0, 1)
            assert scored(text)["recall"] == (1, 1)

    def test_7_a_year_in_brackets_is_text(self) -> None:
        text = f"{OPENED} [1931] [1]."
        assert scored(text, ALCE)["recall"] == (0, 1)
        assert scored(text)["recall"] == (1, 1)

    def test_8_brackets_and_bars_stay(self) -> None:
        (sentence,) = judged("The Harlow Bridge [sic] | opened [1].").sentences
        assert sentence.text == "The Harlow Bridge [sic] | opened."

    def test_12_no_share_is_more_than_the_whole(self) -> None:
        for text in (f"{OPENED} [1][2][3][4][5].", f"{OPENED} [3][4].", f"{BOTH} [1][1][1][2][2]."):
            for metric in (ALCE, "citations", "citations(rules=rageval)"):
                found = scored(text, metric)
                assert all(
                    0 <= got <= of for name in ("recall", "precision") for got, of in [found[name]]
                )


def _mean(column: str, texts: list[str], metric: str = "citations") -> float:
    rows = [scored(text, metric)[column] for text in texts]
    values = [got / of for got, of in rows if of]
    return sum(values) / len(values)


def _with_sentences(parts: list[str], text: str) -> JudgedTallies:
    class Parts(Citations):
        def sentences(self, text: str) -> list[str]:
            return parts

    asking = Parts(rules="alce").tally(question(), read_answer("q", text, DOCUMENTS), DOCUMENTS)
    try:
        requests = next(asking)
        while True:
            requests = asking.send({request: Verdict("no") for request in requests})
    except StopIteration as stop:
        return JudgedTallies(stop.value)


class JudgedTallies:
    def __init__(self, tallies: dict[str, Tally]) -> None:
        self.tallies = tallies


def test_a_question_without_answer_does_not_apply() -> None:
    found = scored("The documents do not say.", answerable=False)
    assert not found.rounds
    assert {tally.denominator for tally in found.tallies.values()} == {0}


def test_a_refusal_among_sentences_counts_as_a_sentence() -> None:
    text = f"{OPENED} [1]. I don't know who paid for it."
    assert scored(text)["recall"] == (1, 2)


def test_marks_before_any_word_support_nothing() -> None:
    found = scored("[1]")
    assert found["recall"] == (0, 1)
    assert found["precision"] == (0, 1)
    assert not found.rounds


def test_one_document_supports_whatever_is_cited_beside_it() -> None:
    def confused(request: Entails) -> bool:
        return len(request.premise) == 1 and request.premise[0].id == "d1"

    found = scored(f"{OPENED} [1][3].", rule=confused)
    assert found["recall"] == (1, 1)
    assert found["precision"] == (1, 2)


def test_each_ask_once_and_no_more_than_declared() -> None:
    text = " ".join(f"{BOTH} [{']['.join(cited)}]." for cited in ("124", "1243", "13", "1", "1"))
    found = scored(text)
    assert sum(map(len, found.rounds)) == len(found.requests)
    later = sum(map(len, found.rounds[1:]))
    bounds = parse("citations").later_requests(
        question(), read_answer("q", text, DOCUMENTS), DOCUMENTS
    )["Entails"]
    assert 0 < later <= bounds[1]
    assert bounds[0] == 0


def test_of_many_documents_few_things_are_asked() -> None:
    documents = {f"m{n}": Document(f"m{n}", f"word{n}") for n in range(200)}
    marks = "".join(f"[{n + 1}]" for n in range(200))
    found = scored(f"word17 word180 {marks}.", documents=documents)
    assert found["precision"] == (2, 200)
    assert len(found.requests) <= 201 + 2 * 2 * 8 + 2


def test_a_citation_is_exchangeable_where_it_alone_can_take_the_place_of_a_needed_one() -> None:
    draw = random.Random(2)
    cited = f"{OPENED} [{']['.join('12345')}]."
    for _ in range(200):
        # Sets of documents that support the sentence, as do all that hold one of them.
        least = [frozenset(draw.sample([*DOCUMENTS][:5], 3)) for _ in range(draw.randrange(1, 6))]

        def holds(ids: set[str], least: list[frozenset[str]] = least) -> bool:
            return any(one <= ids for one in least)

        def rule(request: Entails, holds: Callable[[set[str]], bool] = holds) -> bool:
            return holds({one.id for one in request.premise})

        (sentence,) = judged(cited, rule).sentences
        found = {one.document: one.finding for one in sentence.citations}
        needed = {id for id, finding in found.items() if finding == "needed"}
        assert needed in least
        for id in found.keys() - needed:
            fits = any(holds(needed - {out} | {id}) for out in needed)
            assert found[id] == ("exchangeable" if fits else "adds nothing")


def test_all_sentences_share_the_rounds() -> None:
    one = scored(f"{BOTH} [1][2][4].")
    many = scored(f"{BOTH} [1][2][4]. {OPENED} [1][5]. Edith Marsh born in Leeds swam [4].")
    assert len(many.rounds) == len(one.rounds)


def test_judgments_are_made_again_from_verdicts() -> None:
    text = f"{BOTH} [1][2][4]. {OPENED} [9]."
    answer = read_answer("q", text, DOCUMENTS)
    verdicts: dict[JudgeRequest, Verdict] = {
        request: Verdict("yes" if len(request.premise) > 1 else "no")
        for request in scored(text, rule=lambda request: len(request.premise) > 1).requests
    }
    again = replay(Citations().judged(question(), answer, DOCUMENTS), verdicts)
    assert again == judged(text, rule=lambda request: len(request.premise) > 1)
    assert again.sentences[1] == CheckedSentence(
        f"{OPENED}.", False, again.sentences[1].citations, states=True
    )


def test_micro_scores_are_sums() -> None:
    rows = [scored(text).tallies for text in (f"{OPENED} [1][3].", f"{OPENED} [3]. It is.", "")]
    columns = {
        name: Column(
            *(
                _array([getattr(row[name], part) for row in rows])
                for part in ("numerator", "denominator")
            )
        )
        for name in rows[0]
    }
    scores = {
        name: value_of(average, columns) for name, average in Citations().averages(columns).items()
    }
    assert scores["recall"] == pytest.approx((1 + 0 + 0) / 3)
    assert scores["recall_micro"] == pytest.approx(1 / 3)
    assert scores["precision"] == pytest.approx((1 / 2 + 0 + 0) / 3)
    assert scores["precision_micro"] == pytest.approx(1 / 3)


def _array(values: list[float]):  # type: ignore[no-untyped-def]
    import numpy as np

    return np.array(values, dtype=np.float64)


class TestItems:
    def test_each_item_is_asked_behind_the_question(self) -> None:
        found = scored("Leeds [2], Wales [3].", "citations(unit=item)", rule=lambda request: True)
        assert {request.hypothesis for request in found.requests} == {
            "What of the bridge? Leeds",
            "What of the bridge? Wales",
        }
        assert found["recall"] == (2, 2)

    def test_commas_in_marks_and_marks_behind_commas(self) -> None:
        items = judged("- Leeds [1, 2],\n- Wales, [3] and", metric="citations(unit=item)").sentences
        assert [(one.text, [c.document for c in one.citations]) for one in items] == [
            ("Leeds", ["d1", "d2"]),
            ("Wales", []),
            ("and", ["d3"]),
        ]

    def test_an_answer_of_sentences_has_them_as_items(self) -> None:
        answer = Answer("q", "Leeds Wales", (Sentence("Leeds", ("d2",)), Sentence("Wales")))
        asking = parse("citations(unit=item)").tally(question(), answer, DOCUMENTS)
        assert [
            request.premise[0].id for request in next(asking) if isinstance(request, Entails)
        ] == ["d2"]


@pytest.mark.parametrize(
    "text",
    [
        "citations(max_citations=2)",
        "citations(rules=rageval,max_citations=2)",
        "citations(rules=alce,max_citations=-1)",
        "citations(rules=alce,document_field=summary)",
        "citations(rules=rageval,unit=item)",
    ],
)
def test_options_that_mean_nothing_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="citations"):
        parse(text)


def test_other_notations_are_nothing_to_alce_and_it_is_said() -> None:
    found = scored(f"{OPENED} [d1].", ALCE)
    assert found["recall"] == (0, 1)
    assert "reads numbers in brackets alone" in found.tallies["recall"].note
    assert scored(f"{OPENED} [d1].")["recall"] == (1, 1)
    for rules in (ALCE, "citations(rules=rageval)"):
        assert "alone" not in scored(f"{OPENED} [3].", rules).tallies["recall"].note


def test_rageval_reads_the_form_that_the_prompt_showed() -> None:
    documents = {"d1": Document("d1", "long text", "T", summary="short text")}
    request = Question("q", "?", documents=("d1",), gold=Gold())
    answer = read_answer("q", "It is short [1].", documents)
    for shown, text in (("summary", "short text"), ("extraction", "long text")):
        metric = parse(f"citations(rules=rageval,document_field={shown})")
        (only,) = next(metric.tally(request, answer, documents))
        assert isinstance(only, Entails)
        assert only.premise_text == f"Document [1](Title: T): {text}\n"


def test_a_sentence_that_states_nothing_and_cites_nothing_is_left_out() -> None:
    found = scored(f"Here is what I found: \n\n{OPENED} [1]. Hope this helps!")
    assert found["recall"] == (1, 1)
    assert found.tallies["recall"].note == "left out, since they state nothing new: 1, 3"
    cited = scored(f"Hope this helps! [3] {OPENED} [1].")
    assert (cited["recall"], cited["precision"]) == ((1, 2), (1, 2))  # what cites is judged
    alone = scored("Hope this helps!")
    assert (alone["recall"], alone["precision"]) == ((0, 1), (0, 1))  # courtesy is no way out
    assert scored(f"Hello! {OPENED} [1].", "citations(rules=alce)")["recall"] == (1, 2)


def test_a_bare_answer_is_judged_with_the_sentence_after_it() -> None:
    bridge = Document("d1", "The bridge opened in 1931.")
    answer = read_answer("q", "Yes. It opened in 1931 [1].", {"d1": bridge})
    steps = Citations().tally(Question("q", "Did it?", documents=("d1",)), answer, {"d1": bridge})
    assert [one.hypothesis for one in next(steps)] == ["Yes. It opened in 1931."]
