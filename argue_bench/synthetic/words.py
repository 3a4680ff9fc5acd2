"""The word lists of the generated world: number words, syllables of names, units, organisations."""

from __future__ import annotations

import tomllib
from importlib import resources
from typing import Any

WORDS: dict[str, Any] = tomllib.loads(
    (resources.files(__package__) / "words.toml").read_text(encoding="utf-8")
)
LANGUAGES = ("en", "fr")
