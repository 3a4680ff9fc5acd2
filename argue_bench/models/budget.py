"""May this call still be paid for? A limit in US dollars that is never passed, shared by a run's judges.

Before a call its dearest outcome is set aside (every byte a token, every token allowed written); after
it, what it really cost is booked. A call that would not fit waits for those under way, and if
there are none the run stops; its verdicts are stored, and a later run goes on from there.
"""

from __future__ import annotations

import asyncio
import math

from argue_bench.errors import JudgeError, UsageError

_STORED = "What was asked is stored; the same command with a further --budget goes on from there"
_NOT_STORED = "No store was named, so nothing that was asked is kept"


class Budget:
    """US dollars that may be spent. ``kept``: whether what they buy is stored as it comes."""

    def __init__(self, limit: float, *, kept: bool = True) -> None:
        if not math.isfinite(limit) or limit < 0:
            raise UsageError(f"a budget is a number of US dollars from 0 up, not {limit}")
        self.limit, self.kept = limit, kept
        self.spent = 0.0
        self._reserved = 0.0
        self._under_way = 0
        self._settled = asyncio.Event()

    async def reserve(self, most: float) -> None:
        """Sets the dearest outcome of a call aside. Raises JudgeError where it can't be paid for."""
        while self.spent + self._reserved + most > self.limit:
            if not self._under_way:
                raise JudgeError(
                    f"the budget of {_dollars(self.limit)} is spent as far as it goes: "
                    f"${self.spent:.4f} so far, the next call may cost ${most:.4f}. "
                    + (_STORED if self.kept else _NOT_STORED)
                )
            self._settled.clear()
            await self._settled.wait()
        self._reserved += most
        self._under_way += 1

    def settle(self, most: float, cost: float) -> None:
        """Books what a call really cost and frees what was set aside for it."""
        self._reserved -= most
        self._under_way -= 1
        self.spent += cost
        self._settled.set()


def _dollars(amount: float) -> str:
    """``$2.00``, and ``$0.0033`` where two places would not say it."""
    return f"${amount:.2f}" if round(amount, 2) == round(amount, 6) else f"${amount:.4g}"
