"""One season for all tests of the board's steps; a fresh repository for each of them."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.leaderboard.repositories import Repository, make_template, new_repository


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
    shutil.copytree(pristine.path.parent, tmp_path / "board")
    path = tmp_path / "board" / "base.git"
    folder = tmp_path / "board" / "trusted" / "leaderboard-submissions"
    return Repository(path, pristine.key, ids=pristine.ids, folder=folder)
