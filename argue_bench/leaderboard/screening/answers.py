"""What is looked at in each answer, with its value, and which values are flags.

    question      share of the answer's sequences of five words that stand in its question
    repeated      share of sentences that say what a sentence before said
    names         share of names and numbers among the words of a longer answer
    bare          share of words with content among the words of a longer answer: 1 where nothing joins them;
                  fields such as "Opened: 1931" and the cells of tables are left out
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

What stands in the question or its documents is no answer's own. Where the other answer has nothing of its own, both
quote, and what each of them quotes is compared.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from random import SystemRandom
from statistics import median
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from argue_bench.errors import Code, DataError, Finding
from argue_bench.leaderboard.formats.names import skeleton
from argue_bench.leaderboard.formats.results import AnswerFacts
from argue_bench.leaderboard.formats.season import Season
from argue_bench.loaders.answers import (
    AnswerParser,
    as_answers,
    build_answer,
    citation_indexes,
    read_answer_file,
)
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import Findings
from argue_bench.loaders.limits import answer_length, within_limits
from argue_bench.records import Answer, Question
from argue_bench.records.display import is_invisible, normalise
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
# Words of a cell, or of a label and its value, which nothing has to join.
MOST_OF_FIELD = 6
# For shares of sentences.
LEAST_SENTENCES = 3
_WORD = re.compile(r"[^\W_]+(?:[-'.,][^\W_]+)*")
_PARTS = re.compile(r"[;|]")
# An underline joins no words: else a row of words joined by it would be one word.
_PLAIN_WORD = re.compile(r"[^\W_]+")
# What may show nothing: neither white space nor ASCII that prints.
_ODD = re.compile(r"[^\x20-\x7e\s]")
# Joiners and marks of direction beside letters and emoji that are written with them; not beside Latin ones.
_WRITTEN = r"[\u0370-\u1fff\u2600-\ud7ff\U00010000-\U0001faff]"
_JOINERS = re.compile(f"(?<={_WRITTEN})[\u200c-\u200f]|[\u200c-\u200f](?={_WRITTEN})")
_INSTRUCTIONS = re.compile(
    r"\b(?:ignore|disregard|forget)\b[^.\n]{0,30}\b(?:previous|above|prior|earlier|all|your|other)\b"
    # Somebody may have served as a judge, a match has a score and a film a rating: what is flagged speaks to
    # the reader, or gives a verdict and nothing else.
    r"|\b(?:you are (?:a|the)|as (?:a|the)(?= \w+,? you\b)) (?:judge|grader|evaluator|assessor)\b"
    r"|\b(?:reply|respond|answer) only with\b"
    r"|\b(?:verdict|score|grade|rating)\s*[:=]\s*(?:\d+(?:/\d+)?|[a-f]|yes|no|full|partial|correct)\W*?$"
    r"|\[[^\S\n]*/?(?:END|BEGIN|INST|SYSTEM)\b|<\|\w+\|>|^[^\S\n]*+(?:system|assistant)\s*+:|\*{8,}",
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
    flags: dict[str, int] = {}
    copied = of = 0
    for answer in answers:
        question = dataset.by_id[answer.id]
        lengths.append(answer_length(answer, index(question)))
        texts = _sources(answer, dataset)
        words = fold(answer.plain) if texts else []
        copied, of = copied + _shared(words, *map(fold, texts)), of + len(words)
        for name in flagged(look(answer, question)):
            flags[name] = flags.get(name, 0) + 1
    # Four digits, as pages show a tenth of a per cent.
    share = round(copied / of, 4) if of else None
    most = max(lengths, default=0)
    return AnswerFacts(round(median(lengths or [0])), most, cut, share, flags)


def look(answer: Answer, question: Question) -> dict[str, float]:
    """The values of an answer, each under its name; shares of too little text are left out."""
    text = _plain(answer.text)
    words, folded = _WORD.findall(text), fold(answer.plain)
    said = [" ".join(fold(one.text)) for one in answer.sentences if one.text.strip()]
    told = [
        part
        for one in answer.sentences
        for prose in [
            set(":|").isdisjoint(one.text)
        ]  # once a sentence, which may have 50,000 parts
        for part in _PARTS.split(one.text)
        if prose or len(part.split()) > MOST_OF_FIELD
    ]
    joined = _WORD.findall(_plain("; ".join(told)))
    shares = {
        "names": (sum(word[0].isupper() or word[0].isdigit() for word in words), words),
        "bare": (sum(word.casefold() not in STOP for word in joined), joined),
        "question": (_shared(folded, fold(question.text)), words),
    }
    if not question.language.startswith("en"):
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
    values["instructions"] = float(_INSTRUCTIONS.search(text) is not None)
    values["unseen"] = float(sum(map(is_invisible, _ODD.findall(_JOINERS.sub("", answer.text)))))
    return values


def flagged(values: Mapping[str, float]) -> list[str]:
    """The names of the values that are above what honest answers have."""
    return [name for name, value in values.items() if value > MOST[name]]


def fold(text: str) -> list[str]:
    """The words of a text as sequences are compared: without case, marks, punctuation and look-alikes."""
    return [_skeleton(word) for word in _PLAIN_WORD.findall(_shown(normalise("NFKD", text)))]


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


def _sources(answer: Answer, dataset: Dataset) -> list[str]:
    """The documents that the question lists or the answer cites."""
    cited = (id for sentence in answer.sentences for id in sentence.citations)
    ids = dict.fromkeys([*dataset.by_id[answer.id].documents, *cited])
    return [dataset.documents[id].text for id in ids if id in dataset.documents]


_skeleton = lru_cache(100_000)(skeleton)


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
            "" if is_invisible(one[0]) or unicodedata.category(one[0]) in ("Mn", "Me") else one[0]
        ),
        text,
    )


def read_submitted(
    path: Path, season: Season, dataset: Dataset
) -> tuple[list[Answer], AnswerFacts]:
    """The answers of a checked file as they are scored, within the season's limits; and their facts.

    Raises DataError.
    """
    read, findings = read_answer_file(path, dataset)
    # An answer to a question that the set dropped counts for nothing, and spoils nothing.
    if any(one.level == "error" and one.code != Code.UNKNOWN_ID for one in findings):
        raise DataError(findings)
    limited = within_limits(read, dataset, season.limits)
    spared = season.over_limit == "cut"
    answers = [one for id, one in limited.answers.items() if spared or id not in limited.cut]
    return answers, facts_of(answers, dataset, len(limited.cut))


# The share of flagged answers above which a row is held: a score is an average, so a few earn nothing.
HELD_ABOVE = {"instructions": 0.02, "unseen": 0.02}
# The same of what honest answers have too, now and then.
HELD = 0.4
HONEST = ("bm25-extractive", "lead-sentences", "nearest-sentences")


def screen_flags(facts: AnswerFacts, count: int, path: str, looked: bool) -> Iterator[Finding]:
    """A finding for each kind of flag; an error where it holds the row, unless a maintainer has ``looked``."""
    for name, many in sorted(facts.flags.items()):
        held = many > count * HELD_ABOVE.get(name, HELD)
        why = f"{many:,} of {count:,} answers are flagged: {name}"
        yield _finding(why, path, held, looked)


# How many words further on a pair may end: in the answer that is looked at, and where it is looked for.
NEAR, FAR = 2, 5
# Pairs, of five words or so, below which little can be told; and how many times as long a quote may be as the
# other to be the same choice: long ones hold short ones.
LEAST, LONGER = 8, 2.5
# The share of pairs from which an answer is another's: of its own ones, and of quoted ones.
OWN, QUOTED = 0.5, 0.8
# The shares of a row's answers that may be another row's, and those of two rows. Without documents all list the
# same facts in a line or two: honest rows reach .78 and .88 there, else .5 and .63 (the same model twice).
SHARED, SHARED_FACTS = (0.6, 0.8), (0.8, 0.95)
# Answers of a row that are compared first, and the share from which all of them are: most rows are far below.
SAMPLED, LIKELY = 40, 0.35
Pairs = npt.NDArray[np.int64]


class AnswerPairs(NamedTuple):
    """An answer's pairs: what is its own, what it quotes, and all that a pair of another answer may be."""

    own: Pairs
    quoted: Pairs
    far: Pairs


class CopyScreen:
    """The answers of a row, to be compared with those of others."""

    def __init__(self, answers: Iterable[Answer], dataset: Dataset) -> None:
        self._dataset = dataset
        self._numbers: dict[str, int] = {}
        self._sources: dict[str, Pairs] = {}
        self._own = {answer.id: self._read(answer) for answer in answers}
        # A shorter answer is nobody's copy, and is not counted.
        self.ids = [
            id for id, (own, quoted, _) in self._own.items() if len(own) + len(quoted) >= LEAST
        ]

    def copied(self, content: bytes, ids: Collection[str]) -> dict[str, str]:
        """Those of another row's answers to these questions of which this row has copies."""
        return {
            id: text
            for id, text in texts_of(content, self._dataset, ids).items()
            if is_copy(self._own[id], self._pairs_of(id, text[:_MOST_CHARACTERS]))
        }

    def _read(self, answer: Answer) -> AnswerPairs:
        texts = [self._dataset.by_id[answer.id].text, *_sources(answer, self._dataset)]
        each = [_pairs(self._words(text), FAR) for text in texts]
        self._sources[answer.id] = np.unique(np.concatenate(each))
        return self._pairs_of(answer.id, answer.plain)

    def _pairs_of(self, id: str, text: str) -> AnswerPairs:
        each = [self._words(part) for part in re.split(r"[.!?;|\n]\s", text)]
        # Where a sentence follows another one says nothing of either; but whoever strews full stops parts no pair.
        near = np.unique(np.concatenate([_pairs(words, NEAR) for words in each]))
        quoted = np.isin(near, self._sources[id])
        return AnswerPairs(near[~quoted], near[quoted], _pairs(np.concatenate(each), FAR))

    def _words(self, text: str) -> Pairs:
        # A letter or a digit alone is no word: with dots between them a line holds hundreds.
        kept = [w for w in fold(text) if w not in STOP and (len(w) > 1 or not w.isascii())]
        return np.array(
            [self._numbers.setdefault(word, len(self._numbers)) for word in kept], np.int64
        )


def is_copy(mine: AnswerPairs, theirs: AnswerPairs) -> bool:
    """Whether one answer holds most of the other one's own, or, where that has nothing of its own, of its quotes."""
    a, b = len(mine.quoted), len(theirs.quoted)
    alike = len(theirs.own) < LEAST and max(a, b) <= LONGER * min(a, b)
    return _held(mine.own, theirs.own, mine.far, theirs.far) > OWN or (
        alike and _held(mine.quoted, theirs.quoted, mine.far, theirs.far) > QUOTED
    )


def _held(mine: Pairs, theirs: Pairs, my_far: Pairs, their_far: Pairs) -> float:
    """The higher share of the two: whoever adds to a copy, or leaves out, lowers one of them."""
    shares = (
        float(np.isin(near, far).mean())
        for near, far in ((mine, their_far), (theirs, my_far))
        if len(near) >= LEAST
    )
    return max(shares, default=0.0)


def _pairs(words: Pairs, reach: int) -> Pairs:
    """All pairs of words at most so far apart, the lower number first, each once."""
    ends = [(words[:-gap], words[gap:]) for gap in range(1, min(reach, len(words) - 1) + 1)]
    each = [np.minimum(a, b) << 32 | np.maximum(a, b) for a, b in ends]
    return np.unique(np.concatenate([*each, np.empty(0, np.int64)]))


def screen_copies(
    answers: Iterable[Answer],
    others: Iterable[tuple[str, Callable[[], bytes]]],
    dataset: Dataset,
    path: str,
    looked: bool,
) -> list[Finding]:
    """A finding for each row whose answers this one holds; names and readers of rows.

    All rows are compared as they are read to be scored: citations, traces and answers to no question of the
    set part no words and thin nothing out.
    """
    screen = CopyScreen(answers, dataset)
    # Drawn by chance: whoever knew the sample would write a tenth of the answers and copy the others.
    sampled = SystemRandom().sample(screen.ids, min(SAMPLED, len(screen.ids)))
    copied = {
        label: screen.copied(content, screen.ids).keys()
        for label, read in others
        if len(screen.copied(content := read(), sampled)) > LIKELY * len(sampled)
    }
    by_share = sorted(copied, key=lambda label: -len(copied[label]))
    for many, most in enumerate(SHARED if dataset.documents else SHARED_FACTS, 1):
        named = {label: len(copied[label]) / len(screen.ids) for label in by_share[:many]}
        if len(set[str]().union(*(copied[label] for label in named))) > most * len(screen.ids):
            said = (
                f"{100 * part:.0f} % of its answers are those of {x}" for x, part in named.items()
            )
            return [_finding(why, path, True, looked) for why in said]
    return []


def texts_of(content: bytes, dataset: Dataset, ids: Collection[str]) -> dict[str, str]:
    """The answers of a file to these questions, as they are read to be scored, without citations.

    Lines that are none are passed over: another check says so.
    """
    texts: dict[str, str] = {}
    parser, index = AnswerParser(Findings(""), 0), citation_indexes(dataset)
    for line in content.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        with suppress(ValueError, RecursionError):
            row = parser.parse(json.loads(line))
            if row is not None and row.id in ids:
                texts[row.id] = build_answer(row, dataset.by_id[row.id], index).plain
    return texts


def usual_range(answers: Iterable[Answer], dataset: Dataset) -> dict[str, tuple[float, float]]:
    """Of each value what 90 in 100 answers have: its 5th and its 95th percentile."""
    values: dict[str, list[float]] = {}
    for answer in answers:
        for name, value in look(answer, dataset.by_id[answer.id]).items():
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
    if held and not looked:
        hint = (
            "A maintainer looks at it (board screen) and sets the label 'screened', or closes it."
        )
        return Finding(Code.HELD, why, path, hint=hint)
    return Finding(Code.FLAGGED, why, path, level="warning")
