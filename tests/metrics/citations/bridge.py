"""Five documents on a bridge, a judge that compares words, and answers read as a data set reads them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from argue_bench.metrics import parse
from argue_bench.metrics.base import Steps, run_together
from argue_bench.metrics.citations.recall_precision import Checked, check_statement
from argue_bench.metrics.citations.support import statements
from argue_bench.records import Document, Entails, Gold, JudgeRequest, Question, Tally, Verdict
from argue_bench.text import read_answer
from argue_bench.text.statements import claim_sentences

TEXTS = (
    "The Harlow Bridge opened in 1931. It was designed by Edith Marsh.",
    "Edith Marsh was born in Leeds. She won the Telford Medal in 1935.",
    "The Teme is a river that rises in Wales.",
    "Edith Marsh, born in Leeds, swam.",
    "The Harlow Bridge opened in 1931, says the register.",
)
DOCUMENTS = {f"d{n}": Document(f"d{n}", text, f"Title {n}") for n, text in enumerate(TEXTS, 1)}
SMALL = frozenset(re.findall(r"\w+", "a an the in it was is of and by that she who at what"))
T = TypeVar("T")
Rule = Callable[[Entails], bool]


def words(request: Entails) -> bool:
    """Whether every word of weight of the sentence stands in the documents."""
    wanted = {word for word in re.findall(r"\w+", request.hypothesis.lower()) if word not in SMALL}
    return bool(wanted) and wanted <= set(re.findall(r"\w+", request.premise_text.lower()))


@dataclass
class Scored:
    """The tallies of one answer, and what was asked, round by round."""

    tallies: Mapping[str, Tally]
    rounds: list[list[Entails]] = field(default_factory=list)

    def __getitem__(self, column: str) -> tuple[float, float]:
        return self.tallies[column].numerator, self.tallies[column].denominator

    @property
    def requests(self) -> set[Entails]:
        return {request for requests in self.rounds for request in requests}


def question(documents: Mapping[str, Document] = DOCUMENTS, answerable: bool = True) -> Question:
    gold = Gold(answerable=answerable)
    return Question("q", "What of it?", documents=tuple(documents), gold=gold)


def scored(
    text: str,
    metric: str = "citations",
    rule: Rule = words,
    documents: Mapping[str, Document] = DOCUMENTS,
    answerable: bool = True,
) -> Scored:
    """One answer, scored by a rule."""
    answer = read_answer("q", text, documents)
    rounds: list[list[Entails]] = []
    tallies = _through(
        parse(metric).tally(question(documents, answerable), answer, documents), rule, rounds
    )
    return Scored(tallies, rounds)


def judged(text: str, rule: Rule = words) -> list[Checked]:
    """One answer with every judgment by our own rules."""
    answer = read_answer("q", text, DOCUMENTS)
    stated = claim_sentences(answer.sentences, question().text, citing=True)
    checking = [check_statement(one, DOCUMENTS) for one in statements(question(), answer, stated)]
    return _through(run_together(checking), rule, [])


def _through(judging: Steps[T], rule: Rule, rounds: list[list[Entails]]) -> T:
    try:
        requests = next(judging)
        while True:
            assert requests
            assert len(set(requests)) == len(requests)
            rounds.append([request for request in requests if isinstance(request, Entails)])
            requests = judging.send(_answered(requests, rule))
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]


def _answered(requests: object, rule: Rule) -> dict[JudgeRequest, Verdict]:
    assert isinstance(requests, list)
    return {request: Verdict("yes" if rule(request) else "no") for request in requests}
