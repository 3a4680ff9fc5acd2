"""One season for all tests of the board's steps; a fresh repository for each of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.leaderboard.repositories import Repository, make_template, new_repository
from tests.leaderboard.steps import Steps, with_secrets

Start = Callable[..., Steps]


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    folder = tmp_path_factory.mktemp("season") / "toy"
    return folder, make_template(folder)


@pytest.fixture(scope="session")
def pristine(template: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory) -> Repository:
    return new_repository(tmp_path_factory.mktemp("board") / "new", *template)


@pytest.fixture
def repository(pristine: Repository, tmp_path: Path) -> Repository:
    """A copy of the board that this test may change."""
    return pristine.copy(tmp_path / "board")


@pytest.fixture
def start(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Sends an honest pull request of a system, ready for the board's steps."""
    with_secrets(monkeypatch, repository)

    def begin(system: str = "my-system", author: str = "1001", **options: Any) -> Steps:
        request = repository.send(system, author, **options)
        return Steps(repository, request, tmp_path / f"pr{request.pr}")

    return begin
