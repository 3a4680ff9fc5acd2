"""``board import --rubrics``: the tables of the track's program, our own counting, and run files."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from argue_bench.cli import main
from argue_bench.errors import DataError
from argue_bench.eval.run import read_reports
from argue_bench.published.rubrics.dragun import gold_rubrics

HEAD = "topic_id,run_tag,answer_id,annotation\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two topics with one question of weight 4 (two answers) and one of weight 1."""
    monkeypatch.chdir(tmp_path)
    topics = [
        {
            "topic_id": topic,
            "rubrics": [
                question(f"{topic}-1", "A: Have to Know", "a", "b"),
                question(f"{topic}-2", "C: Nice to Know", "c"),
            ],
        }
        for topic in ("t1", "t2")
    ]
    (tmp_path / "rubrics.json").write_text(json.dumps({"rubrics": topics}))
    return tmp_path


def question(id: str, importance: str, *answers: str) -> dict[str, Any]:
    short = [{"answer_id": name, "answer_text": name.upper()} for name in answers]
    return {
        "question_id": id,
        "question_text": "?",
        "importance": importance,
        "short_answers": short,
    }


def call(*words: str) -> Result:
    line = ["board", "import", "labels.csv", "--rubrics", "rubrics.json", "--out", "out"]
    result = CliRunner().invoke(main, [*line, *words], catch_exceptions=False)
    assert "Traceback" not in result.output
    return result


def labels(*rows: str) -> None:
    Path("labels.csv").write_text(HEAD + "".join(f"{row}\n" for row in rows))


def supportive() -> dict[str, float]:
    with Path("out/per_run_results.csv").open() as file:
        return {row["run_tag"]: float(row["supportive_score"]) for row in csv.DictReader(file)}


def test_an_unjudged_answer_and_a_skipped_topic_raise_the_score_as_by_the_program(
    place: Path,
) -> None:
    # r1: one of two answers of the heavy question, and nothing on t2. r2: all of it.
    labels(
        "t1,r1,a,supports",
        *(f"{topic},r2,{answer},supports" for topic in ("t1", "t2") for answer in "abc"),
    )
    assert call().exit_code == 0
    assert supportive() == pytest.approx({"r1": 4 / 5, "r2": 1.0})


def test_the_run_files_have_the_scores_of_the_table(place: Path) -> None:
    rows = [
        f"{t},r1,{a},{said}" for t in ("t1", "t2") for a, said in zip("abc", LABELS, strict=True)
    ]
    labels(*rows)
    assert call().exit_code == 0
    report = read_reports(Path("out/runs/r1.jsonl"))["r1"]
    assert report.scores["rubric.supportive"].value == pytest.approx(supportive()["r1"])
    assert report.scores["rubric.supportive"].value == pytest.approx((4 * 1 / 2 + 0.5) / 5)
    assert report.scores["rubric.contradictory"].value == pytest.approx((4 * 1 / 2) / 5)


LABELS = ("supports", "contradicts", "partial")


def test_every_faulty_row_is_named_with_its_line(place: Path) -> None:
    labels("t1,r1,a,Supports", "t1,r1,b,", "t1,r1,c,none")
    result = call()
    assert result.exit_code == 1
    assert "labels.csv:2" in result.output
    assert "labels.csv:3" in result.output
    assert "[wrong-value]" in result.output
    labels("t1,r1,x,none", "t9,r1,a,none")
    result = call()
    assert result.exit_code == 1
    assert "labels.csv:2: the rubric of 't1' has no answer 'x'" in result.output
    assert "'t9'" in result.output
    assert not Path("out").exists()


def test_a_table_that_no_program_reads_is_refused(place: Path) -> None:
    labels("t1,r1,a,none,because,so")
    assert "labels.csv:2: the row has more cells than the head" in refused()
    Path("labels.csv").write_bytes(f"{HEAD}t1,r\xe9,a,none\n".encode("latin-1"))
    assert "[not-utf-8]" in refused()
    Path("labels.csv").write_text("topic_id,run_tag,answer_id,answer_id\n")
    assert "the column answer_id is there 2 times, not once" in refused()
    labels("t1,r/1,a,none", "t1,r_1,a,none")
    assert "'r/1' and 'r_1' would both be r_1.jsonl" in refused()


def refused() -> str:
    result = call()
    assert result.exit_code == 1
    return result.output


def test_two_labels_of_one_answer_count_as_by_the_program(
    place: Path,
) -> None:
    labels("t1,r1,a,supports", "t1,r1,a,supports", "t1,r1,b,none")
    assert call().exit_code == 0
    assert supportive() == pytest.approx({"r1": 4 * 2 / 3 / 5})


def test_a_rubric_of_another_shape_is_refused(place: Path) -> None:
    labels("t1,r1,a,none")
    for text in (
        "[]",
        '{"rubrics": [{"topic_id": "t"}]}',
        '{"topic_id": "t", "rubrics": [{}]}',
        "5",
    ):
        Path("rubrics.json").write_text(text)
        result = call()
        assert result.exit_code == 1
        assert "[wrong-shape]" in result.output


def test_what_a_rubric_lacks_is_named(place: Path) -> None:
    whole = json.loads(Path("rubrics.json").read_text())["rubrics"][0]
    labels("t1,r1,a,none")
    for key in ("topic_id", "question_id", "importance", "short_answers", "answer_id"):
        text = json.dumps(whole).replace(f'"{key}"', '"other"')
        Path("rubrics.json").write_text(json.dumps({"rubrics": [json.loads(text)]}))
        assert f"a key is missing: {key!r}" in refused()
    for id in ("t1_1", "t1-q1", 1, None):
        odd = [{**whole["rubrics"][0], "question_id": id}]
        Path("rubrics.json").write_text(json.dumps({**whole, "rubrics": odd}))
        assert "does not end in a hyphen and a number" in refused()
    Path("rubrics.json").write_text(json.dumps({**whole, "topic_id": None}))
    assert "an id is None" in refused()


def test_an_answer_is_gold_once(place: Path) -> None:
    """Two rubrics of one topic are one, in gold as in the tables."""
    first, *_ = json.loads(Path("rubrics.json").read_text())["rubrics"]
    other = {"topic_id": "t1", "rubrics": [question("t1-3", "B: Good to Know", "d")]}
    Path("rubrics.json").write_text(json.dumps([first, other]))
    assert [one.id for one in gold_rubrics(Path("rubrics.json"))["t1"]][-1] == "t1-3:d"
    Path("rubrics.json").write_text(json.dumps([first, first]))
    with pytest.raises(DataError, match="the answer t1-1:a is there twice"):
        gold_rubrics(Path("rubrics.json"))


def test_a_rubric_is_gold_of_the_metric(place: Path) -> None:
    first, second, third = gold_rubrics(Path("rubrics.json"))["t1"]
    assert [one.weight for one in (first, second, third)] == [4, 4, 1]
    assert first.group == second.group != third.group
    assert "A" in first.text


def test_an_unknown_importance_is_refused_where_it_would_weigh(place: Path) -> None:
    """The track's program stops at a label of such a question, and leaves one without labels out."""
    text = Path("rubrics.json").read_text().replace("C: Nice to Know", "D: Who knows")
    Path("rubrics.json").write_text(text)
    with pytest.raises(DataError, match="the importance of t1-2 is none of"):
        gold_rubrics(Path("rubrics.json"))
    labels("t1,r1,a,supports", "t1,r1,c,supports")
    result = call()
    assert (result.exit_code, "importance" in result.output) == (1, True)
    labels("t1,r1,a,supports")
    assert call().exit_code == 0
    assert supportive() == {"r1": 1.0}
