"""How many of a row's answers are another author's.

Two answers to a question are compared by pairs of words that lie close together, in either order. Small words do not
count, and words between the two, or missing ones, part few pairs: a filler after every second word, every
fourth word left out or exchanged, neighbours swapped and sentences shuffled leave most pairs there.

What both answers say stands in the same order in a copy, whatever words were exchanged for others.

An answer's own pairs have a word that stands neither in the question nor in its documents: facts of the documents,
in whatever order, are nobody's. Where the other answer has nothing of its own, both quote, and what each of them quotes
is compared, beyond what chance gives: of what another quotes, whoever quotes a third of the documents has a third. Whoever
quotes most of them has chosen nothing.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from itertools import chain, islice
from random import SystemRandom
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from argue_bench.errors import Finding
from argue_bench.leaderboard.formats.outcome import screen_finding
from argue_bench.leaderboard.formats.season import longest_allowed, reading_limits
from argue_bench.leaderboard.screening.answers import (
    SMALL,
    STEM,
    AnswerSources,
    fold,
    is_spaceless,
    sequences,
    word_key,
)
from argue_bench.loaders.answers import AnswerParser
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import Findings
from argue_bench.loaders.limits import TRACED, AnswerLimits
from argue_bench.metrics.correctness.accuracy import said_text
from argue_bench.records import Answer
from argue_bench.records.display import normalise
from argue_bench.text import sentences, strip_reasoning
from argue_bench.text.refusals import refuses_in_words, says_unknown

# A word of another row is also one of this row that has a letter more or less, or, from so many letters, another one.
LEAST_LETTERS, MOST_LETTERS = 5, 24
# How many words further on a pair may end: in the answer that is looked at, and where it is looked for.
NEAR, FAR = 2, 4
# Pairs, of five words or so, below which little can be told; and how many times as long a quote may be as the
# other to be the same choice: long ones hold short ones.
LEAST, LONGER = 8, 1.7
# Pairs, of two or three sentences, and the share of the documents: whoever quotes less than the one, or more than the
# other, and whose sentences have the question's words, may well choose what others do.
FEW, MUCH = 48, 1 / 8
# How many times as long the other may be that one is part of: several answers in one hold what anybody says.
PART = 4
# The share of pairs from which an answer is another's: of its own ones, of these without documents, where all
# list the same facts in a line or two, and of quoted ones beyond chance: two honest baselines of core are so
# alike in at most 4 of 100 answers, a copy and its original with every fourth quote exchanged in 71 to 95.
OWN, OWN_FACTS, QUOTED = 0.6, 0.7, 0.75
# Words of what both answers say that stand in a row, though in no document; and the share of them that are the same in a copy,
# which is also the share of the other's words that both have. Of two systems of MT-RAG 4 in 100 answers are so alike; of a copy
# with its own words exchanged 69 to 90, with every sixth of the others exchanged too 40 to 67.
IN_ORDER, HALF = 4, 0.5
# The shares of a row's answers that may be one other row's, two rows', and so on; where most of them are quotes that many
# would choose the second ones, and without documents, where two rows that are right say the same, the last ones.
SHARED, SHARED_QUOTES, SHARED_FACTS = (0.6, 0.8, 0.9, 0.9, 0.9), (0.8, 0.9), (0.95, 0.97)
# What part of these is said of a row that documents set apart: of MT-RAG's systems none shares more than 14 % with another, of
# RAGTruth's 46 models, which all quote three short passages, 35 share 25 to 48 %. Without documents FanOutQA's systems
# share up to 68 %, for who is right says the same.
SAID, SAID_FACTS = 0.5, 0.84
# The share of short answers, of so many at least, that may be word for word another row's: who is right
# says the same, so it is told before it holds. The nearest two rows of FanOutQA share .45.
SAME, SAME_TOLD, LEAST_SHORT = 0.95, 0.8, 20
# How many words more one of two equal short answers may have: "The answer is Oslo (as asked)."
PADDED = 2
# Answers of a row by which the rows are chosen with which all of them are compared.
SAMPLED = 24
_BRACKETS = re.compile(r"[\[【][^\[\]【】]{1,200}[\]】]|<[^<>]{1,200}>")
Pairs = npt.NDArray[np.int64]
T = TypeVar("T")


class AnswerPairs(NamedTuple):
    """An answer's pairs: what is its own, and what it quotes; its words in order; and the share of the documents that it
    quotes, which is also that of another answer's quotes that it has by chance."""

    own: Pairs
    quoted: Pairs
    words: Pairs
    chance: float


class CopyScreen:
    """The answers of a row, to be compared with those of others."""

    def __init__(self, answers: Collection[Answer], dataset: Dataset, limits: AnswerLimits) -> None:
        self._dataset, self._limits, self._texts = dataset, limits, AnswerSources(dataset)
        self._most = OWN if dataset.documents else OWN_FACTS
        self._numbers: dict[str, int] = {}
        # AnswerSources are as long as books, and have few words that are not there already.
        self._counted = cache(lambda word: self._number(word) if _counts(word) else -1)
        self._frame = _NONE
        self._asked = defaultdict[str, set[int]](set)
        self._sources: dict[str, tuple[Pairs, Pairs]] = {}
        self._spelt: dict[str, dict[str, int]] = {}
        self._plain = {answer.id: said_text(answer) for answer in answers}
        self._own = {
            id: self._read(id, answer) for id, answer in zip(self._plain, answers, strict=True)
        }
        most = max(len(answers), LEAST_SHORT) / 2
        # What most answers begin or end with is the frame that a prompt asks for, and two systems that quote may have one
        # prompt; without documents all that is said is the author's.
        framed = self._own.values() if dataset.documents else ()
        pairs = Counter(chain.from_iterable(one.own.tolist() for one in framed))
        frame = np.array([one for one, count in pairs.items() if count > most], np.int64)
        inside = {
            id: one._replace(own=one.own[~np.isin(one.own, frame)]) for id, one in self._own.items()
        }
        # Where less is left inside, it is what the row says.
        left = (
            len(one.own) + len(one.quoted) > 2 * (len(self._own[id].own) - len(one.own))
            for id, one in inside.items()
        )
        if 2 * sum(left) > len(inside):
            self._own, self._frame = inside, frame
        # A shorter answer is nobody's copy, but many of them together are; and what does nothing but refuse has the words
        # of a prompt. A whole answer behind a refusal, or in a fence below one, is looked at like any other.
        refused = {
            id
            for id, text in self._plain.items()
            if all(refuses_in_words(one) or says_unknown(one) for one in sentences(text))
        }
        self.ids = [
            id
            for id, one in self._own.items()
            if len(one.own) + len(one.quoted) >= (FEW if id in refused else LEAST)
        ]
        held = Counter(chain.from_iterable({*one.words.tolist()} for one in self._own.values()))
        self._around = {word for word, count in held.items() if count > most}
        self.short = {
            id
            for id in self._plain
            if 0 < len(self._said(self._own[id])) <= LEAST and id not in refused
        }
        # Honest rows that quote so share up to 70 % with one that chooses by the question's words too; a copy all.
        quotes = (self._own[id] for id in self.ids if len(self._own[id].own) < LEAST)
        alike = sum(LEAST <= len(x.quoted) < FEW or x.chance > MUCH for x in quotes)
        shared = SHARED if 2 * alike <= len(self.ids) else SHARED_QUOTES
        self.shared: tuple[float, ...] = shared if dataset.documents else SHARED_FACTS

    def copied(
        self, content: bytes, ids: Collection[str], longest: float = LONGER
    ) -> dict[str, str]:
        """Those of another row's answers to these questions of which this row has copies.

        A short answer is one where it has the same words, however often, and hardly any more.
        """
        texts = texts_of(content, self._dataset, ids, self._limits)
        return {
            id: texts[id]
            for id, times in (self.longer(texts) | self.same(texts)).items()
            if times <= longest
        }

    def longer(self, texts: Mapping[str, str]) -> dict[str, float]:
        """How many times as long the longer one is of an answer and its copy, where the two quote and have nothing of their own; else 1."""
        return {
            id: times
            for id in self.ids
            if id in texts
            for theirs in [self._theirs(id, texts[id])]
            for times in [copied_times(self._own[id], theirs, self._most, self._sources[id][1])]
            if times <= PART
        }

    def same(self, texts: Mapping[str, str]) -> dict[str, float]:
        """The short answers that have the words of another row's: 1 where one has hardly any more than the other, else how
        many times as many."""
        return {
            id: times
            for id in self.short
            if id in texts
            for theirs in [self._said(self._theirs(id, texts[id]))]
            for times in [_times_as_many(self._said(self._own[id]), theirs)]
            if times <= PART
        }

    def _said(self, answer: AnswerPairs) -> set[int]:
        """What an answer says behind the few words, such as "The short answer is", that most answers have."""
        words = {*answer.words.tolist()}
        return words - self._around if len(words & self._around) <= LEAST else words

    def _read(self, id: str, answer: Answer) -> AnswerPairs:
        # The question's words are nobody's own, wherever they stand, and part no pair.
        self._asked[id] = {*self._words(id, self._dataset.by_id[id].text, self._number)}
        each = [
            words[~np.isin(words, [-1, *self._asked[id]])]
            for text in self._texts.of(answer)
            for words in [np.fromiter(map(self._counted, fold(text, True)), np.int64)]
        ]
        places = [np.full(len(words), place) for place, words in enumerate(each)]
        pairs = _pairs(np.concatenate([_NONE, *each]), FAR, np.concatenate([_NONE, *places]))
        apart = [part for words in each for part in (words, np.array([-1]))]
        self._sources[id] = pairs, np.concatenate([_NONE, *apart])
        # How its words are spelt, and behind a hyphen what is left of each without one of its letters; the first counts.
        self._spelt[id] = {
            one: self._number(word)
            for word in reversed(fold(self._plain[id], whole=True))
            for one in (word, *(f"-{part}" for part in _shorter(word)))
        }
        said = self._plain[id]
        return self._pairs_of(id, said, self._number, 2 * len(said) + 1)

    def _theirs(self, id: str, text: str) -> AnswerPairs:
        """Another row's answer, as far as it can be part of a copy: of one of 100,000 words a beginning."""
        spelt, new = self._spelt[id], dict[str, int]()
        mine = {*spelt.values()} | self._asked[id]

        @cache
        def number(word: str) -> int:
            known = self._numbers.get(word_key(word))
            if known not in mine:
                known = next((spelt[one] for one in _near(word) if one in spelt), known)
            return len(self._numbers) + new.setdefault(word, len(new)) if known is None else known

        most = max(len(self._plain[id]), 20 * LEAST), max(len(self._own[id].words), LEAST)
        return self._pairs_of(id, text[: 2 * PART * most[0]], number, PART * most[1] + 1)

    def _pairs_of(self, id: str, text: str, number: Callable[[str], int], most: int) -> AnswerPairs:
        parts = re.split(r"[.!?;|\n]\s", text, maxsplit=most)
        said = ((x, at) for at, one in enumerate(parts) for x in self._words(id, one, number))
        words, places = np.array([*islice(said, most)], np.int64).reshape(-1, 2).T
        # Where a sentence follows another one says nothing of either; but whoever strews full stops parts no pair.
        near = _pairs(words, NEAR, places)
        # Nor whoever puts each word on a line of its own; short plain sentences are no such lines.
        if len(near) < LEAST and len(text.split()) <= 2 * len(parts):
            near = _pairs(words, NEAR)
        pairs, known = self._sources[id]
        # Facts of the documents that stand side by side in an answer, or in a sentence, are nobody's own.
        own = ~(np.isin(near >> 32, known) & np.isin(near & 0xFFFFFFFF, known))
        own &= ~np.isin(near, self._frame)
        quoted = near[np.searchsorted(pairs, near, "right") > np.searchsorted(pairs, near)]
        return AnswerPairs(near[own], quoted, words, len(quoted) * FAR / NEAR / max(1, len(pairs)))

    def _words(self, id: str, text: str, number: Callable[[str], int]) -> Iterator[int]:
        numbers = map(number, filter(_counts, fold(text, True)))
        return (one for one in numbers if one not in self._asked[id])

    def _number(self, word: str) -> int:
        return self._numbers.setdefault(word_key(word), len(self._numbers))


def _counts(word: str) -> bool:
    # A letter or a digit alone is no word: with dots between them a line holds hundreds.
    return word not in SMALL and (len(word) > 1 or not word.isascii())


_NONE = np.empty(0, np.int64)


def _near(word: str) -> Iterator[str]:
    """How words are spelt, as an answer's own words are kept, that have a letter more, a letter less, or another letter."""
    shorter = _shorter(word)
    yield from (f"-{word}", *shorter)
    if len(word) >= LEAST_LETTERS:
        yield from (f"-{one}" for one in shorter)


def _shorter(word: str) -> list[str]:
    """The word without each of its letters; of a number, or what is no word as letters are read, nothing."""
    if not (MOST_LETTERS >= len(word) > STEM and word.isalpha()) or is_spaceless(word):
        return []
    return [word[:at] + word[at + 1 :] for at in range(len(word))]


def _times_as_many(one: Collection[int], other: Collection[int]) -> float:
    """How many times as many words the longer of two short answers has that holds all of the other; 1 for hardly any more."""
    less, more = sorted(({*one}, {*other}), key=len)
    if not less or not less <= more:
        return math.inf
    return 1.0 if len(more) <= len(less) + PADDED else len(more) / len(less)


def copied_times(
    mine: AnswerPairs, theirs: AnswerPairs, most: float, sources: Pairs = _NONE
) -> float:
    """1 where one answer holds more than ``most`` of the other one's own, or says what both say in its order; where that has
    nothing of its own and one holds most of the other's quotes, how many times as long the longer one is; else infinite.

    Pairs and runs are looked for among the words that both answers have: what else was strewn between them, or put in
    place of others, parts none. ``sources`` are the words of the documents in order, with -1 between two.
    """
    mine_of_both = mine.words[np.isin(mine.words, theirs.words)]
    theirs_of_both = theirs.words[np.isin(theirs.words, mine.words)]
    my_far, their_far = _pairs(mine_of_both, FAR), _pairs(theirs_of_both, FAR)
    part = mine.own if len(theirs.words) <= PART * len(mine.words) else _NONE
    if _held(part, theirs.own, my_far, their_far)[0] > most:
        return 1.0
    quotes = len(theirs.own) < LEAST
    if len(sources) and not quotes and len(theirs_of_both) > HALF * len(theirs.words):
        runs = {*sequences(theirs_of_both.tolist(), IN_ORDER)} - {
            *sequences(sources[np.isin(sources, mine_of_both) | (sources < 0)].tolist(), IN_ORDER)
        }
        if len(runs) >= LEAST and len(
            runs & {*sequences(mine_of_both.tolist(), IN_ORDER)}
        ) > HALF * len(runs):
            return 1.0
    quoted, *counts = _held(
        mine.quoted, theirs.quoted, my_far, their_far, (theirs.chance, mine.chance)
    )
    return max(counts) / min(counts) if quoted > QUOTED and quotes else math.inf


def _held(
    mine: Pairs,
    theirs: Pairs,
    my_far: Pairs,
    their_far: Pairs,
    chances: tuple[float, float] = (0.0, 0.0),
) -> tuple[float, int, int]:
    """The higher share of the two beyond chance: whoever adds to a copy, or leaves out, lowers one of them.

    And how many pairs each has, those of the other that words strewn between them part among them.
    """
    found = int(np.isin(mine, their_far).sum()), int(np.isin(theirs, my_far).sum())
    both = zip(found, (len(mine), len(theirs)), chances, strict=True)
    share = max(
        ((n / of - by) / (1 - by) for n, of, by in both if of >= LEAST and by <= HALF), default=0.0
    )
    return share, max(len(mine), found[1]), max(len(theirs), found[0])


def _pairs(words: Pairs, reach: int, places: Pairs = _NONE) -> Pairs:
    """All pairs of words at most so far apart, the lower number first, each once; in one place, where these are given."""
    each = [_NONE]
    for gap in range(1, min(reach, len(words) - 1) + 1):
        pairs = np.minimum(words[:-gap], words[gap:]) << 32 | np.maximum(words[:-gap], words[gap:])
        each.append(pairs[places[:-gap] == places[gap:]] if len(places) else pairs)
    # Sorted, which takes a thirtieth of the time of the table that np.unique makes, and np.isin of it.
    pairs = np.sort(np.concatenate(each))
    return pairs[np.diff(pairs, prepend=-1) > 0]


# What a row is called, and what reads its file of answers.
Row = tuple[str, Callable[[], bytes]]


def screen_copies(
    answers: Collection[Answer],
    others: Iterable[Row],
    dataset: Dataset,
    limits: AnswerLimits,
    path: str,
    looked: bool,
) -> list[Finding]:
    """A finding for each row whose answers this one holds; names and readers of rows.

    Citations, traces and answers to no question of the set part no words and thin nothing out.
    """
    screen = CopyScreen(answers, dataset, limits)
    short = screen.short if len(screen.short) >= LEAST_SHORT else set[str]()
    # Drawn by chance: whoever knew the sample would write a tenth of the answers and copy the others.
    some = {
        one
        for ids in (screen.ids, sorted(short))
        for one in SystemRandom().sample(ids, min(SAMPLED, len(ids)))
    }
    likely, alike = dict[Row, dict[str, float]](), dict[Row, int]()
    for row in others:
        texts = texts_of(row[1](), dataset, some, limits)
        likely[row], alike[row] = screen.longer(texts), len(screen.same(texts).keys() & short)
    # All answers are compared with those few rows that hold most of the sample, not with those that hold none.
    nearest = sorted(filter(alike.get, alike), key=lambda row: -alike[row])[: len(screen.shared)]
    shares = {
        label: (times.count(1.0) / len(short), len(times) / len(short))
        for label, read in nearest
        for times in [[*screen.same(texts_of(read(), dataset, short, limits)).values()]]
    }
    label = max(shares, key=lambda one: shares[one], default="")
    found: list[Finding] = []
    if label and (shares[label][0] > SAME_TOLD or shares[label][1] > SAME):
        close, wide = shares[label]
        why = f"{100 * (close if close > SAME_TOLD else wide):.0f} % of its short answers are those of {label}"
        found.append(screen_finding(why, path, close > SAME, looked))
    # What holds a row, then what is only said of it: whoever quotes short documents quotes what others do.
    for part, longest, are in (
        (1, LONGER, "are"),
        (SAID if dataset.documents else SAID_FACTS, PART, "say or quote most of what is in"),
    ):
        rows = _covering(
            {row: _within(longer, longest) for row, longer in likely.items()}, len(screen.shared)
        )
        copied = {
            label: _within(screen.longer(texts_of(read(), dataset, screen.ids, limits)), longest)
            for label, read in rows
        }
        labels = _covering(copied, len(screen.shared))
        for many, most in enumerate(screen.shared, 1):
            named = {x: len(copied[x]) / len(screen.ids) for x in labels[:many]}
            if len({id for x in named for id in copied[x]}) > part * most * len(screen.ids):
                said = (
                    f"{100 * y:.0f} % of its answers {are} those of {x}" for x, y in named.items()
                )
                return [*found, *(screen_finding(one, path, part == 1, looked) for one in said)]
    return found


def _within(times: Mapping[str, float], longest: float) -> set[str]:
    return {id for id, one in times.items() if one <= longest}


def _covering(held: Mapping[T, set[str]], most: int) -> list[T]:
    """At most so many rows, each the one that holds most of what those before do not: of a row's former ones, which
    are nearly alike, one is enough."""
    chosen, seen = list[T](), set[str]()
    while len(chosen) < most and any(ids - seen for ids in held.values()):
        chosen.append(max(held, key=lambda row: len(held[row] - seen)))
        seen |= held[chosen[-1]]
    return chosen


def texts_of(
    content: bytes, dataset: Dataset, ids: Collection[str], limits: AnswerLimits
) -> dict[str, str]:
    """The answers of a file to these questions, without traces of reasoning, each as long as one may be.

    Nobody may have checked the file: lines that are none, or longer than a line that is scored, are passed over, the
    first of a question counts, and citations go with all that stands in brackets, for reading them would take minutes.
    """
    texts: dict[str, str] = {}
    parser, longest = AnswerParser(Findings(""), 0), longest_allowed(limits, dataset)
    most = reading_limits(limits, dataset)
    for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n", most.lines)[: most.lines]:
        row = None
        if len(line) <= most.line_bytes:
            with suppress(ValueError, RecursionError):
                row = json.loads(line)
        id = parser.id(row) if isinstance(row, dict) else None
        if row is not None and id is not None and id in ids and id not in texts:
            # Traces and citations do not count in a length; a stranger's text is as long as the stranger wants.
            said = strip_reasoning(_text_in(row)[: (1 + TRACED) * longest])[: 2 * longest]
            # One sign may stand for eighteen letters; a syllable of Korean is three.
            texts[id] = normalise("NFKD", _BRACKETS.sub(" ", said))[: 3 * longest]
    return texts


def _text_in(row: Mapping[str, Any]) -> str:
    """The text of an answer, or those of its sentences; of a list of 100,000 numbers nothing, and no finding each."""
    answer = row.get("responses", row.get("answer"))
    parts = answer if isinstance(answer, list) else [{"text": answer}]
    texts = (one.get("text") for one in parts if isinstance(one, dict))
    return " ".join(one for one in texts if isinstance(one, str))
