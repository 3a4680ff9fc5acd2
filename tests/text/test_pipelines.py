"""Which rules of spaCy a language gets."""

from __future__ import annotations

import pytest

from argue_bench.text import nlp
from argue_bench.text.pipelines import rules_for


@pytest.mark.parametrize(
    ("language", "rules"),
    [("en", "en"), ("fr", "fr"), ("fr-CA", "fr"), ("EN_us", "en"), ("de", "xx"), ("", "xx")],
)
def test_languages_without_rules_share_one_set(language: str, rules: str) -> None:
    assert rules_for(language) == rules
    assert nlp(language).lang == rules
    assert nlp(language) is nlp(rules)


def test_tokens_follow_the_language() -> None:
    text = "L'école de M. Dupont."
    assert [token.text for token in nlp("fr")(text)][:2] == ["L'", "école"]
    assert next(token.text for token in nlp("xx")("e.g. it")) != "e.g."
    assert [token.text for token in nlp("en")("e.g. it")] == ["e.g.", "it"]


def test_the_sentencizer_marks_sentences() -> None:
    assert [span.text for span in nlp("en")("It fell. It rose.").sents] == ["It fell.", "It rose."]
