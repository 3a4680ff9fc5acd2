"""Which metrics are run on which questions of a data set, and why not the others?"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from argue_bench.errors import MissingExtra, NoGold
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import Metric, WholeMetric, parse
from argue_bench.records import Question


class Chosen(NamedTuple):
    """The metrics of a run. ``whole`` are those of all answers together, which ask nothing."""

    metrics: tuple[Metric, ...]
    whole: tuple[WholeMetric, ...]
    not_run: Mapping[str, str]
    """Metric text to the line that turns it on."""


def choose(dataset: Dataset, named: Sequence[str | Metric] | None = None) -> Chosen:
    """The metrics that were named, or the data set's own, of which those lacking an extra are not run.

    Raises UnknownName and UsageError, and MissingExtra where a metric was named.
    """
    wanted: list[Metric] = []
    not_run: dict[str, str] = {}
    for given in dataset.metrics if named is None else named:
        metric = parse(given) if isinstance(given, str) else given
        try:
            metric.require()
        except MissingExtra as missing:
            if named is not None:
                raise
            not_run[str(metric)] = str(missing)
        else:
            wanted.append(metric)
    return Chosen(
        tuple(metric for metric in wanted if not isinstance(metric, WholeMetric)),
        tuple(metric for metric in wanted if isinstance(metric, WholeMetric)),
        not_run,
    )


def refuse_sealed(dataset: Dataset, questions: Iterable[Question]) -> None:
    """Raises NoGold where one of these questions of the data set has none."""
    sealed = next((question.id for question in questions if question.gold is None), None)
    if sealed is not None:
        raise NoGold(
            f"{sealed} has no gold: the {dataset.split} split of {dataset.name} is sealed. "
            "Score it by pull request, or use load_dev()."
        )
