"""A cascade: the second judge is asked where the first one may be wrong, and nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from argue_bench.errors import UsageError
from argue_bench.eval.driver import estimate_costs
from argue_bench.judges import as_judge, find_judge, is_paid, names_provider, refuse_import
from argue_bench.judges.base import Judge, Reply
from argue_bench.judges.combined import HIGH, LOW, Cascade, split_spec
from argue_bench.judges.functions import FunctionJudge
from argue_bench.judges.prompted import Prompted
from argue_bench.judges.prompted.spec import for_estimates
from argue_bench.judges.stored import Stored
from argue_bench.models.chat import Chat
from argue_bench.records import Failed, JudgeRequest, NeedsCitation, NotJudged, Verdict
from argue_bench.store import Store
from tests.models.server import ChatServer, reply


class Doubting(Judge):
    """Says yes, with the doubt that the sentence states; of words it has no doubt, and of "?" no verdict."""

    name, free = "doubting", True
    kinds = frozenset({NeedsCitation})

    def doubt(self, request: JudgeRequest, verdict: Verdict) -> float | None:
        return verdict.probability

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        for one in requests:
            assert isinstance(one, NeedsCitation)
            said = one.sentence
            if said == "?":
                yield one, Failed("no idea")
            elif said == "strange":
                yield one, NotJudged("cannot read it")
            else:
                share = float(said) if said[0].isdigit() else None
                yield one, Verdict("yes", "as stated", probability=share)


SAID = ("0.1", "0.3", "0.5", "0.9", "0.97", "words", "?", "strange")
ASKED = [NeedsCitation(one) for one in SAID]


def judged(judge: Judge) -> dict[str, Reply]:
    async def run() -> dict[str, Reply]:
        replies = [reply async for reply in judge.judge(ASKED)]
        return {one.sentence: (one, v) for one, v in replies if isinstance(one, NeedsCitation)}

    return asyncio.run(run())


def test_only_what_lies_between_the_bounds_reaches_the_second_judge(tmp_path: Path) -> None:
    with ChatServer(model=lambda body: reply(body, "no")) as server:
        model = Prompted(Chat("server", "m", known={"ARGUE_BENCH_BASE_URL": server.url}))
        judge = Cascade(Doubting(), model, (0.3, 0.95))
        with Store(tmp_path / "store") as store:
            found = judged(Stored(judge, store))
            again = judged(Stored(Cascade(Doubting(), model, (0.3, 0.95)), store))
    assert server.count == 6
    said = {name: one.value for name, (_, one) in found.items() if isinstance(one, Verdict)}
    alone = {"0.1": "yes", "0.97": "yes"}
    assert said == dict.fromkeys(SAID, "no") | alone
    assert found["0.1"][1] == Verdict("yes", "doubting alone: as stated", probability=0.1)
    assert found["0.5"][1] == Verdict("no", "doubting: yes, server/m: no")
    assert {name: one[1] for name, one in again.items()} == {n: one[1] for n, one in found.items()}
    counts = judge.counts
    assert (counts.requests, counts.saved, counts.calls) == (8, 2, 6)
    assert judge.name == "cascade:doubting>server/m,between=0.3-0.95"
    identity = judge.identity()
    assert identity["between"] == "0.3-0.95"
    assert identity["2.prompts"] == model.identity()["prompts"]


def test_a_failure_of_the_second_judge_is_a_failure() -> None:
    found = judged(Cascade(Doubting(), FunctionJudge(lambda request: Failed("lost")), (0.3, 0.95)))
    assert isinstance(found["0.5"][1], Failed)
    assert isinstance(found["0.1"][1], Verdict)


@pytest.mark.parametrize("rest", ["lexical", ">openai/m", "lexical>", "lexical>m,between=0.9-0.3"])
def test_a_malformed_cascade_says_how_to_write_one(rest: str) -> None:
    with pytest.raises(UsageError, match="cascade:FIRST>SECOND"):
        split_spec(rest)


def test_its_spec_is_known_wherever_specs_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    spec = "cascade:lexical>openai/gpt-4o-mini,asking=batched"
    judge = as_judge(spec)
    assert isinstance(judge, Cascade)
    assert (judge.name, judge.bounds) == (spec, (LOW, HIGH))
    assert find_judge(spec).spec == "cascade:A>B"
    assert is_paid(spec)
    assert names_provider(spec)
    other = as_judge("cascade:lexical>openai/gpt-4o-mini,between=0.2-0.9")
    assert other.name == "cascade:lexical>openai/gpt-4o-mini,between=0.2-0.9"
    with pytest.raises(UsageError, match="outside the package"):
        refuse_import("cascade:lexical>my_module:judge")


def test_an_estimate_counts_what_would_reach_the_model() -> None:
    model = Prompted(Chat("server", "m", known={"ARGUE_BENCH_BASE_URL": "http://127.0.0.1:9/v1"}))
    whole = model.estimate(ASKED)
    model.asked_of = Cascade(Doubting(), model, (0.3, 0.95)).asked
    assert (whole.calls, model.estimate(ASKED).calls) == (8, 6)
    (paid,) = for_estimates("cascade:lexical>openai/gpt-4o-mini")
    assert paid.asked_of is not None
    assert not estimate_costs([], [], {"": [paid]})
