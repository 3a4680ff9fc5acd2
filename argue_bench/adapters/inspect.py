"""inspect_ai: our data sets as tasks, and our metrics as scorers of any task.

    inspect eval argue_bench/argue_bench -T dataset=core -T metric=citations --model ...
    Task(dataset=..., solver=..., scorer=scorer("faithfulness"))

A reply's scores become one Score with a value each; those that do not apply are NaN and left out of
the mean.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from argue_bench.adapters.task import HarnessTask, macro_scores, mean, score_row
from argue_bench.errors import MissingExtra
from argue_bench.loaders.rows.columns import recognise
from argue_bench.metrics import parse

try:
    from inspect_ai import Task, task
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser
    from inspect_ai.scorer import SampleScore, Score, Target
    from inspect_ai.scorer import metric as inspect_metric
    from inspect_ai.scorer import scorer as inspect_scorer
    from inspect_ai.solver import TaskState, generate
except ImportError:
    raise MissingExtra("the adapter for inspect_ai", "inspect") from None

_ROLES = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


@inspect_metric(name="mean")  # type: ignore[untyped-decorator, unused-ignore]
def mean_where_it_applies() -> Any:
    """The mean over the samples to which the score applies."""

    def over(scores: list[SampleScore]) -> float:
        return mean(one.score.as_float() for one in scores)

    return over


def _scorer(made: HarnessTask) -> Any:
    async def score(state: TaskState, target: Target) -> Score:
        id, reply = str(state.sample_id), state.output.completion
        found = await asyncio.to_thread(made.score, id, reply)
        return Score(value=found, answer=made.answer(id, reply))

    return inspect_scorer(metrics=[{"*": [mean_where_it_applies()]}], name=str(made.metric))(
        lambda: score
    )()


def scorer(
    metric: str = "faithfulness", judge: str = "lexical", columns: Mapping[str, str] | None = None
) -> Any:
    """A scorer of any task by a metric that needs no gold: faithfulness, support, context_relevance ...

    The question is the sample's input, the answer the model's reply, the reference the sample's
    target. Contexts are what the sample's metadata hold under a usual name (``contexts``,
    ``retrieved_contexts``, ``documents`` ...; ``columns={"contexts": NAME}`` names another), else what
    tools returned. The score's metadata list the sentences that fail. Raises UsageError for a metric
    without a score that a harness can average.
    """
    chosen = parse(metric)
    macro_scores(chosen)

    async def score(state: TaskState, target: Target) -> Score:
        row = _row_of(state, target, columns or {})
        found, report = await asyncio.to_thread(score_row, row, chosen, judge, columns)
        failed = [one._asdict() for one in report.failed_sentences()]
        told = "; ".join(f"{one['text']} ({one['reason']})" for one in failed)
        return Score(
            value=found,
            answer=state.output.completion,
            explanation=told or None,
            metadata={"failed_sentences": failed},
        )

    return inspect_scorer(metrics=[{"*": [mean_where_it_applies()]}], name=str(chosen))(
        lambda: score
    )()


def _row_of(state: TaskState, target: Target, columns: Mapping[str, str]) -> dict[str, Any]:
    """The sample as a row; its metadata stay next to what inspect_ai adds."""
    row = dict(state.metadata)
    found = recognise(row, columns)
    if "contexts" not in found:
        said = [message.text for message in state.messages if message.role == "tool"]
        if said:
            row["retrieved_contexts"] = said
    # Names that are looked for first, so that nothing in the metadata goes before them.
    row |= {"user_input": state.input_text, "response": state.output.completion}
    if target.text and "reference" not in found:
        row["reference"] = target.text
    return row


@task  # type: ignore[untyped-decorator, unused-ignore]
def argue_bench(
    dataset: str = "core",
    split: str = "dev",
    data: str = "",
    setting: str = "evidenceprovided",
    prompt: str = "",
    metric: str = "argue",
    judge: str = "lexical",
) -> Task:
    """A data set with one of its metrics."""
    made = HarnessTask(dataset, split, data, setting, prompt, metric, judge)
    samples = [
        Sample(id=id, input=[_ROLES[m.role](content=m.text) for m in prompted.request.messages])
        for id, prompted in made.prompts.items()
    ]
    prompts = MemoryDataset(samples, name=made.dataset.title)
    return Task(prompts, solver=generate(), scorer=_scorer(made), name=made.dataset.name)
