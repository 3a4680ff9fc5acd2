"""The lexical judge, which costs nothing: compares words, numbers, names and negation by a rule for each kind of request."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from itertools import chain
from typing import Any

from argue_bench import records
from argue_bench.errors import UsageError
from argue_bench.judges.base import Judge, Reply
from argue_bench.judges.lexical import rules
from argue_bench.judges.lexical.support import judged
from argue_bench.records import JudgeRequest, NotJudged, Source, Verdict
from argue_bench.text.language import script_of

RULES: dict[type[JudgeRequest], Callable[[Any], Verdict]] = {
    records.Entails: rules.entails,
    records.SupportLevel: judged,
    records.Contradicts: rules.contradicts,
    records.HelpsAnswer: rules.helps_answer,
    records.ListClaims: rules.list_claims,
    records.DraftNuggets: rules.nuggets_in_passages,
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
    records.Refuses: rules.refuses,
    records.Similar: rules.similar,
}


class Lexical(Judge):
    """Compares words, numbers, dates, names and negation; deterministic, offline, no model.

    It sees what is written, not what is meant: docs/judges.md says what escapes it. A request
    with a source or question in another script than ours is not judged.
    """

    name = "lexical"
    batch = 1024
    free = True
    kinds = frozenset(RULES)

    @classmethod
    def from_spec(cls, rest: str) -> Lexical:
        """``lexical``, which takes no options. Raises UsageError."""
        if rest:
            raise UsageError(f"the judge lexical takes no options, here: {rest:.80}")
        return cls()

    def identity(self) -> Mapping[str, str]:
        """The version of its rules. Its Similar is token F1, which must not pass for BLEURT."""
        return {"rules": rules.RULES, "similar": "token-f1"}

    def decide(self, request: JudgeRequest) -> Verdict:
        """The verdict on one request whose script is ours."""
        return RULES[type(request)](request)

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        for request in requests:
            self.counts.requests += 1
            if script := unreadable(request):
                yield request, NotJudged(f"lexical does not read {script} script")
            else:
                yield request, self.decide(request)


# What the data set gives. A system that writes in another script than its question is judged by
# what can be read of it: otherwise a sentence would be enough to leave a question without a score.
_GIVEN = ("premise", "document", "documents", "supporting", "context", "question", "reference")


def unreadable(request: JudgeRequest) -> str:
    """The script of a given text of which most letters are not Latin; empty where there is none."""
    given = chain(
        *(
            one if isinstance(one, tuple) else (one,)
            for name in _GIVEN
            if (one := getattr(request, name, None))
        )
    )
    scripts = (script_of(one.text if isinstance(one, Source) else one) for one in given)
    return next(filter(None, scripts), "")
