"""FanOutQA's `evaluate` under its own name: accuracy, ROUGE, BLEURT and a judge, and its score object.

Accuracy and ROUGE are those of its package. BLEURT and the judge run where they are named, the judge
also where FANOUTQA_OPENAI_API_KEY is set; what was not run is None, never 0.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import InitVar, asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypedDict
from urllib.parse import quote

from argue_bench.eval import Report
from argue_bench.eval import evaluate as evaluate_metrics
from argue_bench.eval.judging import JudgeLike
from argue_bench.judges.prompted.spec import chat
from argue_bench.loaders.answers import AnswerInput
from argue_bench.loaders.dataset import Dataset
from argue_bench.models.environment import environment
from argue_bench.published.fanoutqa.accuracy import answer_in_text
from argue_bench.records import Question
from argue_bench.store.fetch import cache_folder

__all__ = [
    "AccuracyScore",
    "Answer",
    "EvaluationScore",
    "EvaluationSingleScore",
    "RougeScore",
    "RougeScorePart",
    "Scorer",
    "answer_in_text",
    "evaluate",
]

KEY = "FANOUTQA_OPENAI_API_KEY"
# The model that FanOutQA's package asks where the key is set.
JUDGE = "openai/gpt-4-0613,seed=31415"
# The folder that FanOutQA's package loads BLEURT from, where it lies in the working folder.
CHECKPOINT = "BLEURT-20"
_ACCURACY = "accuracy(rules=fanoutqa)"
_NOT_RUN = {
    "bleurt": "unpack BLEURT-20 and write evaluate(..., bleurt='bleurt:BLEURT-20')",
    "gpt": f"set {KEY}, or write evaluate(..., judge='openai/gpt-4o')",
}
_LOG = logging.getLogger(__name__)


class Answer(TypedDict):
    """A system's answer to the question of this id."""

    id: str
    answer: str


@dataclass
class AccuracyScore:
    """String accuracy: the mean share of reference strings found, and the share of perfect answers."""

    loose: float | None
    strict: float | None


@dataclass
class RougeScorePart:
    """One kind of ROUGE."""

    precision: float | None
    recall: float | None
    fscore: float | None


@dataclass
class RougeScore:
    """ROUGE of the answer against the reference answer as text."""

    rouge1: RougeScorePart
    rouge2: RougeScorePart
    rougeL: RougeScorePart


@dataclass
class EvaluationSingleScore:
    """The scores of one question."""

    question_id: str
    acc: float | None
    rouge: RougeScore
    bleurt: float | None
    gpt: float | None


@dataclass
class EvaluationScore:
    """FanOutQA's scores, for ``dataclasses.asdict`` too; None is what was not run, or failed.

    ``report`` has them with intervals, signatures and failures.
    """

    acc: AccuracyScore
    rouge: RougeScore
    bleurt: float | None
    gpt: float | None
    raw: list[EvaluationSingleScore]
    made_from: InitVar[Report]

    def __post_init__(self, made_from: Report) -> None:
        self._report = made_from

    @property
    def report(self) -> Report:
        return self._report

    def to_dict(self, include_raw: bool = False) -> dict[str, Any]:
        """The scores as plain data, with those of each question if ``include_raw``."""
        scores = asdict(self)
        return scores if include_raw else {key: scores[key] for key in scores if key != "raw"}


def evaluate(
    questions: Sequence[Question],
    answers: Iterable[AnswerInput],
    only_score_answered: bool = False,
    llm_cache_key: str | None = None,
    *,
    bleurt: JudgeLike | None = None,
    judge: JudgeLike | None = None,
) -> EvaluationScore:
    """FanOutQA's scores of answers ``{"id", "answer"}`` to questions of `load_dev`.

    ``only_score_answered`` leaves out the questions without an answer, which count 0 otherwise.
    ``llm_cache_key`` names where verdicts are kept, so that none is paid for twice. ``bleurt`` and
    ``judge`` are judges: ``bleurt:FOLDER``, ``openai/gpt-4o``; a folder ``BLEURT-20`` that lies there is
    taken by itself.

    Raises what `argue_bench.eval.aevaluate` raises.
    """
    if judge is None and (key := environment().get(KEY)):
        judge = chat(JUDGE, known={**environment(), "OPENAI_API_KEY": key})
    if bleurt is None and Path(CHECKPOINT).is_dir():
        bleurt = f"bleurt:{CHECKPOINT}"
    # What costs money, or needs a download, runs only where it was named.
    models = {"bleurt": ("bleurt(judge=bleurt)", bleurt), "gpt": ("factuality(judge=gpt)", judge)}
    named = {name: one for name, (_, one) in models.items() if one is not None}
    for name, line in _NOT_RUN.items():
        if name not in named:
            _LOG.warning("%s was not run: %s", name, line)
    report = evaluate_metrics(
        Dataset("fanoutqa", _split(questions), tuple(questions)),
        answers,
        [_ACCURACY, "rouge", *(models[name][0] for name in named)],
        judges=named,
        only_answered=only_score_answered,
        store=_store(llm_cache_key) if llm_cache_key and named else None,
    )
    values = {key: score.value for key, score in report.scores.items()}
    for key, score in report.scores.items():
        if score.value is None and score.failed:
            why = report.failures[0]
            _LOG.error(
                "%s is None: %d of %d questions failed; %s", key, score.failed, report.n, why
            )
    return EvaluationScore(
        AccuracyScore(*(values[f"{_ACCURACY}.{name}"] for name in ("loose", "strict"))),
        _rouge(values),
        values.get("bleurt(judge=bleurt).score"),
        values.get("factuality(judge=gpt).accuracy"),
        [_single(id, report) for id in report.per_question],
        report,
    )


class Scorer:
    """FanOutQA's scorer: `evaluate` in parts. The parameters are those of `evaluate`."""

    def __init__(
        self,
        questions: Sequence[Question],
        answers: Sequence[Answer],
        only_score_answered: bool = False,
        llm_cache_key: str | None = None,
    ) -> None:
        self.questions = questions
        self.answers = answers
        self.only_score_answered = only_score_answered
        self.llm_cache_key = llm_cache_key

    async def score(self) -> EvaluationScore:
        """All scores. Raises what `evaluate` raises."""
        return self._score

    def get_qa_pairs(self) -> Iterator[tuple[Question, Answer | None]]:
        """Each question that is scored, with its answer, or None where it has none."""
        given = {one["id"]: one for one in self.answers}
        for question in self.questions:
            if question.id in given or not self.only_score_answered:
                yield question, given.get(question.id)

    def score_accuracy(self) -> tuple[AccuracyScore, dict[str, float | None]]:
        """Accuracy of the set, and the share found by question."""
        return self._score.acc, {one.question_id: one.acc for one in self._score.raw}

    def score_rouge(self) -> tuple[RougeScore, dict[str, RougeScore]]:
        """ROUGE of the set and by question."""
        return self._score.rouge, {one.question_id: one.rouge for one in self._score.raw}

    @cached_property
    def _score(self) -> EvaluationScore:
        return evaluate(self.questions, self.answers, self.only_score_answered, self.llm_cache_key)


def _split(questions: Iterable[Question]) -> str:
    return "test" if all(question.gold is None for question in questions) else "dev"


def _store(key: str) -> Path:
    return cache_folder() / "fanoutqa" / f"{quote(key, safe='')}.verdicts"


def _single(id: str, report: Report) -> EvaluationSingleScore:
    """The scores of one question from its tallies."""
    values = {
        f"{metric}.{name}": tally.value
        for metric, tallies in report.per_question[id].items()
        for name, tally in (tallies or {}).items()
    }
    return EvaluationSingleScore(
        id,
        values[f"{_ACCURACY}.loose"],
        _rouge(values),
        values.get("bleurt(judge=bleurt).score"),
        values.get("factuality(judge=gpt).accuracy"),
    )


def _rouge(values: Mapping[str, float | None]) -> RougeScore:
    parts = ("precision", "recall", "fscore")
    return RougeScore(
        *(
            RougeScorePart(*(values[f"rouge.{kind}_{part}"] for part in parts))
            for kind in ("rouge1", "rouge2", "rougeL")
        )
    )
