"""Reads a plain text as an `Answer`: what it states, each with its citations, and what states nothing.

1. A heading, the header of a table, a rule, code and a list of references state nothing, and so does a
   label: a line or bold words that only lead to what follows. A heading that is a sentence is one.
2. An item of a list is a sentence without its bullet or number. One that says nothing by itself is read
   with the line that introduces the list, and so is a row of a table, with the names of its columns.
3. Bold words at the head of a paragraph belong to its first sentence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from argue_bench.records import Answer, Aside, Document, Sentence
from argue_bench.text.citations import CitationIndex, Mark, count_marks, find_marks, remove_marks
from argue_bench.text.sentences import HIDDEN, spans
from argue_bench.text.structure import Block, blocks, is_sentence

Documents = Mapping[str, Document] | Iterable[tuple[str, str]]
"""Documents by id, or pairs of id and title, in the order of the numbers that cite them."""

_TRACE = re.compile(
    r"<(think(?:ing)?|reasoning|reflection|scratchpad|search_quality_(?:reflection|score))>.*?(?:</\1>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
"""As models write them: DeepSeek and Qwen, Claude with its tools, others that are asked to."""
_HIDDEN = re.compile(f"{HIDDEN}+")
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
    body = _TRACE.sub(lambda trace: " " * len(trace[0]), text)
    index = _index(documents)
    marks = find_marks(body, index)
    said, asides = read_parts(body, marks, language)
    read: list[Sentence] = []
    at = 0
    held: tuple[str, ...] = ()
    closed_by = _closings(marks)
    for one in said:
        names: list[str] = []
        inside = False
        while at < len(marks) and marks[at].start < one.end:
            mark = marks[at]
            if mark.start >= one.start:
                names += [*(() if inside else held), *mark.names]
                inside = True
            # What stands between the tags is supported, be it several sentences.
            if mark.kind == "opens" and at in closed_by:
                held = mark.names
            elif mark.kind == "closes":
                held = ()
            at += 1
        names += () if inside else held
        # A sentence of marks alone belongs to the one before it.
        if read and not one.text and names:
            read[-1] = replace(read[-1], citations=(*read[-1].citations, *names))
        elif one.text or names:
            end = one.end if one.text else one.start
            read.append(replace(one, end=end, citations=tuple(names)))
    # A trace of reasoning alone, or code: there is an answer, and it says nothing.
    if not read and text.strip():
        read.append(Sentence(""))
    counts = count_marks(body, marks, index)
    return Answer(id, text, tuple(read), run, tuple(asides), counts)


def read_parts(
    body: str, marks: Sequence[Mark], language: str = "en"
) -> tuple[list[Sentence], list[Aside]]:
    """What a text states, without citations as yet, and what states nothing, each in order.

    ``marks``, in order, are its citation marks.
    """
    parts = _Parts(body, language)
    found = blocks(body, marks)
    intros = {one.intro for one in found}
    for number, block in enumerate(found):
        after = found[number + 1] if number + 1 < len(found) else None
        over = after is not None and after.kind == "text" and after.depth == block.depth
        parts.add(number, block, number in intros or over)
    return parts.sorted_out()


class _Parts:
    """The sentences of one text, from its blocks."""

    def __init__(self, body: str, language: str) -> None:
        self._body = body
        self._language = language
        self._said: list[Sentence] = []
        self._asides: list[Aside] = []
        self._ends: dict[int | None, int] = {}
        """The last sentence of each block."""
        self._open: int | None = None
        """The sentence that ends with a colon and leads to what comes next."""
        self._introducing: set[int] = set()
        """The sentences that others may be read with: they end with a colon, or are items of an outer list."""
        self._leading: set[int] = set()
        """Those that others are read with."""
        self._citing: set[int] = set()

    def add(self, number: int, block: Block, heads: bool) -> None:
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
            if len(places) > 1:
                # "**Location.** It lies in ...": one sentence with what follows.
                places[:2] = [(places[0][0], places[1][1])]
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
        hidden = [Mark(*one.span(), ()) for one in _HIDDEN.finditer(words)]
        plain = words
        if hidden:
            plain = remove_marks(words, hidden, 0, len(words)).strip()
            self._citing.add(len(self._said))
        lead = ""
        if intro is not None and intro in self._introducing and any(map(str.isalnum, plain)):
            lead = self._said[intro].plain
            self._leading.add(intro)
        # Marks and signs alone are no words.
        text = self._body[slice(*place)] if any(map(str.isalnum, plain)) else ""
        self._said.append(Sentence(text, (), *place, _BREAK.sub(" ", plain), lead))

    def sorted_out(self) -> tuple[list[Sentence], list[Aside]]:
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


def _closings(marks: list[Mark]) -> frozenset[int]:
    """The opening tags that are closed before the next one opens."""
    closed, last = set(), -1
    for position, mark in enumerate(marks):
        if mark.kind == "opens":
            last = position
        elif mark.kind == "closes" and last >= 0:
            closed.add(last)
            last = -1
    return frozenset(closed)
