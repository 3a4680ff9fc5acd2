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
from argue_bench.judges.prompted.injections import attempt_places
from argue_bench.models.providers import list_providers
from argue_bench.store import Store
from tests.models.server import ChatServer, data_of, honest, reply
from tests.shared import ROOT, run_command

pytest.importorskip("openai", reason="the extra judge is not installed")
pytestmark = pytest.mark.usefixtures("own_folder")

SAMPLE = ROOT / "argue_bench" / "data" / "core" / "sample-runs"
CAREFUL = SAMPLE / "careful.jsonl"
ARGUE = ("-m", "argue", "--split", "sample", "--judge", "server/m")


def table(output: str) -> list[str]:
    return [line for line in output.splitlines() if line.startswith(("argue.", "metric="))]


@pytest.mark.parametrize("provider", list_providers({}).values(), ids=lambda p: p.name)
def test_annotate_runs_on_core_through_every_providers_path(
    provider: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ChatServer(key="k-1") as server:
        monkeypatch.setenv(provider.url_variable, server.url)
        monkeypatch.setenv(provider.key_variable, "k-1")
        result = run_command(
            "evaluate",
            SAMPLE / "careful.trec.jsonl",
            "--dataset",
            "core",
            "--split",
            "sample",
            "--judge",
            f"{provider.name}/m,asking=batched",
            "--out",
            "judged",
            "--scores",
            "s.tsv",
        )
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
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        first = run_command("evaluate", CAREFUL, *ARGUE, "--out", "run")
        asked = server.count
        again = run_command("evaluate", CAREFUL, *ARGUE, "--out", "run")
        assert server.count == asked
    assert table(first.output) == table(again.output)
    tokens = sum(sum(len(m["content"]) for m in body["messages"]) // 4 for body in server.requests)
    assert f"{asked} calls, {tokens:,} tokens in" in first.stderr
    assert f"{asked} stored, 0 failed, 0 calls" in again.stderr


def test_a_dry_run_needs_no_key_and_costs_what_the_run_costs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dry = run_command(
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
        run = run_command(
            "evaluate",
            CAREFUL,
            "--split",
            "sample",
            "-m",
            "citations",
            "--judge",
            "openai/",
            "--format",
            "json",
        )
    (cost,) = json.loads(run.stdout)["cost"].values()
    least, most = int(row[2]), int(row[4] if row[3] == "to" else row[2])
    assert least <= cost["calls"] <= most
    assert cost["price"] > 0


@pytest.mark.parametrize("sharing", [pytest.param("workers", marks=pytest.mark.slow), "shards"])
def test_sharing_asks_each_once_and_ends_in_the_same_bytes(
    sharing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with ChatServer() as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        run_command("evaluate", CAREFUL, *ARGUE, "--out", "run")
        whole, bytes_of_run = server.count, Path("run").read_bytes()
        Path("run").rename("one")
        Path("run.verdicts").unlink()
        server.requests.clear()
        if sharing == "workers":
            result = run_command("evaluate", CAREFUL, *ARGUE, "--out", "run", "--workers", "2")
        else:
            for shard in ("1/3", "2/3", "3/3"):
                assert (
                    run_command(
                        "evaluate", CAREFUL, *ARGUE, "--out", "run", "--shard", shard
                    ).exit_code
                    == 0
                )
            merged = run_command(
                "store", "merge", "run.verdicts", *(f"run.verdicts.{n}-of-3" for n in (1, 2, 3))
            )
            assert f"{whole} verdicts added of {whole} in 3 stores" in merged.output
            result = run_command("evaluate", CAREFUL, *ARGUE, "--out", "run")
        assert result.exit_code == 0, result.output
        assert server.count == 2 * whole
    assert Path("run").read_bytes() == bytes_of_run


@pytest.mark.slow
def test_what_is_known_is_not_asked_by_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer() as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        run_command("evaluate", CAREFUL, *ARGUE, "--out", "run")
        asked = server.count
        result = run_command("evaluate", CAREFUL, *ARGUE, "--out", "run", "--workers", "2")
        assert result.exit_code == 0, result.output
        assert server.count == asked
    assert sorted(path.name for path in Path().glob("run*")) == ["run", "run.verdicts"]


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
    assert f"{first} stored" in whole.stderr
    assert sum(bodies.values()) == server.count


def test_a_budget_without_a_price_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ARGUE_BENCH_BASE_URL", "http://127.0.0.1:9/v1")
    result = run_command(
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
            "--split",
            "sample",
            "-m",
            "factuality(judge=m)",
            "--judge",
            "m=server/m",
            "--out",
            "run",
            "--format",
            "json",
        )
    assert result.exit_code == 3
    report = json.loads(result.stdout)
    assert report["scores"]["factuality(judge=m).accuracy"]["value"] is None
    assert "no verdict in 2 replies; the last: 'well'" in report["failures"][0]
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
        assert not list(tmp_path.glob(".*"))  # no part of a file is left behind
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
    result = run_command(
        "judge", "check", "lexical", "--injections", "--format", "json", "--out", "report.json"
    )
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert json.loads(Path("report.json").read_text()) == found
    for table in (found["kinds"], found["places"]):
        for count in ("attempts", "succeeded"):
            assert sum(row[count] for row in table.values()) == found[count]
    assert found["attempts"] >= 7 * 40
    assert "attempts succeeded" in run_command("judge", "check", "lexical", "--injections").output
    assert run_command("judge", "check", "lexical").exit_code == 2
    assert run_command("judge", "check", "lexical", "--labels", "x", "--out", "y").exit_code == 2


def test_the_report_on_injections_names_the_judge_as_signatures_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def model(body: dict[str, Any]) -> str:
        (data,) = data_of(body)
        return "yes" if "previous_sentences" in data or "admin" in str(data).lower() else "no"

    with ChatServer(model=model, refuses={"temperature"}) as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        words = ("judge", "check", "server/m", "--injections", "--out", "boards/m.json")
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


def test_a_report_that_cannot_be_written_is_told_before_anything_is_asked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ChatServer() as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        done = run_command("judge", "check", "server/m", "--injections", "--out", ".")
    assert (done.exit_code, server.count) == (1, 0)
    assert "[not-written]" in done.stderr


def test_a_report_on_nothing_has_no_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    with ChatServer(model=lambda body: "yes" if "previous" not in str(body) else "no") as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        result = run_command("judge", "check", "server/m", "--injections", "--format", "json")
    assert result.exit_code == 3
    found = json.loads(result.stdout)
    assert [found[key] for key in ("attempts", "rate", "low", "high")] == [0, None, None, None]
    places = [place.name for place in attempt_places()]
    assert found["left_out"] == places
    assert result.stderr.count("left out, wrong without any attempt") == len(places)


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


def right_alone(body: dict[str, Any]) -> str:
    """A model that judges rightly one by one; asked for many it says yes to the first six."""
    (data,) = data_of(body)
    if "questions" in data:
        numbers = [n for row in data["questions"] for n in row["answers"]]
        return reply(body, {n: "yes" if int(n) <= 6 else "no" for n in numbers})
    return "yes" if int(data.get("answer", "a1")[1:]) % 2 else "no"


def test_both_forms_of_asking_are_compared_in_one_command(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = labels_of(8)
    words = ("judge", "check", "server/m", "--labels", labels, "--forms", "--store", "kept")
    with ChatServer(model=right_alone) as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        found = json.loads(run_command(*words, "--format", "json").stdout)
        asked = server.count
        again = run_command(*words)
        assert server.count == asked == 8 + 1 + 1 + 1
    assert [found["forms"][form]["judge"] for form in ("single", "batched")] == [
        "server/m",
        "server/m,asking=batched",
    ]
    single, batched = (found["forms"][form]["kinds"]["Answers"] for form in ("single", "batched"))
    assert (single["accuracy"], single["kappa"]) == (1.0, 1.0)
    # Yes to all but the last two of a1 a7 a5 a4 a2 a3 a0 a6, the order of seed 0 (by SHA-256): wrong
    # on a4 and a2; 6 x 4 + 2 x 4 of 64 agree by chance.
    assert (batched["accuracy"], batched["kappa"]) == (0.75, 0.5)
    between = found["between"]["Answers"]
    assert (between["n"], between["agreement"], between["kappa"]) == (8, 0.75, 0.5)
    assert found["between"]["NeedsCitation"]["agreement"] == 1.0
    sizes = [sum(len(m["content"]) for m in body["messages"]) // 4 for body in server.requests]
    spent = [found["forms"][form]["spent"] for form in ("single", "batched")]
    assert [one["calls"] for one in spent] == [9, 2]
    assert [one["tokens_in"] for one in spent] == [sum(sizes[:9]), sum(sizes[9:])]
    assert "Answers        single   8       0     1.000  1.000" in again.stdout
    assert "Answers        batched  8       0     0.750  0.500" in again.stdout
    assert "batched       9      0" in again.stdout


def test_a_form_that_fails_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = labels_of(8)

    def model(body: dict[str, Any]) -> str:
        return "?" if "questions" in data_of(body)[0] else "yes"

    with ChatServer(model=model) as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        done = run_command("judge", "check", "server/m", "--labels", labels, "--forms")
    assert done.exit_code == 0
    assert "8 requests asked batched got no verdict" in done.stderr
    assert "asked single" not in done.stderr
    assert "Answers        batched  0       8         -      -" in done.stdout


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("lexical", "--labels", "labels.jsonl", "--forms"), "one form only"),
        (("panel:lexical+lexical", "--labels", "labels.jsonl", "--forms"), "one form only"),
        (("server/m", "--injections", "--forms"), "--forms can't go with --injections"),
        (("server/m", "--labels", "labels.jsonl", "--forms", "--wrong"), "--wrong can't go"),
        (("server/m", "--labels", "labels.jsonl", "--repeats", "2", "--store", "s"), "asks anew"),
        (("server/m", "--labels", "labels.jsonl", "--repeats", "0"), "repeats"),
        (("server/m",), "say what to check it on"),
    ],
)
def test_checks_that_cannot_be(
    words: tuple[str, ...], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    labels_of(2)
    monkeypatch.setenv("ARGUE_BENCH_BASE_URL", "http://127.0.0.1:9/v1")
    done = run_command("judge", "check", *words)
    assert (done.exit_code, says in done.stderr) == (2, True), done.output


def test_a_check_has_a_budget_and_a_dry_run_like_every_run(monkeypatch: pytest.MonkeyPatch) -> None:
    labels = labels_of(30)
    words = ("judge", "check", "server/m", "--labels", labels)
    dry = run_command(*words, "--forms", "--dry-run")
    rows = {line.split()[0]: line.split()[1:] for line in dry.stdout.splitlines()}
    assert "nothing was asked" in dry.stderr
    with ChatServer(delay=0.002) as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        stopped = run_command(*words, "--store", "kept", "--budget", "0.012")
        assert stopped.exit_code == 3
        assert "the budget of $0.012 is spent" in stopped.stderr
        first = server.count
        assert 0 < first < 31
        whole = run_command(*words, "--store", "kept", "--budget", "1")
        assert whole.exit_code == 0
        assert server.count == 31
    assert f"{first} stored" in whole.stderr
    assert [rows["server/m"][0], rows["server/m,asking=batched"][0]] == ["31", "2"]


def test_a_store_of_another_version_stops_every_command_that_judges_and_is_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    labels = labels_of(3)
    evaluate = ("evaluate", CAREFUL, *ARGUE, "--out", "run")
    with ChatServer() as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        run_command(*evaluate)
        asked = server.count
        for path in ("run.verdicts", "run.verdicts.1-of-2"):
            if path != "run.verdicts":
                Path(path).write_bytes(Path("run.verdicts").read_bytes())
            with closing(sqlite3.connect(path)) as db:
                db.execute("PRAGMA user_version = 99")
        before = Path("run.verdicts").read_bytes()
        annotate = (
            "evaluate",
            SAMPLE / "careful.trec.jsonl",
            "--dataset",
            "core",
            "--split",
            "sample",
            "--judge",
            "server/m",
            "--rules",
            "default",
            "--out",
            "o",
            "--store",
            "run.verdicts",
        )
        check = ("judge", "check", "server/m", "--labels", labels, "--store", "run.verdicts")
        replay = (
            "evaluate",
            CAREFUL,
            "-m",
            "argue",
            "--split",
            "sample",
            "--judge",
            "recorded:run.verdicts",
        )
        for words in (evaluate, (*evaluate, "--shard", "1/2"), annotate, check, replay):
            done = run_command(*words)
            assert done.exit_code == 3, done.output
            (line,) = [one for one in done.stderr.splitlines() if "[store-version]" in one]
            assert "has version 99" in line
        assert server.count == asked
    assert Path("run.verdicts").read_bytes() == before


def prompts_of_auto_argue(**more: Any) -> Path:
    """Auto-ARGUE's configuration, with a prompt on attested sentences."""
    path = Path(f"prompts-{len(more)}.json")
    attested = {"user_prompt": "{document} {sentence}", **more.pop("attested", {})}
    path.write_text(json.dumps({"sentence_attested": attested, **more}))
    return path


def attests_nothing(body: dict[str, Any]) -> str:
    """No verdict where Auto-ARGUE's prompt on attested sentences is asked."""
    return "?" if len(data_of(body)) == 2 else honest(body)


def test_a_default_response_of_auto_argue_is_what_a_failed_ask_gets_and_is_signed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    yes = prompts_of_auto_argue(attested={"default_response": "YES"})
    found = {}
    with ChatServer(model=attests_nothing) as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        for response, file in (("YES", yes), ("NO", "no.json"), ("", "none.json")):
            if response != "YES":
                said = {"default_response": response} if response else {}
                prompts_of_auto_argue(attested=said).rename(file)
            done = run_command(
                "evaluate",
                SAMPLE / "careful.trec.jsonl",
                "--dataset",
                "core",
                "--split",
                "sample",
                "--judge",
                f"server/m,prompts={file}",
                "--rules",
                "auto-argue",
                "--out",
                f"{file}.run",
                "--store",
                "kept",
                "--on-failure",
                "default",
                "--judgments-out",
                f"{file}.j",
            )
            assert done.exit_code == 0, done.output
            found[response] = read_header(Path(f"{file}.run")).signature["argue(rules=auto-argue)"]
            attested = [
                one["response"]["is_attested"]
                for line in Path(f"{file}.j").read_text().splitlines()
                for segment in json.loads(line)["judgments"]
                for one in segment["judgments"]
                if one["judgment_type_id"] == "SENTENCE_ATTESTED"
            ]
            assert len(attested) > 20
            assert set(attested) == {response == "YES"}  # ARGUE's own default is a no
    for file, shown in ((yes, "yes"), ("no.json", "no")):
        viewed = run_command(
            "view", f"{file}.run", "--dataset", "core", "--split", "sample", "--out", shown
        )
        assert viewed.exit_code == 0, viewed.output
    pages = {shown: (Path(shown) / "001-flood-toll.html").read_text() for shown in ("yes", "no")}
    assert ("s-supported" in pages["yes"], "s-supported" in pages["no"]) == (True, False)
    assert ("s-unsupported" in pages["yes"], "s-unsupported" in pages["no"]) == (False, True)
    assert found["YES"]["on-failure"] == "default Entails:yes"
    assert found["NO"]["on-failure"] == found[""]["on-failure"] == "default"
    assert len({one["judge"] for one in found.values()}) == 1  # what is asked is the same


def test_without_on_failure_a_default_response_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    file = prompts_of_auto_argue(attested={"default_response": "YES"})
    with ChatServer(model=attests_nothing) as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        done = run_command(
            "evaluate",
            CAREFUL,
            "--split",
            "sample",
            "-m",
            "argue",
            "--judge",
            f"server/m,prompts={file}",
            "--format",
            "json",
        )
    assert done.exit_code == 3
    report = json.loads(done.stdout)
    assert report["scores"]["argue.f1"]["value"] is None
    assert "on-failure" not in report["signature"]["argue"]


def test_what_of_auto_argues_configuration_is_not_used_is_told_once() -> None:
    relevance = {"user_prompt": "{sentence} {document}"}
    file = prompts_of_auto_argue(cited_document_relevance=relevance)
    words = [
        sys.executable,
        "-m",
        "argue_bench",
        "evaluate",
        str(CAREFUL),
        "--split",
        "sample",
        "-m",
        "argue",
        "-m",
        "citations",
        "--judge",
        f"openai/,prompts={file}",
        "--dry-run",
    ]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("cited_document_relevance is not used") == 1


def test_what_a_refused_parameter_left_unsaid_can_be_counted_under_other_rules(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ChatServer(refuses={"temperature", "max_tokens"}) as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        done = run_command(
            "evaluate",
            SAMPLE / "careful.trec.jsonl",
            "--dataset",
            "core",
            "--split",
            "sample",
            "--judge",
            "server/m",
            "--out",
            "o.run",
            "--judgments-out",
            "j.jsonl",
            "--rules",
            "auto-argue",
            "--scores",
            "one.tsv",
        )
    assert done.exit_code == 0, done.output
    judge = read_header(Path("o.run")).signature["argue(rules=auto-argue)"]["judge"]
    assert judge.endswith(" without:max_tokens, temperature")
    again = run_command(
        "evaluate",
        "--judgments",
        "o.run",
        "--rules",
        "auto-argue-paper",
        "--dataset",
        "core",
        "--split",
        "sample",
        "--scores",
        "two.tsv",
    )
    assert again.exit_code == 0, again.output
    assert run_command("view", "o.run", "--out", "pages").exit_code == 0
    page = (Path("pages") / "001-flood-toll.html").read_text()
    assert 'class="s-supported"' in page or 'class="s-unsupported"' in page


def test_a_merge_tells_what_it_cannot_read_and_leaves_the_rest_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ChatServer() as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        run_command("evaluate", CAREFUL, *ARGUE, "--out", "run")
    Path("no-store").write_text("hello")
    for whole, parts in (
        ("whole", ("absent", "run.verdicts")),
        ("whole", ("no-store", "run.verdicts")),
        ("run.verdicts", ("run.verdicts",)),
    ):
        result = run_command("store", "merge", whole, *parts)
        assert result.exit_code == 1, result.output
        assert not Path("whole").exists()
    assert run_command("store", "merge", "whole", "run.verdicts").exit_code == 0
    again = run_command("store", "merge", "whole", "run.verdicts")
    assert "0 verdicts added" in again.output
