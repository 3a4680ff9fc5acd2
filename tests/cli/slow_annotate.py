"""Annotates with a slow judge that logs every ask, to be killed: see test_annotate.

python -m tests.cli.slow_annotate REPORTS NUGGETS OUT LOG MILLISECONDS
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

from argue_bench.eval.report_runs import evaluate_reports
from argue_bench.judges.base import Counts, Reply
from argue_bench.loaders.nuggets import load_topics
from argue_bench.metrics import parse
from argue_bench.records import KINDS, Document, JudgeRequest, Verdict


class Slow:
    """Yes or no by the key of the ask, after a while; the ask stands in the log before its reply."""

    name = "slow"
    kinds = frozenset(KINDS.values())
    batch = 16

    def __init__(self, log: Path, seconds: float) -> None:
        self.counts, self._log, self._seconds = Counts(), log, seconds

    def identity(self) -> Mapping[str, str]:
        return {}

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        with self._log.open("a") as log:
            for request in requests:
                print(request.key, file=log, flush=True)
                await asyncio.sleep(self._seconds)
                yield request, Verdict("yes" if int(request.key[:2], 16) % 4 else "no")


def main(reports: str, nuggets: str, out: str, log: str, milliseconds: str) -> None:
    documents = {f"d{n}": Document(f"d{n}", f"The text of d{n}.") for n in range(50)}
    dataset = load_topics(Path(nuggets), documents)
    judge = Slow(Path(log), float(milliseconds) / 1000)
    work = evaluate_reports(Path(reports), dataset, [parse("argue")], {"": judge}, Path(out))
    asyncio.run(work)


if __name__ == "__main__":
    main(*sys.argv[1:])
