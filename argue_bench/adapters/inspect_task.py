"""inspect_ai: ``inspect eval argue_bench/adapters/inspect_task.py -T on=core -T metric=citations``.

A reply's scores become one Score with a value each; those that do not apply are NaN and left out of
the mean.
"""

from __future__ import annotations

import math
from typing import Any

from argue_bench.adapters.task import HarnessTask
from argue_bench.errors import MissingExtra

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
    from inspect_ai.scorer import Score, Target, metric, scorer
    from inspect_ai.solver import TaskState, generate
except ImportError:
    raise MissingExtra("the adapter for inspect_ai", "inspect") from None

_ROLES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


@metric  # type: ignore[untyped-decorator, unused-ignore]
def mean_where_it_applies() -> Any:
    """The mean of the replies that a score applies to."""

    def mean(scores: list[Any]) -> float:
        values = [v for one in scores if not math.isnan(v := one.score.as_float())]
        return sum(values) / len(values) if values else math.nan

    return mean


def _scorer(made: HarnessTask) -> Any:
    @scorer(metrics=[{"*": [mean_where_it_applies()]}], name=str(made.metric))  # type: ignore[untyped-decorator, unused-ignore]
    def argue_bench_scorer() -> Any:
        async def score(state: TaskState, target: Target) -> Score:
            reply = state.output.completion
            id = str(state.sample_id)
            return Score(value=await made.ascore(id, reply), answer=made.answer(id, reply))

        return score

    return argue_bench_scorer()


@task  # type: ignore[untyped-decorator, unused-ignore]
def argue_bench(
    on: str = "core", split: str = "dev", data: str = "", setting: str = "evidenceprovided",
    prompt: str = "", metric: str = "argue", judge: str = "lexical", shot: int = 0,
) -> Task:  # fmt: skip
    """A data set with one of its metrics."""
    made = HarnessTask(on, split, data, setting, prompt, metric, judge, shot)  # type: ignore[arg-type]
    samples = [
        Sample(id=id, input=[_ROLES[m.role](content=m.text) for m in asked.request.messages])
        for id, asked in made.asked.items()
    ]
    return Task(dataset=MemoryDataset(samples, name=made.dataset.title), solver=[generate()],
                scorer=_scorer(made), name=f"argue_bench_{made.dataset.name}")  # fmt: skip
