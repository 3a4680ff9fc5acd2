"""The bounded tokenizer gives spaCy's own tokens, and the normal form the published algorithm's."""

from __future__ import annotations

import re
import time
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("spacy_lookups_data", reason="needs argue-bench[lemmas]")

from argue_bench.metrics.compat.fanoutqa import normal
from argue_bench.text import lemmas
from argue_bench.text.lemmas import LONGEST_CHUNK, bounded_tokenizer

PIECES = [
    *",.\"'()[]{}&$-:;<>=*/\\|_#%+!?’“”…°—\t\n\xa0",
    " ",
    "  ",
    "12",
    "1,000",
    "3.5",
    "don't",
    "'s",
    "10km",
    "US$",
    "u.s.",
    "e.g.",
    ":-)",
    "http://a.b.com/x?y",
    "a@b.com",
    "é",
    "ﬁ",
    "..",
    "....",
    ":)",
    "(-:",
    "><(((*>",
    "can't",
    "5p.m.",
    "\U0001f389",
    "the",
    "mice",
    "&amp;",
    "SÃ£o",
    "１２",
]
texts = st.lists(st.sampled_from(PIECES), max_size=120).map("".join)
runs = (
    st.lists(
        st.tuples(st.sampled_from(PIECES), st.integers(1, 60)).map(lambda run: run[0] * run[1]),
        max_size=6,
    )
    .map("".join)
    .filter(lambda text: max(map(len, text.split()), default=0) <= LONGEST_CHUNK)
)


@cache
def _pipeline() -> Any:
    import spacy

    nlp = spacy.blank("en")
    nlp.add_pipe("lemmatizer", config={"mode": "lookup"})
    nlp.initialize()
    return nlp


@cache
def _bounded() -> Any:
    return bounded_tokenizer()


def _published(text: str) -> str:
    """FanOutQA's normal form, step by step as it is described."""
    from ftfy import fix_text

    text = fix_text(text.lower())
    text = re.sub(r"(\d+,)+\d+(\.\d+)?", lambda match: match[0].replace(",", ""), text)
    text = " ".join(token.lemma_ for token in _pipeline()(text))
    return re.sub(r"\s+", " ", re.sub(r"[,.?!:;]", "", text))


@settings(deadline=None, max_examples=300)
@given(texts | runs)
def test_the_tokens_are_spacys(text: str) -> None:
    assert [token.text for token in _bounded()(text)] == [
        token.text for token in _pipeline().tokenizer(text)
    ]


@settings(deadline=None, max_examples=300)
@given(texts | runs | st.text(max_size=80))
def test_the_normal_form_is_the_published_one(text: str) -> None:
    assert normal(text) == _published(text)


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet="12,.a ٣", max_size=30))
def test_commas_in_numbers_go_as_the_published_pattern_has_it(text: str) -> None:
    assert normal(text) == _published(text)


@pytest.mark.parametrize(
    "piece", [",", '"', "([", "&", "\U0001f389", "7", "1,", "...,", ":)", "(-:"]
)
def test_a_long_run_is_still_equal(piece: str) -> None:
    text = f"so {piece * 200} it is"
    assert normal(text) == _published(text)


@pytest.mark.parametrize("piece", [",", '"', "([", "&", "\U0001f389", "7", "...,", ":)", "-a"])
def test_hostile_text_takes_linear_time(piece: str) -> None:
    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        start = time.process_time()
        lemmas.lemmas(text)
        return time.process_time() - start

    lemmas.lemmas(piece)
    assert seconds(32_000) < 5  # spaCy's own loop takes minutes


def test_a_chunk_that_is_too_long_is_cut() -> None:
    assert lemmas.lemmas("x" * (LONGEST_CHUNK + 3)) == ["x" * LONGEST_CHUNK, "xxx"]


def test_starting_afresh_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [f"The mice number {number} ran, don't they?" for number in range(30)]
    before = [lemmas.lemmas(text) for text in texts]
    monkeypatch.setattr(lemmas, "MOST_WORDS", 10)
    assert [lemmas.lemmas(text) for text in texts] == before
    assert before[0][1] == "mouse"
