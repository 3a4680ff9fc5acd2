"""The lexical judge: a rule for each kind of judge request."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from argue_bench import records
from argue_bench.errors import UsageError
from argue_bench.judges.base import Counts, Reply
from argue_bench.judges.lexical import responses, rules, said, thresholds
from argue_bench.records import JudgeRequest, Verdict

RULES: dict[type[JudgeRequest], Callable[[Any], Verdict]] = {
    records.Entails: rules.entails,
    records.SupportLevel: rules.support_level,
    records.Answers: rules.answers,
    records.Supports: rules.supports,
    records.Meets: rules.meets,
    records.NeedsCitation: rules.needs_citation,
    records.FirstInstance: said.first_instance,
    records.NegativeAssertion: rules.negative_assertion,
    records.Confirms: rules.confirms,
    records.Relevant: rules.relevant,
    records.RelevanceGrade: rules.relevance_grade,
    records.Factual: responses.factual,
    records.Grounded: responses.grounded,
    records.Refuses: responses.refuses,
    records.Span: responses.span,
    records.Similar: responses.similar,
}


class Lexical:
    """Compares words, numbers, dates, names and negation; deterministic, offline, no model.

    It sees what is written, not what is meant: docs/judges.md says what escapes it.
    """

    name = "lexical"
    batch = 1024

    def __init__(self) -> None:
        self.kinds: frozenset[type[JudgeRequest]] = frozenset(RULES)
        self.counts = Counts()

    @classmethod
    def from_spec(cls, rest: str) -> Lexical:
        """The judge ``lexical``. Raises UsageError where its spec says more."""
        if rest:
            raise UsageError(f"the judge 'lexical' takes nothing after a colon, here: {rest!r}")
        return cls()

    def identity(self) -> Mapping[str, str]:
        """The version of its rules. Its Similar is token F1, which must not pass for BLEURT."""
        return {"rules": thresholds.RULES, "similar": "token-f1"}

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        for request in requests:
            self.counts.requests += 1
            yield request, RULES[type(request)](request)
