"""The BM25 baseline: documents in, ranked passages out.

from argue_bench import load_dev
from argue_bench.retrieval import Corpus

corpus = Corpus(load_dev().documents.values())
for passage in corpus.best("When did the bridge open?", k=5):
    print(passage.score, passage.title, passage.content)
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from statistics import fmean
from typing import Literal

import numpy as np
import numpy.typing as npt

from argue_bench.errors import Code, DataError, UnknownName, UsageError
from argue_bench.records import Document, Evidence, Question
from argue_bench.records.atomic import atomic_write
from argue_bench.satellites import WIKIPEDIA_PAGES, import_text

# Cutting documents into passages that lose no character: joined, they give the document again.
#
# A passage ends after a blank line, else a line break, a sentence, a comma, a blank; only a word longer
# than a passage is cut inside. (FanOutQA's chunker drops the characters that it splits at.)

# A cut may be made after each of these, the best first.
_CUTS = tuple(
    re.compile(pattern) for pattern in (r"\n\s*\n", r"\n", r"[.!?]\s+", r"[,;:]\s+", r"\s")
)


def cut_passages(text: str, length: int) -> Iterator[tuple[int, str]]:
    """(start, passage) of at most ``length`` characters each. Raises ValueError below 1.

    >>> list(cut_passages("One two. Three four.", 12))
    [(0, 'One two. '), (9, 'Three four.')]
    """
    if length < 1:
        raise ValueError("a passage needs at least one character")
    start = 0
    # The rest, once it fits, is one passage.
    while len(text) - start > length:
        window, end = text[start : start + length], start + length
        for pattern in _CUTS:
            # The last good cut in the second half of the passage.
            if ends := [match.end() for match in pattern.finditer(window, length // 2)]:
                end = start + ends[-1]
                break
        yield start, text[start:end]
        start = end
    if start < len(text):
        yield start, text[start:]


# BM25+ (Lv and Zhai 2011) by rank-bm25 and by bm25s, which give the same order.
#
# score(q, d) = sum over words w of q: idf(w) * (delta + tf * (k1+1) / (tf + k1 * (1 - b + b * |d|/avg)))
# idf(w) = ln((N + 1) / df)          k1 = 1.5, b = 0.75, delta = 1

Scores = npt.NDArray[np.float64]
EngineName = Literal["rank-bm25", "bm25s"]

K1, B, DELTA = 1.5, 0.75, 1.0
# Passages up to which rank-bm25 is taken: there an index by bm25s costs more than it saves.
MOST_PLAIN = 2_000
# One of so many scores tells about where the best ones begin.
_EVERY = 16


class Plain:
    """rank-bm25's BM25Plus, in pure Python, over passages, each a sequence of words."""

    def __init__(self, passages: Sequence[Sequence[str]]) -> None:
        from rank_bm25 import BM25Plus

        self._bm25 = BM25Plus([list(words) for words in passages], k1=K1, b=B, delta=DELTA)

    def scores(self, query: Sequence[str]) -> Scores:
        """One score for each passage, shape (passages,)."""
        return np.asarray(self._bm25.get_scores(list(query)), dtype=np.float64)


class Fast:
    """bm25s: a sparse matrix of precomputed scores, in float64 as the others, for the same order."""

    def __init__(self, passages: Sequence[Sequence[str]]) -> None:
        import bm25s

        vocabulary: dict[str, int] = {}
        ids = [
            [vocabulary.setdefault(word, len(vocabulary)) for word in words] for words in passages
        ]
        self._vocabulary = vocabulary
        self._bm25 = bm25s.BM25(method="bm25+", k1=K1, b=B, delta=DELTA, dtype="float64")
        self._bm25.index((ids, vocabulary), show_progress=False)

    def scores(self, query: Sequence[str]) -> Scores:
        # A word that no passage holds adds the same to all of them: nothing.
        known = [self._vocabulary[word] for word in query if word in self._vocabulary]
        return np.asarray(self._bm25.get_scores_from_ids(known), dtype=np.float64)


ENGINES: dict[EngineName, type[Fast] | type[Plain]] = {"rank-bm25": Plain, "bm25s": Fast}


def rank(scores: Scores, k: int | None) -> npt.NDArray[np.intp]:
    """Positions of passages from best to worst, the first ``k`` of them; ties by position.

    Scores are rounded to nine digits first, so that rounding errors of the engines break no tie.
    """
    rounded = np.round(scores, 9)
    if k is not None and k < len(rounded):
        kept = np.flatnonzero(rounded >= _threshold(rounded, k))
        return kept[np.argsort(-rounded[kept], kind="stable")][:k]
    return np.argsort(-rounded, kind="stable")


def _threshold(scores: Scores, k: int) -> float:
    """A score that at least ``k`` scores reach, and of many scores few more than ``k``.

    Every sixteenth score tells about where the best ``k`` begin, at a fifth of the time that it takes to
    part all scores there. Where the sample misleads, all scores are parted.
    """
    sample = scores[::_EVERY]
    # Further down than expected by four standard deviations of a share of the sample.
    down = int(k / _EVERY + 4 * (k / _EVERY) ** 0.5) + 4
    if down < len(sample):
        guess = float(np.partition(sample, len(sample) - down)[len(sample) - down])
        if np.count_nonzero(scores >= guess) >= k:
            return guess
    return float(np.partition(scores, len(scores) - k)[len(scores) - k])


__all__ = ["Corpus", "Passage"]

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document.

    ``document`` is its id, ``start`` the place of ``content`` in its text in characters, ``score``
    BM25+ for the query, 0 before a search.
    """

    document: str
    title: str
    content: str
    start: int
    score: float = 0.0


class Corpus:
    """Documents cut into passages, searched by BM25+ over titles and contents.

    ``documents`` may be any number of `Document`; ``doc_len`` is the longest passage in characters, 2,048
    as in FanOutQA. ``engine``: "rank-bm25" or "bm25s", which give the same order; without it rank-bm25 up
    to 2,000 passages, and bm25s above, where its index pays. The index is built at the first search.
    ``len(corpus)`` is the number of passages, ``corpus.passages`` the sequence of them.

        >>> page = Document(id="d1", title="Bridge", text="The bridge opened in 1931. It is red.")
        >>> corpus = Corpus([page], doc_len=30)
        >>> [(p.document, p.start, p.content) for p in corpus.best("red", k=1)]
        [('d1', 27, 'It is red.')]
    """

    def __init__(
        self, documents: Iterable[Document], doc_len: int = 2048, engine: EngineName | None = None
    ) -> None:
        self.passages: Sequence[Passage] = tuple(
            Passage(document.id, document.title, content, start)
            for document in documents
            for start, content in cut_passages(document.text, doc_len)
        )
        small = len(self.passages) <= MOST_PLAIN
        self.engine_name: EngineName = engine or ("rank-bm25" if small else "bm25s")

    @classmethod
    def from_wikipedia(
        cls, evidence: Iterable[Evidence], doc_len: int = 2048, engine: EngineName | None = None
    ) -> Corpus:
        """The Wikipedia pages of a question (``question.evidence``), as at the data set's epoch.

        Raises DataError with every page that could not be had, MissingExtra.
        """
        return cls(import_text(WIKIPEDIA_PAGES)().documents(evidence).values(), doc_len, engine)

    def best(self, query: str, k: int | None = None) -> Iterator[Passage]:
        """Passages with their scores, best first: all, or the first ``k``; none for an empty query.

        Passages of equal score come in the order of the documents.
        """
        terms = index_terms(query)
        if not terms or not self.passages or (k is not None and k <= 0):
            return
        scores = self.engine.scores(terms)
        for i in rank(scores, k):
            yield replace(self.passages[i], score=float(scores[i]))

    @cached_property
    def engine(self) -> Fast | Plain:
        """The index over the passages, built at the first search."""
        return ENGINES[self.engine_name](
            [index_terms(f"{passage.title} {passage.content}") for passage in self.passages]
        )

    @property
    def signature(self) -> str:
        """What the order of the passages rests on: "bm25+(engine=rank-bm25-0.2.2,k1=1.5,b=0.75,delta=1.0)"."""
        return f"bm25+(engine={self.engine_name}-{version(self.engine_name)},k1={K1},b={B},delta={DELTA})"

    def __len__(self) -> int:
        return len(self.passages)


def index_terms(text: str) -> Sequence[str]:
    """The words that are indexed and searched: runs of letters and digits, case folded.

    >>> list(index_terms("The Ålvik Bridge, 1931"))
    ['the', 'ålvik', 'bridge', '1931']
    """
    folded = text.casefold()
    # Case folding may turn a mark into a letter, or one letter into two; then words are found before it.
    if len(folded) == len(text) and "\u0345" not in text:
        return _WORD.findall(folded)
    return [word.casefold() for word in _WORD.findall(text)]


# Measures of rankings of documents, as trec_eval computes them.
#
# recall@k   relevant documents among the first k / all relevant documents
# precision@k   relevant documents among the first k / k
# ap         the mean over relevant documents of the precision at their ranks, 0 for those not found
# mrr        1 / the rank of the first relevant document; 0 where there is none
# judged@k   documents with a grade among the first k / the first k documents
# ndcg@k     sum over the first k of relevance / log2(rank + 1), divided by the same of the best order
#            (Järvelin and Kekäläinen 2002)
#
# A document is relevant from 1 up, or from the grade that is named (TREC RAG: 2). Rankings go by score, and where scores are equal by id, the last one
# first; ranks in a run file are ignored. A topic of the qrels that a run lacks counts 0, and so does a topic without a relevant document, as
# ir_measures has it.

# Scores by topic and document.
Run = Mapping[str, Mapping[str, float]]
# Relevance by topic and document.
Qrels = Mapping[str, Mapping[str, int]]

MEASURES = ("recall@5", "recall@10", "recall@100", "mrr", "ndcg@10")
_NAME = re.compile(r"(recall|precision|judged|ndcg|mrr|ap)(?:@([1-9]\d{0,6}))?")
# Measures that need a depth.
_DEEP = ("recall", "precision", "judged")


def measure(
    run: Run, qrels: Qrels, measures: Sequence[str] = MEASURES, relevant: int = 1
) -> dict[str, dict[str, float]]:
    """By measure and topic: values from 0 to 1.

    ``relevant``: the lowest grade of a relevant document; nDCG takes grades as they are. Raises
    UnknownName, and UsageError for a measure that lacks its depth.
    """
    depths: dict[str, tuple[str, int | None]] = {}
    for name in measures:
        match = _NAME.fullmatch(name)
        if match is None:
            raise UnknownName("retrieval measure", name, MEASURES)
        if match[1] in _DEEP and not match[2]:
            raise UsageError(f"{match[1]} needs a depth: {match[1]}@10")
        depths[name] = match[1], int(match[2]) if match[2] else None
    found: dict[str, dict[str, float]] = {name: {} for name in measures}
    for topic, relevance in qrels.items():
        ideal = sorted((value for value in relevance.values() if value > 0), reverse=True)
        scores = run.get(topic, {})
        # trec_eval breaks ties by id, the last one first, and ignores the ranks in the file.
        ranked = sorted(scores, key=lambda id: (scores[id], id), reverse=True)
        # TREC grades spam with negative grades, which count as not relevant.
        gains = [max(0, relevance.get(id, 0)) for id in ranked]
        hits, count = [gain >= relevant for gain in gains], sum(one >= relevant for one in ideal)
        for name, (kind, depth) in depths.items():
            if kind == "ndcg":
                value = _dcg(gains[:depth]) / _dcg(ideal[:depth]) if ideal else 0.0
            elif kind == "judged":
                # ir_measures counts these itself, and breaks ties by id, the first one first.
                first = sorted(scores, key=lambda id: (-scores[id], id))[:depth]
                value = fmean(id in relevance for id in first) if first else 0.0
            else:
                value = _value(kind, hits[:depth], count, depth)
            found[name][topic] = value
    return found


def qrels_of(questions: Iterable[Question]) -> dict[str, dict[str, int]]:
    """Relevance by question and document, from the gold: assessors' grades where there are any, else 1 for
    documents that support the answer or that a nugget refers to. Questions without either are left out.
    """
    qrels: dict[str, dict[str, int]] = {}
    for question in questions:
        gold = question.gold
        if gold is None:
            continue
        named = [
            *gold.supporting,
            *(id for nugget in gold.nuggets for one in nugget.answers for id in one.references),
        ]
        if grades := dict(gold.relevance) or dict.fromkeys(named, 1):
            qrels[question.id] = grades
    return qrels


def document_scores(passages: Iterable[Passage]) -> dict[str, float]:
    """Documents by the score of their best passage, the best first."""
    best: dict[str, float] = {}
    for passage in passages:
        best[passage.document] = max(passage.score, best.get(passage.document, -math.inf))
    return dict(sorted(best.items(), key=lambda pair: -pair[1]))


def write_trec_run(path: Path, run: Run, name: str) -> None:
    """Lines ``TOPIC Q0 DOCUMENT RANK SCORE NAME``. Raises DataError: not writable, ids with blanks."""
    with atomic_write(path) as file:
        for topic, scores in run.items():
            for id in (topic, *scores):
                if not id or any(map(str.isspace, id)):
                    raise DataError.of(
                        Code.BAD_NAME,
                        f"TREC files can't hold the id {id!r}, which has a blank",
                        path,
                        hint="Rename it, or write JSON Lines (--out).",
                    )
            for rank, (id, score) in enumerate(scores.items(), 1):
                file.write(f"{topic} Q0 {id} {rank} {score:.9g} {name}\n")


def _value(kind: str, hits: Sequence[bool], relevant: int, depth: int | None) -> float:
    """A measure of which of the ranked documents are relevant, of so many in all."""
    if kind == "mrr":
        return next((1 / rank for rank, hit in enumerate(hits, 1) if hit), 0.0)
    if kind == "precision":
        return sum(hits) / (depth or 1)
    if not relevant:
        return 0.0
    if kind == "recall":
        return sum(hits) / relevant
    return sum(sum(hits[:rank]) / rank for rank, hit in enumerate(hits, 1) if hit) / relevant


def _dcg(gains: Sequence[int]) -> float:
    return math.fsum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, 1))
