"""Chat models asked in batches: through a provider's Batch API, at half its price, or through files.

lines     requests and replies as lines of JSON, as OpenAI's Batch API and ``vllm run-batch`` have them
sent      `SentChat`: what both ways have in common, a `Transport` around a `Chat`
api       batches at a provider: begun once, waited for, found again after a kill
calls     the calls of the Batch API
files     files that somebody else answers
"""

from argue_bench.models.batches.api import POLL_SECONDS, ApiChat
from argue_bench.models.batches.files import FileChat
from argue_bench.models.batches.sent import SentChat

__all__ = ["POLL_SECONDS", "ApiChat", "FileChat", "SentChat"]
