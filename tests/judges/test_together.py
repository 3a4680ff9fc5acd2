"""Sources read together: the verdicts that one text of them all has, and each source read once."""

from __future__ import annotations

import random
import re

import pytest

from argue_bench import load
from argue_bench.judges.lexical import Lexical, reading
from argue_bench.records import Entails, JudgeRequest, Source, SupportLevel

DOCUMENTS = [Source.of(one) for one in load("core", "dev").documents.values()]
SAID = [one for source in DOCUMENTS for one in re.split(r"(?<=[.])\s+", source.text)]


def statement(draw: random.Random) -> str:
    """What several sources say: their names, figures and sentences joined."""
    first, second = draw.sample(SAID, 2)
    figures = re.findall(r"\d[\d,]*", f"{first} {second}")
    forms = (
        f"{first[:-1]} and {second}",
        f"The sums {' and '.join(figures)} were paid.",
        f"{first.split(' ', 4)[-1]} {second.split(' ', 4)[0]}",
        f"It is not true that {first}",
    )
    return draw.choice(forms)


@pytest.mark.parametrize("long", [False, True])
def test_sources_together_have_the_verdict_of_one_text_of_them_all(
    long: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw, judge, kinds = random.Random(3), Lexical(), {"yes": 0, "no": 0, "full": 0, "partial": 0}
    if long:
        monkeypatch.setattr(reading, "_LONG", 400)
    for _ in range(60):
        sources = tuple(draw.sample(DOCUMENTS, draw.randrange(2, 8)))
        told = [one for source in sources for one in re.split(r"(?<=[.])\s+", source.text)]
        sentence = draw.choice((statement(draw), " and ".join(draw.sample(told, 2))))
        whole = (Source("all", "\n".join(one.text for one in sources)),)
        for kind in (Entails, SupportLevel):
            verdict = judge.decide(kind(sources, sentence))
            assert verdict == judge.decide(kind(whole, sentence))
            kinds[str(verdict.value)] += 1
    reading.forget_readings()
    assert min(kinds.values()) > 2


def test_each_source_is_read_once_for_all_parts_of_what_is_cited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    original, read = reading.sentence_bounds, list[str]()

    def counted(text: str) -> object:
        read.append(text)
        return original(text)

    monkeypatch.setattr(reading, "sentence_bounds", counted)
    reading.forget_readings()
    judge, sources = Lexical(), DOCUMENTS[:12]
    sentence = "The sums 1,260 and 75 were paid by the mayor of Zurkiv."
    requests: list[JudgeRequest] = [
        Entails(tuple(sources[start:end]), sentence)
        for start in range(12)
        for end in range(start + 1, 13)
    ]
    for request in requests:
        judge.decide(request)
    assert len(read) == len(sources)
