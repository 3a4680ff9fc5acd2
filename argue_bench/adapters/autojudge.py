"""AutoJudge (autojudge-base): our metrics as a judge of TREC runs, by its three phases.

judge_class: argue_bench.adapters.autojudge.ArgueBenchJudge
create_nuggets: true
create_qrels: true
judge_settings: {data: FOLDER, metric: argue, judge: lexical}

is a whole workflow.yml, with a folder as of ``load("trec")``; without ``data`` the topics are those of the
run, and ``corpus`` is a path of their documents. Nuggets and qrels of earlier phases, ours or another
judge's, take the place of those of the data. `argue-bench judge leaderboard` does the same without the
package.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from argue_bench.adapters import autojudge_phases
from argue_bench.adapters.task import macro_scores, question_scores
from argue_bench.errors import JudgeError, MissingExtra, UsageError
from argue_bench.eval import evaluate
from argue_bench.loaders import load
from argue_bench.loaders.answers import as_answers
from argue_bench.loaders.banks import bank_of
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import Findings, few
from argue_bench.metrics import parse
from argue_bench.records import Answer, Document, Question, Request
from argue_bench.satellites import TREC_BANK, TREC_COLLECTION, import_text

try:
    from autojudge_base import (  # type: ignore[import-not-found, import-untyped, unused-ignore]
        LeaderboardBuilder,
        LeaderboardSpec,
        MeasureSpec,
        NuggetBanks,
        Qrels,
    )
    from autojudge_base.nugget_data import (  # type: ignore[import-not-found, import-untyped, unused-ignore]
        NuggetBank,
    )
    from autojudge_base.qrels.qrels import (  # type: ignore[import-not-found, import-untyped, unused-ignore]
        QrelRow,
    )
except ImportError:
    raise MissingExtra("the adapter for AutoJudge", "autojudge") from None

# Settings that the package hands to every phase.
_OWN = {"description", "filebase", "outdir"}


class ArgueBenchJudge:
    """Drafts nuggets, grades documents, and makes a leaderboard: a row for each run and
    topic, with the headline scores of one metric that are means over topics."""

    nugget_banks_type = NuggetBanks

    def create_nuggets(
        self,
        rag_responses: Iterable[Any],
        rag_topics: Sequence[Any],
        llm_config: Any = None,
        nugget_banks: Any = None,
        corpus: str | None = None,
        *,
        judge: str = "lexical",
        **settings: Any,
    ) -> Any:
        """A bank of nuggets for each topic, drafted from the responses. Raises JudgeError, UsageError."""
        chosen = _dataset(rag_topics, nugget_banks, corpus, settings)
        drafted = autojudge_phases.pooled_nuggets(chosen, _runs(rag_responses or (), chosen), judge)
        empty = [one.id for one in drafted if one.gold is None or not one.gold.nuggets]
        # A bank without nuggets ends the package's run after all drafts were paid for.
        if empty:  # the package would refuse the whole file
            raise JudgeError(f"the judge drafted no nugget on {few(empty)}")
        return NuggetBanks.from_banks_list([NuggetBank(**bank_of(one)) for one in drafted])

    def create_qrels(
        self,
        rag_responses: Iterable[Any],
        rag_topics: Sequence[Any],
        llm_config: Any = None,
        nugget_banks: Any = None,
        corpus: str | None = None,
        *,
        judge: str = "lexical",
        **settings: Any,
    ) -> Any:
        """A grade 0 to 3 for each document that a response cites. Raises JudgeError, UsageError."""
        chosen = _dataset(rag_topics, nugget_banks, corpus, settings)
        grades = autojudge_phases.grade_cited(chosen, _runs(rag_responses, chosen), judge)
        return Qrels(rows=[QrelRow(*grade) for grade in grades])

    def judge(
        self,
        rag_responses: Iterable[Any],
        rag_topics: Sequence[Any],
        llm_config: Any = None,
        nugget_banks: Any = None,
        qrels: Any = None,
        corpus: str | None = None,
        *,
        metric: str = "argue",
        judge: str = "lexical",
        **settings: Any,
    ) -> Any:
        """The leaderboard; a report to which a score does not apply has no row in it.

        Raises UsageError (no report on these topics), JudgeError (a verdict failed), and what `load` and
        `evaluate` raise.
        """
        chosen, counting = _dataset(rag_topics, nugget_banks, corpus, settings), parse(metric)
        if qrels is not None:
            grades = ((row.topic_id, row.doc_id, row.grade) for row in qrels.rows)
            chosen = autojudge_phases.with_grades(chosen, grades)
        runs = _runs(rag_responses, chosen)
        spec = LeaderboardSpec(tuple(MeasureSpec(name) for name in macro_scores(counting)))
        board = LeaderboardBuilder(spec)
        for run, reports in runs.items():
            report = evaluate(chosen, reports, [counting], judge=judge, only_answered=True)
            for topic, found in question_scores(report, counting).items():
                if not any(map(math.isnan, found.values())):
                    board.add(run_id=run, topic_id=topic, values=found)
        return board.build()


def _dataset(
    topics: Sequence[Any], banks: Any, corpus: str | None, settings: Mapping[str, Any]
) -> Dataset:
    """The requested topics: those of the data where it is named, else those of the run."""
    known = {"dataset", "split", "data", *_OWN}
    if unknown := settings.keys() - known:
        raise UsageError(f"ArgueBenchJudge has no setting {', '.join(sorted(unknown))}")
    name, data = settings.get("dataset", "trec"), settings.get("data", "")
    if data or name != "trec":
        chosen = load(name, settings.get("split", "dev"), data or None)
        wanted = {str(topic.request_id) for topic in topics}
        chosen = replace(chosen, questions=tuple(one for one in chosen if one.id in wanted))
    else:
        chosen = Dataset("trec", "dev", tuple(map(_question, topics)), _documents(corpus))
    return chosen if banks is None else _with_banks(chosen, banks)


def _question(topic: Any) -> Question:
    request = Request(
        topic.title or "",
        topic.problem_statement or "",
        topic.background or "",
        getattr(topic, "limit", None),
    )
    text = request.problem_statement or request.title or str(topic.request_id)
    return Question(str(topic.request_id), text, request)


def _documents(corpus: str | None) -> Mapping[str, Document]:
    if not corpus:
        return {}
    if not Path(corpus).exists():
        raise UsageError(f"corpus is {corpus!r}: name a path of the documents")
    return cast("Mapping[str, Document]", import_text(TREC_COLLECTION)(Path(corpus)))


def _with_banks(dataset: Dataset, banks: Any) -> Dataset:
    """The topics with the nuggets of these banks. Raises DataError where a bank cannot be read."""
    found = Findings("nugget banks")
    plain = {
        one.id: banks.banks[one.id].model_dump(mode="json", exclude_none=True)
        for one in dataset
        if banks.banks.get(one.id) is not None
    }
    read = {id: import_text(TREC_BANK)(id, bank, found) for id, bank in plain.items()}
    found.raise_errors()
    return autojudge_phases.with_gold(
        dataset, {id: {"nuggets": topic.nuggets} for id, topic in read.items()}
    )


def _runs(responses: Iterable[Any], dataset: Dataset) -> dict[str, list[Answer]]:
    """The reports on the topics, by run. Raises UsageError where there is none."""
    rows: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for one in responses:
        if str(one.metadata.topic_id) in dataset.by_id:
            rows[one.metadata.run_id].append(one.model_dump(mode="json", exclude_none=True))
    if not rows:
        raise UsageError(f"none of the responses answers a topic of {dataset.title}")
    return {run: list(as_answers(own, dataset).values()) for run, own in rows.items()}
