"""BM25+ over passages, beside rank-bm25 and bm25s: queries, and making the index.

The limit beside rank-bm25, which looks at every passage for every word, is about half of what was measured
at that size: the ratio grows with the passages. bm25s does the sums of ours too, so that beside it the
limit is half its speed: what ours adds are words, ids and the exact order of ties. ``bound``: bm25s' sums alone.
"""

from __future__ import annotations

import random
import sys
from typing import Any

from argue_bench.records import Document
from argue_bench.retrieval import Corpus, index_terms
from benchmarks._options import options
from benchmarks._peers import cpu, interleaved, present
from benchmarks._table import Line, compared, show

PASSAGES, WORDS, TOP = 10_000, 250, 10
VOCABULARY = [f"w{i}" for i in range(20_000)]
WEIGHTS = [1 / (i + 1) for i in range(20_000)]  # as words are: Zipf


def texts(count: int, words: int, seed: int) -> list[str]:
    draw = random.Random(seed)
    return [" ".join(draw.choices(VOCABULARY, WEIGHTS, k=words)) for _ in range(count)]


def documents(passages: list[str]) -> list[Document]:
    return [Document(f"d{i}", text) for i, text in enumerate(passages)]


def best(corpus: Corpus, queries: list[str]) -> list[list[str]]:
    return [[found.document for found in corpus.best(query, TOP)] for query in queries]


def shared(ours: list[list[str]], theirs: list[list[int]]) -> float:
    """The share of the best passages that both found: ties at the last place may fall out either way."""
    pairs = zip(ours, theirs, strict=True)
    return sum(len(set(a) & {f"d{i}" for i in b}) for a, b in pairs) / (TOP * len(ours))


def beside_rank_bm25() -> list[Line]:
    import numpy as np
    from rank_bm25 import BM25Plus

    passages, queries = texts(PASSAGES, WORDS, 1), texts(20, 10, 2)
    corpus = Corpus(documents(passages))
    best(corpus, queries)
    plain = BM25Plus([text.split() for text in passages])
    ours, peer, found, other = interleaved(
        lambda: best(corpus, queries),
        lambda: [np.argsort(-plain.get_scores(q.split()))[:TOP].tolist() for q in queries],
    )
    scores = corpus.engine.scores
    asked = [index_terms(query) for query in queries]
    bound = min(cpu(lambda: [scores(terms) for terms in asked])[0] for _ in range(3))
    what = f"BM25, {len(queries)} queries, {PASSAGES:,} passages"
    equal = shared(found, other) >= 0.98
    return [compared(what, "rank-bm25", peer, ours, 100.0, equal=equal, bound=bound)]


def beside_bm25s() -> list[Line]:
    """Our index over bm25s against bm25s alone."""
    import bm25s

    passages, queries = texts(3_000, 120, 3), texts(50, 8, 4)
    given = documents(passages)

    def mine() -> Corpus:
        corpus = Corpus(given)
        list(corpus.best(queries[0], 1))
        return corpus

    def theirs() -> Any:
        words = bm25s.tokenize(passages, stopwords=None, show_progress=False)
        peer = bm25s.BM25(method="bm25+", k1=1.5, b=0.75, delta=1.0, dtype="float64")
        peer.index(words, show_progress=False)
        return peer

    def asked(peer: Any) -> list[list[int]]:
        words = bm25s.tokenize(queries, stopwords=None, return_ids=False, show_progress=False)
        return peer.retrieve(words, k=TOP, show_progress=False).documents.tolist()  # type: ignore[no-any-return]

    built, other_built, corpus, peer = interleaved(mine, theirs)
    ours, other, one, two = interleaved(lambda: best(corpus, queries), lambda: asked(peer))
    equal = shared(one, two) >= 0.99
    return [
        compared("BM25, index of 3,000 passages", "bm25s", other_built, built, 0.5, equal=equal),
        compared(f"BM25, {len(queries)} queries on it", "bm25s", other, ours, 0.5, equal=equal),
    ]


def main() -> int:
    """1 where a limit is missed."""
    options(__doc__).parse_args()
    return show(present((beside_rank_bm25, beside_bm25s)))


if __name__ == "__main__":
    sys.exit(main())
