"""The addresses of one model, used in turn; an unreachable one is skipped for a while."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

_REST_SECONDS = 30.0
"""For how long an address is left out where other addresses are left."""


class Addresses:
    """Addresses in turn. ``clock`` gives seconds."""

    def __init__(self, urls: Sequence[str], clock: Callable[[], float] = time.monotonic) -> None:
        self.urls = tuple(urls)
        self._clock = clock
        self._turn = 0
        self._resting: dict[str, float] = {}
        """Until when each address rests from which nothing was heard."""

    def next(self) -> str:
        """The next address that is not skipped; any next address where all of them are."""
        first = self._turn % len(self.urls)
        order = (*self.urls[first:], *self.urls[:first])
        now = self._clock() if self._resting else 0.0
        url = next((one for one in order if self._resting.get(one, 0.0) <= now), order[0])
        self._turn = self.urls.index(url) + 1
        return url

    def rest(self, url: str) -> None:
        """Skips an address that did not answer."""
        self._resting[url] = self._clock() + _REST_SECONDS

    def heard(self, url: str) -> None:
        """Uses an address again: it answered, though perhaps with a refusal."""
        self._resting.pop(url, None)
