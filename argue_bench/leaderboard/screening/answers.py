"""What is looked at in each answer, with its value, and which values are flags.

    question      share of the answer's sequences of five words that stand in its question; its first wording as a whole is
                  left out where more is said
    repeated      share of sentences that say what a sentence before said
    names         letters of names and numbers as a share of the limit: a name is a word with a capital, here or wherever
                  its sources have it
    squeezed      share of words in rows of three, small ones aside, which a source has only with more small words between them
    foreign       share of letters in words that no document of the set has, endings aside, beyond what is usual there: words
                  that run together, lack letters, or are of another language
    denials       sentences which say that something is not known, of three and more
    citations     citations a sentence
    instructions  text that speaks to a judge, and that no source has
    unseen        characters that show nothing, and that no source has

Texts are folded first: case, marks, punctuation and look-alike letters make no difference. A flag stands on the
row; it is no refusal, and quoting documents is none (`AnswerFacts.verbatim` has its share).

A row is held until a maintainer has looked where more of its answers are flagged than of any honest row, twice over.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache, partial
from html import unescape
from itertools import chain, groupby, islice
from pathlib import Path
from statistics import median
from typing import NamedTuple, TypeVar

import numpy as np

from argue_bench.errors import DataError, Finding
from argue_bench.leaderboard.formats.names import skeleton
from argue_bench.leaderboard.formats.outcome import screen_finding
from argue_bench.leaderboard.formats.results import AnswerFacts
from argue_bench.leaderboard.formats.season import SPOIL_NOTHING, Season, reading_limits
from argue_bench.loaders.answers import (
    answer_reader,
    as_answers,
    citation_indexes,
    read_answer_file,
)
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.limits import AnswerLimits, answer_length, within_limits
from argue_bench.metrics.correctness.accuracy import plain_text, said_text
from argue_bench.records import Answer, Question
from argue_bench.records.display import is_unseen, normalise
from argue_bench.retrieval import Corpus
from argue_bench.text import strip_reasoning, without_traces
from argue_bench.text.language import SYMBOLS, UNSPACED, language_of, stop_words
from argue_bench.text.overlap import porter_stem
from argue_bench.text.phrases import HIDDEN
from argue_bench.text.refusals import refuses_in_words, says_unknown
from argue_bench.text.typed import fold_text, unescaped
from argue_bench.text.vocabulary import STOP

T = TypeVar("T")
# Words in a row that hardly anybody writes by chance, and with fewer small words between them than a document has.
RUN, SQUEEZED = 5, 3
# Above its value an answer is flagged. What honest answers reach stands in docs/security.md.
MOST = {
    "question": 0.5,
    "repeated": 0.5,
    "names": 0.5,
    "squeezed": 0.3,
    "foreign": 0.2,
    "denials": 0.5,
    "citations": 6.0,
    "instructions": 0.0,
    "unseen": 0.0,
}
# Below so many words, or letters, a share of them says little.
LEAST_WORDS = {"squeezed": 30, "foreign": 100, "question": 10}
# Characters that a usual answer has, where nobody limits them.
UNLIMITED, ANY_LENGTH = 1_500, AnswerLimits()
# Words of an item of a list that may well stand there twice.
MOST_OF_ITEM = 2
# For shares of sentences.
LEAST_SENTENCES = 3
# The words before a colon, also of a later cell, and the first cell of a row of several.
_LABELS = re.compile(
    r"^[^:：;\n]{1,80}[:：](?: [^;\n]{1,120};)?|(?<=; )[^:：;\n]{1,80}[:：]", re.MULTILINE
)
_NOTHING = re.compile(r"(?!)")
# An underline joins no words: else a row of words joined by it would be one word.
_PLAIN_WORD = re.compile(r"[^\W_]+")
# A letter of a script without blanks, or what stands between two blanks or such letters.
_PIECES = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")
_SPACELESS_LETTER = re.compile(f"[{UNSPACED}]")
is_spaceless = _SPACELESS_LETTER.match
# Letters that are never small or capital, between those of Latin, Greek or Cyrillic script: some look like a dot.
_CASED = r"[a-z\u00df-\u052f]"
_SIGNS = re.compile(rf"(?<={_CASED})(?:(?!{_CASED})[^\W\d_{UNSPACED}]){{1,3}}(?={_CASED})")
# Of a word its first letter counts and the two that are rarest in English, in any order.
RARE, STEM = "zqjxkvbywpfhmucloatrnedisg", 2
# What is longer than words are, of which nothing is kept.
LONGEST_WORD = 64
_WORD = re.compile(r"[^\W_]+(?:[-'.,][^\W_]+)*")
# A word that has a stem; each letter of a script without blanks is one, and each symbol: Braille is read letter by letter.
_SPELT = re.compile(rf"[{UNSPACED}{SYMBOLS}]|[^\W\d_{UNSPACED}]+")
# Words of all documents together that a set is taken to have, beside those of an answer's sources.
MOST_WORDS = 1_000_000
# The share of a question's letters in words that no document has, above which it is in another language.
ANOTHER_LANGUAGE = 0.5
# Letters in a row that say about what a word does, in Chinese and below it, in Thai and its neighbours.
_WINDOWS = (("\u2fff", 2), ("", 4))
# Traditional characters of Chinese to simplified ones, by Unicode's list (tools/han.py).
_HAN = dict(
    zip(*json.loads(Path(__file__).with_name("han.json").read_text("utf-8")).values(), strict=True)
)
# Digits in a word stand for letters.
_DIGITS = re.compile(r"(?<!\d)\d+(?=[a-z])|(?<=[a-z])\d+")
_AS_LETTERS = str.maketrans("013457", "oleast")
# How Unicode calls variants of a Latin letter: turned, open, with a hook.
_LATIN = re.compile(
    r"(?:.*\b)?(?:LATIN(?: SMALL| CAPITAL)?|SYMBOL) LETTER (?:[A-Z]+ )*([A-Z])(?: WITH .*)?"
)
# What may show nothing: neither white space nor ASCII that prints.
_ODD = re.compile(r"[^\x20-\x7e\s]")
# What shows nothing and belongs to what is written: joiners and marks of direction beside letters and emoji that are
# written with them, not beside Latin ones; blanks of no width in scripts without blanks; soft hyphens in a word; the flags of
# England, Scotland and Wales; emoji that Unicode has taken up since.
_WRITTEN = r"[\u0370-\u1fff\u2600-\ud7ff\U00010000-\U0001faff]"
_SPACELESS = rf"[{UNSPACED}\u0f00-\u0fff]"
_NATIONS = "|".join(
    "".join(chr(0xE0000 + ord(letter)) for letter in f"gb{one}\x7f")
    for one in ("eng", "sct", "wls")
)
_USUAL = re.compile(
    rf"(?<={_WRITTEN})[\u180e\u200c-\u200f]|[\u180e\u200c-\u200f](?={_WRITTEN})"
    rf"|(?<={_SPACELESS})\u200b|\u200b(?={_SPACELESS})|(?<=[^\W\d_]{{2}})\xad(?=[^\W\d_]{{2}})"
    f"|(?<=\U0001f3f4)(?:{_NATIONS})"
    r"|[\U0001f000-\U0001faff]"
    # Templates put these around each value; the two that turn letters around (202d, 202e) are not among them.
    r"|[\u061c\u200e\u200f\u202a-\u202c\u2066-\u2069]"
)
_JUDGE = "(?:judge|grader|evaluator|assessor)"
_ORDERS = re.compile(
    r"\b(?:ignore|disregard|forget)\b[^.\n]{0,30}\b(?:previous|above|prior|earlier|all|your|other)\b"
    # Whoever tells readers not to forget their passport, or to ignore all other figures, gives a judge no order; nor does
    # who speaks of the instructions on a label.
    r"[^.\n]{0,20}\b(?:instruction|prompt|rule|guideline|criteri|message)\w*+"
    r"(?! (?:on|of|for|in) (?!your\b|th(?:is|e) (?:prompt|system|user|judge)))"
    # Somebody may have served as a judge, or be the judge of their own cause: what is flagged speaks to the reader.
    rf"|\byou are (?:a|the) {_JUDGE}\b(?! of (?:your|his|her|its|their|my|our) own)"
    rf"|\bas (?:a|the) {_JUDGE},? you (?:\w+ ){{0,2}}(?:say|mark|score|rate|give|grade|accept|answer|reply|report|count|take)\b"
    r"|(?<![a-z] )\b(?:reply|respond|answer) only with\b"
    r"|\A\W*(?:verdict|score|grade|rating)\s*[:=]\s*(?:full|partial)\W*?$"
    r"|<\|\w+\|>\s*(?:system|user|assistant)\b",
    re.IGNORECASE | re.MULTILINE,
)
# What honest answers have too: a verdict on a claim, a score, a menu's name, a line of stars. With words beside it that
# speak of the answer as what is judged, it is an order.
_FORMS = re.compile(
    r"\A\W*(?:verdict|score|grade|rating)\s*[:=]\s*(?:\d+(?:/\d+)?|[a-f]|yes|no|correct)\W*?$"
    r"|\[[^\S\n]*/?(?:END|BEGIN|INST|SYSTEM)\b|<\|\w+\|>|^[^\S\n]*+(?:system|assistant)\s*+:[^\S\n]*+$|\*{8,}",
    re.IGNORECASE | re.MULTILINE,
)
_JUDGED = re.compile(
    r"\b(?:this|my|above) (?:answer|response|submission)\b|\bnuggets?\b|\bfull(?:y)? (?:supported|correct|marks|credit|score)\b",
    re.IGNORECASE,
)
# Tags, and selectors of variants, to the ASCII characters that they can carry unseen.
_LETTERS = {first + code: chr(code) for first in (0xE0000, 0xE00F0) for code in range(32, 127)}
_UNSEEN = re.compile(f"[{''.join(map(chr, _LETTERS))}]+")
# One character in so many may show nothing.
MOST_HIDDEN = 20
_ROW = HIDDEN + "{3,}"
# Of an answer's beginning and of its end that are looked at.
_MOST_CHARACTERS = 20_000


def facts_of(
    answers: Iterable[Answer],
    dataset: Dataset,
    cut: int = 0,
    limits: AnswerLimits = ANY_LENGTH,
) -> AnswerFacts:
    """The facts about answers as they are scored; ``cut`` of them were over the limit.

    Share of words copied: those in a row of `RUN` that stands so in a document that the question lists or
    the answer cites.
    """
    index = citation_indexes(dataset)
    lengths: list[int] = []
    flags = Counter[str]()
    copied = of = 0
    for answer, texts, values in row_values(answers, dataset, limits):
        lengths.append(answer_length(answer, index(dataset.by_id[answer.id])))
        words = fold(said_text(answer)) if texts else []
        copied, of = copied + _shared(words, *map(_fold_source, texts)), of + len(words)
        flags.update(flagged(values))
    # Four digits, as pages show a tenth of a per cent.
    share = round(copied / of, 4) if of else None
    return AnswerFacts(
        round(median(lengths or [0])), max(lengths, default=0), cut, share, dict(flags)
    )


def row_values(
    answers: Iterable[Answer], dataset: Dataset, limits: AnswerLimits = ANY_LENGTH
) -> Iterator[tuple[Answer, list[str], dict[str, float]]]:
    """Each answer of a row, its sources, and its values."""
    known, sources = Vocabulary.of(dataset), AnswerSources(dataset)
    for one in answers:
        texts = sources.of(one)
        yield one, texts, look(one, limits.stated(dataset.by_id[one.id]), texts, known)


def look(
    answer: Answer, question: Question, sources: Iterable[str] = (), known: Vocabulary | None = None
) -> dict[str, float]:
    """The values of an answer, each under its name; shares of too little text are left out."""
    texts, text = [*sources], strip_reasoning(answer.text)
    quoted = "".join(texts)
    # What stands in a fence scores, too, and in brackets and links that name no document.
    whole, scored = plain_text(answer), said_text(answer)
    lines = [*(one.plain for one in answer.sentences), *whole[len(answer.plain) :].splitlines()]
    every = (*lines, *scored[len(whole) :].splitlines())
    folded, asked = fold(scored), fold(question.text)
    # Whoever writes the question over an answer says it once, and more than it.
    own = " ".join(folded).replace(" ".join(asked), "", 1).split() or folded
    said = [" ".join(fold(one)) for one in lines if one.strip()]
    # A list of towns, or of yes and no, may well name one twice.
    worded = [one for one in said if one.count(" ") >= MOST_OF_ITEM]
    limit = (question.request and question.request.limit) or UNLIMITED
    values = {"names": letters(names_in(_plain(scored), texts)) / limit}
    if len(own) >= LEAST_WORDS["question"]:
        # One word more may be the answer: "The bridge that was built first on the river is Arlon."
        values["question"] = _shared(own, asked) * ({*own} <= {*asked} | SMALL) / len(own)
    if len(folded) >= LEAST_WORDS["squeezed"]:
        language = language_of(question.text, question.language)
        values["squeezed"] = _squeezed_share(every, texts, small_words(language))
    stems = stems_of(scored)
    if known and known.stems and letters(stems) >= LEAST_WORDS["foreign"]:
        # Each counts once: the heads of a table's columns are read with every row.
        values |= known.foreign([*dict.fromkeys(stems)], stems_of(question.text), texts)
    if len(said) >= LEAST_SENTENCES:
        values |= {
            "repeated": (len(worded) - len({*worded})) / len(said),
            "denials": sum(says_unknown(x) or refuses_in_words(x) for x in lines) / len(said),
            "citations": sum(len(one.citations) for one in answer.sentences) / len(said),
        }
    values["instructions"] = float(_gives_orders(answer, text, whole, quoted))
    shown = _USUAL.sub("", text.removeprefix("\ufeff"))
    shown = _ODD.sub(
        lambda one: HIDDEN if is_unseen(one[0]) and one[0] not in quoted else one[0], shown
    )
    # One alone may part a word at the end of a line or belong to a formula; many, or several in a row, hide something.
    hidden = HIDDEN + "+" if MOST_HIDDEN * shown.count(HIDDEN) > len(shown) else _ROW
    values["unseen"] = float(sum(map(len, re.findall(hidden, shown))))
    return values


def _gives_orders(answer: Answer, written: str, whole: str, quoted: str) -> bool:
    """Whether an answer has an order to a judge that its sources have not: as it was written, or as a judge reads it, without
    marks of Markdown inside of words."""
    read = "\n".join((*(one.claim for one in answer.sentences), whole))
    return any(
        order[0] not in quoted
        for seen in map(_plain, (written, unescaped(read)))
        for kind in (_ORDERS, *([_FORMS] if _JUDGED.search(seen) else []))
        for order in kind.finditer(seen)
    )


def _squeezed_share(parts: Iterable[str], texts: Sequence[str], small: frozenset[str]) -> float:
    """The share of squeezed words among those that are no labels, or half of their share among all, whichever is more; 0 of few.

    A label may leave small words out, since what stands behind it says something of it; where most is so, it is no label.
    """
    rows = [*parts]
    each = [
        (_rows(words, small), len(words) * times)
        for label, times in ((_LABELS, 1), (_NOTHING, 2))
        for words in [[word for one in rows for word in (*fold(label.sub("", one)), "\n")]]
        if len(words) >= LEAST_WORDS["squeezed"]
    ]
    own = {row for found, _ in each for row, _, _ in found}
    widths: dict[tuple[str, ...], int] = {}
    for text in texts if own else ():
        for row, start, end in _rows(_fold_source(text), small):
            if row in own:
                widths[row] = min(end - start, widths.get(row, end - start))
    shares = (
        _reached((a, z) for row, a, z in found if z - a < widths.get(row, 0)) / of
        for found, of in each
    )
    return max(shares, default=0.0)


def flagged(values: Mapping[str, float]) -> list[str]:
    """The names of the values that are above what honest answers have."""
    return [name for name, value in values.items() if value > MOST[name]]


def fold(text: str, whole: bool = False) -> list[str]:
    """The words of a text as sequences are compared: without case, marks, punctuation and look-alikes.

    Of a script without blanks every few characters in a row are one, whatever stands between them. With ``whole`` what
    a hyphen or another sign parts stands there once more as one word.
    """
    # Nothing that is folded reaches over a blank, and texts have the same words again and again.
    kept, between = _KEPT[whole], text.replace("\n", " ").split(" ")
    words = [
        word for x in between for word in (kept(x) if len(x) < LONGEST_WORD else _parts(x, whole))
    ]
    if _SPACELESS_LETTER.search("".join(words)) is None:
        return words
    runs = groupby(words, key=lambda one: is_spaceless(one) is not None)
    return [*chain.from_iterable(_windows(run) if spaceless else run for spaceless, run in runs)]


def _parts(text: str, whole: bool) -> tuple[str, ...]:
    """The words of what stands between two blanks; of a script without blanks each letter."""
    # No character has so many digits, and Python reads no number of over 4,300.
    text = fold_text(unescape(re.sub(r"&#\d{8,}", " ", text)))
    text = _SIGNS.sub(lambda run: run[0] if unicodedata.category(run[0][-1]) == "Ll" else " ", text)
    text = _DIGITS.sub(lambda run: run[0].translate(_AS_LETTERS), text)
    text = text.translate(_SHOWN).replace("rn", "m").replace("vv", "w")
    return tuple(
        word
        for parts in map(_PLAIN_WORD.findall, _PIECES.findall(text))
        for more in [["".join(parts).replace("rn", "m").replace("vv", "w")]]
        for word in (*parts, *(more if whole and len(parts) > 1 else ()))
    )


# The words of what was read last, without and with whole ones.
_KEPT = [lru_cache(1 << 17)(partial(_parts, whole=one)) for one in (False, True)]


def _windows(letters: Iterator[str]) -> list[str]:
    """As many letters in a row as say what a word does, at each place."""
    run = "".join(letters)
    size = next(size for least, size in _WINDOWS if run > least)
    return [run[at : at + size] for at in range(max(1, len(run) - size + 1))]


def _shared(words: Sequence[str], *others: Sequence[str]) -> int:
    """How many of the words stand in a sequence of `RUN` that one of the other texts has too."""
    # Of a script without blanks five words in a row, each a letter further on, hold three of a reader's.
    run = RUN * (2 if 2 * sum(is_spaceless(one) is not None for one in words) > len(words) else 1)
    # An answer has few sequences of its own, and a source may have a book's.
    own = {*sequences(words, run)}
    known = set().union(*(own.intersection(sequences(other, run)) for other in others if own))
    rows = enumerate(sequences(words, run))
    return _reached((at, at + run) for at, row in rows if row in known)


def sequences(words: Sequence[T], size: int) -> Iterator[tuple[T, ...]]:
    return zip(*(words[start:] for start in range(size)), strict=False)


def _reached(stretches: Iterable[tuple[int, int]]) -> int:
    """How many places stretches from one place up to another reach together."""
    return len({at for start, end in stretches for at in range(start, end)})


SMALL = frozenset(map(skeleton, STOP))


@cache
def small_words(language: str) -> frozenset[str]:
    """The small words of English and French, and of a language."""
    return SMALL.union(map(skeleton, stop_words(language)))


# Kept for the sources of an answer, and for the other answers that rest on them, as those of another setting do.
_fold_source = lru_cache(maxsize=2_048)(fold)


def _rows(words: Sequence[str], small: frozenset[str]) -> list[tuple[tuple[str, ...], int, int]]:
    """The rows of `SQUEEZED` words that are not small, each in whatever order, and from where to where among all words it reaches."""
    kept = [(word_key(word), at) for at, word in enumerate(words) if word not in small]
    return [
        (tuple(sorted(word for word, _ in row)), row[0][1], row[-1][1] + 1)
        for row in sequences(kept, SQUEEZED)
    ]


def names_in(text: str, sources: Iterable[str]) -> Iterator[str]:
    """The names and numbers in an answer: words with a digit or a capital at their beginning, here or wherever a source has them."""
    words = _WORD.findall(text)
    known = [*map(_capitals, sources)]
    # Where all letters are capitals, none tells a name.
    told = str.isupper if any(map(str.islower, words)) else str.isdigit
    for word in words:
        if word[0].isdigit() or told(word[0]) or any(word.lower() in each for each in known):
            yield word


@lru_cache(maxsize=2_048)
def _capitals(text: str) -> frozenset[str]:
    """The words, small letters in place of capitals, that a text has with a capital alone."""
    words = {word.group() for word in _WORD.finditer(text)}
    return frozenset(one.lower() for one in words if one[0].isupper()) - words - STOP


class Vocabulary(NamedTuple):
    """The stems of the words of a set's documents, and which share of the letters of every second one stands in words that the
    others lack."""

    stems: frozenset[str]
    usual: float

    @classmethod
    def of(cls, dataset: Dataset) -> Vocabulary:
        """The vocabulary of a set; of long documents what stands at their beginning."""
        most = MOST_WORDS // max(1, len(dataset.documents))
        texts = [stems_of(one.text, most) for one in dataset.documents.values()]
        first = frozenset(chain.from_iterable(texts[::2]))
        half = _foreign([*chain.from_iterable(texts[1::2])], first)
        return cls(first.union(*texts[1::2]), half)

    def foreign(
        self, stems: Sequence[str], asked: Sequence[str], texts: Iterable[str]
    ) -> dict[str, float]:
        """The share of an answer's letters in words that neither the set nor these texts have, beyond what is usual there and in the
        question; nothing where the question is in another language than the documents."""
        known = self.stems, *map(_stems_in, texts)
        usual = _foreign(asked, *known)
        share = max(0.0, _foreign(stems, *known) - max(usual, self.usual))
        return {"foreign": share} if usual <= ANOTHER_LANGUAGE else {}


def stems_of(text: str, most: int | None = None) -> list[str]:
    """The stems of the words of a text, at most of so many, in order."""
    return [
        one
        for x in text.split()[:most]
        for one in (_stems_kept if len(x) < LONGEST_WORD else _stems_in_piece)(x)
    ]


def _stems_in_piece(piece: str) -> tuple[str, ...]:
    return tuple(map(porter_stem, _SPELT.findall(fold_text(piece))))


_stems_kept = lru_cache(1 << 17)(_stems_in_piece)
# A set of those of a source.
_stems_in = lru_cache(maxsize=2_048)(lambda text: frozenset(stems_of(text)))


def _foreign(stems: Sequence[str], *known: Container[str]) -> float:
    """The share of the letters of these stems that stand in unknown ones."""
    unknown = (one for one in stems if not any(one in each for each in known))
    return letters(unknown) / max(1, letters(stems))


def letters(words: Iterable[str]) -> int:
    return sum(map(len, words))


@lru_cache(100_000)
def word_key(word: str) -> str:
    """The letters of a word that count: endings, slips, and letters that are swapped or written twice part few words."""
    if word[0].isdigit() or is_spaceless(word):
        return word
    return word[0] + "".join(sorted(set(word), key=lambda one: (RARE.find(one), one))[:STEM])


# Documents of an answer that are looked at: a report cites fewer, and each has to be folded. And, where the question lists
# none, passages of the set that are most like the answer.
MOST_SOURCES, MOST_NEAR = 100, 20


class AnswerSources:
    """What the answers to a set may rest on."""

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._corpus = Corpus(dataset.documents.values())

    def of(self, answer: Answer) -> list[str]:
        """The documents that the question lists or the answer cites, the first `MOST_SOURCES` of them; where it lists none, the passages
        most like the answer too, for whoever cites nothing may quote all the same."""
        listed, documents = self._dataset.by_id[answer.id].documents, self._dataset.documents
        cited = chain.from_iterable(sentence.citations for sentence in answer.sentences)
        known = (documents[id].text for id in dict.fromkeys([*listed, *cited]) if id in documents)
        said = "" if listed else said_text(answer)[:_MOST_CHARACTERS]
        near = (passage.content for passage in self._corpus.best(said, MOST_NEAR))
        return [*islice(known, MOST_SOURCES), *near]


class _Shown(dict[int, str]):
    """What a reader sees of each character; of signs, such as letters in black squares, where they show a letter.

    "ⱸ" is for Unicode a small E with a notch, so it is an e. A Chinese character is its simplified form, wherever it was
    written, and one of katakana that of hiragana.
    """

    def __missing__(self, code: int) -> str:
        char = chr(code)
        named = _LATIN.fullmatch(unicodedata.name(char, ""))
        look = skeleton(named[1] if named else char)
        if is_spaceless(char):
            look = chr(code - 96) if "\u30a1" <= char <= "\u30f6" else _HAN.get(char, char)
        elif not char.isalnum() and not (named and look):
            look = _shown(char)
        self[code] = look
        return look


_SHOWN = _Shown()


def _plain(text: str) -> str:
    """The text as a judge reads it: full-width letters are letters, unseen characters do not split words,
    and what is written in unseen letters is read."""
    # Patterns look at the beginning and the end of a long answer, so that their time is bounded.
    if len(text) > 2 * _MOST_CHARACTERS:
        text = f"{text[:_MOST_CHARACTERS]}\n{text[-_MOST_CHARACTERS:]}"
    text = _UNSEEN.sub(lambda run: f" {run[0].translate(_LETTERS)} ", text)
    return _shown(normalise("NFKC", text))


def _shown(text: str) -> str:
    """The text without what shows nothing, and without marks on letters: neither parts a word."""
    return _ODD.sub(
        lambda one: (
            "" if is_unseen(one[0]) or unicodedata.category(one[0]) in ("Mn", "Me") else one[0]
        ),
        text,
    )


def read_submitted(
    path: Path, season: Season, dataset: Dataset
) -> tuple[list[Answer], AnswerFacts]:
    """The answers of a checked file as they are scored, within the season's limits; and their facts.

    Raises DataError.
    """
    read, findings = read_answer_file(path, dataset, reading_limits(season.limits, dataset))
    # An answer to a question that the set dropped, or far over the limit, counts for nothing, and spoils nothing.
    if any(one.level == "error" and one.code not in SPOIL_NOTHING for one in findings):
        raise DataError(findings)
    parse, long = answer_reader(dataset), within_limits(read, dataset, season.limits)
    # Without traces, which nobody screens: no score and no judge reads them then.
    said = {
        id: one if text == one.text else parse(dataset.by_id[id], text)
        for id, one in long.answers.items()
        for text in without_traces([one.text])
    }
    limited = within_limits(said, dataset, season.limits)
    cut = {*long.cut, *limited.cut}
    answers = [
        one
        for id, one in limited.answers.items()
        if one.text.strip() and not (id in cut and season.over_limit != "cut")
    ]
    return answers, facts_of(answers, dataset, len(cut), season.limits)


# The share of flagged answers above which a row is held: a score is an average, so a few earn nothing.
# A careful system may say in three sentences that it knows nothing of most subjects; that earns little.
HELD_ABOVE = {"instructions": 0.02, "unseen": 0.02, "foreign": 0.2, "denials": 0.75}
# And so many answers: in a small season one is more than that.
HELD_FROM = 3
# The same of what honest answers have too, now and then.
HELD = 0.4
HONEST = ("bm25-extractive", "lead-sentences", "nearest-sentences")


def screen_flags(facts: AnswerFacts, count: int, path: str, looked: bool) -> Iterator[Finding]:
    """A finding for each kind of flag; an error where it holds the row, unless a maintainer has ``looked``."""
    for name, many in sorted(facts.flags.items()):
        yield screen_finding(
            f"{many:,} of {count:,} answers are flagged: {name}",
            path,
            many > max(count * HELD_ABOVE.get(name, HELD), min(count, HELD_FROM) - 1),
            looked,
        )


def usual_range(
    answers: Iterable[Answer], dataset: Dataset, limits: AnswerLimits
) -> dict[str, tuple[float, float]]:
    """Of each value what 90 in 100 answers have: its 5th and its 95th percentile."""
    each = [values for _, _, values in row_values(answers, dataset, limits)]
    return {
        name: (float(np.percentile(rows, 5)), float(np.percentile(rows, 95)))
        for name in {*chain.from_iterable(each)}
        for rows in [[values[name] for values in each if name in values]]
    }


def honest_baselines(dataset: Dataset) -> Iterator[Answer]:
    """The answers of the baselines that read the set's documents; none where it has none."""
    from argue_bench.baselines import generate

    for name in HONEST if dataset.documents else ():
        yield from as_answers(list(generate(name, dataset, "evidenceprovided")), dataset).values()
