"""Reads a plain text as an `Answer`: what it states, each with its citations, and what states nothing.

1. A heading, the header of a table, a rule, code and a list of references state nothing, and so does a
   label: a line or bold words that only lead to what follows. A heading that is a sentence is one.
2. An item of a list is a sentence without its bullet or number. One that says nothing by itself is read
   with the line that introduces the list, and so is a row of a table, with the names of its columns.
3. Bold words at the head of a paragraph belong to its first sentence.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from argue_bench.records import Answer, Aside, Document, Sentence
from argue_bench.text.citations import (
    HIDDEN,
    CitationIndex,
    Mark,
    count_marks,
    read_marks,
    settle,
    unhidden,
)
from argue_bench.text.citations.references import reference_lists
from argue_bench.text.sentences import spans
from argue_bench.text.structure import Block, blocks, is_sentence

# Documents by id, or pairs of id and title, in the order of the numbers that cite them.
Documents = Mapping[str, Document] | Iterable[tuple[str, str]]

# As models write them: DeepSeek and Qwen, Claude with its tools, others that are asked to.
_TRACE = re.compile(
    r"<(think(?:ing)?|reasoning|reflection|scratchpad|search_quality_(?:reflection|score))>.*?(?:</\1>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_COUNTED = re.compile(r"\(?\d{1,2}[.)]\s+(?=[^\W\d_])")
_BREAK = re.compile(r"\s*[\r\n]\s*")


def strip_reasoning(text: str) -> str:
    """The text without traces of reasoning (``<think>``, ``<thinking>``, ...), closed or cut off by the end.

    >>> strip_reasoning("<think>Lyon?</think>Paris. <think>Or")
    ' Paris.  '
    """
    return _TRACE.sub(" ", text)


def read_answer(
    id: str, text: str, documents: Documents | CitationIndex, language: str = "en", run: str = ""
) -> Answer:
    """The answer as sentences with resolved citations; its ``text`` is unchanged.

    A reasoning trace (``<think>``, ``<thinking>``) belongs neither to the sentences nor to the citations. A sentence of
    marks alone gives them to the one before it. Every sentence between ``<ref name="T">`` and ``</ref>``
    cites T. A list of references cites nothing.
    """
    # Blanks in place of a trace: every word keeps its place.
    body = _TRACE.sub(lambda trace: " " * len(trace[0]), text) if "<" in text else text
    index, lists = _index(documents), reference_lists(body)
    marks = settle(body, read_marks(body, index, lists))
    answer = Answer(id, text, run=run, marks=count_marks(body, marks, index))
    return make_answer(answer, blocks(body, marks, lists.lines), body, _supported(marks), language)


def make_answer(
    answer: Answer,
    found: Sequence[Block],
    body: str,
    cited: Iterable[tuple[int, int, Sequence[str]]],
    language: str = "en",
) -> Answer:
    """The answer with what the blocks of its text state, and what states nothing.

    ``body`` is its text without reasoning. ``cited``: start and end of stretches of it, and the names that
    every sentence which one touches has for it.
    """
    said, asides = _Parts(body, language).read(found)
    starts, ends = [one.start for one in said], [one.end for one in said]
    names: list[list[str]] = [[] for _ in said]
    for start, end, own in cited:
        for at in range(bisect_right(ends, start), bisect_left(starts, end)):
            names[at] += own
    read: list[Sentence] = []
    for one, its in zip(said, names, strict=True):
        # A sentence of marks alone belongs to the one before it.
        if read and its and not one.text:
            read[-1] = replace(read[-1], citations=(*read[-1].citations, *its))
        elif its:
            end = one.end if one.text else one.start
            read.append(replace(one, end=end, citations=tuple(its)))
        elif one.text:
            read.append(one)
    # A trace of reasoning alone, or code: there is an answer, and it says nothing.
    if not read and answer.text.strip():
        read.append(Sentence(""))
    return replace(answer, sentences=tuple(read), asides=tuple(asides))


def _supported(marks: Sequence[Mark]) -> Iterator[tuple[int, int, Sequence[str]]]:
    """Where each mark stands; of a tag that is closed before the next one opens, all that it encloses."""
    tags = [one for one in marks if one.kind != "point"]
    closed = {
        one.start: after.start
        for one, after in pairwise(tags)
        if (one.kind, after.kind) == ("opens", "closes")
    }
    for mark in marks:
        yield mark.start, closed.get(mark.start, mark.start) + 1, mark.names


class _Parts:
    """The sentences of one text, from its blocks."""

    def __init__(self, body: str, language: str) -> None:
        self._body = body
        self._language = language
        self._said: list[Sentence] = []
        self._asides: list[Aside] = []
        # The last sentence of each block.
        self._ends: dict[int | None, int] = {}
        # The sentence that ends with a colon and leads to what comes next.
        self._open: int | None = None
        # The sentences that others may be read with: they end with a colon, or are items of an outer list.
        self._introducing: set[int] = set()
        # Those that others are read with.
        self._leading: set[int] = set()
        self._citing: set[int] = set()

    def read(self, found: Sequence[Block]) -> tuple[list[Sentence], list[Aside]]:
        """What the blocks state, without citations as yet, and what states nothing, each in order."""
        intros = {one.intro for one in found}
        for number, block in enumerate(found):
            after = found[number + 1] if number + 1 < len(found) else None
            over = after is not None and after.kind == "text" and after.depth == block.depth
            self._add(number, block, number in intros or over)
        return self._sorted_out()

    def _add(self, number: int, block: Block, heads: bool) -> None:
        """Reads a block. ``heads``: it stands over other words, so it may be a heading of bold words."""
        kind, words = block.kind, block.words
        if not words.runs:  # a row of empty cells
            return
        if kind in ("code", "rule", "references", "table header"):
            start, end = words.runs[0][0], words.runs[-1][1]
            self._asides.append(Aside(kind, start, end, words.seen))
            return
        if kind == "row":
            place = (words.runs[0][0], words.runs[-1][1])
            self._say(place, words.text, self._ends.get(block.intro))
            return
        places = spans(words.text, (), self._language)
        if places and words.bold >= places[0][1] and not is_sentence(words.text[: places[0][1]]):
            (begin, end), after = places[0], places[1:2]
            head = words.text[begin:end]
            line = after and "\n" in words.text[end : after[0][0]]
            if line and not head.endswith(":") and HIDDEN not in head:
                # A line of bold words over others is a heading.
                self._asides.append(Aside("heading", *words.place(begin, end, self._body), head))
                del places[0]
            elif after:
                # "**Location.** It lies in ...": one sentence with what follows.
                places[:2] = [(begin, after[0][1])]
            elif heads and not words.seen.endswith(":"):
                kind = "heading"
        if kind == "heading" and not is_sentence(words.seen) and HIDDEN not in words.text:
            if places:
                place = words.place(places[0][0], places[-1][1], self._body)
                self._asides.append(Aside("heading", *place, words.seen))
            self._open = None
            return
        intro = self._ends.get(block.intro)
        for number_in_block, (start, end) in enumerate(places):
            # "... two plans: 1. A. 2. B.": a number counts within a line, too.
            counted = _COUNTED.match(words.text, start, end) if number_in_block else None
            start = counted.end() if counted else start
            plain = words.text[start:end]
            if (self._open, intro) != (None, None) and is_sentence(plain):
                self._open = intro = None
            elif kind != "item":
                intro = self._open
            elif number_in_block:
                intro = None
            self._say(words.place(start, end, self._body), plain, intro)
            if self._said[-1].plain.endswith((":", "：")):
                self._open = len(self._said) - 1
                self._introducing.add(self._open)
            elif kind == "item" and heads:
                self._introducing.add(len(self._said) - 1)
        if places:
            self._ends[number] = len(self._said) - 1

    def _say(self, place: tuple[int, int], words: str, intro: int | None) -> None:
        plain = words
        if HIDDEN in words:
            plain = unhidden(words).strip()
            self._citing.add(len(self._said))
        lead = ""
        if intro is not None and intro in self._introducing and any(map(str.isalnum, plain)):
            lead = self._said[intro].plain
            self._leading.add(intro)
        # Marks and signs alone are no words.
        text = self._body[slice(*place)] if any(map(str.isalnum, plain)) else ""
        self._said.append(Sentence(text, (), *place, _BREAK.sub(" ", plain), lead))

    def _sorted_out(self) -> tuple[list[Sentence], list[Aside]]:
        """What is said and what is not: a line that leads to others states nothing by itself."""
        said = []
        for number, one in enumerate(self._said):
            # What cites is judged, whatever it says.
            leads = one.plain.endswith((":", "：")) and number not in self._citing
            follows = number < len(self._said) - 1 or self._asides
            if leads and follows and (number in self._leading or not is_sentence(one.plain[:-1])):
                self._asides.append(Aside("label", one.start, one.end, one.plain))
            else:
                said.append(one)
        if not said:  # An answer that is nothing but a heading states that.
            heads = [one for one in self._asides if one.kind in ("heading", "label")]
            said = [
                Sentence(self._body[a.start : a.end], (), a.start, a.end, a.plain) for a in heads
            ]
            self._asides = [one for one in self._asides if one not in heads]
        return said, sorted(self._asides, key=lambda one: one.start)


def _index(documents: Documents | CitationIndex) -> CitationIndex:
    if isinstance(documents, CitationIndex):
        return documents
    if isinstance(documents, Mapping):
        return CitationIndex.of(documents, {id: one.title for id, one in documents.items()})
    pairs = dict(documents)
    return CitationIndex.of(pairs, pairs)
