"""lighteval: a custom task file of two lines.

from argue_bench.adapters.lighteval_task import task
TASKS_TABLE = [task("core", metric="citations")]

Then ``lighteval accelerate "model_name=..." "argue_bench:core|0" --custom-tasks FILE``. Rows are written
to the cache folder, where lighteval reads them as it reads a repository. Scores that do not apply to a
reply are NaN and left out of the mean.
"""

from __future__ import annotations

import json
from typing import Any, Self

from argue_bench.adapters.task import HarnessTask, mean
from argue_bench.errors import MissingExtra
from argue_bench.records.atomic import atomic_write
from argue_bench.store.fetch import cache_folder

try:
    from lighteval.metrics.metrics_sample import SampleLevelComputation
    from lighteval.metrics.utils.metric_utils import SampleLevelMetricGrouping
    from lighteval.tasks.lighteval_task import LightevalTaskConfig
    from lighteval.tasks.requests import Doc, SamplingMethod
except ImportError:
    raise MissingExtra("the adapter for lighteval", "lighteval") from None


class _Scores(SampleLevelComputation):  # type: ignore[misc, unused-ignore]
    """All headline scores of one metric for one reply."""

    def __init__(self, made: HarnessTask) -> None:
        self._made = made

    def compute(self, doc: Any, model_response: Any, **more: Any) -> dict[str, float]:
        return self._made.score(doc.specific["id"], (model_response.final_text or [""])[0])

    def __deepcopy__(self, memo: Any) -> Self:
        return (
            self  # lighteval copies each task; compiled prompts refuse that, and all is read only
        )


def task(dataset: str = "core", split: str = "dev", max_tokens: int = 1024, **more: Any) -> Any:
    """A LightevalTaskConfig; ``more`` is what `HarnessTask` takes."""
    made = HarnessTask(dataset, split, **more)
    folder = cache_folder() / "harness" / made.dataset.title.replace("@", "-")
    with atomic_write(folder / "test.jsonl") as file:
        for id, prompted in made.prompts.items():
            said = {message.role: message.text for message in prompted.request.messages}
            file.write(json.dumps({"id": id, "system": "", **said}) + "\n")
    names = list(made.columns)
    metric = SampleLevelMetricGrouping(
        metric_name=names,
        higher_is_better=dict.fromkeys(names, True),
        category=SamplingMethod.GENERATIVE,
        sample_level_fn=_Scores(made),
        corpus_level_fn=dict.fromkeys(names, mean),
    )

    def prompt(row: dict[str, Any], task_name: str) -> Any:
        head = f"{row['system']}\n\n" if row["system"] else ""
        return Doc(
            query=f"{head}{row['user']}",
            instruction=head,
            choices=[""],
            gold_index=0,
            task_name=task_name,
            specific={"id": row["id"]},
        )

    return LightevalTaskConfig(
        name=f"argue_bench:{made.dataset.name}",
        prompt_function=prompt,
        hf_repo=str(folder),
        hf_subset="default",
        metrics=[metric],
        hf_avail_splits=["test"],
        evaluation_splits=["test"],
        generation_size=max_tokens,
        stop_sequence=[],
    )
