"""Dictionary forms (lemmas) of the words of English texts, from a model or from a table.

`model_lemmas` are those of spaCy's model ``en_core_web_sm``, which reads each word in its sentence, and
which FanOutQA's scorer uses. `table_lemmas` are those of spaCy's lemmatizer in mode "lookup": the table of
spacy-lookups-data, where a word that it lacks is its own lemma. The table is faster, and another one.

Both start from spaCy's English tokens, which are found in a time linear in the length of a text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple

from argue_bench.errors import MissingExtra

LemmaSource = Literal["model", "table"]
Lemmatizer = Callable[[Sequence[str]], list[list[str]]]
"""The lemma of each token of each text, white space tokens included."""

MODEL = "en_core_web_sm"
"""What spaCy calls its small English model; a package of another name that repacks it begins with this."""
LONGEST_CHUNK = 2000
"""Characters without white space that are tokenized as a whole; longer runs are cut. No word of FanOutQA's
pages is as long."""
MOST_TOKENS = 10_000
"""Tokens that the model reads at once. A longer text is read in pieces, so that memory stays bounded."""
_TOO_LONG = re.compile(rf"(\S{{{LONGEST_CHUNK}}})(?=\S)")
_WINDOW = 24
"""Characters in which an affix is looked for at first; few are longer than two."""
_LOOKBEHIND = 4
"""The longest look-behind of an affix pattern in English."""


def require_lemmas(source: LemmaSource) -> None:
    """Raises MissingExtra where spaCy, and the model or the table, are not installed."""
    if source == "model" and (find_spec("spacy") is None or _model() is None):
        raise MissingExtra(
            f"accuracy as FanOutQA counts it (spaCy's model {MODEL})",
            "fanoutqa",
            f"python -m spacy download {MODEL}",
        )
    if source == "table" and (
        find_spec("spacy") is None or find_spec("spacy_lookups_data") is None
    ):
        raise MissingExtra("accuracy with a table of lemmas", "fanoutqa")


def lemma_versions(source: LemmaSource) -> dict[str, str]:
    """The names and versions of what lemmas depend on."""
    if source == "table":
        return {name: package_version(name) for name in ("spacy", "spacy-lookups-data")}
    model = _model()
    installed = "not installed"
    if model is not None:
        installed = f"{model.name} {model.dist.version if model.dist else ''}"
    return {"spacy": package_version("spacy"), "lemmas": installed}


def package_version(package: str) -> str:
    """The version of a package, or "not installed"."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


@cache
def lemmatizer(source: LemmaSource) -> Lemmatizer:
    """The lemmatizer of this source, loaded once. Raises MissingExtra."""
    require_lemmas(source)
    return model_lemmas() if source == "model" else table_lemmas()


def table_lemmas() -> Lemmatizer:
    """Lemmas from the table of spacy-lookups-data, each word for itself."""
    import spacy
    from spacy.lookups import load_lookups

    table = load_lookups("en", ["lemma_lookup"]).get_table("lemma_lookup")
    tokenizer = bounded(spacy.blank("en").tokenizer)

    def lemmas(texts: Sequence[str]) -> list[list[str]]:
        read = (tokenizer(_cut(text)) for text in texts)
        return [[table.get(word.text, word.text) for word in words] for words in read]

    return lemmas


def model_lemmas() -> Lemmatizer:
    """Lemmas by spaCy's model, which depend on the part of speech of each word in its sentence.

    Texts are read in batches, each text once. The named entities are left out, on which no lemma
    depends; the parser is not, since auxiliary verbs are told by it.
    """
    model = _model()
    assert model is not None, "require_lemmas comes first"  # noqa: S101
    # The entry point is the package of the model, whose `load` makes the pipeline.
    nlp = model.load().load(exclude=["ner", "senter"])
    nlp.tokenizer = bounded(nlp.tokenizer)

    # A model reads tokens by their neighbours: a cut changes at most the lemmas beside it.
    def pieces(text: str) -> Iterator[Any]:
        tokens = nlp.tokenizer(_cut(text))
        if len(tokens) <= MOST_TOKENS:
            yield tokens
            return
        for start in range(0, len(tokens), MOST_TOKENS):
            yield tokens[start : start + MOST_TOKENS].as_doc()

    def lemmas(texts: Sequence[str]) -> list[list[str]]:
        read = [(place, piece) for place, text in enumerate(texts) for piece in pieces(text)]
        found: list[list[str]] = [[] for _ in texts]
        docs = nlp.pipe([piece for _, piece in read])
        for (place, _), doc in zip(read, docs, strict=True):
            found[place] += [token.lemma_ for token in doc]
        return found

    return lemmas


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
            # The affix ends well inside the window, so the rest of the chunk cannot change it.
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
    # The very name is the shortest, and so the first.
    return min(installed, key=lambda one: one.name, default=None)
