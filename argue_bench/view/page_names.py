"""The names of pages: of the place in the set and of plain letters, and of the part of a long page."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

# Sentences on one page of the sentence view.
SENTENCES = 150


def page_stems(ids: Sequence[str]) -> dict[str, str]:
    """Question id to the name of its pages, which tells the place in the set and the id."""
    return {id: f"{place:03d}-{page_slug(id)}" for place, id in enumerate(ids, 1)}


def page_slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    # Ids may hold anything, also a slash or ..: only plain letters become the name of a file.
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40] or "x"


def part_of(number: int) -> int:
    """On which page of the sentence view a sentence is, both counted from 1."""
    return max(0, number - 1) // SENTENCES + 1


def part_ending(part: int) -> str:
    """How the name of that page ends."""
    return f"-{part}" if part > 1 else ""
