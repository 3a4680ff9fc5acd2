"""Speed of bm25s against rank-bm25 with the same order, at 1,000 and 10,000 passages."""

from __future__ import annotations

import random
import time

from argue_bench.records import Document
from argue_bench.retrieval import Corpus

QUERIES = 20
TOP = 10


def main() -> None:
    draw = random.Random(1)
    vocabulary = [f"w{i}" for i in range(20_000)]
    weights = [1 / (i + 1) for i in range(20_000)]  # as words are: Zipf
    print(
        f"{'passages':>8}  {'index plain':>11}  {'index fast':>10}  {'query plain':>11}  "
        f"{'query fast':>10}  {'ratio':>6}  same order"
    )
    for size in (1_000, 10_000):
        documents = [
            Document(f"d{i}", " ".join(draw.choices(vocabulary, weights, k=250)))
            for i in range(size)
        ]
        queries = [" ".join(draw.choices(vocabulary, weights, k=10)) for _ in range(QUERIES)]
        took, built, orders = {}, {}, {}
        for engine in ("plain", "fast"):
            corpus = Corpus(documents, engine=engine)  # type: ignore[arg-type]
            start = time.perf_counter()
            list(corpus.best(queries[0], 1))
            built[engine] = time.perf_counter() - start
            start = time.perf_counter()
            orders[engine] = [[p.document for p in corpus.best(q, TOP)] for q in queries]
            took[engine] = (time.perf_counter() - start) / QUERIES
        print(
            f"{size:>8,}  {built['plain']:>9.2f} s  {built['fast']:>8.2f} s  "
            f"{1e3 * took['plain']:>8.2f} ms  {1e3 * took['fast']:>7.2f} ms  "
            f"{took['plain'] / took['fast']:>5.0f}x  {orders['plain'] == orders['fast']}"
        )


if __name__ == "__main__":
    main()
