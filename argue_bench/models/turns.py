"""How do several callers share one model? One after the other, in each event loop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from weakref import WeakKeyDictionary


class ModelLock:
    """A lock for each event loop: a model outlives the loops (``asyncio.run``) that ask it."""

    def __init__(self) -> None:
        self._locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = (
            WeakKeyDictionary()
        )

    @asynccontextmanager
    async def held(self) -> AsyncIterator[None]:
        """Waits until nobody else in this loop has the model."""
        lock = self._locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())
        async with lock:
            yield
