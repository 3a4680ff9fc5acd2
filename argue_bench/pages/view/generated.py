"""The prompts that a system's model was sent and its replies, from the store that ``generate`` kept them in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError
from argue_bench.pages import safe
from argue_bench.store import Replies

Json = dict[str, Any]
LENGTH = 20_000
"""Characters of a prompt and of a reply on a page."""


def generated_replies(store: Path, wanted: Container[str]) -> Iterator[tuple[str, list[Json]]]:
    """Each wanted question with its prompts and replies, in the order in which they came.

    A question that was asked more than once is given after its last reply. Raises DataError for a
    store that is not there or cannot be read.
    """
    if not store.is_file():
        hint = "generate writes it beside the answers, as ANSWERS.replies."
        raise DataError.of(Code.NO_STORE, "there is no such store of replies", store, hint=hint)
    with Replies(store) as replies:
        left = Counter(one.purpose for one in replies if one.purpose in wanted)
        waiting: dict[str, list[Json]] = {}
        for one in replies:
            if one.purpose not in left:
                continue
            waiting.setdefault(one.purpose, []).append(
                {
                    "key": one.key.hex()[:16],
                    "judge": safe.text(one.model.name, 200),
                    "prompt": safe.text(one.sent, LENGTH, lines=True),
                    "reply": safe.text(one.reply.text or one.received, LENGTH, lines=True),
                }
            )
            left[one.purpose] -= 1
            if not left[one.purpose]:
                yield one.purpose, waiting.pop(one.purpose)
