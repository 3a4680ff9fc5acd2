"""The judge that costs nothing: compares words, numbers, names and negation; no model."""

from __future__ import annotations

from argue_bench.judges.lexical.judge import Lexical

__all__ = ["Lexical"]
