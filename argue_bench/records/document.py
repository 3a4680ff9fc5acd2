"""What a system may cite: documents, and the evidence pages that a question rests on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Document:
    """A text with a name. ``summary`` and ``extraction`` are ALCE's shortened forms."""

    id: str
    text: str
    title: str = ""
    language: str = "en"
    date: str = ""
    url: str = ""
    summary: str | None = None
    extraction: str | None = None


Documents = Mapping[str, Document]
"""Documents by id."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A Wikipedia page at one revision (FanOutQA's necessary evidence)."""

    pageid: int | None
    """The number of the page; None where the publisher has not filled it in."""
    revid: int | None
    """The number of its revision; None where the publisher has not filled it in."""
    title: str
    """The heading of the page."""
    url: str
    """Where it can be read."""
