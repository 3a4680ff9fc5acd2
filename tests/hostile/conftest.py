"""The same boards as the honest tests have, and a pull request on its way through them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.pulls import S
from tests.leaderboard.conftest import pristine, repository, template
from tests.leaderboard.repositories import Repository
from tests.leaderboard.steps import Steps, with_secrets

__all__ = ["Start", "pristine", "repository", "start", "template"]

Start = Callable[..., Steps]


@pytest.fixture
def start(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Sends a system's pull request, ready for the board's steps."""
    with_secrets(monkeypatch, repository)

    def begin(system: str = S, author: str = "1001", **options: Any) -> Steps:
        request = repository.send(system, author, **options)
        return Steps(repository, request, tmp_path / f"pr{request.pr}")

    return begin
