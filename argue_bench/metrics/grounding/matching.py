"""Matches of an answer with its gold: strings by typed tokens and words, citations by id and title.

Lenient matching forgives another chunk of the same page and a title copied with a slip: two titles
match where they are equal without case, accents, punctuation and a chunk tag, or where rapidfuzz's
ratio of them is at least ``ALIKE``. Each gold title serves one citation only, the best first.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from argue_bench.records import Documents, Gold, Sentence
from argue_bench.text.language import language_of
from argue_bench.text.typed import fold_text, typed_text


@dataclass(frozen=True)
class GoldMatch:
    """The match of an answer with gold strings. ``exact``: all of them are there; ``recall``
    and ``f1`` count words; ``note`` names what is missing."""

    exact: bool
    recall: float
    f1: float
    note: str = ""


def match_gold(text: str, wanted: Sequence[tuple[str, ...]], language: str = "en") -> GoldMatch:
    """Compares a text with strings to be found, each in any of its spellings; these are in ``language``.

    >>> match_gold("It fell in 1985.", [("5",)]).exact
    False
    """
    given = typed_text(text, language_of(text, language))
    words = Counter(given.words)
    missing = []
    overlap = total = 0
    for spellings in wanted:
        forms = [typed_text(spelling, language) for spelling in spellings]
        if not any(given.holds(form) for form in forms if not form.empty):
            missing.append(spellings[0])
        # The spelling that shares most words with the text; of several, the shortest.
        counts = [Counter(form.words) for form in forms]
        shared, size = max(((words & one).total(), -one.total()) for one in counts)
        overlap += shared
        total -= size
    recall = overlap / total if total else 0.0
    length = words.total()
    # Gold strings may share words, so the same word may be found twice: at most the answer counts.
    f1 = 2 * min(overlap, length) / (length + total) if length + total else 0.0
    return GoldMatch(not missing, recall, f1, f"missing: {', '.join(missing)}" if missing else "")


ALIKE = 90.0
"""How alike two titles must be by rapidfuzz's ratio, of 100: one slip in ten letters."""
_TAG = re.compile(r"\s*\[[0-9a-f]{8,}\]\s*$")
_PUNCTUATION = re.compile(r"[^\w\s]+")


@dataclass(frozen=True)
class Cited:
    """The distinct citations of an answer, sorted by what they name."""

    gold: tuple[str, ...]
    """Ids of supporting documents."""
    distractors: tuple[str, ...]
    """Ids of documents that were given and do not support the answer."""
    unknown: tuple[str, ...]
    """Words of marks that name no document."""

    @property
    def all(self) -> tuple[str, ...]:
        return (*self.gold, *self.distractors, *self.unknown)


def cited(sentences: Sequence[Sentence], supporting: Sequence[str], documents: Documents) -> Cited:
    """The ids that the sentences cite, each once."""
    ids = dict.fromkeys(id for sentence in sentences for id in sentence.citations)
    wanted = set(supporting)
    return Cited(
        tuple(id for id in ids if id in wanted),
        tuple(id for id in ids if id not in wanted and id in documents),
        tuple(id for id in ids if id not in wanted and id not in documents),
    )


def match_titles(given: Cited, gold: Gold, documents: Documents) -> int:
    """How many citations match a gold title leniently, one to one."""
    left = [_name(id, documents) for id in gold.supporting]
    names = [_name(id, documents) for id in given.all]
    # The best pairs first; each citation and each title is taken once.
    pairs = sorted(
        (
            (_ratio(name, title), i, j)
            for i, name in enumerate(names)
            for j, title in enumerate(left)
        ),
        key=lambda pair: (-pair[0], pair[1], pair[2]),
    )
    used_names: set[int] = set()
    used_gold: set[int] = set()
    for ratio, i, j in pairs:
        if ratio >= ALIKE and i not in used_names and j not in used_gold:
            used_names.add(i)
            used_gold.add(j)
    return len(used_names)


def _name(id: str, documents: Documents) -> str:
    document = documents.get(id)
    title = document.title if document is not None and document.title else id
    return " ".join(_PUNCTUATION.sub(" ", fold_text(_TAG.sub("", title.casefold()))).split())


def _ratio(a: str, b: str) -> float:
    # Here, since it is needed for titles that differ alone.
    from rapidfuzz.fuzz import ratio

    if not a or not b:
        return 0.0
    return 100.0 if a == b else ratio(a, b)
