"""Dictionary forms of the words of an English text.

spaCy's tokenizer for English (``blank("en")``) and the lemma table of spacy-lookups-data, which is
the table of spaCy's lemmatizer in mode "lookup": a word that the table lacks is its own lemma.
Without the pipeline around them they are several times faster, and give the same.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any, NamedTuple

from argue_bench.errors import MissingExtra

MOST_WORDS = 400_000
"""Different words that are remembered before a fresh start, so that memory stays flat."""
LONGEST_CHUNK = 2000
"""Characters without white space that are tokenized as a whole; longer runs are cut."""
_TOO_LONG = re.compile(rf"(\S{{{LONGEST_CHUNK}}})(?=\S)")
_WINDOW = 24
_LOOKBEHIND = 4
"""The longest look-behind of an affix pattern in English."""


class _Affix(NamedTuple):
    """As much of a match as spaCy's tokenizer reads."""

    length: int

    def start(self) -> int:
        return 0

    def end(self) -> int:
        return self.length


def require_lemma_table() -> None:
    """Raises MissingExtra where the lemma table is not installed."""
    if find_spec("spacy_lookups_data") is None:
        raise MissingExtra("accuracy as FanOutQA counts it (a table of lemmas)", "lemmas")


def lemma_versions() -> dict[str, str]:
    """The versions of the packages that lemmas depend on."""
    return {name: _version(name) for name in ("spacy", "spacy-lookups-data")}


def lemmas(text: str) -> list[str]:
    """The lemma of each token, white space tokens included. Raises MissingExtra."""
    return _lemmatizer().lemmas(text)


def bounded_tokenizer() -> Any:
    """spaCy's English tokenizer, with the same tokens and a time linear in the length of a text.

    spaCy peels prefixes and suffixes off a chunk one at a time and searches the whole rest each time:
    32,000 commas in a row take minutes, which a hostile answer could use. No affix but a run of dots is
    longer than a few characters, so they are looked for in a window at either end, which grows while an
    affix fills it.
    """
    import spacy

    tokenizer: Any = spacy.blank("en").tokenizer
    tokenizer.prefix_search = _in_window(tokenizer.prefix_search, at_end=False)
    tokenizer.suffix_search = _in_window(tokenizer.suffix_search, at_end=True)
    return tokenizer


def _in_window(search: Callable[[str], Any], at_end: bool) -> Callable[[str], _Affix]:
    @lru_cache(4096)
    def length(window: str) -> int:
        match = search(window)
        return match.end() - match.start() if match else 0

    def affix(chunk: str) -> _Affix:
        size = _WINDOW
        while True:
            found = length(chunk[-size:] if at_end else chunk[:size])
            if found + _LOOKBEHIND <= size or size >= len(chunk):
                return _Affix(found)
            size *= 4

    return affix


class _Lemmatizer:
    def __init__(self) -> None:
        from spacy.lookups import load_lookups

        require_lemma_table()
        self._table = load_lookups("en", ["lemma_lookup"]).get_table("lemma_lookup")
        self._start()

    def _start(self) -> None:
        """Makes a fresh tokenizer: spaCy keeps every word that it has ever seen."""
        self._tokenizer = bounded_tokenizer()
        self._tokenizer.vocab.lex_attr_getters = {}  # other facts of a word (shape, stop word)
        self._lemma_of = cache(self._look_up)

    def lemmas(self, text: str) -> list[str]:
        if self._lemma_of.cache_info().currsize > MOST_WORDS:
            self._start()
        cut = _TOO_LONG.sub(r"\1 ", text)
        return [self._lemma_of(number) for number in self._tokenizer(cut).to_array("ORTH").tolist()]

    def _look_up(self, number: int) -> str:
        """The lemma of a word by spaCy's number of it."""
        word: str = self._tokenizer.vocab.strings[number]
        lemma: str = self._table.get(word, word)
        return lemma


_lemmatizer = cache(_Lemmatizer)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
