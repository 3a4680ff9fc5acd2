"""Judging by chat models from the command line, against a real server: money, faults, kills, sharing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from argue_bench.cli import main
from argue_bench.eval.run import read_header
from argue_bench.models.providers import PROVIDERS
from argue_bench.store import Store
from tests.models.server import ChatServer, data_of
from tests.shared import ROOT

pytest.importorskip("openai", reason="the extra judge is not installed")

SAMPLE = ROOT / "argue_bench" / "data" / "core" / "sample-runs"
CAREFUL = SAMPLE / "careful.jsonl"
ARGUE = ("-m", "argue", "--split", "sample", "--judge", "server/m")


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("argue_bench.models.chat._FIRST_WAIT", 0.002)
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_BASE_URL", "_API_TOKEN")) or name.startswith("ARGUE_"):
            monkeypatch.delenv(name)
    prices = {"models": [{"provider": "server", "model": "m", "in": 1.0, "out": 2.0}]}
    (tmp_path / "prices.json").write_text(json.dumps(prices))
    monkeypatch.setenv("ARGUE_PRICES", str(tmp_path / "prices.json"))


def call(*words: str | Path) -> Result:
    result = CliRunner().invoke(main, [str(word) for word in words], catch_exceptions=False)
    assert "Traceback" not in result.output
    return result


def table(output: str) -> list[str]:
    return [line for line in output.splitlines() if line.startswith(("argue.", "metric="))]


@pytest.mark.parametrize("provider", PROVIDERS.values(), ids=lambda p: p.name)
def test_annotate_runs_on_core_through_every_providers_path(
    provider: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ChatServer(key="k-1") as server:
        monkeypatch.setenv(provider.url_variable, server.url)
        monkeypatch.setenv(provider.key, "k-1")
        result = call(
            "annotate", SAMPLE / "careful.trec.jsonl", "--on", "core", "--split", "sample",
            "--judge", f"{provider.name}/m,asking=batched", "--out", "judged", "--scores", "s.tsv",
        )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert server.count > 50
    assert not server.forged
    assert "sentence_support" in Path("s.tsv").read_text()
    assert (
        f"judge={provider.name}/m"
        in "judge=" + read_header(Path("judged")).signature["argue"]["judge"]
    )


def test_a_second_run_asks_nothing_and_says_what_the_first_cost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ChatServer() as server:
        monkeypatch.setenv("ARGUE_BASE_URL", server.url)
        first = call("evaluate", CAREFUL, *ARGUE, "--out", "run")
        asked = server.count
        again = call("evaluate", CAREFUL, *ARGUE, "--out", "run")
        assert server.count == asked
    assert table(first.output) == table(again.output)
    tokens = sum(sum(len(m["content"]) for m in body["messages"]) // 4 for body in server.requests)
    assert f"{asked} calls, {tokens:,} tokens in" in first.stderr
    assert f"{asked} stored, 0 failed, 0 calls" in again.stderr


def test_a_dry_run_needs_no_key_and_costs_what_the_run_costs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dry = call(
        "evaluate",
        CAREFUL,
        "--split",
        "sample",
        "-m",
        "citations",
        "--judge",
        "openai/",
        "--dry-run",
    )
    assert dry.exit_code == 0, dry.output
    (row,) = [line.split() for line in dry.stdout.splitlines() if line.startswith("openai/")]
    with ChatServer(key="k") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        run = call(
            "evaluate",
            CAREFUL,
            "--split",
            "sample",
            "-m",
            "citations",
            "--judge",
            "openai/",
            "--json",
        )
    (cost,) = json.loads(run.stdout)["cost"].values()
    least, most = int(row[2]), int(row[4] if row[3] == "to" else row[2])
    assert least <= cost["calls"] <= most
    assert cost["price"] > 0


@pytest.mark.parametrize("sharing", ["workers", "shards"])
def test_sharing_asks_each_once_and_ends_in_the_same_bytes(
    sharing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ChatServer() as server:
        monkeypatch.setenv("ARGUE_BASE_URL", server.url)
        call("evaluate", CAREFUL, *ARGUE, "--out", "run")
        whole, bytes_of_run = server.count, Path("run").read_bytes()
        Path("run").rename("one")
        Path("run.verdicts").unlink()
        server.requests.clear()
        if sharing == "workers":
            result = call("evaluate", CAREFUL, *ARGUE, "--out", "run", "--workers", "2")
        else:
            for shard in ("1/3", "2/3", "3/3"):
                assert (
                    call("evaluate", CAREFUL, *ARGUE, "--out", "run", "--shard", shard).exit_code
                    == 0
                )
            merged = call("merge", "run.verdicts", *(f"run.verdicts.{n}-of-3" for n in (1, 2, 3)))
            assert f"{whole} verdicts added of {whole} in 3 stores" in merged.output
            result = call("evaluate", CAREFUL, *ARGUE, "--out", "run")
        assert result.exit_code == 0, result.output
        assert server.count == 2 * whole
    assert Path("run").read_bytes() == bytes_of_run


def test_what_is_known_is_not_asked_by_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer() as server:
        monkeypatch.setenv("ARGUE_BASE_URL", server.url)
        call("evaluate", CAREFUL, *ARGUE, "--out", "run")
        asked = server.count
        result = call("evaluate", CAREFUL, *ARGUE, "--out", "run", "--workers", "2")
        assert result.exit_code == 0, result.output
        assert server.count == asked
    assert sorted(path.name for path in Path().glob("run*")) == ["run", "run.verdicts"]


def test_a_budget_stops_the_run_keeps_what_was_paid_and_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ChatServer(delay=0.002) as server:
        monkeypatch.setenv("ARGUE_BASE_URL", server.url)
        stopped = call("evaluate", CAREFUL, *ARGUE, "--out", "run", "--budget", "0.03")
        assert stopped.exit_code == 3
        assert "the budget of $0.03 is spent" in stopped.stderr
        first = server.count
        with Store("run.verdicts", write=False) as store:
            assert len(store) == first  # every reply that was paid for is there
        spent = sum(
            (sum(len(m["content"]) for m in body["messages"]) // 4) * 1e-6 + 4 * 2e-6
            for body in server.requests
        )
        assert 0 < spent <= 0.03
        whole = call("evaluate", CAREFUL, *ARGUE, "--out", "run", "--budget", "9")
        assert whole.exit_code == 0
        bodies = Counter(json.dumps(body["messages"][0]) for body in server.requests)
    assert f"{first} stored" in whole.stderr
    assert sum(bodies.values()) == server.count


def test_a_budget_without_a_price_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARGUE_BASE_URL", "http://127.0.0.1:9/v1")
    result = call(
        "evaluate",
        CAREFUL,
        "-m",
        "argue",
        "--split",
        "sample",
        "--judge",
        "server/other",
        "--budget",
        "1",
    )
    assert result.exit_code == 3
    assert "ARGUE_PRICES" in result.stderr


def test_a_refused_parameter_stands_in_the_signature_also_after_resuming(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ChatServer(refuses={"temperature"}) as server:
        monkeypatch.setenv("ARGUE_BASE_URL", server.url)
        call("evaluate", CAREFUL, *ARGUE, "--out", "run")
        first = read_header(Path("run")).signature["argue"]["judge"]
        asked = server.count
        call("evaluate", CAREFUL, *ARGUE, "--out", "run")
        assert server.count == asked
    assert first.endswith("without:temperature")
    assert read_header(Path("run")).signature["argue"]["judge"] == first


def test_a_wrong_key_no_key_no_network_and_a_proxy_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ("evaluate", CAREFUL, "--split", "sample", "-m", "argue", "--judge")
    missing = call(*words, "anthropic/")
    assert (missing.exit_code, "ANTHROPIC_API_KEY" in missing.stderr) == (3, True)
    unknown = call(*words, "antropic/m")
    assert (unknown.exit_code, "Did you mean 'anthropic'" in unknown.stderr) == (3, True)
    with ChatServer(key="right") as server:
        monkeypatch.setenv("TOGETHER_BASE_URL", server.url)
        monkeypatch.setenv("TOGETHER_API_KEY", "wrong-key")
        wrong = call(*words, "together/")
    assert wrong.exit_code == 3
    assert "Is the key right" in wrong.stderr
    assert "wrong-key" not in wrong.output
    gone = call(*words, "together/")
    assert (gone.exit_code, "no connection" in gone.stderr) == (3, True)
    with ChatServer(trick=lambda n, _: "html") as server:
        monkeypatch.setenv("ARGUE_BASE_URL", server.url)
        proxy = call(*words, "server/m")
    assert (proxy.exit_code, "a web page" in proxy.stderr) == (3, True)
    monkeypatch.setenv("ARGUE_BASE_URL", "example.org")
    address = call(*words, "server/m")
    assert (address.exit_code, "no base URL" in address.stderr) == (3, True)


def test_a_model_that_gives_no_verdict_leaves_the_score_unset(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ChatServer(model=lambda body: "well") as server:
        monkeypatch.setenv("ARGUE_BASE_URL", server.url)
        result = call("evaluate", CAREFUL, "--split", "sample", "-m", "factuality(judge=m)",
                      "--judge", "m=server/m", "--out", "run", "--json")  # fmt: skip
    assert result.exit_code == 3
    report = json.loads(result.stdout)
    assert report["scores"]["factuality(judge=m).accuracy"]["value"] is None
    assert "no verdict in 3 replies; the last: 'well'" in report["failures"][0]
    with Store("run.verdicts", write=False) as store:
        assert {
            json.loads(missed.failed.reply)["choices"][0]["message"]["content"]
            for missed in store.missed()
        } == {"well"}


def test_killed_during_5000_judgments_nothing_stored_is_asked_twice(tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    ids = [json.loads(line)["id"] for line in CAREFUL.read_text(encoding="utf-8").splitlines()]
    rows = [
        {
            "id": id,
            "answer": " ".join(f"Fact {n} of {id} is that it held [D03]." for n in range(66)),
        }
        for id in ids
    ]
    answers.write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = [sys.executable, "-m", "argue_bench", "evaluate", str(answers), *ARGUE, "--out", "run"]
    log = tmp_path / "log"
    serving = subprocess.Popen(
        [sys.executable, "-m", "tests.models.server", "5", str(log)],
        stdout=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    assert serving.stdout is not None
    known = {"ARGUE_BASE_URL": serving.stdout.readline().strip(), "ARGUE_MAX_CONCURRENCY": "32"}
    environment = {**os.environ, **known}
    try:
        first = subprocess.Popen(
            words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until = time.monotonic() + 60
        while time.monotonic() < until and (
            not log.exists() or len(log.read_text().split()) < 1500
        ):
            time.sleep(0.05)
        first.send_signal(signal.SIGKILL)
        first.wait()
        with Store("run.verdicts", write=False) as store:
            kept = len(store)
        asked = len(log.read_text().split())
        assert 1000 < kept <= asked < 4900
        assert asked - kept <= 32 + 8  # what was under way, or had come and was not yet written
        second = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
        assert second.returncode == 0, second.stderr
        total = len(log.read_text().split())
    finally:
        serving.terminate()
        serving.communicate()
    with Store("run.verdicts", write=False) as store:
        assert len(store) >= 5000
        assert total - asked == len(store) - kept
    assert f"{kept:,} stored" in second.stderr


def test_injections_are_counted_by_place_and_kind() -> None:
    result = call("judge", "check", "lexical", "--injections", "--json", "--out", "report.json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert json.loads(Path("report.json").read_text()) == found
    for table in (found["kinds"], found["places"]):
        for count in ("attempts", "succeeded"):
            assert sum(row[count] for row in table.values()) == found[count]
    assert found["attempts"] >= 7 * 40
    assert "attempts succeeded" in call("judge", "check", "lexical", "--injections").output
    assert call("judge", "check", "lexical").exit_code == 2
    assert call("judge", "check", "lexical", "--labels", "x", "--out", "y").exit_code == 2


def test_the_report_on_injections_names_the_judge_as_signatures_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def model(body: dict[str, Any]) -> str:
        (data,) = data_of(body)
        return "yes" if "previous_sentences" in data or "admin" in str(data).lower() else "no"

    with ChatServer(model=model, refuses={"temperature"}) as server:
        monkeypatch.setenv("ARGUE_BASE_URL", server.url)
        words = ("judge", "check", "server/m", "--injections", "--out", "boards/m.json")
        assert call(*words).exit_code == 0
        call("evaluate", CAREFUL, *ARGUE, "--out", "run")
    found = json.loads(Path("boards/m.json").read_text())
    assert list(found) == [
        "schema", "judge", "identity", "attempts", "succeeded", "failed", "rate", "low", "high",
        "kinds", "places", "left_out", "argue_bench", "made",
    ]  # fmt: skip
    assert found["schema"] == 1
    assert found["failed"] == 0
    told = [found["judge"], *(f"{key}:{value}" for key, value in found["identity"].items())]
    assert " ".join(told) == read_header(Path("run")).signature["argue"]["judge"]
    n, k, z = found["attempts"], found["succeeded"], 1.959963984540054
    assert 0 < k < n
    assert found["rate"] == k / n
    # Wilson 1927: (k + z2/2 -+ z sqrt(k (n - k) / n + z2/4)) / (n + z2)
    spread = z * (k * (n - k) / n + z * z / 4) ** 0.5
    assert found["low"] == pytest.approx((k + z * z / 2 - spread) / (n + z * z))
    assert found["high"] == pytest.approx((k + z * z / 2 + spread) / (n + z * z))


def test_a_report_on_nothing_has_no_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer(model=lambda body: "yes" if "previous" not in str(body) else "no") as server:
        monkeypatch.setenv("ARGUE_BASE_URL", server.url)
        result = call("judge", "check", "server/m", "--injections", "--json")
    assert result.exit_code == 3
    found = json.loads(result.stdout)
    assert [found[key] for key in ("attempts", "rate", "low", "high")] == [0, None, None, None]
    assert len(found["left_out"]) == 7
    assert result.stderr.count("left out, for it was wrong") == 7


def test_a_merge_tells_what_it_cannot_read_and_leaves_the_rest_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ChatServer() as server:
        monkeypatch.setenv("ARGUE_BASE_URL", server.url)
        call("evaluate", CAREFUL, *ARGUE, "--out", "run")
    Path("no-store").write_text("hello")
    for parts in (
        ("run.verdicts", "absent"),
        ("run.verdicts", "no-store"),
        ("whole", "run.verdicts"),
    ):
        whole = "whole" if parts[0] != "whole" else "run.verdicts"
        result = call("merge", whole, *parts[1:], *([] if parts[0] == "whole" else parts[:1]))
        assert result.exit_code == 1, result.output
        assert not Path("whole").exists()
    assert call("merge", "whole", "run.verdicts").exit_code == 0
    again = call("merge", "whole", "run.verdicts")
    assert "0 verdicts added" in again.output
