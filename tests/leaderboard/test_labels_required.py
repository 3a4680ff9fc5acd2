"""A season that requires people's labels: rows are corrected by them, or not written."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import argue_bench as ab
from argue_bench.cli import main
from argue_bench.errors import DataError, UsageError
from argue_bench.eval.run import read_reports
from argue_bench.leaderboard.formats.season import Season, read_season
from argue_bench.leaderboard.scoring.hidden_scoring import score_bundle
from argue_bench.leaderboard.scoring.local_scoring import JudgeOptions, ScoredSystem, score_folder
from argue_bench.records import JudgeRequest, SupportLevel, Verdict
from tests.eval.test_people import (
    KEY,
    LABELLED,
    evaluate,
    ids,
    kind_judge,
    people_say,
    place_of,
    requests_of,
    rows,
    write,
)
from tests.leaderboard.boards import add

SEASON = Season(
    "s1",
    "rows",
    metrics=("faithfulness",),
    ranked=KEY,
    told="all",
    labels=25,
    settings=("openbook",),
)

DECLARED = {
    "schema": 1,
    "season": "s1",
    "set": {"name": "own-rows", "path": "not-public"},
    "settings": ["openbook"],
    "metrics": ["faithfulness"],
    "judge": "lexical",
    "ranked": KEY,
    "labels": 40,
}


def harsher_people_say(request: JudgeRequest) -> Verdict:
    """One sentence of most answers less is supported than in the other system's, which the judge does not see."""
    if not isinstance(request, SupportLevel):
        return Verdict("no")
    at, place = place_of(request)
    return Verdict("full" if place < at % 5 - 1 else "no")


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """Two systems, of whose answers people labelled those to the same 25 questions."""
    folder = tmp_path / "board"
    for system in ("a", "b"):
        lines = ({"id": one["id"], "answer": one["answer"]} for one in rows(system=system))
        add(folder, f"system-{system}", "".join(json.dumps(line) + "\n" for line in lines))
        place = folder / "labels" / "s1" / "openbook"
        place.mkdir(parents=True, exist_ok=True)
        say = people_say if system == "a" else harsher_people_say
        write(place / f"system-{system}.jsonl", requests_of(LABELLED, system=system), say)
    return folder


def score(board: Path, season: Season = SEASON) -> Iterator[ScoredSystem]:
    dataset, _ = ab.from_rows(rows())
    judging = JudgeOptions({"": kind_judge}, runs=board / "runs")  # type: ignore[dict-item]
    return score_folder(board, season, dataset, board, judging)


def test_rows_are_corrected_and_rank_together_whatever_their_labels(board: Path) -> None:
    first, second = score(board)
    assert first.result is not None
    assert second.result is not None
    made = first.result.settings["openbook"]
    report = evaluate(board / "labels" / "s1" / "openbook" / "system-a.jsonl", resamples=10_000)
    found = report.corrected[KEY]
    assert (found.value, found.low, found.high) == tuple(
        made.scores[KEY][part] for part in ("value", "low", "high")
    )
    assert abs(found.value - report.scores[KEY].value) > 0.05  # type: ignore[operator]
    assert made.labels is not None
    assert made.labels.questions == 25
    assert made.labels.digest == report.signature["faithfulness"]["labels"][:8]
    other = second.result.settings["openbook"]
    assert other.labels != made.labels
    assert made.signature == other.signature
    assert made.signature["faithfulness"]["labels"] == "people's on 25 questions or more"
    (board / "season.json").write_text(json.dumps(DECLARED))
    out = board.parent / "site"
    done = CliRunner().invoke(main, ["site", "build", str(board), "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "is not the one of the result" not in done.output
    data = json.loads((out / "data/v1/board/s1/openbook.json").read_text())
    (section,) = data["sections"]
    assert "labels" in data["notes"]
    assert "corrected by people's labels" in data["bands"]["method"]
    assert "n = 80, labelled for both systems: 25 or more" in data["bands"]["method"]
    ranked = {row["system"]: row["standing"] for row in section["rows"]}
    runs = [board / "runs" / "s1" / "openbook" / f"{name}.run" for name in ranked]
    reports = [next(iter(read_reports(path).values())) for path in runs]
    compared = ab.compare(*reports, names=list(ranked), scores=[KEY])
    (gap,) = compared.corrected
    assert gap.judged == 0.0  # only people tell them apart
    assert (ranked["system-a"]["band"], ranked["system-b"]["band"]) == (1, 2)
    below = ranked["system-b"]
    assert (below["best"], below["worst"], below["p"]) == (2, 2, "<0.05")
    assert below["difference"] == pytest.approx(-gap.correction.value)  # type: ignore[operator]
    bands = compared.rank_bands()
    assert bands is not None
    assert [row["band"] for row in bands["systems"]] == [1, 2]
    assert "by differences that people's labels correct" in str(compared)
    page = (out / "system/s1/system-a.html").read_text()
    assert f"on 25 questions <small><code>{made.labels.digest}" in page


def test_a_row_with_too_few_labels_is_not_written_and_told_what_to_do(board: Path) -> None:
    place = board / "labels" / "s1" / "openbook"
    (place / "system-a.jsonl").unlink()
    write(place / "system-b.jsonl", requests_of(LABELLED[:24], system="b"))
    first, second = score(board)
    for one, n in ((first, 0), (second, 24)):
        assert one.result is None
        (finding,) = one.findings
        assert finding.code == "labels-required"
        assert f"people labelled {n} questions for {KEY}; the season requires 25" in str(finding)
        assert f"{one.system}.run --label --questions 25" in str(finding)
        assert (board / "runs" / "s1" / "openbook" / f"{one.system}.run").is_file()
    assert not (board / "results").exists()


def test_labels_of_another_systems_answers_do_not_count(board: Path) -> None:
    place = board / "labels" / "s1" / "openbook"
    shutil.copy(place / "system-b.jsonl", place / "system-a.jsonl")
    first, _ = score(board)
    assert "people labelled 0 questions" in str(first.findings[0])


@pytest.mark.parametrize("value", [50.0, -3.0, 1e308])
def test_a_value_that_no_share_has_makes_no_row(board: Path, value: float) -> None:
    """A row of 5,000 % stood on the board; a value too large for the mean ended the command."""
    path = board / "labels" / "s1" / "openbook" / "system-a.jsonl"
    lines = ({"question": one, "score": KEY, "value": value} for one in LABELLED)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    first = next(score(board))
    assert [finding.code for finding in first.findings] == ["not-a-label"]
    assert "which goes from 0 to 1" in str(first.findings[0])


def test_several_people_may_label_a_row(board: Path) -> None:
    place = board / "labels" / "s1" / "openbook"
    half = ids(range(0, 36, 3))
    (place / "system-a.jsonl").unlink()
    write(place / "system-a.anna.jsonl", requests_of(half))
    write(place / "system-a.bert.jsonl", requests_of([one for one in LABELLED if one not in half]))
    first, _ = score(board)
    assert first.result is not None
    labels = first.result.settings["openbook"].labels
    assert labels is not None
    assert labels.questions == 25


def test_a_season_says_how_many_and_hidden_gold_has_none(tmp_path: Path) -> None:
    (tmp_path / "season.json").write_text(json.dumps(DECLARED))
    assert read_season(tmp_path).labels == 40
    (tmp_path / "season.json").write_text(json.dumps({**DECLARED, "labels": 19}))
    with pytest.raises(DataError, match="a number of questions, 20 or more"):
        read_season(tmp_path)

    class Job:
        season, state = replace(SEASON), None

    with pytest.raises(UsageError, match="score it where its gold is at hand"):
        score_bundle(Job(), None, "")  # type: ignore[arg-type]
