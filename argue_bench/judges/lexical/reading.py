"""Readings of texts: sentences with the stems, values, names and negations in them.

A reading is cached, so that a document is read once however many sentences cite it.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from argue_bench.judges.lexical import cues
from argue_bench.judges.lexical import thresholds as at
from argue_bench.judges.lexical import vocabulary as words
from argue_bench.judges.lexical.values import Value, keys, read_values

_SENTENCE_END = re.compile(r"(?<=[.!?…])[\"'”»)\]]*\s+(?=[\"'“«(\[]*\s?[A-ZÀ-Þ0-9])|\n+")
_NOT_AN_END = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|Nos|Mt|Jr|Sr|vs|approx|ca|cf|art|fig|M|MM|Mme|Mlle|Inc|Ltd"
    r"|Co|Gen|Col|Capt|Sgt|Rev|Hon|p|pp|n|env)|\b[A-Z])\.$"
)
_WORD = re.compile(r"[^\W\d_]+")
_FLAT = re.compile(r"\w+|[,;:()]")
_CLAUSES = re.compile(r"[^\W\d_]+|[,;:()–.!?]")
_NAMED = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*(?:-[^\W\d_]+(?:['’][^\W\d_]+)*)*|[.!?,;:()]")
_ELISION = re.compile(r"\b(?:[cdjlmnst]|qu|jusqu|lorsqu|puisqu)['’](?=\w)", re.I)
_POSSESSIVE = re.compile(r"['’]s\b", re.I)
_NT = re.compile(r"n['’]t\b")
_FOLDS = str.maketrans({"’": "'", "‘": "'", "œ": "oe", "æ": "ae", "ß": "ss", "ø": "o", "ł": "l"})
_REACH = 4


@dataclass(frozen=True, slots=True)
class Name:
    """Words with capitals that stand together, folded. ``sure``: not just a sentence's first."""

    parts: tuple[str, ...]
    sure: bool = True


@dataclass(frozen=True, slots=True)
class Reading:
    """One sentence. ``stems`` are the stems of its content words, names included."""

    text: str
    flat: str
    """Folded words and commas with single blanks between, for cues of several words."""
    french: bool | None
    values: tuple[Value, ...]
    keys: frozenset[str]
    """What values that agree share."""
    names: tuple[Name, ...]
    words: frozenset[str]
    """All words, folded."""
    stems: frozenset[str]
    plain: frozenset[str]
    """Stems of content words that belong to no name."""
    negated: frozenset[str]
    """Stems within reach of a negation."""
    negative: bool
    unknown: bool
    """It says that something is not known."""


@dataclass(frozen=True, slots=True)
class ReadText:
    """A text as sentences, and what holds for all of it."""

    sentences: tuple[Reading, ...]
    words: frozenset[str]
    stems: frozenset[str]
    years: frozenset[int]
    names: tuple[Name, ...]
    french: bool | None


def fold(text: str) -> str:
    """Lower case without accents, with one kind of apostrophe and of blank."""
    if text.isascii():
        return text.lower()
    split = unicodedata.normalize("NFKD", text.lower().translate(_FOLDS))
    return "".join(char for char in split if not unicodedata.combining(char))


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """The form by which words are compared: the first synonym, or the first letters without ending."""
    if synonym := _SYNONYMS.get(word):
        return synonym
    if len(word) > 4:
        for ending in ("ing", "ed", "es", "er", "ly", "s", "e", "x"):
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                word = word[: -len(ending)]
                break
    elif len(word) == 4 and word.endswith(("s", "e")):
        word = word[:-1]
    return word[: at.PREFIX]


# Reversed, so that of a word in two groups the first one counts.
_SYNONYMS: dict[str, str] = {
    word: "=" + min(group) for group in reversed(words.SYNONYMS) for word in group
}


@lru_cache(maxsize=1024)
def read_text(text: str) -> ReadText:
    """A text, sentence by sentence."""
    sentences = tuple(map(read_sentence, split_sentences(text)))
    english = sum(reading.french is False for reading in sentences)
    french = sum(reading.french is True for reading in sentences)
    return ReadText(
        sentences,
        frozenset().union(*(reading.words for reading in sentences)),
        frozenset().union(*(reading.stems for reading in sentences)),
        frozenset(
            value.date[0]
            for reading in sentences
            for value in reading.values
            if value.kind == "date" and value.date[0]
        ),
        tuple(dict.fromkeys(name for reading in sentences for name in reading.names)),
        None if english == french else french > english,
    )


def split_sentences(text: str) -> list[str]:
    """Sentences as a reader sees them; abbreviations and initials end none."""
    parts: list[str] = []
    start = 0
    for end in _SENTENCE_END.finditer(text):
        if "\n" not in end[0] and _NOT_AN_END.search(text, start, end.start()):
            continue
        parts.append(text[start : end.start()].strip())
        start = end.end()
    parts.append(text[start:].strip())
    return [part for part in parts if part]


@lru_cache(maxsize=8192)
def read_sentence(text: str) -> Reading:
    """One sentence, or another text that is read as one."""
    folded = _NT.sub(" not", fold(text))
    found = _WORD.findall(folded)
    tells_french = sum(word in words.TELLS_FR for word in found)
    tells_english = sum(word in words.TELLS_EN for word in found)
    french = None if tells_french == tells_english else tells_french > tells_english
    values, rest = read_values(_POSSESSIVE.sub("", folded), bool(french))
    names = _names(_POSSESSIVE.sub("", text))
    in_names = {part for name in names if name.sure for part in name.parts}
    left = _WORD.findall(rest)
    content = [w for w in left if w not in words.STOP and (len(w) > 1 or w in in_names)]
    plain = frozenset(stem(word) for word in content if word not in in_names)
    flat = " ".join(_FLAT.findall(folded))
    cue = cues.UNKNOWN.search(flat)
    if cue is not None:
        plain -= {stem(word) for word in cue[0].split()}
    unknown = cue is not None
    negated, negative = _negation(_CLAUSES.findall(folded))
    return Reading(
        text,
        flat,
        french,
        values,
        keys(values),
        names,
        frozenset(found),
        frozenset(map(stem, content)),
        plain,
        negated,
        negative or unknown,
        unknown,
    )


def _names(text: str) -> tuple[Name, ...]:
    """Runs of words with capitals. A sentence's first word is one only if a capital follows."""
    names: list[Name] = []
    run: list[str] = []
    starts = first = True

    def close() -> None:
        nonlocal starts
        parts = tuple(part for part in run if part not in words.TITLES or len(run) == 1)
        if parts and not (starts and len(parts) == 1 and parts[0] in words.STOP):
            names.append(Name(parts, sure=not starts or len(run) > 1))
        run.clear()
        starts = False

    # An elided word is set apart, so that what follows it is a word of its own.
    apart = _ELISION.sub(lambda match: match[0][:-1].lower() + " ", text)
    for token in _NAMED.findall(apart):
        if token in ".!?,;:()":
            close()
            starts = first = token in ".!?:("
            continue
        if not token[0].isupper():
            if run:
                close()
            starts = first = False
            continue
        parts = [fold(part) for part in _PARTS.split(token) if part]
        if first and parts[0] in _OPENERS:
            pass
        elif not (len(parts) == 1 and parts[0] in _NO_NAMES):
            run.extend(parts)
            starts = first if len(run) == len(parts) else starts
        else:
            close()
        first = False
    close()
    return tuple(dict.fromkeys(names))[: at.MOST_VALUES]


_PARTS = re.compile(r"[-'’]")
_OPENERS = words.STOP | words.OPENERS
_NO_NAMES = words.WEEKDAYS | frozenset(words.MONTHS) | {"i"}


def _negation(found: list[str]) -> tuple[frozenset[str], bool]:
    """Stems that stand soon after a negation, and whether there is any."""
    negated: set[str] = set()
    reach, negative = 0, False
    for index, word in enumerate(found):
        if word in words.NEGATIONS or (word == "plus" and _after_ne(found, index)):
            if word == "not" and found[index + 1 : index + 2] == ["only"]:
                continue
            reach, negative = _REACH, True
        elif not word[0].isalpha():
            reach = 0
        elif reach and word not in words.STOP:
            negated.add(stem(word))
            reach -= 1
    return frozenset(negated), negative


def _after_ne(found: list[str], index: int) -> bool:
    return any(word in ("ne", "n") for word in found[max(0, index - 4) : index])
