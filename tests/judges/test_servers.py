"""Another server or model behind one judge's name: said in a run, in its header and signature."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_bench.eval import evaluate
from argue_bench.eval.run import read_header
from argue_bench.judges.combined import Panel
from argue_bench.judges.prompted import Prompted
from argue_bench.judges.stored import Stored
from argue_bench.loaders import load
from argue_bench.models.chat import Chat
from argue_bench.records import JudgeRequest, NeedsCitation
from argue_bench.store import Store
from argue_bench.store.file import merge_stores
from tests.judges.test_prompted import run
from tests.models.server import ChatServer, honest

pytest.importorskip("openai", reason="the extra judge is not installed")

SOME: list[JudgeRequest] = [NeedsCitation(f"s{n}") for n in range(6)]


def judge_at(server: ChatServer) -> Prompted:
    return Prompted(Chat("server", "m", known={"ARGUE_BENCH_BASE_URL": server.url}))


def serving(*names: str) -> Any:
    """A model that says it is these in turn, the last for ever."""
    left = list(names)

    def model(body: dict[str, Any]) -> dict[str, Any]:
        name, _, fingerprint = (left.pop(0) if len(left) > 1 else left[0]).partition(" ")
        said = {"content": honest(body), "served": name}
        return {**said, "system_fingerprint": fingerprint} if fingerprint else said

    return model


def test_another_model_during_a_run_or_behind_a_store_is_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    names = ("m-2025-01", "m-2025-01", "m-2026-02", "m-2025-01", "m-2026-02 fp_1")
    with ChatServer(model=serving(*names)) as server:
        judge = judge_at(server)
        with Store(tmp_path / "store") as store:
            stored = Stored(judge, store)
            for request in SOME[:5]:
                run(stored, [request])
        (said,) = caplog.messages
        assert "earlier replies came from m-2025-01 at 127.0.0.1" in said
        assert "this one from m-2026-02 at 127.0.0.1" in said
        assert judge.observed() == {"served": "m-2025-01,m-2026-02"}
    with ChatServer(model=serving("m-2027")) as server, Store(tmp_path / "store") as store:
        run(Stored(judge_at(server), store), SOME)
        assert "this one from m-2027" in caplog.messages[1]


def test_the_header_names_servers_and_the_signature_the_model_that_answered(tmp_path: Path) -> None:
    sample = load("core", split="sample")
    answers = [{"id": one.id, "answer": "It rained [D03]."} for one in sample[:2]]
    known = {"only_answered": True, "out": tmp_path / "run"}
    with ChatServer(model=serving("m-2025 fp_9")) as server:
        host = server.url.removeprefix("http://").removesuffix("/v1")
        for _ in range(2):  # the second time from the store
            evaluate(sample, answers, ["citations"], judge=judge_at(server), **known)  # type: ignore[arg-type]
            header = read_header(tmp_path / "run")
            assert header.served == {"server/m": (f"m-2025 fp_9 at {host}",)}
            assert header.signature["citations"]["judge"].endswith(" served:m-2025")
        count = server.count
    assert count > 0


def test_members_of_a_panel_and_merged_stores_know_their_servers(tmp_path: Path) -> None:
    with ChatServer(model=serving("m-2025")) as one, ChatServer() as other:
        for number, server in enumerate((one, other)):
            panel = Panel([judge_at(server), judge_at(server)])
            with Store(tmp_path / str(number)) as store:
                run(Stored(panel, store), SOME)  # type: ignore[arg-type]
            assert panel.observed() == (
                {"1.served": "m-2025", "2.served": "m-2025"} if server is one else {}
            )
            assert len(list(panel.language_models())) == 2
        merge_stores(tmp_path / "whole", [tmp_path / "0", tmp_path / "1"])
        with Store(tmp_path / "whole", write=False) as store:
            models = {model for _, model, _ in store.served("server/m")}
    assert models == {"m-2025", "m"}


def test_a_run_that_goes_on_sends_the_prompts_of_its_store(tmp_path: Path) -> None:
    def sent(name: str) -> list[str]:
        with ChatServer(model=lambda body: "?") as server, Store(tmp_path / name) as store:
            run(Stored(judge_at(server), store), SOME[:2])  # type: ignore[arg-type]
        return sorted(json.dumps(body) for body in server.requests)

    assert sent("one") == sent("one")  # failures are asked again, in the same words
    assert sent("one") != sent("two")
