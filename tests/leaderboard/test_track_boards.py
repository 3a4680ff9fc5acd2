"""`board init --track`: a board of a track's own files, runs of its form, rows that were scored elsewhere."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import DataError, UnknownName
from argue_bench.eval.run import read_reports
from argue_bench.leaderboard.commands.board.job import open_gold
from argue_bench.leaderboard.formats.results import parse_result
from argue_bench.leaderboard.formats.season import read_season, told_terms
from argue_bench.leaderboard.publishing.published import PublishedFolder
from argue_bench.leaderboard.seasons.real_data import BOARDS, track_board, track_dataset, track_set
from argue_bench.leaderboard.submitting.checking import CheckedFolder, check_submissions
from argue_bench.loaders.core import load_folder
from argue_bench.published.trec.check import check_run
from tests.shared import run_command, write_lines

SEGMENT = "msmarco_v2.1_doc_01_23#4_5"
UUID = "10000000-1a2b-4c3d-8e4f-0123456789ab_100"
DRAGUN, RAG = ("dragun25",), ("rag25", "rag26")
METADATA: dict[str, dict[str, Any]] = {
    "dragun25": {"topic_id": "t1", "type": "automatic", "use_starter_kit": 0},
    "rag25": {"narrative_id": "t1", "type": "automatic", "narrative": "Of the mill."},
    "rag26": {"narrative_id": "t1", "run_desc": "by hand", "narrative": "Of the mill."},
    "ragtime25": {"topic_id": "t1", "task": "english"},
    "ragtime26": {"topic_id": "t1", "run_desc": "by hand"},
    "neuclir24": {"topic_id": "t1"},
}


def track_files(track: str, folder: Path) -> Path:
    """What the organisers of a track have: one topic, its gold, a document."""
    if track in DRAGUN:
        question = {
            "question_id": "t1-1",
            "question_text": "Who wrote it?",
            "importance": "A: Have to Know",
            "short_answers": [{"answer_id": "a", "answer_text": "a freelancer"}],
        }
        write_lines(folder / "rubrics" / "t1.json", {"topic_id": "t1", "rubrics": [question]})
        write_lines(
            folder / "topics.jsonl", {"docid": "t1", "title": "Tide mill", "body": "It grinds."}
        )
        return folder
    topic = {"request_id": "t1", "title": "Tide mill", "problem_statement": "Of the mill."}
    if track in RAG:
        topic = {"id": "t1", "narrative": "Of the mill.", "sub_narratives": ["When?", "Whose?"]}  # type: ignore[dict-item]
    else:
        topic |= {"background": "I grind.", "limit": 60}  # type: ignore[dict-item]
    nugget = {"text": "built in 1731", "importance": "vital"}
    write_lines(
        folder / "nuggets.jsonl", {"query": "Of the mill.", "qid": "t1", "nuggets": [nugget]}
    )
    write_lines(folder / "topics.jsonl", topic)
    id = SEGMENT if track == "rag25" else "shard_1_2" if track == "rag26" else UUID
    write_lines(folder / "documents.jsonl", {"id": id, "text": "Built in 1731."})
    (folder / "qrels.txt").write_text(f"t1 0 {id} 2\n")
    return folder


def report(track: str, text: str = "It was built in 1731.") -> dict[str, Any]:
    """A report of the track's form."""
    metadata = {"team_id": "mill", "run_id": "mill-1", **METADATA[track]}
    if track in RAG:
        id = SEGMENT if track == "rag25" else "shard_1_2"
        answer = [{"text": text, "citations": [0]}]
        return {"metadata": metadata, "references": [id], "answer": answer}
    id = SEGMENT if track in DRAGUN else UUID
    parts = {"responses": [{"text": text, "citations": [id]}]}
    return {"metadata": metadata, **parts, **({"references": [id]} if track not in DRAGUN else {})}


def submit(board: Path, *rows: Any) -> CheckedFolder:
    """The check of a submission of these lines."""
    write_lines(board / "openbook-generations" / "mill-1.jsonl", *rows)
    links = dict.fromkeys(("closedbook_generations", "evidenceprovided_generations"))
    metadata = {
        "name": "Mill",
        "authors": "The mill",
        "url": None,
        "citation": "Mill 2026",
        "type": "OTHER",
        "context": 0,
        "is_trained_for_function_calling": False,
        "openbook_generations": "mill-1.jsonl",
        **links,
    }
    (board / "metadata" / "mill-1.json").write_text(json.dumps(metadata))
    season = read_season(board)
    return check_submissions(board, season.load(), season.settings, "", season.limits)


def codes(checked: CheckedFolder) -> set[str]:
    return {
        str(one.code)
        for one in checked.all_findings
        if one.level == "error" or one.code == "over-limit"
    }


def found(track: str, tmp_path: Path, *more: str) -> Path:
    data = track_files(track, tmp_path / "files")
    words = ("board", "init", tmp_path / "board", "--track", track, "--data", data)
    done = run_command(*words, "--secrets", tmp_path / "keys", "--told", "all", *more)
    assert done.exit_code == 0, done.output
    return tmp_path / "board" / "leaderboard-submissions"


@pytest.mark.parametrize("track", sorted(BOARDS))
def test_a_track_sets_its_board_and_checks_its_runs(track: str, tmp_path: Path) -> None:
    board = found(track, tmp_path)
    season, dataset = read_season(board), read_season(board).load()
    assert (season.track, season.settings) == (track, ("openbook",))
    assert season.ranked.rpartition(".")[0] in season.metrics
    assert "TREC" in season.title
    readme = (board.parent / "README.md").read_text()
    assert f"submission check RUN --track {track}" in readme
    [question] = dataset
    assert question.gold is None
    assert question.request is not None
    assert submit(board, report(track)).ok, submit(board, report(track)).all_findings
    # The track's own checker: metadata that it wants, and marks of another form.
    bare = report(track)
    del bare["metadata"]["team_id"]
    assert "metadata" in codes(submit(board, bare))
    assert codes(submit(board, {"id": "t1", "answer": "It was built in 1731."}))


def test_what_the_track_and_the_board_both_find_is_said_once(tmp_path: Path) -> None:
    """In the board's words: which topics a run lacks, has twice or was not asked for."""
    board = found("dragun25", tmp_path)
    season, other = read_season(board), report("dragun25")
    other["metadata"] = {**other["metadata"], "topic_id": "t9"}
    run = board / "openbook-generations" / "mill-1.jsonl"
    requests = {one.id: one.request for one in season.load() if one.request}
    for rows, theirs, ours in (
        ([other], {"missing-topics", "new-topics"}, {"missing-ids", "mass-empty", "unknown-id"}),
        ([report("dragun25"), report("dragun25")], {"duplicate-topics"}, {"duplicate-id"}),
    ):
        checked = {str(one.code) for one in submit(board, *rows).all_findings}
        alone = {str(one.code) for one in check_run(run, "dragun25", topics=requests).findings}
        assert theirs <= alone, alone
        # The board's own limit says what the track's rule of length would say.
        assert not (theirs | {"length"}) & checked, checked
        assert ours <= checked, checked


def test_one_command_scores_a_run_by_the_tracks_own_files(tmp_path: Path) -> None:
    data = track_files("rag26", tmp_path / "files")
    track_files("dragun25", data)  # its rubrics too; its topics take the others' place
    (data / "topics.jsonl").unlink()
    topics = data / "topics.tsv"
    topics.write_text("t1\tOf the mill.\n")
    made = report("rag26")
    said = ["## The mill", "It was built in 1731.", "Nobody owns it."]
    cited = [[], [0], []]
    made["answer"] = [{"text": t, "citations": c} for t, c in zip(said, cited, strict=True)]
    run = write_lines(tmp_path / "mill-1.jsonl", made)
    checked = run_command("submission", "check", run, "--track", "rag26", "--topics", topics)
    assert (checked.exit_code, "no findings" in checked.stdout) == (0, True)
    out = tmp_path / "mill.run"
    done = run_command("evaluate", run, "--track", "rag26", "--data", data, "--out", out)
    assert done.exit_code == 0, done.output
    scores = read_reports(out)["mill-1"].scores
    # A heading is an answer object without citations, as is the last one.
    assert scores["support(rules=rag26).precision"].value == 1
    assert scores["support(rules=rag26).recall"].value == pytest.approx(1 / 3)
    assert {key.partition(".")[0] for key in scores} == {
        "nuggets(rules=nuggetizer)",
        "support(rules=rag26)",
        "relevance",
        "rubric",
    }
    assert run_command("view", out, "--out", tmp_path / "pages").exit_code == 0
    assert "have no answer" not in done.output
    # The same run on a board of the same files, whose gold is sealed.
    board = tmp_path / "board" / "leaderboard-submissions"
    init = (
        "board",
        "init",
        tmp_path / "board",
        "--track",
        "rag26",
        "--data",
        data,
        "--told",
        "all",
    )
    for words in (
        (*init, "--secrets", tmp_path / "keys"),
        ("board", "import", out, "--out", board),
        ("site", "build", board, "--out", tmp_path / "site"),
    ):
        done = run_command(*words)
        assert done.exit_code == 0, done.output
    assert list((tmp_path / "site" / "view").rglob("001-*.html"))
    alone = run_command("evaluate", run, "--track", "rag26")
    assert (alone.exit_code, "--data FOLDER" in alone.output) == (2, True)


@pytest.mark.parametrize(("track", "most", "kept"), [("rag26", 1024, 0.0), ("rag25", 400, 1.0)])
def test_what_is_too_long_or_missing_counts_as_on_the_board(
    track: str, most: int, kept: float, tmp_path: Path
) -> None:
    """Of two sentences one is supported; a word more than allowed leaves none in 2026, and the first in 2025."""
    data = track_files(track, tmp_path / "files")
    gold = json.loads((data / "nuggets.jsonl").read_text())
    write_lines(data / "nuggets.jsonl", gold, gold | {"qid": "t2"})
    write_lines(
        data / "topics.jsonl", *({"id": id, "narrative": "Of the mill."} for id in ("t1", "t2"))
    )
    precision = {}
    for name, words in (("fits", most - 5), ("long", most - 4)):
        made = report(track)
        said = ("It was built in 1731.", " ".join(["Oslo burned in 1999", *["mill"] * (words - 4)]))
        made["answer"] = [{"text": text, "citations": [0]} for text in said]
        run, out = write_lines(tmp_path / f"{name}.jsonl", made), tmp_path / f"{name}.run"
        command = ("evaluate", run, "--track", track, "--data", data, "-m", "support(rules=rag26)")
        done = run_command(*command, "--out", out)
        assert ("1 of 1 answers are longer than allowed" in done.stderr) == (name == "long")
        assert "1 of 2 questions have no answer, such as t2: each" in done.stderr
        # The topic that is missing is one of the same run.
        found = read_reports(out)["mill-1"]
        precision[name] = found.scores["support(rules=rag26).precision"].value
    assert precision == {"fits": pytest.approx(0.5 / 2), "long": kept / 2}


@pytest.mark.parametrize(("track", "most"), [("dragun25", 250), ("rag26", 1024)])
def test_words_are_counted_where_the_track_counts_words(
    track: str, most: int, tmp_path: Path
) -> None:
    board = found(track, tmp_path)
    season = read_season(board)
    assert (season.limit, season.unit) == (most, "words")
    assert f"{most:,} words" in (board.parent / "README.md").read_text()
    assert submit(board, report(track, " ".join(["mill"] * most))).ok
    long = codes(submit(board, report(track, " ".join(["mill"] * (most + 1)))))
    assert long == {"over-limit", "mass-empty"}  # the one answer of the set counts as unanswered


def test_a_topics_own_limit_stays_in_characters(tmp_path: Path) -> None:
    board = found("ragtime25", tmp_path)
    path = board / "season.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"over_limit": "unscored"}))
    assert submit(board, report("ragtime25", "x" * 60)).ok
    assert codes(submit(board, report("ragtime25", "x" * 61))) == {"over-limit", "mass-empty"}


def test_what_is_given_goes_before_the_tracks_terms(tmp_path: Path) -> None:
    board = found("rag25", tmp_path, "-m", "support", "--ranked", "support.recall")
    season = read_season(board)
    assert (season.metrics, season.ranked) == (("support",), "support.recall")
    assert season.over_limit == "cut"


def test_a_request_is_taken_apart_as_its_track_says(tmp_path: Path) -> None:
    sets = {}
    for track in ("dragun25", "rag26", "ragtime26"):
        folder = tmp_path / track
        made = track_set(track_board(track), track_files(track, tmp_path / f"{track}-files"))
        folder.mkdir()
        for name, content in made.items():
            (folder / name).write_bytes(content)
        [sets[track]] = load_folder(folder)
    dragun, rag, ragtime = sets.values()
    assert dragun.request is not None
    assert (dragun.request.title, dragun.request.background) == ("Tide mill", "It grinds.")
    assert dragun.gold is not None
    assert [one.weight for one in dragun.gold.rubric] == [4]
    assert rag.text == "Of the mill."
    assert rag.gold is not None
    assert [one.question for one in rag.gold.decomposition] == ["When?", "Whose?"]
    assert rag.gold.supporting == ("shard_1_2",)
    assert ragtime.request is not None
    assert (ragtime.request.title, ragtime.request.limit) == ("Tide mill", 60)
    assert ragtime.gold is not None
    assert [one.answers[0].text for one in ragtime.gold.nuggets] == ["built in 1731"]


def test_files_that_a_board_lacks_are_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"holds no nuggets or nuggets\.jsonl"):
        track_set(track_board("rag25"), tmp_path)
    write_lines(
        track_files("rag25", tmp_path) / "topics.jsonl",
        {"id": "t1"},
        {"id": "t2"},
        {"id": "t2"},
        {},
    )
    with pytest.raises(DataError) as raised:
        track_set(track_board("rag25"), tmp_path)
    assert [str(one.code) for one in raised.value.findings] == ["duplicate-id", "wrong-shape"]
    with pytest.raises(UnknownName):
        track_board("rag99")


def labelled(tmp_path: Path) -> tuple[Path, Path]:
    """A DRAGUN board, and run files of two labelled runs."""
    board = found("dragun25", tmp_path)
    rows = ["topic_id,run_tag,answer_id,annotation", "t1,Good run,a,supports", "t1,poor,a,partial"]
    (tmp_path / "labels.csv").write_text("\n".join(rows) + "\n")
    rubrics, out = tmp_path / "files" / "rubrics", tmp_path / "tables"
    words = ("board", "import", tmp_path / "labels.csv", "--rubrics", rubrics)
    assert run_command(*words, "--out", out).exit_code == 0
    return board, out / "runs"


def test_labelled_runs_become_signed_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    board, runs = labelled(tmp_path)
    secrets = (tmp_path / "keys" / "board.env").read_text().splitlines()
    monkeypatch.setenv("SIGNING_KEY", dict(line.split("=", 1) for line in secrets)["SIGNING_KEY"])
    write_lines(tmp_path / "reports" / "Good run", report("dragun25"))
    done = run_command(
        *("board", "import", runs, "--out", board),
        *("--answers", tmp_path / "reports"),
    )
    assert done.exit_code == 0, done.output
    result = parse_result(
        (board / "results" / "dragun-2025" / "good-run.json").read_bytes(),
        board / "results" / "dragun-2025" / "good-run.json",
    )
    score = result.settings["openbook"].scores["rubric(rules=dragun).supportive"]
    assert score["value"] == 1
    metadata = json.loads((board / "metadata" / "good-run.json").read_text())
    assert (metadata["authors"], metadata["openbook_generations"]) == (
        "not known",
        "good-run.jsonl",
    )
    [(_, rows)] = PublishedFolder(board).seasons()
    assert {(row.result.system, row.group, row.seal) for row in rows} == {
        ("good-run", "rehearsal", "verified"),
        ("poor", "rehearsal", "verified"),
    }
    built = run_command("site", "build", board, "--out", tmp_path / "site")
    assert built.exit_code == 0, built.output
    with (tmp_path / "site" / "board" / "dragun-2025" / "openbook.csv").open() as file:
        assert "Good run" in str(list(csv.reader(file)))


def test_an_import_leaves_what_participants_sent(tmp_path: Path) -> None:
    board, runs = labelled(tmp_path)
    for kept in ("metadata/poor.json", "openbook-generations/poor.jsonl"):
        (board / kept).write_text("{}")
        done = run_command("board", "import", runs, "--out", board)
        assert done.exit_code == 1
        assert "the system poor stands on the board, and no import wrote it" in done.stderr
        assert (board / kept).read_text() == "{}"
        assert not (board / "metadata" / "good-run.json").exists()  # all or nothing
        (board / kept).unlink()
    for _ in range(2):  # what an import wrote, the next writes anew
        done = run_command("board", "import", runs, "--out", board)
        assert done.exit_code == 0, done.output


def test_no_run_is_imported_where_the_gold_is_hidden(tmp_path: Path) -> None:
    """A run file says of each question what its answer was given for."""
    board, runs = labelled(tmp_path)
    season = json.loads((board / "season.json").read_text())
    step, bits = told_terms("ranked", None, season["quota"])
    terms = {"told": "ranked", "step": step, "bits": bits}
    (board / "season.json").write_text(json.dumps({**season, **terms}))
    done = run_command("board", "import", runs, "--out", board)
    assert done.exit_code == 2
    assert "its gold is hidden, and a run file tells of each question" in done.stderr
    assert not (board / "runs").exists()


def test_a_run_without_the_ranked_score_or_a_name_is_refused(tmp_path: Path) -> None:
    board, runs = labelled(tmp_path)
    other = tmp_path / "other"
    rows = ["topic_id,run_tag,answer_id,annotation", "t1,good run,a,none"]
    (tmp_path / "labels.csv").write_text("\n".join(rows) + "\n")
    rubrics = tmp_path / "files" / "rubrics"
    run_command("board", "import", tmp_path / "labels.csv", "--rubrics", rubrics, "--out", other)
    both = run_command("board", "import", runs, other / "runs", "--out", board)
    assert both.exit_code == 1
    assert "[system-taken]" in both.stderr
    season = json.loads((board / "season.json").read_text())
    (board / "season.json").write_text(json.dumps({**season, "ranked": "rubric.score"}))
    refused = run_command("board", "import", runs, "--out", board)
    assert refused.exit_code == 1
    assert "it holds no rubric.score" in refused.stderr
    assert "[empty]" in refused.stderr


def test_a_season_of_an_unknown_track_is_refused(tmp_path: Path) -> None:
    board = found("rag25", tmp_path)
    season = json.loads((board / "season.json").read_text())
    (board / "season.json").write_text(json.dumps({**season, "track": "rag99"}))
    with pytest.raises(DataError, match="rag99"):
        read_season(board)


def test_a_run_that_is_sent_is_scored_by_the_sealed_gold(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = found("dragun25", tmp_path)
    assert submit(board, report("dragun25", "A freelancer wrote it.")).ok
    refused = run_command("board", "score", board, "--system", "mill-1")
    assert "ANSWERS_KEY" in refused.stderr
    secrets = (tmp_path / "keys" / "board.env").read_text().splitlines()
    monkeypatch.setenv("ANSWERS_KEY", dict(line.split("=", 1) for line in secrets)["ANSWERS_KEY"])
    done = run_command("board", "score", board, "--system", "mill-1")
    assert done.exit_code == 0, done.output
    scores = (
        parse_result(
            (board / "results" / "dragun-2025" / "mill-1.json").read_bytes(),
            board / "results" / "dragun-2025" / "mill-1.json",
        )
        .settings["openbook"]
        .scores
    )
    assert scores["rubric(rules=dragun).supportive"]["n"] == 1
    assert scores["rubric.score"]["failed"] == 0


def test_a_collection_that_no_board_holds_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("argue_bench.leaderboard.seasons.real_data.MOST_DOCUMENTS", 0)
    with pytest.raises(DataError, match=r"documents\.jsonl.*1 documents"):
        track_set(track_board("rag25"), track_files("rag25", tmp_path))


@pytest.mark.parametrize("track", ["dragun25", "ragtime26"])
def test_changed_gold_of_a_track_is_another_set(track: str, tmp_path: Path) -> None:
    """Rubrics, nuggets and grades: scores by other gold say so in their signature, at home as on the board."""
    board = found(track, tmp_path)
    data, season = tmp_path / "files", read_season(board)
    key = dict(
        line.split("=", 1) for line in (tmp_path / "keys/board.env").read_text().splitlines()
    )["ANSWERS_KEY"]
    before = track_dataset(track, data)
    assert before.digest == open_gold(board, season, key).digest
    files = ["rubrics/t1.json"] if track in DRAGUN else ["nuggets.jsonl", "qrels.txt"]
    for name in files:
        whole = (data / name).read_text()
        changed = (
            whole.replace("freelancer", "student").replace("1731", "1732").replace(" 2\n", " 0\n")
        )
        assert changed != whole
        (data / name).write_text(changed)
        assert track_dataset(track, data).digest != before.digest
        (data / name).write_text(whole)
    assert track_dataset(track, data).digest == before.digest
