"""Verdicts and replies on disk: nothing that a judge or a model said is ever asked or paid for twice."""

from argue_bench.store.file import Who
from argue_bench.store.replies import Kept, ModelRow, Replied, Replies, key_of
from argue_bench.store.verdicts import Entry, JudgeRow, Missed, Store

__all__ = [
    "Entry",
    "JudgeRow",
    "Kept",
    "Missed",
    "ModelRow",
    "Replied",
    "Replies",
    "Store",
    "Who",
    "key_of",
]
