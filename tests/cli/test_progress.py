"""The words beside the bar of a judged run."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.cli.progress import JudgingMeter
from argue_bench.eval.driver import Standing
from argue_bench.judges import Counts
from tests.models.server import ChatServer
from tests.shared import ROOT, argv


@dataclass
class Asked:
    """As much of a judge as the meter looks at."""

    counts: Counts = field(default_factory=Counts)


def test_verdicts_calls_failures_and_dollars_are_said() -> None:
    judge = Asked()
    meter = JudgingMeter([judge, judge])  # type: ignore[list-item]
    assert meter() == ""
    meter.standing = Standing(made=1000, verdicts=490, failed=10)
    judge.counts.stored, judge.counts.calls, judge.counts.price = 100, 440, 0.2
    assert meter() == "500 of 1,000 verdicts, 100 from the store, 10 failed, 440 calls, $0.2000"


def test_a_log_has_a_line_with_calls_and_dollars_and_the_right_total(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("QUIET_SECONDS", "LOG_SECONDS"):
        monkeypatch.setattr(f"argue_bench.cli.progress.{name}", 0.0)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "providers.toml").write_text("[server]\nin = 1.0\nout = 2.0\n")
    monkeypatch.setenv("ARGUE_BENCH_PROVIDERS", "providers.toml")
    sample = ROOT / "argue_bench" / "data" / "core" / "sample-runs" / "careful.jsonl"
    some = sample.read_text().splitlines(keepends=True)[:3]
    (tmp_path / "answers.jsonl").write_text("".join(some))
    with ChatServer() as server:
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", server.url)
        words = [
            *argv("evaluate answers.jsonl --split sample -m argue --only-answered --judge server/m")
        ]
        done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    lines = re.findall(r"^scoring: .*$", done.stderr, re.MULTILINE)
    assert all(" of 3" in line for line in lines)
    last = lines[-1]
    total = int(re.search(r", ([\d,]+) of \1 verdicts", last)[1].replace(",", ""))  # type: ignore[index]
    assert f"{total:,} calls" in last
    assert total == server.count
    assert re.search(r"\$[\d.]+$", last)
