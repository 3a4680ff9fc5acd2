"""What the ledger counts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from argue_bench.errors import SubmissionError
from argue_bench.leaderboard.formats.layout import SIGNED_ANEW
from argue_bench.leaderboard.formats.ledger import (
    Event,
    hidden_systems,
    read_ledger,
    refuse_twice,
    runs_of,
    told_scores,
)
from argue_bench.leaderboard.publishing import record
from argue_bench.leaderboard.publishing.record import RecordTarget, record_events
from tests.leaderboard.repositories import SEASON, Repository


@pytest.mark.parametrize(
    ("date", "counts"),
    [
        ("2026-01-30T12:00:00Z", True),
        ("2026-01-01T12:00:01Z", True),
        ("2026-01-01T12:00:00Z", False),  # 30 days ago to the second: a run is free again
        ("2026-01-01T11:59:59Z", False),
    ],
)
def test_a_run_counts_for_so_many_days_and_no_second_longer(date: str, counts: bool) -> None:
    event = Event("scored", date, "s1", "my-system", "1001")
    now = "2026-01-31T12:00:00Z"
    assert runs_of([event], "1001", "s1", now, 30) == ([event] if counts else [])
    assert runs_of([event], "1001", "s1") == [event]


def test_a_lapsed_run_is_free_for_its_own_answers_alone() -> None:
    """Its score was told: free for others too, it would be one told score more than the quota."""
    date = "2026-01-01T12:00:00Z"
    lapsed = Event("expired", date, "s1", "wanted", "1001", answers="a", reason="system-taken")
    assert runs_of([lapsed], "1001", "s1", answers="a") == []
    assert runs_of([lapsed], "1001", "s1", answers="b") == [lapsed]
    again = Event("scored", date, "s1", "other", "1001", answers="a")
    assert runs_of([lapsed, again], "1001", "s1", answers="b") == [again]


def test_a_run_without_a_step_up_brings_no_withdrawn_row_back() -> None:
    about = ("2026-01-01T12:00:00Z", "s1", "mine", "1001")
    gone = [Event("scored", *about), Event("withdrawn", *about)]
    assert hidden_systems([*gone, Event("unchanged", *about)], "s1") == {"mine"}
    assert hidden_systems([*gone, Event("scored", *about)], "s1") == set()


def test_what_lapsed_is_scored_again_once_it_is_labelled_again() -> None:
    """A note during a scoring cost the run, and the guide's way on was refused."""
    about = ("2026-01-01T12:00:00Z", "s1", "mine", "1001")
    lapsed = Event("expired", *about, digest="bundle", answers="a", reason="results-moved")
    refuse_twice([lapsed], "bundle", "s1")
    assert runs_of([lapsed], "1001", "s1", answers="a") == []
    assert runs_of([lapsed], "1001", "s1", answers="b") == [lapsed]
    with pytest.raises(SubmissionError):
        refuse_twice([lapsed], "bundle", lapsed=True)


def test_the_organiser_gives_back_runs_that_ended_by_the_boards_own_limits() -> None:
    """Neither another system's, nor one that was scored, nor one that ends so after that."""
    about = ("2026-01-01T12:00:00Z", "s1")
    ended = [Event("outran", *about, name, "1001", digest=name) for name in ("mine", "other")]
    scored = Event("scored", *about, "mine", "1001", digest="scored")
    back = Event("run returned", *about, "mine")
    again = Event("outran", *about, "mine", "1001", digest="again")
    assert runs_of([*ended, scored, back, again], "1001", "s1") == [ended[1], scored, again]
    refuse_twice([*ended, back], "mine", "s1")
    for digest in ("other", "scored", "again"):
        with pytest.raises(SubmissionError):
            refuse_twice([*ended, scored, back, again], digest, "s1")


def test_answers_that_are_signed_anew_lower_no_gate() -> None:
    """Their score was told before better answers were: what lies in between would be told for no step up."""
    about = ("2026-01-01T00:00:00Z", "s1", "my-system", "1001")
    told = [Event("scored", *about, scores={"openbook": value}) for value in (0.5, 0.8)]
    again, *anew = (
        Event("re-scored", *about, reason=reason, scores={"openbook": value})
        for reason, value in (("x", 0.5), (f"{SIGNED_ANEW} a", 0.5), (f"{SIGNED_ANEW} b", 0.8))
    )
    assert max(told_scores([*told, anew[0]], "1001", "s1")["openbook"]) == 0.8
    assert max(told_scores([*told, again, *anew], "1001", "s1")["openbook"]) == 0.8
    assert told_scores([*told, *anew, again], "1001", "s1") == {"openbook": [0.5]}


def test_jobs_that_record_at_one_moment_all_get_through(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "LONGEST_PAUSE", 0.5)
    target, date = RecordTarget(repository.remote), "2026-01-01T00:00:00Z"
    notes = [Event("note", date, SEASON, reason=f"job {n}") for n in range(10)]
    with ThreadPoolExecutor(10) as jobs:
        assert len({*jobs.map(lambda one: record_events(target, [one]), notes)}) == 10
    read = read_ledger(repository.at("leaderboard-results", "results/ledger.jsonl"))
    assert {one.reason for one in read} >= {one.reason for one in notes}


def test_a_push_that_a_rule_of_the_repository_forbids_is_said_to_be_refused(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record, "LONGEST_PAUSE", 0.0)
    hook = Path(repository.remote.removeprefix("file://")) / "hooks" / "pre-receive"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    made = [Event("note", "2026-01-01T00:00:00Z", SEASON, reason="x")]
    with pytest.raises(SubmissionError, match="did not move") as raised:
        record_events(RecordTarget(repository.remote), made)
    assert raised.value.findings[0].code == "git-failed"
    monkeypatch.setattr(record, "TRIES", 2)  # as if others moved it each time
    with pytest.raises(SubmissionError, match="moved 2 times") as raised:
        record_events(RecordTarget(repository.remote), made)
    assert raised.value.findings[0].code == "push-race"
