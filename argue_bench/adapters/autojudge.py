"""AutoJudge (autojudge-base): our metrics as a judge of TREC runs, by its leaderboard protocol.

In a workflow.yml: ``judge_class: argue_bench.adapters.autojudge.ArgueBenchJudge``, with settings ``data``
(a folder as of ``load("trec")``), ``metric`` and ``judge``. Topics come from the data: their nuggets are
ours, so nuggets and qrels of other phases are not read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from argue_bench.adapters.task import averaged
from argue_bench.errors import JudgeError, MissingExtra, UsageError
from argue_bench.eval import evaluate
from argue_bench.loaders import load
from argue_bench.metrics import parse

try:
    from autojudge_base import (  # type: ignore[import-not-found, unused-ignore]
        LeaderboardBuilder,
        LeaderboardSpec,
        MeasureSpec,
    )
except ImportError:
    raise MissingExtra("the adapter for AutoJudge", "autojudge") from None


class ArgueBenchJudge:
    """One row a run and topic, with the headline scores of one metric that are means over topics."""

    def judge(
        self, rag_responses: Iterable[Any], rag_topics: Sequence[Any], llm_config: Any = None,
        nugget_banks: Any = None, qrels: Any = None, corpus: str | None = None, *,
        on: str = "trec", split: str = "dev", data: str = "", metric: str = "argue",
        judge: str = "lexical", **more: Any,
    ) -> Any:  # fmt: skip
        """The leaderboard; a report to which a score does not apply has no row in it.

        Raises UsageError (no report on these topics), JudgeError (a verdict failed), and what `load` and
        `evaluate` raise.
        """
        dataset = load(on, split, data or None)
        chosen = parse(metric)
        columns = averaged(chosen)
        wanted = {str(topic.request_id) for topic in rag_topics} & set(dataset.by_id)
        runs: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for response in rag_responses:
            if str(response.metadata.topic_id) in wanted:
                runs[response.metadata.run_id].append(
                    response.model_dump(mode="json", exclude_none=True)
                )
        if not runs:
            raise UsageError(f"no response is to a topic of {dataset.title}")
        board = LeaderboardBuilder(LeaderboardSpec(tuple(MeasureSpec(name) for name in columns)))
        for run, reports in runs.items():
            report = evaluate(
                dataset, reports, [chosen], judge=judge, only_answered=True, resamples=0
            )
            for topic, tallies in report.per_question.items():
                if (found := tallies[str(chosen)]) is None:
                    raise JudgeError(f"{run}, topic {topic}: {report.failures[0]}")
                values = {name: found[column].value for name, column in columns.items()}
                if None not in values.values():
                    board.add(run_id=run, topic_id=topic, values=values)
        return board.build()
