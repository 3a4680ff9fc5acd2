"""The time of a scoring grows with the answers, not with their square: every metric, every kind of request."""

from __future__ import annotations

import json
import random
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Any

import pytest

from argue_bench.errors import MissingExtra
from argue_bench.eval import evaluate
from argue_bench.judges import Judge
from argue_bench.judges.combined import Panel
from argue_bench.judges.lexical import RULES, Lexical
from argue_bench.judges.pairs import PairJudge, nli_judge
from argue_bench.judges.prompted import Prompted
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import METRICS, Metric, WholeMetric, parse
from argue_bench.models.pairs import Pair, PairResult
from argue_bench.models.transport import ChatRequest, Completion
from argue_bench.records import (
    Document,
    Entails,
    Gold,
    JudgeRequest,
    Nugget,
    NuggetAnswer,
    Question,
    ShortAnswer,
    Source,
)
from tests.growth import assert_doubles

NAMES = ("Quenholt", "Clairvesse", "Aubrelle", "Dunmarrick", "Selverin", "Teldrake", "Zurkiv")
WORDS = (
    *[
        "ferry",
        "storm",
        "harbour",
        "mayor",
        "bridge",
        "winter",
        "council",
        "river",
        "engine",
        "survey",
        "timber",
    ],
)
SENTENCES = 150
"""Of an answer, and twice as many; 400 at most are judged."""


def prose(count: int, draw: random.Random, cite: str = "") -> str:
    """So many sentences, most of them different, with figures, dates and names."""
    return " ".join(
        f"In {draw.randrange(1200, 2000)} the {draw.choice(WORDS)} of {draw.choice(NAMES)} cost "
        f"{draw.randrange(10**6):,} crowns and {draw.choice(WORDS)} number {draw.randrange(10**4)} was "
        f"lost{cite if draw.random() < 0.7 else ''}."
        for _ in range(count)
    )


def question() -> Question:
    nuggets = (
        *(
            Nugget(f"n{n}", f"What did the {word} cost?", (NuggetAnswer(f"{n}00 crowns"),))
            for n, word in enumerate(WORDS)
        ),
        Nugget("u", "Who is the mayor of Zurkiv?", ()),
    )
    gold = Gold(
        answer="The ferry cost 1,200 crowns.",
        short_answers=(ShortAnswer("What did it cost?", ("1,200 crowns",)),),
        nuggets=nuggets,
        long_answers=(prose(12, random.Random(1)),),
        claims=("The ferry cost 1,200 crowns.", "The storm was in May."),
        supporting=("d1",),
    )
    return Question("q", "What was lost, and what did it cost?", documents=("d1", "d2"), gold=gold)


DOCUMENTS = {id: Document(id, prose(30, random.Random(id)), id) for id in ("d1", "d2")}
SET = Dataset("growing", "dev", (question(),), DOCUMENTS)


def by_lexical(name: str) -> Metric:
    """The metric of this name, judged by the lexical judge; the test skips where what it needs is not installed."""
    judged = any(field.name == "judge" for field in fields(METRICS[name]))
    metric = parse(f"{name}(judge=lexical)" if judged else name)
    try:
        metric.require()
    except MissingExtra as missing:
        pytest.skip(str(missing))
    return metric


@pytest.mark.release
@pytest.mark.parametrize("cite", ["", " [1]", " [1][2]"], ids=["uncited", "cited", "cited-twice"])
@pytest.mark.parametrize("name", METRICS)
def test_twice_the_answer_takes_twice_as_long(name: str, cite: str) -> None:
    metric = by_lexical(name)
    if isinstance(metric, WholeMetric):
        pytest.skip(
            "it compares all answers together, by a model that reads a bounded part of each"
        )

    def work(size: int, draw: int) -> Callable[[], object]:
        rows = [{"id": "q", "answer": prose(size, random.Random(draw), cite)}]
        return lambda: evaluate(SET, rows, [metric], judges={"lexical": "lexical"})

    assert_doubles(work, SENTENCES)


LONGEST = "9" * 5_000
"""More digits than Python reads as a number."""


@pytest.mark.parametrize("name", METRICS)
def test_a_number_longer_than_python_reads_is_scored(name: str) -> None:
    metric = by_lexical(name)
    said = (
        f"It cost {LONGEST} crowns [{LONGEST}] and 1.{LONGEST} in {LONGEST}:{LONGEST} [1].",
        f"| Fact | Source |\n|---|---|\n| It cost 1,200 crowns | {LONGEST} |",
        f"{LONGEST}. It cost &#{LONGEST}; crowns in May {LONGEST}, 1e{LONGEST} of 1/{LONGEST} [1-{LONGEST}].",
    )
    for text in said:
        report = evaluate(
            SET, [{"id": "q", "answer": text}], [metric], judges={"lexical": "lexical"}
        )
        assert all("can't answer" in one for one in report.failures), report.failures


TEXTS = {
    "str": prose,
    "tuple[str, ...]": lambda count, draw: tuple(prose(1, draw) for _ in range(count)),
}


def filled(kind: type[JudgeRequest], grown: str, size: int, draw: random.Random) -> JudgeRequest:
    """A request of which one field holds so many sentences, and the others few."""
    values: dict[str, Any] = {}
    for field in fields(kind):
        count = size if field.name == grown else 2
        if "Source" in str(field.type):
            sources = (Source("d", prose(count, draw)),)
            values[field.name] = sources if "tuple" in str(field.type) else sources[0]
        else:
            values[field.name] = TEXTS.get(str(field.type), prose)(count, draw)
    return kind(**values)


@pytest.mark.release
@pytest.mark.parametrize(
    ("kind", "field"),
    [(kind, field.name) for kind in RULES for field in fields(kind)],
    ids=lambda one: getattr(one, "__name__", one),
)
def test_twice_the_request_takes_twice_as_long(kind: type[JudgeRequest], field: str) -> None:
    def work(size: int, draw: int) -> Callable[[], object]:
        request = filled(kind, field, size, random.Random(draw))
        return lambda: RULES[kind](request)

    assert_doubles(work, SENTENCES)


class Ready:
    """A model that answers every prompt at once: what is left is the judge's own work."""

    name, batch = "ready/m", 64

    def identity(self) -> Mapping[str, str]:
        return {"structured": "json_schema"}

    async def complete(
        self, requests: Sequence[ChatRequest]
    ) -> AsyncIterator[tuple[ChatRequest, Completion]]:
        for request in requests:
            yield request, Completion(json.dumps(filled_form(json.loads(request.schema))))


def filled_form(schema: Mapping[str, Any]) -> Any:
    """The least that a schema allows; the first word where it gives several."""
    if "enum" in schema:
        return schema["enum"][0]
    if "properties" in schema:
        return {name: filled_form(one) for name, one in schema["properties"].items()}
    return ""


class SharedWords:
    """A model of pairs that looks at each word of both texts once."""

    def identity(self) -> Mapping[str, str]:
        return {}

    def read(self, pairs: Sequence[Pair]) -> Iterator[list[tuple[int, PairResult]]]:
        for place, (premise, hypothesis) in enumerate(pairs):
            missing = set(hypothesis.split()) - set(premise.split())
            yield [(place, PairResult("no" if missing else "yes"))]


JUDGES: dict[str, Callable[[], Judge]] = {
    "prompted": lambda: Prompted(Ready()),
    "prompted-batched": lambda: Prompted(Ready(), asking="batched"),
    "nli": lambda: PairJudge("nli:words", Entails, SharedWords(), (nli_judge, "words")),
    "panel": lambda: Panel([Lexical(), Lexical()]),
}
GROWING = {
    "argue": ("", " [1]"),
    "citations": (" [1][2]",),
    "faithfulness": ("",),
    "support": (" [1]",),
    "nuggets": ("",),
}


@pytest.mark.release
@pytest.mark.parametrize(
    ("judge", "metric", "cite"),
    [
        pytest.param(judge, metric, cite, id=f"{judge}-{metric}{cite}")
        for judge in JUDGES
        for metric, cites in GROWING.items()
        for cite in cites
        if judge != "nli" or metric == "citations"
    ],
)
def test_every_judge_takes_twice_as_long_for_twice_the_answer(
    judge: str, metric: str, cite: str
) -> None:
    def work(size: int, draw: int) -> Callable[[], object]:
        rows = [{"id": "q", "answer": prose(size, random.Random(draw), cite)}]
        made = JUDGES[judge]()
        return lambda: evaluate(SET, rows, [metric], judge=made)

    assert_doubles(work, SENTENCES)
