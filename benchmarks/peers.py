"""One table: ours against the peers' own code, in CPU time, interleaved in one run, with outputs compared.

Peers: scipy's bootstrap, rouge-score, rank-bm25, bm25s. A peer that is not installed is named and counts as
missed. ``physical bound``: the time to draw the random numbers, or to read the text once, that no program
can do without. Exits 1 where a limit is missed or outputs differ.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from argue_bench.records import Document
from argue_bench.retrieval import Corpus
from argue_bench.stats import bootstrap
from argue_bench.stats.averages import Column, macro
from argue_bench.text.overlap import rouge_l, rouge_n

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


def main() -> int:
    rows: list[Row] = []
    missed = 0
    for part in (statistics, rouge, retrieval):
        try:
            rows += part()
        except ImportError as error:
            print(f"{part.__name__}: {error}; install it to compare")
            missed += 1
    print(
        f"{'work':36}{'peer':>12}{'peer s':>9}{'ours s':>9}{'ratio':>8}{'limit':>7}{'bound s':>9}"
    )
    for row in rows:
        bound = f"{row.bound:9.3f}" if row.bound else f"{'':9}"
        note = "" if row.good else ("  MISSED" if row.equal else "  OTHER OUTPUT")
        missed += not row.good
        print(
            f"{row.work:36}{row.peer:>12}{row.theirs:9.3f}{row.ours:9.3f}"
            f"{row.theirs / row.ours:8.1f}{row.limit:7.1f}{bound}{note}"
        )
    return missed


if __name__ == "__main__":
    sys.exit(main())
