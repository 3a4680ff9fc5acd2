"""Faithfulness: the share of an answer's claims that the provided contexts support, read together.

    supported         fully supported claims / claims of an answer, the mean over answers
    supported_micro   the same, summed over all answers first
    partly_micro, contradicted_micro, missing_micro, unsupported_micro
                      shares of sentences without full support by class (`support`)
    answered          answers that state something / answers

The definition is that of ragas (Es et al. 2024, section 3); the three levels are those of TREC RAG's
support assessment (Thakur et al. 2025). Needs neither gold nor citations. Where these rules differ
from ragas, and why:

1. A claim is a sentence of the answer, judged with its neighbours and the question in view.
   ``claims=atomic`` has the judge split each sentence first, as ragas does; the lexical judge cannot.
   A sentence that states nothing ("Hope this helps!", `argue_bench.text.statements`) is no claim; it is
   counted in ``unstated`` and named in the note. A bare "Yes." is judged with the sentence after it.
2. An answer that declines, is empty, or only asks or announces ("Which of them?"), states nothing: the scores do not apply to it, and
   ``answered`` counts it. Where the gold says that there is an answer, its ``supported`` is 0, or a board
   would reward saying less. ragas gives a refusal any value, mostly 0.
3. A question without contexts does not apply. Where a question lists no documents, those that the
   answer cites are its contexts. Of long web pages the judge reads the passages that BM25+ ranks first
   for the claim, as many of all pages together as the signature says of one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

from argue_bench.metrics.base import Bounds, Metric, Steps, TallySteps, run_together
from argue_bench.metrics.citations.support import (
    CLASSES,
    Statement,
    classify,
    contexts_of,
    has_answer,
    lack_counts,
    statements,
)
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Contexts,
    Contradicts,
    Documents,
    JudgeRequest,
    ListClaims,
    Miss,
    Question,
    Refuses,
    Source,
    SupportLevel,
    Tally,
    Verdict,
)
from argue_bench.stats.averages import Average, Ratio, lower_is_better, macro
from argue_bench.text.statements import (
    claim_sentences,
    says_something,
    unstated_note,
    unstated_numbers,
)

_CLASSES = tuple(name for name in CLASSES if name != "another_source")
# Claims of a sentence that a dry run counts with at most; most sentences hold one or two.
CLAIMS = 5


class _Judged(NamedTuple):
    """A sentence with the level of each of its claims, and what the judge said of the whole sentence."""

    statement: Statement
    read: tuple[Source, ...]
    levels: tuple[str, ...]
    verdict: Verdict | None = None

    @property
    def level(self) -> str:
        """full or no where all claims have it, else partial."""
        return self.levels[0] if len(set(self.levels)) == 1 else "partial"


@dataclass(frozen=True)
class Faithfulness(Metric):
    """The share of claims that the provided contexts support."""

    claims: Literal["sentence", "atomic"] = "sentence"
    judge: str = ""

    name: ClassVar[str] = "faithfulness"
    needs: ClassVar[str] = "contexts (--columns contexts=NAME) and an answer that states something"
    summary: ClassVar[str] = "do the contexts that were provided support each sentence?"
    paper: ClassVar[str] = "Es et al. 2024 (ragas); Thakur et al. 2025"
    scores: ClassVar[Mapping[str, Average]] = {
        "supported": macro("supported"),
        "supported_micro": Ratio("full", "claims"),
        **{f"{name}_micro": lower_is_better(Ratio(name, "sentences")) for name in _CLASSES},
        "answered": macro("answered"),
    }
    headline: ClassVar[tuple[str, ...]] = ("supported", "answered")
    ranking: ClassVar[tuple[str, ...]] = ("supported",)
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (
        Refuses,
        ListClaims,
        SupportLevel,
        Contradicts,
    )

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        stated = claim_sentences(answer.sentences, question.text)
        columns = ("supported", "full", "claims", *_CLASSES, "sentences", "unstated")
        tallies = dict.fromkeys(columns, NOT_APPLICABLE)
        # Where there is an answer, saying nothing supports nothing, or saying less would pay.
        owed = ("supported", "answered") if has_answer(question) else ("answered",)
        if not says_something(stated, answer.sentences):
            why = "it states nothing" if any(map(str.isalnum, answer.plain)) else "empty"
            return tallies | dict.fromkeys(owed, Tally(0.0, note=why))
        # "I found nothing on that" is no claim that contexts could support.
        refuses = Refuses(question.text, answer.plain)
        if (yield [refuses])[refuses].yes:
            return tallies | dict.fromkeys(owed, Tally(0.0, note="declines"))
        tallies["answered"] = Tally(1.0)
        contexts = contexts_of(question, answer, documents)
        if not contexts:
            # Where there are documents and it cites none, nothing supports it: else one answer that cites were enough.
            return tallies | {
                "supported": Tally(0.0, float(bool(documents)), "no contexts to support it")
            }
        judge = _judge_claims if self.claims == "atomic" else _judge_sentence
        judged = yield from run_together(
            [judge(one, contexts) for one in statements(question, answer, stated)]
        )
        misses = tuple(
            (
                yield from run_together(
                    [_classify(one, documents) for one in judged if one.level != "full"]
                )
            )
        )
        levels = [level for one in judged for level in one.levels]
        full = levels.count("full")
        unstated = unstated_numbers(answer, stated)
        lost = f"unsupported sentences: {', '.join(miss.id for miss in misses)}" if misses else ""
        note = "; ".join(filter(None, (lost, unstated_note(unstated))))
        return tallies | {
            "supported": Tally(full, len(levels), note, misses),
            "full": Tally(full),
            "claims": Tally(len(levels)),
            **lack_counts(misses, _CLASSES),
            "sentences": Tally(len(judged)),
            "unstated": Tally(len(unstated)),
        }

    def facts(self) -> Mapping[str, str]:
        # 2: who only asks or announces has 0, where a judge found nothing wrong with it; 3: so has who cites nothing
        # where a question lists no documents; 4: so has who says nothing, whatever the gold holds; 5: questions and
        # closing offers are left out.
        return {"rules": "5"}

    def later_requests(self, question: Question, answer: Answer, documents: Documents) -> Bounds:
        """A level for each sentence and its class; atomic claims are taken for at most five a sentence."""
        n = len(claim_sentences(answer.sentences, question.text))
        if self.claims == "sentence":
            return {"SupportLevel": (0, n), "Contradicts": (0, n)}
        return {"ListClaims": (0, n), "SupportLevel": (0, CLAIMS * n), "Contradicts": (0, n)}


def _judge_sentence(statement: Statement, contexts: Contexts) -> Steps[_Judged]:
    read = contexts.read_for(statement.text)
    asked = statement.asked(SupportLevel, read)
    verdict = (yield [asked])[asked]
    return _Judged(statement, read, (str(verdict.value),), verdict)


def _judge_claims(statement: Statement, contexts: Contexts) -> Steps[_Judged]:
    """A level for each claim of a sentence; the question is in view, the neighbours are in the claims."""
    splits = ListClaims(statement.text, statement.question, statement.before)
    lines = str((yield [splits])[splits].value).splitlines()
    # One claim a line; a model says the same claim twice at times, and dashes between them.
    claims = dict.fromkeys(one.strip() for one in lines if any(map(str.isalnum, one)))
    asked = [
        SupportLevel(contexts.read_for(claim), claim, statement.question)
        # A sentence in which the judge finds no claim is judged as it stands.
        for claim in claims or [statement.text]
    ]
    verdicts = yield asked
    levels = tuple(str(verdicts[one].value) for one in asked)
    return _Judged(statement, contexts.read_for(statement.text), levels)


def _classify(judged: _Judged, documents: Documents) -> Steps[Miss]:
    statement = judged.statement
    # Citations are not needed here, but one that names nothing explains a failure best.
    known = any(id in documents for id in statement.citations)
    return (
        yield from classify(
            statement,
            judged.read,
            judged.level,
            missing=() if known else statement.citations,
            by="the contexts",
            verdict=judged.verdict,
        )
    )
