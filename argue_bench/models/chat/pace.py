"""Rate limits: calls wait here for requests and tokens a minute, so that a server need not refuse
them.

Limits are the user's (``--rpm``, ``--tpm``), a provider's row's, and what the server says in the headers of
its replies (OpenAI's ``x-ratelimit-*``, Anthropic's ``anthropic-ratelimit-*``). Calls are spread evenly: no
minute has more than its share, and none is held back longer than it needs to be.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Mapping
from datetime import datetime

from argue_bench.models.budget import Rates

_LONGEST_HOLD = 120.0
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION = re.compile(r"(\d+(?:\.\d+)?)(ms|s|m|h|d)")
_HEADERS = (
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests", False),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens", True),
    ("anthropic-ratelimit-requests-remaining", "anthropic-ratelimit-requests-reset", False),
    ("anthropic-ratelimit-tokens-remaining", "anthropic-ratelimit-tokens-reset", True),
    ("anthropic-ratelimit-input-tokens-remaining", "anthropic-ratelimit-input-tokens-reset", True),
)
"""Header of what is left, header of when it is whole again, and whether it counts tokens."""


class Pace:
    """The pace of the calls of one model. ``clock`` gives seconds."""

    def __init__(self, rates: Rates, clock: Callable[[], float] = time.monotonic) -> None:
        self.rates, self._clock = rates, clock
        self._next_request = self._next_token = 0.0
        self._left: dict[bool, tuple[float, float]] = {}
        """By whether tokens are counted: what is left, and when it is whole again."""

    @property
    def holds(self) -> bool:
        """Whether a server said what is left of a limit."""
        return bool(self._left)

    async def wait(self, tokens: float) -> None:
        """Waits until a call of about so many tokens may be sent, and counts it."""
        while (pause := self.book(tokens)) > 0:
            await asyncio.sleep(pause)

    def book(self, tokens: float) -> float:
        """Seconds until such a call may be sent; 0 where it may now, which counts it."""
        now = self._clock()
        due = max(self._next_request, self._next_token)
        for counts_tokens, (left, whole_at) in self._left.items():
            if left < (tokens if counts_tokens else 1) and now < whole_at:
                due = max(due, whole_at)
        if due > now:
            return due - now
        if self.rates.rpm:
            self._next_request = max(now, self._next_request) + 60 / self.rates.rpm
        self.add_tokens(tokens)
        self._left = {
            kind: (left - (tokens if kind else 1), at)
            for kind, (left, at) in self._left.items()
            if at > now
        }
        return 0.0

    def add_tokens(self, tokens: float) -> None:
        """Counts further tokens of a call that took more than was thought; fewer where negative."""
        if self.rates.tpm:
            since = max(self._clock(), self._next_token) if tokens >= 0 else self._next_token
            self._next_token = since + tokens * 60 / self.rates.tpm

    def hear(self, headers: Mapping[str, str]) -> None:
        """Reads what a server says is left of its limits."""
        for remaining, reset, counts_tokens in _HEADERS:
            left, after = headers.get(remaining), headers.get(reset)
            if left is None or after is None or not re.fullmatch(r"\d{1,12}", left.strip()):
                continue  # Azure writes -1 where it does not count
            seconds = read_duration(after)
            if seconds is not None:
                at = self._clock() + min(seconds, _LONGEST_HOLD)
                self._left[counts_tokens] = (float(left), at)


def read_duration(text: str) -> float | None:
    """Seconds of ``6m0s``, ``20ms``, ``1.5`` or of the time until a date like 2026-11-22T10:00:00Z."""
    text = text.strip()
    if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", text):
        return float(text)
    parts = _DURATION.findall(text[:50])
    if parts and "".join(number + unit for number, unit in parts) == text:
        return sum(float(number) * _UNITS[unit] for number, unit in parts)
    try:
        return max(0.0, datetime.fromisoformat(text).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None
