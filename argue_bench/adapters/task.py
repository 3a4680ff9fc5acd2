"""A data set with one metric for an evaluation harness: prompts to send, and the scores of each reply.

A harness averages the scores of single replies. For macro scores, such as argue's and accuracy's, that
is our own average. For signed numbers write the answers to a file and use ``argue-bench evaluate``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from argue_bench.baselines import SETTINGS
from argue_bench.baselines.forms import Prompter, answer_in, default_form, load_form
from argue_bench.errors import JudgeError, NoGold, UnknownName, UsageError
from argue_bench.eval import evaluate
from argue_bench.eval.report import Report
from argue_bench.loaders import load
from argue_bench.loaders.rows import from_rows
from argue_bench.metrics import Metric, WholeMetric, parse
from argue_bench.records import NOT_APPLICABLE
from argue_bench.stats.averages import Macro


class HarnessTask:
    """A data set in one setting with one metric, in the form that an evaluation harness expects.

    ``prompts`` are by question id. Raises what `load` raises, NoGold for a sealed split,
    UnknownName and UsageError.
    """

    def __init__(
        self,
        dataset: str = "core",
        split: str = "dev",
        data: str = "",
        setting: str = "evidenceprovided",
        prompt: str = "",
        metric: str = "argue",
        judge: str = "lexical",
    ) -> None:
        self.dataset = load(dataset, split, data or None)
        if self.dataset.sealed:
            raise NoGold(f"{self.dataset.title} has no gold, so a harness has nothing to score")
        chosen = next((one for one in SETTINGS if one == setting), None)
        if chosen is None:
            raise UnknownName("setting", setting, SETTINGS)
        self.metric, self._judge = parse(metric), judge
        self.columns = macro_scores(self.metric)
        requests = any(question.request for question in self.dataset)
        self._form = (
            load_form(prompt) if prompt else default_form(self.dataset.name, chosen, requests)
        )
        prompter = Prompter(self.dataset, chosen, self._form)
        self.prompts = {question.id: prompter.prompt(question) for question in self.dataset}

    def answer(self, id: str, reply: str) -> str:
        """The answer in a reply; an empty text where there is none."""
        prompt = self.prompts[id]
        return answer_in(reply, prompt.question, prompt.documents, self._form)[0]

    def score(self, id: str, reply: str) -> dict[str, float]:
        """The scores of a reply by name; NaN where a score does not apply. Raises JudgeError."""
        one = replace(self.dataset, questions=(self.prompts[id].question,))
        given = [{"id": id, "answer": self.answer(id, reply)}]
        report = evaluate(one, given, [self.metric], judge=self._judge)
        return question_scores(report, self.metric)[id]


def macro_scores(metric: Metric | WholeMetric) -> dict[str, str]:
    """The headline scores that are means over questions, with the tallies that they are means of.

    Raises UsageError: the metric has none, so no harness could average it.
    """
    averages = metric.averages(())
    main = [name for name in metric.headline if name in averages] or averages
    # The mean of single replies' scores is no pooled score and no harmonic mean.
    kinds = {name: averages[name] for name in main}
    found = {name: kind.column for name, kind in kinds.items() if type(kind) is Macro}
    if not found or isinstance(metric, WholeMetric):
        raise UsageError(f"no score of {metric} is a mean over questions: use argue-bench evaluate")
    return found


def question_scores(report: Report, metric: Metric | WholeMetric) -> dict[str, dict[str, float]]:
    """The scores of each question; NaN where a score does not apply or nobody judged it. Raises JudgeError."""
    found: dict[str, dict[str, float]] = {}
    for id, tallies in report.per_question.items():
        if (counted := tallies[str(metric)]) is None:
            raise JudgeError(f"{id}: {report.failures[0]}")
        got = {
            name: counted.get(column, NOT_APPLICABLE).value
            for name, column in macro_scores(metric).items()
        }
        found[id] = {name: math.nan if v is None else float(v) for name, v in got.items()}
    return found


def score_row(
    row: Mapping[str, Any],
    metric: Metric | WholeMetric,
    judge: str = "lexical",
    columns: Mapping[str, str] | None = None,
) -> tuple[dict[str, float], Report]:
    """The scores of one row as `question_scores`, and its report. Raises DataError, JudgeError, UsageError."""
    report = evaluate(*from_rows([row], columns), [metric], judge=judge)
    (found,) = question_scores(report, metric).values()
    return found, report


def mean(values: Iterable[float]) -> float:
    """The mean of the values that apply; NaN where none does."""
    kept = [value for value in values if not math.isnan(value)]
    return math.fsum(kept) / len(kept) if kept else math.nan
