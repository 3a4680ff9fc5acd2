"""FanOutQA's own scorer: whether every gold string is in the answer.

Zhu et al. 2024, section 4.2; the scorer of zhudotexe/fanoutqa at 989f4c4. Frozen: every quirk is
kept. It reads the answer as it was written, citation marks included. A string is brought to its normal
form (`normal`): lower case, mended by ftfy, commas inside
numbers deleted, lemmas of spaCy's tokens joined by blanks, ``, . ? ! : ;`` deleted, white space
folded and not stripped. The answer has a gold leaf if the leaf's normal form occurs, between word
boundaries, in the answer's normal form. A list scores 1 - missing / its own length, where ``missing``
counts leaves at every depth: nested gold can therefore score below 0. Empty gold is refused, because
the scorer divides by zero there.

The scorer's lemmas are those of spaCy's model en_core_web_sm (``rules=fanoutqa``). With those of a table
(``rules=fanoutqa-lookup``) it is another scorer, which is faster and finds more. With ``text=plain`` either is a
scorer of our own, by which boards rank: it reads what the answer says (`said_text`), parted at every sign that stands
inside no word (`parted`), and gold and answer in one spelling of accents, dashes, quotes and blanks (`fold_text`).

`model_lemmas` are those of the model, which reads each word in its sentence. `table_lemmas` are those of spaCy's lemmatizer in mode "lookup": the table of
spacy-lookups-data, where a word that it lacks is its own lemma. The table is faster, and another one.

Both start from spaCy's English tokens, which are found in a time linear in the length of a text.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import EntryPoint, PackageNotFoundError, entry_points, version
from importlib.util import find_spec
from typing import Any, ClassVar, Literal, NamedTuple

from argue_bench.errors import Code, DataError, MissingExtra
from argue_bench.metrics.base import Tallies
from argue_bench.metrics.correctness.accuracy import Accuracy, missing_note, said_text
from argue_bench.records import NOT_APPLICABLE, Answer, Documents, Question, Structured, Tally
from argue_bench.records.question import as_text
from argue_bench.text.typed import fold_text, parted

LemmaSource = Literal["model", "table"]
# What is read: each character as it was written, or the words in plain spelling.
Text = Literal["written", "plain"]
# The lemma of each token of each text, white space tokens included.
Lemmatizer = Callable[[Sequence[str]], list[list[str]]]

# What spaCy calls its small English model; a package of another name that repacks it begins with this.
MODEL = "en_core_web_sm"
# Characters without white space that are tokenized as a whole; longer runs are cut. No word of FanOutQA's
# pages is as long.
LONGEST_CHUNK = 2000
# Tokens that the model reads at once. A longer text is read in pieces, so that memory stays bounded.
MOST_TOKENS = 10_000
_TOO_LONG = re.compile(rf"(\S{{{LONGEST_CHUNK}}})(?=\S)")
# Characters in which an affix is looked for at first; few are longer than two.
_WINDOW = 24
# The longest look-behind of an affix pattern in English.
_LOOKBEHIND = 4


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
    installed = f"{model.name} {model.dist.version if model.dist else ''}" if model else ""
    return {"spacy": package_version("spacy"), "lemmas": installed or "not installed"}


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
        for (place, _), doc in zip(read, nlp.pipe([piece for _, piece in read]), strict=True):
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


# The scorer's pattern ``(\d+,)+\d+(\.\d+)?``, started only where a run of digits starts: a long one is read
# once, not once from each of its digits.
_COMMAS_IN_NUMBER = re.compile(r"(?<!\d)\d++(?:,\d++)++(?:\.\d+)?")
# As `fold_text` marks thousands that were set apart by a thin or no-break blank; and millions by plain ones.
_MARKED_THOUSANDS = re.compile(
    r"(?<=\d)'(?=\d{3}(?!\d))|(?<=\d)(?<!\d{4}) (?=\d{3} \d{3}(?!\d))|(?<=\d \d{3}) (?=\d{3}(?!\d))"
)
_DELETED = str.maketrans("", "", ",.?!:;")
# ASCII without ``&``, escapes and control characters: ftfy changes nothing in it.
_NOTHING_TO_MEND = re.compile(r"[\t\n -%'-~]*")
# Normal forms that are remembered before a fresh start: all gold of the published sets (3,079 strings of dev)
# and the answers of some systems, in about 20 MB.
MOST_FORMS = 10_000

_FORMS: dict[tuple[LemmaSource, Text], dict[str, str]] = defaultdict(dict)


@dataclass(frozen=True)
class FanoutqaAccuracy(Accuracy):
    """FanOutQA's accuracy, to the letter unless ``text=plain``; an empty answer scores 0."""

    text: Text = "written"

    rules: ClassVar[str] = "fanoutqa"
    family: ClassVar[str] = "correctness"
    lemmas: ClassVar[LemmaSource] = "model"

    def read(self, answer: Answer) -> str:
        """What is read of an answer."""
        return answer.text if self.text == "written" else said_text(answer)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        gold = None if question.gold is None else question.gold.answer
        if gold is None:
            return {"loose": NOT_APPLICABLE, "strict": NOT_APPLICABLE}
        # The published evaluator gives an unanswered question 0 without reading its gold.
        if not answer.text:
            return {"loose": Tally(0.0, note="no answer"), "strict": Tally(0.0)}
        found = answer_in_text(gold, self.read(answer), self.lemmas, self.text)
        return {
            "loose": Tally(found.score, 1.0, missing_note(found.missing)),
            "strict": Tally(float(found.score == 1)),
        }

    def read_ahead(self, pairs: Sequence[tuple[Question, Answer]]) -> None:
        known = [
            (question.gold.answer, self.read(answer))
            for question, answer in pairs
            if answer.text and question.gold is not None
        ]
        read_ahead(known, self.lemmas, self.text)

    def require(self) -> None:
        require_lemmas(self.lemmas)

    def facts(self) -> Mapping[str, str]:
        return {**lemma_versions(self.lemmas), "ftfy": package_version("ftfy")}


class LookupAccuracy(FanoutqaAccuracy):
    """The same with lemmas from a table."""

    rules: ClassVar[str] = "fanoutqa-lookup"
    lemmas: ClassVar[LemmaSource] = "table"


@dataclass(frozen=True, slots=True)
class Found:
    """The result of the scorer: whether all was found, the share, and what is missing."""

    found: bool
    score: float
    missing: tuple[str, ...]


def normal(text: object, source: LemmaSource = "model") -> str:
    """The normal form of a text, or of a number as Python writes it. Raises MissingExtra.

    >>> normal("1,590,152 people", "table")
    '1590152 people'
    """
    return normal_forms((str(text),), source)[0]


def normal_forms(texts: Sequence[str], source: LemmaSource) -> list[str]:
    """The normal form of each text. Raises MissingExtra."""
    return [
        re.sub(r"\s+", " ", " ".join(lemmas).translate(_DELETED))
        for lemmas in lemmatizer(source)(list(map(_mended, texts)))
    ]


def _plain_forms(texts: Sequence[str], source: LemmaSource) -> list[str]:
    """The same of the folded texts, without blanks at their ends: "Jr." is in "(Jr.)" as before a comma."""
    read = [_MARKED_THOUSANDS.sub("", fold_text(parted(text))) for text in texts]
    return [form.strip() for form in normal_forms(read, source)]


def _mended(text: str) -> str:
    """Lower case, without faults of encoding, without commas inside numbers."""
    lowered = text.lower()
    # ftfy takes longer than all the rest, and most answers are plain ASCII.
    if not _NOTHING_TO_MEND.fullmatch(lowered):
        from ftfy import fix_text

        lowered = fix_text(lowered)
    return _COMMAS_IN_NUMBER.sub(lambda match: match[0].replace(",", ""), lowered)


def answer_in_text(
    reference: Structured,
    candidate: str,
    source: LemmaSource = "model",
    text: Text = "written",
) -> Found:
    """The share of the gold that the candidate contains. Raises DataError for an empty list."""
    read_ahead([(reference, candidate)], source, text)
    forms = _FORMS[source, text]
    body, wanted = forms[candidate], [forms[leaf] for leaf in _leaves(reference)]
    # The scorer never finds what begins or ends in a sign, "$87 billion".
    bounds = (r"\b", r"\b") if text == "written" else (r"(?<!\w)", r"(?!\w)")
    missing = tuple(
        one for one in wanted if not (one in body and re.search(re.escape(one).join(bounds), body))
    )
    # The divisor is the length of the outermost list alone, whatever lies deeper: a fault that is kept.
    parts = len(_parts(reference))
    return Found(not missing, (parts - len(missing)) / parts, missing)


def read_ahead(
    pairs: Sequence[tuple[Structured, str]], source: LemmaSource, text: Text = "written"
) -> None:
    """Normalises gold and candidates together, each text once, for `answer_in_text`.

    The published scorer normalises the answer again for each gold string; the results are the same.
    Raises MissingExtra.
    """
    # Gold and answers share one table: which is which does not matter to a normal form.
    forms = _FORMS[source, text]
    # Before new ones come in, so that those of this batch stay until they are scored.
    if len(forms) > MOST_FORMS:
        forms.clear()
    read = [one for reference, candidate in pairs for one in (*_leaves(reference), candidate)]
    new = [one for one in dict.fromkeys(read) if one not in forms]
    normal_of = normal_forms if text == "written" else _plain_forms
    forms.update(zip(new, normal_of(new, source), strict=True))


def _leaves(reference: Structured) -> Iterator[str]:
    """Every plain value as the scorer writes it, keys of mappings included. Raises DataError for an empty list."""
    parts = _parts(reference)
    if not parts:
        raise DataError.of(
            Code.EMPTY,
            "the gold answer is an empty list or mapping, of which no share can be found",
            hint="Correct the gold, or score with accuracy, to which it does not apply.",
        )
    for part in parts:
        if isinstance(part, (Mapping, list, tuple)):
            yield from _leaves(part)
        else:
            yield as_text(part) if isinstance(part, bool) else str(part)


def _parts(reference: Structured) -> Sequence[Structured]:
    """The keys of a mapping and then its values, the values of a list, or a plain value alone."""
    if isinstance(reference, Mapping):
        return (*reference.keys(), *reference.values())
    return reference if isinstance(reference, (list, tuple)) else (reference,)
