"""FanOutQA's own scorer and ours, number by number (Zhu et al. 2024; vectors/fanoutqa).

``edge_cases.json``: single strings; ``answers_X.jsonl`` with ``expected_X.json``: whole answer files over
the real dev questions. These figures are of the scorer with a table of lemmas (``rules=fanoutqa-lookup``);
``model_X.json`` holds those of the released program, with spaCy's model (``rules=fanoutqa``). Where the
reference raises, we raise one of our errors.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from argue_bench import load
from argue_bench.errors import ArgueBenchError
from argue_bench.eval import Report, evaluate
from argue_bench.loaders.dataset import Dataset
from argue_bench.published.fanoutqa import accuracy as fanoutqa
from argue_bench.records.question import as_text, freeze
from argue_bench.text.overlap import porter_stems, rouge_l, rouge_n
from tests.agreement.vectors import parameters, read
from tests.shared import SHARED, shared

DEV = ("data", "fanoutqa", "dev.json")
METRICS = ("accuracy(rules=fanoutqa-lookup)", "rouge")
PARTS = {"p": "precision", "r": "recall", "f": "fscore"}
NAMES = {name: name for name in ("precision", "recall", "fscore")} | PARTS


def _edges(section: str) -> Any:
    def expand(path: Path) -> Iterator[tuple[str, Any]]:
        cases = read(path).get(section, [])
        named = cases.items() if isinstance(cases, Mapping) else enumerate(cases)
        for name, case in named:
            yield f"{section}-{name}", case

    return expand


def _result(case: Mapping[str, Any]) -> Any:
    """The figures of a case, or the error in their place."""
    return next((case[key] for key in ("result", "expected", "out") if key in case), case)


def _raises(case: Mapping[str, Any]) -> bool:
    """Whether the reference raised: the case then holds the type of its error."""
    result = _result(case)
    if not isinstance(result, Mapping):
        return True
    return bool(case.get("error") or result.get("error") or result.get("raises"))


def _close(ours: float | None, theirs: float) -> bool:
    return ours is not None and math.isclose(ours, theirs, rel_tol=0, abs_tol=1e-9)


@pytest.mark.parametrize("case", parameters("fanoutqa", "edge_cases.json", _edges("normalize")))
def test_normal_form(case: dict[str, Any]) -> None:
    if "error" in case or not isinstance(case["out"], str):
        with pytest.raises(ArgueBenchError):
            fanoutqa.normal(case["in"], "table")
    else:
        assert fanoutqa.normal(case["in"], "table") == case["out"]


@pytest.mark.parametrize("case", parameters("fanoutqa", "edge_cases.json", _edges("accuracy")))
def test_accuracy(case: dict[str, Any]) -> None:
    gold, candidate = freeze(case["reference"]), case["candidate"]
    if _raises(case):
        with pytest.raises(ArgueBenchError):
            fanoutqa.answer_in_text(gold, candidate, "table")
        return
    found, wanted = fanoutqa.answer_in_text(gold, candidate, "table"), case["result"]
    assert found.found == wanted["found"]
    assert _close(found.score, wanted["score"])
    assert list(found.missing) == wanted["missing"]


@pytest.mark.parametrize("case", parameters("fanoutqa", "edge_cases.json", _edges("rouge")))
def test_rouge(case: dict[str, Any]) -> None:
    wanted = porter_stems(as_text(freeze(case["reference"])))
    given = porter_stems(case["candidate"])
    ours = {
        "rouge1": rouge_n(wanted, given, 1),
        "rouge2": rouge_n(wanted, given, 2),
        "rougeL": rouge_l(wanted, given),
    }
    for kind, parts in case["result"].items():
        for part, value in parts.items():
            assert _close(getattr(ours[kind], NAMES[part]), value), (kind, part)


@cache
def _dev() -> Dataset:
    return load("fanoutqa", "dev", SHARED.joinpath(*DEV))


def _over_dev(only: int | None = None) -> Dataset:
    shared(*DEV)
    dev = _dev()
    return dev if only is None else Dataset(dev.name, dev.split, dev.questions[:only])


@pytest.mark.parametrize(
    "case", parameters("fanoutqa", "edge_cases.json", _edges("scorer_first3_dev"))
)
def test_scorer_over_three_questions(case: dict[str, Any]) -> None:
    dev = _over_dev(3)
    answers = case.get("answers", case.get("in"))
    options = {**case, **case.get("options", {})}
    only = any(options.get(key) for key in ("only_score_answered", "only_answered"))
    if _raises(case) or not _plain(answers, dev):
        # Unknown and repeated ids are ours to refuse; the reference drops or overwrites in silence.
        with pytest.raises(ArgueBenchError):
            evaluate(dev, answers, METRICS, only_answered=only)
        return
    _same(evaluate(dev, answers, METRICS, only_answered=only), _result(case))


def _plain(answers: Any, dev: Dataset) -> bool:
    """Whether the answers are a list of objects, with known ids, each once."""
    if not isinstance(answers, list) or not all(isinstance(row, dict) for row in answers):
        return False
    ids = [row.get("id") for row in answers]
    return len(set(ids)) == len(ids) and all(id in dev.by_id for id in ids)


def _same(report: Report, wanted: Mapping[str, Any]) -> None:
    for name in ("loose", "strict"):
        if name in wanted.get("acc", {}):
            assert _close(report.value(f"accuracy.{name}"), wanted["acc"][name]), name
    for kind, parts in wanted.get("rouge", {}).items():
        for part, value in parts.items():
            ours = report.value(f"rouge.{kind}_{NAMES[part]}")
            assert _close(ours, value), (kind, part)


def _pairs(path: Path) -> Iterator[tuple[str, tuple[Path, str | None]]]:
    """The figures of an expected file: overall, and each of its questions."""
    label = path.stem.removeprefix("expected_")
    yield f"{label}-overall", (path, None)
    for id in read(path)["per_question"]:
        yield f"{label}-{id}", (path, id)


@cache
def _report(path: Path) -> tuple[Report, Mapping[str, Any]]:
    expected = read(path)
    answers = read(path.with_name(path.name.replace("expected_", "answers_") + "l"))
    dev = _over_dev()
    only = expected["overall"]["n"] != len(dev)
    return evaluate(dev, answers, METRICS, only_answered=only), expected


@pytest.mark.parametrize("case", parameters("fanoutqa", "expected_*.json", _pairs))
def test_answers(case: tuple[Path, str | None]) -> None:
    shared(*DEV)
    path, id = case
    report, expected = _report(path)
    if id is None:
        assert report.n == expected["overall"]["n"]
        _same(report, expected["overall"])
        return
    tallies = report.per_question[id]
    accuracy, rouge = tallies[METRICS[0]], tallies[METRICS[1]]
    assert accuracy is not None
    assert rouge is not None
    wanted = expected["per_question"][id]
    loose = wanted["acc"]["loose"] if isinstance(wanted["acc"], Mapping) else wanted["acc"]
    assert _close(accuracy["loose"].value, loose)
    for kind, parts in wanted["rouge"].items():
        for part, value in parts.items():
            assert _close(rouge[f"{kind}_{NAMES[part]}"].value, value), (kind, part)


def _rows(path: Path) -> Iterator[tuple[str, tuple[Path, str | None]]]:
    """The figures of a model file: overall, and each of its questions."""
    label = path.stem.removeprefix("model_")
    yield f"{label}-overall", (path, None)
    for row in read(path)["rows"]:
        yield f"{label}-{row['id']}", (path, row["id"])


@cache
def _model_report(path: Path) -> tuple[Report, Mapping[str, Any], Mapping[str, str]]:
    """Our report over the dev questions, the rows of the released program, and the answers."""
    answers = read(path.with_name(path.name.replace("model_", "answers_") + "l"))
    rows = {row["id"]: row for row in read(path)["rows"]}
    report = evaluate(_over_dev(), answers, ["accuracy(rules=fanoutqa)"])
    return report, rows, {answer["id"]: answer["answer"] for answer in answers}


@pytest.mark.parametrize("case", parameters("fanoutqa", "model_*.json", _rows))
def test_answers_with_the_model(case: tuple[Path, str | None]) -> None:
    shared(*DEV)
    path, id = case
    report, rows, answers = _model_report(path)
    if id is None:
        overall = read(path)["overall"]
        for name in ("loose", "strict"):
            assert _close(report.value(f"accuracy.{name}"), overall[name])
        assert len(rows) == report.n
        return
    (tallies,) = report.per_question[id].values()
    assert tallies is not None
    assert rows[id]["answered"] == (id in answers)
    assert _close(tallies["loose"].value, rows[id]["loose"])
    assert _close(tallies["strict"].value, rows[id]["strict"])
    if rows[id]["answered"]:
        gold = _dev().question(id).gold
        assert gold is not None
        found = fanoutqa.answer_in_text(gold.answer, answers[id])
        assert list(found.missing) == rows[id]["missing"]
