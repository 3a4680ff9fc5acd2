"""Words of requests and documents, as games read them."""

from __future__ import annotations

import re
from collections.abc import Iterable

from argue_bench.records import Question
from argue_bench.text import sentences
from argue_bench.text.vocabulary import STOP

WORD = re.compile(r"\w+")


def asked(question: Question) -> list[str]:
    """The sentences of a request that ask for something."""
    request = question.request
    text = f"{question.text} {request.problem_statement if request else ''}"
    return [" ".join(one.split()) for one in dict.fromkeys(sentences(text, question.language))]


def listed(question: Question) -> list[str]:
    """The questions of a request, or all that it asks where none has a question mark."""
    every = asked(question)
    return [one for one in every if one.endswith("?")] or every


def cited(text: str, documents: Iterable[str]) -> str:
    """A sentence that cites all of these."""
    return f"{text.rstrip('.')} {''.join(f'[{id}]' for id in documents)}."


def parted(sentence: str) -> tuple[str, str]:
    """The words of a sentence, and the citations at its end."""
    bare = sentence.rstrip(" .")
    at = bare.find(" [")
    return (bare, "") if at < 0 else (bare[:at], bare[at + 1 :])


def content(text: str) -> set[str]:
    return set(WORD.findall(text.casefold())) - STOP
