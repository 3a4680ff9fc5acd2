"""The names of scores as people read them, from ``score_names.toml``."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

from argue_bench.records.display import escape


@cache
def _names() -> dict[str, dict[str, list[str]]]:
    return tomllib.loads(Path(__file__).with_name("score_names.toml").read_text("utf-8"))


def score_name(key: str) -> tuple[str, str]:
    """The readable name of a score and one sentence on it; the words of its key where no name
    is written."""
    metric, _, score = key.rpartition(".")
    name, sentence = _names().get(metric.partition("(")[0], {}).get(score, ("", ""))
    if not name and score.endswith("_micro"):
        base, sentence = score_name(key.removesuffix("_micro"))
        return f"{base}, micro", sentence
    words = escape(score.replace("_", " "), 60)
    return name or words[:1].upper() + words[1:], sentence
