"""What is looked at in each answer, with its value, and which values are flags.

    question      share of the answer's sequences of five words that stand in its question; its first wording as a whole is
                  left out where more is said
    repeated      share of sentences that say what a sentence before said
    names         share of names and numbers among the words of a longer answer
    bare          share of words with content among the words of a longer answer: 1 where nothing joins them;
                  fields such as "Opened: 1931", cells of tables and items of lists are left out, also of the names
    denials       sentences which say that something is not known, of three and more
    citations     citations a sentence
    instructions  text that speaks to a judge
    unseen        characters that show nothing

Texts are folded first: case, marks, punctuation and look-alike letters make no difference. A flag stands on the
row; it is no refusal, and quoting documents is none (`AnswerFacts.verbatim` has its share).

A row passes, with flags or without, or it is held until a maintainer has looked: where more of its answers are
flagged than of any honest row that we know of, twice over, and where its answers are another author's. Of
FanOutQA's 27 published files none is held: their answers are lists of names, and at most 20 % of a file's are
flagged for any one thing.

Two answers to a question are compared by pairs of words that lie close together, in either order. Small words do not
count, and words between the two, or missing ones, part few pairs: a filler after every second word, every
fourth word left out or exchanged, neighbours swapped and sentences shuffled leave most pairs there.

An answer's own pairs have a word that stands neither in the question nor in its documents: facts of the documents,
in whatever order, are nobody's. Where the other answer has nothing of its own, both quote, and what each of them quotes
is compared.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from random import SystemRandom
from statistics import median
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from argue_bench.errors import Code, DataError, Finding
from argue_bench.leaderboard.formats.names import skeleton
from argue_bench.leaderboard.formats.results import AnswerFacts
from argue_bench.leaderboard.formats.season import (
    SPOIL_NOTHING,
    Season,
    longest_allowed,
    reading_limits,
)
from argue_bench.loaders.answers import (
    AnswerParser,
    as_answers,
    citation_indexes,
    read_answer_file,
)
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import Findings
from argue_bench.loaders.limits import AnswerLimits, answer_length, within_limits
from argue_bench.records import Answer, Question
from argue_bench.records.display import is_unseen, normalise
from argue_bench.text import strip_reasoning
from argue_bench.text.language import language_of
from argue_bench.text.refusals import refuses_in_words, says_unknown
from argue_bench.text.vocabulary import STOP

# Words in a row that hardly anybody writes by chance.
RUN = 5
# Above its value an answer is flagged. What honest answers reach stands in docs/security.md.
MOST = {
    "question": 0.5,
    "repeated": 0.5,
    "names": 0.6,
    "bare": 0.85,
    "denials": 0.5,
    "citations": 6.0,
    "instructions": 0.0,
    "unseen": 0.0,
}
# Below so many words a share of them says little: a short answer may well be a list of names.
LEAST_WORDS = {"names": 60, "bare": 30, "question": 10}
# Words of a cell, of a label and its value or of an item of a list, which nothing has to join; and how many of an item's
# may be no names.
MOST_OF_FIELD, MOST_SMALL = 6, 2
# For shares of sentences.
LEAST_SENTENCES = 3
_WORD = re.compile(r"[^\W_]+(?:[-'.,][^\W_]+)*")
_PARTS = re.compile(r"[;|\n]|,(?!\d)")
# An underline joins no words: else a row of words joined by it would be one word.
_PLAIN_WORD = re.compile(r"[^\W_]+")
# How Unicode calls variants of a Latin letter: turned, open, with a hook.
_LATIN = re.compile("LATIN (?:SMALL|CAPITAL) LETTER (?:[A-Z]+ )*([A-Z])(?: WITH .*)?")
# What may show nothing: neither white space nor ASCII that prints.
_ODD = re.compile(r"[^\x20-\x7e\s]")
# Joiners and marks of direction beside letters and emoji that are written with them; not beside Latin ones.
_WRITTEN = r"[\u0370-\u1fff\u2600-\ud7ff\U00010000-\U0001faff]"
_JOINERS = re.compile(f"(?<={_WRITTEN})[\u200c-\u200f]|[\u200c-\u200f](?={_WRITTEN})")
_INSTRUCTIONS = re.compile(
    r"\b(?:ignore|disregard|forget)\b[^.\n]{0,30}\b(?:previous|above|prior|earlier|all|your|other)\b"
    # Whoever tells readers not to forget their passport, or to ignore all other figures, gives a judge no order.
    r"[^.\n]{0,20}\b(?:instruction|prompt|rule|guideline|criteri|message)"
    # Somebody may have served as a judge, a match has a score, a film a rating and a computer a system: what is
    # flagged speaks to the reader, or begins with a verdict and nothing else, or with whose turn it is.
    r"|\b(?:you are (?:a|the)|as (?:a|the)(?= \w+,? you\b)) (?:judge|grader|evaluator|assessor)\b"
    r"|(?<![a-z] )\b(?:reply|respond|answer) only with\b"
    r"|\A\W*(?:verdict|score|grade|rating)\s*[:=]\s*(?:\d+(?:/\d+)?|[a-f]|yes|no|full|partial|correct)\W*?$"
    r"|\[[^\S\n]*/?(?:END|BEGIN|INST|SYSTEM)\b|<\|\w+\|>|^[^\S\n]*+(?:system|assistant)\s*+:[^\S\n]*+$|\*{8,}",
    re.IGNORECASE | re.MULTILINE,
)
# Tags, and selectors of variants, to the ASCII characters that they can carry unseen.
_LETTERS = {first + code: chr(code) for first in (0xE0000, 0xE00F0) for code in range(32, 127)}
_UNSEEN = re.compile(f"[{''.join(map(chr, _LETTERS))}]+")
# Of an answer's beginning and of its end that are looked at.
_MOST_CHARACTERS = 20_000


def facts_of(answers: Iterable[Answer], dataset: Dataset, cut: int = 0) -> AnswerFacts:
    """The facts about answers as they are scored; ``cut`` of them were over the limit.

    Share of words copied: those in a row of `RUN` that stands so in a document that the question lists or
    the answer cites.
    """
    index = citation_indexes(dataset)
    lengths: list[int] = []
    flags = Counter[str]()
    copied = of = 0
    for answer in answers:
        question = dataset.by_id[answer.id]
        lengths.append(answer_length(answer, index(question)))
        texts = sources_of(answer, dataset)
        words = fold(answer.plain) if texts else []
        copied, of = copied + _shared(words, *map(fold, texts)), of + len(words)
        flags.update(flagged(look(answer, question, texts)))
    # Four digits, as pages show a tenth of a per cent.
    share = round(copied / of, 4) if of else None
    return AnswerFacts(
        round(median(lengths or [0])), max(lengths, default=0), cut, share, dict(flags)
    )


def look(answer: Answer, question: Question, sources: Iterable[str] = ()) -> dict[str, float]:
    """The values of an answer, each under its name; shares of too little text are left out.

    Unseen characters, and lines that read as orders, are not the answer's where they stand so in its sources.
    """
    quoted = "".join(sources)
    text = _plain(answer.text)
    folded, asked = fold(answer.plain), fold(question.text)
    # Whoever writes the question over an answer says it once, and more than it.
    own = " ".join(folded).replace(" ".join(asked), "", 1).split() or folded
    said = [" ".join(fold(one.text)) for one in answer.sentences if one.text.strip()]
    told = [
        part
        for one in answer.sentences
        for prose in [
            set(":|").isdisjoint(one.text)
        ]  # once a sentence, which may have 50,000 parts
        for part in _PARTS.split(one.text)
        if len(part.split()) > MOST_OF_FIELD
        or (prose and sum(map(str.islower, part.split())) > MOST_SMALL)
    ]
    joined = _WORD.findall(_plain("; ".join(told)))
    shares = {
        "names": (sum(word[0].isupper() or word[0].isdigit() for word in joined), joined),
        "bare": (sum(word.casefold() not in STOP for word in joined), joined),
        "question": (_shared(own, asked), own),
    }
    if language_of(answer.plain, language_of(question.text, question.language)) != "en":
        del shares["bare"]  # the small words that join others are known in English alone
    values = {
        name: count / len(of)
        for name, (count, of) in shares.items()
        if len(of) >= LEAST_WORDS[name]
    }
    if len(said) >= LEAST_SENTENCES:
        values["repeated"] = 1 - len({*said}) / len(said)
        denied = (says_unknown(s.text) or refuses_in_words(s.text) for s in answer.sentences)
        values["denials"] = sum(denied) / len(said)
        values["citations"] = sum(len(one.citations) for one in answer.sentences) / len(said)
    orders = (one[0] not in quoted for one in _INSTRUCTIONS.finditer(text))
    values["instructions"] = float(any(orders))
    odd = (one for one in _ODD.findall(_JOINERS.sub("", answer.text)) if one not in quoted)
    values["unseen"] = float(sum(map(is_unseen, odd)))
    return values


def flagged(values: Mapping[str, float]) -> list[str]:
    """The names of the values that are above what honest answers have."""
    return [name for name, value in values.items() if value > MOST[name]]


def fold(text: str, whole: bool = False) -> list[str]:
    """The words of a text as sequences are compared: without case, marks, punctuation and look-alikes.

    With ``whole`` what a hyphen or another sign parts stands there once more as one word.
    """
    words: list[str] = []
    for one in _shown(normalise("NFKD", text)).casefold().split():
        parts = _PLAIN_WORD.findall(one)
        words += parts if len(parts) < 2 or not whole else [*parts, "".join(parts)]
    return [*map(_skeleton, words)]


def sequences(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Every `RUN` words in a row."""
    return zip(*(words[start:] for start in range(RUN)), strict=False)


def _shared(words: Sequence[str], *others: Sequence[str]) -> int:
    """How many of the words stand in a sequence that one of the other texts has too."""
    known, held = {one for other in others for one in sequences(other)}, set[int]()
    for place, one in enumerate(sequences(words)):
        if one in known:
            held.update(range(place, place + RUN))
    return len(held)


def sources_of(answer: Answer, dataset: Dataset) -> list[str]:
    """The documents that the question lists or the answer cites."""
    cited = chain.from_iterable(sentence.citations for sentence in answer.sentences)
    ids = dict.fromkeys([*dataset.by_id[answer.id].documents, *cited])
    return [dataset.documents[id].text for id in ids if id in dataset.documents]


@lru_cache(100_000)
def _skeleton(word: str) -> str:
    """What a reader sees of a word; "ⱸ" is for Unicode a small E with a notch, so it is an e."""
    if word.isascii():
        return skeleton(word)
    plain = (_LATIN.fullmatch(unicodedata.name(one, "")) for one in word)
    return skeleton(
        "".join(name[1] if name else one for name, one in zip(plain, word, strict=True))
    )


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
    limited = within_limits(read, dataset, season.limits)
    spared = season.over_limit == "cut"
    answers = [one for id, one in limited.answers.items() if spared or id not in limited.cut]
    return answers, facts_of(answers, dataset, len(limited.cut))


# The share of flagged answers above which a row is held: a score is an average, so a few earn nothing.
# A careful system may say in three sentences that it knows nothing of most subjects; that earns little.
HELD_ABOVE = {"instructions": 0.02, "unseen": 0.02, "denials": 0.75}
# And so many answers: in a small season one is more than that.
HELD_FROM = 3
# The same of what honest answers have too, now and then.
HELD = 0.4
HONEST = ("bm25-extractive", "lead-sentences", "nearest-sentences")


def screen_flags(facts: AnswerFacts, count: int, path: str, looked: bool) -> Iterator[Finding]:
    """A finding for each kind of flag; an error where it holds the row, unless a maintainer has ``looked``."""
    for name, many in sorted(facts.flags.items()):
        yield _finding(
            f"{many:,} of {count:,} answers are flagged: {name}",
            path,
            many > max(count * HELD_ABOVE.get(name, HELD), min(count, HELD_FROM) - 1),
            looked,
        )


# Of a word its first letter counts and the two that are rarest in English, in any order: endings, slips, and letters that
# are swapped, left out or written twice part few pairs.
RARE, STEM = "zqjxkvbywpfhmucloatrnedisg", 2
# How many words further on a pair may end: in the answer that is looked at, and where it is looked for.
NEAR, FAR = 2, 4
# Pairs, of five words or so, below which little can be told; and how many times as long a quote may be as the
# other to be the same choice: long ones hold short ones.
LEAST, LONGER = 8, 1.7
# How many times as long the other may be that one is part of: several answers in one hold what anybody says.
PART = 4
# The share of pairs from which an answer is another's: of its own ones, of these without documents, where all
# list the same facts in a line or two, and of quoted ones: two honest baselines share more in at most 9 of 100 answers,
# a copy and its original with every fourth quote exchanged in 86.
OWN, OWN_FACTS, QUOTED = 0.6, 0.7, 0.75
# The shares of a row's answers that may be one other row's, two rows', and so on.
SHARED, SHARED_FACTS = (0.6, 0.8, 0.9, 0.9, 0.9), (0.8, 0.9)
# What part of these is said of a row that documents set apart: of MT-RAG's systems none shares more than 14 % with another.
SAID = 0.5
# The share of short answers, of so many at least, that may be word for word another row's: who is right
# says the same, so it is told before it holds. The nearest two rows of FanOutQA share .45.
SAME, SAME_TOLD, LEAST_SHORT = 0.95, 0.8, 20
# How many words more one of two equal short answers may have: "The answer is Oslo (as asked)."
PADDED = 2
# Answers of a row by which the rows are chosen with which all of them are compared.
SAMPLED = 24
_BRACKETS = re.compile(r"[\[【][^\[\]【】]{1,200}[\]】]|<[^<>]{1,200}>")
_SMALL = frozenset(map(skeleton, STOP))
Pairs = npt.NDArray[np.int64]
T = TypeVar("T")


class AnswerPairs(NamedTuple):
    """An answer's pairs: what is its own, and what it quotes; and its words in order."""

    own: Pairs
    quoted: Pairs
    words: Pairs


class CopyScreen:
    """The answers of a row, to be compared with those of others."""

    def __init__(self, answers: Collection[Answer], dataset: Dataset, limits: AnswerLimits) -> None:
        self._dataset, self._limits = dataset, limits
        self._most = OWN if dataset.documents else OWN_FACTS
        self._numbers: dict[str, int] = {}
        self._asked: dict[str, set[int]] = {}
        self._sources: dict[str, tuple[Pairs, Pairs]] = {}
        self._own = {answer.id: self._read(answer) for answer in answers}
        # A shorter answer is nobody's copy, but many of them together are.
        self.ids = [
            id for id, (own, quoted, _) in self._own.items() if len(own) + len(quoted) >= LEAST
        ]
        told = {
            one.id
            for one in answers
            if not (says_unknown(one.plain) or refuses_in_words(one.plain))
        }
        self.short = {id for id in told - {*self.ids} if len(self._own[id].words)}

    def copied(self, content: bytes, ids: Collection[str]) -> dict[str, str]:
        """Those of another row's answers to these questions of which this row has copies.

        A short answer is one where it has the same words, however often, and hardly any more.
        """
        pairs = {
            id: (text, self._pairs_of(id, text))
            for id, text in texts_of(content, self._dataset, ids, self._limits).items()
        }
        return {
            id: text
            for id, (text, theirs) in pairs.items()
            if (id in self.short and _same({*theirs.words}, {*self._own[id].words}))
            or (id not in self.short and is_copy(self._own[id], theirs, self._most))
        }

    def _read(self, answer: Answer) -> AnswerPairs:
        # The question's words are nobody's own, wherever they stand, and part no pair.
        self._asked[answer.id] = {*self._words(self._dataset.by_id[answer.id].text, ())}
        each = [
            np.array(self._words(text, self._asked[answer.id]), np.int64)
            for text in sources_of(answer, self._dataset)
        ]
        pairs = np.concatenate([_NONE, *(_pairs(words, FAR) for words in each)])
        self._sources[answer.id] = np.unique(pairs), np.concatenate([_NONE, *each])
        return self._pairs_of(answer.id, answer.plain)

    def _pairs_of(self, id: str, text: str) -> AnswerPairs:
        each = [self._words(part, self._asked[id]) for part in re.split(r"[.!?;|\n]\s", text)]
        words = np.array([*chain.from_iterable(each)], np.int64)
        # Where a sentence follows another one says nothing of either; but whoever strews full stops parts no pair.
        near = _pairs(words, NEAR, np.repeat(np.arange(len(each)), [len(one) for one in each]))
        # Nor whoever puts each word on a line of its own; short plain sentences are no such lines.
        if len(near) < LEAST and len(text.split()) <= 2 * len(each):
            near = _pairs(words, NEAR)
        pairs, known = self._sources[id]
        # Facts of the documents that stand side by side in an answer, or in a sentence, are nobody's own.
        own = ~(np.isin(near >> 32, known) & np.isin(near & 0xFFFFFFFF, known))
        return AnswerPairs(near[own], near[np.isin(near, pairs)], words)

    def _words(self, text: str, asked: Collection[int]) -> list[int]:
        # A letter or a digit alone is no word: with dots between them a line holds hundreds.
        found = fold(text, whole=True)
        kept = (w for w in found if w not in _SMALL and (len(w) > 1 or not w.isascii()))
        keys = (w if w[0].isdigit() else _key(w) for w in kept)
        numbers = (self._numbers.setdefault(key, len(self._numbers)) for key in keys)
        return [word for word in numbers if word not in asked]


_NONE = np.empty(0, np.int64)


@lru_cache(100_000)
def _key(word: str) -> str:
    rare = sorted(set(word), key=lambda one: (RARE.find(one), one))
    return "".join([word[0], *rare[:STEM]])


def _same(one: Collection[int], other: Collection[int]) -> bool:
    """Whether the longer of two short answers holds all words of the other, and hardly any more."""
    less, more = sorted(({*one}, {*other}), key=len)
    return bool(less) and less <= more and len(more) <= len(less) + PADDED


def is_copy(mine: AnswerPairs, theirs: AnswerPairs, most: float) -> bool:
    """Whether one answer holds more than ``most`` of the other one's own, or, where that has nothing of its own, most quotes.

    Pairs are looked for among the words that both answers have: what else was strewn between them parts none.
    """
    my_far = _pairs(mine.words[np.isin(mine.words, theirs.words)], FAR)
    their_far = _pairs(theirs.words[np.isin(theirs.words, mine.words)], FAR)
    part = mine.own if len(theirs.words) <= PART * len(mine.words) else _NONE
    own, _, _ = _held(part, theirs.own, my_far, their_far)
    quoted, a, b = _held(mine.quoted, theirs.quoted, my_far, their_far)
    return own > most or (
        quoted > QUOTED and len(theirs.own) < LEAST and max(a, b) <= LONGER * min(a, b)
    )


def _held(mine: Pairs, theirs: Pairs, my_far: Pairs, their_far: Pairs) -> tuple[float, int, int]:
    """The higher share of the two: whoever adds to a copy, or leaves out, lowers one of them.

    And how many pairs each has, those of the other that words strewn between them part among them.
    """
    found = int(np.isin(mine, their_far).sum()), int(np.isin(theirs, my_far).sum())
    both = zip(found, (len(mine), len(theirs)), strict=True)
    share = max((part / of for part, of in both if of >= LEAST), default=0.0)
    return share, max(len(mine), found[1]), max(len(theirs), found[0])


def _pairs(words: Pairs, reach: int, places: Pairs = _NONE) -> Pairs:
    """All pairs of words at most so far apart, the lower number first, each once; in one place, where these are given."""
    each = [_NONE]
    for gap in range(1, min(reach, len(words) - 1) + 1):
        pairs = np.minimum(words[:-gap], words[gap:]) << 32 | np.maximum(words[:-gap], words[gap:])
        each.append(pairs[places[:-gap] == places[gap:]] if len(places) else pairs)
    return np.unique(np.concatenate(each))


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
    # Drawn by chance: whoever knew the sample would write a tenth of the answers and copy the others.
    sampled = SystemRandom().sample(screen.ids, min(SAMPLED, len(screen.ids)))
    shared = SHARED if dataset.documents else SHARED_FACTS
    short = screen.short if len(screen.short) >= LEAST_SHORT else set[str]()
    likely = {row: {*screen.copied(row[1](), {*sampled, *short})} for row in others}
    same = {row[0]: len(ids & short) / max(len(short), 1) for row, ids in likely.items()}
    nearest = max(same, key=lambda row: same[row], default="")
    found: list[Finding] = []
    if same.get(nearest, 0) > SAME_TOLD:
        why = f"{100 * same[nearest]:.0f} % of its short answers are those of {nearest}"
        found.append(_finding(why, path, same[nearest] > SAME, looked))
    # All answers are compared with those few rows that together hold most of the sample, not with those that hold none.
    chosen = _covering({row: ids - short for row, ids in likely.items()}, len(shared))
    copied = {label: {*screen.copied(read(), screen.ids)} for label, read in chosen}
    labels = _covering(copied, len(shared))
    # What holds a row, then what is only said of it; without documents lists of the same facts are alike.
    for part in (1, SAID) if dataset.documents else (1,):
        for many, most in enumerate(shared, 1):
            named = {x: len(copied[x]) / len(screen.ids) for x in labels[:many]}
            if len({id for x in named for id in copied[x]}) > part * most * len(screen.ids):
                said = (
                    f"{100 * y:.0f} % of its answers are those of {x}" for x, y in named.items()
                )
                return [*found, *(_finding(one, path, part == 1, looked) for one in said)]
    return found


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
    for line in islice(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), most.lines):
        row = None
        if len(line) <= most.line_bytes:
            with suppress(ValueError, RecursionError):
                row = json.loads(line)
        id = parser.id(row) if isinstance(row, dict) else None
        if row is not None and id is not None and id in ids and id not in texts:
            # Traces and citations do not count in a length; a stranger's text is as long as the stranger wants.
            said = strip_reasoning(_text_in(row)[: 10 * longest])[: 2 * longest]
            # One sign may stand for eighteen letters; a syllable of Korean is three.
            texts[id] = normalise("NFKD", _BRACKETS.sub(" ", said))[: 3 * longest]
    return texts


def _text_in(row: Mapping[str, Any]) -> str:
    """The text of an answer, or those of its sentences; of a list of 100,000 numbers nothing, and no finding each."""
    answer = row.get("responses", row.get("answer"))
    parts = answer if isinstance(answer, list) else [{"text": answer}]
    texts = (one.get("text") for one in parts if isinstance(one, dict))
    return " ".join(one for one in texts if isinstance(one, str))


def usual_range(answers: Iterable[Answer], dataset: Dataset) -> dict[str, tuple[float, float]]:
    """Of each value what 90 in 100 answers have: its 5th and its 95th percentile."""
    values: dict[str, list[float]] = {}
    for answer in answers:
        for name, value in look(
            answer, dataset.by_id[answer.id], sources_of(answer, dataset)
        ).items():
            values.setdefault(name, []).append(value)
    return {
        name: (float(np.percentile(rows, 5)), float(np.percentile(rows, 95)))
        for name, rows in values.items()
    }


def honest_baselines(dataset: Dataset) -> Iterator[Answer]:
    """The answers of the baselines that read the set's documents; none where it has none."""
    from argue_bench.baselines import generate

    for name in HONEST if dataset.documents else ():
        yield from as_answers(list(generate(name, dataset, "evidenceprovided")), dataset).values()


def _finding(why: str, path: str, held: bool, looked: bool) -> Finding:
    """What holds a row until a maintainer has ``looked``, or stands on it as a flag."""
    flag = Finding(Code.FLAGGED, why, path, level="warning")
    return held_for(flag) if held and not looked else flag


def held_for(finding: Finding) -> Finding:
    """The finding as what holds a row."""
    return replace(
        finding,
        code=Code.HELD,
        level="error",
        hint="A maintainer looks at it (board screen) and sets the label 'screened', or closes it.",
    )
