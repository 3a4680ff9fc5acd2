"""What are the dictionary forms of the words of an English text?

spaCy's tokenizer for English (``blank("en")``) and the lemma table of spacy-lookups-data, which is
what its lemmatizer reads in mode "lookup": a word that the table does not hold is its own lemma.
Without the pipeline around them they are some times faster, and give the same.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

from argue_bench.errors import MissingExtra
from argue_bench.text.affixes import Peeler, hostile

MOST_WORDS = 400_000
"""How many different words are remembered before it starts afresh, so that memory stays flat."""


def require_lemma_table() -> None:
    """Raises MissingExtra where the lemma table is not installed."""
    if find_spec("spacy_lookups_data") is None:
        raise MissingExtra("accuracy as FanOutQA counts it (a table of lemmas)", "lemmas")


def lemma_versions() -> dict[str, str]:
    """The versions that lemmas depend on."""
    return {name: _version(name) for name in ("spacy", "spacy-lookups-data")}


def lemmas(text: str) -> list[str]:
    """The lemma of each token, white space tokens included. Raises MissingExtra."""
    return _lemmatizer().lemmas(text)


class _Lemmatizer:
    def __init__(self) -> None:
        from spacy.lookups import load_lookups

        require_lemma_table()
        self._table = load_lookups("en", ["lemma_lookup"]).get_table("lemma_lookup")
        self._start()

    def _start(self) -> None:
        """A fresh tokenizer: spaCy keeps every word that it has ever seen."""
        import spacy

        tokenizer: Any = spacy.blank("en").tokenizer
        tokenizer.vocab.lex_attr_getters = {}  # what else is known of a word (shape, stop word)
        self._tokenizer = tokenizer
        self._by_number = _ByNumber(self._lemma_of)
        self._peeler: Peeler | None = None

    def lemmas(self, text: str) -> list[str]:
        if hostile(text):
            self._peeler = self._peeler or Peeler(self._tokenizer)
            return [self._table.get(word, word) for word in self._peeler.words(text)]
        if len(self._by_number) > MOST_WORDS:
            self._start()
        numbers = self._tokenizer(text).to_array("ORTH").tolist()
        return [self._by_number[number] for number in numbers]

    def _lemma_of(self, number: int) -> str:
        word: str = self._tokenizer.vocab.strings[number]
        lemma: str = self._table.get(word, word)
        return lemma


class _ByNumber(dict[int, str]):
    """spaCy's number of a word to the word's lemma, looked up once."""

    def __init__(self, lemma_of: Callable[[int], str]) -> None:
        super().__init__()
        self._lemma_of = lemma_of

    def __missing__(self, number: int) -> str:
        self[number] = lemma = self._lemma_of(number)
        return lemma


@cache
def _lemmatizer() -> _Lemmatizer:
    return _Lemmatizer()


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
