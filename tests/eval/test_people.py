"""Scores corrected by what people said: which labels count, which do not, and what is said of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import argue_bench as ab
from argue_bench.errors import DataError, UnknownName, UsageError
from argue_bench.eval.run import read_reports
from argue_bench.judges.labels import read_all_labels
from argue_bench.records import (
    Failed,
    JudgeRequest,
    NeedsCitation,
    Refuses,
    SupportLevel,
    Verdict,
    request_to_json,
)
from argue_bench.stats.prediction_powered import corrected_mean

N = 80
PARTS = ("North", "East", "South", "West")
KEY = "faithfulness.supported"


def rows(n: int = N, system: str = "a") -> list[dict[str, Any]]:
    """Answers of four sentences; a sentence names its answer's number and its part."""
    return [
        {
            "id": f"q{at:03d}",
            "question": f"What of {at}?",
            "contexts": [f"All about {at}."],
            "answer": " ".join(f"The part {system} {at} {part} holds." for part in PARTS),
        }
        for at in range(n)
    ]


def place_of(request: SupportLevel) -> tuple[int, int]:
    _, _, _, at, part, _ = request.sentence.split()
    return int(at), PARTS.index(part)


def people_say(request: JudgeRequest) -> Verdict:
    """Of answer k, the first k modulo 5 sentences are supported; nobody refuses."""
    if not isinstance(request, SupportLevel):
        return Verdict("no")
    at, place = place_of(request)
    return Verdict("full" if place < at % 5 else "no")


def kind_judge(request: JudgeRequest) -> Verdict | Failed:
    """Supports one sentence more than people do, on every second answer."""
    if not isinstance(request, SupportLevel):
        return Verdict("no")
    at, place = place_of(request)
    return Verdict("full" if place < at % 5 + at % 2 else "no")


def requests_of(
    some: Iterable[str], judge: Callable[[JudgeRequest], Any] = kind_judge, system: str = "a"
) -> list[tuple[str, JudgeRequest]]:
    """The requests of the run on these questions, each after its question."""
    made: list[tuple[str, JudgeRequest]] = []
    wanted = set(some)

    def note(request: JudgeRequest) -> Any:
        text = request.response if isinstance(request, Refuses) else request.sentence  # type: ignore[attr-defined]
        texts = text.split()
        if (id := f"q{int(texts[3]):03d}") in wanted:
            made.append((id, request))
        return judge(request)

    dataset, answers = ab.from_rows(rows(system=system))
    ab.evaluate(dataset, answers, ["faithfulness"], judge=note, resamples=0)
    return made


def write(
    path: Path,
    requests: Iterable[tuple[str, JudgeRequest]],
    say: Callable[[JudgeRequest], Verdict] = people_say,
    **more: str,
) -> Path:
    lines = (
        {"question": id, "ask": request_to_json(one), "verdict": say(one).value, **more}
        for id, one in requests
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def evaluate(labels: Any, judge: Any = kind_judge, system: str = "a", **options: Any) -> ab.Report:
    dataset, answers = ab.from_rows(rows(system=system))
    return ab.evaluate(
        dataset,
        answers,
        ["faithfulness"],
        judge=judge,
        labels=labels,
        **{"resamples": 400, **options},
    )


def ids(numbers: Iterable[int]) -> list[str]:
    return [f"q{at:03d}" for at in numbers]


LABELLED = ids(range(0, 75, 3))
"""Twenty-five questions."""


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("labels") / "anna.jsonl", requests_of(LABELLED))


def test_a_mean_is_corrected_by_what_people_said_of_some_answers(labels: Path) -> None:
    report = evaluate(labels)
    found = report.corrected[KEY]
    at = np.arange(N)
    people, judge = at % 5 / 4, np.minimum(at % 5 + at % 2, 4) / 4
    labelled = np.isin(at, range(0, 75, 3))
    by_hand = corrected_mean(people[labelled], judge[labelled], judge[~labelled])
    assert found.value == pytest.approx(float(by_hand.value))
    assert (found.low, found.high) == pytest.approx((float(by_hand.low), float(by_hand.high)))
    assert found.bias == pytest.approx((judge - people)[labelled].mean())
    assert (found.labelled, found.n, found.method) == (25, 80, "mean")
    assert report.scores[KEY].value == pytest.approx(judge.mean())
    # The truth that the planted people would give of all answers.
    assert found.low < people.mean() < found.high
    assert report.corrected["faithfulness.supported_micro"].method == "bootstrap"
    assert report.signature["faithfulness"]["labels"].endswith(", 25 questions")
    shown = str(report)
    assert "judge bias" in shown
    assert "25 of 80" in shown
    assert report.to_dict()["corrected"][KEY]["value"] == found.value
    assert "judge bias" in report._repr_html_()


def test_where_no_labels_would_halve_the_interval_more_questions_do(labels: Path) -> None:
    """All eighty questions labelled would still leave the spread of eighty questions."""
    report = evaluate(labels)
    assert report.corrected[KEY].halved_by is None
    assert "more questions" in str(report)
    assert not evaluate(labels, resamples=0).corrected


def test_a_run_file_keeps_what_people_said(labels: Path, tmp_path: Path) -> None:
    made = evaluate(labels, out=tmp_path / "a.jsonl")
    [read] = read_reports(tmp_path / "a.jsonl", 400).values()
    assert read.corrected == made.corrected
    assert read.signature == made.signature


def test_a_comparison_corrects_the_difference(labels: Path, tmp_path: Path) -> None:
    """The judge favours the second system, which people find as good as the first."""

    def partial_judge(request: JudgeRequest) -> Any:
        if isinstance(request, SupportLevel) and " b " in request.sentence:
            at, place = place_of(request)
            return Verdict("full" if place < at % 5 + 1 else "no")
        return people_say(request)

    def people_find(request: JudgeRequest) -> Verdict:
        """One sentence less in every fifth answer, one more in another."""
        if not isinstance(request, SupportLevel):
            return Verdict("no")
        at, place = place_of(request)
        more = {1: 1, 3: -1}.get(at % 5, 0)
        return Verdict("full" if place < at % 5 + more else "no")

    others = write(tmp_path / "b.jsonl", requests_of(LABELLED, people_find, "b"), people_find)
    both = [labels, others]
    first, second = (evaluate(both, partial_judge, name) for name in "ab")
    compared = ab.compare(first, second, names=["a", "b"], scores=[KEY], resamples=400)
    [found] = compared.corrected
    assert found.judged == pytest.approx(-0.2)
    assert found.correction.value == pytest.approx(0, abs=0.03)
    assert found.correction.bias == pytest.approx(-0.2, abs=0.03)
    assert found.correction.low is not None
    assert found.correction.low <= 0 <= (found.correction.high or 0)
    assert "judge bias" in str(compared)
    # By the judge's verdicts the second system would stand alone at the top.
    bands = compared.rank_bands()
    assert bands is not None
    assert [row["band"] for row in bands["systems"]] == [1, 1]
    plain = replace(compared, people={}).rank_bands()
    assert plain is not None
    assert [(row["system"], row["band"]) for row in plain["systems"]] == [("b", 1), ("a", 2)]
    assert compared.to_dict()["corrected"][0]["score"] == KEY
    shown = str(compared)
    assert "By the judge: b is better on faithfulness.supported" in shown
    assert "prediction-powered bootstrap: a difference, on the questions labelled for both" in shown
    each = [one.signature["faithfulness"]["labels"] for one in (first, second)]
    assert f"labels of faithfulness: a {each[0]}; b {each[1]}" in shown
    # Where one system has no labels, that is said, and nothing is corrected.
    bare = ab.compare(first, evaluate(None, partial_judge, "b"), names=["a", "b"], scores=[KEY])
    assert not bare.corrected
    assert "faithfulness: no labels of b, so no difference is corrected." in str(bare)
    assert f"labels of faithfulness: a {each[0]}; b none" in str(bare)


@pytest.mark.parametrize(
    ("some", "value", "reason"),
    [
        (ids(range(3)), False, "3 labelled questions say too little: label 20"),
        (ids(range(12)), True, "12 labelled questions give no interval: label 20"),
        (ids(range(4, 80, 5)) + ids(range(3, 40, 10)), True, "only 4 labelled questions differ"),
        (ids(range(0, 80, 4)), True, ""),
    ],
)
def test_few_labels_are_said_with_what_they_still_allow(
    some: list[str], value: bool, reason: str, tmp_path: Path
) -> None:
    report = evaluate(write(tmp_path / "few.jsonl", requests_of(some)))
    found = report.corrected[KEY]
    assert (found.value is not None) == value
    assert found.reason.startswith(reason) if reason else not found.reason
    assert (found.low is None) == bool(reason)
    assert reason in str(report)


def test_a_missing_class_gives_no_interval(tmp_path: Path) -> None:
    """People support everything that they looked at."""
    file = write(
        tmp_path / "all.jsonl",
        requests_of(ids(range(4, 80, 3))),
        lambda one: Verdict("full" if isinstance(one, SupportLevel) else "no"),
    )
    found = evaluate(file).corrected[KEY]
    assert "one value" in found.reason
    assert found.low is None


def test_labels_that_only_people_lead_to_are_asked_for(tmp_path: Path) -> None:
    """The judge sees refusals where people see none: their sentences were never asked about."""

    def sees_refusals(request: JudgeRequest) -> Any:
        if isinstance(request, Refuses) and int(request.response.split()[3]) % 6 == 0:
            return Verdict("yes")
        return kind_judge(request)

    file = write(tmp_path / "gap.jsonl", requests_of(LABELLED, sees_refusals))
    report = evaluate(file, sees_refusals)
    assert report.corrected[KEY].value is None
    assert report.corrected["faithfulness.answered"].value == pytest.approx(1.0)
    # Four sentences of each of 13 questions; of 9 others what people find unsupported and the judge not.
    remark = "people's verdicts lead to 61 requests of 22 questions that nobody labelled"
    assert remark in "".join(report.remarks)
    assert "that nobody labelled" in str(report)
    whole = write(tmp_path / "whole.jsonl", requests_of(LABELLED))
    assert evaluate([file, whole], sees_refusals).corrected[KEY].labelled == 25


def test_skipped_requests_leave_their_question_out(tmp_path: Path) -> None:
    some = requests_of(LABELLED)
    last = [one for one in some if isinstance(one[1], SupportLevel)][-2:]
    some = [one for one in some if one not in last]
    report = evaluate(write(tmp_path / "skipped.jsonl", some))
    assert report.corrected[KEY].labelled == 24
    assert "2 requests of 1 questions have no label" in "".join(report.remarks)


def test_labels_of_other_texts_and_requests_are_told_apart(labels: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "b.jsonl", requests_of(ids([1, 2]), system="b"))
    stray = tmp_path / "stray.jsonl"
    ask = request_to_json(Refuses("Who?", "Nobody knows."))
    stray.write_text(json.dumps({"ask": ask, "verdict": "yes"}) + "\n")
    report = evaluate([labels, other, stray])
    assert report.corrected[KEY].labelled == 25
    assert report.remarks[:2] == (
        f"{len(requests_of(ids([1, 2]), system='b'))} labels are of other texts than this run's "
        "answers to their questions",
        "1 labels are of requests that this run never made",
    )


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        (NeedsCitation("It holds."), "one verdict of NeedsCitation, and none of these scores is"),
        (Refuses("Who?", "Nobody knows."), "1 labels of this kind say too little: give 20"),
    ],
)
def test_labels_that_correct_nothing_say_why(
    request_: JudgeRequest, reason: str, tmp_path: Path
) -> None:
    stray = tmp_path / "stray.jsonl"
    stray.write_text(json.dumps({"ask": request_to_json(request_), "verdict": "yes"}) + "\n")
    said = str(evaluate(stray))
    assert "No score is corrected by these labels." in said
    assert reason in said


def test_several_people_decide_by_majority(labels: Path, tmp_path: Path) -> None:
    requests = requests_of(LABELLED)

    def stubborn(request: JudgeRequest) -> Verdict:
        return Verdict("no")

    files = [labels, *(write(tmp_path / f"{name}.jsonl", requests) for name in ("ben", "cai"))]
    alone = evaluate(labels).corrected[KEY]
    outvoted = [*files, write(tmp_path / "dan.jsonl", requests, stubborn)]
    report = evaluate(outvoted)
    assert report.corrected[KEY] == alone
    assert report.signature["faithfulness"]["labels"].endswith("25 questions, 4 people")
    assert any("Krippendorff's alpha of SupportLevel" in remark for remark in report.remarks)
    tied = evaluate([labels, outvoted[-1]])
    assert "have no majority" in "".join(tied.remarks)


def test_one_person_must_not_contradict_herself(tmp_path: Path) -> None:
    requests = requests_of(["q001"])
    path = write(tmp_path / "twice.jsonl", requests)
    second = path.read_text().replace('"full"', '"partial"')
    path.write_text(path.read_text() + second)
    with pytest.raises(DataError) as error:
        evaluate(path)
    assert [str(one.code) for one in error.value.findings] == ["labels-disagree"]
    assert error.value.findings[0].line == 9


def test_labels_of_another_set_calibrate_the_judge(tmp_path: Path) -> None:
    """Every judgment is the same kind judge's; its error on other texts is carried over."""
    elsewhere = [
        request
        for _, request in requests_of(ids(range(40)), system="b")
        if isinstance(request, SupportLevel)
    ]
    report = evaluate(write(tmp_path / "other.jsonl", [("", one) for one in elsewhere]))
    found = report.corrected[KEY]
    assert (found.method, found.labelled) == ("calibration", 160)
    at = np.arange(N)
    truth, seen = (at % 5 / 4).mean(), (np.minimum(at % 5 + at % 2, 4) / 4).mean()
    # Of 80 unsupported sentences of the other set the judge supports 16; no supported one is missed.
    assert found.value == pytest.approx((seen - 0.2) / 0.8)
    assert found.low is not None
    assert found.low < truth < (found.high or 0)
    assert report.signature["faithfulness"]["labels"].endswith(", other texts")
    assert "sensitivity and specificity" in str(report)
    assert found.bias == pytest.approx(seen - found.value)


def test_what_people_said_without_the_context_counts_too(labels: Path, tmp_path: Path) -> None:
    """A judge that reads no neighbours of a sentence is asked without them, and so are people."""
    bare = [(id, request.without_context()) for id, request in requests_of(LABELLED)]
    file = write(tmp_path / "bare.jsonl", bare)
    assert evaluate(file).corrected[KEY] == evaluate(labels).corrected[KEY]


def test_few_labels_of_another_set_correct_nothing(tmp_path: Path) -> None:
    some = [request for _, request in requests_of(ids(range(3)), system="b")]
    report = evaluate(write(tmp_path / "other.jsonl", [("", one) for one in some]))
    assert report.corrected[KEY].value is None
    assert "12 labels of this kind say too little" in report.corrected[KEY].reason


def test_values_of_whole_answers_correct_a_mean(tmp_path: Path) -> None:
    file = tmp_path / "grades.jsonl"
    at = np.arange(0, 75, 3)
    people = {f"q{one:03d}": 0.05 + 0.9 * (one % 5 / 4) for one in at}
    file.write_text(
        "".join(
            json.dumps({"question": id, "score": KEY, "value": value + by / 20, "by": str(by)})
            + "\n"
            for id, value in people.items()
            for by in (-1, 1)
        )
    )
    report = evaluate(file)
    found = report.corrected[KEY]
    every = np.arange(N)
    judge = np.minimum(every % 5 + every % 2, 4) / 4
    labelled = np.isin(every, at)
    by_hand = corrected_mean(
        0.05 + 0.9 * (every[labelled] % 5 / 4), judge[labelled], judge[~labelled]
    )
    assert found.value == pytest.approx(float(by_hand.value))
    assert list(report.corrected) == [KEY]
    assert any("Krippendorff" in remark for remark in report.remarks)
    stray = tmp_path / "stray.jsonl"
    stray.write_text(json.dumps({"question": "q9", "score": KEY, "value": 0.5}) + "\n")
    assert "1 graded questions are not of this run, such as q9" in evaluate([file, stray]).remarks


@pytest.mark.parametrize(
    ("score", "error"),
    [("faithfulness.supported_micro", UsageError), ("citations.recall", UnknownName)],
)
def test_a_value_of_no_mean_is_refused(score: str, error: type[Exception], tmp_path: Path) -> None:
    file = tmp_path / "grades.jsonl"
    file.write_text(json.dumps({"question": "q001", "score": score, "value": 0.5}) + "\n")
    with pytest.raises(error):
        evaluate(file)


def test_questions_that_need_no_verdict_count_at_the_same_rate(tmp_path: Path) -> None:
    """Of 80 answers 20 are empty: a quarter of them counts where a quarter of the others is labelled."""
    given = rows()
    for row in given[60:]:
        row["answer"] = " "
    dataset, answers = ab.from_rows(given)
    file = write(tmp_path / "labels.jsonl", requests_of(ids(range(0, 60, 2))))
    report = ab.evaluate(
        dataset, answers, ["faithfulness"], judge=kind_judge, labels=file, resamples=300
    )
    empty = len(dataset) - 60
    assert len(report.people) == 30 + round(empty * 30 / 60)


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ({"question": 5, "score": KEY, "value": 0.5}, "question"),
        ({"question": "q1", "score": KEY, "value": "high"}, "value"),
        ({"question": "q1", "score": KEY, "value": 0.5, "by": 3}, "by"),
        (
            {"ask": {"kind": "Refuses", "question": "", "response": ""}, "verdict": "yes", "by": 1},
            "by",
        ),
    ],
)
def test_bad_lines_are_said(line: dict[str, Any], path: str, tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text(json.dumps(line) + "\n")
    with pytest.raises(DataError) as error:
        read_all_labels([file])
    assert (error.value.findings[0].path, error.value.findings[0].line) == (path, 1)


def test_an_empty_file_holds_no_label(tmp_path: Path) -> None:
    file = tmp_path / "labels.jsonl"
    file.write_text("\n")
    with pytest.raises(DataError, match="holds no label"):
        read_all_labels([file])


def test_the_digest_is_of_the_labels_not_of_their_files(labels: Path) -> None:
    one = read_all_labels([labels])
    lines = labels.read_text().splitlines(keepends=True)
    again = labels.with_name("again")
    again.mkdir(exist_ok=True)
    (again / "anna.jsonl").write_text("".join(reversed(lines)))
    assert read_all_labels([again / "anna.jsonl"]).digest == one.digest
