"""The one form of the citations that products return, and how untrusted fields are read.

A field of a response may hold anything: the functions here read it as the type that is meant, or as
nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from argue_bench.text.web import Reference

CitationKind = Literal["answer_span", "marker", "position", "unplaced"]
MOST_CITATIONS = 50_000
"""More citations in one response are not read."""


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
    """The text of a response, its citations in the order of the text, what it lists and does not cite.

    ``problems`` says, a sentence each, which citations could not be placed.
    """

    text: str = ""
    citations: list[ProductCitation] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    entries: list[Reference] = field(default_factory=list)

    def add(self, citation: ProductCitation) -> None:
        """Keeps a citation. One more than MOST_CITATIONS is a problem."""
        if len(self.citations) < MOST_CITATIONS:
            self.citations.append(citation)
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
