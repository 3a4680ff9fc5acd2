"""Judges that are models of two texts: entailment, spans, similarity. Each pair of texts is asked once.

The model runs in a worker thread, so that whoever else works in the event loop goes on.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence

from argue_bench.judges.base import Counts, Reply
from argue_bench.models.loading import ModelLock
from argue_bench.models.pairs import Pair, PairModel, PairResult
from argue_bench.records import Failed, JudgeRequest, Verdict
from argue_bench.records.untrusted import is_text

_REMEMBERED = 100_000
_NO_TEXT = PairResult(None, "a text holds half of a surrogate pair, which no model reads")
_LOG = logging.getLogger(__name__)


class PairJudge:
    """A judge of one kind of ask, by a model that reads two texts of it."""

    batch = 256

    def __init__(
        self,
        name: str,
        kind: type[JudgeRequest],
        texts: Callable[[JudgeRequest], Pair],
        model: PairModel,
    ) -> None:
        self.name = name
        self.kinds: frozenset[type[JudgeRequest]] = frozenset({kind})
        self.counts = Counts()
        self._texts, self._model = texts, model
        self._identity: Mapping[str, str] | None = None
        self._lock = ModelLock()
        self._remembered: OrderedDict[bytes, PairResult] = OrderedDict()

    def identity(self) -> Mapping[str, str]:
        if self._identity is None:
            self._identity = self._model.identity()
        return self._identity

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        """Asks whose texts were read before at once, the others batch by batch."""
        async with self._lock.held():
            waiting: dict[Pair, list[JudgeRequest]] = {}
            for request in requests:
                self.counts.asked += 1
                pair = self._texts(request)
                if not all(map(is_text, pair)):
                    yield request, self._reply(_NO_TEXT)
                elif (known := self._remembered.get(_key(pair))) is not None:
                    yield request, self._reply(known)
                else:
                    waiting.setdefault(pair, []).append(request)
            pairs = list(waiting)
            batches = self._model.read(pairs)
            while (batch := await asyncio.to_thread(next, batches, None)) is not None:
                self.counts.calls += 1
                for place, reading in batch:
                    pair = pairs[place]
                    self._remember(pair, reading)
                    self.counts.tokens_in += reading.tokens
                    self._count_cut(reading)
                    for request in waiting[pair]:
                        yield request, self._reply(reading)

    def _count_cut(self, reading: PairResult) -> None:
        """Says at the first text that was cut that there are such; their number is in ``counts``."""
        if reading.cut and not self.counts.cut:
            _LOG.warning(
                "%s cuts texts that are too long for it, the first of them so: %s. The notes of its "
                "verdicts say which.",
                self.name,
                reading.note,
            )
        self.counts.cut += reading.cut

    def _reply(self, reading: PairResult) -> Verdict | Failed:
        if reading.value is None:
            self.counts.failed += 1
            return Failed(reading.note)
        return Verdict(reading.value, note=reading.note)

    def _remember(self, pair: Pair, reading: PairResult) -> None:
        self._remembered[_key(pair)] = reading
        if len(self._remembered) > _REMEMBERED:
            self._remembered.popitem(last=False)


def _key(pair: Pair) -> bytes:
    return hashlib.sha256(json.dumps(pair).encode()).digest()
