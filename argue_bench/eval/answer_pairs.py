"""The questions of an evaluation, each with its answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import overload

from argue_bench.errors import UsageError
from argue_bench.eval.driver import refuse_sealed
from argue_bench.loaders.answers import AnswersLike, as_answers
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.limits import AnswerLimits, within_limits
from argue_bench.records import Answer, Question
from argue_bench.stats.clusters import number_clusters


def question_count(pairs: AnswerPairs) -> str:
    """The number of questions, and of the clusters that they form, for signatures."""
    clusters = number_clusters(pairs.questions[id].cluster for id in pairs.ids)
    return str(len(pairs)) + (f" in {int(clusters.max()) + 1}" if clusters is not None else "")


def answer_pairs(
    dataset: Dataset,
    answers: AnswersLike,
    only_answered: bool,
    cut: bool,
    system: str,
) -> AnswerPairs:
    """The questions to score, each with its answer, an empty one where there is none."""
    given: Mapping[str, Answer] = as_answers(answers, dataset)
    if cut:
        given = within_limits(given, dataset, AnswerLimits()).answers
    ids = [id for id in dataset.by_id if id in given or not only_answered]
    pairs = AnswerPairs(dataset.by_id, given, ids, system)
    if not pairs:
        raise UsageError(
            f"no question of {dataset.name} was answered, so there is nothing to score; without "
            "only_answered each of them counts 0"
        )
    for id in ids:
        refuse_sealed(dataset.by_id[id])
    return pairs


@dataclass(frozen=True)
class AnswerPairs(Sequence[tuple[Question, Answer]]):
    """Questions with their answers, made when they are looked up."""

    questions: Mapping[str, Question]
    given: Mapping[str, Answer]
    ids: Sequence[str]
    system: str

    @overload
    def __getitem__(self, index: int) -> tuple[Question, Answer]: ...
    @overload
    def __getitem__(self, index: slice) -> AnswerPairs: ...
    def __getitem__(self, index: int | slice) -> tuple[Question, Answer] | AnswerPairs:
        if isinstance(index, slice):
            return replace(self, ids=self.ids[index])
        id = self.ids[index]
        return self.questions[id], self.given.get(id) or Answer(id, run=self.system)

    def __len__(self) -> int:
        return len(self.ids)
