"""nuggetizer's four scores: how much of each nugget the whole answer contains.

AutoNuggetizer (Pradeep et al. 2024; TREC 2024 RAG). Each nugget, with the answer as a passage, is
supported fully (1), partially (1/2, strict: 0) or not (0):

    strict_vital, vital    mean over vital nuggets       strict_all, all    mean over all nuggets

Under our own rules an empty answer contains no nugget, and no request is made about it.

A nugget is a question with its accepted answers; each answer is judged, and an OR nugget has the
best of them, an AND nugget the least. A topic without a vital nugget does not apply to the vital
scores.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from argue_bench.metrics.base import Metric, TallySteps
from argue_bench.records import (
    NOT_APPLICABLE,
    Answer,
    Documents,
    JudgeRequest,
    Miss,
    Nugget,
    Question,
    Supports,
    Tally,
    Verdict,
)
from argue_bench.stats.averages import Average, macro

_CREDIT = {"full": 1.0, "partial": 0.5, "no": 0.0}
_REASONS = {0.5: "the answer contains a part of it", 0.0: "the answer does not contain it"}
NAMES = ("strict_vital", "vital", "strict_all", "all")


@dataclass(frozen=True)
class Nuggets(Metric):
    """nuggetizer's strict_vital, vital, strict_all and all."""

    judge: str = ""

    name: ClassVar[str] = "nuggets"
    family: ClassVar[str] = "argue"
    summary: ClassVar[str] = "how much of each nugget does the whole answer contain?"
    paper: ClassVar[str] = "Pradeep et al. 2024 (AutoNuggetizer)"
    scores: ClassVar[Mapping[str, Average]] = {name: macro(name) for name in NAMES}
    headline: ClassVar[tuple[str, ...]] = NAMES
    requests: ClassVar[tuple[type[JudgeRequest], ...]] = (Supports,)

    def tally(self, question: Question, answer: Answer, documents: Documents) -> TallySteps:
        assert question.gold is not None  # noqa: S101  (the driver sees to it)
        nuggets = [nugget for nugget in question.gold.nuggets if nugget.answerable]
        passage = answer.plain or answer.text
        # nuggetizer asks of an empty answer too.
        unread = not (self.frozen or passage.strip())
        requests = {nugget: () if unread else _requests(passage, nugget) for nugget in nuggets}
        verdicts = yield list(
            dict.fromkeys(request for some in requests.values() for request in some)
        )
        credit = {nugget: _credit(nugget, some, verdicts) for nugget, some in requests.items()}
        vital = [nugget for nugget in nuggets if self._vital(nugget)]
        return {
            "strict_vital": self._mean(int(credit[n]) for n in vital),
            "vital": self._mean(credit[n] for n in vital),
            "strict_all": self._mean(int(credit[n]) for n in nuggets),
            "all": replace(
                self._mean(credit[n] for n in nuggets),
                misses=tuple(
                    Miss("nugget", n.id, n.question, _REASONS[credit[n]])
                    for n in nuggets
                    if credit[n] < 1
                ),
            ),
        }

    def _vital(self, nugget: Nugget) -> bool:
        return nugget.weight == "vital"

    def _mean(self, credits: Iterable[float]) -> Tally:
        values = [float(credit) for credit in credits]
        return Tally(sum(values), len(values)) if values else NOT_APPLICABLE


class Nuggetizer(Nuggets):
    """nuggetizer's counting: a mean of nothing is 0, and a nugget without importance is vital, as its
    reader has it."""

    rules: ClassVar[str] = "nuggetizer"

    def _vital(self, nugget: Nugget) -> bool:
        return nugget.weight in ("vital", None)

    def _mean(self, credits: Iterable[float]) -> Tally:
        tally = super()._mean(credits)
        return tally if tally.applies else Tally(0.0, 1.0, "no such nugget")


def _requests(passage: str, nugget: Nugget) -> tuple[Supports, ...]:
    return tuple(Supports(passage, nugget.question, answer.text) for answer in nugget.answers)


def _credit(
    nugget: Nugget, requests: Iterable[Supports], verdicts: Mapping[JudgeRequest, Verdict]
) -> float:
    credits = (_CREDIT[str(verdicts[request].value)] for request in requests)
    # One of the answers is enough, or the least supported of them decides.
    decides = max if nugget.combine == "any" else min
    return decides(credits, default=_CREDIT["no"])  # an empty answer has no requests
