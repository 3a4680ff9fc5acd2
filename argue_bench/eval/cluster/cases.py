"""Distribution with free judges: workers count whole cases and return finished lines of the run file.

A judge that costs nothing and gives the same verdict every time is judged where the case is. A worker
returns, for each case, the line of the run file and the tallies, and with them a small store of the verdicts;
the driver copies these from file to file, so that a verdict costs it a few microseconds. Cases whose
verdicts are all in the store already are counted by the driver.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections import OrderedDict, deque
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import islice, takewhile
from pathlib import Path

from argue_bench.errors import ArgueBenchError
from argue_bench.eval.cluster.fleet import Fleet
from argue_bench.eval.cluster.work import FinishedCase
from argue_bench.eval.driver import (
    REMEMBERED,
    Case,
    Counted,
    OnFailure,
    Outcome,
    Progress,
    Remembered,
    Standing,
    run_metrics,
)
from argue_bench.eval.run import Entry, entry_line
from argue_bench.judges import Judge
from argue_bench.judges.base import Counts
from argue_bench.judges.stored import Stored, open_store
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics.base import Metric, NotJudged, replay, tally_steps
from argue_bench.records import Answer, Document, JudgeRequest, Question, Verdict
from argue_bench.store import Author, Store
from argue_bench.store.merging import MOST_TOGETHER, add_stores

PART_SECONDS = 0.5
"""CPU time that a part of the work should take: Dask costs 2 ms for each, and the last ones end unevenly."""
_FIRST_PART, _LARGEST_PART = 4, 1024
_PARTS_AHEAD = 4
"""Parts begun for each slot before the oldest is done: run files keep the order of the cases."""


@dataclass(frozen=True)
class CasePart:
    """Some cases: questions, by id where the worker has them, with their answers, and the documents that it
    does not have."""

    cases: Sequence[tuple[str | Question, Answer]]
    documents: Sequence[Mapping[str, Document]] | None


@dataclass(frozen=True)
class CasesDone:
    """The result of a part: for each case its entry, without answer and requests, and its line."""

    entries: Sequence[Entry]
    lines: Sequence[str]
    store: bytes
    asked: Mapping[str, Sequence[bytes]]
    """By judge: the first bytes of the keys of all requests, in order."""
    standing: Standing
    failed: Mapping[str, int]
    seconds: float


@dataclass
class CaseJob:
    """The job of counting cases, as a worker keeps it. Verdicts are remembered from part to part."""

    dataset: Dataset
    metrics: tuple[Metric, ...]
    judges: Mapping[str, Judge]
    on_failure: OnFailure
    keeps: bool
    """Whether verdicts are wanted for a store."""
    remembered: dict[str, Remembered] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        dataset: Dataset,
        metrics: Sequence[Metric],
        judges: Mapping[str, Judge],
        on_failure: OnFailure,
        keeps: bool,
    ) -> CaseJob:
        """The job; what is looked up on disk stays there, and goes with the cases."""
        documents = dataset.documents if isinstance(dataset.documents, dict) else {}
        questions = dataset.questions if dataset.held else ()
        carried = replace(dataset, documents=documents, questions=questions)
        return cls(carried, tuple(metrics), dict(judges), on_failure, keeps)

    def stop(self) -> None:
        """Does nothing: no request costs money, so work in progress is dropped."""

    def end(self) -> None:
        """Does nothing: the job holds nothing but memory."""

    def work(self, part: CasePart) -> CasesDone:
        """Counts the cases of a part."""
        began = time.thread_time()
        outcomes: list[Outcome] = []
        standing = Standing()
        with ExitStack() as stack:
            judges, place = dict(self.judges), None
            if self.keeps and judges:
                folder = stack.enter_context(tempfile.TemporaryDirectory())
                place = Path(folder) / "verdicts"
                store = stack.enter_context(open_store(place))
                judges = {name: Stored(judge, store) for name, judge in judges.items()}
            before = {name: judge.counts.failed for name, judge in judges.items()}
            asyncio.run(self._count(part, judges, outcomes, standing))
            failed = {name: one.counts.failed - before[name] for name, one in judges.items()}
            if place is not None:
                store.close()
            kept = place.read_bytes() if place is not None else b""
        entries = [Entry.of(outcome) for outcome in outcomes]
        asked: dict[str, list[bytes]] = {name: [] for name in self.judges}
        for metric in self.metrics:
            if metric.judge_name in asked:
                for entry in entries:
                    keys = entry.requests[str(metric)]
                    asked[metric.judge_name] += [bytes.fromhex(key[:16]) for key in keys]
        return CasesDone(
            [entry.tallied for entry in entries],
            [entry_line(entry) for entry in entries],
            kept,
            asked,
            standing,
            failed,
            time.thread_time() - began,
        )

    async def _count(
        self,
        part: CasePart,
        judges: Mapping[str, Judge],
        outcomes: list[Outcome],
        standing: Standing,
    ) -> None:
        watching = _Watching()
        async for outcome in run_metrics(
            self._cases(part), self.metrics, judges, self.on_failure, watching, self.remembered
        ):
            outcomes.append(outcome)
        standing.__dict__.update(vars(watching.standing))

    def _cases(self, part: CasePart) -> Iterator[Case]:
        for number, (asked, answer) in enumerate(part.cases):
            question = asked if isinstance(asked, Question) else self.dataset.question(asked)
            citable = self.dataset.citable if part.documents is None else None
            documents = citable(question) if citable else part.documents[number]  # type: ignore[index]
            yield Case(question, answer, documents)


class _Watching:
    """A progress callback that only keeps the state of a run."""

    standing = Standing()

    def watch(self, standing: Standing) -> None:
        self.standing = standing

    def __call__(self, done: int) -> None:
        """Ignores the count: nothing is shown."""


async def count_on_workers(
    fleet: Fleet,
    job: CaseJob,
    cases: Iterable[Case],
    counts: Mapping[str, Counts],
    store: Store | None = None,
    progress: Progress | None = None,
) -> AsyncGenerator[FinishedCase]:
    """The cases in their order, as workers finish them.

    ``counts`` are those of the judges, by their names in metrics. Raises what `run_metrics` raises.
    """
    driver = _Driver(fleet, job, counts, store, progress)
    source = driver.told(iter(cases))
    running: deque[tuple[list[Case], asyncio.Task[CasesDone] | list[FinishedCase]]] = deque()
    try:
        while True:
            while len(running) < max(2, _PARTS_AHEAD * fleet.slots):
                part = list(islice(source, driver.size))
                if not part:
                    break
                running.append((part, driver.begin(part)))
            if not running:
                return
            part, work = running.popleft()
            try:
                finished = work if isinstance(work, list) else driver.take(part, await work)
            except BaseException:
                if isinstance(work, asyncio.Task):
                    work.cancel()
                raise
            for one in finished:
                yield one
    finally:
        tasks = [work for _, work in running if isinstance(work, asyncio.Task)]
        for task in tasks:
            task.cancel()
        driver.keep_verdicts()
        await asyncio.gather(*tasks, return_exceptions=True)


@dataclass
class _Driver:
    """The driver: what it hands out, stores and reports."""

    fleet: Fleet
    job: CaseJob
    counts: Mapping[str, Counts]
    store: Store | None
    progress: Progress | None
    size: int = _FIRST_PART

    def __post_init__(self) -> None:
        self._standing = Standing()
        self._stores: list[bytes] = []
        self._asked: dict[str, OrderedDict[bytes, None]] = {
            name: OrderedDict() for name in self.counts
        }
        self._carries = isinstance(self.job.dataset.documents, dict) and bool(
            self.job.dataset.documents
        )
        authors = {
            name: Author.of(one.name, one.identity()) for name, one in self.job.judges.items()
        }
        known = {one.digest for one in self.store.judges()} if self.store is not None else set()
        self._authors = (
            authors if any(author.digest in known for author in authors.values()) else {}
        )
        if (watch := getattr(self.progress, "watch", None)) is not None:
            watch(self._standing)

    def told(self, cases: Iterator[Case]) -> Iterator[Case]:
        """The cases, as they are begun."""
        for case in cases:
            self._standing.started += 1
            yield case

    def begin(self, part: list[Case]) -> asyncio.Task[CasesDone] | list[FinishedCase]:
        """Starts a part on a worker, or finishes it here where the store has every verdict."""
        known = list(takewhile(bool, map(self._from_store, part))) if self._authors else []
        if len(known) == len(part):
            return [self._finished(one) for one in known if one is not None]
        shown = None
        if not self._carries:
            shown = [_documents_of(case) for case in part]
        held = self.job.dataset.held and bool(self.job.dataset.questions)
        asked = CasePart(
            [(case.question.id if held else case.question, case.answer) for case in part], shown
        )
        task: asyncio.Task[CasesDone] = asyncio.create_task(self.fleet.call(asked))
        task.add_done_callback(lambda done: self._note(part, done))
        return task

    def _note(self, part: list[Case], task: asyncio.Task[CasesDone]) -> None:
        if task.cancelled() or task.exception() is not None:
            return
        done, standing = task.result(), self._standing
        standing.cases += len(part)
        standing.made += done.standing.made
        standing.verdicts += done.standing.verdicts
        standing.failed += done.standing.failed
        if done.seconds > 0:
            wanted = PART_SECONDS * len(part) / done.seconds
            self.size = max(1, min(round(wanted), 4 * self.size, _LARGEST_PART))
        if self.progress is not None:
            self.progress(standing.cases)

    def take(self, part: list[Case], done: CasesDone) -> list[FinishedCase]:
        """Takes the result of a worker."""
        if done.store:
            self._stores.append(done.store)
            if len(self._stores) == MOST_TOGETHER:
                self.keep_verdicts()
        for name, counts in self.counts.items():
            counts.failed += done.failed.get(name, 0)
            counts.requests += self._new(self._asked[name], done.asked.get(name, ()))
        return [
            FinishedCase(case, entry, line)
            for case, entry, line in zip(part, done.entries, done.lines, strict=True)
        ]

    def keep_verdicts(self) -> None:
        """Stores the verdicts of some parts in one transaction: each changes the same pages of the file, since
        keys are random. They cost nothing, so a driver that is killed may lose those of the last parts."""
        parts, self._stores = self._stores, []
        if parts and self.store is not None:
            add_stores(self.store, parts)

    @staticmethod
    def _new(asked: OrderedDict[bytes, None], keys: Sequence[bytes]) -> int:
        """How many of these requests one process would have made: it remembers the last ones."""
        before = len(asked)
        added = 0
        for key in keys:
            if key not in asked:
                asked[key] = None
                added += 1
        for _ in range(max(0, before + added - REMEMBERED)):
            asked.popitem(last=False)
        return added

    def _finished(self, outcome: Outcome) -> FinishedCase:
        entry = Entry.of(outcome)
        for metric in self.job.metrics:
            if metric.judge_name in self.counts:
                number = len(outcome.counted[str(metric)].requests)
                self.counts[metric.judge_name].stored += number
                self._standing.made += number
                self._standing.verdicts += number
        self._standing.cases += 1
        if self.progress is not None:
            self.progress(self._standing.cases)
        return FinishedCase(outcome.case, entry.tallied, entry_line(entry))

    def _from_store(self, case: Case) -> Outcome | None:
        """The case counted from stored verdicts; None where some are missing."""
        assert self.store is not None  # noqa: S101  (for the type checker)
        counted: dict[str, Counted] = {}
        for metric in self.job.metrics:
            known = _StoredVerdicts(self.store, self._authors.get(metric.judge_name))
            try:
                tallies = replay(tally_steps(metric, *case), known)
            except (NotJudged, ArgueBenchError):
                return None  # a worker finds out, and raises what is to be raised
            counted[str(metric)] = Counted(tallies, tuple(known.used))
        return Outcome(case, counted)


class _StoredVerdicts(Mapping[JudgeRequest, Verdict]):
    """The verdicts of a judge in a store, looked up as they are asked for."""

    def __init__(self, store: Store, author: Author | None) -> None:
        self._store, self._author = store, author
        self.used: dict[JudgeRequest, Verdict] = {}

    def __getitem__(self, request: JudgeRequest) -> Verdict:
        if request not in self.used:
            if self._author is None:
                raise KeyError(request)
            self.used[request] = self._store.find(self._author, [request])[request.key]
        return self.used[request]

    def __contains__(self, request: object) -> bool:
        try:
            return self[request] is not None  # type: ignore[index]
        except KeyError:
            return False

    def __iter__(self) -> Iterator[JudgeRequest]:
        return iter(self.used)

    def __len__(self) -> int:
        return len(self.used)


def _documents_of(case: Case) -> dict[str, Document]:
    """The documents that metrics may look up for a case: listed with the question, cited, or gold."""
    cited = (id for sentence in case.answer.sentences for id in sentence.citations)
    gold = case.question.gold.supporting if case.question.gold is not None else ()
    wanted = dict.fromkeys([*case.question.documents, *cited, *gold])
    return {id: case.documents[id] for id in wanted if id in case.documents}
