"""People's verdicts: labels of judge requests, how far a judge agrees with them, and scores that they correct."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from argue_bench.eval.report import Report
    from argue_bench.lab.labels import LabelsLike
    from argue_bench.loaders.dataset import Dataset


def correct(
    run: str | Path, labels: LabelsLike, dataset: Dataset | None = None, **options: Any
) -> Report:
    """The report of a run file with its scores corrected by people's labels.

    ``run`` is the file that ``evaluate --out`` wrote, of one system. ``labels`` is a label file, several of
    them, or `argue_bench.lab.labels.Labels`. ``dataset`` and the options are those of
    `argue_bench.lab.corrected.corrections.corrected_report`, which says what is raised.
    ``report.corrected["citations.recall"]`` has the value, its interval and the judge's bias.
    """
    from argue_bench.lab.corrected import corrections

    return corrections.corrected_report(run, labels, dataset, **options)
