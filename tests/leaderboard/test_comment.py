"""What the board answers says what is true when it is read: before anything was merged."""

from __future__ import annotations

import re

import pytest

from argue_bench.leaderboard.formats.outcome import Disclosed, StepOutcome
from argue_bench.leaderboard.publishing.comment import code_span, write_comment

MOVED = {"openbook": Disclosed(True, 0.263, 0.228, 0.298)}


def test_a_score_is_no_row_yet() -> None:
    told = write_comment(
        StepOutcome("score", "scored", system="mine", settings=MOVED, ranked="argue.f1", pr=7)
    )
    assert told.splitlines()[1] == "**Scored. The row appears when the pull request is merged.**"
    assert "on the board" not in told
    assert "| `openbook` | 26.3 | 22.8 to 29.8 |" in told


STOOD = {"closedbook": Disclosed(False)}


def test_what_did_not_move_is_not_to_be_merged() -> None:
    told = write_comment(StepOutcome("score", "unchanged", system="mine", settings=STOOD, pr=7))
    assert told.splitlines()[1].endswith("The board stays as it was; leave this unmerged.**")
    assert "Before this is merged" not in told
    mixed = write_comment(
        StepOutcome("score", "scored", system="mine", settings={**MOVED, **STOOD}, pr=7)
    )
    assert "Before this is merged: where there is no step up" in mixed
    assert "Before this" not in write_comment(StepOutcome("score", "scored", settings=MOVED, pr=7))


def test_where_no_score_is_told_of_so_few_questions_no_gain_is_denied() -> None:
    told = write_comment(
        StepOutcome("score", "unchanged", system="mine", settings=STOOD, pr=7, questions=6)
    )
    why = "this season has 6 questions: no score is told below 20"
    assert told.splitlines()[1] == f"**Scored, but {why}. Leave this unmerged.**"
    assert "significant" not in told


@pytest.mark.parametrize(
    ("quota", "says"),
    [(None, "author in the season: 2."), (5, "author that the quota counts: 2 of 5.")],
)
def test_runs_are_counted_as_the_quota_counts_them(quota: int | None, says: str) -> None:
    """A quota may be for any so many days in a row: then runs before are none of it."""
    assert says in write_comment(
        StepOutcome("score", "scored", settings=MOVED, pr=7, runs=2, quota=quota)
    )


@pytest.mark.parametrize("state", ["refused", "failed"])
def test_a_scoring_that_used_no_run_counts_none(state: str) -> None:
    """Rows of another release refuse a scoring, and the comment counted it as the author's second run."""
    assert "Scored runs" not in write_comment(StepOutcome("score", state, pr=7, runs=2, quota=5))


@pytest.mark.parametrize("text", ["@everyone", "see #1", "Fixes #12, @a/b"])
def test_no_mention_or_reference_is_whole_in_what_is_quoted(text: str) -> None:
    """Code spans are enough on the platform; in its mails and elsewhere they are plain text."""
    assert not re.search(r"[@#][A-Za-z0-9]", code_span(text))
    assert code_span(text).replace("\u200b", "") == f"`{text}`"
