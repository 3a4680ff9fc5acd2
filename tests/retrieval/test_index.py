"""An index on disk finds what the one in memory finds, and refuses to be taken for another."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from argue_bench.errors import DataError, UsageError
from argue_bench.records import Document
from argue_bench.retrieval import Corpus
from argue_bench.retrieval.index import load_index, load_or_build_index, save_index


@pytest.fixture
def corpus() -> Corpus:
    draw = random.Random(3)
    words = [f"w{i}" for i in range(60)] + ["Ålvik", "東京"]
    return Corpus(
        (Document(f"d{i}", " ".join(draw.choices(words, k=80)), f"Title {i}") for i in range(40)),
        doc_len=120,
    )


def test_the_same_passages_with_the_same_scores(corpus: Corpus, tmp_path: Path) -> None:
    save_index(corpus, tmp_path / "index", "mine")
    again = load_index(tmp_path / "index", "mine")
    assert list(again.passages) == list(corpus.passages)
    assert again.passages[-1] == corpus.passages[-1]
    for query in ("w1 w2 w2 unknown", "ålvik 東京", "title 7"):
        assert list(again.best(query, 20)) == list(corpus.best(query, 20))


def test_an_empty_corpus_is_kept_too(tmp_path: Path) -> None:
    save_index(Corpus([]), tmp_path / "index", "none")
    assert list(load_index(tmp_path / "index").best("anything")) == []


def test_another_index_is_refused_and_made_anew(corpus: Corpus, tmp_path: Path) -> None:
    save_index(corpus, tmp_path / "index", "mine")
    with pytest.raises(DataError, match="an index of mine, not yours"):
        load_index(tmp_path / "index", "yours")
    small = Corpus([Document("only", "one text")])
    assert len(load_or_build_index(lambda: small, tmp_path / "index", "yours")) == 1
    assert len(load_or_build_index(lambda: corpus, tmp_path / "index", "yours")) == 1
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    "file", ["passages.jsonl", "offsets.npy", "data.csc.index.npy", "index.json"]
)
def test_a_damaged_index_is_refused(corpus: Corpus, tmp_path: Path, file: str) -> None:
    save_index(corpus, tmp_path / "index", "mine")
    path = tmp_path / "index" / file
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(DataError):
        load_index(tmp_path / "index", "mine")
    assert len(load_or_build_index(lambda: corpus, tmp_path / "index", "mine")) == len(corpus)


def test_what_is_no_index_is_left_alone(corpus: Corpus, tmp_path: Path) -> None:
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("years of work")
    with pytest.raises(DataError, match="not an index"):
        load_or_build_index(lambda: corpus, tmp_path / "thesis", "mine")
    assert (tmp_path / "thesis" / "chapter.tex").read_text() == "years of work"
    with pytest.raises(DataError, match="has no index"):
        load_index(tmp_path / "nowhere")


def test_only_the_fast_engine_is_kept(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="fast"):
        save_index(Corpus([Document("d", "text")], engine="plain"), tmp_path / "index", "mine")
