"""The nouns: what a question, gold, nugget, document, answer, ask, verdict and tally are."""

from argue_bench.records.answer import Answer, Sentence
from argue_bench.records.document import Document, Documents, Evidence
from argue_bench.records.gold import Gold, ShortAnswer, Structured, SubQuestion
from argue_bench.records.nugget import Nugget, NuggetAnswer
from argue_bench.records.question import Question, Request
from argue_bench.records.request import (
    KINDS,
    Answers,
    Confirms,
    Entails,
    Factual,
    FirstInstance,
    Grounded,
    JudgeRequest,
    NeedsCitation,
    NegativeAssertion,
    Refuses,
    Relevant,
    Similar,
    Source,
    Span,
    Supports,
    request_from_json,
    request_to_json,
)
from argue_bench.records.tally import NOT_APPLICABLE, Miss, Tally
from argue_bench.records.verdict import Failed, Verdict

__all__ = [
    "KINDS",
    "NOT_APPLICABLE",
    "Answer",
    "Answers",
    "Confirms",
    "Document",
    "Documents",
    "Entails",
    "Evidence",
    "Factual",
    "Failed",
    "FirstInstance",
    "Gold",
    "Grounded",
    "JudgeRequest",
    "Miss",
    "NeedsCitation",
    "NegativeAssertion",
    "Nugget",
    "NuggetAnswer",
    "Question",
    "Refuses",
    "Relevant",
    "Request",
    "Sentence",
    "ShortAnswer",
    "Similar",
    "Source",
    "Span",
    "Structured",
    "SubQuestion",
    "Supports",
    "Tally",
    "Verdict",
    "request_from_json",
    "request_to_json",
]
