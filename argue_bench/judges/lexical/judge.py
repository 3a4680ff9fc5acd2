"""Which kind of ask goes to which rule, and what the lexical judge is called."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping, Sequence

from argue_bench.judges.base import Counts, Reply
from argue_bench.records import (
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
    Span,
    Supports,
    Verdict,
)  # fmt: skip

_UNKNOWN = re.compile(
    r"\b(not (?:known|clear|found|mention|state|specif)|unknown|no (?:information|evidence|mention)"
    r"|cannot|can't|do(?:es)? not (?:say|mention|state|contain)|unable|inconnu|pas pr[ée]cis"
    r"|aucune (?:information|mention)|ne (?:dit|mentionn|permet)\w*)", re.I)  # fmt: skip


class Lexical:
    """Answers every kind of ask by comparing words; deterministic and offline."""

    name = "lexical"
    batch = 1024

    def __init__(self) -> None:
        self.kinds: frozenset[type[Ask]] = frozenset(KINDS.values())
        self.counts = Counts()

    def identity(self) -> Mapping[str, str]:
        return {"rules": "0"}

    async def judge(self, asks: Sequence[Ask]) -> AsyncIterator[Reply]:
        for ask in asks:
            self.counts.asked += 1
            yield ask, Verdict(_verdict(ask))


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.casefold()) if len(word) > 2 or word.isdigit()}


def _share(part: str, whole: str) -> float:
    words = _words(part)
    return len(words & _words(whole)) / len(words) if words else 0.0


def _yes(holds: bool) -> str:
    return "yes" if holds else "no"


def _verdict(ask: Ask) -> str | float:
    match ask:
        case Entails():
            return _yes(_share(ask.hypothesis, ask.premise_text) >= 0.7)
        case Answers():
            return _yes(_share(ask.answer, ask.sentence) >= 0.8)
        case Relevant():
            return _yes(_share(ask.answer, ask.document.text) >= 0.8)
        case Supports():
            share = _share(ask.nugget, ask.passage)
            return "full" if share >= 0.8 else "partial" if share >= 0.5 else "no"
        case NeedsCitation():
            return _yes(len(_words(ask.sentence)) > 4)
        case FirstInstance():
            return _yes(all(_share(ask.sentence, old) < 0.8 for old in ask.previous))
        case NegativeAssertion():
            return _yes(bool(_UNKNOWN.search(ask.sentence)))
        case Confirms():
            known = _share(ask.question, ask.sentence) >= 0.3
            return _yes(bool(_UNKNOWN.search(ask.sentence)) and known)
        case Refuses():
            return _yes(bool(_UNKNOWN.search(ask.response)))
        case Factual():
            share = _share(ask.reference, ask.answer)
            return "B" if share >= 0.8 else "A" if share >= 0.4 else "D"
        case Grounded():
            return str(1 + round(4 * _share(ask.reference, ask.response)))
        case Span():
            return max(ask.context.split(". "), key=lambda part: _share(ask.question, part))
        case Similar():
            return _share(ask.reference, ask.candidate)
