"""Citations by our rules, each beside the fault of ALCE's that it mends (worked out by hand)."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from argue_bench.errors import UsageError
from argue_bench.metrics import parse
from argue_bench.metrics.citations.recall_precision import Citations
from argue_bench.records import Document, Entails, Gold, Question
from argue_bench.stats.averages import Column, value_of
from argue_bench.text import read_answer
from tests.metrics.citations.bridge import DOCUMENTS, judged, question, scored

ALCE, RAGEVAL = "citations(rules=alce)", "citations(rules=rageval)"
OPENED = "The Harlow Bridge opened in 1931"
BOTH = "The Harlow Bridge was designed by Edith Marsh born in Leeds"


def findings(text: str) -> list[tuple[str, str]]:
    (sentence,) = judged(text)
    return list(sentence.citations)


def test_recall_and_precision_of_an_answer() -> None:
    found = scored(f"{OPENED} [1]. Edith Marsh won the Telford Medal in 1935 [3]. It is long.")
    assert found["recall"] == (1, 3)
    assert found["precision"] == (1, 2)
    assert found.tallies["recall"].note == "unsupported sentences: 2, 3"
    assert [miss.lack for miss in found.tallies["recall"].misses] == ["", "uncited"]
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
    names = ("apple", "apple", "berry", "berry")
    documents = {f"f{n}": Document(f"f{n}", name) for n, name in enumerate(names)}
    text = "apple berry [1][2][3][4]."
    assert scored(text, documents=documents)["precision"] == (4, 4)
    unlimited = "citations(rules=alce,max_citations=0)"
    assert scored(text, unlimited, documents=documents)["precision"] == (0, 4)


@pytest.mark.parametrize(
    ("text", "column", "theirs", "ours"),
    [
        ("", "recall", (0, 0), (0, 1)),
        ("", "precision", (0, 0), (0, 1)),
        # [0] names nothing; to ALCE it is the last document.
        (f"{OPENED}, says the register [0].", "recall", (1, 1), (0, 1)),
        # Repeated and interchangeable citations are correct.
        (f"{BOTH} [1][1][2].", "precision", (1, 3), (2, 2)),
        (f"{BOTH} [1][2][4].", "precision", (1, 3), (3, 3)),
        # Invented numbers lower the precision, and fail alone.
        (f"{OPENED} [1]. It rises in Wales [9][8].", "precision", (1, 1), (1, 3)),
        (f"{OPENED} [1][9].", "recall", (0, 1), (1, 1)),
        # There is no limit of citations, and copies take no place.
        (f"{BOTH} [1][1][1][2].", "recall", (0, 1), (1, 1)),
        (f"{BOTH} [3][5][1][2].", "recall", (0, 1), (1, 1)),
        # Lists, ranges and ids are read; a year is text.
        (f"{BOTH} [1, 2].", "recall", (0, 1), (1, 1)),
        (f"{BOTH} [1-2].", "recall", (0, 1), (1, 1)),
        (f"{OPENED} [1931] [1].", "recall", (0, 1), (1, 1)),
        (f"{OPENED} [d1].", "recall", (0, 1), (1, 1)),
        # A courtesy is no sentence.
        (f"Hello! {OPENED} [1].", "recall", (1, 2), (1, 1)),
    ],
)
def test_faults_of_alce(
    text: str, column: str, theirs: tuple[int, int], ours: tuple[int, int]
) -> None:
    assert scored(text, ALCE)[column] == theirs
    assert scored(text)[column] == ours


def test_abstaining_never_raises_a_score() -> None:
    right, wrong = f"{OPENED} [1].", f"{OPENED} [3]. It was designed by Edith Marsh [1][3]."
    for column in ("recall", "precision"):
        assert _mean(column, [right, ""]) <= _mean(column, [right, wrong])
        assert _mean(column, [right, ""], ALCE) > _mean(column, [right, wrong], ALCE)


def _mean(column: str, texts: list[str], metric: str = "citations") -> float:
    rows = [scored(text, metric)[column] for text in texts]
    values = [got / of for got, of in rows if of]
    return sum(values) / len(values)


def test_a_citation_behind_the_full_stop_belongs_before_it() -> None:
    found = scored(f"{OPENED}. [1] The Teme rises in Wales. [3]")
    assert (found["recall"], found["precision"]) == ((2, 2), (2, 2))


def test_brackets_and_bars_stay() -> None:
    (sentence,) = judged("The Harlow Bridge [sic] | opened [1].")
    assert sentence.sentence.plain == "The Harlow Bridge [sic] | opened."


def test_a_question_without_answer_does_not_apply() -> None:
    found = scored("The documents do not say.", answerable=False)
    assert not found.rounds
    assert {tally.denominator for tally in found.tallies.values()} == {0}


def test_one_document_supports_whatever_is_cited_beside_it() -> None:
    def confused(request: Entails) -> bool:
        return len(request.premise) == 1 and request.premise[0].id == "d1"

    found = scored(f"{OPENED} [1][3].", rule=confused)
    assert (found["recall"], found["precision"]) == ((1, 1), (1, 2))


def test_each_ask_once_and_no_more_than_declared() -> None:
    text = " ".join(f"{BOTH} [{']['.join(cited)}]." for cited in ("124", "1243", "13", "1", "1"))
    found = scored(text)
    assert sum(map(len, found.rounds)) == len(found.requests)
    later = sum(map(len, found.rounds[1:]))
    answer = read_answer("q", text, DOCUMENTS)
    bounds = Citations().later_requests(question(), answer, DOCUMENTS)["Entails"]
    assert bounds[0] == 0 < later <= bounds[1]


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

        (sentence,) = judged(cited, rule)
        found = dict(sentence.citations)
        needed = {id for id, finding in found.items() if finding == "needed"}
        assert needed in least
        for id in found.keys() - needed:
            fits = any(holds(needed - {out} | {id}) for out in needed)
            assert found[id] == ("exchangeable" if fits else "adds nothing")


def test_micro_scores_are_sums() -> None:
    rows = [scored(text).tallies for text in (f"{OPENED} [1][3].", f"{OPENED} [3]. It is.", "")]
    columns = {
        name: Column(
            np.array([row[name].numerator for row in rows], dtype=np.float64),
            np.array([row[name].denominator for row in rows], dtype=np.float64),
        )
        for name in rows[0]
    }
    averages = Citations().averages(columns)
    scores = {name: value_of(average, columns) for name, average in averages.items()}
    assert scores["recall"] == pytest.approx((1 + 0 + 0) / 3)
    assert scores["recall_micro"] == pytest.approx(1 / 3)
    assert scores["precision"] == pytest.approx((1 / 2 + 0 + 0) / 3)
    assert scores["precision_micro"] == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("citations(max_citations=2)", "no option 'max_citations'"),
        ("citations(unit=item)", "no option 'unit'"),
        ("citations(rules=alce,max_citations=-1)", "a number from 0"),
        (
            "citations(rules=alce,document_field=summary)",
            r"'citations\(rules=alce\)' has no option",
        ),
        ("citations(rules=none)", "no rules=none; it has: default, alce, rageval, fact-code"),
    ],
)
def test_options_of_other_rules_are_refused(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        parse(text)


def test_other_notations_are_nothing_to_published_rules_and_it_is_said() -> None:
    for rules in (ALCE, RAGEVAL):
        told = scored(f"{OPENED} [d1].", rules).tallies["recall"].note
        assert "reads numbers in brackets alone" in told
        assert "alone" not in scored(f"{OPENED} [3].", rules).tallies["recall"].note


@pytest.mark.parametrize("rules", [ALCE, RAGEVAL])
def test_published_rules_say_of_each_citation_whether_it_counts(rules: str) -> None:
    text = f"{OPENED} [1][7]. The toll was painted [2][3]. It is wide. {OPENED} [1][3]."
    told = scored(text, rules, rule=lambda request: request.premise[0].id.startswith("d1"))
    uncounted = "unsupported" if rules == ALCE else "not counted"
    assert [miss.reason for miss in told.tallies["recall"].misses] == [
        "[d1] not counted, [7] not counted",
        f"[d2] {uncounted}, [d3] {uncounted}",
        "cites nothing",
    ]
    assert told.tallies["precision"].note.endswith("4: [d1] counted correct, [d3] adds nothing")


def test_rageval_reads_the_form_that_the_prompt_showed() -> None:
    documents = {"d1": Document("d1", "long text", "T", summary="short text")}
    asked = Question("q", "?", documents=("d1",), gold=Gold())
    answer = read_answer("q", "It is short [1].", documents)
    for shown, text in (("summary", "short text"), ("extraction", "long text")):
        metric = parse(f"citations(rules=rageval,document_field={shown})")
        (only,) = next(metric.tally(asked, answer, documents))
        assert isinstance(only, Entails)
        assert only.premise_text == f"Document [1](Title: T): {text}\n"


def test_a_sentence_that_states_nothing_and_cites_nothing_is_left_out() -> None:
    found = scored(f"Here is what I found.\n\n{OPENED} [1]. Hope this helps!")
    assert found["recall"] == (1, 1)
    assert found.tallies["recall"].note == "left out, since they state nothing: 1, 3"
    cited = scored(f"Hope this helps! [3] {OPENED} [1].")
    assert (cited["recall"], cited["precision"]) == ((1, 2), (1, 2))  # what cites is judged
    alone = scored("Hope this helps!")
    assert (alone["recall"], alone["precision"]) == ((0, 1), (0, 1))  # courtesy is no way out


def test_a_bare_answer_is_judged_with_the_sentence_after_it() -> None:
    bridge = Document("d1", "The bridge opened in 1931.")
    answer = read_answer("q", "It is old. Yes. It opened in 1931 [1].", {"d1": bridge})
    steps = Citations().tally(Question("q", "Did it?", documents=("d1",)), answer, {"d1": bridge})
    (request,) = next(steps)
    assert isinstance(request, Entails)
    assert (request.before, request.hypothesis) == ("It is old.", "Yes. It opened in 1931.")
