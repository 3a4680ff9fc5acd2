"""One table: ours against the peers' own code, in CPU time, interleaved in one run, with outputs compared.

Peers: scipy's bootstrap and permutation test, rouge-score, nltk's stemmer, rank-bm25, bm25s. They
are looked for where Python looks and in the folder that ARGUE_BENCH_PEERS names (``pip install --no-deps
--target DIR rouge-score``); one that is not there is said and left out. FanOutQA's and ALCE's own code stand in
benchmarks.correctness. ``bound``: the time to draw the random numbers, that no program can do without. Where no
limit was asked for, it is about half of what was measured. Exits 1 where a limit is missed or outputs differ.
"""

from __future__ import annotations

import os
import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from argue_bench.records import Document
from argue_bench.retrieval import Corpus
from argue_bench.stats import bootstrap, permutation
from argue_bench.stats.averages import Column, macro
from argue_bench.stats.permutation import permutation_test
from argue_bench.text.overlap import rouge_l, rouge_n
from argue_bench.text.porter import porter_stem
from benchmarks._table import Line, show

RESAMPLES, SCORES, SYSTEMS, ROUNDS = 10_000, 12, 50, 3
RNG = np.random.default_rng(0)


@dataclass(frozen=True)
class Row:
    work: str
    peer: str
    theirs: float
    ours: float
    limit: float
    equal: bool
    bound: float = 0.0

    @property
    def good(self) -> bool:
        return self.equal and self.theirs >= self.limit * self.ours

    def line(self) -> Line:
        return Line(
            self.work,
            f"{self.ours:.3f} s",
            f"{self.limit:.1f} x",
            self.good,
            self.peer,
            f"{self.theirs:.3f} s",
            f"{self.theirs / self.ours:.1f} x",
            f"{self.bound:.3f} s" if self.bound else "",
            "" if self.equal else "OTHER OUTPUT",
        )


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def interleaved(
    ours: Callable[[], Any], theirs: Callable[[], Any], rounds: int = ROUNDS
) -> tuple[float, float, Any, Any]:
    """The least CPU seconds of each, taken in turn, and what they returned."""
    best = [float("inf"), float("inf")]
    results: list[Any] = [None, None]
    for _ in range(rounds):
        for at, work in enumerate((ours, theirs)):
            seconds, results[at] = cpu(work)
            best[at] = min(best[at], seconds)
    return best[0], best[1], results[0], results[1]


def drawing(n: int) -> float:
    """CPU seconds to draw the places of all resamples, and nothing else."""
    rows = max(1, (1 << 16) // n)
    rng = np.random.default_rng(0)
    return cpu(lambda: [rng.integers(0, n, (rows, n)) for _ in range(RESAMPLES // rows)])[0]


def alike(mine: tuple[float, float] | None, other: Any) -> bool:
    """Whether two intervals of resamples of their own agree to a tenth of their width."""
    if mine is None:
        return False
    off = np.abs(np.subtract(mine, (other.low, other.high)))
    return bool(off.max() < 0.1 * (other.high - other.low))


def statistics() -> list[Row]:
    from scipy.stats import bootstrap as theirs

    def ask(values: np.ndarray) -> Any:
        return theirs((values,), np.mean, n_resamples=RESAMPLES, method="BCa").confidence_interval

    rows = []
    for n, limit in ((1_000, 1.0), (5_000, 1.2)):
        columns = {f"c{i}": Column(RNG.beta(2, 5, n), np.ones(n)) for i in range(SCORES)}
        averages = {name: macro(name) for name in columns}
        one = {"c0": averages["c0"]}

        def fresh(some: Any, given: Any = columns) -> Any:
            bootstrap._kept.cache_clear()
            return bootstrap.intervals(some, given)

        ours, peer, mine, other = interleaved(
            lambda one=one: fresh(one), lambda c=columns: ask(c["c0"].numerator)
        )
        equal = alike(mine["c0"], other)
        rows.append(Row(f"BCa, {n:,} questions", "scipy", peer, ours, limit, equal, drawing(n)))
        if n == 1_000:
            ours, _ = cpu(lambda a=averages: fresh(a))
            rows.append(
                Row(
                    f"the same, {SCORES} scores",
                    "scipy",
                    SCORES * peer,
                    ours,
                    8.0,
                    equal,
                    drawing(n),
                )
            )
    n, mean = 120, macro("x")
    values = RNG.beta(2, 5, (n, SYSTEMS))
    many = {"x": Column(values, np.ones_like(values))}

    def board() -> Any:
        bootstrap._kept.cache_clear()
        drawn = bootstrap.replicates({"x": mean}, many)["x"]
        left = bootstrap.jackknife({"x": mean}, many)["x"]
        return bootstrap.bounds(drawn, bootstrap.estimate(mean, many), left)

    ours, peer, mine, other = interleaved(board, lambda: [ask(v) for v in values.T])
    equal = all(alike((low, high), o) for low, high, o in zip(*mine, other, strict=True))
    rows.append(
        Row(f"BCa, {SYSTEMS} systems, {n} questions", "scipy", peer, ours, 25.0, equal, drawing(n))
    )
    return rows


def words(draw: random.Random, count: int) -> str:
    stems = [
        "river",
        "opened",
        "nations",
        "bridges",
        "counted",
        "1931",
        "running",
        "largely",
        "city",
    ]
    return " ".join(draw.choice(stems) + draw.choice(["", "s", "ing", "ed"]) for _ in range(count))


def rouge() -> list[Row]:
    from rouge_score import rouge_scorer

    draw = random.Random(1)
    pairs = [(words(draw, 60), words(draw, 240)) for _ in range(120)]

    def theirs() -> list[tuple[float, ...]]:
        scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
        return [tuple(one.fmeasure for one in scorer.score(a, b).values()) for a, b in pairs]

    def mine() -> list[tuple[float, ...]]:
        from argue_bench.text.overlap import stems

        found = []
        for reference, answer in pairs:
            a, b = stems(reference), stems(answer)
            found.append((rouge_n(a, b, 1)[2], rouge_n(a, b, 2)[2], rouge_l(a, b)[2]))
        return found

    ours, peer, one, other = interleaved(mine, theirs)
    equal = bool(np.allclose(one, other, atol=1e-9))
    return [Row("ROUGE-1, 2, L, 120 answers", "rouge-score", peer, ours, 7.0, equal)]


def retrieval() -> list[Row]:
    from rank_bm25 import BM25Plus

    draw = random.Random(1)
    vocabulary = [f"w{i}" for i in range(20_000)]
    weights = [1 / (i + 1) for i in range(20_000)]
    texts = [" ".join(draw.choices(vocabulary, weights, k=120)) for _ in range(3_000)]
    queries = [" ".join(draw.choices(vocabulary, weights, k=8)) for _ in range(10)]
    corpus = Corpus([Document(f"d{i}", text) for i, text in enumerate(texts)], engine="fast")
    plain = BM25Plus([text.split() for text in texts])
    list(corpus.best(queries[0], 1))

    ours, peer, one, other = interleaved(
        lambda: [[p.document for p in corpus.best(q, 10)] for q in queries],
        lambda: [np.argsort(-plain.get_scores(q.split()))[:10] for q in queries],
    )
    same = sum(len(set(a) & {f"d{i}" for i in b}) for a, b in zip(one, other, strict=True))
    return [Row("BM25, 10 queries, 3,000 passages", "rank-bm25", peer, ours, 100.0, same >= 90)]


def indexed() -> list[Row]:
    """Our index over bm25s against bm25s alone: what our words and ids cost on top."""
    import bm25s

    draw = random.Random(2)
    vocabulary = [f"w{i}" for i in range(20_000)]
    weights = [1 / (i + 1) for i in range(20_000)]
    texts = [" ".join(draw.choices(vocabulary, weights, k=120)) for _ in range(3_000)]
    queries = [" ".join(draw.choices(vocabulary, weights, k=8)) for _ in range(50)]
    documents = [Document(f"d{i}", text) for i, text in enumerate(texts)]

    def mine() -> Corpus:
        corpus = Corpus(documents, engine="fast")
        list(corpus.best(queries[0], 1))
        return corpus

    def theirs() -> Any:
        words = bm25s.tokenize(texts, stopwords=None, show_progress=False)
        peer = bm25s.BM25(method="bm25+", k1=1.5, b=0.75, delta=1.0, dtype="float64")
        peer.index(words, show_progress=False)
        return peer

    def asked(peer: Any) -> list[list[int]]:
        words = bm25s.tokenize(queries, stopwords=None, return_ids=False, show_progress=False)
        return peer.retrieve(words, k=10, show_progress=False).documents.tolist()  # type: ignore[no-any-return]

    built, other_built, corpus, peer = interleaved(mine, theirs)
    ours, other, one, two = interleaved(
        lambda: [[p.document for p in corpus.best(q, 10)] for q in queries], lambda: asked(peer)
    )
    # Ties at the tenth place may fall out either way.
    same = sum(len(set(a) & {f"d{i}" for i in b}) for a, b in zip(one, two, strict=True))
    equal = same >= 0.99 * 10 * len(queries)
    return [
        Row("BM25 index of 3,000 passages", "bm25s", other_built, built, 0.5, equal),
        Row("BM25, 50 queries on it", "bm25s", other, ours, 0.5, equal),
    ]


def swapping() -> list[Row]:
    from scipy.stats import permutation_test as theirs

    first, second = RNG.beta(2, 5, (2, 120))
    ones = np.ones(120)
    sides = {"x": Column(first, ones)}, {"x": Column(second, ones)}

    def peer() -> float:
        found = theirs(
            (first, second),
            lambda x, y, axis: (x - y).mean(axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=RESAMPLES,
            rng=1,
        )
        return float(found.pvalue)

    def mine() -> float:
        permutation._sampled.cache_clear()
        return float(permutation_test(macro("x"), *sides))

    ours, other, one, two = interleaved(mine, peer)
    # Each draws swaps of its own: five standard errors of two shares.
    equal = abs(one - two) < 5 * (2 * 0.25 / RESAMPLES) ** 0.5
    return [Row("permutation test, 120 questions", "scipy", other, ours, 4.0, equal)]


def stemming() -> list[Row]:
    from nltk.stem.porter import PorterStemmer

    draw = random.Random(3)
    endings = ["", "s", "ed", "ing", "ation", "ational", "iveness", "ies", "ly", "able"]
    made = {
        "".join(draw.choices("bcdfglmnprst") + draw.choices("aeiouy") + draw.choices("lmnrst"))
        + draw.choice(["", "al", "er", "om"])
        + draw.choice(endings)
        for _ in range(30_000)
    }
    vocabulary = sorted(made)
    peer = PorterStemmer()
    ours, other, one, two = interleaved(
        lambda: [porter_stem(word) for word in vocabulary],
        lambda: [peer.stem(word) for word in vocabulary],
    )
    return [Row(f"stems of {len(vocabulary):,} words", "nltk", other, ours, 1.0, one == two)]


def main() -> int:
    if folder := os.environ.get("ARGUE_BENCH_PEERS"):
        sys.path.append(folder)
    rows: list[Row] = []
    for part in (statistics, swapping, rouge, stemming, retrieval, indexed):
        try:
            rows += part()
        except ImportError as error:
            print(f"{part.__name__} is left out: {error}")
    return show(row.line() for row in rows)


if __name__ == "__main__":
    sys.exit(main())
