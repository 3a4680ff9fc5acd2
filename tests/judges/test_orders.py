"""``judge check --orders``: verdicts that rest on the order of documents, or of requests in a call."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from argue_bench.judges import as_judge
from argue_bench.judges.checks.orders import check_orders, in_orders, reordered
from argue_bench.judges.prompted import Prompted
from argue_bench.models.chat import Chat
from argue_bench.records import (
    Answers,
    Entails,
    FirstInstance,
    Grounded,
    JudgeRequest,
    Source,
    request_to_json,
)
from tests.models.server import ChatServer, data_of, numbered, reply
from tests.shared import run_command

pytest.importorskip("openai", reason="the extra judge is not installed")

SOURCES = tuple(Source(f"d{n}", f"text {n}") for n in range(4))


def labels(path: Path, *rows: tuple[JudgeRequest, str]) -> Path:
    lines = [json.dumps({"ask": request_to_json(one), "verdict": word}) for one, word in rows]
    path.write_text("\n".join(lines) + "\n")
    return path


def test_documents_are_permuted_and_nothing_else_of_a_request() -> None:
    entails = Entails(SOURCES, "s")
    orders = [reordered(entails, order).premise for order in range(6)]  # type: ignore[union-attr]
    assert orders[0] == SOURCES
    assert len(set(orders)) > 3
    assert {frozenset(one) for one in orders} == {frozenset(SOURCES)}
    for same in (Entails(SOURCES[:1], "s"), FirstInstance("s", ("a", "b", "c"))):
        assert reordered(same, 3) is same
    grounded = Grounded("q", "r", ("t", "u"), SOURCES, "a")
    changed = reordered(grounded, 1)
    assert isinstance(changed, Grounded)
    assert (changed.supporting, changed.response) == (("t", "u"), "a")
    assert changed.documents != SOURCES


def test_a_judge_that_reads_the_first_document_only_flips(tmp_path: Path) -> None:
    def first_only(request: JudgeRequest) -> str:
        assert isinstance(request, Entails)
        return "yes" if request.premise[0].id == "d0" else "no"

    file = labels(
        tmp_path / "labels.jsonl",
        (Entails(SOURCES, "s"), "yes"),
        (Entails(SOURCES[:1], "t"), "yes"),
        (Entails(SOURCES[1:2], "u"), "no"),
    )
    found = check_orders(in_orders(as_judge(first_only), 8), file)
    said = [
        "yes" if reordered(Entails(SOURCES, "s"), n).premise[0].id == "d0" else "no"
        for n in range(8)
    ]  # type: ignore[union-attr]
    yes = said.count("yes")
    assert 0 < yes < 8
    kind = found.kinds["Entails"]
    # Only the first label has an order; of the 28 pairs of orders, yes x no differ.
    assert (kind.n, kind.flips) == (1, pytest.approx(yes * (8 - yes) / 28))
    assert kind.accuracy == tuple(pytest.approx((2 + (one == "yes")) / 3) for one in said)
    assert (found.answered, found.orders, kind.places) == (3, 8, {})


def early_bird(body: dict[str, Any]) -> str:
    """A model that judges the first third of a call rightly, and says no to all that comes after."""
    rows = numbered(data_of(body)[0])
    return reply(body, {n: "yes" if int(n) <= len(rows) / 3 else "no" for n in rows})


def test_agreement_is_told_by_the_place_in_a_call(tmp_path: Path) -> None:
    file = labels(
        tmp_path / "labels.jsonl", *((Answers("s", "q", f"a{n}"), "yes") for n in range(9))
    )
    with ChatServer(model=early_bird) as server:
        chat = Chat("server", "m", known={"ARGUE_BENCH_BASE_URL": server.url})
        found = check_orders(in_orders(Prompted(chat, asking="batched"), 4), file)
        assert server.count == 4
    kind = found.kinds["Answers"]
    assert {name: (one.n, one.accuracy) for name, one in kind.places.items()} == {
        "first third": (12, 1.0),
        "middle": (12, 0.0),
        "last third": (12, 0.0),
    }
    assert kind.n == 9
    assert kind.flips is not None
    assert kind.flips > 0
    assert kind.accuracy == (pytest.approx(1 / 3),) * 4


def test_the_command_shows_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    file = labels(
        tmp_path / "labels.jsonl", *((Answers("s", "q", f"a{n}"), "yes") for n in range(9))
    )
    words = ("judge", "check", "server/m,asking=batched", "--labels", file, "--orders", "3")
    with ChatServer(model=early_bird) as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        done = run_command(*words, "--store", "kept")
        asked = server.count
        again = json.loads(run_command(*words, "--store", "kept", "--format", "json").stdout)
        assert server.count == asked == 3
    assert done.exit_code == 0, done.output
    assert "on 9 labels of labels.jsonl in 3 orders" in done.stdout
    assert "0.333 to 0.333" in done.stdout
    assert "1.000 of 9" in done.stdout
    assert again["kinds"]["Answers"]["places"]["middle"] == {"n": 9, "accuracy": 0.0}
    alone = run_command("judge", "check", "lexical", "--labels", file, "--orders", "3")
    assert "there is nothing to permute" in alone.stderr
    mixed = run_command(
        "judge", "check", "lexical", "--labels", file, "--orders", "3", "--repeats", "2"
    )
    assert mixed.exit_code == 2
    assert "--repeats can't go with --orders" in mixed.stderr
