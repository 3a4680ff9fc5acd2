"""annotate and score, as a user runs them; and killed in the middle."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from argue_bench.cli import main
from argue_bench.loaders import load
from argue_bench.loaders.auto_argue.scores import (
    ALL,
    ALL_ROWS,
    MISSING_CITATION,
    TOPIC_ROWS,
    read_score_rows,
)
from argue_bench.loaders.nuggets.banks import write_topics
from argue_bench.store import Store
from tests.shared import ROOT, write_lines

TOPICS = ("1", "2")


def bank(topic: str, answers: int = 3) -> dict[str, Any]:
    def nugget(number: int, kind: str) -> dict[str, Any]:
        texts = [f"answer {number}.{i} of {topic}" for i in range(answers)]
        return {
            "aggregator_type": kind,
            "answers": {
                t: {"answer": t, "references": [{"doc_id": f"d{i}"}]} for i, t in enumerate(texts)
            },
        }

    nuggets = {f"Question {n} of {topic}?": nugget(n, "OR" if n % 2 else "AND") for n in range(3)}
    return {"query_id": topic, "nugget_bank": nuggets}


def report(run: str, topic: str, sentences: int = 4) -> dict[str, Any]:
    responses = [
        {
            "text": f"Sentence {n} of {run} tells of {topic}.",
            "citations": [f"d{n % 5}"] if n % 3 else [],
        }
        for n in range(sentences)
    ]
    about = {"team_id": "t", "run_id": run, "topic_id": topic}
    return {"metadata": about, "responses": responses, "references": []}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two runs in one file, the second without its second topic; nuggets; documents."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "nuggets").mkdir()
    for topic in TOPICS:
        write_lines(tmp_path / "nuggets" / f"n_{topic}.v3.json", bank(topic))
    write_lines(tmp_path / "runs.jsonl", report("a", "1"), report("b", "1"), report("a", "2"))
    write_lines(
        tmp_path / "docs.jsonl",
        *[{"id": f"d{n}", "text": f"Sentence {n} of a tells of 1."} for n in range(5)],
    )
    return tmp_path


def run(*args: str) -> Result:
    return CliRunner().invoke(main, list(args), catch_exceptions=False)


ANNOTATE = ("evaluate", "runs.jsonl", "--nuggets", "nuggets", "-C", "docs.jsonl", "--out", "o.run")


def test_annotate_and_score_in_one_and_apart(place: Path) -> None:
    done = run(*ANNOTATE, "--scores", "one.tsv")
    assert done.exit_code == 0, done.output
    assert "topics without a report, counted as 0: 1" in done.output
    assert run("evaluate", "--judgments", "o.run", "--scores", "two.tsv").exit_code == 0
    assert (place / "one.tsv").read_bytes() == (place / "two.tsv").read_bytes()
    rows = {
        (row.run, row.topic, row.metric): row.value for row in read_score_rows(place / "one.tsv")
    }
    every = {topic: {metric for _, t, metric in rows if t == topic} for topic in (ALL, "1")}
    assert every == {
        ALL: {*ALL_ROWS, *MISSING_CITATION},
        "1": {*TOPIC_ROWS, *MISSING_CITATION},
    }
    # Sentences 0 and 3 of each report cite nothing.
    assert rows["a", "1", "sentences_missing_citation"] == 2
    done = run("evaluate", "--judgments", "o.run", "--scores", "older.tsv", "--older-scores")
    assert done.exit_code == 0
    older = read_score_rows(place / "older.tsv")
    assert {row.metric for row in older if row.topic == "1"} == set(TOPIC_ROWS)
    assert {row.metric for row in older if row.topic == ALL} == set(ALL_ROWS)
    assert rows["b", "2", "f1"] == 0
    assert rows["b", ALL, "f1_macro"] == rows["b", "1", "f1"] / 2
    assert rows["a", ALL, "sentences"] == 8


def test_the_same_command_again_asks_nothing_and_writes_the_same_bytes(place: Path) -> None:
    run(*ANNOTATE)
    first, asked = (place / "o.run").read_bytes(), count(place / "o.run.verdicts")
    assert run(*ANNOTATE).exit_code == 0
    assert (place / "o.run").read_bytes() == first
    assert count(place / "o.run.verdicts") == asked > 0
    assert run(*ANNOTATE, "--rerun").exit_code == 0
    assert (place / "o.run").read_bytes() == first
    assert count(place / "o.run.verdicts.before") == count(place / "o.run.verdicts") == asked


def count(store: Path) -> int:
    with Store(store, write=False) as opened:
        return len(opened)


def test_auto_argue_rules_judgments_and_other_rules_from_what_is_stored(place: Path) -> None:
    done = run(
        *ANNOTATE, "--rules", "auto-argue", "--scores", "s.tsv", "--judgments-out", "j.jsonl"
    )
    assert done.exit_code == 0, done.output
    counted = run(
        "evaluate",
        "--judgments",
        "j.jsonl",
        "--nuggets",
        "nuggets",
        "--scores",
        "t.tsv",
        "--validate",
    )
    assert counted.exit_code == 0, counted.output
    assert (place / "s.tsv").read_bytes() == (place / "t.tsv").read_bytes()
    for rules, code in (("argue-2024", 0), ("auto-argue-paper", 0), ("default", 1)):
        done = run(
            "evaluate",
            "--judgments",
            "o.run",
            "--rules",
            rules,
            "--nuggets",
            "nuggets",
            "--scores",
            f"{rules}.tsv",
        )
        assert done.exit_code == code, done.output
    assert "[not-judged]" in done.output
    assert not (place / "default.tsv").exists()
    done = run("evaluate", "--judgments", "o.run", "--rules", "argue-2024", "--scores", "x.tsv")
    assert (done.exit_code, "needs --nuggets or --dataset" in done.output) == (2, True)


def test_judgments_of_auto_argue_are_a_judge_and_a_collection(place: Path) -> None:
    run(*ANNOTATE, "--rules", "auto-argue", "--scores", "s.tsv", "--judgments-out", "j.jsonl")
    command = ("evaluate", "runs.jsonl", "--nuggets", "nuggets", "--judge", "recorded:j.jsonl")
    done = run(*command, "--rules", "auto-argue", "--out", "again.run", "--scores", "t.tsv")
    assert done.exit_code == 0, done.output
    assert (place / "s.tsv").read_bytes() == (place / "t.tsv").read_bytes()
    done = run(*command, "--rules", "default", "--out", "more.run")
    assert (done.exit_code, "not recorded" in done.output) == (3, True)


def test_a_judge_outside_the_package_judges_reports_by_nuggets(place: Path) -> None:
    (place / "own_report_judge.py").write_text(
        "def judge(request):\n    return type(request).verdicts[0]\n"
    )
    done = run(*ANNOTATE, "--judge", "own_report_judge:judge", "--scores", "s.tsv")
    assert done.exit_code == 0, done.output
    rows = {(row.run, row.topic, row.metric): row.value for row in read_score_rows(place / "s.tsv")}
    assert rows["a", "1", "nugget_coverage"] == 1
    with Store(place / "o.run.verdicts", write=False) as store:
        assert [judge.name for judge in store.judges()] == ["function:judge"]
        assert {entry.verdict.value for entry in store} == {"yes"}
    header = json.loads((place / "o.run").read_text(encoding="utf-8").partition("\n")[0])["header"]
    assert header["signature"]["argue"]["judge"].startswith("function:judge source:")
    done = run(*ANNOTATE, "--judge", "own_report_judge:other")
    assert (done.exit_code, "own_report_judge" in done.output) == (2, True)


def test_other_rules_on_other_nuggets_are_refused(place: Path) -> None:
    run(*ANNOTATE, "--rules", "auto-argue")
    write_lines(place / "nuggets" / "n_2.v3.json", bank("2", answers=2))
    done = run(
        "evaluate",
        "--judgments",
        "o.run",
        "--rules",
        "argue-2024",
        "--nuggets",
        "nuggets",
        "--scores",
        "x.tsv",
    )
    assert (done.exit_code, "[other-data]" in done.output) == (1, True)


def test_the_shipped_sample_by_name_and_as_nugget_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sample = load("core", "sample")
    reports = str(files("argue_bench") / "data" / "core" / "sample-runs" / "careful.trec.jsonl")
    options = ("--rules", "auto-argue", "--scores")
    by_name = ("--dataset", "core", "--split", "sample", "--out", "a.run", *options, "a.tsv")
    done = run("evaluate", reports, *by_name)
    assert done.exit_code == 0, done.output
    write_topics(tmp_path / "nuggets", sample)
    write_lines(
        tmp_path / "docs.jsonl",
        *[{"id": d.id, "text": d.text, "title": d.title} for d in sample.documents.values()],
    )
    as_files = ("--nuggets", "nuggets", "-C", "docs.jsonl", "--out", "b.run", *options, "b.tsv")
    done = run("evaluate", reports, *as_files)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "a.tsv").read_bytes() == (tmp_path / "b.tsv").read_bytes()
    assert run("evaluate", reports, *by_name, "--nuggets", "nuggets").exit_code == 2


def shown(place: Path) -> list[Path]:
    """Files but for hidden ones, such as the index of a collection."""
    return sorted(file for file in place.iterdir() if not file.name.startswith("."))


def test_a_collection_is_named_by_folder_and_part(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (place / "lookup" / "news").mkdir(parents=True)
    (place / "docs.jsonl").rename(place / "lookup" / "news" / "english.jsonl")
    command = (
        "evaluate",
        "runs.jsonl",
        "--nuggets",
        "nuggets",
        "--out",
        "o.run",
        "--scores",
        "s.tsv",
    )
    assert run(*command, "-C", "lookup/news", "-c", "english").exit_code == 0
    first = (place / "s.tsv").read_bytes()
    monkeypatch.setenv("DOC_LOOKUP", str(place / "lookup"))
    assert run(*command, "-C", "news").exit_code == 0
    assert (place / "s.tsv").read_bytes() == first
    done = run(*command, "-C", "olds")
    assert (done.exit_code, "no such collection" in done.output) == (2, True)


def test_a_dry_run_asks_nothing_and_writes_nothing(place: Path) -> None:
    before = shown(place)
    done = run(*ANNOTATE, "--dry-run")
    assert done.exit_code == 0
    # 3 reports of 4 sentences, of which sentences 1 and 2 cite one document; 9 answers a topic
    table = [line.split() for line in done.stdout.splitlines()]
    assert ["SENTENCE_ATTESTED", "Entails", "6", "6"] in table
    assert ["SENTENCE_ANSWERS_QUESTION", "Answers", "54", "54"] in table
    assert ["REQUIRES_CITATION", "NeedsCitation", "6", "6"] in table
    assert ["FIRST_INSTANCE", "FirstInstance", "0", "3"] in table
    assert ["all", "66", "69"] in table
    assert shown(place) == before


def test_everything_wrong_with_reports_is_told_before_anything_is_asked(place: Path) -> None:
    bad = report("a", "1")
    bad["responses"][0]["text"] = 3
    write_lines(
        place / "runs.jsonl", report("a", "1"), bad, report("a", "1"), report("a", "77"), []
    )
    done = run(*ANNOTATE)
    assert done.exit_code == 1
    assert "runs.jsonl:2" in done.output
    assert "[duplicate-topic]" in done.output
    assert "runs.jsonl:5" in done.output
    assert not (place / "o.run.verdicts").exists()
    write_lines(place / "runs.jsonl", *[report("a", f"{n}") for n in range(3, 300)] + [[]] * 300)
    done = run(*ANNOTATE)
    assert done.exit_code == 1
    assert "200 findings more" in done.output
    assert len(done.output.splitlines()) == 102


def test_a_topic_without_nuggets_is_left_out_and_said(place: Path) -> None:
    write_lines(place / "runs.jsonl", report("a", "1"), report("a", "2"), report("a", "77"))
    done = run(*ANNOTATE)
    assert done.exit_code == 0
    assert "77" in done.output
    write_lines(place / "runs.jsonl", report("a", "77"))
    assert run(*ANNOTATE).exit_code == 1


def test_a_line_that_is_null_is_no_report(place: Path) -> None:
    write_lines(place / "runs.jsonl", report("a", "1"), None)
    done = run(*ANNOTATE)
    assert (done.exit_code, "runs.jsonl:2: expected an object" in done.output) == (1, True)


def test_a_file_without_judgments_gives_no_scores(place: Path) -> None:
    (place / "j.jsonl").write_text("\n")
    done = run("evaluate", "--judgments", "j.jsonl", "--nuggets", "nuggets", "--scores", "s.tsv")
    assert (done.exit_code, "[no-judgments]" in done.output) == (1, True)
    assert not (place / "s.tsv").exists()


@pytest.mark.parametrize("line", ["null", "5", '"header"', '{"answer": 1, "metrics": []}'])
def test_a_run_file_with_another_line_is_told(place: Path, line: str) -> None:
    run(*ANNOTATE)
    with (place / "o.run").open("a") as file:
        file.write(f"{line}\n")
    done = run("evaluate", "--judgments", "o.run", "--scores", "s.tsv")
    assert (done.exit_code, "o.run:6: this line is not of a run file" in done.output) == (1, True)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--nuggets", "nuggets", "--split", "dev"), "--split and --data go with --dataset"),
        (("--nuggets", "nuggets", "--data", "docs.jsonl"), "--split and --data go with --dataset"),
        (("--dataset", "core", "--qrels", "q"), "--requests and --qrels go with --nuggets"),
        (("--requests", "r"), "--requests and --qrels go with --nuggets"),
        (("--nuggets", "nuggets", "--dataset", "core"), "exclude each other"),
    ],
)
def test_an_option_that_would_do_nothing_is_refused(
    place: Path, options: tuple[str, ...], says: str
) -> None:
    for command in (
        ("evaluate", "runs.jsonl"),
        ("evaluate", "--judgments", "o.run", "--scores", "s.tsv"),
    ):
        done = run(*command, *options)
        assert (done.exit_code, says in done.output) == (2, True), done.output


def test_a_failed_verdict_leaves_the_run_without_averages(place: Path) -> None:
    write_lines(
        place / "labels.jsonl",
    )
    write_lines(
        place / "labels.jsonl",
        {
            "ask": {"kind": "NeedsCitation", "sentence": "Sentence 0 of a tells of 1."},
            "verdict": "yes",
        },
    )
    done = run(*ANNOTATE, "--judge", "recorded:labels.jsonl", "--scores", "s.tsv")
    assert done.exit_code == 3
    assert "reports with failed verdicts: 3" in done.output
    # b's missing report alone
    assert {row.topic for row in read_score_rows(place / "s.tsv")} == {"2"}


def test_documents_that_are_not_there_are_told(place: Path) -> None:
    write_lines(place / "docs.jsonl", {"id": "d1", "text": "x"})
    done = run(*ANNOTATE)
    # of each report sentence 1 cites d1 and sentence 2 cites d2
    assert "not in the collection: 3 of 6" in done.output
    done = run("evaluate", "runs.jsonl", "--nuggets", "nuggets", "--out", "p.run")
    assert (done.exit_code, "--collection" in done.output) == (2, True)


def test_a_place_that_cannot_be_written_is_an_error_and_changes_nothing(place: Path) -> None:
    run(*ANNOTATE)
    (place / "s.tsv").mkdir()
    done = run("evaluate", "--judgments", "o.run", "--scores", "s.tsv")
    assert (done.exit_code, "[not-written]" in done.output) == (1, True)
    done = run("evaluate", "--judgments", "docs.jsonl", "--nuggets", "nuggets", "--scores", "t.tsv")
    assert done.exit_code == 1
    assert not (place / "t.tsv").exists()


def slow(place: Path, out: str, log: str) -> subprocess.Popen[bytes]:
    command = [
        sys.executable,
        "-m",
        "tests.cli.slow_annotate",
        str(place / "runs.jsonl"),
        str(place / "nuggets"),
        str(place / out),
        str(place / log),
        "1",
    ]
    return subprocess.Popen(command, cwd=ROOT, env={**os.environ, "PYTHONWARNINGS": "error"})


def asked(log: Path) -> list[str]:
    """The whole lines of a log; a killed process may have cut the last."""
    return (
        [key for key in log.read_text().split("\n")[:-1] if len(key) == 64] if log.exists() else []
    )


def stored(store: Path) -> set[str]:
    """What stands in the store of a killed process: opened to be written, so that it recovers."""
    if not store.exists():
        return set()
    with Store(store) as opened:
        return {entry.key for entry in opened}


def test_killed_at_any_moment_nothing_stored_is_asked_again_and_none_is_lost(place: Path) -> None:
    write_lines(place / "runs.jsonl", *[report(r, t, 12) for r in ("a", "b") for t in TOPICS])
    whole = slow(place, "whole.run", "whole.log")
    kept: set[str] = set()
    logged = 0
    for more in (1, 60, 150):
        process = slow(place, "cut.run", "cut.log")
        while len(asked(place / "cut.log")) < logged + more and process.poll() is None:
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait()
        now = stored(place / "cut.run.verdicts")
        assert kept <= now  # none lost
        new = asked(place / "cut.log")[logged:]
        assert not kept & set(new)  # nothing stored was asked again
        assert not (place / "cut.run").exists()
        kept, logged = now, logged + len(new)
    assert kept
    last = slow(place, "cut.run", "cut.log")
    assert (last.wait(60), whole.wait(60)) == (0, 0)
    assert not kept & set(asked(place / "cut.log")[logged:])
    assert stored(place / "cut.run.verdicts") == stored(place / "whole.run.verdicts")
    cut, full = ((place / name).read_bytes() for name in ("cut.run", "whole.run"))
    assert cut == full.replace(b"whole.run.verdicts", b"cut.run.verdicts")
