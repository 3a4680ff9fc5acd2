"""Recorded verdicts as a judge: from people's labels, a verdict store, or judgments of other programs.

A request that was not recorded fails; nothing is guessed.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

from argue_bench.judges.base import Counts, Reply
from argue_bench.judges.labels import read_labels
from argue_bench.records import KINDS, Failed, JudgeRequest, Verdict

NOT_RECORDED = Failed("not recorded")


class Recorded:
    """Gives recorded verdicts, found by the key of the request.

    A verdict on a sentence that was recorded without its neighbours holds whatever stands next to it.
    """

    batch = 4096
    reads_context = True

    def __init__(
        self, verdicts: Mapping[str, Verdict], name: str = "recorded", digest: str = ""
    ) -> None:
        self.name = name
        self.kinds: frozenset[type[JudgeRequest]] = frozenset(KINDS.values())
        self.counts = Counts()
        self._verdicts = verdicts
        self._digest = digest or _digest(verdicts)

    @classmethod
    def from_file(cls, path: str | Path) -> Recorded:
        """The verdicts of a label file or a verdict store; ``FILE#JUDGE`` names one of its judges.

        Raises DataError with every finding of a bad file.
        """
        verdicts = {label.request.key: label.verdict for label in read_labels(Path(path))}
        # The name without its folder: signatures hold no paths of the machine.
        file, sharp, judge = str(path).partition("#")
        return cls(verdicts, f"recorded:{Path(file).name}{sharp}{judge}")

    def identity(self) -> Mapping[str, str]:
        """A digest of all verdicts: the same verdicts in another file are the same judge."""
        return {"digest": self._digest}

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        for request in requests:
            self.counts.requests += 1
            key = request.key
            if key not in self._verdicts:
                key = request.without_context().key
            reply: Verdict | Failed = self._verdicts.get(key, NOT_RECORDED)
            self.counts.failed += isinstance(reply, Failed)
            yield request, reply


def _digest(verdicts: Mapping[str, Verdict]) -> str:
    sha = hashlib.sha256()
    for key in sorted(verdicts):
        sha.update(f"{key} {verdicts[key].value!r}\n".encode("utf-8", "surrogatepass"))
    return sha.hexdigest()[:16]
