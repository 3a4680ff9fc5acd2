"""What the ledger counts."""

from __future__ import annotations

import pytest

from argue_bench.leaderboard.formats.ledger import Event, runs_of


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
