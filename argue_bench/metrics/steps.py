"""Steps of metrics: lists of judge requests out, their verdicts in, a result at the end.

A generator that judges anything yields requests and is sent ``{request: verdict}``, as often as it
must, and returns its result. The functions here and `argue_bench.eval.driver` are all that step one.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Generator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

from argue_bench.errors import ArgueBenchError, UsageError
from argue_bench.records import Answer, Document, JudgeRequest, Question, Tally, Verdict

if TYPE_CHECKING:
    from argue_bench.metrics.base import Metric

T = TypeVar("T")
Steps = Generator[Sequence[JudgeRequest], Mapping[JudgeRequest, Verdict], T]
Tallies = Mapping[str, Tally]
TallySteps = Steps[Tallies]


class NotJudged(KeyError):
    """Verdicts are missing that a replay needs: ``requests``."""

    def __init__(self, requests: Sequence[JudgeRequest]) -> None:
        super().__init__(f"{len(requests)} requests have no verdict")
        self.requests = requests


def tally_steps(
    metric: Metric, question: Question, answer: Answer, documents: Mapping[str, Document]
) -> TallySteps:
    """The steps of a metric on one answer; those of a plain metric end at once.

    Raises UsageError, naming the metric and the question, where the metric raises anything but our
    own errors, yields anything but requests of the kinds that it declares, or returns no tallies.
    """
    place = f"The metric {metric} failed on the question {question.id!r}"
    try:
        result: Any = metric.tally(question, answer, documents)
        if isinstance(result, Generator):
            requests = next(result)
            while True:
                _check_requests(metric, requests)
                requests = result.send((yield requests))
    except StopIteration as stop:
        result = stop.value
    except ArgueBenchError:
        raise
    except Exception as error:
        # The cause stays attached, so that a notebook shows the line of the user's function.
        raise UsageError(f"{place}: {type(error).__name__}: {error}") from error
    if why := _not_tallies(result):
        raise UsageError(f"{place}: it returned {why}. Return {{score: Tally(...)}}.")
    tallies: Tallies = result
    return tallies


def _check_requests(metric: Metric, requests: Any) -> None:
    """Raises TypeError where these are not requests that the metric may make."""
    if isinstance(requests, Sequence) and all(type(one) in metric.requests for one in requests):
        return
    kinds = ", ".join(kind.__name__ for kind in metric.requests) or "no kind of request"
    found = requests if isinstance(requests, Sequence) else [requests]
    names = ", ".join(dict.fromkeys(type(one).__name__ for one in found))
    raise TypeError(f"it yielded {names}, but it declares {kinds}")


def _not_tallies(result: Any) -> str:
    """What a metric returned in place of tallies; empty where they are tallies."""
    if inspect.iscoroutine(result):
        result.close()
        return "a coroutine, and a metric can't be async"
    if not isinstance(result, Mapping):
        return f"{type(result).__name__}"
    for name, tally in result.items():
        if not isinstance(name, str) or not name or "." in name:
            return f"the score name {name!r}, which must be a text without a full stop"
        if not isinstance(tally, Tally):
            return f"{type(tally).__name__} for the score {name!r}"
        if not math.isfinite(tally.numerator + tally.denominator):
            return f"a number that is not finite for the score {name!r}"
    return ""


def first_round(steps: Steps[Any]) -> Sequence[JudgeRequest]:
    """The requests that need no verdict yet."""
    requests = next(steps, ())
    steps.close()
    return requests


def replay(steps: Steps[T], verdicts: Mapping[JudgeRequest, Verdict]) -> T:
    """The result under these verdicts. Raises NotJudged, a KeyError, where some are missing."""
    try:
        requests = next(steps)
        while True:
            if missing := [request for request in requests if request not in verdicts]:
                raise NotJudged(missing)
            requests = steps.send({request: verdicts[request] for request in requests})
    except StopIteration as stop:
        result: T = stop.value
        return result


def run_together(many: Sequence[Steps[T]]) -> Steps[list[T]]:
    """Steps many side by side: their requests share rounds, and each request is made once."""
    done: dict[int, T] = {}
    waiting: dict[int, Sequence[JudgeRequest]] = {}
    known: dict[JudgeRequest, Verdict] = {}
    for place, steps in enumerate(many):
        try:
            waiting[place] = next(steps)
        except StopIteration as stop:
            done[place] = stop.value
    while waiting:
        wanted = dict.fromkeys(chain.from_iterable(waiting.values()))
        if new := [request for request in wanted if request not in known]:
            known.update((yield new))
        for place, requests in list(waiting.items()):
            try:
                waiting[place] = many[place].send({request: known[request] for request in requests})
            except StopIteration as stop:
                done[place] = stop.value
                del waiting[place]
    return [done[place] for place in range(len(many))]
