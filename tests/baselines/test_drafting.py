"""Drafted nuggets: nuggetizer's steps and counts, sources, duplicates, failures, interruption, cost."""

from __future__ import annotations

import random
from math import ceil
from pathlib import Path

import pytest

from argue_bench.baselines.drafting import (
    Draft,
    Topic,
    draft_nuggets,
    draft_topic,
    expected_cost,
    topics_of,
    topics_of_reports,
)
from argue_bench.errors import JudgeError
from argue_bench.judges.prompted.spec import for_estimates
from argue_bench.loaders import load_dev
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import (
    Answer,
    Document,
    DraftNuggets,
    Entails,
    Failed,
    JudgeRequest,
    NuggetImportance,
    Question,
    Relevant,
    Sentence,
    Source,
    Verdict,
)
from tests.agreement.programs.nuggetizer_loops import CreateCall, LabelCall, create_nuggets

MINE = Source("mine", "The mine closed in 1987. It employed 900 people. A church stands near it.")
TIN = Source("tin", "Tin became cheap. The price of tin fell, so the mine was closed in 1987.")
TOPIC = Topic("t1", "What became of the mine?", (MINE, TIN))


def draft(topic: Topic, judge: object, **options: object) -> Draft:
    (one,) = draft_nuggets([topic], judge, **options)  # type: ignore[arg-type]
    return one


class Scripted:
    """A model by rules: what it is asked is kept."""

    def __init__(
        self, *lists: str, vital: tuple[str, ...] = (), true: tuple[str, ...] = ()
    ) -> None:
        self.lists, self.vital, self.true = list(lists), vital, true
        self.asked: list[JudgeRequest] = []

    def __call__(self, request: JudgeRequest) -> str | Failed:
        self.asked.append(request)
        if isinstance(request, DraftNuggets):
            return self.lists.pop(0)
        if isinstance(request, NuggetImportance):
            return "vital" if request.nugget in self.vital else "okay"
        if isinstance(request, Entails):
            return "yes" if request.hypothesis in self.true else "no"
        assert isinstance(request, Relevant)
        return "yes" if request.answer in self.true else "no"


def test_a_nugget_has_its_importance_its_documents_and_its_sentence() -> None:
    said = ("the mine closed in 1987", "900 people")
    model = Scripted(
        "1. the mine closed in 1987\n- How many did it employ? 900 people\n\n* it was on Mars",
        vital=("the mine closed in 1987",),
        true=said,
    )
    done = draft(TOPIC, model)
    closed, employed = done.nuggets
    assert (closed.text, closed.importance, closed.references) == (
        said[0],
        "vital",
        ("mine", "tin"),
    )
    assert (closed.passage, closed.sentence) == ("mine", "The mine closed in 1987.")
    assert (employed.question, employed.text) == ("How many did it employ?", "900 people")
    assert (employed.sentence, employed.references[0]) == ("It employed 900 people.", "mine")
    assert done.dropped == ["it was on Mars"]
    gold = done.gold
    assert [one.question for one in gold] == ["What became of the mine?", "How many did it employ?"]
    assert [one.weight for one in gold] == ["vital", "okay"]
    assert gold[0].answers[0].references == ("mine", "tin")


def test_what_says_the_same_is_merged_and_what_differs_in_a_number_is_not() -> None:
    def judge(request: JudgeRequest) -> str:
        if isinstance(request, DraftNuggets):
            return "\n".join(
                [
                    "the mine closed in 1987",
                    "In 1987 the mine closed.",
                    "the mine was shut in 1987",
                    "the mine closed in 1988",
                ]
            )
        if isinstance(request, NuggetImportance):
            return "vital" if "shut" in request.nugget else "okay"
        assert isinstance(request, Entails)
        years = [text for text in ("1987", "1988") if text in request.hypothesis]
        return (
            "yes"
            if request.premise[0].id in ("mine", "tin") or years[0] in request.premise_text
            else "no"
        )

    done = draft(TOPIC, judge)
    assert [one.text for one in done.nuggets] == [
        "the mine closed in 1987",
        "the mine closed in 1988",
    ]
    assert done.nuggets[0].importance == "vital"  # as the most important of those merged
    assert [other for _, other in done.merged] == ["the mine closed in 1987"] * 2


@pytest.mark.parametrize("seed", range(12))
def test_lists_labels_and_calls_are_nuggetizers(seed: int) -> None:
    draws = random.Random(seed)
    passages = tuple(Source(f"d{n}", f"text {n}") for n in range(draws.randrange(0, 45)))
    lists = [
        [
            f"w{draws.randrange(10**9)} x{draws.randrange(10**9)}"
            for _ in range(draws.randrange(0, 40))
        ]
        for _ in range(ceil(len(passages) / 10))
    ]
    calls: list[object] = []

    def create(call: CreateCall) -> str:
        calls.append((len(call.passages), call.nuggets))
        return repr(lists[len(calls) - 1])

    def label(call: LabelCall) -> str:
        return repr(["vital" if hash_of(text) else "okay" for text in call.nuggets])

    def hash_of(text: str) -> bool:
        return int(text.split()[0][1:]) % 2 == 0

    theirs = create_nuggets([one.text for one in passages], create, label)

    asked: list[object] = []

    def judge(request: JudgeRequest) -> str | Failed:
        if isinstance(request, DraftNuggets):
            asked.append((len(request.documents), request.nuggets))
            return "\n".join(lists[len(asked) - 1])
        if isinstance(request, NuggetImportance):
            return "vital" if hash_of(request.nugget) else "okay"
        return Failed("not checked here")

    topic = Topic("t", "Question?", tuple(Source(s.id, s.text + " w") for s in passages))
    ours = draft(topic, judge)
    rated = {*ours.dropped, *(one.text for one in ours.nuggets)}
    assert asked == calls  # windows of ten, each with the list so far
    assert rated == {row["text"] for row in theirs}
    assert len(theirs) <= 30


def test_ratings_go_out_ten_at_a_time_as_nuggetizers_do() -> None:
    said = {
        DraftNuggets: "\n".join(f"fact number {n}" for n in range(23)),
        NuggetImportance: "okay",
        Entails: "no",
    }
    asking = draft_topic(TOPIC)
    steps: list[int] = []

    def go_on() -> None:
        requests = next(asking)
        while True:
            steps.append(len(requests))
            requests = asking.send({one: Verdict(said[type(one)]) for one in requests})

    with pytest.raises(StopIteration) as stop:
        go_on()
    assert steps == [1, 10, 10, 3, 46]
    assert len(stop.value.value.dropped) == 23


def test_a_window_that_fails_keeps_the_list_and_is_said() -> None:
    passages = tuple(Source(f"d{n}", f"The mine closed in {1900 + n}.") for n in range(25))
    said = iter(["the mine closed in 1901", Failed("lost"), "the mine closed in 1902"])

    def judge(request: JudgeRequest) -> str | Failed:
        if isinstance(request, DraftNuggets):
            reply = next(said)
            if isinstance(reply, str) and "1902" in reply:
                assert request.nuggets == ("the mine closed in 1901",)
            return reply
        return Failed("no") if isinstance(request, NuggetImportance) else "yes"

    done = draft(Topic("t", "When did it close?", passages), judge)
    assert [one.text for one in done.nuggets] == ["the mine closed in 1902"]
    assert done.failures[0] == "passages 11 to 20: lost"
    assert "importance" in done.failures[1]
    assert done.nuggets[0].importance == "okay"


def test_a_nugget_that_could_not_be_checked_stays_without_references() -> None:
    def judge(request: JudgeRequest) -> str | Failed:
        if isinstance(request, DraftNuggets):
            return "the mine closed in 1987"
        return "okay" if isinstance(request, NuggetImportance) else Failed("lost")

    done = draft(TOPIC, judge)
    assert [one.references for one in done.nuggets] == [()]
    assert "not checked" in done.failures[0]
    assert not done.dropped


def test_what_was_interrupted_goes_on_from_its_store(tmp_path: Path) -> None:
    topics = [Topic(f"t{n}", f"What became of mine {n}?", TOPIC.passages) for n in range(6)]
    store = tmp_path / "verdicts"
    asked: list[JudgeRequest] = []

    def model(request: JudgeRequest) -> str:
        asked.append(request)
        if isinstance(request, DraftNuggets):
            return f"the mine closed in 1987\n900 people at {request.question}"
        return "vital" if isinstance(request, NuggetImportance) else "yes"

    def lost(request: JudgeRequest) -> str:
        if len(asked) >= 9:
            raise JudgeError("the budget is spent")
        return model(request)

    lost.__name__ = model.__name__ = "model"  # one judge, in the store's eyes
    with pytest.raises(JudgeError):
        draft_nuggets(topics, _named(lost), store=store)
    before = len(asked)
    whole = draft_nuggets(topics, _named(model), store=store)
    assert len(asked) == len({one.key for one in asked})  # nothing was asked twice
    assert len(asked) > before
    assert whole == draft_nuggets(topics, model)


def _named(function: object) -> object:
    from argue_bench.judges import as_judge

    judge = as_judge(function)  # type: ignore[arg-type]
    judge.identity = lambda: {"source": "same"}  # type: ignore[method-assign]
    return judge


def test_reports_pooled_bring_the_documents_that_their_sentences_cite() -> None:
    question = Question("t1", "What became of the mine?")
    reports = [
        Answer(
            "t1",
            "It closed in 1987. [a][zz] Tin fell. [b]",
            (Sentence("It closed in 1987.", ("a", "zz")), Sentence("Tin fell.", ("b",))),
            "one",
        ),
        Answer("t1", "", (), "two"),
        Answer("t2", "Other.", (Sentence("Other."),), "one"),
    ]
    (topic,) = topics_of_reports(
        [question], reports, {"a": Document("a", ""), "b": Document("b", "")}
    )
    assert [one.id for one in topic.passages] == ["one-1"]
    done = draft(topic, Scripted("it closed in 1987", true=("it closed in 1987",)))
    assert done.nuggets[0].references == ("a",)
    assert done.nuggets[0].sentence == "It closed in 1987."


def test_a_question_that_lists_no_documents_gets_the_nearest() -> None:
    documents = {f"d{n}": Document(f"d{n}", f"Village {n} has a church.") for n in range(30)}
    documents["mine"] = Document("mine", "The mine closed in 1987.")
    dataset = Dataset("x", "", (Question("q", "When did the mine close?"),), documents)
    (topic,) = topics_of(dataset, found=5)
    assert topic.passages[0].id == "mine"
    assert len(topic.passages) <= 5


def test_offline_the_drafts_are_sentences_of_the_documents() -> None:
    dev = load_dev()[:2]
    for done, question in zip(draft_nuggets(topics_of(dev)), dev, strict=True):
        assert 0 < len(done.nuggets) <= 30
        assert not done.failures
        for nugget in done.nuggets:
            assert nugget.references
            assert set(nugget.references) <= set(question.documents)


def test_the_cost_is_known_before_and_is_never_passed() -> None:
    pytest.importorskip("openai", reason="the extra judge is not installed")
    amount = expected_cost([TOPIC], for_estimates("openai/gpt-4o-mini"))
    # A list, 30 ratings, 30 checks against each of two documents, and both ways for 29 pairs.
    assert 0 < amount.calls <= 1 + 30 + 30 * 2 + 2 * 29
    assert amount.price
    assert expected_cost([TOPIC], for_estimates("lexical")).calls == 0
