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
