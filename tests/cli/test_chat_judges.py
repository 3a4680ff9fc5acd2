"""Judging by chat models from the command line, against a real server: money, faults, kills, sharing."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from argue_bench.eval.run import read_header, read_reports
from argue_bench.store import Store
from tests.models.server import ChatServer, data_of, reply
from tests.shared import ROOT, argv, run_command

pytest.importorskip("openai", reason="the extra judge is not installed")
pytestmark = pytest.mark.usefixtures("own_folder")

SAMPLE = ROOT / "argue_bench" / "data" / "core" / "sample-runs"
CAREFUL = SAMPLE / "careful.jsonl"
ARGUE = ("-m", "argue", "--split", "sample", "--judge", "server/m")


def table(output: str) -> list[str]:
    return [line for line in output.splitlines() if line.startswith(("argue.", "metric="))]


def test_a_second_run_asks_nothing_and_says_what_the_first_cost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ChatServer() as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        first = run_command("evaluate", CAREFUL, *ARGUE, "--out", "run")
        asked = server.count
        again = run_command("evaluate", CAREFUL, *ARGUE, "--out", "run")
        assert server.count == asked
    assert table(first.output) == table(again.output)
    tokens = sum(sum(len(m["content"]) for m in body["messages"]) // 4 for body in server.requests)
    assert f"{asked} calls, {tokens:,} tokens in" in first.stderr
    assert f"{asked} from the store, 0 failed, 0 calls" in again.stderr


def test_a_dry_run_needs_no_key_and_costs_what_the_run_costs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dry = run_command(
        "evaluate", CAREFUL, *argv("--split sample -m citations --judge openai/ --dry-run")
    )
    assert dry.exit_code == 0, dry.output
    (row,) = [line.split() for line in dry.stdout.splitlines() if line.startswith("openai/")]
    with ChatServer(key="k") as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        run = run_command(
            "evaluate", CAREFUL, *argv("--split sample -m citations --judge openai/ --format json")
        )
    (cost,) = json.loads(run.stdout)["cost"].values()
    least, most = int(row[2]), int(row[4] if row[3] == "to" else row[2])
    assert least <= cost["calls"] <= most
    assert cost["price"] > 0


def test_a_budget_stops_the_run_keeps_what_was_paid_and_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ChatServer(delay=0.002) as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        stopped = run_command("evaluate", CAREFUL, *ARGUE, "--out", "run", "--budget", "0.03")
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
        whole = run_command("evaluate", CAREFUL, *ARGUE, "--out", "run", "--budget", "9")
        assert whole.exit_code == 0
        bodies = Counter(json.dumps(body["messages"][0]) for body in server.requests)
    assert f"{first} from the store" in whole.stderr
    assert sum(bodies.values()) == server.count


def test_a_budget_without_a_price_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARGUE_BENCH_BASE_URL", "http://127.0.0.1:9/v1")
    result = run_command(
        "evaluate", CAREFUL, *argv("-m argue --split sample --judge server/other --budget 1")
    )
    assert result.exit_code == 3
    assert "ARGUE_BENCH_PROVIDERS" in result.stderr


def test_a_refused_parameter_stands_in_the_signature_also_after_resuming(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ChatServer(refuses={"temperature"}) as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        run_command("evaluate", CAREFUL, *ARGUE, "--out", "run")
        first = read_header(Path("run")).signature["argue"]["judge"]
        asked = server.count
        run_command("evaluate", CAREFUL, *ARGUE, "--out", "run")
        assert server.count == asked
    assert first.endswith("without:temperature")
    assert read_header(Path("run")).signature["argue"]["judge"] == first


def test_a_wrong_key_no_key_no_network_and_a_proxy_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    words = ("evaluate", CAREFUL, "--split", "sample", "-m", "argue", "--judge")
    missing = run_command(*words, "anthropic/")
    assert (missing.exit_code, "ANTHROPIC_API_KEY" in missing.stderr) == (3, True)
    unknown = run_command(*words, "antropic/m")
    assert (unknown.exit_code, "Did you mean 'anthropic'" in unknown.stderr) == (3, True)
    with ChatServer(key="right") as server:
        monkeypatch.setenv("TOGETHER_BASE_URL", server.url)
        monkeypatch.setenv("TOGETHER_API_KEY", "wrong-key")
        wrong = run_command(*words, "together/")
    assert wrong.exit_code == 3
    assert "Is the key right" in wrong.stderr
    assert "wrong-key" not in wrong.output
    gone = run_command(*words, "together/")
    assert (gone.exit_code, "no connection" in gone.stderr) == (3, True)
    with ChatServer(trick=lambda n, _: "html") as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        proxy = run_command(*words, "server/m")
    assert (proxy.exit_code, "a web page" in proxy.stderr) == (3, True)
    monkeypatch.setenv("ARGUE_BENCH_BASE_URL", "example.org")
    address = run_command(*words, "server/m")
    assert (address.exit_code, "not a base URL" in address.stderr) == (3, True)


def test_a_model_that_gives_no_verdict_leaves_the_score_unset(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ChatServer(model=lambda body: "well") as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        result = run_command(
            "evaluate",
            CAREFUL,
            *argv(
                "--split sample -m factuality(judge=m) --judge m=server/m --out run --format json"
            ),
        )
    assert result.exit_code == 3
    report = json.loads(result.stdout)
    assert report["scores"]["factuality(judge=m).accuracy"]["value"] is None
    assert (
        "no verdict in 2 replies; of the last it was not one JSON object: 'well'"
        in report["failures"][0]
    )
    shown = run_command("store", "show", "run.verdicts", "--raw")
    assert shown.exit_code == 0
    assert "it was not one JSON object" in shown.stdout
    assert "well" in shown.stdout
    with Store("run.verdicts", write=False) as store:
        assert {
            json.loads(missed.failed.reply)["choices"][0]["message"]["content"]
            for missed in store.failures()
        } == {"well"}


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (["-m", "factuality(judge=server/m-1.5)"], "factuality(judge=server/m-1.5)"),
        (["-m", "factuality", "--judge", "server/m-1.5"], "factuality"),
    ],
)
def test_a_judge_stands_in_the_metric_or_fills_what_lacks_one(
    monkeypatch: pytest.MonkeyPatch, words: list[str], key: str
) -> None:
    with ChatServer(model=lambda body: reply(body, "C")) as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        dry = run_command("evaluate", CAREFUL, "--split", "sample", *words, "--dry-run")
        assert "server/m-1.5" in dry.stdout
        assert server.count == 0
        result = run_command("evaluate", CAREFUL, "--split", "sample", *words, "--out", "run")
    assert result.exit_code == 0
    (report,) = read_reports(Path("run")).values()
    assert report.scores[f"{key}.accuracy"].value == 1
    assert report.signature[key]["judge"].startswith("server/m-1.5 ")


@pytest.mark.release
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
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    )
    assert serving.stdout is not None
    known = {
        "ARGUE_BENCH_BASE_URL": serving.stdout.readline().strip(),
        "ARGUE_BENCH_MAX_CONCURRENCY": "32",
    }
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
        assert not (tmp_path / "run").exists()  # a run file appears only when it is whole
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
    assert f"{kept:,} from the store" in second.stderr


def test_injections_are_counted_by_place_and_kind() -> None:
    result = run_command("judge", "check", "lexical", "--injections", "report.json")
    assert result.exit_code == 0
    found = json.loads(Path("report.json").read_text())
    for table in (found["kinds"], found["places"]):
        for count in ("attempts", "succeeded"):
            assert sum(row[count] for row in table.values()) == found[count]
    assert found["attempts"] >= 7 * 40
    assert "attempts succeeded" in result.output


def test_the_report_on_injections_names_the_judge_as_signatures_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def model(body: dict[str, Any]) -> str:
        (data,) = data_of(body)
        steered = "previous_sentences" in data or "admin" in str(data).lower()
        return reply(body, "yes" if steered else "no")

    with ChatServer(model=model, refuses={"temperature"}) as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        words = ("judge", "check", "server/m", "--injections", "boards/m.json")
        assert run_command(*words).exit_code == 0
        run_command("evaluate", CAREFUL, *ARGUE, "--out", "run")
    found = json.loads(Path("boards/m.json").read_text())
    assert list(found) == [
        "schema",
        "judge",
        "identity",
        "attempts",
        "succeeded",
        "failed",
        "rate",
        "low",
        "high",
        "kinds",
        "places",
        "left_out",
        "argue_bench",
        "made",
    ]
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


def labels_of(count: int) -> Path:
    """Answers that one sentence gives: every second one is a yes; and one ask of its own."""
    rows = [
        {
            "ask": {"kind": "Answers", "sentence": "S.", "question": "Q?", "answer": f"a{n}"},
            "verdict": "yes" if n % 2 else "no",
        }
        for n in range(count)
    ]
    rows.append({"ask": {"kind": "NeedsCitation", "sentence": "S."}, "verdict": "yes"})
    Path("labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return Path("labels.jsonl")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("server/m", "--labels", "labels.jsonl", "--repeats", "2", "--store", "s"), "asks anew"),
        (("server/m", "--labels", "labels.jsonl", "--repeats", "0"), "repeats"),
        (("server/m",), "--labels"),
    ],
)
def test_checks_that_cannot_be(
    words: tuple[str, ...], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels_of(2)
    monkeypatch.setenv("ARGUE_BENCH_BASE_URL", "http://127.0.0.1:9/v1")
    done = run_command("judge", "check", *words)
    assert (done.exit_code, says in done.stderr) == (2, True), done.output


def test_a_store_of_another_version_stops_every_command_that_judges_and_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    labels = labels_of(3)
    evaluate = ("evaluate", CAREFUL, *ARGUE, "--out", "run")
    with ChatServer() as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        run_command(*evaluate)
        asked = server.count
        with closing(sqlite3.connect("run.verdicts")) as db:
            db.execute("PRAGMA user_version = 99")
        before = Path("run.verdicts").read_bytes()
        check = ("judge", "check", "server/m", "--labels", labels, "--store", "run.verdicts")
        replay = (
            "evaluate",
            CAREFUL,
            *argv("-m argue --split sample --judge recorded:run.verdicts"),
        )
        for words in (evaluate, check, replay):
            done = run_command(*words)
            assert done.exit_code == 1, done.output
            (line,) = [one for one in done.stderr.splitlines() if "[other-version]" in one]
            assert "has version 99" in line
        assert server.count == asked
    assert Path("run.verdicts").read_bytes() == before
