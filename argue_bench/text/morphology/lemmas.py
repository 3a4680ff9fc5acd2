"""Dictionary forms (lemmas) of the words of English texts, from a model or from a table.

`ModelLemmas` are those of spaCy's model ``en_core_web_sm``, which reads each word in its sentence, and
which FanOutQA's scorer uses. `TableLemmas` are those of spaCy's lemmatizer in mode "lookup": the table of
spacy-lookups-data, where a word that it lacks is its own lemma. The table is faster, and another one.

Both start from spaCy's English tokens, which are found in a time linear in the length of a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple, Protocol

from argue_bench.errors import MissingExtra

LemmaSource = Literal["model", "table"]
MODEL = "en_core_web_sm"
"""What spaCy calls its small English model; a package of another name that repacks it begins with this."""
MOST_WORDS = 400_000
"""Different words that are remembered before a fresh start, so that memory stays flat."""
LONGEST_CHUNK = 2000
"""Characters without white space that are tokenized as a whole; longer runs are cut."""
MOST_TOKENS = 10_000
"""Tokens that the model reads at once. A longer text is read in pieces, so that memory stays bounded."""
_TOO_LONG = re.compile(rf"(\S{{{LONGEST_CHUNK}}})(?=\S)")
_WINDOW = 24
_LOOKBEHIND = 4
"""The longest look-behind of an affix pattern in English."""


class Lemmatizer(Protocol):
    """A source of lemmas."""

    def lemmas(self, texts: Sequence[str]) -> list[list[str]]:
        """The lemma of each token of each text, white space tokens included."""
        ...


def require_lemmas(source: LemmaSource) -> None:
    """Raises MissingExtra where the model or the table is not installed."""
    if source == "model" and _model() is None:
        raise MissingExtra(
            f"accuracy as FanOutQA counts it (spaCy's model {MODEL})",
            "fanoutqa",
            f"python -m spacy download {MODEL}",
        )
    if source == "table" and find_spec("spacy_lookups_data") is None:
        raise MissingExtra("accuracy with a table of lemmas", "fanoutqa")


def lemma_versions(source: LemmaSource) -> dict[str, str]:
    """The names and versions of what lemmas depend on."""
    if source == "table":
        return {name: _version(name) for name in ("spacy", "spacy-lookups-data")}
    model = _model()
    name = "not installed" if model is None else f"{model.name} {_version_of(model)}"
    return {"spacy": _version("spacy"), "lemmas": name}


@cache
def lemmatizer(source: LemmaSource) -> Lemmatizer:
    """The lemmatizer of this source, loaded once. Raises MissingExtra."""
    require_lemmas(source)
    return ModelLemmas() if source == "model" else TableLemmas()


class TableLemmas:
    """Lemmas from the table of spacy-lookups-data, each word for itself."""

    def __init__(self) -> None:
        from spacy.lookups import load_lookups

        self._table = load_lookups("en", ["lemma_lookup"]).get_table("lemma_lookup")
        self._start()

    def _start(self) -> None:
        """Makes a fresh tokenizer: spaCy keeps every word that it has ever seen."""
        import spacy

        self._tokenizer = bounded(spacy.blank("en").tokenizer)
        self._tokenizer.vocab.lex_attr_getters = {}  # other facts of a word (shape, stop word)
        self._lemma_of = cache(self._look_up)

    def lemmas(self, texts: Sequence[str]) -> list[list[str]]:
        if self._lemma_of.cache_info().currsize > MOST_WORDS:
            self._start()
        return [
            [self._lemma_of(number) for number in self._tokens(text).to_array("ORTH").tolist()]
            for text in texts
        ]

    def _tokens(self, text: str) -> Any:
        return self._tokenizer(_cut(text))

    def _look_up(self, number: int) -> str:
        """The lemma of a word by spaCy's number of it."""
        word: str = self._tokenizer.vocab.strings[number]
        lemma: str = self._table.get(word, word)
        return lemma


class ModelLemmas:
    """Lemmas by spaCy's model, which depend on the part of speech of each word in its sentence.

    Texts are read in batches, each text once. The named entities are left out, on which no lemma
    depends; the parser is not, since auxiliary verbs are told by it.
    """

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        """Loads the model afresh: spaCy keeps every word that it has ever seen."""
        model = _model()
        assert model is not None, "require_lemmas comes first"  # noqa: S101
        self._nlp = model.load().load(exclude=["ner", "senter"])
        self._nlp.tokenizer = bounded(self._nlp.tokenizer)
        self._most_words = len(self._nlp.vocab.strings) + MOST_WORDS

    def lemmas(self, texts: Sequence[str]) -> list[list[str]]:
        if len(self._nlp.vocab.strings) > self._most_words:
            self._start()
        pieces = [
            (place, piece) for place, text in enumerate(texts) for piece in self._pieces(text)
        ]
        found: list[list[str]] = [[] for _ in texts]
        read = self._nlp.pipe([piece for _, piece in pieces])
        for (place, _), doc in zip(pieces, read, strict=True):
            found[place] += [token.lemma_ for token in doc]
        return found

    def _pieces(self, text: str) -> Iterator[Any]:
        tokens = self._nlp.tokenizer(_cut(text))
        if len(tokens) <= MOST_TOKENS:
            yield tokens
            return
        for start in range(0, len(tokens), MOST_TOKENS):
            yield tokens[start : start + MOST_TOKENS].as_doc()


class _Affix(NamedTuple):
    """As much of a match as spaCy's tokenizer reads."""

    length: int

    def start(self) -> int:
        return 0

    def end(self) -> int:
        return self.length


def bounded(tokenizer: Any) -> Any:
    """A tokenizer of spaCy, with the same tokens and a time linear in the length of a text.

    spaCy peels prefixes and suffixes off a chunk one at a time and searches the whole rest each time:
    32,000 commas in a row take minutes, which a hostile answer could use. No affix but a run of dots is
    longer than a few characters, so they are looked for in a window at either end, which grows while an
    affix fills it.
    """
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


def _cut(text: str) -> str:
    """The text with runs without white space cut to the length that is tokenized as a whole."""
    return _TOO_LONG.sub(r"\1 ", text)


@cache
def _model() -> EntryPoint | None:
    """The installed model: of that very name, else the first package whose name begins with it."""
    installed = (one for one in entry_points(group="spacy_models") if one.name.startswith(MODEL))
    return min(installed, key=lambda one: one.name, default=None)


def _version_of(model: EntryPoint) -> str:
    return "" if model.dist is None else model.dist.version


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"
