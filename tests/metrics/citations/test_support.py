"""The metric support: the worked example of TREC's paper, first citations and all, misses."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from argue_bench.eval import Report, evaluate
from argue_bench.loaders.core.format import read_line
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import parse
from argue_bench.metrics.base import replay, tally_steps
from argue_bench.records import (
    Answer,
    Contradicts,
    Criterion,
    Document,
    Gold,
    JudgeRequest,
    Question,
    Refuses,
    Sentence,
    SupportLevel,
    Verdict,
)

QUESTION = Question("q", "What of the mill?", gold=Gold(answer="It closed."))
MEANS = ("precision", "recall", "strict_precision", "strict_recall")


class Levels(dict[Any, Verdict]):
    """The level of each document; nothing is contradicted."""

    def __init__(self, levels: dict[str, str]) -> None:
        self.levels = levels

    def __missing__(self, request: JudgeRequest) -> Verdict:
        if isinstance(request, Contradicts):
            return Verdict("no")
        assert isinstance(request, SupportLevel)
        return Verdict(self.levels[request.premise[0].id])

    def __contains__(self, request: object) -> bool:
        return True


def count(text: str, *cited: str, **levels: str) -> dict[str, float | None]:
    """The scores of sentences that cite these documents ("ab" is a and b), each of a known level."""
    documents = {id: Document(id, f"text {id}") for id in "abc"}
    sentences = tuple(Sentence(f"S{n}.", tuple(ids)) for n, ids in enumerate(cited))
    answer = Answer("q", " ".join(one.text for one in sentences), sentences)
    found = replay(tally_steps(parse(text), QUESTION, answer, documents), Levels(levels))
    return {name: found[name].value for name in MEANS}


def test_the_worked_example_of_the_paper() -> None:
    """arXiv 2504.15205, section 3.4: partial, full, and a sentence without a citation."""
    found = count("support", "a", "b", "", a="partial", b="full")
    assert list(found.values()) == [0.75, 0.5, 0.5, pytest.approx(1 / 3)]


def test_the_first_citation_or_all_and_what_is_not_there() -> None:
    assert count("support", "ab", a="no", b="full")["precision"] == 0
    assert count("support(citations=all)", "ab", a="no", b="full")["precision"] == 0.5
    assert count("support", "z", "a", a="full")["precision"] == 0.5
    assert set(count("support", "", "").values()) == set(count("support").values()) == {0}
    # The task page of 2026 leaves an object without citations out of precision, whatever a topic says.
    assert list(count("support(rules=rag26)", "", "").values()) == [None, 0, None, 0]


def report(
    answer: str, documents: dict[str, Document], judge: Any, metric: str = "support"
) -> Report:
    question = Question(QUESTION.id, QUESTION.text, documents=tuple(documents), gold=QUESTION.gold)
    data = Dataset("d", "dev", (question,), documents)
    return evaluate(data, [{"id": "q", "answer": answer}], [metric], judge=judge)


def test_the_neighbours_are_context_and_what_falls_short_is_listed() -> None:
    asked: list[JudgeRequest] = []

    def judge(request: JudgeRequest) -> str:
        asked.append(request)
        return "no" if isinstance(request, Contradicts) else "partial"

    documents = {"a": Document("a", "The mill closed in 1987.")}
    found = report("It was a mill. It closed in 1987 [a]. Tin was cheap.", documents, judge)
    request, contradicts = asked
    assert isinstance(request, SupportLevel)
    assert isinstance(contradicts, Contradicts)
    context = (request.before, request.sentence, request.after, request.question)
    assert context == ("It was a mill.", "It closed in 1987.", "Tin was cheap.", QUESTION.text)
    assert [(one.number, one.reason, one.lack) for one in found.failed_sentences()] == [
        (1, "it cites nothing", "uncited"),
        (2, "supported in part by what it cites", "partly"),
        (3, "it cites nothing", "uncited"),
    ]
    assert found.scores["support.uncited"].value == pytest.approx(2 / 3)


def test_a_sentence_that_another_document_supports_names_it_and_inventions_are_counted() -> None:
    texts = {"a": "The mill was red.", "b": "The mill closed in 1987.", "c": "Nothing of that."}

    def judge(request: JudgeRequest) -> str:
        if isinstance(request, Contradicts):
            return "yes" if "blue" in request.sentence else "no"
        assert isinstance(request, SupportLevel)
        return "full" if request.sentence in request.premise_text else "no"

    found = report(
        "The mill closed in 1987 [a]. The mill was red [7]. The mill was blue [a][9]. It fell [8].",
        {id: Document(id, text) for id, text in texts.items()},
        judge,
        "support(citations=all)",
    )
    assert {one.number: (one.lack, one.source) for one in found.failed_sentences()} == {
        1: ("another source", "b"),
        2: (
            "another source",
            "a",
        ),  # it cites what is not there, and a document that is supports it
        3: ("contradicted", ""),
        4: ("missing", ""),
    }
    shares = {"another_source": 2 / 4, "contradicted": 1 / 4, "missing": 1 / 4, "invented": 3 / 5}
    assert {name: found.value(f"support.{name}") for name in shares} == shares
    tally = found.per_question["q"]["support(citations=all)"]
    assert tally is not None
    assert tally["invented"].note == "not among the sources: 7, 9, 8"


def line_of_gold(**fields: Any) -> Gold:
    """The gold of a line of gold.jsonl."""
    line = {"id": "q", "answerable": True, **fields}
    return cast(Gold, read_line(line, Path("gold.jsonl"), 1)[1])


@pytest.mark.parametrize(
    ("gold", "value"),
    [
        (Gold(answer="It closed."), 0),
        (Gold(claims=("It closed.",)), 0),
        (Gold(rubric=(Criterion("a", "Says when it closed.", 1),)), 0),
        (Gold(supporting=("a",)), 0),
        (line_of_gold(), 0),
        (Gold(), None),
        (Gold(answerable=False), None),
        (line_of_gold(answerable=False), None),
    ],
    ids=["answer", "claims", "rubric", "supporting", "said", "nothing known", "none", "said none"],
)
@pytest.mark.parametrize(
    "metric", ["support.recall", "support.precision", "faithfulness.supported"]
)
@pytest.mark.parametrize("said", ["I can't say.", ""])
def test_only_a_refusal_that_may_be_right_does_not_apply(
    gold: Gold, value: float | None, metric: str, said: str
) -> None:
    """Where the gold says in any way that there is an answer, who says nothing has 0."""
    question = Question("q", "What?", documents=("a",), gold=gold)
    data = Dataset("d", "dev", (question,), {"a": Document("a", "Text.")})

    def judge(request: JudgeRequest) -> str:
        return "yes" if isinstance(request, Refuses) else "no"

    name = metric.partition(".")[0]
    found = evaluate(data, [{"id": "q", "answer": said}], [name], judge=judge)
    assert found.scores[metric].value == value


@pytest.mark.parametrize("metric", ["support", "faithfulness", "citations"])
@pytest.mark.parametrize(
    "said",
    [
        "",
        "I can't say.",
        "Thank you for the question.",
        "Please let me know if you have any questions [a].",
        ".",
        "<think>It closed.</think>",
        "Did tin close in 2003 [a]?",
        "Tin was sold in Rome in 2003 [a]:",
    ],
)
def test_saying_less_raises_no_score_that_a_board_ranks_by(metric: str, said: str) -> None:
    """The second question has an answer, and is left empty or declined."""
    texts = {"a": Document("a", "The mill closed in 1987.")}
    questions = [
        Question(id, "What?", documents=("a",), gold=Gold(answer="It closed.")) for id in ("p", "q")
    ]
    answers = [{"id": "p", "answer": "The mill closed in 1987 [a]."}, {"id": "q", "answer": said}]
    found = evaluate(
        Dataset("d", "dev", tuple(questions), texts), answers, [metric], judge="lexical"
    )
    for name in ("supported",) if metric == "faithfulness" else ("recall", "precision"):
        score = found.scores[f"{metric}.{name}"]
        assert (score.value, score.n) == (0.5, 2)
