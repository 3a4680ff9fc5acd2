"""A run on a server that does everything wrong that servers do, beside the same run undisturbed.

``ARGUE_BENCH_FAULTY=20000`` makes it a run of 20,000 judgments; 2,000 are enough to meet every fault often.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

from argue_bench.eval import evaluate
from argue_bench.judges.prompted import Prompted
from argue_bench.metrics.base import Metric, TallySteps
from argue_bench.models.chat import Chat
from argue_bench.records import Answer, Document, Entails, Gold, Question, Source, Tally
from argue_bench.stats.averages import macro
from argue_bench.store import Store
from tests.models.server import ChatServer, Trick, data_of, honest

pytest.importorskip("openai", reason="the extra judge is not installed")
COUNT = int(os.environ.get("ARGUE_BENCH_FAULTY", "2000"))
EACH = 20
FAULTS = (
    *("429 0.005", "429", "500", "502", "503", "529", "408", "drop", "half", "html"),
    *("truncated", "list", "error", "empty", "broken off", "prose", "cut", "slow 0.02"),
)


@dataclass(frozen=True)
class Attested(Metric):
    """Twenty sentences of an answer against a document."""

    judge: str = ""
    name: ClassVar[str] = "attested"
    summary: ClassVar[str] = "a metric of this test"
    scores: ClassVar = {"yes": macro("yes")}
    requests: ClassVar = (Entails,)

    def tally(
        self, question: Question, answer: Answer, documents: Mapping[str, Document]
    ) -> TallySteps:
        source = Source("d", f"{answer.text} It holds.")
        requests = [Entails((source,), f"{answer.text} {n}.") for n in range(EACH)]
        verdicts = yield requests
        return {"yes": Tally(sum(verdicts[request].yes for request in requests), EACH)}


class Faulty(ChatServer):
    """Two faults for two prompts of five, each fault as often as any other; the third try is answered."""

    met: Counter[str]
    on = False

    def __enter__(self) -> Faulty:
        self.met, self.tries = Counter(), Counter[str]()
        self.trick, self.model = self.fault, self.say
        super().__enter__()
        return self

    def fault(self, number: int, body: dict[str, Any]) -> Trick:
        digest = hashlib.sha256(json.dumps(data_of(body)).encode()).digest()
        self.tries[digest.hex()] += 1
        tries = self.tries[digest.hex()]
        body["fault"] = ""
        if not self.on or digest[0] % 5 > 1 or tries > 2:
            return ""
        fault = FAULTS[digest[tries] % len(FAULTS)]
        if fault in ("empty", "prose", "cut"):
            # A reply without a verdict is asked for once more only, so only one of two faults may be one.
            fault = fault if tries == 1 else "500"
        self.met[fault] += 1
        if fault in ("empty", "prose", "cut", "broken off"):
            body["fault"] = fault
            return ""
        return fault

    @staticmethod
    def say(body: dict[str, Any]) -> str | dict[str, Any]:
        said = honest(body)
        replies: dict[str, str | dict[str, Any]] = {
            "": said,
            "empty": "",
            "prose": "Yes and no: there is no simple answer to this.",
            "cut": {"content": said[:5], "finish_reason": "length"},
            "broken off": {"content": said[:9], "finish_reason": "error"},
        }
        return replies[body["fault"]]


def judged(server: ChatServer, folder: Path) -> bytes:
    """The bytes of the run file of a run against this server, and of its verdicts in order of requests."""
    folder.mkdir()
    questions = [Question(f"q{n}", "?", gold=Gold()) for n in range(COUNT // EACH)]
    answers = [Answer(one.id, f"Fact {one.id} holds.") for one in questions]
    known = {"ARGUE_BENCH_BASE_URL": server.url, "ARGUE_BENCH_MAX_CONCURRENCY": "64"}
    judge = Prompted(Chat("server", "m", known=known))
    report = evaluate(questions, answers, [Attested()], judge=judge, out=folder / "run")
    assert not judge.counts.failed
    assert report.scores["attested.yes"].n == COUNT // EACH
    with Store(folder / "run.verdicts", write=False) as store:
        verdicts = sorted((one.key, one.verdict.value) for one in store)
    assert len(verdicts) == COUNT
    return (folder / "run").read_bytes() + json.dumps(verdicts).encode()


@pytest.mark.release
def test_every_fault_together_changes_no_byte(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("argue_bench.models.chat.patience._FIRST_WAIT", 0.002)
    with Faulty(keep=False) as faulty:  # one address, which the run file names
        undisturbed = judged(faulty, tmp_path / "undisturbed")
        assert faulty.count == COUNT
        faulty.on, faulty.count, faulty.tries = True, 0, Counter()
        disturbed = judged(faulty, tmp_path / "disturbed")
    assert disturbed == undisturbed
    assert set(faulty.met) == set(FAULTS)
    print(f"{COUNT:,} judgments, {sum(faulty.met.values()):,} faults, {faulty.count:,} requests")
    # Nobody was asked again who had answered: each fault but a slow reply cost one request.
    assert faulty.count == COUNT + sum(faulty.met.values()) - faulty.met["slow 0.02"]
