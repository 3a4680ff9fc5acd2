"""Verdicts and replies on disk: nothing that a judge or a model said is ever asked or paid for twice."""

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
