"""The same boards as the honest tests have, and a pull request on its way through them."""

from tests.leaderboard.conftest import Start, pristine, repository, start, template

__all__ = ["Start", "pristine", "repository", "start", "template"]
