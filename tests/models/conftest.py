"""What all tests of models share."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits of milliseconds; how they grow is what `test_waits_grow` looks at."""
    monkeypatch.setattr("argue_bench.models.reply._FIRST_WAIT", 0.002)
