"""The names of pages that are made of ids: of the place in the set, and of plain letters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence


def page_stems(ids: Sequence[str]) -> dict[str, str]:
    """Question id to the name of its pages, which tells the place in the set and the id."""
    return {id: f"{place:03d}-{page_slug(id)}" for place, id in enumerate(ids, 1)}


def page_slug(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40] or "x"
