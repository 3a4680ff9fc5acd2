"""Which tokens does a text have? spaCy's blank pipelines, one for each language.

English and French have spaCy's rules for them; every other language, known or not, has spaCy's
multi-language rules ("xx"), which know no abbreviations. Nothing is downloaded, no model is needed.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language

LANGUAGES = ("en", "fr")
"""The languages with rules of their own; the others share "xx"."""


def rules_for(language: str) -> str:
    """ "en", "fr" or, for every other language, "xx". Regions do not matter: "fr-CA" is "fr"."""
    primary = language.replace("_", "-").split("-")[0].casefold()
    return primary if primary in LANGUAGES else "xx"


def nlp(language: str = "en") -> Language:
    """The tokenizer and sentencizer of spaCy for this language, made once.

    spaCy's tokenizer takes quadratic time over long runs of punctuation: bound what you give it.
    """
    return _blank(rules_for(language))


@cache
def _blank(rules: str) -> Language:
    import spacy

    pipeline = spacy.blank(rules)
    pipeline.add_pipe("sentencizer")
    return pipeline
