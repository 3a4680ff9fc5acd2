"""What a system was asked to do with the texts that it was given: by this the labels nearest to its answers are chosen.

``data to text`` where most contexts are records or tables; else ``summaries`` where the question asks for a
summary or there is none; else ``questions``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

# A record begins with a brace and a key, a list of records with a bracket; a table has bars on its lines. It is
# looked for from the beginning of a line alone, since from each character on takes the square of a text's length.
_RECORD = re.compile(r"\s*[\[{]\s*[\[{\"']")
_TABLE = re.compile(r"^(?:[^\n|]*\|[^\n|]*\|[^\n]*(?:\n|\Z)){2}", re.MULTILINE)
_SUMMARY = re.compile(r"\b(?:summar(?:y|ies|i[sz]\w+)|tl;?dr)\b", re.IGNORECASE)
# Characters of a text, and contexts, beyond which nothing new shows.
_READ, _CONTEXTS = 2_000, 20


def task_of(question: str, contexts: Sequence[str]) -> str:
    """The kind of task of one question over its contexts; empty where there are none.

    >>> task_of("How high is it?", ["It is 40 m high."]), task_of("Summarise it.", ["A text."])
    ('questions', 'summaries')
    >>> task_of("Describe the shop.", ['{"name": "Olga\\'s", "stars": 4}'])
    'data to text'
    """
    texts = [text[:_READ] for text in contexts[:_CONTEXTS] if text.strip()]
    if not texts:
        return ""
    if 2 * sum(bool(_RECORD.match(one) or _TABLE.search(one)) for one in texts) > len(texts):
        return "data to text"
    asks = question[:_READ]
    return "summaries" if not asks.strip() or _SUMMARY.search(asks) else "questions"
