"""What goes into a paper: the marked table, BibTeX; from Python as from the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import argue_bench as ab
from argue_bench.analysis.compare import system_table
from argue_bench.cli import main
from argue_bench.metrics.papers import SOFTWARE
from argue_bench.records.table import Table
from tests.shared import ROOT

DEV = ab.load_dev()[:30]


@ab.metric
def length_share(question: ab.Question, answer: ab.Answer) -> dict[str, ab.Tally]:
    """The share of 100 characters."""
    return {"share": ab.Tally(len(answer.text), 100)}


def report(name: str, lengths: list[int]) -> ab.Report:
    answers = [
        {"id": question.id, "answer": "x" * length}
        for question, length in zip(DEV, lengths, strict=True)
    ]
    return ab.evaluate(DEV, answers, [length_share], system=name)


BEST, CLOSE, FAR = (
    report("best", [50 + n for n in range(30)]),
    report("close_1", [50 + n - (n == 3) for n in range(30)]),
    report("far", [10 + n for n in range(30)]),
)


@pytest.fixture(scope="module")
def found() -> Any:
    return ab.compare(BEST, CLOSE, FAR, resamples=200)


def test_the_best_is_marked_and_what_is_not_shown_to_be_worse(found: Any) -> None:
    table = system_table(found)
    assert [row[0] for row in table.rows] == ["best", "close_1", "far"]
    assert (table.best, table.alike) == ({(0, 1)}, {(1, 1)})
    lines = found.to_latex().splitlines()
    assert lines[4].startswith(r"best & \textbf{64.5}")
    assert lines[5].startswith(r"close\_1 & 64.5$^\dagger$") or "64.4" in lines[5]
    assert "dagger" not in lines[6]
    assert "Holm over 3 tests" in found.to_latex()
    assert "metric=length" in found.to_latex()


def test_a_table_for_a_paper_has_names_six_columns_and_real_minus_signs() -> None:
    one, other = (
        ab.evaluate(
            DEV,
            [{"id": question.id, "answer": text} for question in DEV],
            ["citations", "argue"],
            system=name,
        )
        for name, text in (("a", "It stands."), ("b", "It is so."))
    )
    found = ab.compare(one, other, scores=["argue.f1", "argue.nugget_coverage"], resamples=200)
    assert found.to_latex().splitlines()[2] == r"system & ARGUE F1 & Nugget coverage \\"
    every = ab.compare(one, other, all_scores=True, resamples=200)
    assert every.to_latex().splitlines()[2].count("&") == 5
    note = every.to_latex().partition("Not shown: ")[2].partition(r".\par")[0]
    assert {"Citation F1", "Nugget coverage"} & set(note.split(", "))
    assert "." not in note  # no key
    keys = {difference.score for difference in every.differences}
    assert every.to_latex(None).splitlines()[2].count("&") == len(keys)
    assert "$-$3.0 to $-$1.5" in Table(["d"], [["-3.0 to -1.5"]], [0]).to_latex()


def test_differences_are_a_data_frame(found: Any) -> None:
    pytest.importorskip("pandas")
    frame = found.to_pandas()
    assert len(frame) == 3
    assert frame["winner"].isna().tolist() == [True, False, False]
    assert frame["winner"].tolist()[1:] == ["best", "close_1"]


def test_the_papers_of_the_metrics_are_cited_once() -> None:
    answers = [{"id": DEV[0].id, "answer": "It stands."}]
    made = ab.evaluate(DEV, answers, ["citations", "argue", "faithfulness"], only_answered=True)
    keys = [
        line.partition("{")[2].rstrip(",") for line in made.bibtex().splitlines() if line[:1] == "@"
    ]
    assert keys == sorted(set(keys), key=keys.index)
    assert {"gao2023alce", "mayfield2024argue", "es2024ragas"} <= set(keys)


def test_the_entry_of_the_program_says_what_its_citation_file_says() -> None:
    file = (ROOT / "CITATION.cff").read_text("utf-8")
    for name in ("title", "version", "license"):
        assert SOFTWARE[name] in file
    assert f"name: {SOFTWARE['author']}" in file
    assert "author = {{The argue-bench developers}}" in BEST.bibtex()


def test_the_command_line_prints_marks_and_bibtex(tmp_path: Path) -> None:
    rows = [
        {"question": f"Q{n}?", "contexts": ["The mill is red."], "answer": "The mill is red."}
        for n in range(3)
    ]
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    runner = CliRunner()
    words = ["evaluate", str(tmp_path / "rows.jsonl"), "--out", str(tmp_path / "run")]
    done = runner.invoke(main, [*words, "--format", "latex"])
    assert done.exit_code == 0, done.output
    assert r"\toprule" in done.stdout
    assert r"\footnotesize metric=faithfulness" in done.stdout
    words = ["compare", f"a={tmp_path / 'run'}", f"b={tmp_path / 'run'}"]
    done = runner.invoke(main, [*words, "--format", "latex", "--cite"])
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith(r"\begin{tabular}{lrr}")
    assert "\n%% @inproceedings{es2024ragas," in done.stdout
