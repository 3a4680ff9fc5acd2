"""Steps a metric by hand: asks out, verdicts by rule in, tallies at the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from argue_bench.metrics import parse
from argue_bench.metrics.base import tally_steps
from argue_bench.records import Answer, Gold, JudgeRequest, Question, Sentence, Tally, Verdict

Rule = Callable[[JudgeRequest], str | float]


def nobody(request: JudgeRequest) -> str:
    raise AssertionError(f"nothing should have been asked: {request}")


def counted(
    metric: str, gold: Gold, answer: str | Answer, rule: Rule = nobody
) -> Mapping[str, Tally]:
    """The tallies of one answer to one question with this gold."""
    if isinstance(answer, str):
        answer = Answer("q", answer, (Sentence(answer),) if answer else ())
    steps = tally_steps(parse(metric), Question("q", "What is it?", gold=gold), answer, {})
    try:
        requests = next(steps)
        while True:
            requests = steps.send({request: Verdict(rule(request)) for request in requests})
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]


def values(tallies: Mapping[str, Tally]) -> dict[str, float | None]:
    return {name: tally.value for name, tally in tallies.items()}
