"""A judge for tests: answers each ask after a while and writes down what it was asked.

    python -m tests.judges.slow STORE LOG COUNT SECONDS

asks COUNT asks through the store. LOG gets a line for each ask that the judge really answered.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

from argue_bench.errors import ArgueBenchError
from argue_bench.judges.base import Judge, Reply
from argue_bench.judges.stored import Stored
from argue_bench.records import KINDS, Entails, Failed, JudgeRequest, Source, Verdict
from argue_bench.store import Store


def requests(count: int) -> list[JudgeRequest]:
    """``count`` distinct asks over ten documents."""
    return [
        Entails((Source(f"d{n % 10}", f"Document {n % 10}. " * 40),), f"Fact {n} holds.")
        for n in range(count)
    ]


def truth(request: JudgeRequest) -> str:
    """What the slow judge says; it depends on the ask alone."""
    return "yes" if int(request.key, 16) % 3 else "no"


class Slow(Judge):
    """Answers by the key of the ask, after ``seconds``; fails on asks that hold a word."""

    name = "slow"
    kinds = frozenset(KINDS.values())
    batch = 16

    def __init__(self, log: Path, seconds: float = 0.0, fails_on: str = "") -> None:
        self.log, self.seconds, self.fails_on = log, seconds, fails_on

    def identity(self) -> Mapping[str, str]:
        return {"model": "slow-1"}

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        for request in requests:
            if self.seconds:
                await asyncio.sleep(self.seconds)
            self.counts.requests += 1
            with self.log.open("a") as log:
                log.write(request.key + "\n")
            if self.fails_on and self.fails_on in str(request):
                yield request, Failed("no idea", prompt="Q", reply="garbled")
            else:
                yield request, Verdict(truth(request), "a note", prompt="Q", reply="A")


async def run(
    store: Store, judge: Slow, wanted: Sequence[JudgeRequest]
) -> dict[str, Verdict | Failed]:
    """All replies by ask key, asked in batches as the driver does."""
    stored = Stored(judge, store)
    replies: dict[str, Verdict | Failed] = {}
    for start in range(0, len(wanted), stored.batch):
        async for request, reply in stored.judge(wanted[start : start + stored.batch]):
            replies[request.key] = reply
    return replies


def main() -> None:
    path, log, count, seconds = sys.argv[1:5]
    wait = float(sys.argv[5]) if len(sys.argv) > 5 else 10.0
    try:
        with Store(path, wait=wait) as store:
            print("open", flush=True)
            asyncio.run(run(store, Slow(Path(log), float(seconds)), requests(int(count))))
            print(len(store), flush=True)
    except ArgueBenchError as error:
        print(error, file=sys.stderr)
        raise SystemExit(error.exit_code) from None


if __name__ == "__main__":
    main()
