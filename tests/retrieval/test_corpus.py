"""Retrieval: nothing is lost, all engines agree, nothing empty crashes."""

from __future__ import annotations

import math
import random
import re

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from argue_bench.records import Document
from argue_bench.retrieval import Corpus, cut_passages, index_terms, rank

TEXT = st.text(alphabet=st.sampled_from("ab é.\n ,;!?\t"), max_size=400)


@given(text=TEXT, length=st.integers(1, 60))
@settings(deadline=None)
def test_passages_joined_give_the_document(text: str, length: int) -> None:
    found = list(cut_passages(text, length))
    assert "".join(content for _, content in found) == text
    assert all(0 < len(content) <= length for _, content in found)
    assert all(text.startswith(content, start) for start, content in found)


def test_passages_end_at_the_best_cut() -> None:
    text = "First paragraph here.\n\nSecond one. And more, of it."
    assert [content for _, content in cut_passages(text, 30)] == [
        "First paragraph here.\n\n",
        "Second one. And more, of it.",
    ]


def test_a_passage_of_no_length_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one character"):
        list(cut_passages("text", 0))


def bm25_plus(query: list[str], passages: list[list[str]]) -> list[float]:
    """The formula of Lv and Zhai (2011), word by word, apart from both engines."""
    average = sum(map(len, passages)) / len(passages)
    scores = []
    for passage in passages:
        score = 0.0
        for word in query:
            df = sum(word in other for other in passages)
            if df:
                tf = passage.count(word)
                tamed = tf * 2.5 / (tf + 1.5 * (0.25 + 0.75 * len(passage) / average))
                score += math.log((len(passages) + 1) / df) * (1.0 + tamed)
        scores.append(score)
    return scores


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    draw = random.Random(11)
    vocabulary = [f"w{i}" for i in range(40)]
    return [
        Document(
            f"d{i}", " ".join(draw.choices(vocabulary, k=draw.randint(3, 30))), title=f"t{i % 5}"
        )
        for i in range(120)
    ]


@pytest.mark.parametrize("engine", ["rank-bm25", "bm25s"])
def test_scores_are_the_formula(documents: list[Document], engine: str) -> None:
    corpus = Corpus(documents, engine=engine)  # type: ignore[arg-type]
    query = ["w3", "w7", "w3", "unknown", "t2"]
    expected = bm25_plus(
        query, [list(index_terms(f"{p.title} {p.content}")) for p in corpus.passages]
    )
    found = {passage.document: passage.score for passage in corpus.best(" ".join(query))}
    for document, score in zip(documents, expected, strict=True):
        assert found[document.id] == pytest.approx(score, abs=1e-9)


def test_all_engines_give_the_same_order(documents: list[Document]) -> None:
    fast, plain = Corpus(documents, engine="bm25s"), Corpus(documents, engine="rank-bm25")
    draw = random.Random(5)
    for _ in range(50):
        query = " ".join(f"w{draw.randint(0, 45)}" for _ in range(draw.randint(1, 6)))
        everything = [passage.document for passage in plain.best(query)]
        assert [passage.document for passage in fast.best(query)] == everything
        assert [passage.document for passage in fast.best(query, k=7)] == everything[:7]


@pytest.mark.parametrize("kind", ["spread", "tied", "sample misleads", "few"])
def test_the_best_are_those_of_all_scores_in_order(kind: str) -> None:
    scores = np.random.default_rng(3).gamma(2, size=40 if kind == "few" else 5_000)
    if kind == "tied":
        scores = scores.round()
    elif kind == "sample misleads":
        scores[::16] += 100
    order = np.argsort(-scores.round(9), kind="stable")
    for k in (1, 10, 39, len(scores)):
        assert list(rank(scores, k)) == list(order[:k])


def test_ties_keep_the_order_of_the_documents() -> None:
    same = [Document(f"d{i}", "same words here") for i in range(9)]
    assert [p.document for p in Corpus(same).best("words", k=4)] == ["d0", "d1", "d2", "d3"]


@pytest.mark.parametrize("engine", ["rank-bm25", "bm25s"])
@pytest.mark.parametrize(
    ("documents", "query"),
    [
        ([], "a query"),
        ([Document("d", "")], "a query"),
        ([Document("d", "some text")], ""),
        ([Document("d", "some text")], "?!"),
    ],
)
def test_what_is_empty_gives_nothing(documents: list[Document], query: str, engine: str) -> None:
    assert list(Corpus(documents, engine=engine).best(query)) == []  # type: ignore[arg-type]


@pytest.mark.parametrize("engine", ["rank-bm25", "bm25s"])
def test_a_query_of_unknown_words_and_passages_without_words_do_not_fail(engine: str) -> None:
    corpus = Corpus([Document("a", "!!!"), Document("b", "words")], engine=engine)  # type: ignore[arg-type]
    assert {passage.document for passage in corpus.best("nowhere")} == {"a", "b"}
    assert next(corpus.best("words")).document == "b"


def test_no_more_than_k_and_none_for_zero(documents: list[Document]) -> None:
    corpus = Corpus(documents)
    assert len(list(corpus.best("w1", k=3))) == 3
    assert list(corpus.best("w1", k=0)) == []
    assert len(list(corpus.best("w1", k=10_000))) == len(corpus)


@given(st.text())
@example("İSTANBUL Straße ŉa \u0345b ǅ ﬁn Σας")
def test_words_are_folded_one_by_one(text: str) -> None:
    assert list(index_terms(text)) == [word.casefold() for word in re.findall(r"\w+", text)]


def test_rank_bm25_searches_small_corpora_and_bm25s_large_ones() -> None:
    small = Corpus([Document("d", "a word")])
    large = Corpus([Document("d", "a word " * 600)], doc_len=2)
    assert (small.engine_name, large.engine_name) == ("rank-bm25", "bm25s")
    assert re.fullmatch(
        r"bm25\+\(engine=rank-bm25-[\d.]+,k1=1.5,b=0.75,delta=1.0\)", small.signature
    )
