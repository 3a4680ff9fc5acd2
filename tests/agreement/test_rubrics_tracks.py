"""Rubrics, support, nuggets and files of TREC's tracks: do we count as the published programs did?

One test per case of every file, in any folder of this shape. A case that stops its program must
raise our own error.
"""

from __future__ import annotations

import csv
import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

import pytest

from argue_bench.errors import ArgueBenchError, Code, DataError
from argue_bench.lab.score_table import AGGREGATE, ScoreTable, TopicScore, read_scores
from argue_bench.loaders.banks import write_qrels
from argue_bench.published.rubrics import dragun
from argue_bench.published.rubrics import rubric as rubrics
from argue_bench.published.trec.check import check_run
from argue_bench.published.trec.relevance import RELEVANT
from argue_bench.published.trec.topic_files import read_qrels, read_topics
from argue_bench.published.web_reports import CitedClaim, scholarqa_citations
from argue_bench.records import Criterion
from argue_bench.retrieval import measure
from tests.agreement.programs import (
    annotate,
    annotated_banks,
    autojudge_files,
    dragun_program,
    leaderboards,
    rubric_programs,
    umbrela,
)
from tests.agreement.programs import nuggetizer_loops as nuggetizer
from tests.agreement.programs import scholarqa_files as scholarqa
from tests.agreement.programs import support_labels as support
from tests.agreement.programs.track_veil import likely_layout
from tests.agreement.vectors import cases_of, parameters, read
from tests.metrics.correctness.counted import values

NEAR = 1e-9
FOLDER = "rubrics_tracks"


def rows_of_scores(table: ScoreTable) -> list[TopicScore]:
    """Every value of a table, run by run; the given aggregates last."""
    rows = [
        TopicScore(run, topic, measure, value)
        for measure, runs in table.values.items()
        for run, topics in runs.items()
        for topic, value in topics.items()
    ]
    return rows + [
        TopicScore(run, AGGREGATE, measure, value)
        for measure, given in table.given.items()
        for run, value in given.items()
    ]


def same(found: Any, expected: Any, place: str = "") -> None:
    """Equal, numbers within 1e-9; a NaN is where the vector has no value."""
    if isinstance(expected, dict):
        assert isinstance(found, Mapping), place
        assert found.keys() == expected.keys(), place
        for key, value in expected.items():
            same(found[key], value, f"{place}.{key}")
    elif isinstance(expected, list):
        assert len(found) == len(expected), place
        for number, value in enumerate(expected):
            same(found[number], value, f"{place}[{number}]")
    elif expected is None:
        assert found is None or (isinstance(found, float) and math.isnan(found)), place
    elif isinstance(expected, (int, float)) and not isinstance(expected, bool):
        assert found == pytest.approx(expected, abs=NEAR, rel=0), place
    else:
        assert found == expected, place


# ---- DRAGUN


def dragun_tables(case: Any, folder: Path) -> tuple[list[Any], list[Any]]:
    (folder / "rubrics").mkdir()
    for number, topic in enumerate(case["rubrics"]):
        (folder / "rubrics" / f"{number}.json").write_text(json.dumps(topic), encoding="utf-8")
    rubrics = dragun.read_rubrics(folder / "rubrics")
    labels = folder / "labels.csv"
    labels.write_text(case["assessments_csv"], encoding="utf-8")
    if case["task"] == "question_generation_evaluation":
        (folder / "compound.csv").write_text(case["compound_csv"], encoding="utf-8")
        compound = dragun_program.read_compound(folder / "compound.csv")
        return dragun_program.score_questions(
            rubrics, dragun_program.read_question_labels(labels), compound
        )
    scores = dragun.score_reports(rubrics, dragun.read_report_labels(labels))
    if case["script"] != "testbed" and "reports" not in case:
        return dragun.report_tables(scores)
    words = None
    if "reports" in case:
        (folder / "reports").mkdir()
        for run, lines in case["reports"].items():
            text = "".join(json.dumps(line) + "\n" for line in lines)
            (folder / "reports" / run).write_text(text, encoding="utf-8")
        words = dragun_program.report_words(folder / "reports")
    return dragun_program.testbed_tables(scores, words)


@pytest.mark.parametrize("case", parameters(FOLDER, "dragun.json", cases_of))
def test_the_tables_of_dragun_are_its_programs(case: Any, tmp_path: Path) -> None:
    expected = case["expected"]
    if expected["exit_code"]:
        with pytest.raises(ArgueBenchError):
            dragun_tables(case, tmp_path)
        return
    topics, runs = dragun_tables(case, tmp_path)
    same(by(topics, "run_tag", "topic_id"), by(expected["per_topic"], "run_tag", "topic_id"))
    same(by(runs, "run_tag"), by(expected["per_run"], "run_tag"))
    # The order of equal scores is not promised.
    ranked = next(name for name in runs[0] if name.endswith("score"))
    same([row[ranked] for row in runs], [row[ranked] for row in expected["per_run"]])


def by(rows: list[Any], *keys: str) -> dict[str, Any]:
    return {" ".join(str(row[key]) for key in keys): dict(row) for row in rows}


def public_tables(folder: Path) -> Iterator[tuple[str, Any]]:
    """Every cell of the tables that the track's program makes of its public labels."""
    rubrics = dragun.read_rubrics(folder / "stand_in_rubrics.json")
    labels = dragun.read_report_labels(folder / "assessments.csv")
    tables = dragun.report_tables(dragun.score_reports(rubrics, labels))
    for name, table in zip(("topic", "run"), tables, strict=True):
        keys = ("run_tag", "topic_id") if name == "topic" else ("run_tag",)
        with (folder / f"expected_per_{name}.csv").open(encoding="utf-8") as file:
            yield name, (by(table, *keys), by(list(csv.DictReader(file)), *keys))


def public(path: Path) -> Iterator[tuple[str, Any]]:
    yield from public_tables(path.parent)


@pytest.mark.parametrize("case", parameters(FOLDER, "dragun_public/assessments.csv", public))
def test_the_public_labels_of_dragun_give_the_programs_tables(case: Any) -> None:
    found, expected = case
    assert found.keys() == expected.keys()
    for key, row in expected.items():
        for column in ("supportive_score", "contradictory_score"):
            # docs/from/trec.md promises the last digit by topic; pandas rounds the means over them otherwise.
            digit = 0.0 if "topic_id" in row else 1e-15
            assert abs(found[key][column] - float(row[column])) <= digit, f"{key} {column}"


def words_of_runs(path: Path) -> Iterator[tuple[str, Any]]:
    for run, expected in read(path)["runs"].items():
        yield run, (path.parent / "testbed_reports" / run, expected["leaderboard_row"])


@pytest.mark.parametrize(
    "case", parameters(FOLDER, "dragun_public/testbed_expected.json", words_of_runs)
)
def test_the_words_of_the_testbeds_reports_are_the_published_ones(case: Any) -> None:
    file, row = case
    counts = list(dragun_program.report_words(file).values())
    assert sum(counts) == float(row["total_report_word_count"])
    assert fmean(counts) == pytest.approx(float(row["mean_report_word_count"]), abs=NEAR)


# ---- rubric formulas


def healthbench(given: Any) -> dict[str, Any]:
    if "reply" in given:
        met = rubric_programs.healthbench_reply(given["reply"])
        return {"asked_again": met is None}
    if "items" in given:
        rows = [item["metrics"] for item in given["items"]]
        found: dict[str, Any] = {}
        for name in dict.fromkeys(name for row in rows for name in row):
            some = [row[name] for row in rows if name in row]
            found |= {name: rubric_programs.healthbench_mean(some), f"{name}:n_samples": len(some)}
        scores = [item["score"] for item in given["items"] if item["score"] is not None]
        if scores:
            found["score:n_samples"] = len(scores)
        whole = rubric_programs.healthbench_mean(scores) if scores else None
        return {"score": whole, "metrics": found}
    criteria = [
        Criterion(str(n), row["criterion"], row["points"], tags=tuple(row["tags"]))
        for n, row in enumerate(given["rubrics"])
    ]
    replies, calls, verdicts = given["grader_replies_in_order"], 0, []
    for _ in criteria:
        met = None
        while met is None:
            reply = replies[min(calls, len(replies) - 1)]
            if rubric_programs.healthbench_stops(reply):
                raise DataError.of(Code.WRONG_SHAPE, f"the reply is no object: {reply:.60}")
            met, calls = rubric_programs.healthbench_reply(reply), calls + 1
        verdicts.append(met)
    valued = [(one, float(met)) for one, met in zip(criteria, verdicts, strict=True)]
    tallies = rubrics.healthbench(valued, given["example_tags"])
    return {"metrics": values(tallies), "grader_calls": calls, "criteria_met": verdicts}


def researchrubrics(given: Any) -> dict[str, Any]:
    value = {"Satisfied": 1.0, "Partially Satisfied": 0.5}
    said = [*given["verdicts"], *[""] * (len(given["weights"]) - len(given["verdicts"]))]
    valued = [
        (Criterion(str(n), "", weight), value.get(verdict, 0.0))
        for n, (weight, verdict) in enumerate(zip(given["weights"], said, strict=False))
    ]
    return values(rubrics.researchrubrics(valued))


def compliance(given: Any) -> dict[str, Any]:
    lines = [(row["sample_id"], row["score"], row["weight"]) for row in given["lines"]]
    found = rubric_programs.compliance(lines)
    return {"per_sample": found, "average": fmean(found.values())}


def deep_research_bench(given: Any) -> dict[str, Any]:
    scores = {
        name: [row.get("score") for row in rows.values() if isinstance(row, dict)]
        for name, rows in (given["scores"] or {}).items()
        if isinstance(rows, dict)
    }
    return values(rubric_programs.deep_research_bench(scores))


def ingredients(given: Any) -> dict[str, Any]:
    valued = [
        (
            Criterion(row["name"], row["criterion"], row["weight"]),
            given["scores_0_1_2"][row["name"]] / 2,
        )
        for row in given["ingredients"]
    ]
    return {"ingredient_recall": rubrics.ingredient_recall(valued).value}


def citations(given: Any) -> dict[str, Any]:
    sections = [
        (
            [
                CitedClaim(
                    tuple(row["supporting"]),
                    tuple(row["non_supporting"]),
                    row["is_fully_supported"],
                )
                for row in group["claims"]
            ],
            group.get("sentences", 0),
        )
        for group in given["groups"]
    ]
    titles = {
        one["id"]
        for group in given["groups"]
        for one in group["citations"]
        if one.get("title_only") or one.get("snippets") == "" or one.get("just_has_a_title")
    }
    recall, precision, f1 = scholarqa_citations(sections, titles)
    return {"citation_recall": recall, "citation_precision": precision, "f1": f1}


def precision(given: Any) -> dict[str, Any]:
    value, paragraphs = scholarqa.answer_precision(given["answer"], given["irrelevant_texts"])
    return {"answer_precision": value, "paragraphs": paragraphs}


def draco(given: Any) -> dict[str, Any]:
    criteria = [Criterion(row["id"], "", row["weight"], row["axis"]) for row in given["criteria"]]
    passes = []
    for met in given["met_per_pass"]:
        found = values(rubrics.draco(list(zip(criteria, map(float, met), strict=True))))
        axes = {name[5:]: value for name, value in found.items() if name.startswith("axis_")}
        passes.append(
            {
                "normalized_score": found["score"],
                "pass_rate": found["pass_rate"],
                "axis_scores": axes,
            }
        )
    mean, spread = rubric_programs.draco_passes([one["normalized_score"] for one in passes])
    return {
        "per_pass": passes,
        "normalized_score": mean,
        "normalized_score_sd": spread,
        "pass_rate": rubric_programs.draco_passes([one["pass_rate"] for one in passes])[0],
    }


def facts(given: Any) -> dict[str, Any]:
    responses = [
        rubric_programs.GroundedResponse(row["grounded"], row["eligible"]) for row in given["items"]
    ]
    return {
        "unadjusted": rubric_programs.facts_unadjusted(responses),
        "final": rubric_programs.facts_grounding(responses),
        "any": rubric_programs.facts_grounding(responses, any_judge=True),
    }


SCHEMES: dict[str, Callable[[Any], dict[str, Any]]] = {
    "healthbench": healthbench,
    "researchrubrics": researchrubrics,
    "researchrubrics-compliance": compliance,
    "drb2": deep_research_bench,
    "astabench-rubric": ingredients,
    "astabench-citations": citations,
    "astabench-precision": precision,
    "draco": draco,
    "facts-grounding": facts,
}


@pytest.mark.parametrize("case", parameters(FOLDER, "rubric_formulas.json", cases_of))
def test_a_rubric_is_scored_as_its_program_does(case: Any) -> None:
    score, expected = SCHEMES[case["scheme"]], case["expected"]
    if "error" in expected:
        with pytest.raises(ArgueBenchError):
            score(case["input"])
        return
    found = score(case["input"])
    if case["scheme"] == "facts-grounding":
        variant = expected["variant_all_judges_must_find_eligible"]
        expected = {
            "unadjusted": expected["unadjusted"],
            "final": expected["final"],
            "any": variant["final"],
        }
    expected = {key: value for key, value in expected.items() if key != "parsed"}
    same(found, expected)


# ---- support

LEVELS = {"FS": "full", "PS": "partial", "NS": "no", "ERR": None}


@pytest.mark.parametrize("case", parameters(FOLDER, "support.json", cases_of))
def test_support_is_counted_as_each_program_does(case: Any) -> None:
    labels = [[LEVELS[one["label"]] for one in row] for row in case["sentences"]]
    expected = case["expected"]
    if (trec := expected["trec2024_first_citation"]) is not None:
        precision, recall = support.first_citation(labels)
        found = {"weighted_precision": precision.value, "weighted_recall": recall.value}
        same(found, trec)
    if (variants := expected["all_and_first_variants"]) is not None:
        ways = {
            "weighted_{}_first_citation": support.first_citation,
            "weighted_{}_all_judged_citations": support.all_citations,
            "hard_{}": support.hard,
        }
        # RAGDoll gives 0 where there is nothing to divide by.
        found = {
            name.format(side): tally.value or 0.0
            for name, count in ways.items()
            for side, tally in zip(("precision", "recall"), count(labels), strict=True)
        }
        same({**found, "sentences": len(labels)}, variants)
    if (other := expected["open_rag_eval"]) is not None:
        parts = [[(one["docid"], LEVELS[one["label"]]) for one in row] for row in case["sentences"]]
        same(support.open_rag_eval(parts, case["passages_missing"]), other["scores"])


# ---- UMBRELA and retrieval

IR_MEASURES = {
    "RR(rel=2)": "mrr",
    "AP(rel=2)": "ap",
    "P(rel=2)@3": "precision@3",
    "R(rel=2)@100": "recall@100",
    "nDCG@10": "ndcg@10",
    "nDCG@30": "ndcg@30",
    "Judged@10": "judged@10",
}


@pytest.mark.parametrize("case", parameters(FOLDER, "umbrela.json", cases_of))
def test_grades_are_read_and_measured_as_umbrela_does(case: Any) -> None:
    expected = case["expected"]
    if case["step"] == "parse":
        grade = umbrela.read_grade(case["reply"])
        same({"grade": grade or 0, "valid": int(grade is not None)}, expected)
        return
    qrels: dict[str, dict[str, int]] = {}
    for topic, id, grade in case["qrels"]:
        qrels.setdefault(topic, {})[id] = grade
    run: dict[str, dict[str, float]] = {}
    for topic, id, score in case["run"]:
        run.setdefault(topic, {})[id] = score
    found = measure(run, qrels, tuple(IR_MEASURES.values()), relevant=RELEVANT)
    for topic, values_of in expected["per_topic"].items():
        same({name: found[IR_MEASURES[name]][topic] for name in values_of}, values_of, topic)
    topics = expected["per_topic"]
    means = {
        name: fmean(found[IR_MEASURES[name]][topic] for topic in topics) for name in expected["all"]
    }
    same(means, expected["all"])


@pytest.mark.parametrize("case", parameters(FOLDER, "umbrela_retrieval.json", cases_of))
def test_rankings_are_measured_as_open_rag_eval_does(case: Any) -> None:
    found = umbrela.ranked_measures(case["grades_in_rank_order"], case["k"])
    same(found or None, case["expected"])


# ---- nuggets


class Script:
    """A model that says its replies in turn, the last without end, and remembers how it was called."""

    def __init__(self, replies: list[Any], calls: list[dict[str, Any]], step: str) -> None:
        self.calls, self.step, self.count = calls, step, 0
        self.replies = [
            reply
            for one in replies
            for reply in (
                [one["text"]] * one["times"] if isinstance(one, dict) and "times" in one else [one]
            )
        ]

    def __call__(self, call: Any) -> str:
        row: dict[str, Any] = {"step": self.step, "temperature": call.temperature}
        if isinstance(call, nuggetizer.CreateCall):
            row |= {
                "max_in_prompt": call.most,
                "numbered_passages": len(call.passages),
                "first_label": "1",
                "initial_length": len(call.nuggets),
            }
        else:
            row["count_in_prompt"] = len(call.nuggets)
        if self.calls and {**self.calls[-1], "times": 0} == {**row, "times": 0}:
            self.calls[-1]["times"] += 1
        else:
            self.calls.append({**row, "times": 1})
        reply = self.replies[min(self.count, len(self.replies) - 1)]
        self.count += 1
        if isinstance(reply, dict):
            raise RuntimeError(reply["raise"])
        return str(reply)


def created(case: Any) -> dict[str, Any]:
    calls: list[dict[str, Any]] = []
    create = Script(case["creator_replies"], calls, "create")
    score = Script(case["scorer_replies"], calls, "score")
    passages = [f"passage {n}" for n in range(case["documents"])]
    given = case["options"]
    both = given.get("window_size", nuggetizer.WINDOW)
    nuggets = nuggetizer.create_nuggets(
        passages,
        create,
        score,
        given.get("max_nuggets", given.get("creator_max_nuggets", nuggetizer.MOST)),
        given.get("creator_window_size", both),
        given.get("scorer_window_size", both),
    )
    return {
        "nuggets": nuggets,
        "calls": calls,
        "n_calls": {"create": create.count, "score": score.count},
    }


def assigned(case: Any) -> dict[str, Any]:
    calls: list[dict[str, Any]] = []
    assign = Script(case["assigner_replies"], calls, "assign")
    given = case["options"]
    window = given.get("window_size", given.get("assigner_window_size", nuggetizer.WINDOW))
    nuggets = nuggetizer.assign_nuggets(case["nuggets"], case["context"], assign, window)
    scores = nuggetizer.nugget_scores(nuggets)
    return {"nuggets": nuggets, "scores": scores, "calls": calls, "n_calls": assign.count}


def created_in_batch(case: Any) -> dict[str, Any]:
    calls: list[dict[str, Any]] = []
    done = nuggetizer.create_in_batch(
        case["records"],
        [json.loads(line) for line in case["existing_output"].splitlines() if line.strip()],
        Script(case["creator_replies"], calls, "create"),
        Script(case["scorer_replies"], calls, "score"),
        case["min_judgment"],
    )
    return {
        "counts": counts_of(done, "generated_records"),
        "output_lines": done.lines,
        "passages_per_create_call": [
            row["numbered_passages"] for row in calls if row["step"] == "create"
        ],
    }


def assigned_in_batch(case: Any) -> dict[str, Any]:
    assign = Script(case["assigner_replies"], [], "assign")
    done = nuggetizer.assign_in_batch(
        case["nugget_lines"],
        case["answer_lines"],
        Path(case["answer_file_name"]).stem,
        [json.loads(line) for line in case["existing_output"].splitlines() if line.strip()],
        assign,
    )
    return {
        "counts": counts_of(done, "assigned_records"),
        "output_lines": done.lines,
        "global": nuggetizer.global_scores(done.lines) if done.lines else None,
        "n_calls": assign.count,
    }


def counts_of(done: nuggetizer.BatchResult, name: str) -> dict[str, int]:
    return {
        "attempted_records": done.attempted,
        name: done.done,
        "skipped_records": done.skipped,
        "failed_records": done.failed,
    }


STEPS: dict[str, Callable[[Any], Any]] = {
    "create": created,
    "assign": assigned,
    "metrics": lambda case: nuggetizer.global_scores(case["records"]),
    "batch_create": created_in_batch,
    "batch_assign": assigned_in_batch,
}


@pytest.mark.parametrize("case", parameters(FOLDER, "nuggetizer.json", cases_of))
def test_nuggets_are_made_and_assigned_as_nuggetizer_does(case: Any) -> None:
    step, expected = STEPS[case["step"]], case["expected"]
    if "error" in expected:
        with pytest.raises(ArgueBenchError):
            step(case)
        return
    found = step(case)
    same({key: found[key] for key in expected}, expected)


def open_rag(case: Any) -> dict[str, Any]:
    if case["step"] == "scores":
        return nuggetizer.open_rag_scores(case["labels"], case["assignments"])
    asked: list[Any] = []
    replies = case["label_replies" if case["step"] == "select" else "replies"]

    def ask(given: Any) -> Any:
        asked.append(list(given))
        return replies[min(len(asked), len(replies)) - 1]

    if case["step"] == "select":
        pairs = nuggetizer.open_rag_select(case["nuggets"], ask)
        nuggets, labels = [text for text, _ in pairs], [label for _, label in pairs]
        return {"nuggets": nuggets, "labels": labels, "calls": len(asked)}
    made = nuggetizer.open_rag_create(case["umbrela"], ask, case["max_nuggets"])
    return {"nuggets": made, "calls": len(asked), "passages_per_call": asked}


@pytest.mark.parametrize("case", parameters(FOLDER, "open_rag_nuggets.json", cases_of))
def test_nuggets_are_chosen_and_scored_as_open_rag_eval_does(case: Any) -> None:
    if "error" in case["expected"]:
        with pytest.raises(ArgueBenchError):
            open_rag(case)
        return
    same(open_rag(case), case["expected"])


# ---- trec-auto-judge


def of_kind(*kinds: str) -> Callable[[Path], Iterator[tuple[str, Any]]]:
    def expand(path: Path) -> Iterator[tuple[str, Any]]:
        yield from ((name, case) for name, case in cases_of(path) if case["kind"] in kinds)

    return expand


@pytest.mark.parametrize("case", parameters(FOLDER, "autojudge_formats.json", of_kind("annotate")))
def test_graded_nuggets_are_scored_as_the_annotation_tool_does(case: Any) -> None:
    given = case["input"]
    enabled = given.get("enabled", {})
    for topic, runs in case["expected"]["per_topic"].items():
        nuggets = importance_of(given["banks"].get(topic), enabled)
        for run, expected in runs.items():
            grades = given["grades"].get(topic, {}).get(run, {})
            found = annotate.score_grades(nuggets, grades, given["weights"])
            simple = {
                "score": found.score,
                "satisfied": found.satisfied,
                "partial": found.partial,
                "total": found.total,
            }
            detailed = {
                "avg": found.average,
                "max": found.best,
                "percent": found.percent,
                "score": found.score,
                "total": found.total,
            }
            same({"simple": simple, "detailed": detailed}, expected, f"{topic} {run}")


def graded(given: Any) -> dict[str, dict[str, annotate.GradedReport]]:
    """Topic to run to report; the reports are those that were graded where the case lists none."""
    enabled = given.get("enabled", {})
    found: dict[str, dict[str, annotate.GradedReport]] = {}
    reports = given.get("reports", given["grades"])
    # A topic without a bank counts 0 in the mean of a run that reports on it.
    for topic in dict.fromkeys((*given["banks"], *reports)):
        nuggets = importance_of(given["banks"].get(topic), enabled)
        grades = given["grades"].get(topic, {})
        found[topic] = {
            run: annotate.score_grades(nuggets, grades.get(run, {}), given["weights"])
            for run in reports.get(topic, {})
        }
    return found


def importance_of(bank: Any, enabled: Mapping[str, bool]) -> list[tuple[str, Any]]:
    """Id and importance of each nugget that is not switched off."""
    return [
        (one["nugget_id"], one.get("importance"))
        for one in (bank or {}).get("nuggets") or ()
        if enabled.get(one["nugget_id"]) is not False
    ]


@pytest.mark.parametrize("case", parameters(FOLDER, "autojudge_formats.json", of_kind("annotate")))
def test_graded_runs_are_ranked_and_exported_as_the_annotation_tool_does(case: Any) -> None:
    given, expected = case["input"], case["expected"]
    ranking = [
        {
            "runId": one.run,
            "avg": one.average,
            "max": one.best,
            "percent": one.percent,
            "score": one.score,
            "topicCount": one.topics,
            "total": one.total,
            "satisfied": one.satisfied,
            "partial": 0,
        }
        for one in annotate.rank_runs(graded(given))
    ]
    same(ranking, expected["ranking"])
    collection = next((line["test_collection"] for line in expected["export"]), None)
    lines = [
        annotated_banks.exported_bank(topic, bank.get("nuggets") or (), collection)
        for topic, bank in given["banks"].items()
    ]
    same([line for line in lines if line is not None], expected["export"])


@pytest.mark.parametrize(
    "case", parameters(FOLDER, "autojudge_formats.json", of_kind("nugget_bank_read"))
)
def test_banks_that_the_package_refuses_are_refused(case: Any, tmp_path: Path) -> None:
    """nuggetizer's own "failed" is read here with a warning: the importance is then not known."""
    given = case["input"]
    file = tmp_path / given["file_name"]
    file.write_text(given["text"], encoding="utf-8")
    failed = '"importance":"failed"' in given["text"].replace(" ", "")
    if "error" in case["expected"] and not failed:
        with pytest.raises(ArgueBenchError):
            read_topics(file)
        return
    topics, _ = read_topics(file)
    assert topics


@pytest.mark.parametrize(
    "case", parameters(FOLDER, "autojudge_formats.json", of_kind("leaderboard_read"))
)
def test_leaderboards_are_read_as_the_package_does(case: Any, tmp_path: Path) -> None:
    given = case["input"]
    file = tmp_path / given["file_name"]
    file.write_text(given["text"], encoding="utf-8")
    if "error" in case["expected"]:
        with pytest.raises(ArgueBenchError):
            read_scores(file, given["format"])
        return
    expected = {
        (run, topic, measure): float(value)
        for run, topic, values_of in case["expected"]["entries"]
        for measure, value in values_of.items()
    }
    rows = rows_of_scores(read_scores(file, given["format"]))
    same({(row.run, row.topic, row.measure): row.value for row in rows}, expected)


@pytest.mark.parametrize(
    "case", parameters(FOLDER, "autojudge_formats.json", of_kind("qrels_read"))
)
def test_qrels_are_read_and_no_line_is_dropped(case: Any, tmp_path: Path) -> None:
    """The package drops short lines and digits behind the point, and keeps two labels of one document,
    all without a word; here those are errors.
    """
    file = tmp_path / "judge.qrels.txt"
    file.write_text(case["input"]["text"], encoding="utf-8")
    rows = [row for row in map(str.split, case["input"]["text"].splitlines()) if row]
    odd = any(len(row) != 4 or re.search(r"\.\d*[1-9]", row[3]) for row in rows)
    given = case["expected"].get("rows", [])
    two = len({(topic, id) for topic, id, _ in given}) < len({tuple(row) for row in given})
    if "error" in case["expected"] or odd or two:
        with pytest.raises(ArgueBenchError):
            read_qrels(file)
        return
    expected = {(topic, id): grade for topic, id, grade in case["expected"]["rows"]}
    found = read_qrels(file)
    same({(topic, id): g for topic, rows in found.items() for id, g in rows.items()}, expected)


@pytest.mark.parametrize(
    "case", parameters(FOLDER, "autojudge_formats.json", of_kind("leaderboard_write"))
)
def test_leaderboards_are_written_as_the_package_does(case: Any) -> None:
    given = case["input"]
    rows = [leaderboards.BoardRow(*row) for row in given["rows"]]

    def text() -> str:
        done = leaderboards.complete_rows(
            rows, given["measures"], given["expected_topic_ids"], given["on_missing"]
        )
        return leaderboards.board_text(done, given["measures"], given["format"])

    if "error" in case["expected"]:
        with pytest.raises(ArgueBenchError):
            text()
        return
    assert text() == case["expected"]["file"]


@pytest.mark.parametrize(
    "case", parameters(FOLDER, "autojudge_formats.json", of_kind("qrels_write"))
)
def test_qrels_are_written_as_the_package_does(case: Any, tmp_path: Path) -> None:
    """A blank in an id, which makes a line that nothing can read, is an error here."""
    given, file = case["input"], tmp_path / "judge.qrels.txt"
    labels = [autojudge_files.DocumentGrade(*record) for record in given["records"]]
    blank = any(" " in one.document or " " in one.topic for one in labels)
    if "error" in case["expected"] or blank:
        with pytest.raises(ArgueBenchError):
            write_qrels(file, autojudge_files.unique_grades(labels, given["on_duplicate"]))
        return
    write_qrels(file, autojudge_files.unique_grades(labels, given["on_duplicate"]))
    assert file.read_text(encoding="utf-8") == case["expected"]["file"]


@pytest.mark.parametrize(
    "case", parameters(FOLDER, "autojudge_formats.json", of_kind("qrels_verify"))
)
def test_qrels_that_the_package_refuses_are_refused(case: Any) -> None:
    labels = [autojudge_files.DocumentGrade(*row) for row in case["input"]["rows"]]
    verify(case, lambda: autojudge_files.check_grades(labels, case["input"]["expected_topic_ids"]))


@pytest.mark.parametrize(
    "case", parameters(FOLDER, "autojudge_formats.json", of_kind("nugget_bank_verify"))
)
def test_sets_of_banks_that_the_package_refuses_are_refused(case: Any) -> None:
    given = case["input"]
    nugget = {"question": "When?"}
    banks = {
        topic: autojudge_files.make_bank(topic, "", [] if topic in given["empty"] else [nugget])
        for topic in given["topics"]
    }
    verify(case, lambda: autojudge_files.check_banks(banks, given["expected_topic_ids"]))


def verify(case: Any, check: Callable[[], None]) -> None:
    if "error" in case["expected"]:
        with pytest.raises(ArgueBenchError):
            check()
    else:
        check()


@pytest.mark.parametrize(
    "case", parameters(FOLDER, "autojudge_formats.json", of_kind("nugget_bank_v3"))
)
def test_banks_are_made_as_the_package_does(case: Any, tmp_path: Path) -> None:
    given = case["input"]
    bank = autojudge_files.make_bank(
        given["query_id"], given["title_query"], given.get("questions", ()), given.get("claims", ())
    )
    same(bank, case["expected"]["line"])
    same(autojudge_files.flat_view(bank), case["expected"]["flat_view"])
    file = tmp_path / "judge.nuggets.jsonl"
    file.write_text(json.dumps(bank) + "\n", encoding="utf-8")
    assert list(read_topics(file)[0]) == [bank["query_id"]]


# ---- track-veil


@pytest.mark.parametrize("case", parameters(FOLDER, "track_veil.json", cases_of))
def test_the_layout_of_a_file_is_guessed_as_track_veil_does(case: Any) -> None:
    guess = likely_layout(case["lines"])
    found = {
        "format": guess.format,
        "confidence": guess.confidence,
        "run_id_columns": list(guess.run_columns),
    }
    assert found == case["expected"]


def veiled(path: Path) -> Iterator[tuple[str, Any]]:
    yield path.stem, read(path)


@pytest.mark.parametrize("case", parameters(FOLDER, "track_veil_example.json", veiled))
def test_a_veiled_folder_has_the_runs_scores_and_forms_that_it_had(
    case: Any, tmp_path: Path
) -> None:
    """Pseudonyms are random, so runs are paired by the places of their lines."""
    before = veil_folder(case["input_files"], tmp_path / "before")
    after = veil_folder(case["output_files"], tmp_path / "after")
    names = {
        old.run: new.run
        for old, new in zip(before.forms.values(), after.forms.values(), strict=True)
    }
    teams = {
        old.team: new.team
        for old, new in zip(before.forms.values(), after.forms.values(), strict=True)
    }
    assert len(set(names.values())) == case["counts"]["runs_anonymized"]
    assert len(set(teams.values())) == case["counts"]["teams_anonymized"]
    for old, new in zip(before.forms.values(), after.forms.values(), strict=True):
        assert (old.priority, new.email) == (new.priority, ""), (
            "an address that was removed is none"
        )
    same({(names[run], *rest): value for (run, *rest), value in before.scores}, dict(after.scores))
    assert {names[run]: topics for run, topics in before.runs.items()} == after.runs


class SubmissionForm(NamedTuple):
    """NIST's form of a run (``*.jl``)."""

    run: str
    team: str
    email: str
    priority: str


@dataclass(frozen=True)
class Veiled:
    forms: Mapping[str, SubmissionForm]
    scores: list[tuple[tuple[str, ...], float]]
    runs: dict[str, set[str]]


def veil_folder(files: Mapping[str, str], folder: Path) -> Veiled:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    forms: dict[str, SubmissionForm] = {}
    for path in sorted(folder.glob("metadata/*/*")):
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            email = row["email"].replace("[REDACTED]", "")
            name, priority = row["runtag"], row["std-priority"]
            forms[name] = SubmissionForm(name, row["org"], email, priority)
    scores = []
    for path in sorted(folder.glob("eval/*/*")):
        layout = likely_layout(path.read_text(encoding="utf-8").splitlines()).format
        rows = rows_of_scores(read_scores(path, layout))
        scores += [((row.run, row.topic, row.measure), row.value) for row in rows]
    runs: dict[str, set[str]] = {}
    for path in sorted(folder.glob("runs/*/*")):
        for (_, run), topics in check_run(path, "plain").runs.items():
            runs[run] = topics
    return Veiled(forms, scores, runs)
