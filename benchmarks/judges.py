"""Requests a second that the lexical judge answers, and the cost of remembering verdicts.

Run by ``python -m benchmarks judges``. Texts are generated. Each row is the best of three; the ratio
is to comparing the same texts' sets of words, which is the least that any such judge must do.
"""

from __future__ import annotations

import asyncio
import random
import re
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from argue_bench.judges.lexical import Lexical, reading
from argue_bench.judges.recorded import Recorded
from argue_bench.judges.stored import Stored
from argue_bench.records import Answers, Entails, FirstInstance, JudgeRequest, NeedsCitation, Source
from argue_bench.store import Store
from benchmarks._options import options

_DRAW = random.Random(5)
_WORDS = [
    "".join(
        _DRAW.choice("bcdfglmnprstv") + _DRAW.choice("aeiou") for _ in range(_DRAW.randint(2, 4))
    )
    for _ in range(3000)
]
_NAMES = [word.capitalize() for word in _WORDS[:200]]


def _sentence() -> str:
    words = [_DRAW.choice(_WORDS) for _ in range(_DRAW.randint(8, 18))]
    words[0] = words[0].capitalize()
    words[3] = f"{_DRAW.choice(_NAMES)} {_DRAW.choice(_NAMES)}"
    words[5] = f"{_DRAW.randint(2, 9999):,} metres of the"
    words[-1] = f"on {_DRAW.randint(1, 28)} May {_DRAW.randint(1900, 2020)}"
    return " ".join(words) + "."


def _document(sentences: int) -> str:
    return " ".join(_sentence() for _ in range(sentences))


def _ask_all(judge: Lexical | Recorded | Stored, requests: Sequence[JudgeRequest]) -> None:
    async def run() -> None:
        for start in range(0, len(requests), judge.batch):
            async for _ in judge.judge(requests[start : start + judge.batch]):
                pass

    asyncio.run(run())


def _best(work: Callable[[], None], before: Callable[[], None] = lambda: None) -> float:
    times = []
    for _ in range(3):
        before()
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return min(times)


def _overlap(pairs: Sequence[tuple[str, str]]) -> None:
    word = re.compile(r"\w+")
    for one, other in pairs:
        found = set(word.findall(one.lower()))
        len(found & set(word.findall(other.lower()))) / max(1, len(found))


def main() -> None:
    """Prints the table."""
    options(__doc__).parse_args()
    documents = [Source(f"d{number}", _document(25)) for number in range(60)]
    short = [Source(f"s{number}", _document(2)) for number in range(4000)]
    sentences = [_sentence() for _ in range(4000)]
    rows: list[tuple[str, Sequence[JudgeRequest], list[tuple[str, str]]]] = [
        (
            "Entails, two sentences, all new",
            [Entails((s,), t) for s, t in zip(short, sentences, strict=True)],
            [(t, s.text) for s, t in zip(short, sentences, strict=True)],
        ),
        (
            "Entails, 60 documents of 25 sentences",
            [Entails((documents[n % 60],), t) for n, t in enumerate(sentences)],
            [(t, documents[n % 60].text) for n, t in enumerate(sentences)],
        ),
        (
            "Answers, 400 sentences x 10 nuggets",
            [
                Answers(sentences[n // 10], f"{sentences[n % 10]}?", sentences[n % 10][:40])
                for n in range(4000)
            ],
            [(sentences[n % 10][:40], sentences[n // 10]) for n in range(4000)],
        ),
        ("NeedsCitation", [NeedsCitation(t) for t in sentences], [(t, t) for t in sentences]),
        (
            "FirstInstance, 10 before",
            [
                FirstInstance(t, tuple(sentences[n : n + 10]))
                for n, t in enumerate(sentences[:1000])
            ],
            [(t, " ".join(sentences[n : n + 10])) for n, t in enumerate(sentences[:1000])],
        ),
    ]
    print(f"{'lexical':<40} {'requests/s':>10}  {'x set overlap':>13}")
    for name, requests, pairs in rows:
        plain = _best(partial(_overlap, pairs))
        took = _best(partial(_ask_all, Lexical(), requests), reading.forget_readings)
        print(f"{name:<40} {len(requests) / took:>10,.0f}  {took / plain:>13.1f}")
    requests = rows[1][1]
    alone = _best(lambda: _ask_all(Lexical(), requests), reading.forget_readings)
    with tempfile.TemporaryDirectory() as folder:
        numbers = iter(range(100))

        def fresh() -> None:
            reading.forget_readings()

        def store_all() -> None:
            with Store(Path(folder) / str(next(numbers))) as store:
                _ask_all(Stored(Lexical(), store), requests)

        def replay() -> None:
            with Store(Path(folder) / "0") as store:
                _ask_all(Stored(Lexical(), store), requests)

        stored = _best(store_all, fresh)
        replayed = _best(replay)
        loaded = _best(lambda: _ask_all(Recorded.from_file(Path(folder) / "0"), requests))
        size = (Path(folder) / "0").stat().st_size
    print(f"\n{'4,000 requests over 60 documents':<40} {'requests/s':>10}  {'x lexical':>13}")
    for name, took in (
        ("lexical", alone),
        ("lexical, each verdict committed", stored),
        ("replayed from the store", replayed),
        ("recorded: read the store, then answer", loaded),
    ):
        print(f"{name:<40} {len(requests) / took:>10,.0f}  {took / alone:>13.2f}")
    print(f"the store has {size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
