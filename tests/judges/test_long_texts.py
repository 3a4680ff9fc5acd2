"""Long texts are indexed by the lexical judge, and read as sentence by sentence; a pass takes little room."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest

from argue_bench import load
from argue_bench.judges.lexical import reading
from argue_bench.judges.lexical.judge import Lexical
from argue_bench.records import (
    Entails,
    JudgeRequest,
    RelevanceGrade,
    Relevant,
    Source,
    SupportLevel,
    Verdict,
)
from argue_bench.text import sentences

RNG = np.random.default_rng(20)


def _requests() -> Iterator[JudgeRequest]:
    """Sentences of the embedded set, as they stand, shortened and joined, against all of its sample."""
    sample = load("core", split="sample")
    whole = Source("all", "\n\n".join(one.text for one in sample.documents.values()))
    said = [s for one in sample.documents.values() for s in sentences(one.text)]
    for question in sample:
        gold = question.gold
        assert gold is not None
        for sentence in map(str, (*RNG.choice(said, 8, replace=False), gold.answer)):
            words = sentence.split()
            half, two = " ".join(words[: len(words) // 2]), f"{sentence} {RNG.choice(said)}"
            for text in (sentence, half, two):
                yield Entails((whole,), text)
                yield SupportLevel((whole,), text)
        yield Relevant(whole, question.text, str(gold.answer))
        yield RelevanceGrade(whole, question.text)


def _verdicts(requests: list[JudgeRequest]) -> list[Verdict]:
    reading._TEXTS.clear()
    judge = Lexical()
    return [judge.decide(one) for one in requests]  # type: ignore[misc]


def test_an_indexed_text_gets_the_verdicts_of_one_read_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    requests = list(_requests())
    whole = _verdicts(requests)
    monkeypatch.setattr(reading, "_LONG", 0)
    indexed = _verdicts(requests)
    assert isinstance(reading.read_text("One. Two."), reading.Long)
    assert indexed == whole
    assert len({one.value for one in whole}) > 3  # yes, no, full, partial, a grade


def test_a_long_text_takes_few_bytes_a_character() -> None:
    syllables = ("ba", "kor", "ri", "tum", "men", "sal", "vo", "dim", "lek", "pan", "gor", "tes")
    vocabulary = ["".join(RNG.choice(syllables, 3)) for _ in range(5_000)]
    said = RNG.choice(vocabulary, (4_000, 16)).tolist()
    text = "".join(" ".join(words).capitalize() + ". " for words in said)
    request = Entails((Source("d", text),), text[5_000:5_100])
    tracemalloc.start()
    Lexical().decide(request)
    kept, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    reading._TEXTS.clear()
    assert kept < 6 * len(text)
    assert most < 10 * len(text)
