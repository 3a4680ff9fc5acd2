"""Verdicts on disk: nothing that a judge said is ever asked or paid for twice."""

from argue_bench.store.verdicts import Entry, JudgeRow, Missed, Store

__all__ = ["Entry", "JudgeRow", "Missed", "Store"]
