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
(``rules=fanoutqa-lookup``) it is another scorer, which is faster and finds more.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from argue_bench.errors import Code, DataError
from argue_bench.metrics.base import Tallies
from argue_bench.metrics.correctness.accuracy import Accuracy
from argue_bench.published.fanoutqa.lemmas import (
    LemmaSource,
    lemma_versions,
    lemmatizer,
    package_version,
    require_lemmas,
)
from argue_bench.records import NOT_APPLICABLE, Answer, Documents, Question, Structured, Tally
from argue_bench.records.question import as_text

_COMMAS_IN_NUMBER = re.compile(r"(?<!\d)\d++(?:,\d++)++(?:\.\d+)?")
"""The scorer's pattern ``(\\d+,)+\\d+(\\.\\d+)?``, started only where a run of digits starts: a long one
is read once, not once from each of its digits."""
_DELETED = str.maketrans("", "", ",.?!:;")
_NOTHING_TO_MEND = re.compile(r"[\t\n -%'-~]*")
"""ASCII without ``&``, escapes and control characters: ftfy changes nothing in it."""
MOST_FORMS = 10_000
"""Normal forms that are remembered before a fresh start: all gold of the published sets (3,079 strings of
dev) and the answers of some systems, in about 20 MB."""

_FORMS: dict[LemmaSource, dict[str, str]] = {"model": {}, "table": {}}


class FanoutqaAccuracy(Accuracy):
    """FanOutQA's accuracy, to the letter; an empty answer scores 0."""

    rules: ClassVar[str] = "fanoutqa"
    family: ClassVar[str] = "correctness"
    lemmas: ClassVar[LemmaSource] = "model"

    def tally(self, question: Question, answer: Answer, documents: Documents) -> Tallies:
        gold = None if question.gold is None else question.gold.answer
        if gold is None:
            return {"loose": NOT_APPLICABLE, "strict": NOT_APPLICABLE}
        # The published evaluator gives an unanswered question 0 without reading its gold.
        if not answer.text:
            return {"loose": Tally(0.0, note="no answer"), "strict": Tally(0.0)}
        found = answer_in_text(gold, answer.text, self.lemmas)
        note = f"missing: {'; '.join(found.missing)}" if found.missing else ""
        return {
            "loose": Tally(found.score, 1.0, note),
            "strict": Tally(float(found.score == 1)),
        }

    def read_ahead(self, pairs: Sequence[tuple[Question, Answer]]) -> None:
        known = [(question.gold, answer.text) for question, answer in pairs if answer.text]
        read_ahead([(gold.answer, text) for gold, text in known if gold is not None], self.lemmas)

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


def _mended(text: str) -> str:
    """Lower case, without faults of encoding, without commas inside numbers."""
    lowered = text.lower()
    # ftfy takes longer than all the rest, and most answers are plain ASCII.
    if not _NOTHING_TO_MEND.fullmatch(lowered):
        from ftfy import fix_text

        lowered = fix_text(lowered)
    return _COMMAS_IN_NUMBER.sub(lambda match: match[0].replace(",", ""), lowered)


def answer_in_text(reference: Structured, candidate: str, source: LemmaSource = "model") -> Found:
    """The share of the gold that the candidate contains. Raises DataError for an empty list."""
    read_ahead([(reference, candidate)], source)
    forms = _FORMS[source]
    return _find(reference, forms[candidate], forms)


def read_ahead(pairs: Sequence[tuple[Structured, str]], source: LemmaSource) -> None:
    """Normalises gold and candidates together, each text once, for `answer_in_text`.

    The published scorer normalises the answer again for each gold string; the results are the same.
    Raises MissingExtra.
    """
    # Gold and answers share one table: which is which does not matter to a normal form.
    forms = _FORMS[source]
    # Before new ones come in, so that those of this batch stay until they are scored.
    if len(forms) > MOST_FORMS:
        forms.clear()
    texts = [text for reference, candidate in pairs for text in (*_leaves(reference), candidate)]
    new = [text for text in dict.fromkeys(texts) if text not in forms]
    forms.update(zip(new, normal_forms(new, source), strict=True))


def _leaves(reference: Structured) -> Iterator[str]:
    """Every plain value as the scorer writes it, keys of mappings included."""
    if isinstance(reference, Mapping):
        for value in (*reference.keys(), *reference.values()):
            yield from _leaves(value)
    elif isinstance(reference, (list, tuple)):
        for value in reference:
            yield from _leaves(value)
    else:
        yield as_text(reference) if isinstance(reference, bool) else str(reference)


def _find(reference: Structured, candidate: str, forms: Mapping[str, str]) -> Found:
    if isinstance(reference, Mapping):
        return _find_all((*reference.keys(), *reference.values()), candidate, forms)
    if isinstance(reference, (list, tuple)):
        return _find_all(tuple(reference), candidate, forms)
    (leaf,) = _leaves(reference)
    wanted = forms[leaf]
    if wanted in candidate and re.search(rf"\b{re.escape(wanted)}\b", candidate):
        return Found(True, 1, ())
    return Found(False, 0, (wanted,))


def _find_all(
    references: tuple[Structured, ...], candidate: str, forms: Mapping[str, str]
) -> Found:
    if not references:
        raise DataError.of(
            Code.EMPTY,
            "the gold answer is an empty list or mapping, of which no share can be found",
            hint="Correct the gold, or score with accuracy, to which it does not apply.",
        )
    # The divisor is the length of this list alone, whatever lies deeper: a fault that is kept.
    missing = tuple(m for r in references for m in _find(r, candidate, forms).missing)
    score = (len(references) - len(missing)) / len(references)
    return Found(not missing, score, missing)
