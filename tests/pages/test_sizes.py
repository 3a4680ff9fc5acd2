"""The sizes of models by which a board is filtered."""

from __future__ import annotations

import pytest

from argue_bench.pages.board import _size


@pytest.mark.parametrize(
    ("billions", "size"),
    [(None, ""), (2.9, "0-3"), (3, "3-10"), (10, "10-40"), (40, "40-100"), (100, "100-")],
)
def test_a_model_at_a_bound_is_of_the_larger_size(billions: float | None, size: str) -> None:
    assert _size({"parameters": billions}) == size
