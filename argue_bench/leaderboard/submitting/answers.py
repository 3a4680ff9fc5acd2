"""The answers of a checked file, as every step of a board reads them."""

from __future__ import annotations

from pathlib import Path

from argue_bench.errors import Code, DataError
from argue_bench.leaderboard.formats.results import AnswerFacts
from argue_bench.leaderboard.formats.season import Season
from argue_bench.leaderboard.screening.answers import facts_of
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Answer


def read_submitted(
    path: Path, season: Season, dataset: Dataset
) -> tuple[list[Answer], AnswerFacts]:
    """The answers of a checked file as they are scored, within the season's limits; and their facts.

    Raises DataError.
    """
    from argue_bench.loaders.answers import read_answer_file
    from argue_bench.loaders.limits import within_limits

    read, findings = read_answer_file(path, dataset)
    # An answer to a question that the set dropped counts for nothing, and spoils nothing.
    if any(one.level == "error" and one.code != Code.UNKNOWN_ID for one in findings):
        raise DataError(findings)
    limited = within_limits(read, dataset, season.limits)
    spared = season.over_limit == "cut"
    answers = [one for id, one in limited.answers.items() if spared or id not in limited.cut]
    return answers, facts_of(answers, dataset, len(limited.cut))
