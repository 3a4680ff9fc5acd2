"""The data that a language model reads of a judge request, and the requests that can share a call.

Ids of documents are left out: they are no evidence. Requests about one sentence (or passage, or
document) can share a call: all its nuggets, all its citations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from argue_bench import records
from argue_bench.judges.prompted.quoting import cut
from argue_bench.records import JudgeRequest
from argue_bench.records.request import Source

# The data of one request, by kind. Its names are the variables of a template.
ALONE: dict[type[JudgeRequest], Callable[[Any], dict[str, Any]]] = {
    records.Entails: lambda a: {"sentence": a.hypothesis, "source": a.premise_text},
    records.SupportLevel: lambda a: {
        "source": a.premise_text,
        "question": a.question,
        "before": a.before,
        "sentence": a.sentence,
        "after": a.after,
    },
    records.Answers: lambda a: {"sentence": a.sentence, "question": a.question, "answer": a.answer},
    records.Supports: lambda a: {"passage": a.passage, "question": a.question, "nugget": a.nugget},
    records.NeedsCitation: lambda a: {"sentence": a.sentence},
    records.FirstInstance: lambda a: {
        "sentence": a.sentence,
        "previous_sentences": list(a.previous),
    },
    records.NegativeAssertion: lambda a: {"sentence": a.sentence},
    records.Confirms: lambda a: {"sentence": a.sentence, "question": a.question},
    records.Relevant: lambda a: {
        "document": a.document.text,
        "question": a.question,
        "answer": a.answer,
    },
    records.Factual: lambda a: {
        "question": a.question,
        "expert_answer": a.reference,
        "submitted_answer": a.answer,
    },
    records.Grounded: lambda a: {
        "question": a.question,
        "reference": a.reference,
        "supporting": list(a.supporting),
        "documents": [source.text for source in a.documents],
        "response": a.response,
    },
    records.Refuses: lambda a: {"question": a.question, "response": a.response},
    records.Span: lambda a: {"question": a.question, "context": a.context},
}

# What requests that share a call have in common, by kind.
SHARED: dict[type[JudgeRequest], Callable[[Any], str | Source | tuple[str, ...]]] = {
    records.Entails: lambda a: a.hypothesis,
    records.SupportLevel: lambda a: (a.sentence, a.question, a.before, a.after),
    records.Answers: lambda a: a.sentence,
    records.Supports: lambda a: a.passage,
    records.Confirms: lambda a: a.sentence,
    records.Relevant: lambda a: a.document,
}


def alone(request: JudgeRequest) -> dict[str, Any]:
    """The data of one request, with long texts cut."""
    return {name: _cut(value) for name, value in ALONE[type(request)](request).items()}


def together(requests: Sequence[JudgeRequest]) -> dict[str, Any]:
    """The data of requests of one kind that have a text in common, numbered from 1."""
    first = requests[0]
    rows = {str(number): alone(request) for number, request in enumerate(requests, 1)}
    if isinstance(first, records.Entails):
        sources = {number: row["source"] for number, row in rows.items()}
        return {"sentence": cut(first.hypothesis), "sources": sources}
    if isinstance(first, records.SupportLevel):
        sources = {number: row.pop("source") for number, row in rows.items()}
        return {**rows["1"], "sources": sources}
    if isinstance(first, records.Confirms):
        questions = {number: row["question"] for number, row in rows.items()}
        return {"sentence": cut(first.sentence), "questions": questions}
    if isinstance(first, records.Supports):
        nuggets = {
            number: {"question": row["question"], "nugget": row["nugget"]}
            for number, row in rows.items()
        }
        return {"passage": cut(first.passage), "nuggets": nuggets}
    name = "sentence" if isinstance(first, records.Answers) else "document"
    by_question: dict[str, dict[str, str]] = {}
    for number, row in rows.items():
        by_question.setdefault(row["question"], {})[number] = row["answer"]
    return {
        name: rows["1"][name],
        "questions": [
            {"question": question, "answers": answers} for question, answers in by_question.items()
        ],
    }


def was_cut(request: JudgeRequest) -> bool:
    """Whether a text of the request is too long for a prompt."""
    return any(_cut(value) != value for value in ALONE[type(request)](request).values())


def _cut(value: str | list[str]) -> str | list[str]:
    return cut(value) if isinstance(value, str) else [cut(text) for text in value]


def variables(kind: type[JudgeRequest]) -> tuple[str, ...]:
    """The variables that a template of this kind may have, beside ``data`` for all of them."""
    blank: Mapping[str, Any] = ALONE[kind](_Blank())
    return tuple(blank)


class _Blank:
    """A request without texts: its data shows the names alone."""

    def __getattr__(self, name: str) -> Any:
        return _Blank() if name == "document" else ()
