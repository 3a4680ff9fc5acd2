"""`agreement` as a person at a terminal meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.agreement.vectors import OWN
from tests.cli.test_compare import run

TRUTH = ("--truth", OWN / "meta_eval" / "v1_truth.tot.txt", "--truth-format", "tot")
JUDGE = (
    "--judge-scores",
    OWN / "meta_eval" / "v1_judge.ir_measures.txt",
    "--judge-format",
    "ir_measures",
    "--judge-measure",
    "NUGGETS",
)


def test_the_table() -> None:
    result = run("judge", "agreement", *TRUTH, *JUDGE)
    assert result.exit_code == 0
    assert "NUGGETS (judge) against nugget_coverage (truth): 7 runs, 8 topics" in result.stdout
    lines = [line.split() for line in result.stdout.splitlines() if line.split()]
    rows = {line[0]: line for line in reversed(lines)}
    assert rows["kendall"][1] == "0.524"
    assert rows["tau_gap"][1] == "0.606"
    assert "21 pairs at 0.05: agree 14 (67%)" in result.stdout
    assert "kendall without one topic: 0.429 (without t4) to 0.619 (without t3)" in result.stdout
    assert "kendall without one run: 0.333 (without runE) to 0.600" in result.stdout
    assert "aggregates=recompute" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100


def test_json_holds_every_method_that_was_named() -> None:
    words = ("-m", "kendall", "-m", "kendall@3", "--format", "json")
    [whole] = json.loads(run("judge", "agreement", *TRUTH, *JUDGE, *words).stdout)["agreement"]
    assert whole["systems"]["kendall@3"]["value"] == pytest.approx(-1 / 3)
    assert whole["outcomes"] == {"agree": 14, "missed": 7, "false alarm": 0, "opposite": 0}


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("--truth-measure", "f1"), "no measure of the truth is called 'f1'"),
        (("-m", "kendal"), "Did you mean 'kendall'"),
        (("-m", "kendall@0"), "how many of the best"),
    ],
)
def test_what_cannot_be_done_is_said(args: tuple[str, ...], told: str) -> None:
    result = run("judge", "agreement", *TRUTH, *JUDGE, *args)
    assert (result.exit_code, told in result.stderr) == (2, True), result.stderr
    assert not result.stdout


def test_the_wrong_format_is_a_finding_or_no_common_run() -> None:
    swapped = run("judge", "agreement", "--truth", TRUTH[1], "--truth-format", "ranking", *JUDGE)
    assert swapped.exit_code == 1
    assert "expected 6: topic Q0 run rank value measure" in swapped.stderr
    # tot read as ir_measures has topics for measures: nothing is shared, and that is said
    mixed = run("judge", "agreement", "--truth", TRUTH[1], "--truth-format", "ir_measures", *JUDGE)
    assert mixed.exit_code == 1
    assert "lacks the topics" in mixed.stderr
    assert run("judge", "agreement").exit_code == 2


def test_missing_runs_follow_the_policy(tmp_path: Path) -> None:
    text = Path(JUDGE[1]).read_text()  # type: ignore[arg-type]
    short = tmp_path / "short.txt"
    short.write_text("".join(line for line in text.splitlines(True) if not line.startswith("runG")))
    judge = ("--judge-scores", short, *JUDGE[2:])
    assert (
        "judge lacks 1 runs that the other side has: runG"
        in run("judge", "agreement", *TRUTH, *judge).stderr
    )
    skipped = run("judge", "agreement", *TRUTH, *judge, "--on-missing", "skip")
    assert "6 runs" in skipped.stdout
    assert "note: the judge lacks 1 runs" in skipped.stdout
    default = run("judge", "agreement", *TRUTH, *judge, "--on-missing", "default")
    assert "7 runs" in default.stdout
    assert "note: the judge lacks 1 runs" in default.stdout
