"""Garbage is looked for seldom while runs go on, and as before once the last has ended."""

from __future__ import annotations

import gc

import pytest

from argue_bench.eval.memory import seldom_collected


def test_the_threshold_of_before_comes_back_after_the_last_run() -> None:
    before = gc.get_threshold()
    first, second = seldom_collected(), seldom_collected()
    with first:
        assert gc.get_threshold()[0] == 20_000
        second.__enter__()
    assert gc.get_threshold()[0] == 20_000  # the second goes on, though it began later
    second.__exit__(None, None, None)
    assert gc.get_threshold() == before


@pytest.mark.parametrize("threshold", [0, 50_000])
def test_who_wants_it_less_often_still_has_it_so(threshold: int) -> None:
    before = gc.get_threshold()
    gc.set_threshold(threshold)
    try:
        with seldom_collected():
            assert gc.get_threshold()[0] == threshold
        assert gc.get_threshold()[0] == threshold
    finally:
        gc.set_threshold(*before)
