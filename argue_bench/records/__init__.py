"""The nouns: what a question, gold, nugget, document, answer, ask, verdict and tally are."""

from argue_bench.records.answer import Answer, Sentence
from argue_bench.records.ask import (
    KINDS,
    Answers,
    Ask,
    Confirms,
    Entails,
    Factual,
    FirstInstance,
    Grounded,
    NeedsCitation,
    NegativeAssertion,
    Refuses,
    Relevant,
    Similar,
    Source,
    Span,
    Supports,
    ask_from_json,
    ask_to_json,
)
from argue_bench.records.document import Document, Evidence
from argue_bench.records.gold import Gold, ShortAnswer, Structured, SubQuestion
from argue_bench.records.nugget import Nugget, NuggetAnswer
from argue_bench.records.question import Question, Request
from argue_bench.records.tally import NOT_APPLICABLE, Tally
from argue_bench.records.verdict import Failed, Verdict

__all__ = [
    "KINDS",
    "NOT_APPLICABLE",
    "Answer",
    "Answers",
    "Ask",
    "Confirms",
    "Document",
    "Entails",
    "Evidence",
    "Factual",
    "Failed",
    "FirstInstance",
    "Gold",
    "Grounded",
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
    "ask_from_json",
    "ask_to_json",
]
