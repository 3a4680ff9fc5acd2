"""Prices: named with their source before a run, never taken for 0 where nobody knows them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argue_bench.judges.prompted import Prompted
from argue_bench.models.chat import Chat
from argue_bench.records import NeedsCitation
from tests.cli.test_chat_judges import CAREFUL
from tests.judges.test_prompted import run
from tests.models.server import ChatServer, honest
from tests.shared import run_command

pytest.importorskip("openai", reason="the extra judge is not installed")
pytestmark = pytest.mark.usefixtures("own_folder")

CITATIONS = ("evaluate", CAREFUL, "--split", "sample", "-m", "citations", "--judge")


def test_a_dry_run_names_each_price_and_where_it_was_read() -> None:
    known = run_command(*CITATIONS, "openai/gpt-4o-mini", "--dry-run")
    assert "openai/gpt-4o-mini $0.15 read and $0.6 written (https://" in known.stderr
    assert ", read 2026-" in known.stderr
    own = run_command(*CITATIONS, "panel:server/m+huggingface/org/m", "--dry-run")
    assert "server/m $1 read and $2 written." in own.stderr  # a row of one's own, without a source
    assert "No price is known of huggingface/org/m" in own.stderr
    assert "ARGUE_BENCH_PROVIDERS" in own.stderr
    assert own.stdout.count("not known") == 2  # the row, and the sum with server/m's


def test_a_dry_run_ends_with_a_finding_above_the_budget() -> None:
    words = (*CITATIONS, "openai/gpt-4o-mini", "--dry-run", "--budget")
    above, within = run_command(*words, "0.0001"), run_command(*words, "9")
    assert (above.exit_code, within.exit_code) == (1, 0)
    assert "is above the budget of $0.0001" in above.stderr
    assert above.stdout == within.stdout


def test_what_nobody_knows_is_counted_and_not_said_to_cost_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ChatServer() as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        told = run_command(*CITATIONS, "server/other")
        done = run_command(*CITATIONS, "server/other", "--format", "json", "--store", "again")
    assert "calls of unknown price" in told.stderr
    cost = json.loads(done.stdout)["cost"]["server/other"]
    assert cost["unpriced"] == cost["calls"] == server.count / 2
    assert "price" not in cost


def test_a_server_of_ones_own_that_costs_nothing_is_not_unknown(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ChatServer() as server:
        monkeypatch.setenv("VLLM_BASE_URL", server.url)
        done = run_command(*CITATIONS, "vllm/m", "--format", "json")
    assert "unpriced" not in json.loads(done.stdout)["cost"]["vllm/m"]
    assert "not known" not in done.stderr


def test_a_card_has_no_dollars_where_the_price_is_not_known(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    labels = Path("labels.jsonl")
    labels.write_text(
        "".join(
            json.dumps({"ask": {"kind": "NeedsCitation", "sentence": f"s{n}"}, "verdict": "yes"})
            + "\n"
            for n in range(3)
        )
    )
    given = {}
    with ChatServer() as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        for model in ("m", "other"):
            done = run_command(
                "judge", "card", f"server/{model}", "--labels", labels, "--out", model
            )
            assert done.exit_code in (0, 1), done.output
            (given[model],) = (one["each"] for one in json.loads(Path(model).read_text())["sets"])
    assert given["m"]["dollars"] > 0
    assert given["other"]["dollars"] is None


@pytest.mark.parametrize(
    ("bill", "price", "unpriced"),
    [(0.0125, 0.025, 0), (0, 0.0, 0), (None, 0.0, 2), (-1, 0.0, 2), (True, 0.0, 2), ("1", 0.0, 2)],
)
def test_a_bill_in_the_reply_is_what_it_costs(bill: object, price: float, unpriced: int) -> None:
    def model(body: dict[str, object]) -> dict[str, object]:
        usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9, "cost": bill}
        return {"content": honest(body), "usage": usage}

    with ChatServer(model=model) as server:
        known = {"OPENROUTER_BASE_URL": server.url, "OPENROUTER_API_KEY": "k"}
        judge = Prompted(Chat("openrouter", "m", known=known))
        run(judge, [NeedsCitation("one"), NeedsCitation("two")])
    assert judge.counts.price == pytest.approx(price)
    assert (judge.counts.calls, judge.counts.unpriced) == (2, unpriced)
