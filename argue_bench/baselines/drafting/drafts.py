"""Drafts all topics with one judge and stores its replies; estimates the calls that it would take."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path

from argue_bench.baselines.drafting.passages import Topic
from argue_bench.baselines.drafting.steps import MOST, MOST_CHECKED, WINDOW, Draft, draft_topic
from argue_bench.eval.driver import run_steps
from argue_bench.judges import Judge, JudgeFunction, as_judge
from argue_bench.judges.base import Amount
from argue_bench.judges.prompted import Prompted
from argue_bench.records import DraftNuggets, Entails, JudgeRequest, NuggetImportance, Source

# Stands for a nugget that is not there yet, in estimates.
_NUGGET = "a fact of a few words, as long as most are, with its year"


def draft_nuggets(
    topics: Iterable[Topic],
    judge: str | Judge | JudgeFunction = "lexical",
    *,
    store: str | Path | None = None,
    most: int = MOST,
    progress: Callable[[Draft], None] = lambda draft: None,
) -> list[Draft]:
    """The drafts of these topics, in order.

    ``judge``: its spec, or a judge; a language model is best. ``store``: where replies are kept, so
    that a run which was interrupted goes on. ``most``: nuggets of a topic. ``progress`` is given each
    draft as it is done. Raises JudgeError where the judge is lost; what failed for one topic stands
    in its draft.
    """
    made = as_judge(judge)
    with ExitStack() as stack:
        if store is not None:
            from argue_bench.judges.stored import stored

            made = stack.enter_context(stored(made, Path(store)))
        return asyncio.run(run_steps((draft_topic(one, most) for one in topics), made, progress))


def expected_cost(topics: Sequence[Topic], models: Iterable[Prompted], most: int = MOST) -> Amount:
    """What a run may cost at most: every window with a full list, every nugget rated and checked.

    ``models``: the language models of the judge (`judges.prompted.spec.for_estimates`). The price is
    None where it is not known.
    """
    amount = Amount()
    for model in models:
        for topic in topics:
            amount = amount.plus(_cost_of(topic, model, most))
    return amount


def _cost_of(topic: Topic, model: Prompted, most: int) -> Amount:
    full = tuple(f"{_NUGGET} {number}" for number in range(most))
    windows: list[JudgeRequest] = [
        DraftNuggets(topic.question, topic.passages[start : start + WINDOW], full if start else ())
        for start in range(0, len(topic.passages), WINDOW)
    ]
    total = model.estimate(windows)
    if not windows:
        return total
    for start in range(0, most, WINDOW):
        batch = full[start : start + WINDOW]
        total = total.plus(model.estimate([NuggetImportance(topic.question, one) for one in batch]))
    checks = [Entails((one,), text) for text in full for one in _longest(topic.passages)]
    pairs = [Entails((Source("a", _NUGGET),), text) for text in full[1:] for _ in (0, 1)]
    return total.plus(model.estimate(checks)).plus(model.estimate(pairs))


def _longest(passages: Sequence[Source]) -> list[Source]:
    return sorted(passages, key=lambda one: -len(one.text))[:MOST_CHECKED]
