"""inspect_ai: ``inspect eval argue_bench/argue_bench -T dataset=core -T metric=citations --model ...``.

A reply's scores become one Score with a value each; those that do not apply are NaN and left out of
the mean.
"""

from __future__ import annotations

import asyncio
from typing import Any

from argue_bench.adapters.task import HarnessTask, mean
from argue_bench.errors import MissingExtra

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
    from inspect_ai.scorer import SampleScore, Score, Target, metric, scorer
    from inspect_ai.solver import TaskState, generate
except ImportError:
    raise MissingExtra("the adapter for inspect_ai", "inspect") from None

_ROLES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


@metric(name="mean")  # type: ignore[untyped-decorator, unused-ignore]
def mean_where_it_applies() -> Any:
    """The mean of the replies that a score applies to."""

    def over(scores: list[SampleScore]) -> float:
        return mean(one.score.as_float() for one in scores)

    return over


def _scorer(made: HarnessTask) -> Any:
    async def score(state: TaskState, target: Target) -> Score:
        id, reply = str(state.sample_id), state.output.completion
        found = await asyncio.to_thread(made.score, id, reply)
        return Score(value=found, answer=made.answer(id, reply))

    return scorer(metrics=[{"*": [mean_where_it_applies()]}], name=str(made.metric))(
        lambda: score
    )()


@task  # type: ignore[untyped-decorator, unused-ignore]
def argue_bench(
    dataset: str = "core",
    split: str = "dev",
    data: str = "",
    setting: str = "evidenceprovided",
    prompt: str = "",
    metric: str = "argue",
    judge: str = "lexical",
    shot: int = 0,
) -> Task:
    """A data set with one of its metrics."""
    made = HarnessTask(dataset, split, data, setting, prompt, metric, judge, shot)  # type: ignore[arg-type]
    samples = [
        Sample(id=id, input=[_ROLES[m.role](content=m.text) for m in prompted.request.messages])
        for id, prompted in made.prompts.items()
    ]
    prompts = MemoryDataset(samples, name=made.dataset.title)
    return Task(prompts, solver=generate(), scorer=_scorer(made), name=made.dataset.name)
