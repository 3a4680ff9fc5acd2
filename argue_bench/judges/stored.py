"""A judge that remembers: what it said once is read from the store, the rest is asked and kept."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from argue_bench.errors import Code, DataError
from argue_bench.judges import dropped_parameters
from argue_bench.judges.base import WITHOUT, Counts, Judge, Reply
from argue_bench.records import JudgeRequest
from argue_bench.store import Author, Store


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
        if any(finding.code == Code.STORE_VERSION for finding in error.findings):
            raise OtherVersion(error.findings) from None
        raise


class Stored:
    """The judge, with a store before it.

    A verdict is on disk before it is handed on. Failures are kept for reading, and asked again.
    """

    def __init__(self, judge: Judge, store: Store) -> None:
        self._judge, self._store = judge, store
        self._row = Author.of(judge.name, judge.identity())
        self._without: dict[str, None] = {}

    @property
    def name(self) -> str:
        return self._judge.name

    @property
    def kinds(self) -> frozenset[type[JudgeRequest]]:
        return self._judge.kinds

    @property
    def batch(self) -> int:
        return self._judge.batch

    @property
    def counts(self) -> Counts:
        """The inner judge's counts; ``stored`` is what it did not have to be asked."""
        return self._judge.counts

    @property
    def defaults(self) -> Mapping[type[JudgeRequest], str]:
        """The inner judge's own default verdicts."""
        return getattr(self._judge, "defaults", {})

    def identity(self) -> Mapping[str, str]:
        return self._judge.identity()

    def dropped_parameters(self) -> Mapping[str, str]:
        """The inner judge's, with those that stored verdicts tell of."""
        found = dropped_parameters(self._judge)
        names = {
            **self._without,
            **dict.fromkeys(filter(None, found.get("without", "").split(", "))),
        }
        return {**found, **({"without": ", ".join(sorted(names))} if names else {})}

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        """Stored verdicts first, then the judge's own. Raises DataError where the disk refuses."""
        known = self._store.find(self._row, requests)
        self.counts.stored += len(known)
        if (
            known
            and (confirm_responsive := getattr(self._judge, "confirm_responsive", None)) is not None
        ):
            confirm_responsive()
        for verdict in known.values():
            _, told, names = verdict.note.partition(WITHOUT)
            if told:
                self._without |= dict.fromkeys(names.split(", "))
        rest: list[JudgeRequest] = []
        for request in requests:
            if request.key in known:
                yield request, known[request.key]
            else:
                rest.append(request)
        if not rest:
            return
        async for request, reply in self._judge.judge(rest):
            self._store.add(self._row, request, reply)
            # The raw texts are in the file; whoever remembers verdicts need not hold them too.
            yield request, replace(reply, prompt="", reply="")
