"""The pipeline measured on core, whose facts are exact, with a model server that knows them."""

from __future__ import annotations

from typing import Any

import pytest

from argue_bench.drafting import draft_nuggets, topics_of
from argue_bench.drafting.recall import compare_with_gold
from argue_bench.judges.prompted import Prompted
from argue_bench.loaders import load_dev
from argue_bench.models.chat import Chat
from argue_bench.records import Source
from tests.models.server import ChatServer, data_of, form_name, numbered, reply

pytest.importorskip("openai", reason="the extra judge is not installed")
QUESTIONS = load_dev()[:6]
LIE = "the moon over passage"


class Knowing:
    """A model that finds every gold fact in the passages that hold it, says some twice, and invents one."""

    def __init__(self) -> None:
        self.calls: dict[str, int] = {}
        self.facts: dict[str, dict[str, set[str]]] = {}
        self.same: dict[str, str] = {}
        for question in QUESTIONS:
            assert question.gold is not None
            asked = question.request.problem_statement if question.request else question.text
            facts = self.facts.setdefault(asked, {})
            for nugget in question.gold.nuggets:
                alternatives = [[one] for one in nugget.answers]
                if nugget.combine == "any":
                    alternatives = [list(nugget.answers)] if nugget.answers else []
                for answers in alternatives:
                    fact = f"{nugget.question} {answers[0].text}"
                    texts = {
                        Source.of(QUESTIONS.documents[id]).text
                        for answer in answers
                        for id in answer.references
                    }
                    facts[fact] = texts
                    for answer in answers:
                        self.same[f"{nugget.question} {answer.text}"] = fact

    def __call__(self, body: dict[str, Any]) -> str:
        (data,) = data_of(body)
        if "passages" in data:
            self._count("create")
            return reply(body, "\n".join(self._create(data)))
        if form_name(body).startswith("verdicts"):
            rows = {n: self._judge(row) for n, row in numbered(data).items()}
            self._count("rate" if "nuggets" in data else "check")
            return reply(body, rows)
        self._count("check")
        return reply(body, self._judge(data))

    def _count(self, step: str) -> None:
        self.calls[step] = self.calls.get(step, 0) + 1

    def _create(self, data: dict[str, Any]) -> list[str]:
        here = [
            fact
            for fact, texts in self.facts[data["question"]].items()
            if texts & set(data["passages"])
        ]
        new = [fact for fact in here if fact not in data["nuggets"]]
        # Some in another wording as well, and one that no passage says.
        again = [other for other, fact in self.same.items() if fact in new[:2] and other != fact]
        return [*data["nuggets"], *new, *again, f"{LIE} {len(data['nuggets'])}"]

    def _judge(self, data: dict[str, Any]) -> str:
        if "nugget" in data:
            return "okay" if LIE in data["nugget"] else "vital"
        if "document" in data:
            fact = self.same.get(f"{data['question']} {data['answer']}", "")
            return (
                "yes"
                if any(data["document"] in facts.get(fact, ()) for facts in self.facts.values())
                else "no"
            )
        one, other = data["source"], data["sentence"]
        return "yes" if one in self.same and self.same[one] == self.same.get(other) else "no"


def test_nothing_is_lost_and_nothing_stands_twice() -> None:
    model = Knowing()
    topics = topics_of(QUESTIONS)
    with ChatServer(model=model) as server:
        chat = Chat("server", "m", known={"ARGUE_BENCH_BASE_URL": server.url})
        drafts = draft_nuggets(topics, Prompted(chat, asking="batched"))
        assert not server.forged
    assert not any(draft.failures for draft in drafts)
    for draft, topic in zip(drafts, topics, strict=True):
        facts = model.facts[topic.question]
        kept = {model.same[one.statement] for one in draft.nuggets}
        assert len(draft.nuggets) == len(kept), "a fact stands twice"
        held = {fact for fact, texts in facts.items() if texts}
        assert len(held) > 5
        assert kept == held, "a fact was lost"
        assert all(LIE in text for text in draft.dropped)
        assert len(draft.dropped) == -(-len(topic.passages) // 10)
        for one in draft.nuggets:
            named = {Source.of(QUESTIONS.documents[id]).text for id in one.references}
            assert named
            assert named <= facts[model.same[one.statement]]
    windows = sum(-(-len(topic.passages) // 10) for topic in topics)
    assert model.calls["create"] == windows
    rated = [len(d.nuggets) + len(d.dropped) + len(d.merged) for d in drafts]
    assert model.calls["rate"] == sum(-(-n // 10) for n in rated)
    assert any(draft.merged for draft in drafts)
    found = compare_with_gold(drafts, QUESTIONS)
    assert found.recall is not None
    assert found.recall > 0.97  # by the lexical judge, which may miss a wording
    assert found.redundancy is not None
    assert found.redundancy < 0.1
