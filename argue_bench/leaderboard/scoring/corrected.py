"""Seasons that require labels: the scores of a row are corrected by what people said of its answers.

Labels lie under ``labels/SEASON/SETTING/`` as ``SYSTEM.jsonl``, or ``SYSTEM.PERSON.jsonl`` of several
people. A row whose ranked score they do not correct, or correct by fewer questions than the season
requires, is not written.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from argue_bench.errors import Code, DataError
from argue_bench.eval import Report
from argue_bench.leaderboard.formats.results import LabelFacts, Setting
from argue_bench.leaderboard.formats.season import Season

FOLDER = "labels"


def label_files(folder: Path, season: str, setting: str, system: str) -> list[Path]:
    """The files with people's labels on one system's answers in one setting."""
    place = folder / FOLDER / season / setting
    return sorted([*place.glob(f"{system}.jsonl"), *place.glob(f"{system}.*.jsonl")])


def corrected_setting(
    made: Setting, report: Report, season: Season, place: Path, run: Path | None
) -> Setting:
    """A setting with corrected scores in place of the judge's, and its labels told.

    The signature says what the season requires and not which labels these are, so that rows still rank
    together. Raises DataError where the labels are too few, or none, or of other texts.
    """
    least = season.labels or 0
    key = report.scores.full(season.ranked)
    one = report.corrected.get(key)
    own = one is not None and one.method != "calibration"
    if one is None or not own or one.value is None or one.labelled < least:
        n = one.labelled if one is not None and own else 0
        why = f"people labelled {n} questions for {key}; the season requires {least}"
        if one is not None and one.reason:
            why = f"{why} ({one.reason})"
        view = f"argue-bench view {run or 'RUN'} --label --questions {least}"
        hint = f"Label with `{view}`, put the labels there and score again."
        raise DataError.of(Code.LABELS_REQUIRED, why, place, hint=hint)
    scores = {
        name: {**score, "value": found.value, "low": found.low, "high": found.high}
        if (found := report.corrected.get(name)) and found.value is not None
        else score
        for name, score in made.scores.items()
    }
    said = f"people's on {least} questions or more"
    signature = {
        text: {**parts, **({"labels": said} if "labels" in parts else {})}
        for text, parts in made.signature.items()
    }
    digest = report.signature[key.rpartition(".")[0]]["labels"].partition(",")[0]
    facts = LabelFacts(digest, one.labelled)
    return replace(made, signature=signature, scores=scores, labels=facts)
