"""Scores corrected by what people said: which labels count, which do not, and what is said of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import argue_bench as ab
from argue_bench.cli import main
from argue_bench.errors import DataError, UnknownName, UsageError
from argue_bench.eval.run import read_reports
from argue_bench.judges.recorded import read_store
from argue_bench.lab import correct
from argue_bench.lab.corrected.prediction_powered import corrected_mean
from argue_bench.lab.labels import read_all_labels
from argue_bench.records import (
    Failed,
    JudgeRequest,
    NeedsCitation,
    Refuses,
    SupportLevel,
    Verdict,
    request_to_json,
)

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


@cache
def _requests(judge: Callable[[JudgeRequest], Any], system: str) -> list[tuple[str, JudgeRequest]]:
    """Every request of a run, each after its question."""
    made: list[tuple[str, JudgeRequest]] = []

    def note(request: JudgeRequest) -> Any:
        text = request.response if isinstance(request, Refuses) else request.sentence  # type: ignore[attr-defined, union-attr, unused-ignore]
        made.append((f"q{int(text.split()[3]):03d}", request))
        return judge(request)

    dataset, answers = ab.from_rows(rows(system=system))
    ab.evaluate(dataset, answers, ["faithfulness"], judge=note)
    return made


def requests_of(
    some: Iterable[str], judge: Callable[[JudgeRequest], Any] = kind_judge, system: str = "a"
) -> list[tuple[str, JudgeRequest]]:
    """The requests of a run on these questions."""
    wanted = set(some)
    return [one for one in _requests(judge, system) if one[0] in wanted]


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


@cache
def judged(judge: Any = kind_judge, system: str = "a") -> Path:
    """The run file of a system's answers, in a folder that goes when the tests end."""
    place = TemporaryDirectory()
    _PLACES.append(place)
    dataset, answers = ab.from_rows(rows(system=system))
    ab.evaluate(dataset, answers, ["faithfulness"], judge=judge, out=Path(place.name) / "run")
    return Path(place.name) / "run"


_PLACES: list[TemporaryDirectory[str]] = []


def corrected(labels: Any, judge: Any = kind_judge, system: str = "a") -> Any:
    """The run of a system, corrected by labels."""
    dataset, _ = ab.from_rows(rows(system=system))
    return correct(judged(judge, system), labels, dataset, resamples=400)


def ids(numbers: Iterable[int]) -> list[str]:
    return [f"q{at:03d}" for at in numbers]


LABELLED = ids(range(0, 75, 3))
"""Twenty-five questions."""


@pytest.fixture(scope="module")
def labels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("labels") / "anna.jsonl", requests_of(LABELLED))


def test_the_run_file_and_the_judges_scores_stay(labels: Path) -> None:
    run = judged()
    dataset, _ = ab.from_rows(rows())
    before = run.read_text()
    made = correct(run, labels, dataset)
    assert run.read_text() == before
    [read] = read_reports(run).values()
    assert read.resampled().scores == made.scores


def test_the_commands_correct_by_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """People contradict the judge on every third sentence."""
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows(30)))

    def run(*words: str) -> str:
        done = CliRunner().invoke(main, list(words))
        assert done.exit_code == 0, done.output
        return done.output

    given = ("-m", "faithfulness", "--out")
    step = "argue-bench view a.run --label --questions 30\n"
    assert step in run("evaluate", "a.jsonl", *given, "a.run")
    asked = [("", one.request) for one in read_store(Path("a.run.verdicts"))]
    said = {one.key: "no" if at % 3 else "full" for at, (_, one) in enumerate(asked)}
    write(
        Path("a.labels"),
        asked,
        lambda one: Verdict(said[one.key] if isinstance(one, SupportLevel) else "no"),
    )
    shown = run("evaluate", "a.jsonl", *given, "a.run", "--labels", "a.labels")
    assert "30 of 30 questions labelled" in shown
    assert step not in shown
    assert " corrects faithfulness by 30 questions" in shown
    words = ("evaluate", "a.jsonl", *given, "a.run", "--labels", "a.labels", "--format", "json")
    found = json.loads(CliRunner().invoke(main, list(words)).stdout)
    by_people = found["corrected"][KEY]
    assert by_people["labelled"] == 30
    value, low, high = (f"{100 * by_people[name]:.1f}" for name in ("value", "low", "high"))
    alone = f"{100 * found['scores'][KEY]['value']:.1f}"
    assert value != alone
    [row] = [one.split() for one in shown.splitlines() if one.startswith(KEY)]
    assert (row[1:5], row[-1]) == ([value, low, "to", high], alone)


def test_questions_that_need_no_verdict_count_at_the_same_rate(tmp_path: Path) -> None:
    """Of 80 answers 20 are empty: a quarter of them counts where a quarter of the others is labelled."""
    given = rows()
    for row in given[60:]:
        row["answer"] = " "
    dataset, answers = ab.from_rows(given)
    ab.evaluate(dataset, answers, ["faithfulness"], judge=kind_judge, out=tmp_path / "run")
    labels = write(tmp_path / "labels.jsonl", requests_of(ids(range(0, 60, 2))))
    report = correct(tmp_path / "run", labels, dataset)
    assert len(report.corrected.people) == 30 + round((len(dataset) - 60) * 30 / 60)


def test_a_file_of_several_systems_is_refused(tmp_path: Path) -> None:
    text = judged().read_text().splitlines()
    rows = [json.loads(line) for line in text[1:]]
    for row in rows[::2]:
        row["answer"]["run"] = "b"
    (tmp_path / "runs").write_text("\n".join([text[0], *map(json.dumps, rows)]) + "\n")
    labels = write(tmp_path / "anna.jsonl", requests_of(LABELLED))
    with pytest.raises(UsageError, match="2 systems"):
        correct(tmp_path / "runs", labels)


def test_a_mean_is_corrected_by_what_people_said_of_some_answers(labels: Path) -> None:
    report = corrected(labels)
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
    assert report.corrected.remarks[0].endswith(" corrects faithfulness by 25 questions")
    assert found.note.startswith("25 of 80 questions labelled, judge bias +")
    assert found.note in str(report)
    assert found.note in report._repr_html_()


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
    report = corrected(write(tmp_path / "few.jsonl", requests_of(some)))
    found = report.corrected[KEY]
    assert (found.value is not None) == value
    assert found.reason.startswith(reason) if reason else not found.reason
    assert (found.low is None) == bool(reason)
    assert reason in str(report)


def test_labels_that_only_people_lead_to_are_asked_for(tmp_path: Path) -> None:
    """The judge sees refusals where people see none: their sentences were never asked about."""

    def sees_refusals(request: JudgeRequest) -> Any:
        if isinstance(request, Refuses) and int(request.response.split()[3]) % 6 == 0:
            return Verdict("yes")
        return kind_judge(request)

    file = write(tmp_path / "gap.jsonl", requests_of(LABELLED, sees_refusals))
    report = corrected(file, sees_refusals)
    assert report.corrected[KEY].value is None
    assert report.corrected["faithfulness.answered"].value == pytest.approx(1.0)
    # Four sentences of each of 13 questions; of 9 others what people find unsupported and the judge not.
    remark = "people's verdicts lead to 61 requests of 22 questions that nobody labelled"
    assert remark in "".join(report.corrected.remarks)
    whole = write(tmp_path / "whole.jsonl", requests_of(LABELLED))
    assert corrected([file, whole], sees_refusals).corrected[KEY].labelled == 25


def test_skipped_requests_leave_their_question_out(tmp_path: Path) -> None:
    some = requests_of(LABELLED)
    last = [one for one in some if isinstance(one[1], SupportLevel)][-2:]
    some = [one for one in some if one not in last]
    report = corrected(write(tmp_path / "skipped.jsonl", some))
    assert report.corrected[KEY].labelled == 24
    assert "2 requests of 1 questions have no label" in "".join(report.corrected.remarks)


def test_labels_of_other_texts_and_requests_are_told_apart(labels: Path, tmp_path: Path) -> None:
    other = write(tmp_path / "b.jsonl", requests_of(ids([1, 2]), system="b"))
    stray = tmp_path / "stray.jsonl"
    ask = request_to_json(Refuses("Who?", "Nobody knows."))
    stray.write_text(json.dumps({"ask": ask, "verdict": "yes"}) + "\n")
    report = corrected([labels, other, stray])
    assert report.corrected[KEY].labelled == 25
    assert report.corrected.remarks[1:3] == (
        f"{len(requests_of(ids([1, 2]), system='b'))} labels are of other texts than this run's "
        "answers to their questions",
        "1 labels are of requests that this run never made",
    )


def test_labels_of_requests_that_no_metric_makes_correct_nothing(tmp_path: Path) -> None:
    stray = write(tmp_path / "stray.jsonl", [("", NeedsCitation("It holds."))])
    report = corrected(stray)
    assert not report.corrected
    assert report.corrected.remarks[-1] == "no score is corrected by these labels"


def test_several_people_decide_by_majority(labels: Path, tmp_path: Path) -> None:
    requests = requests_of(LABELLED)

    def stubborn(request: JudgeRequest) -> Verdict:
        return Verdict("no")

    files = [labels, *(write(tmp_path / f"{name}.jsonl", requests) for name in ("ben", "cai"))]
    alone = corrected(labels).corrected[KEY]
    outvoted = [*files, write(tmp_path / "dan.jsonl", requests, stubborn)]
    report = corrected(outvoted)
    assert report.corrected[KEY] == alone
    assert any(
        "Krippendorff's alpha of SupportLevel" in remark for remark in report.corrected.remarks
    )
    tied = corrected([labels, outvoted[-1]])
    assert "have no majority" in "".join(tied.corrected.remarks)


def test_one_person_must_not_contradict_herself(tmp_path: Path) -> None:
    requests = requests_of(["q001"])
    path = write(tmp_path / "twice.jsonl", requests)
    second = path.read_text().replace('"full"', '"partial"')
    path.write_text(path.read_text() + second)
    with pytest.raises(DataError) as error:
        corrected(path)
    assert [str(one.code) for one in error.value.findings] == ["duplicate-id"]
    assert error.value.findings[0].line == 9


def test_what_people_said_without_the_context_counts_too(labels: Path, tmp_path: Path) -> None:
    """A judge that reads no neighbours of a sentence is asked without them, and so are people."""
    bare = [(id, request.without_context()) for id, request in requests_of(LABELLED)]
    file = write(tmp_path / "bare.jsonl", bare)
    assert corrected(file).corrected[KEY] == corrected(labels).corrected[KEY]


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
    report = corrected(file)
    found = report.corrected[KEY]
    every = np.arange(N)
    judge = np.minimum(every % 5 + every % 2, 4) / 4
    labelled = np.isin(every, at)
    by_hand = corrected_mean(
        0.05 + 0.9 * (every[labelled] % 5 / 4), judge[labelled], judge[~labelled]
    )
    assert found.value == pytest.approx(float(by_hand.value))
    assert list(report.corrected) == [KEY]
    assert any("Krippendorff" in remark for remark in report.corrected.remarks)
    stray = tmp_path / "stray.jsonl"
    stray.write_text(json.dumps({"question": "q9", "score": KEY, "value": 0.5}) + "\n")
    assert (
        "1 graded questions are not of this run, such as q9"
        in corrected([file, stray]).corrected.remarks
    )


@pytest.mark.parametrize(
    ("score", "error"),
    [("faithfulness.supported_micro", UsageError), ("citations.recall", UnknownName)],
)
def test_a_value_of_no_mean_is_refused(score: str, error: type[Exception], tmp_path: Path) -> None:
    file = tmp_path / "grades.jsonl"
    file.write_text(json.dumps({"question": "q001", "score": score, "value": 0.5}) + "\n")
    with pytest.raises(error):
        corrected(file)


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
    assert (error.value.findings[0].path, error.value.findings[0].line) == (f"$.{path}", 1)


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
