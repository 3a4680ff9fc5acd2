"""The one form of the citations that products return, and how untrusted fields are read.

A field of a response may hold anything: the functions here read it as the type that is meant, or as
nothing.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import accumulate
from typing import Any, Literal

from argue_bench.web.text import Reference

CitationKind = Literal["answer_span", "marker", "position", "unplaced"]
# More citations in one response are not read.
MOST_CITATIONS = 50_000


@dataclass(frozen=True, slots=True)
class ProductCitation:
    """A citation of a response.

    ``kind``: "answer_span" covers the claim itself, "marker" a printed mark whose claim the rules for
    marks find, "position" a place beside a mark; "unplaced" has no place in the text. ``source``
    says where inside the source: {"type": "char" | "page" | "block", "start", "end"}.
    """

    start: int | None
    end: int | None
    kind: CitationKind
    urls: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    source_quote: str | None = None
    title: str | None = None
    source: Mapping[str, Any] | None = None
    statement: tuple[int, int] | None = None


@dataclass(slots=True)
class ProductAnswer:
    """The text of a response, its citations in the order of the text, and the entries of its list of sources.

    ``problems`` says, a sentence each, which citations could not be placed.
    """

    text: str = ""
    citations: list[ProductCitation] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    entries: list[Reference] = field(default_factory=list)

    def add(self, citation: ProductCitation) -> None:
        """Keeps a citation. One more than MOST_CITATIONS is a problem."""
        if len(self.citations) < MOST_CITATIONS:
            self.citations.append(citation)
        # Said once, however many more there are.
        elif len(self.citations) == MOST_CITATIONS and self.problems[-1:] != [_TOO_MANY]:
            self.problems.append(_TOO_MANY)


_TOO_MANY = f"The response holds more than {MOST_CITATIONS} citations; the rest is not read"


def nested_objects(value: Any) -> Iterator[Mapping[str, Any]]:
    """The objects of a list; none where the value is no list."""
    return (
        (row for row in value if isinstance(row, Mapping)) if isinstance(value, list) else iter(())
    )


def row_of(value: Any) -> Mapping[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, Mapping) else {}


def text_of(value: Any) -> str | None:
    """The value if it is a text, else None."""
    return value if isinstance(value, str) else None


def whole_number(value: Any) -> int | None:
    """The value if it is a whole number, else None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def url_of(value: Any) -> tuple[str, ...]:
    """The address where the value is one of http or https."""
    good = isinstance(value, str) and value[:8].casefold().startswith(("http://", "https://"))
    return (value,) if good else ()


def id_of(value: Any) -> tuple[str, ...]:
    """The value as an id where it is a text or a number."""
    return (str(value),) if isinstance(value, str | int) and not isinstance(value, bool) else ()


def note_problem(answer: ProductAnswer, number: int, what: str) -> None:
    """Adds a problem of a citation; after a thousand problems no more."""
    if len(answer.problems) < 1000:
        answer.problems.append(f"Citation {number} of the response {what}")


# What a product counts offsets in.
Unit = Literal["characters", "utf-16-le", "utf-8"]


@lru_cache(maxsize=2)
def _offsets(text: str, unit: Unit) -> Sequence[int]:
    """The offset of each character, and of the end, in a unit."""
    if unit == "characters" or text.isascii():
        return range(len(text) + 1)
    widths = (len(one.encode(unit, "surrogatepass")) // (1 + (unit == "utf-16-le")) for one in text)
    return array("Q", accumulate(widths, initial=0))


def slice_at(
    text: str, first: int | None, last: int | None, fits: Callable[[str], bool], unit: Unit
) -> tuple[int, int] | None:
    """The slice between two offsets where it fits what the response says of it."""
    offsets = _offsets(text, unit)
    if first is None or last is None or not 0 <= first < last <= offsets[-1]:
        return None
    start, end = bisect_left(offsets, first), bisect_left(offsets, last)
    # An offset inside a character is none.
    whole = (offsets[start], offsets[end]) == (first, last)
    return (start, end) if whole and fits(text[start:end]) else None


def only_place(answer: ProductAnswer, words: str | None, number: int) -> tuple[int, int] | None:
    """The one place that has these words; a problem where there is none, or more than one."""
    if words and answer.text.count(words) == 1:
        start = answer.text.index(words)
        return start, start + len(words)
    what = "does not fit the text: its offsets cut a character, lie outside or name other words"
    note_problem(answer, number, what)
    return None


def joined_texts(
    answer: ProductAnswer, parts: Any, thought: Callable[[Mapping[str, Any]], bool]
) -> dict[int | None, tuple[int, str]]:
    """Adds the texts of parts to an answer. By number of the part: where its text starts, and the text."""
    found: dict[int | None, tuple[int, str]] = {}
    for number, part in enumerate(parts if isinstance(parts, list) else []):
        text = text_of(row_of(part).get("text"))
        if text is not None and not thought(row_of(part)):
            found[number] = (len(answer.text), text)
            answer.text += text
    found[None] = (0, answer.text)
    return found
