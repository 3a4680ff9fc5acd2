"""The language of a text, and its words, stems and stop words in that language.

A language is told by its script, and where several are written in one, by a vote of their commonest
words (``languages.json`` beside this file). Stems are those of the Snowball stemmers; Chinese, Japanese and
Korean, and other scripts that set no blank between words, are read by pairs of characters. A judge or a
metric that rests on words asks `readable` first.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter, defaultdict
from functools import cache, lru_cache
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, cast

from argue_bench.records.display import normalise
from argue_bench.records.grouping import grouped

# BCP 47's tag of a text in Latin script in which no language shows: a name, a number, nothing.
UNKNOWN = "und"
# Characters of a text by which its language is told.
READ = 1000
# Characters whose words vote.
_VOTING = 400
# Of how many languages at most a word or a letter tells one from another.
_MOST_VOTERS = 8
# The least vote where no language is given, and where one is; then two words must vote.
_LEAST, _ENOUGH = 0.5, 1.0
# The least share of common words in a text of a language; lists of names have fewer.
_SHARE = 0.15
# How many times the vote of the language that is given another must have, to be taken instead.
_CLEARLY = 2.0
_PAIRED = frozenset(("zh", "yue", "ja", "ko"))
# The letters, as a class of a regular expression, of scripts without blanks between words; and Korean, whose
# endings hang on its words.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
# Symbols that may be written for letters, as Braille patterns are, and those that show a thing.
SYMBOLS = "\u2300-\u23ff\u25a0-\u2bff\U0001d800-\U0001daaf\U0001f000-\U0001faff"
_MARKED = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u0dff"
_WORD = re.compile(rf"[{UNSPACED}]+|(?:(?![{UNSPACED}])[^\W_]|[{_MARKED}])+")
# Letters that Unicode does not take apart.
LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ı": "i"})
ACCENTS = re.compile("[\u0300-\u036f]+")


@cache
def _table() -> dict[str, dict[str, str]]:
    return cast(
        "dict[str, dict[str, str]]",
        json.loads(Path(__file__).with_name("languages.json").read_text("utf-8")),
    )


@cache
def _voters() -> dict[str, tuple[tuple[str, float], ...]]:
    """By word, and by letter behind an asterisk: the languages that have it, each with its vote."""
    found = grouped(
        (mark + one, language)
        for kind, mark in (("words", ""), ("letters", "*"))
        for language, said in _table()[kind].items()
        for one in said.split()
    )
    return {
        one: tuple((language, 1 / len(having)) for language in having)
        for one, having in found.items()
        if len(having) <= _MOST_VOTERS
    }


@cache
def primary(language: str) -> str:
    """The language of a BCP 47 tag, without region and script; a private one as it is.

    >>> primary("pt-BR"), primary("zh_Hant"), primary("")
    ('pt', 'zh', 'und')
    """
    if "-x-" in language:
        return language
    one = re.split("[-_]", language, maxsplit=1)[0].casefold() or UNKNOWN
    return "no" if one in ("nb", "nn") else one


def language_names() -> tuple[str, ...]:
    """The tags of the languages that have a name here."""
    return tuple(_table()["names"])


def language_name(language: str) -> str:
    """The English name of a language, or its tag where it has none here.

    >>> language_name("am"), language_name("und-x-cherokee")
    ('Amharic', 'Cherokee script')
    """
    if "-x-" in language:
        return f"{language.rpartition('-')[2].capitalize()} script"
    return _table()["names"].get(primary(language), language)


def detect(text: str) -> str:
    """The language in which most of a text is written, as a BCP 47 tag; `UNKNOWN` where none shows.

    A script that no language here has gives ``und-x-`` and its name.

    >>> detect("Wie hoch ist der Turm?"), detect("Мост открыт в мае."), detect("Oslo 1931")
    ('de', 'ru', 'und')
    """
    return language_of(text, UNKNOWN)


# A source is given with each sentence that cites it.
@lru_cache(maxsize=2_000)
def language_of(text: str, given: str) -> str:
    """The language of a text of which ``given``, the language of its row or document, is expected.

    It is the given one unless the text is clearly in another: in another script, or with twice its votes.

    >>> language_of("Oslo", "de"), language_of("The tower was built in 1931.", "de")
    ('de', 'en')
    """
    start, given = normalise("NFC", text[:READ]), primary(given)
    script = script_of(start)
    if script in _table()["scripts"]:
        return _table()["scripts"][script]
    votes: defaultdict[str, float] = defaultdict(float)
    held: Counter[str] = Counter()
    voters, found = _voters(), (_ASCII_WORD if start.isascii() else _WORD).findall(start[:_VOTING])
    # A capital begins a name, which tells nothing of the language around it: "Los Angeles", "Bjørgen".
    said = {word for word in found if not word[0].isupper()} | {word.lower() for word in found[:1]}
    for word in said:
        for language, vote in voters.get(word, ()):
            votes[language] += vote
            held[language] += 1
    for letter in () if start.isascii() else filter("\x7f".__lt__, chain(*said)):
        for language, vote in voters.get(f"*{letter}", ()):
            votes[language] += vote
    # Two of a language that the vote cannot part are in the order of the alphabet: a set has none.
    best = max(sorted(votes), key=votes.__getitem__, default=UNKNOWN)
    vote, fewest = (_LEAST, 1) if given == UNKNOWN else (_ENOUGH, 2)
    enough = votes[best] >= max(vote, _CLEARLY * votes[given])
    if enough and held[best] >= max(fewest, _SHARE * len(set(found))):
        return best
    if not script or any(
        script_of(word) == script for word in _table()["words"].get(given, "").split()
    ):
        return given
    # The commonest language of the scripts that several have.
    several = {"Cyrillic": "ru", "Arabic": "ar", "Devanagari": "hi", "Hebrew": "he"}
    return several.get(script, f"und-x-{script.lower()}")


@lru_cache(maxsize=1_000)
def script_of(text: str) -> str:
    """The script of which most letters of a text are; empty for Latin, and where there are none.

    >>> script_of("Мост открыт."), script_of("Le pont est ouvert.")
    ('Cyrillic', '')
    """
    if text.isascii():
        return ""
    text = text[:READ]
    # U+024F ends the Latin letters of Europe; further ones decompose to these.
    # A ligature or a letter of mathematics is a Latin letter in another form.
    foreign = [
        char
        for char in text
        if char > "\u024f"
        and char.isalpha()
        and not "A" <= unicodedata.normalize("NFKD", char)[0] <= "\u024f"
    ]
    letters = sum(map(str.isalpha, text))
    # A character of Chinese is a word; three Latin letters to one are still a Chinese text with names.
    wide = 2 * sum(char > "\u2e7f" for char in foreign)
    if 2 * (len(foreign) + wide) <= letters + wide:
        return ""
    names = Counter(unicodedata.name(char, "unknown").split()[0].capitalize() for char in foreign)
    if names["Hiragana"] + names["Katakana"]:
        return "Hiragana"
    return max(names, key=lambda name: names[name])


def readable(language: str) -> bool:
    """Whether texts of a language can be compared by `stems`; one in which no language shows can.

    >>> readable("de-AT"), readable("ja"), readable("am")
    (True, True, False)
    """
    return language == UNKNOWN or primary(language) in _PAIRED or _stemmer(language) is not None


@cache
def _stemmer(language: str) -> Any:
    """The Snowball stemmer of a language, of English where none shows; or None."""
    from Stemmer import Stemmer, algorithms

    # They have the languages' English names; the one for Serbian reads its near relatives.
    one = {UNKNOWN: "en", "hr": "sr", "bs": "sr"}.get(primary(language), primary(language))
    name = language_name(one).lower()
    return Stemmer(name) if name in algorithms() else None


@cache
def stop_words(language: str) -> frozenset[str]:
    """The commonest words of a language, folded as `words` folds; English ones where none shows."""
    one = "en" if language == UNKNOWN else primary(language)
    return frozenset(map(fold_word, _table()["words"].get(one, "").split()))


def fold_word(word: str) -> str:
    """A word in small letters without accents. Marks that are letters (Hindi, Tamil) stay."""
    word = word.lower()
    if word.isascii():
        return word
    return normalise("NFC", ACCENTS.sub("", normalise("NFKD", word.translate(LETTERS))))


@lru_cache(maxsize=200_000)
def stem(word: str, language: str = "en") -> str:
    """The stem of one word, without accents; the word itself where the language has no stemmer.

    >>> stem("Brücken", "de"), stem("opened"), stem("1931")
    ('bruck', 'open', '1931')
    """
    found = _stemmer(language)
    return fold_word(found.stemWord(word.lower()) if found is not None else word)


def words(text: str, language: str = "en") -> list[str]:
    """The words of a text as they stand; of scripts without blanks the pairs of characters.

    >>> words("这座桥于1931年")
    ['这座', '座桥', '桥于', '1931', '年']
    """
    if text.isascii():
        return _ASCII_WORD.findall(text)
    found: list[str] = []
    for word in _WORD.findall(normalise("NFC", text)):
        if len(word) > 2 and _UNSPACED.match(word):
            found += map("".join, pairwise(word))
        else:
            found.append(word)
    return found


_ASCII_WORD = re.compile(r"[A-Za-z0-9]+")
_UNSPACED = re.compile(f"[{UNSPACED}]")


def stems(text: str, language: str = "en") -> list[str]:
    """The stems of the words of a text that are no stop words, in order, repeats kept.

    >>> stems("Die Brücken wurden 1931 geöffnet.", "de")
    ['bruck', '1931', 'geoffn']
    """
    stop = stop_words(language)
    # In small letters "The" and "the" are one word to the cache of `stem`.
    found = words(text.lower() if text.isascii() else text)
    return [stem(word.lower(), language) for word in found if fold_word(word) not in stop]
