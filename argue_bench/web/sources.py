"""The states of the web pages that answers cite, and how many of the citations hold.

    accuracy       citations whose page supports the sentence / citations whose page could be looked at
    accuracy_low, accuracy_high   the same if all pages that could not be looked at are wrong, or right
    effective      citations that support their sentence, an answer (DeepResearch Bench's effective citations)
    uncited        sentences without a citation / sentences that state something
    misattributed  cited sentences that their own pages do not support, and another cited page does
    read, gone, ... the share of cited addresses in each state (`argue_bench.web.states`)

A citation is one page cited in one sentence, judged alone. A page that is gone, or that never was in the
archive, counts as looked at: its citation is unsupported, with rates of their own (``gone``,
``never_archived``). ``gone`` counts archived copies too, which are judged. Blocked pages and the like are
left out of ``accuracy``, and in both of its bounds. `Citations` judges pages together as well.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

from argue_bench.metrics.base import Bounds, Metric, Steps, TallySteps
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
from argue_bench.retrieval import index_terms
from argue_bench.stats.averages import Average, lower_is_better, mean_count, micro
from argue_bench.text.statements import stated_or_citing

_STATES = (
    *("read", "empty", "paywalled", "blocked", "gone", "never_archived"),
    *("unreachable", "unsupported", "not_looked_up"),
)
# Each page that is asked is one more judgment for a sentence.
ELSEWHERE = 3
"""How many of the other cited pages are asked for a sentence that its own do not support."""
Pair = tuple[int, str]
"""A citation: the number of its sentence, from 0, and its page."""


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
        **{name: lower_is_better(micro(name)) for name in ("uncited", "misattributed")},
        "read": micro("read"),
        **{name: lower_is_better(micro(name)) for name in _STATES[1:]},
    }
    headline: ClassVar[tuple[str, ...]] = (
        *("accuracy", "effective", "uncited", "misattributed"),
        *("read", "blocked", "gone", "never_archived", "not_looked_up"),
    )
    ranking: ClassVar[tuple[str, ...]] = ("accuracy", "accuracy_low", "effective")
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Entails,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        worded = {
            number: one
            for number, one in enumerate(answer.sentences, 1)
            if any(map(str.isalnum, one.text))
        }
        counted = {one.number for one in stated_or_citing(question, answer)}
        stated = {number: one for number, one in worded.items() if number in counted}
        if not stated:
            return dict.fromkeys(self.scores, NOT_APPLICABLE)
        ids = list(dict.fromkeys(id for one in stated.values() for id in one.citations))
        states = Counter(_looked_up(id, documents) for id in ids)
        pairs = [(n, id) for n, one in stated.items() for id in dict.fromkeys(one.citations)]
        right, unread = yield from _judged(pairs, stated, documents)
        settled = {n for n, _ in right} | {n for n, _ in unread}
        cited = {n: one for n, one in stated.items() if one.citations}
        wrong = {n: one for n, one in cited.items() if n not in settled}
        found = yield from _found_elsewhere(wrong, ids, documents)
        misses = tuple(_miss(n, one, found.get(n, "")) for n, one in wrong.items())
        return {
            "effective": Tally(len(right), 1.0, _note(ids, documents), misses),
            "accuracy": Tally(len(right), len(pairs) - len(unread)),
            "accuracy_low": Tally(len(right), len(pairs)),
            "accuracy_high": Tally(len(right) + len(unread), len(pairs)),
            "uncited": Tally(len(stated) - len(cited), len(stated)),
            "misattributed": Tally(len(found), len(cited)),
            **{name: Tally(states[name], len(ids)) for name in _STATES},
        }

    def later_requests(self, question: Question, answer: Answer, documents: Documents) -> Bounds:
        """At most three other pages are asked for each sentence that cites."""
        cites = sum(bool(one.citations) for one in answer.sentences)
        return {"Entails": (0, ELSEWHERE * cites)} if cites else {}


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


def _found_elsewhere(
    wrong: Mapping[int, Sentence], ids: Sequence[str], documents: Documents
) -> Steps[dict[int, str]]:
    """For sentences that their own pages do not support: another cited page that does."""
    pages = CitedPages(ids, documents, (one.claim for one in wrong.values()))
    asked = {
        n: [
            Entails((documents[id].evidence(one.claim),), one.claim)
            for id in pages.nearest(one.claim, one.citations, ELSEWHERE)
        ]
        for n, one in wrong.items()
    }
    requests = list(dict.fromkeys(chain.from_iterable(asked.values())))
    verdicts = (yield requests) if requests else {}
    found = {
        n: next((one.premise[0].id for one in some if verdicts[one].yes), "")
        for n, some in asked.items()
    }
    return {n: id for n, id in found.items() if id}


class CitedPages:
    """The cited pages of one answer, searched for what its sentences say.

    A page ranks by the words of the sentence that it holds, rare ones above all (their idf over the
    pages). Only words of ``statements`` are indexed, so that hundreds of long pages need little room.
    """

    def __init__(self, ids: Iterable[str], documents: Documents, statements: Iterable[str]) -> None:
        wanted = {word for text in statements for word in index_terms(text)}
        pages = [documents[id] for id in dict.fromkeys(ids) if id in documents]
        self._ids = [one.id for one in pages if wanted and one.readable]
        self._places: dict[str, list[int]] = {}
        for place, id in enumerate(self._ids):
            for word in wanted & set(index_terms(f"{documents[id].title} {documents[id].text}")):
                self._places.setdefault(word, []).append(place)

    def nearest(self, statement: str, own: Iterable[str], most: int) -> list[str]:
        """The pages that are likeliest to hold a statement, best first, without the ``own`` ones."""
        out = set(own)
        scores: defaultdict[int, float] = defaultdict(float)
        for word in set(index_terms(statement)):
            found = self._places.get(word, ())
            for place in found:
                scores[place] += math.log(1 + len(self._ids) / len(found))
        ranked = sorted(scores, key=lambda place: (-scores[place], place))
        return [id for id in map(self._ids.__getitem__, ranked) if id not in out][:most]


def _looked_up(id: str, documents: Documents) -> str:
    """The state of a cited document; copies of lost pages count as "gone"."""
    return documents[id].state if id in documents else "not_looked_up"


def _miss(number: int, sentence: Sentence, other: str) -> Miss:
    """A sentence that its pages do not support, with the class that it has in `provided`."""
    if other:
        reason = f"another cited page supports it: {other[:200]}"
        return Miss.of(number, sentence, reason, "another source", other)
    return Miss.of(number, sentence, "nothing in what it cites supports it", "nothing")


def _note(ids: list[str], documents: Documents) -> str:
    """The addresses that were not read, by state."""
    by_state: dict[str, list[str]] = {}
    for id in ids:
        if (state := _looked_up(id, documents)) != "read":
            by_state.setdefault(state, []).append(id[:200])
    return "; ".join(f"{state}: {', '.join(some)}" for state, some in by_state.items())[:10_000]
