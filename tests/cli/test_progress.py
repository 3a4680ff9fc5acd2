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
from tests.shared import ROOT


@dataclass
class Asked:
    """As much of a judge as the meter looks at."""

    counts: Counts = field(default_factory=Counts)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_verdicts_calls_failures_dollars_rate_and_time_left_are_said() -> None:
    judge, clock, standing = Asked(), Clock(), Standing()
    meter = JudgingMeter(40, [judge, judge], clock)  # type: ignore[list-item]
    assert meter() == ""
    meter.watch(standing)
    standing.started, standing.made = 20, 1000
    standing.verdicts, standing.failed = 490, 10
    judge.counts.stored, judge.counts.calls, judge.counts.price = 100, 440, 0.2
    clock.now += 50.0
    # 20 of 40 cases made 1,000 requests, so all of them about 2,000, of which 1,500 are to come. 400 of the
    # 500 so far were asked, for $0.20 in 50 s: 8 a second, 187.5 s and $0.95 for 1,900.
    assert meter() == (
        "500 of about 2,000 verdicts, 100 from the store, 10 failed, 440 calls, $0.2000 of about $0.95, "
        "8 a second, about 3 min left"
    )


def test_the_first_verdicts_tell_no_rate() -> None:
    judge, clock, standing = Asked(), Clock(), Standing(started=8, made=272, verdicts=5)
    meter = JudgingMeter(8, [judge], clock)  # type: ignore[list-item]
    meter.watch(standing)
    clock.now += 30.0  # of which nearly all went by before the first of them
    assert meter() == "5 of 272 verdicts"
    standing.verdicts = 20
    assert "a minute, about 6 min left" in meter()


def test_totals_are_exact_once_every_case_is_begun() -> None:
    judge, clock = Asked(), Clock()
    meter = JudgingMeter(20, [judge], clock)  # type: ignore[list-item]
    meter.watch(Standing(started=20, made=1000, verdicts=1000))
    clock.now += 2000.0
    assert meter() == "1,000 of 1,000 verdicts, 30.0 a minute"


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
            "evaluate",
            "answers.jsonl",
            "--split",
            "sample",
            "-m",
            "argue",
            "--only-answered",
            "--judge",
            "server/m",
        ]
        done = CliRunner().invoke(main, words, catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    lines = re.findall(r"^scoring: .*$", done.stderr, re.MULTILINE)
    assert all(" of 3" in line for line in lines)
    last = lines[-1]
    total = int(re.search(r", ([\d,]+) of \1 verdicts", last)[1].replace(",", ""))  # type: ignore[index]
    assert f"{total:,} calls" in last
    assert total == server.count
    assert re.search(r"\$[\d.]+ of about \$[\d.]+, [\d,.]+ a (second|minute)", last)
    assert re.search(r"about \d+ s left", lines[len(lines) // 2])
