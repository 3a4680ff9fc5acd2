"""A model's price, and the budget of a run: US dollars that its judges share."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from argue_bench.errors import DataError, JudgeError, UsageError

if TYPE_CHECKING:
    from argue_bench.store.file import StoreFile

_STORED = (
    "What came so far is stored, and a budget holds for all commands on one store: the same command with a "
    "larger --budget continues."
)
_NOT_STORED = "No store was named, so what came so far is lost."


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens read and written; ``cached``: for those read from a cache.

    ``batch``: the share of the price in OpenAI's Batch API, None where there is none.
    ``where``: the page and the day where it was read, empty where nobody said.
    """

    tokens_in: float
    tokens_out: float
    cached: float | None = None
    batch: float | None = None
    where: str = field(default="", compare=False)

    def of(self, tokens_in: float, tokens_out: float, cached: float = 0) -> float:
        """US dollars for this many tokens; ``cached`` of those read came from a cache."""
        saved = 0.0 if self.cached is None else (self.tokens_in - self.cached) * cached
        return (self.tokens_in * tokens_in + self.tokens_out * tokens_out - saved) / 1_000_000

    def in_batches(self) -> Price:
        """The price in the Batch API."""
        share = self.batch or 1.0
        cached = None if self.cached is None else share * self.cached
        read, written = share * self.tokens_in, share * self.tokens_out
        return Price(read, written, cached, where=self.where)

    def __str__(self) -> str:
        """The price in words, with the page where it was read."""
        where = f" ({self.where})" if self.where else ""
        return f"${self.tokens_in:g} read and ${self.tokens_out:g} written{where}"


class BudgetSpent(JudgeError):
    """The next call of a judge does not fit into the budget any more."""


class Budget:
    """US dollars that may be spent. ``stored``: whether the verdicts they buy are stored as they come.

    The largest possible cost of a call (every byte a token, every allowed token written) is reserved
    before the call and replaced by the real cost after it. A limit checked after calls would be
    exceeded by all those in flight. A call that does not fit waits for others to end; if there are none,
    the run stops with BudgetSpent. A budget with a ledger belongs to a store: what earlier commands spent for
    it counts, and every reservation is in the file before its call, so that a killed process leaves it there.
    """

    def __init__(self, limit: float, *, stored: bool = True) -> None:
        if not math.isfinite(limit) or limit < 0:
            raise UsageError(f"a budget is a number of US dollars from 0 up, not {limit}")
        self.limit, self._stored = limit, stored
        self.spent = self._reserved = 0.0
        # The part of ``spent`` that earlier commands on the store have spent.
        self.earlier = 0.0
        self._ledger: StoreFile | None = None
        self._in_flight = 0
        self._released = asyncio.Event()

    def keep_in(self, ledger: StoreFile) -> None:
        """Counts what was spent for a store, and books there what is spent from now on."""
        if ledger is not self._ledger:
            own = self.spent - self.earlier
            # A store that is opened again, in one notebook, holds what this budget booked there before.
            again = self._ledger is not None and self._ledger.path == ledger.path
            self.earlier = ledger.spent() - own if again else ledger.spent()
            self._ledger, self.spent = ledger, own + self.earlier

    async def reserve(self, most: float) -> None:
        """Reserves the largest cost of a call. Raises BudgetSpent if it does not fit."""
        while self.spent + self._reserved + most > self.limit:
            if not self._in_flight:
                # $2.00, and $0.0033 where two places would not say it.
                places = ".2f" if round(self.limit, 2) == round(self.limit, 6) else ".4g"
                earlier = f" (${self.earlier:.4f} of it by earlier commands on this store)"
                raise BudgetSpent(
                    f"the budget of ${self.limit:{places}} is spent as far as it goes: "
                    f"${self.spent:.4f} so far{earlier if self.earlier else ''}, the next call may cost ${most:.4f}. "
                    + (_STORED if self._stored else _NOT_STORED)
                )
            self._released.clear()
            await self._released.wait()
        self.hold(most)

    async def reserve_some(self, costs: Sequence[float]) -> tuple[int, float]:
        """Reserves the cost of as many calls as fit, at least of the first; returns how many, and their sum.

        Raises BudgetSpent where not one fits.
        """
        await self.reserve(costs[0])
        self.settle(costs[0], 0.0)
        count, most = 1, costs[0]
        while count < len(costs) and most + costs[count] <= self.left:
            most += costs[count]
            count += 1
        self.hold(most)
        return count, most

    @property
    def left(self) -> float:
        """The part of the budget that is neither spent nor reserved."""
        return max(0.0, self.limit - self.spent - self._reserved)

    def hold(self, most: float) -> None:
        """Reserves the cost of requests already in progress, whatever the limit is."""
        if self._ledger is not None:
            self._ledger.add_spent(most)
        self._reserved += most
        self._in_flight += 1

    def settle(self, reserved: float, cost: float) -> None:
        """Books the real cost of a call and releases its reservation."""
        self._reserved -= reserved
        self._in_flight -= 1
        self.spent += cost
        if self._ledger is not None:
            with suppress(DataError):  # a full disk: the reservation stays booked, which is no less
                self._ledger.add_spent(cost - reserved)
        self._released.set()
