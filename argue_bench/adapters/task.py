"""What is a harness told of a data set? Prompts to send, and what each score of a reply is.

A harness averages what single replies score; that is our own average for macro scores, such as those of
argue and accuracy. For signed numbers write the answers to a file and use ``argue-bench evaluate``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from argue_bench.errors import JudgeError, NoGold
from argue_bench.eval import aevaluate, evaluate
from argue_bench.eval.report import Report
from argue_bench.loaders import load
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import Metric, WholeMetric, parse
from argue_bench.stats.averages import Macro
from argue_bench.systems.asking import Asked, Asking, Prompter
from argue_bench.systems.base import Setting
from argue_bench.systems.forms import form, form_for
from argue_bench.systems.replies import read


class HarnessTask:
    """A data set in one setting with one metric, as a harness wants it.

    Raises what loading does, NoGold for a sealed split, UnknownName and UsageError.
    """

    def __init__(
        self, on: str = "core", split: str = "dev", data: str = "",
        setting: Setting = "evidenceprovided", prompt: str = "", metric: str = "argue",
        judge: str = "lexical", shot: int = 0,
    ) -> None:  # fmt: skip
        self.dataset: Dataset = load(on, split, data or None)
        if self.dataset.sealed:
            raise NoGold(f"{self.dataset.title} has no gold, so a harness has nothing to score")
        self.metric = parse(metric)
        self.columns = averaged(self.metric)
        self._judge = judge
        asks = any(question.request for question in self.dataset)
        self._form = form(prompt) if prompt else form_for(self.dataset.name, setting, asks)
        self._prompter = Prompter(
            self.dataset, setting, self._form, Asking(shot=shot), self.dataset
        )

    @cached_property
    def asked(self) -> Mapping[str, Asked]:
        """The prompts by question id."""
        return {question.id: self._prompter.asked(question) for question in self.dataset}

    def answer(self, id: str, reply: str) -> str:
        """The answer in a reply; an empty text where there is none."""
        asked = self.asked[id]
        return read(reply, asked.question, asked.shown, self._form).text

    def score(self, id: str, reply: str) -> dict[str, float]:
        """What the reply scores, by score; NaN where a score does not apply. Raises JudgeError."""
        given = [{"id": id, "answer": self.answer(id, reply)}]
        return self._values(
            id, evaluate(self._one(id), given, [self.metric], judge=self._judge, resamples=0)
        )

    async def ascore(self, id: str, reply: str) -> dict[str, float]:
        """The same inside an event loop."""
        given = [{"id": id, "answer": self.answer(id, reply)}]
        report = await aevaluate(
            self._one(id), given, [self.metric], judge=self._judge, resamples=0
        )
        return self._values(id, report)

    def _one(self, id: str) -> Dataset:
        return replace(self.dataset, questions=(self.dataset.question(id),))

    def _values(self, id: str, report: Report) -> dict[str, float]:
        tallies = report.per_question[id][str(self.metric)]
        if tallies is None:
            raise JudgeError(f"{id}: {report.failures[0]}")
        values = {name: tallies[column].value for name, column in self.columns.items()}
        return {name: float("nan") if v is None else float(v) for name, v in values.items()}


def averaged(metric: Metric | WholeMetric) -> dict[str, str]:
    """The headline scores that are means over questions, with the tallies that they are means of."""
    names = metric.headline or tuple(metric.scores)
    kinds = {name: metric.scores[name] for name in names}
    return {name: kind.column for name, kind in kinds.items() if type(kind) is Macro}


def data_path(title: str) -> Path:
    """Where rows for a harness that reads files are kept."""
    from argue_bench.fetch import cache_folder

    return cache_folder() / "harness" / title.replace("@", "-")
