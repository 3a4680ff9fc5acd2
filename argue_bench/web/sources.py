"""The states of the web pages that answers cite, and how many of the citations hold.

    accuracy       citations whose page supports the sentence / citations whose page could be looked at
    accuracy_low, accuracy_high   the same if all pages that could not be looked at are wrong, or right
    effective      citations that support their sentence, an answer (DeepResearch Bench's effective citations)
    uncited        sentences without a citation / sentences that state something
    read, gone, ... the share of cited addresses in each state (`argue_bench.web.extraction`)

A citation is one page cited in one sentence, judged alone. A page that is gone, or that never was in the
archive, counts as looked at: its citation is unsupported, with rates of their own (``gone``,
``never_archived``). ``gone`` counts archived copies too, which are judged. Blocked pages and the like are
left out of ``accuracy``, and in both of its bounds. `Citations` judges pages together as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from argue_bench.metrics.base import Metric, Steps, TallySteps
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Documents,
    Entails,
    JudgeRequest,
    Miss,
    Question,
    Sentence,
    Tally,
)
from argue_bench.stats.averages import Average, lower_is_better, mean_count, micro
from argue_bench.text.statements import claim_sentences

_STATES = (
    *("read", "empty", "paywalled", "blocked", "gone", "never_archived"),
    *("unreachable", "unsupported", "not_looked_up"),
)
# A citation: the number of its sentence, from 0, and its page.
Pair = tuple[int, str]


@dataclass(frozen=True)
class Sources(Metric):
    """The states of cited pages, and the citations that hold on them."""

    judge: str = ""

    name: ClassVar[str] = "sources"
    summary: ClassVar[str] = "can the cited web pages be read, and does each support its sentence?"
    paper: ClassVar[str] = "Du et al. 2025 (DeepResearch Bench)"
    scores: ClassVar[Mapping[str, Average]] = {
        **{name: micro(name) for name in ("accuracy", "accuracy_low", "accuracy_high")},
        "effective": mean_count("effective"),
        "uncited": lower_is_better(micro("uncited")),
        "read": micro("read"),
        **{name: lower_is_better(micro(name)) for name in _STATES[1:]},
    }
    headline: ClassVar[tuple[str, ...]] = (
        *("accuracy", "effective", "uncited"),
        *("read", "blocked", "gone", "never_archived", "not_looked_up"),
    )
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Entails,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        worded = {
            number: one
            for number, one in enumerate(answer.sentences, 1)
            if any(map(str.isalnum, one.text))
        }
        counted = {
            one.number for one in claim_sentences(answer.sentences, question.text, citing=True)
        }
        stated = {number: one for number, one in worded.items() if number in counted}
        if not stated:
            return dict.fromkeys(self.scores, NOT_APPLICABLE)
        ids = list(dict.fromkeys(id for one in stated.values() for id in one.citations))
        states = Counter(_looked_up(id, documents) for id in ids)
        pairs = [(n, id) for n, one in stated.items() for id in dict.fromkeys(one.citations)]
        right, unread = yield from _judged(pairs, stated, documents)
        settled = {n for n, _ in right} | {n for n, _ in unread}
        cited = {n: one for n, one in stated.items() if one.citations}
        misses = tuple(
            Miss.of(n, one, "nothing in what it cites supports it", "nothing")
            for n, one in cited.items()
            if n not in settled
        )
        return {
            "effective": Tally(len(right), 1.0, _note(ids, documents), misses),
            "accuracy": Tally(len(right), len(pairs) - len(unread)),
            "accuracy_low": Tally(len(right), len(pairs)),
            "accuracy_high": Tally(len(right) + len(unread), len(pairs)),
            "uncited": Tally(len(stated) - len(cited), len(stated)),
            **{name: Tally(states[name], len(ids)) for name in _STATES},
        }


def _judged(
    pairs: Sequence[Pair], stated: Mapping[int, Sentence], documents: Documents
) -> Steps[tuple[set[Pair], set[Pair]]]:
    """The citations whose page supports the sentence alone, and those whose page nobody could look at."""
    asked = {
        (n, id): Entails((documents[id].evidence(stated[n].claim),), stated[n].claim)
        for n, id in pairs
        if id in documents and documents[id].readable
    }
    verdicts = (yield list(dict.fromkeys(asked.values()))) if asked else {}
    unread = {(n, id) for n, id in pairs if id not in documents or documents[id].unread}
    return {pair for pair, request in asked.items() if verdicts[request].yes}, unread


def _looked_up(id: str, documents: Documents) -> str:
    """The state of a cited document; copies of lost pages count as "gone"."""
    return documents[id].state if id in documents else "not_looked_up"


def _note(ids: list[str], documents: Documents) -> str:
    """The addresses that were not read, by state."""
    by_state: dict[str, list[str]] = {}
    for id in ids:
        if (state := _looked_up(id, documents)) != "read":
            by_state.setdefault(state, []).append(id[:200])
    return "; ".join(f"{state}: {', '.join(some)}" for state, some in by_state.items())[:10_000]
