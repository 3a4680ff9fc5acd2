"""What stands next to a sentence: told to judges that read it, and no part of anybody else's requests."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import argue_bench as ab
from argue_bench.judges.functions import FunctionJudge
from argue_bench.judges.prompted import Prompted
from argue_bench.judges.recorded import Recorded
from argue_bench.models.chat import Chat
from argue_bench.records import (
    Answer,
    Answers,
    Document,
    Entails,
    Gold,
    JudgeRequest,
    Nugget,
    NuggetAnswer,
    Question,
    Sentence,
    Source,
    Verdict,
    request_from_json,
    request_to_json,
)
from argue_bench.store import Author, Store
from argue_bench.text import read_answer
from tests.models.server import ChatServer, data_of, honest

pytest.importorskip("openai", reason="the extra judge is not installed")
DOCUMENT = Document("d", "On 3 May 1912 the ferry Halden went down.")
QUESTION = Question(
    "q",
    "What happened to the Halden?",
    documents=("d",),
    gold=Gold(nuggets=(Nugget("n", "When?", (NuggetAnswer("1912", ("d",)),)),)),
)
SENTENCES = ("The Halden was a ferry.", "She sank in 1912.", "Nobody drowned.")
ANSWER = Answer("q", " ".join(SENTENCES), tuple(Sentence(text, ("d",)) for text in SENTENCES), "r")
MIDDLE = ("What happened to the Halden?", SENTENCES[0], SENTENCES[2])


def _scored(judge: Any, metrics: Sequence[str], **more: Any) -> Any:
    data = ab.Dataset("set", "dev", (QUESTION,), {"d": DOCUMENT}, metrics=tuple(metrics))
    return ab.evaluate(data, [ANSWER], list(metrics), judge=judge, **more)


def test_a_language_model_is_told_the_neighbours_and_metrics_share_the_verdict() -> None:
    with ChatServer(model=honest) as server:
        known = {"ARGUE_BENCH_BASE_URL": server.url}
        _scored(Prompted(Chat("server", "m", known=known)), ["citations", "argue"])
        told = [data for body in server.requests for data in data_of(body)]
    # Requests are under way together, so they come in any order.
    entailed = [one for one in told if "source" in one]
    entailed.sort(key=lambda one: SENTENCES.index(one["sentence"]))
    assert [one["sentence"] for one in entailed] == [*SENTENCES]
    assert entailed[1] == {
        "source": DOCUMENT.text,
        "question": MIDDLE[0],
        "before": MIDDLE[1],
        "sentence": SENTENCES[1],
        "after": MIDDLE[2],
    }
    (answers,) = [one for one in told if "answer" in one and one["sentence"] == SENTENCES[1]]
    assert (answers["before"], answers["after"]) == MIDDLE[1:]
    assert (answers["question"], answers["answer"]) == ("When?", "1912")


def test_published_rules_and_judges_that_read_no_context_ask_without() -> None:
    heard: list[JudgeRequest] = []

    def say(request: JudgeRequest) -> str:
        heard.append(request)
        return "yes"

    _scored(FunctionJudge(say), ["citations", "argue"])
    assert {one for one in heard if isinstance(one, Entails)} == {
        Entails((Source("d", DOCUMENT.text),), text) for text in SENTENCES
    }
    heard.clear()
    say.reads_context = True  # type: ignore[attr-defined]
    _scored(FunctionJudge(say), ["argue(rules=auto-argue)"])
    assert {one.question for one in heard if isinstance(one, Entails)} == {""}
    _scored(FunctionJudge(say), ["argue"])
    asked = [one for one in heard if isinstance(one, Entails) and one.question]
    assert [(one.question, one.before, one.after) for one in asked][1] == MIDDLE


def test_a_request_without_context_has_the_key_that_it_had_before_there_was_one() -> None:
    request = Entails((Source("d", "t"),), "s")
    text = json.dumps(["Entails", [["d", "t"]], "s"])
    assert request.key == hashlib.sha256(text.encode()).hexdigest()
    keys = {
        one.key
        for one in (request, Entails((), "s"), *(Entails((), "s", *near) for near in _orders("x")))
    }
    assert len(keys) == 5
    assert Entails((), "s", "q", "b", "a").without_context() == Entails((), "s")
    assert request_to_json(Answers("s", "q", "a")).keys() == {
        "kind",
        "sentence",
        "question",
        "answer",
    }


def _orders(text: str) -> list[tuple[str, str, str]]:
    return [(text, "", ""), ("", text, ""), ("", "", text)]


def test_context_is_stored_read_and_recorded(tmp_path: Path) -> None:
    bare, near = Entails((), "s"), Entails((), "s", "q", "b")
    with Store(tmp_path / "s") as store:
        store.add_all(Author.of("j", {}), [(bare, Verdict("yes")), (near, Verdict("no"))])
        assert [store.request(one.key) for one in (bare, near)] == [bare, near]
    assert request_from_json(request_to_json(near)) == near
    report = _scored(Recorded.from_file(tmp_path / "s"), ["citations"], on_failure="default")
    assert report.scores["citations.recall"].value == 0.0


def test_a_label_given_without_neighbours_holds_beside_any() -> None:
    source = Source("d", DOCUMENT.text)
    labels = {Entails((source,), text).key: Verdict("yes") for text in SENTENCES[:2]}
    labels[Entails((source,), SENTENCES[2], *MIDDLE).key] = Verdict("yes")  # other neighbours
    labels[Entails((source,), SENTENCES[2]).key] = Verdict("no")
    report = _scored(Recorded(labels), ["citations"])
    assert report.scores["citations.recall"].value == pytest.approx(2 / 3)


def test_a_sentence_is_asked_with_its_heading_and_the_label_before_it() -> None:
    text = "## Harlow Bridge\n\nIt fell. It is old.\n\nTwo men met:\n- It is long.\n\n## Marsh Crossing\n\nIt rose."
    assert read_answer("q", text, {}).neighbours == [
        ("Harlow Bridge", "It is old."),
        ("Harlow Bridge\nIt fell.", "It is long."),
        ("Harlow Bridge\nIt is old.\nTwo men met:", ""),
        ("Marsh Crossing", ""),
    ]
