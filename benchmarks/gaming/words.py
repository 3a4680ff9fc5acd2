"""Words of requests and documents, as games read them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from argue_bench.judges.lexical.vocabulary import STOP
from argue_bench.records import Question
from argue_bench.text import sentences

WORD = re.compile(r"\w+")


def asked(question: Question) -> list[str]:
    """The sentences of a request that ask for something."""
    request = question.request
    text = f"{question.text} {request.problem_statement if request else ''}"
    return [" ".join(one.split()) for one in dict.fromkeys(sentences(text, question.language))]


def cited(text: str, documents: Iterable[str]) -> str:
    """A sentence that cites all of these."""
    return f"{text.rstrip('.')} {''.join(f'[{id}]' for id in documents)}."


def content(text: str) -> set[str]:
    return set(WORD.findall(text.casefold())) - STOP
