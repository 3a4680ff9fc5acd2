"""Boards in the forms in which others collect scores, held to the fields that they document."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.pages.data import site_data
from argue_bench.pages.files.exchange import (
    every_eval_ever,
    hub_benchmark,
    hub_dataset,
    hub_file,
    hub_results,
    instances,
    record_lines,
    with_instances,
)
from tests.pages.boards import PAYLOADS, hostile, small

FILES = site_data(small())
BOARD, INDEX = FILES["board/s1/openbook.json"], FILES["index.json"]
# As the collection's eval.schema.json names them: what a record must have, and may have.
REQUIRED = {
    "schema_version",
    "evaluation_id",
    "retrieved_timestamp",
    "source_metadata",
    "model_info",
    "eval_library",
    "evaluation_results",
}
MAY = {"dedupe_identity", "evaluation_timestamp", "detailed_evaluation_results"}
UUID4 = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(_samples)?\.jsonl?"
)
SETTINGS = {"closedbook", "openbook", "evidenceprovided"}
INSTANCE = {
    "schema_version",
    "evaluation_id",
    "model_id",
    "evaluation_name",
    "evaluation_result_id",
    "sample_id",
    "interaction_type",
    "input",
    "output",
    "answer_attribution",
    "evaluation",
}


@pytest.mark.parametrize("files", [FILES, site_data(hostile())], ids=["small", "hostile"])
def test_records_have_the_documented_fields(files: dict[str, dict[str, object]]) -> None:
    records = dict(every_eval_ever(files["board/s1/openbook.json"], files["index.json"]))
    assert len(records) >= 7
    for path, record in records.items():
        assert path.startswith("data/s1-openbook/")
        assert record.keys() >= REQUIRED
        assert record.keys() <= REQUIRED | MAY
        assert record["retrieved_timestamp"].isdecimal()
        assert UUID4.fullmatch(path.rpartition("/")[2])
        models = [record["model_info"]]
        assert record["source_metadata"]["source_type"] in ("evaluation_run", "documentation")
        for one in record["evaluation_results"]:
            assert one.keys() == {
                "evaluation_result_id",
                "evaluation_name",
                "source_data",
                "metric_config",
                "score_details",
            }
            config = one["metric_config"]
            assert isinstance(config["lower_is_better"], bool)
            assert (
                config["min_score"] <= one["score_details"]["score"] <= float(config["max_score"])
            )
            judges = config.get("llm_scoring", {}).get("judges", [])
            models += [judge["model_info"] for judge in judges]
            assert all(isinstance(v, str) for v in config["additional_details"].values())
            source = one["source_data"]
            assert source["source_type"] == "other" or source["url"]
        for model in models:
            assert {"name", "id"} <= model.keys()
            details = model["additional_details"]
            assert details["deployment_type"] in ("self_deployed", "externally_managed", "unknown")
            assert details["model_availability"] in ("open_weights", "closed_weights", "unknown")


def test_a_record_says_what_the_board_says() -> None:
    record = next(r for p, r in every_eval_ever(BOARD, INDEX) if "/alpha/" in p)
    first = next(
        o for o in record["evaluation_results"] if o["evaluation_name"].endswith("argue.f1")
    )
    assert first["score_details"] == {
        "score": 0.8,
        "uncertainty": {
            "confidence_interval": {
                "lower": 0.75,
                "upper": pytest.approx(0.85),
                "confidence_level": 0.95,
                "method": "bootstrap over questions, Wilson's interval where all questions agree",
            },
            "num_samples": 40,
        },
    }
    assert first["metric_config"]["additional_details"]["judge"] == "openai/gpt-4o"
    about = {p.split("/")[3]: r["source_metadata"] for p, r in every_eval_ever(BOARD, INDEX)}
    assert about["practice"]["additional_details"] == {"group": "rehearsal"}
    assert "additional_details" not in about["alpha"]
    (judge,) = first["metric_config"]["llm_scoring"]["judges"]
    assert judge["model_info"]["id"] == "openai/gpt-4o"
    assert not [p for p, _ in every_eval_ever(BOARD, INDEX) if "/no-score/" in p]


@pytest.mark.parametrize("files", [FILES, site_data(hostile())], ids=["small", "hostile"])
def test_the_lines_of_the_site_are_the_records(files: dict[str, dict[str, object]]) -> None:
    board = files["board/s1/openbook.json"]
    lines = record_lines(board, INDEX).splitlines()
    assert [json.loads(line) for line in lines] == [r for _, r in every_eval_ever(board, INDEX)]


def test_a_question_has_its_line() -> None:
    record = next(r for p, r in every_eval_ever(BOARD, INDEX) if "/alpha/" in p)
    answers = {"t1": "One.", "t2": "Two.", "t3": "No such question."}
    lines = list(instances(record, FILES["topics/s1/openbook.json"], "alpha", answers))
    assert [line["sample_id"] for line in lines] == ["t1", "t2"]
    assert all(line.keys() == INSTANCE for line in lines)
    assert [line["evaluation"] for line in lines] == [
        {"score": 1.0, "is_correct": True},
        {"score": 0.6, "is_correct": False},
    ]
    assert {line["evaluation_id"] for line in lines} == {record["evaluation_id"]}


def test_a_record_names_the_file_of_its_lines() -> None:
    path, record = next((p, r) for p, r in every_eval_ever(BOARD, INDEX) if "/alpha/" in p)
    lines = list(instances(record, FILES["topics/s1/openbook.json"], "alpha", {"t1": "One."}))
    made = dict(with_instances(path, record, lines))
    said = json.loads(made.pop(path))["detailed_evaluation_results"]
    ((place, text),) = made.items()
    assert UUID4.fullmatch(place.rpartition("/")[2])
    assert (said["format"], said["file_path"], said["total_rows"]) == ("jsonl", place, 1)
    assert said["checksum"] == hashlib.sha256(text.encode()).hexdigest()
    named = {one["evaluation_result_id"] for one in record["evaluation_results"]}
    assert json.loads(text)["evaluation_result_id"] in named
    _, bare = next(every_eval_ever(BOARD, INDEX))
    assert "detailed_evaluation_results" not in dict(with_instances("a.json", bare, []))["a.json"]


def test_hugging_face_reads_yaml_of_the_documented_shape() -> None:
    two = [BOARD, {**BOARD, "setting": "closedbook"}]
    tasks = yaml.safe_load(hub_benchmark(two))["tasks"]
    assert [task["id"] for task in tasks] == ["openbook", "closedbook"]
    (line,) = yaml.safe_load(dict(hub_results(BOARD, INDEX, "owner/set"))["alpha"])
    assert line["dataset"] == {"id": "owner/set", "task_id": "openbook"}
    assert line["value"] == 80.0
    assert line["date"] == "2027-01-01"
    evil = site_data(hostile())["board/s1/openbook.json"]
    assert yaml.safe_load(hub_benchmark([evil]))["tasks"]
    # The page's one file holds the entries of all systems that have a score.
    assert len(yaml.safe_load(hub_file(evil, INDEX))) == len(PAYLOADS)
    assert len(yaml.safe_load(hub_file(BOARD, INDEX))) == 7
    counted = {**BOARD, "columns": [{**c, "unit": "count"} for c in BOARD["columns"]]}
    assert (hub_benchmark([counted]), yaml.safe_load(hub_file(counted, INDEX))) == ("", None)


@pytest.mark.parametrize(
    ("data", "named"),
    [
        ("https://huggingface.co/datasets/alexzhu/FanOutQA", "alexzhu/FanOutQA"),
        ("https://huggingface.co/datasets/a/b/", "a/b"),
        ("https://example.org/data", "OWNER/core"),
        ("https://huggingface.co/datasets/a/b/evil: x", "OWNER/core"),
    ],
)
def test_a_link_to_the_data_on_hugging_face_names_their_repository(data: str, named: str) -> None:
    assert hub_dataset({**BOARD, "links": {"data": data}}) == named


def test_by_command(tmp_path: Path) -> None:
    board = Path(__file__).parents[2] / "leaderboard-submissions"
    words = ["board", "export", str(board), "--out", str(tmp_path), "--to"]
    for form in ("every-eval-ever", "huggingface"):
        done = CliRunner().invoke(main, [*words, form], catch_exceptions=False)
        assert done.exit_code == 0, done.output
    names = {path.name for path in (tmp_path / "fanoutqa-published").glob("*/.eval_results/*")}
    assert names == {f"fanoutqa-published-{s}.yaml" for s in SETTINGS}
    benchmark = yaml.safe_load((tmp_path / "fanoutqa-published/eval.yaml").read_text("utf-8"))
    assert {task["id"] for task in benchmark["tasks"]} == SETTINGS
    records = list(tmp_path.glob("data/fanoutqa-published-openbook/unknown/gpt-4o/*.json"))
    scores = json.loads(records[0].read_text("utf-8"))["evaluation_results"]
    (judged,) = [one for one in scores if one["evaluation_name"].endswith("factuality.accuracy")]
    assert judged["score_details"]["score"] == pytest.approx(0.365, abs=0.001)
