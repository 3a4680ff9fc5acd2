"""Groups from a file of questions to the tables: rows, the core format, run files, comparisons."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import argue_bench as ab
from argue_bench.eval.run import read_reports
from argue_bench.loaders import load
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Question, Tally

TALKS, TURNS = 6, 4


def rows(shift: int = 0) -> list[dict[str, Any]]:
    """Answers that are right or wrong by the conversation."""
    return [
        {
            "question": f"What is {talk}-{turn}?",
            "answer": f"It is {talk + turn}.",
            "reference": str(talk),
            "conversation_id": f"talk {talk}",
            "right": (talk + shift) % 3 != 0,
        }
        for talk in range(TALKS)
        for turn in range(TURNS)
    ]


def right(question: Question, answer: ab.Answer) -> dict[str, Tally]:
    talk = int(question.cluster.split()[1])
    return {"right": Tally((talk + (answer.run == "other")) % 3 != 0)}


def report(system: str = "", path: Path | None = None) -> ab.Report:
    dataset, answers = ab.from_rows(rows())
    named = [ab.Answer(a.id, a.text, a.sentences, system) for a in answers]
    return ab.evaluate(dataset, named, [right], system=system, out=path)


def test_rows_name_their_conversation() -> None:
    dataset, _ = ab.from_rows(rows())
    assert [question.cluster for question in dataset][:5] == ["talk 0"] * 4 + ["talk 1"]
    named, _ = ab.from_rows([{**row, "author": "me"} for row in rows()], {"cluster": "author"})
    assert {question.cluster for question in named} == {"me"}


def test_mtrag_names_the_conversation_of_a_turn() -> None:
    published = {
        "documents": [],
        "tasks": [
            {"task_id": f"abc<::>{n}", "input": [{"speaker": "user", "text": f"Why {n}?"}]}
            for n in (1, 2)
        ],
        "evaluations": [
            {"task_id": f"abc<::>{n}", "model_id": "m", "model_response": "So."} for n in (1, 2)
        ],
    }
    dataset, _ = ab.from_rows(published)
    assert [question.cluster for question in dataset] == ["abc", "abc"]


def test_the_core_format_names_a_cluster(tmp_path: Path) -> None:
    about = {"name": "own", "version": "1", "split": "dev", "language": "en"}
    (tmp_path / "set.json").write_text(json.dumps(about))
    lines = [{"id": f"q{n}", "text": "Why?", "cluster": "one"} for n in (1, 2)]
    gold = [{"id": f"q{n}", "answerable": True} for n in (1, 2)]
    for name, some in (("questions", lines), ("gold", gold), ("documents", [])):
        text = "".join(json.dumps(line) + "\n" for line in some)
        (tmp_path / f"{name}.jsonl").write_text(text)
    assert [question.cluster for question in load(tmp_path)] == ["one", "one"]


def test_a_question_without_a_cluster_keeps_its_digest() -> None:
    plain = Dataset("x", "", (Question("q", "Why?"),))
    # As a version without groups computed it.
    assert plain.digest.startswith("sha256:6695b03f34c195df7cac6c3b55dfee6d")
    assert Dataset("x", "", (Question("q", "Why?", cluster="c"),)).digest != plain.digest


def test_a_report_says_both_and_its_interval_is_that_of_groups(tmp_path: Path) -> None:
    found = report(path=tmp_path / "run.jsonl")
    score = found.scores["right.right"]
    assert (score.n, score.groups) == (24, 6)
    assert "24 questions in 6 groups" in str(found)
    assert "24 in 6" in str(found)
    assert found.signature["right"]["n"] == "24 in 6"
    dataset, answers = ab.from_rows([{**row, "conversation_id": None} for row in rows()])

    # The same tallies, each question alone.
    def alone(question: Question, answer: ab.Answer) -> dict[str, Tally]:
        return {"right": Tally(int(question.text[8]) % 3 != 0)}

    [apart] = ab.evaluate(dataset, answers, [alone]).scores.values()
    assert apart.value == score.value
    assert score.low is not None
    assert score.high is not None
    assert apart.low is not None
    assert apart.high is not None
    assert score.high - score.low > 1.5 * (apart.high - apart.low)
    [read] = read_reports(tmp_path / "run.jsonl", [found.metrics["right"]]).values()
    assert read.resampled().scores["right.right"] == score
    error = found.standard_error("right.right")
    # Six means of 0 or 1, four of them 1: sd = sqrt(6 / 5 x 2/9), over sqrt(6).
    assert error == pytest.approx((2 / 9 / 5) ** 0.5)


def test_a_comparison_swaps_and_resamples_groups() -> None:
    found = ab.compare(report("one"), report("other"), resamples=500)
    [one] = found.differences
    assert (one.n, one.groups) == (24, 6)
    assert found.facts["clusters"] == 6
    assert found.facts["permutations"] == 2**6
    assert "24 questions in 6 groups" in str(found)
    bands = found.rank_bands()
    assert bands is not None
    assert (bands["n"], bands["clusters"], bands["smallest_p"]) == (24, 6, 2 / 2**6)
