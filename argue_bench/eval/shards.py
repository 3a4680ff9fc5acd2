"""Shards: parts of the judging of one run for several processes or machines, each with every n-th
case.

A shard judges and stores, and scores nothing; the stores are merged (`argue_bench.store.merging`), and the
run that follows finds every verdict there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from argue_bench.errors import UsageError
from argue_bench.eval.driver import Case, Progress, run_metrics
from argue_bench.judges import Judge
from argue_bench.judges.stored import Stored, open_store
from argue_bench.metrics import Metric


@dataclass(frozen=True)
class Shard:
    """The ``number``-th of ``of`` parts, from 1."""

    number: int
    of: int

    def __str__(self) -> str:
        return f"{self.number}/{self.of}"

    def cases(self, cases: Iterable[Case]) -> Iterator[Case]:
        """The cases of this shard: one in ``of``, so that runs of unlike length are spread."""
        return islice(cases, self.number - 1, None, self.of)

    def store(self, whole: Path) -> Path:
        """Where this shard keeps its verdicts, beside the store of the whole run."""
        return whole.with_name(f"{whole.name}.{self.number}-of-{self.of}")


def read_shard(text: str) -> Shard:
    """``2/8`` as a shard. Raises UsageError."""
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise UsageError(f"--shard {text}: write 1/4, 2/4, 3/4 or 4/4 for the parts of four")
    return Shard(int(match[1]), int(match[2]))


async def fill(
    store: Path,
    cases: Iterable[Case],
    metrics: Sequence[Metric],
    judges: Mapping[str, Judge],
    progress: Progress | None = None,
) -> tuple[int, int]:
    """Makes the requests of these cases and stores the verdicts; returns how many cases there
    were and how many of them lack a verdict. Raises DataError and JudgeError; verdicts stored
    by then stay."""
    done = failed = 0
    with open_store(store) as opened:
        remembering = {name: Stored(judge, opened) for name, judge in judges.items()}
        async for outcome in run_metrics(cases, metrics, remembering, progress=progress):
            done += 1
            failed += any(counted.failures for counted in outcome.counted.values())
    return done, failed
