"""The sentences of an answer that metrics count: those that state something
(`argue_bench.text.statements`)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from argue_bench.records import Answer, Question
from argue_bench.text.statements import Statement, statements


def stated_sentences(question: Question, answer: Answer) -> list[Statement]:
    """The sentences that state something, whatever they cite."""
    return statements([one.text for one in answer.sentences], question.text)


def stated_or_citing(question: Question, answer: Answer) -> list[Statement]:
    """The sentences that state something, and those that cite, each of these by itself."""
    cites = [bool(one.citations) for one in answer.sentences]
    return statements([one.text for one in answer.sentences], question.text, cites)


def unstated_numbers(answer: Answer, stated: Iterable[Statement]) -> list[int]:
    """The numbers of the sentences that are left out: they have words, and none that states anything."""
    counted = {number for one in stated for number in (one.begins, one.number)}
    return [
        number
        for number, one in enumerate(answer.sentences, 1)
        if number not in counted and any(map(str.isalnum, one.text))
    ]


def unstated_note(numbers: Sequence[int]) -> str:
    """The sentences left out, in words; empty where there are none."""
    return f"left out, since they state nothing: {', '.join(map(str, numbers))}" if numbers else ""
