"""The same boards as the honest tests have."""

from tests.leaderboard.conftest import pristine, repository, template

__all__ = ["pristine", "repository", "template"]
