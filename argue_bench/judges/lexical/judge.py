"""The lexical judge: a rule for each kind of judge request."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from argue_bench import records
from argue_bench.judges.base import Counts, Reply
from argue_bench.judges.lexical import responses, rules
from argue_bench.judges.lexical import thresholds as at
from argue_bench.records import Failed, JudgeRequest, Source, Verdict
from argue_bench.text.scripts import foreign_script

RULES: dict[type[JudgeRequest], Callable[[Any], Verdict]] = {
    records.Entails: rules.entails,
    records.SupportLevel: rules.support_level,
    records.Contradicts: rules.contradicts,
    records.HelpsAnswer: rules.helps_answer,
    records.ListClaims: responses.list_claims,
    records.GuessQuestion: responses.guess_question,
    records.DraftNuggets: responses.lines_of_documents,
    records.NuggetImportance: rules.nugget_importance,
    records.Answers: rules.answers,
    records.Supports: rules.supports,
    records.Meets: rules.meets,
    records.NeedsCitation: rules.needs_citation,
    records.FirstInstance: rules.first_instance,
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

    It sees what is written, not what is meant: docs/judges.md says what escapes it. A request
    with a source or question in another script than ours fails.
    """

    name = "lexical"
    batch = 1024
    free = True

    def __init__(self, thresholds: Mapping[str, float] | None = None) -> None:
        self.kinds: frozenset[type[JudgeRequest]] = frozenset(RULES)
        self.counts = Counts()
        self.thresholds = dict(thresholds or {})

    @classmethod
    def from_spec(cls, rest: str) -> Lexical:
        """``lexical``, or ``lexical:FILE`` with thresholds that `judge fit` wrote. Raises DataError."""
        return cls(at.read_thresholds(Path(rest)) if rest else None)

    def identity(self) -> Mapping[str, str]:
        """The version of its rules, and a digest of own thresholds.

        Its Similar is token F1, which must not pass for BLEURT.
        """
        own = {}
        if self.thresholds:
            text = json.dumps(self.thresholds, sort_keys=True)
            own["thresholds"] = hashlib.sha256(text.encode()).hexdigest()[:8]
        return {"rules": at.RULES, "similar": "token-f1", **own}

    def decide(self, request: JudgeRequest) -> Verdict:
        """The verdict on one request whose script is ours."""
        if not self.thresholds:
            return RULES[type(request)](request)
        with at.using(self.thresholds):
            return RULES[type(request)](request)

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        for request in requests:
            self.counts.requests += 1
            if script := unreadable(request):
                self.counts.failed += 1
                yield request, Failed(f"lexical reads English and French, not {script} script")
            else:
                yield request, self.decide(request)


# What the data set gives. A system that writes in another script than its question is judged by
# what can be read of it: otherwise a sentence would be enough to leave a question without a score.
_GIVEN = ("premise", "document", "documents", "supporting", "context", "question", "reference")


def unreadable(request: JudgeRequest) -> str:
    """The script of a given text of which most letters are not Latin; empty where there is none."""
    given = [value for name in _GIVEN if (value := getattr(request, name, None))]
    for one in chain.from_iterable(g if isinstance(g, tuple) else (g,) for g in given):
        if script := foreign_script(one.text if isinstance(one, Source) else one):
            return script
    return ""
