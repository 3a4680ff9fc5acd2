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
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from argue_bench.records import Answer, Aside, Document, Sentence
from argue_bench.text.blocks import Block, Kind, Words, blocks
from argue_bench.text.citations import (
    HIDDEN,
    OPENING,
    CitationIndex,
    Mark,
    count_marks,
    enclosures,
    hide,
    named_ids,
    read_marks,
    settle,
    unhidden,
)
from argue_bench.text.citations.references import reference_lists
from argue_bench.text.phrases import has_words, is_sentence
from argue_bench.text.sentences import INLINE, spans
from argue_bench.text.statements import states_nothing
from argue_bench.text.tags import FILLED, blank_tags
from argue_bench.text.vocabulary import NUMBER_WORDS

# Documents by id, or pairs of id and title, in the order of the numbers that cite them.
Documents = Mapping[str, Document] | Iterable[tuple[str, str]]

_COUNTED = re.compile(r"\(?\d{1,2}[.)]\s+(?=[^\W\d_])")
# A number, alone or in words.
_NUMBER = re.compile(r"(?<![\w.,])(?:\d{1,3}|[^\W\d_]+)(?![\w]|[.,]\d)")
# A line that is no sentence, though nothing but its line tells it from others: "The harbour", "I. Overview", "📌 The harbour".
_TITLE = re.compile(
    rf"(?:[^\w\s{HIDDEN}]{{1,3}}\s)?(?:(?:[IVX]{{1,4}}|[A-Z]|\d{{1,2}})[.)]\s)?[^\W\d_a-z][\w'’&/()–-]*(?: [\w'’&/()–-]+){{0,7}}"
)
_TITLED = re.compile(rf"{_TITLE.pattern}[ \t]*\r?\n")
_LABELLED = re.compile(r".?[:：]\s*\w")
_BLANK_LINE = re.compile(r"\n[ \t]*\r?\n")
_ROW = re.compile(r"[ \t]{0,99}\|")
# Characters behind a mark within which the word stands that it leads to.
_WORD, _FAR = re.compile(r"\w"), 1000
_HEADS = ("heading", "label")
_ENDS = (".", "!", "。", ":", "：", HIDDEN)
# The items of a list, and the rows of a table.
_LISTED = ("item", "row", "record")
# Looked for at the head of each run of blanks alone, so that a long run takes linear time; runs of four stand for tags.
_BEFORE_STOP = re.compile(r"(?<! ) {4,}(?=[.,;:!?)])")
_BREAK = re.compile(r"(?<!\s)\s*[\r\n]\s*|(?<! ) {2,}")
# "Evidence: [1]" says nothing, and so does " — Source: [1]" behind words.
_SOURCED = re.compile(
    rf"(?:\A|\s[-–—]\s)\W{{0,3}}(?P<label>(?:[\w'’]+\s){{0,3}}[\w'’]+\s?[:：])\s*{HIDDEN}[{HIDDEN}\s]*[.;]?\s*\Z"
)

# A whole answer in quotes, and one in a fence of plain words or data.
_FRAMES = (
    re.compile(
        r"(?P<before>\s*(?P<open>\"{3}|[\"“„«]))(?P<inside>(?:(?!(?P=open)).)+)(?P<after>(?:(?P=open)|[”“»])\s*)",
        re.DOTALL,
    ),
    re.compile(
        r"(?P<before>(?:(?!```|~~~).)*+)^[ \t]*(?:```+|~~~+)[ \t]*(?:(?P<markdown>markdown|md)|te?xt|csv|tsv|json|ya?ml)?[ \t]*\r?\n"
        r"(?P<inside>(?:(?!```|~~~).)*+)(?:```+|~~~+)(?P<after>(?:(?!```|~~~).)*+)",
        re.DOTALL | re.IGNORECASE | re.MULTILINE,
    ),
)


# An object with an answer, in a fence or not: {"answer": "..."}; what stands beside it; and what stands in it behind a backslash.
_KEY = r"\"[\w ]{0,20}(?:answer|report|response|text|output)\""
_BESIDE = (
    rf"(?!{_KEY})\"[^\"\n]{{1,40}}\"\s*:\s*(?:\"(?:[^\"\\]|\\.)*+\"|\[[^\[\]{{}}]*+\]|[\w.-]++)"
)
_OBJECT = re.compile(
    rf"(?P<before>(?:(?!```).)*?)(?:```\w*\s*)?\{{\s*(?:{_BESIDE}\s*,\s*)*+{_KEY}\s*:\s*"
    rf"\"(?P<inside>(?:[^\"\\]|\\.)++)\"\s*(?:,\s*{_BESIDE}\s*)*+\}}\s*(?:```)?(?P<after>(?:(?!```).)*)",
    re.DOTALL,
)
_CITING = re.compile(r"\"\w*(?:cit|sourc|ref|doc)\w*\"\s*:\s*(\[[^\[\]{}]*\])", re.IGNORECASE)
_ONE_LINE = str.maketrans("\r\n", "  ")
_ESCAPED, _SIGNS = re.compile(r"(\s?)\\([^u])"), {"n": "\n", "t": " ", "r": " "}


def read_answer(
    id: str, text: str, documents: Documents | CitationIndex, language: str = "en", run: str = ""
) -> Answer:
    """The answer as sentences with resolved citations; its ``text`` is unchanged.

    A reasoning trace (``<think>``, ``<thinking>``) belongs neither to the sentences nor to the citations, and tags of HTML
    are read as line breaks, items and cells. A sentence of marks alone gives them to the one before it. Every sentence
    between ``<ref name="T">`` and ``</ref>`` cites T. A list of references cites nothing.
    """
    index = _index(documents)
    body = _unframed(blank_tags(text, lambda words: named_ids(words, index)))
    lists = reference_lists(body, index.is_entry, index.is_listing)
    marks = settle(body, read_marks(body, index, lists))
    answer = Answer(id, text, run=run, marks=count_marks(body, marks, index))
    return make_answer(answer, body, marks, lists.lines, _supported(body, marks), language)


def make_answer(
    answer: Answer,
    body: str,
    marks: Sequence[Mark],
    lists: Sequence[tuple[int, int]],
    cited: Iterable[tuple[int, int, Sequence[str]]],
    language: str = "en",
) -> Answer:
    """The answer with what the blocks of its text state, and what states nothing.

    ``body`` is its text without reasoning, ``marks`` and ``lists`` are as in `blocks`. ``cited``: start and end of
    stretches of it, and the names that every sentence which one touches has for it.
    """
    said, asides = _Parts(body, language).read(blocks(body, marks, lists), cited)
    # A trace of reasoning alone, or code: there is an answer, and it says nothing.
    said = said or [Sentence("")] * bool(answer.text.strip())
    return replace(answer, sentences=tuple(said), asides=tuple(asides))


def _supported(body: str, marks: Sequence[Mark]) -> Iterator[tuple[int, int, Sequence[str]]]:
    """Where each mark stands; of a tag that is closed before the next one opens, all that it encloses.

    A mark that leads touches the word that follows, and one on a line of its own all that follows to the next one. One alone in
    its cell touches the row.
    """
    closed, shown = enclosures(marks), f"{hide(body, marks)}\n"
    starts = [*(mark.start for mark in marks), len(body)]
    for mark in marks:
        end = closed.get(mark.start, mark.start) + 1
        if mark.kind == "leads" and (word := _WORD.search(shown, mark.end, mark.end + _FAR)):
            alone = "\n" in shown[mark.end : word.start()]
            end = starts[bisect_right(starts, word.start())] if alone else word.end()
        yield *(_row_of(shown, mark) or (mark.start, end)), mark.names


def _row_of(shown: str, mark: Mark) -> tuple[int, int] | None:
    """Start and end of the row of a table in which a mark is alone in its cell; every line of the text ends in a break."""
    first, bar = shown.rfind("\n", 0, mark.start) + 1, shown.rfind("|", 0, mark.start)
    if bar < first or not _ROW.match(shown, first):
        return None
    last = shown.index("\n", mark.end)
    cell = shown[bar : mark.start] + shown[mark.end : last].partition("|")[0]
    # The bar at its head is a sign, and says nothing.
    return None if has_words(cell[1:]) else (first, last)


class _Parts:
    """The sentences of one text, from its blocks."""

    def __init__(self, body: str, language: str) -> None:
        self._body = body
        self._language = language
        self._said: list[Sentence] = []
        self._asides: list[Aside] = []
        # The last sentence of each block.
        self._ends: dict[int | None, int] = {}
        # The nearest heading, by the lists that it stands in.
        self._titles: dict[int, str] = {}
        # The sentence that ends with a colon and leads to what comes next.
        self._open: int | None = None
        # The sentences that others may be read with, and their words before these: they end with a colon, or are items of an outer list.
        self._introducing: dict[int, str] = {}
        # Those that others are read with.
        self._leading: set[int] = set()
        self._citing: set[int] = set()
        # Those of items and rows.
        self._listed: set[int] = set()
        # Headings and labels among the sentences; by a sentence below one, or read with another, the other.
        self._heads: set[int] = set()
        self._under: dict[int, int] = {}

    def read(
        self, found: Sequence[Block], cited: Iterable[tuple[int, int, Sequence[str]]]
    ) -> tuple[list[Sentence], list[Aside]]:
        """What the blocks state, and what states nothing, each in order."""
        intros = Counter(one.intro for one in found if one.kind in _LISTED)
        kinds = ["", *(one.kind for one in found), ""]
        self._titled = sum(bool(_TITLED.match(one.words.text)) for one in found) > 1
        for number, block in enumerate(found):
            # What stands below, behind a line that is drawn; below an item, where it has no others beside it.
            after = next(
                (one for one in found[number + 1 : number + 3] if one.kind != "rule"), None
            )
            over = after is not None and after.kind == "text" and after.depth == block.depth
            alone = block.kind == "item" and "item" not in (kinds[number], kinds[number + 2])
            below = after.words.seen if after and after.kind == "text" and (over or alone) else ""
            self._add(number, block, intros[number], below, over)
        return self._sorted_out(self._given(cited))

    def _given(self, cited: Iterable[tuple[int, int, Sequence[str]]]) -> set[int]:
        """Gives the sentences their citations: of the stretches that touch one, of marks alone behind it, and, where it has none, of
        the heading or label over it. Returns those headings and labels."""
        starts, ends = [one.start for one in self._said], [one.end for one in self._said]
        names: list[list[str]] = [[] for _ in self._said]
        for start, end, own in cited:
            for at in range(bisect_right(ends, start), bisect_left(starts, end)):
                names[at] += own
        worded = any(one.text for one in self._said)
        if worded:
            self._pass_up(names)
        bare = [at for at in self._under if self._said[at].text and not names[at]]
        for at in bare:
            names[at] = names[self._under[at]]
        for at, one in enumerate(self._said):
            own = () if worded and not one.text else tuple(names[at])
            self._said[at] = replace(one, citations=own)
        return {self._under[at] for at in bare if names[at]} & self._heads

    def _pass_up(self, names: list[list[str]]) -> None:
        """Gives the names of marks on a line of their own to the sentence above, and to those of its paragraph, list or table that
        have none. A line of sources over all words, or of some that stand above with what they support, lists them."""
        last, above = None, set[str]()
        unmarked = set[int]()  # of the paragraph, or the items or rows, that is read
        for at, one in enumerate(self._said):
            listed, before = at in self._listed, self._said[at - 1]
            apart = not listed and _BLANK_LINE.search(self._body, before.end, one.start)
            if at and one.text and (apart or listed != (at - 1 in self._listed)):
                unmarked.clear()
            if one.text:
                last = at
                if names[at]:
                    unmarked.clear()
                else:
                    unmarked.add(at)
            elif names[at] and at not in self._heads:
                known = above.intersection(names[at])
                lists = len(known) > 1 and known.issuperset(names[at])
                if last is not None and not lists and not (known and names[last]):
                    for place in unmarked | {last}:
                        names[place] += names[at]
                    self._citing |= unmarked | {last}
                names[at] = []
                unmarked.clear()
            above.update(names[at])

    def _add(self, number: int, block: Block, items: int, below: str, within: bool) -> None:
        """Reads a block. ``items``: so many items of a list, or rows of a table, belong to it; ``below``: other words that follow,
        ``within`` the same item or none."""
        kind, words = block.kind, block.words
        if not words.runs:  # a row of empty cells
            return
        if kind in ("code", "rule", "references", "table header"):
            start, end = words.runs[0][0], words.runs[-1][1]
            self._asides.append(Aside(kind, start, end, words.seen))
            return
        outer = block.depth + (kind != "item")
        self._titles = {depth: one for depth, one in self._titles.items() if depth < outer}
        kind, places, titles = self._parted(number, block, items, below)
        title = words.text[places[0][0] : places[titles - 1][1]] if titles else HIDDEN
        intro = self._ends.get(block.intro)
        above = self._ends.get(number - 1) if block.intro is None else intro
        if titles or kind == "heading":
            if intro is not None:
                self._leading.add(intro)
            self._open = intro = None  # the heading stands nearer
            self._titles[block.depth] = _as_lead(title if titles else words.text)
        if HIDDEN not in title:
            place = words.place(places[0][0], places[titles - 1][1], self._body)
            self._asides.append(Aside("heading", *place, " ".join(title.split())))
            places, titles = places[titles:], 0
        self._say_all(
            kind, words, places, titles, intro, above, bool(items or (below and within)), items
        )
        if places:
            self._ends[number] = len(self._said) - 1

    def _parted(
        self, number: int, block: Block, items: int, below: str
    ) -> tuple[Kind, list[tuple[int, int]], int]:
        """What a block is, where its sentences lie, and how many of the first are titles of what is below them."""
        kind, words, titles = block.kind, block.words, 0
        places = self._places(kind, words.text)
        head = words.text[slice(*places[0])] if places else ""
        # "## How long it is", and such words in bold over a list: what states something ends in a full stop, or cites.
        over = kind == "heading" or (kind == "text" and items and len(places) == 1)
        heading = (over and not words.text.endswith(_ENDS)) or _is_title(words.seen)
        # "**Answer:** Norvik." over a list is said.
        said = _LABELLED.match(words.text, max(0, words.bold - 1))
        bold = 0 < len(head.rstrip(HIDDEN + " ")) <= words.bold or (
            over and words.bold and not said
        )
        if bold and (heading or _is_title(head)):
            (begin, end), after = places[0], places[1:2]
            if after and "\n" in words.text[end : after[0][0]]:
                # A line of bold words over others is a heading, or leads to them.
                titles = not head.endswith((":", "："))
            elif after:
                # "**Location.** It lies in ...": one sentence with what follows.
                places[:2] = [(begin, after[0][1])]
            elif (items or below) and not words.seen.endswith(":"):
                kind = "heading"
        elif _TITLE.fullmatch(head) and self._ends.get(block.intro) not in self._introducing:
            lines = words.text[places[0][1] :].splitlines()[1:]
            # A name alone at the head of a text that has one such may be the answer: "Ida Brekke\nShe designed it."
            named = _is_name(
                lines, bool(number or self._titled), below, kind == "text" and items > 0
            )
            titles = int(kind in ("text", "item") and _is_title(head) and named)
        if kind == "heading":
            titles = len(places) if heading else 0
        return kind, places, titles

    def _places(self, kind: str, text: str) -> list[tuple[int, int]]:
        """Where the sentences of a block lie; a cell of a table may hold several."""
        places = spans(text, (), self._language)
        if kind not in _LISTED[1:]:
            return places
        begins = [0, *(a for a, z in places[1:] if HIDDEN in text[a:z] or is_sentence(text[a:z]))]
        return [
            (start, start + len(text[start:end].rstrip()))
            for start, end in pairwise([*begins, len(text)])
        ]

    def _say_all(
        self,
        kind: str,
        words: Words,
        places: Sequence[tuple[int, int]],
        titles: int,
        intro: int | None,
        above: int | None,
        heads: bool,
        items: int,
    ) -> None:
        """Adds the sentences of a block, the first ``titles`` of which are titles. ``items`` belong to it."""
        for number_in_block, (start, end) in enumerate(places):
            line = not number_in_block or "\n" in words.text[places[number_in_block - 1][1] : start]
            # "... two plans: 1. A. 2. B.": a number counts within a line, too.
            counted = _COUNTED.match(words.text, start, end) if number_in_block else None
            start = counted.end() if counted else start
            plain = words.text[start:end]
            if (self._open, intro) != (None, None) and _stands_alone(plain):
                self._open = intro = None
            elif kind not in _LISTED:
                intro = self._open
            elif number_in_block:
                intro = None
            intro = None if kind == "record" else intro
            begins = line and kind != "record" and number_in_block >= titles
            heading = next(reversed(self._titles.values()), "") if begins else ""
            plain = plain if titles or (items and len(places) == 1) else _unsourced(plain)
            place = words.place(start, end, self._body)
            self._listed |= {len(self._said)} if kind in _LISTED else set()
            self._say(place, plain, intro, above, heading)
            last, leads = len(self._said) - 1, self._said[-1].plain.endswith((":", "："))
            # "- [1]" over items stands over them, as "## [1]" does.
            if leads or number_in_block < titles or (items and not self._said[-1].text):
                above = last
                self._heads.add(last)
            if leads or (kind == "item" and heads):
                # "**Oslo**: it lies in Norway." is Oslo for what stands below it.
                name = "" if leads else _as_lead(words.text[: words.bold])
                self._introducing[last] = _uncounted(name or self._said[last].plain, items)
            self._open = last if leads else self._open

    def _say(
        self, place: tuple[int, int], words: str, intro: int | None, above: int | None, lead: str
    ) -> None:
        """Adds a sentence. ``lead``: the heading that it is read with where no line introduces it, and it says nothing by itself."""
        plain = words
        if HIDDEN in words or OPENING in words:
            plain = unhidden(words).strip()
            # "[1]: It fell." begins with what it cites.
            plain = plain.lstrip(":： ") if words.startswith(HIDDEN) else plain
            self._citing.add(len(self._said))
        if _stands_alone(plain) or plain.endswith("?") or states_nothing(plain):
            lead = ""
        if intro is not None and intro in self._introducing and any(map(str.isalnum, plain)):
            lead = self._introducing[intro]
            self._leading.add(intro)
            self._under[len(self._said)] = intro
        elif above in self._heads:
            self._under[len(self._said)] = above
        # Marks and signs alone are no words.
        text = self._body[slice(*place)] if any(map(str.isalnum, plain)) else ""
        self._said.append(
            Sentence(
                text,
                (),
                *place,
                _BREAK.sub(" ", _BEFORE_STOP.sub("", INLINE.sub(r"\1", plain))),
                lead,
            )
        )

    def _sorted_out(self, passed: set[int]) -> tuple[list[Sentence], list[Aside]]:
        """What is said and what is not: a line that leads to others states nothing by itself, nor one that gives them its marks."""
        said = []
        for number, one in enumerate(self._said):
            leads = one.plain.endswith((":", "："))
            # What cites is judged, whatever it says.
            own = number in self._citing and number not in passed
            follows = number < len(self._said) - 1 or self._asides
            bare = number in self._leading or not is_sentence(one.plain)
            # An item over others is their title, unless a figure stands in it: "1. Norway".
            over = number in self._introducing and not re.search(r"\d", one.plain)
            if follows and not own and (leads or (bare and (over or number in passed))):
                self._asides.append(
                    Aside("label" if leads else "heading", one.start, one.end, one.plain)
                )
            elif one.text or one.citations:
                said.append(one if one.text else replace(one, end=one.start))
        heads = [one for one in self._asides if one.kind in _HEADS]
        # An answer that is nothing but a heading, and marks, states that.
        if heads and not any(one.text for one in said):
            cited = (*dict.fromkeys(name for one in said for name in one.citations),)
            said = [
                Sentence(self._body[a.start : a.end], cited, a.start, a.end, a.plain) for a in heads
            ]
            self._asides = [one for one in self._asides if one.kind not in _HEADS]
        return said, sorted(self._asides, key=lambda one: one.start)


def _unframed(text: str) -> str:
    """The text with blanks in place of a pair of quotes around it, of the JSON object whose one text it is, or of its one fence
    of plain words or data and of what stands outside, where that states nothing."""
    for frame in filter(None, (one.fullmatch(text) for one in (_OBJECT, *_FRAMES))):
        if all(map(states_nothing, f"{frame['before']}\n{frame['after']}".splitlines())):
            start, end = frame.span("inside")
            # Marks behind the answer are a line below it.
            said, after = text[start:end], "\n" + FILLED.sub(" ", text[end + 1 :])
            if frame.re is _OBJECT:
                said = _ESCAPED.sub(_as_said, said)
                # The list of what it cites stays: a line of marks below it.
                for one in _CITING.finditer(text, end):
                    at, stop = (place - end for place in one.span(1))
                    after = f"{after[:at]}{one[1].translate(_ONE_LINE)}{after[stop:]}"
            return FILLED.sub(" ", text[:start]) + said + after
        # A fence of Markdown is read whatever stands outside, and that with it.
        if frame.groupdict().get("markdown"):
            (start, end), first, last = (
                frame.span("inside"),
                frame.end("before"),
                frame.start("after"),
            )
            gaps = (FILLED.sub(" ", text[a:b]) for a, b in ((first, start), (end, last)))
            return text[start:end].join(gaps).join((text[:first], text[last:]))
    return text


def _as_said(escaped: re.Match[str]) -> str:
    """The sign behind a backslash, and a blank on its outer side."""
    return (f"{escaped[1]} {{}}" if escaped[1] else "{} ").format(
        _SIGNS.get(escaped[2], escaped[2])
    )


def _is_name(lines: Sequence[str], over: bool, below: str, listed: bool) -> bool:
    """Whether a line is the name of what stands below it: fields, or sentences where it is ``over`` these; as a paragraph a sentence or a
    list."""
    if lines:
        return all(": " in one for one in lines) or (
            over and all(": " in one or is_sentence(one) for one in lines)
        )
    return is_sentence(below) or listed


def _is_title(words: str) -> bool:
    """Whether a heading states nothing: it is no sentence, or asks."""
    return not is_sentence(words) or words.rstrip(HIDDEN + " ").endswith("?")


def _stands_alone(words: str) -> bool:
    """Whether words need no heading: a sentence needs none, a name with its value does, "Tap water restored: 28 July 2005"."""
    name, named, value = words.rpartition(": ")
    return is_sentence(words) and (not named or is_sentence(name) or is_sentence(value))


def _as_lead(title: str) -> str:
    """A heading as it stands before what it leads; empty where it names a part of the answer alone."""
    words = " ".join(unhidden(title).split())
    counted = _COUNTED.match(words)
    words = words[counted.end() :] if counted else words
    return "" if states_nothing(f"# {words}") else f"{words}{'' if words[-1] in '?.!:：' else ':'}"


def _uncounted(line: str, items: int) -> str:
    """A line that leads to a list without the number of its items, which no source has: "Here are the three bridges:"."""
    names = (str(items), *(word for word, number in NUMBER_WORDS.items() if number == items))
    return " ".join(_NUMBER.sub(lambda one: one[0] * (one[0].lower() not in names), line).split())


def _unsourced(words: str) -> str:
    """A sentence without the label at its end that nothing but marks follow; the marks alone where nothing else is said."""
    label = _SOURCED.search(words) if HIDDEN in words else None
    if label is None or is_sentence(label["label"]):
        return words
    return words[: label.start()] + HIDDEN


def _index(documents: Documents | CitationIndex) -> CitationIndex:
    if isinstance(documents, CitationIndex):
        return documents
    if isinstance(documents, Mapping):
        return CitationIndex.of(documents, {id: one.title for id, one in documents.items()})
    pairs = dict(documents)
    return CitationIndex.of(pairs, pairs)
