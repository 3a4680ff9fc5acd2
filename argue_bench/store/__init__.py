"""Verdicts of judges and replies of models on disk, so that no request is made or paid for twice.

file       the SQLite file: created, locked, checked, closed
verdicts   `Store`: verdicts and failures by judge and request
replies    `Replies`: replies by model, prompt and attempt
merging    several stores into one
"""

from argue_bench.store.file import Author
from argue_bench.store.replies import ModelReply, Replies, StoredReply, reply_key
from argue_bench.store.verdicts import Store, StoredFailure, StoredVerdict

__all__ = [
    "Author",
    "ModelReply",
    "Replies",
    "Store",
    "StoredFailure",
    "StoredReply",
    "StoredVerdict",
    "reply_key",
]
