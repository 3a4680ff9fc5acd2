"""AutoJudge (autojudge-base): our metrics as a judge of TREC runs, by its leaderboard protocol.

judge_class: argue_bench.adapters.autojudge.ArgueBenchJudge
create_nuggets: false
create_qrels: false
judge_settings: {data: FOLDER, metric: argue, judge: lexical}

is a whole workflow.yml, with a folder as of ``load("trec")``. Topics come from the data: their nuggets are
ours, so nuggets and qrels of other phases are neither made nor read.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from argue_bench.adapters.task import macro_scores, question_scores
from argue_bench.errors import MissingExtra, UsageError
from argue_bench.eval import evaluate
from argue_bench.loaders import load
from argue_bench.metrics import parse

try:
    from autojudge_base import (  # type: ignore[import-not-found, import-untyped, unused-ignore]
        LeaderboardBuilder,
        LeaderboardSpec,
        MeasureSpec,
    )
except ImportError:
    raise MissingExtra("the adapter for AutoJudge", "autojudge") from None


class ArgueBenchJudge:
    """One row a run and topic, with the headline scores of one metric that are means over topics."""

    def judge(
        self,
        rag_responses: Iterable[Any],
        rag_topics: Sequence[Any],
        llm_config: Any = None,
        nugget_banks: Any = None,
        qrels: Any = None,
        corpus: str | None = None,
        *,
        dataset: str = "trec",
        split: str = "dev",
        data: str = "",
        metric: str = "argue",
        judge: str = "lexical",
        **more: Any,
    ) -> Any:
        """The leaderboard; a report to which a score does not apply has no row in it.

        Raises UsageError (no report on these topics), JudgeError (a verdict failed), and what `load` and
        `evaluate` raise.
        """
        if unknown := more.keys() - {"description", "filebase", "outdir"}:
            raise UsageError(f"ArgueBenchJudge has no setting {', '.join(sorted(unknown))}")
        gold, chosen = load(dataset, split, data or None), parse(metric)
        wanted = {str(topic.request_id) for topic in rag_topics} & set(gold.by_id)
        runs: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for one in rag_responses:
            if str(one.metadata.topic_id) in wanted:
                runs[one.metadata.run_id].append(one.model_dump(mode="json", exclude_none=True))
        if not runs:
            raise UsageError(f"none of the responses answers a topic of {gold.title}")
        spec = LeaderboardSpec(tuple(MeasureSpec(name) for name in macro_scores(chosen)))
        board = LeaderboardBuilder(spec)
        for run, reports in runs.items():
            report = evaluate(gold, reports, [chosen], judge=judge, only_answered=True, resamples=0)
            for topic, found in question_scores(report, chosen).items():
                if not any(map(math.isnan, found.values())):
                    board.add(run_id=run, topic_id=topic, values=found)
        return board.build()
