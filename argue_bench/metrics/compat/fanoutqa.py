"""FanOutQA's own scorer: whether every gold string is in the answer.

Zhu et al. 2024, section 4.2; the scorer of zhudotexe/fanoutqa at 989f4c4. Frozen: every quirk is
kept. A string is brought to its normal form (`normal`): lower case, mended by ftfy, commas inside
numbers deleted, lemmas of spaCy's tokens joined by blanks, ``, . ? ! : ;`` deleted, white space
folded and not stripped. The answer has a gold leaf if the leaf's normal form occurs, between word
boundaries, in the answer's normal form. A list scores 1 - missing / its own length, where ``missing``
counts leaves at every depth: nested gold can therefore score below 0. Empty gold is refused, because
the scorer divides by zero there.

The scorer's lemmas are those of spaCy's model en_core_web_sm (``rules=fanoutqa``). With those of a table
(``rules=fanoutqa-lookup``) it is another scorer, which finds more.

Each text is normalised once, many of them together (`read_ahead`); the scorer normalises the answer again
for each gold string. The results are the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from argue_bench.errors import Code, DataError
from argue_bench.records import Structured
from argue_bench.text.morphology.lemmas import LemmaSource, lemmatizer

_COMMAS_IN_NUMBER = re.compile(r"(?<!\d)\d++(?:,\d++)++(?:\.\d+)?")
"""The scorer's pattern ``(\\d+,)+\\d+(\\.\\d+)?``, started only where a run of digits starts: a long one
is read once, not once from each of its digits."""
_DELETED = str.maketrans("", "", ",.?!:;")
_NOTHING_TO_MEND = re.compile(r"[\t\n -%'-~]*")
"""ASCII without ``&``, escapes and control characters: ftfy changes nothing in it."""


MOST_GOLD, MOST_ANSWERS = 50_000, 2_000
"""Gold strings whose normal forms are remembered, since every system is scored with the same ones, and
answers that were read ahead."""


@dataclass(frozen=True, slots=True)
class _Read:
    """Normal forms by text: of gold strings, and of answers until they are scored."""

    gold: dict[str, str] = field(default_factory=dict)
    answers: dict[str, str] = field(default_factory=dict)


_READ: dict[LemmaSource, _Read] = {"model": _Read(), "table": _Read()}


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
        for lemmas in lemmatizer(source).lemmas(list(map(_mended, texts)))
    ]


def _mended(text: str) -> str:
    """Lower case, without faults of encoding, without commas inside numbers."""
    lowered = text.lower()
    if not _NOTHING_TO_MEND.fullmatch(lowered):
        from ftfy import fix_text

        lowered = fix_text(lowered)
    return _COMMAS_IN_NUMBER.sub(lambda match: match[0].replace(",", ""), lowered)


def answer_in_text(reference: Structured, candidate: str, source: LemmaSource = "model") -> Found:
    """The share of the gold that the candidate contains. Raises DataError for an empty list."""
    read_ahead([(reference, candidate)], source)
    read = _READ[source]
    return _find(reference, read.answers.pop(candidate), read.gold)


def read_ahead(pairs: Sequence[tuple[Structured, str]], source: LemmaSource) -> None:
    """Normalises gold and candidates together, each text once, for `answer_in_text`.

    Raises MissingExtra.
    """
    read = _READ[source]
    if len(read.gold) > MOST_GOLD:
        read.gold.clear()
    if len(read.answers) > MOST_ANSWERS:
        read.answers.clear()
    gold = {leaf: "" for reference, _ in pairs for leaf in _leaves(reference)}
    leaves = [leaf for leaf in gold if leaf not in read.gold]
    answers = [
        text for text in dict.fromkeys(text for _, text in pairs) if text not in read.answers
    ]
    forms = iter(normal_forms([*leaves, *answers], source))
    read.gold.update(zip(leaves, forms, strict=False))
    read.answers.update(zip(answers, forms, strict=True))


def as_text(reference: Structured) -> str:
    """Gold as FanOutQA compares it by ROUGE and BLEURT: lines, ``key - value`` for mappings."""
    if reference is None:
        return ""
    if isinstance(reference, bool):
        return "yes" if reference else "no"
    if isinstance(reference, Mapping):
        return "\n".join(f"{key} - {as_text(value)}" for key, value in reference.items())
    if isinstance(reference, (list, tuple)):
        return "\n".join(map(as_text, reference))
    return str(reference)


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
    if _bounded(wanted, candidate):
        return Found(True, 1, ())
    return Found(False, 0, (wanted,))


def _find_all(
    references: tuple[Structured, ...], candidate: str, forms: Mapping[str, str]
) -> Found:
    if not references:
        raise DataError.of(
            Code.EMPTY_GOLD,
            "the gold answer is an empty list or mapping, of which no share can be found",
            hint="Correct the gold, or score with accuracy, to which it does not apply.",
        )
    missing = tuple(m for r in references for m in _find(r, candidate, forms).missing)
    score = (len(references) - len(missing)) / len(references)
    return Found(not missing, score, missing)


def _bounded(wanted: str, text: str) -> bool:
    """Whether ``\\b`` + wanted + ``\\b`` matches anywhere in the text."""
    if not wanted:
        return any(map(_is_word, text))
    at = text.find(wanted)
    while at >= 0:
        if _boundary(text, at) and _boundary(text, at + len(wanted)):
            return True
        at = text.find(wanted, at + 1)
    return False


def _boundary(text: str, at: int) -> bool:
    before = at > 0 and _is_word(text[at - 1])
    return before != (at < len(text) and _is_word(text[at]))


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"
