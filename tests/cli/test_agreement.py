"""`agreement` as a person at a terminal meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from argue_bench.analysis.agreement import measure_agreement
from argue_bench.analysis.rankings import AgreementStudy
from argue_bench.analysis.score_export import export_scores
from argue_bench.analysis.score_table import read_scores
from tests.agreement.vectors import OWN
from tests.analysis.planted_study import planted_study
from tests.cli.test_compare import loose, run, run_file

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
    result = run("judge", "agreement", *TRUTH, *JUDGE, "--resamples", 200, "--per-topic")
    assert result.exit_code == 0
    assert "NUGGETS (judge) against nugget_coverage (truth): 7 runs, 8 topics" in result.stdout
    lines = [line.split() for line in result.stdout.splitlines() if line.split()]
    rows = {line[0]: line for line in reversed(lines)}
    assert rows["kendall"][1] == "0.524"
    assert rows["tau_gap"][1] == "0.606"
    assert rows["t5"][1] == "0.810"
    assert "21 pairs at 0.05: agree 14 (67%)" in result.stdout
    # no ties: 16 of 21 pairs in one order is a tau of 11 / 21
    assert "pairs of runs in the same order: 0.762, 95 % interval" in result.stdout
    assert "kendall without one topic: 0.429 (without t4) to 0.619 (without t3)" in result.stdout
    assert "kendall without one run: 0.333 (without runE) to 0.600" in result.stdout
    assert "aggregates=recompute" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 100


def test_json_groups_and_teams() -> None:
    result = run(
        "judge",
        "agreement",
        *TRUTH,
        *JUDGE,
        "--resamples",
        100,
        "--format",
        "json",
        "--group-by",
        "run[ABCDEF]|runG",
        "--team-by",
        "run([A-G])",
        "-m",
        "kendall",
        "-m",
        "kendall@3",
    )
    found = json.loads(result.stdout)["agreement"]
    [whole] = found
    assert "the group runA is left out: kendall needs at least 3 systems" in whole["notes"][0]
    assert whole["systems"]["kendall@3"]["value"] == pytest.approx(-1 / 3)
    assert whole["outcomes"] == {"agree": 14, "missed": 7, "false alarm": 0, "opposite": 0}
    assert set(whole["left_out"]["team"]) == set("ABCDEFG")


def test_groups_from_a_file(tmp_path: Path) -> None:
    groups = tmp_path / "groups.tsv"
    groups.write_text("".join(f"run{run}\t{'x' if run in 'ABC' else 'y'}\n" for run in "ABCDEFG"))
    result = run("judge", "agreement", *TRUTH, *JUDGE, "--resamples", 100, "--groups", groups)
    rows = [line.split() for line in result.stdout.splitlines()]
    assert ["x", "3"] in [row[:2] for row in rows]
    assert ["y", "4"] in [row[:2] for row in rows]
    both = run("judge", "agreement", *TRUTH, *JUDGE, "--groups", groups, "--group-by", ".")
    assert both.exit_code == 2


@pytest.mark.parametrize(
    ("args", "code", "told"),
    [
        (("--run", "runA", "--run", "runB"), 2, "at least 3 systems"),
        (("--truth-measure", "f1"), 2, "no measure of the truth is called 'f1'"),
        (("-m", "kendal"), 2, "Did you mean 'kendall'"),
        (("-m", "kendall@0"), 2, "how many of the best"),
        (("--group-by", "("), 2, "not a regular expression"),
        (("--group-by", "zzz"), 2, "matches no run"),
        (("--topic", "t99"), 2, "no topic is called 't99'"),
        (("--run", "runZ"), 2, "no run is called 'runZ'"),
        (("--alpha", "2"), 2, "alpha lies between"),
    ],
)
def test_what_cannot_be_done_is_said(args: tuple[str, ...], code: int, told: str) -> None:
    result = run("judge", "agreement", *TRUTH, *JUDGE, *args)
    assert (result.exit_code, told in result.stderr) == (code, True), result.stderr
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
    judge = ("--judge-scores", short, *JUDGE[2:], "--resamples", 50)
    assert (
        "judge lacks 1 runs that the other side has: runG"
        in run("judge", "agreement", *TRUTH, *judge).stderr
    )
    warned = run("judge", "agreement", *TRUTH, *judge, "--on-missing", "warn")
    assert "6 runs" in warned.stdout
    assert "warning: the judge lacks 1 runs" in warned.stderr
    default = run("judge", "agreement", *TRUTH, *judge, "--on-missing", "default")
    assert "7 runs" in default.stdout
    assert "note: the judge lacks 1 runs" in default.stdout


def test_a_run_file_as_a_judge(tmp_path: Path) -> None:
    truth = tmp_path / "truth.tot"
    truth.write_text(
        "".join(
            f"{r} human q{i} {v}\n"
            for r, v in zip("abc", (0.9, 0.5, 0.1), strict=True)
            for i in range(3)
        )
    )
    judges = [
        run_file(tmp_path / f"{r}.run.jsonl", loose(*[v] * 3))
        for r, v in zip("abc", (0.8, 0.6, 0.2), strict=True)
    ]
    flags = [flag for path in judges for flag in ("--judge-scores", path)]
    result = run(
        "judge",
        "agreement",
        "--truth",
        truth,
        "--truth-format",
        "tot",
        *flags,
        "--judge-measure",
        "accuracy.loose",
        "-m",
        "kendall",
    )
    assert "accuracy.loose (judge) against human (truth): 3 runs, 3 topics" in result.stdout
    assert "kendall" in result.stdout
    assert "1.000" in result.stdout


def test_a_study_from_files_is_the_study_in_python(tmp_path: Path) -> None:
    study = planted_study(topics=6)
    export_scores(study.truth, "tot", tmp_path / "truth.tot")
    export_scores(study.judge, "ir_measures", tmp_path / "judge.ir_measures")
    for name, mapping in (("languages", study.groups), ("teams", study.teams)):
        lines = (f"{run}\t{group}\n" for run, group in mapping.items())
        (tmp_path / f"{name}.tsv").write_text("".join(lines))
    result = run(
        "judge",
        "agreement",
        "--truth",
        tmp_path / "truth.tot",
        "--truth-format",
        "tot",
        "--judge-scores",
        tmp_path / "judge.ir_measures",
        "--judge-format",
        "ir_measures",
        "--groups",
        tmp_path / "languages.tsv",
        "--teams",
        tmp_path / "teams.tsv",
        "--resamples",
        100,
        "--format",
        "json",
    )
    found = json.loads(result.stdout)["agreement"]
    expected = measure_agreement(
        AgreementStudy(study.truth, study.judge),
        groups=study.groups,
        teams=study.teams,
        resamples=100,
    )
    assert [len(one["runs"]) for one in found] == [51, 17, 17, 17]
    assert found == json.loads(json.dumps([one.to_dict() for one in expected]))


def test_export(tmp_path: Path) -> None:
    path = run_file(tmp_path / "alpha.run.jsonl", loose(1, 0.25))
    assert (
        run("judge", "agreement", "export", path, "--to", "tot", "--out", tmp_path / "o").exit_code
        == 0
    )
    table = read_scores(tmp_path / "o", "tot")
    assert table.values["accuracy.loose"] == {"alpha": {"q0": 1.0, "q1": 0.25}}
    bad = run("judge", "agreement", "export", path, "--to", "csv", "--out", tmp_path / "o2")
    assert bad.exit_code == 2
    assert not (tmp_path / "o2").exists()
