"""The sentences and words of a text, their stems, and an index of a long text by these.

A text is cut at its blanks, and each distinct piece is looked at once for many texts: a language has
few of them, and a long text is read at the speed of looking them up. Stems and sentences are numbers in
one sorted array, so that an index takes a byte or two for each character.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from argue_bench.judges.lexical import thresholds as at
from argue_bench.judges.lexical import vocabulary as words
from argue_bench.judges.lexical.values import DIGITS, IN_NUMBERS, amount_of, spelled_amounts
from argue_bench.records.normal_forms import normalise

TOKEN = re.compile(rf"[A-Za-z]+(?:'t\b)?|[.!?,;:()$€£%°–\n-]|{DIGITS}|[^\W\d_]+")
# Both ends begin with one set of characters, so that the engine leaps from one to the next.
_SENTENCE_END = re.compile(
    r"[.!?…\n](?:(?<=\n)\n*|(?<!\n)[\"'”»)\]]*\s+(?=[\"'“«(\[]*\s?[A-ZÀ-Þ0-9]))"
)
_NOT_AN_END = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Nos?|Mt|Jr|Sr|vs|approx|ca|cf|art|fig|M|MM|Mme|Mlle|Inc|Ltd|Co"
    r"|Gen|Col|Capt|Rev|Hon|pp?|env)|\b[A-Z])$"
)
_ABBREVIATED = 8
"""Characters before a full stop in which an abbreviation stands; a word of more letters is none."""
_ACCENTS = re.compile("[\u0300-\u036f]+")
_FOLDS = tuple(
    (pair[0], pair[1:]) for pair in ["’'", "‘'", '“"', '”"', "—;", "œoe", "æae", "ßss", "øo", "łl"]
)
Numbers = NDArray[Any]
_MOST_FORMS = 50_000
_BLOCK = 1_000
"""Sentences that are indexed at once: enough for numpy, few enough to take little room."""
_END, _JOINED = "¨", "´"
"""Marks where a sentence ends, and between the parts of '1 200': folding leaves neither in a text."""
_BETWEEN_DIGITS = re.compile(r"(\d) (?=\d{3})")


def fold(text: str) -> str:
    """The text without accents, with one kind of apostrophe; capitals stay."""
    if text.isascii():
        return text
    for char, plain in _FOLDS:
        text = text.replace(char, plain)
    if text.isascii():
        return text
    return _ACCENTS.sub("", normalise("NFKD", text))


def sentence_bounds(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences begin and end as a reader sees them; abbreviations and initials end none."""
    start = 0
    for found in _SENTENCE_END.finditer(text):
        stop, end = found.span()
        if text[stop] == "." and _NOT_AN_END.search(text, max(start, stop - _ABBREVIATED), stop):
            continue
        yield start, end
        start = end
    yield start, len(text)


class _Stems(dict[str, str]):
    """The stem of each token, found once: its first letters without ending.

    Empty for what carries no content; a number begins with '#', so that '11' meets 'eleven'.
    """

    def __missing__(self, token: str) -> str:
        if len(self) >= _MOST_FORMS:
            self.clear()
        word = token.lower()
        if word in words.STOP or not word[0].isalnum():
            found = ""
        elif (amount := amount_of(word)) is not None:
            found = f"#{amount:g}"
        elif word[0].isdigit():
            found = f"#{word}"
        else:
            found = _shortened(word) if len(word) > 1 else ""
        self[token] = found
        return found


def _shortened(word: str) -> str:
    if len(word) > 4:
        for ending in ("ing", "ed", "es", "er", "ly", "s", "e", "x"):
            if word.endswith(ending) and len(word) - len(ending) >= 3:
                return word[: -len(ending)][: at.PREFIX]
    return word[:-1] if len(word) == 4 and word[-1] in "se" else word[: at.PREFIX]


STEMS = _Stems()


class _Pieces(dict[str, int]):
    """The number of each piece of text between blanks, with what it holds."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}
        """Those of stems."""
        self.stems: list[str] = []
        self.held, self.ends = array("i"), array("i", [0])
        """The stems of all pieces, one piece after the other, and where those of each end."""
        self.spelled: dict[int, list[str]] = {}
        """Numbers in words that a piece holds, each as the stem of its digits."""
        self.counts = bytearray()
        """For each piece whether a word of it may belong to a number in words."""
        self[_END]  # the first; it holds nothing

    def __missing__(self, piece: str) -> int:
        number = len(self)
        tokens = TOKEN.findall(piece.replace(_JOINED, " "))
        for stem in map(STEMS.__getitem__, tokens):
            if stem:
                if (known := self.numbers.get(stem)) is None:
                    known = self.numbers[stem] = len(self.stems)
                    self.stems.append(stem)
                self.held.append(known)
        self.ends.append(len(self.held))
        counts = not IN_NUMBERS.isdisjoint(map(str.lower, tokens))
        self.counts.append(counts)
        if counts:
            self.spelled[number] = [f"#{amount:g}" for amount in spelled_amounts(tokens)]
        self[piece] = number
        return number


_pieces = _Pieces()
_lock = Lock()


def forget_stems() -> None:
    """Drops what words were found to be."""
    global _pieces
    with _lock:
        STEMS.clear()
        _pieces = _Pieces()


class StemIndex:
    """The sentences of a text, by number, in which a stem stands."""

    def __init__(self, sentences: Iterable[str]) -> None:
        """The sentences are folded (`reading.fold`)."""
        global _pieces
        self.spelled: dict[str, list[int]] = defaultdict(list)
        """Sentences that hold a number in words, by the stem of its digits; there may be others."""
        rest, first, blocks = iter(sentences), 0, [np.zeros(0, np.uint64)]
        with _lock:
            if len(_pieces) > _MOST_FORMS:
                _pieces = _Pieces()
            while block := list(islice(rest, _BLOCK)):
                blocks.append(self._pairs(block, first))
                first += len(block)
            self._pieces = _pieces
        pairs = np.concatenate(blocks)
        del blocks
        pairs.sort()
        pairs = pairs[np.flatnonzero(np.diff(pairs, prepend=~pairs[:1]))]
        self._numbers, self._places = (pairs >> 32).astype(np.uint32), pairs.astype(np.uint32)
        distinct = np.flatnonzero(np.diff(self._numbers, prepend=~self._numbers[:1]))
        self.stems = frozenset(
            map(self._pieces.stems.__getitem__, self._numbers[distinct].tolist())
        )

    def _pairs(self, sentences: list[str], first: int) -> Numbers:
        """Each stem of the sentences with the number of its sentence, as one number."""
        pieces = _pieces
        cut = _BETWEEN_DIGITS.sub(rf"\1{_JOINED}", f" {_END} ".join(sentences)).split()
        numbers = np.fromiter(map(pieces.__getitem__, cut), np.uint32, len(cut))
        places = first + np.cumsum(numbers == 0)
        ends = np.frombuffer(pieces.ends, np.intc)
        starts, many = ends[numbers], np.diff(ends)[numbers]
        before = np.cumsum(many) - many
        at = np.arange(many.sum()) + np.repeat(starts - before, many)
        pairs = np.frombuffer(pieces.held, np.intc)[at].astype(np.uint64) << 32
        counting = np.flatnonzero(np.frombuffer(pieces.counts, np.uint8)[numbers])
        self._spell(sentences, first, places[counting].tolist(), numbers[counting].tolist())
        found: Numbers = pairs | np.repeat(places, many).astype(np.uint64)
        return found

    def _spell(
        self, sentences: list[str], first: int, places: list[int], numbers: list[int]
    ) -> None:
        """Adds the numbers in words of these pieces at these places; two may be parts of one."""
        for place, number in zip(places, numbers, strict=True):
            for key in _pieces.spelled[number]:
                self.spelled[key].append(place)
        for place in (one for one, times in Counter(places).items() if times > 1):
            for amount in spelled_amounts(TOKEN.findall(sentences[place - first])):
                self.spelled[f"#{amount:g}"].append(place)

    def places(self, stem: str) -> list[int]:
        """The sentences in which a stem stands, in order."""
        found: list[int] = self._found(stem).tolist()
        return found

    def _found(self, stem: str) -> Numbers:
        if (number := self._pieces.numbers.get(stem)) is None:
            return self._places[:0]
        start, end = self._numbers.searchsorted(np.array((number, number + 1), np.uint32))
        held: Numbers = self._places[start:end]
        return held

    def shared_with(self, wanted: Iterable[str]) -> dict[int, int]:
        """How many of these stems stand in a sentence, for those that have one."""
        places = [self._found(stem) for stem in wanted]
        if not places:
            return {}
        found, times = np.unique(np.concatenate(places), return_counts=True)
        return dict(zip(found.tolist(), times.tolist(), strict=True))
