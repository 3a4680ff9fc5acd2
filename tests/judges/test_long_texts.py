"""Long texts are indexed by the lexical judge, and read as sentence by sentence; a pass takes little room."""

from __future__ import annotations

import hashlib
import json
import random
import re
import tracemalloc

import numpy as np

from argue_bench import load
from argue_bench.judges.lexical import Lexical, reading
from argue_bench.records import (
    Entails,
    Source,
    SupportLevel,
)

RNG = np.random.default_rng(20)


DOCUMENTS = [
    Source.of(one) for one in load("core", "dev").documents.values() if one.language == "en"
]
SENTENCES = [one for source in DOCUMENTS for one in re.split(r"(?<=[.])\s+", source.text)]


def statement(draw: random.Random) -> str:
    """What several sources say: their names, figures and sentences joined."""
    first, second = draw.sample(SENTENCES, 2)
    figures = re.findall(r"\d[\d,]*", f"{first} {second}")
    forms = (
        f"{first[:-1]} and {second}",
        f"The sums {' and '.join(figures)} were paid.",
        f"{first.split(' ', 4)[-1]} {second.split(' ', 4)[0]}",
        f"It is not true that {first}",
    )
    return draw.choice(forms)


def test_sources_together_have_the_verdict_of_one_text_of_them_all() -> None:
    draw, judge, kinds = random.Random(3), Lexical(), {"yes": 0, "no": 0, "full": 0, "partial": 0}
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
    assert min(kinds.values()) > 1


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
    reading.forget_readings()
    assert kept < 12 * len(text)
    assert most < 16 * len(text)


def test_the_key_of_a_request_about_a_book_is_made_as_that_of_any_other() -> None:
    for text in ("Short é.", "A book é. " * 20_000):
        sources = (Source("d1", text), Source("d2", 'It "stands".'))
        for asked in (Entails(sources, "It stands."), Entails(sources, "It stands.", "Where?")):
            given = [asked.hypothesis, *([asked.question, "", ""] if asked.question else [])]
            fields = ["Entails", [[one.id, one.text] for one in sources], *given]
            assert asked.key == hashlib.sha256(json.dumps(fields).encode()).hexdigest()
