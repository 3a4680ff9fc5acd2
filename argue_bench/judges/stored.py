"""A judge that remembers: what it said once is read from the store, the rest is asked and kept."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from argue_bench.errors import DataError
from argue_bench.judges import departures
from argue_bench.judges.base import WITHOUT, Counts, Judge, Reply
from argue_bench.records import Ask
from argue_bench.store import JudgeRow, Store


class OtherVersion(DataError):
    """The store to judge with was written by another version, so the judge can't judge."""

    exit_code = 3


def open_store(path: Path, *, write: bool = True) -> Store:
    """The store to judge with, or to judge from.

    Raises OtherVersion, with the file untouched, and DataError for all else that is wrong with it.
    """
    try:
        return Store(path, write=write)
    except DataError as error:
        if any(finding.code == "store-version" for finding in error.findings):
            raise OtherVersion(error.findings) from None
        raise


class Stored:
    """The judge, with a store before it.

    A verdict is on disk before it is handed on. Failures are kept for reading, and asked again.
    """

    def __init__(self, judge: Judge, store: Store) -> None:
        self._judge, self._store = judge, store
        self._row = JudgeRow.of(judge.name, judge.identity())
        self._without: dict[str, None] = {}

    @property
    def name(self) -> str:
        return self._judge.name

    @property
    def kinds(self) -> frozenset[type[Ask]]:
        return self._judge.kinds

    @property
    def batch(self) -> int:
        return self._judge.batch

    @property
    def counts(self) -> Counts:
        """The inner judge's counts; ``stored`` is what it did not have to be asked."""
        return self._judge.counts

    @property
    def defaults(self) -> Mapping[type[Ask], str]:
        """The inner judge's own default verdicts."""
        return getattr(self._judge, "defaults", {})

    def identity(self) -> Mapping[str, str]:
        return self._judge.identity()

    def departures(self) -> Mapping[str, str]:
        """The inner judge's, with those that stored verdicts tell of."""
        found = departures(self._judge)
        names = {
            **self._without,
            **dict.fromkeys(filter(None, found.get("without", "").split(", "))),
        }
        return {**found, **({"without": ", ".join(sorted(names))} if names else {})}

    async def judge(self, asks: Sequence[Ask]) -> AsyncIterator[Reply]:
        """Stored verdicts first, then the judge's own. Raises DataError where the disk refuses."""
        known = self._store.find(self._row, asks)
        self.counts.stored += len(known)
        if known and (vouch := getattr(self._judge, "vouch", None)) is not None:
            vouch()
        for verdict in known.values():
            _, told, names = verdict.note.partition(WITHOUT)
            if told:
                self._without |= dict.fromkeys(names.split(", "))
        rest: list[Ask] = []
        for ask in asks:
            if ask.key in known:
                yield ask, known[ask.key]
            else:
                rest.append(ask)
        if not rest:
            return
        async for ask, reply in self._judge.judge(rest):
            self._store.add(self._row, ask, reply)
            # The raw texts are in the file; whoever remembers verdicts need not hold them too.
            yield ask, replace(reply, request="", reply="")
