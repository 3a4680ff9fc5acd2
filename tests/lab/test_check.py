"""``judge check``: agreement with labels, worked by hand, and Cohen's kappa against textbooks."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.judges.base import Judge, Reply
from argue_bench.judges.recorded import Label, Recorded
from argue_bench.lab.label_agreement import check_judge, cohen_kappa, floors, token_recall
from argue_bench.records import (
    Answers,
    Entails,
    Failed,
    JudgeRequest,
    NeedsCitation,
    Similar,
    Source,
    Span,
    SupportLevel,
    Supports,
    Verdict,
)
from tests.judges.test_recorded import label, write


@pytest.mark.parametrize(
    ("cells", "kappa"),
    [
        # Two readers of 50 grant proposals: po 0.70, pe 0.50 (the usual textbook example).
        ({("y", "y"): 20, ("y", "n"): 5, ("n", "y"): 10, ("n", "n"): 15}, 0.4),
        # Same agreement of 60 %, other margins: (0.60 - 0.54) / 0.46 and (0.60 - 0.46) / 0.54.
        ({("y", "y"): 45, ("y", "n"): 15, ("n", "y"): 25, ("n", "n"): 15}, 0.06 / 0.46),
        ({("y", "y"): 25, ("y", "n"): 35, ("n", "y"): 5, ("n", "n"): 35}, 0.14 / 0.54),
        ({("a", "a"): 3, ("b", "b"): 2, ("c", "c"): 1}, 1.0),
        ({("a", "b"): 1, ("b", "a"): 1}, -1.0),
        ({("a", "a"): 5}, None),
        ({("a", "b"): 5}, 0.0),
        ({}, None),
    ],
)
def test_cohen_kappa(cells: dict[tuple[str, str], int], kappa: float | None) -> None:
    assert cohen_kappa(cells) == (None if kappa is None else pytest.approx(kappa, abs=1e-12))


def _labels() -> tuple[list[Label], dict[str, Verdict]]:
    """50 yes/no labels with the textbook's agreement, and a few of other kinds."""
    labels: list[Label] = []
    said: dict[str, Verdict] = {}
    rows = [("yes", "yes")] * 20 + [("yes", "no")] * 5 + [("no", "yes")] * 10 + [("no", "no")] * 15
    for number, (one, other) in enumerate(rows, start=1):
        request = NeedsCitation(f"s{number}")
        labels.append(Label(request, Verdict(one), number))
        said[request.key] = Verdict(other)
    more = [
        (Similar("a", "b"), 0.5, 0.75),
        (Similar("a", "c"), 1.0, 0.25),
        (Span("q", "c"), "Anna  Berg", "anna berg"),
        (Span("q", "d"), "1931", "in 1931"),
        (Supports("p", "q", "n"), "full", None),
    ]
    for number, (kind, one, other) in enumerate(more, start=51):
        labels.append(Label(kind, Verdict(one), number))
        if other is not None:
            said[kind.key] = Verdict(other)
    return labels, said


def test_confusion_accuracy_kappa_and_failures() -> None:
    labels, said = _labels()
    found = check_judge(Recorded(said, "r"), labels)
    needs = found.kinds["NeedsCitation"]
    assert (needs.n, needs.failed, needs.accuracy) == (50, 0, 0.7)
    assert needs.kappa == pytest.approx(0.4)
    assert set(needs.confusion) == {
        ("yes", "yes", 20),
        ("yes", "no", 5),
        ("no", "yes", 10),
        ("no", "no", 15),
    }
    assert (found.kinds["Similar"].accuracy, found.kinds["Similar"].kappa) == (0, None)
    assert found.kinds["Span"].accuracy == 0.5
    assert (found.kinds["Supports"].n, found.kinds["Supports"].failed) == (0, 1)
    assert found.kinds["Supports"].accuracy is None
    assert found.failures == ((55, "Supports: not recorded"),)
    assert (found.labels, found.answered) == (55, 54)
    assert len([row for row in found.wrong if row[1] == "NeedsCitation"]) == 15
    assert (21, "NeedsCitation", "yes", "no") in found.wrong


def test_the_command_prints_a_table_and_json(tmp_path: Path) -> None:
    rows = [
        label(NeedsCitation("The bridge opened on 3 May 1931."), "yes"),
        label(NeedsCitation("I can't answer that."), "no"),
        label(NeedsCitation("The cause is not known."), "yes"),
    ]
    file = write(tmp_path / "labels.jsonl", *rows)
    done = CliRunner().invoke(main, ["judge", "check", "lexical", "--labels", str(file)])
    assert done.exit_code == 0, done.output
    assert "NeedsCitation  3       0     0.667  0.400" in done.output
    assert "lexical against 3 labels of labels.jsonl\nA verdict took " in done.output
    assert " ms and $0.\n" in done.output
    floors = done.output.partition("Beside what needs no judge")[2].splitlines()
    assert floors[1].split() == [
        "NeedsCitation",
        "balanced",
        "95",
        "%",
        "F1",
        "95",
        "%",
        "accuracy",
        "95",
        "%",
        "first",
    ]
    assert max(map(len, done.output.splitlines())) <= 100
    assert "NeedsCitation: 3 labels tell little: read the intervals, and label 60" in done.output
    done = CliRunner().invoke(main, ["judge", "check", "lexical", "--labels", str(file), "--wrong"])
    assert f"{file}:3: NeedsCitation: label yes, lexical says no" in done.output
    done = CliRunner().invoke(
        main, ["judge", "check", "lexical", "--labels", str(file), "--format", "json"]
    )
    data = json.loads(done.output)
    assert data["kinds"]["NeedsCitation"]["accuracy"] == pytest.approx(2 / 3)
    assert data["wrong"] == [[3, "NeedsCitation", "yes", "no"]]
    assert data["each"]["dollars"] == 0
    assert data["each"]["seconds"] > 0


def test_exit_codes(tmp_path: Path) -> None:
    file = write(tmp_path / "labels.jsonl", label(NeedsCitation("x"), "yes"))
    other = write(tmp_path / "other.jsonl", label(NeedsCitation("y"), "yes"))
    bad = write(tmp_path / "bad.jsonl", label(NeedsCitation("y"), "perhaps"))

    def code(judge: str, labels: Path) -> tuple[int, str]:
        done = CliRunner().invoke(main, ["judge", "check", judge, "--labels", str(labels)])
        return done.exit_code, done.output

    assert code(f"recorded:{file}", file)[0] == 0
    every, text = code(f"recorded:{other}", file)
    assert every == 3
    assert "labels.jsonl:1: NeedsCitation: not recorded" in text
    refused, text = code("lexical", bad)
    assert refused == 1
    assert "bad.jsonl:1: verdict is 'perhaps'; expected yes or no" in text
    assert code("lexcal", file)[0] == 2
    assert code("lexical", tmp_path / "absent")[0] == 1


def test_a_middle_verdict_is_no_full_one_where_people_know_two_levels() -> None:
    """Of 2 full one is found, of 3 no all: partial says that the fact is not there in full."""
    given = [("full", "full"), ("full", "partial"), ("no", "partial"), ("no", "no"), ("no", "no")]
    labels = [
        Label(Supports(f"p{n}", "", "n"), Verdict(right), n) for n, (right, _) in enumerate(given)
    ]
    said = {
        label.request.key: Verdict(word) for label, (_, word) in zip(labels, given, strict=True)
    }
    found = check_judge(Recorded(said, "r"), labels).kinds["Supports"]
    assert found.measures["balanced_accuracy"].value == pytest.approx((1 / 2 + 3 / 3) / 2)
    assert found.accuracy == pytest.approx(4 / 5)
    assert ("no", "partial", 1) in found.confusion
    third = Label(Supports("p", "", "n"), Verdict("partial"), 9)
    said[third.request.key] = Verdict("partial")
    whole = check_judge(Recorded(said, "r"), [*labels, third]).kinds["Supports"]
    assert whole.measures["balanced_accuracy"].value == pytest.approx((1 / 2 + 2 / 3 + 1) / 3)


def test_floors_need_no_judge_and_are_counted_on_the_same_labels() -> None:
    source = Source("d", "The ferry Halden sank in May 1912.")
    assert token_recall(source.text, "The ferry sank; nobody died.") == 3 / 5
    assert floors(NeedsCitation("s")) == {"always yes": "yes"}
    assert floors(Span("q", "c")) == {}
    said = {
        "The Halden sank in 1912.": ("yes", "full"),
        "In 1912 the ferry burned down twice.": ("no", "partial"),
        "Nobody died.": ("no", "no"),
    }
    for sentence, (word, level) in said.items():
        assert floors(Entails((source,), sentence))["token recall"] == word
        assert floors(SupportLevel((source,), sentence))["token recall"] == level
    assert floors(Answers("It sank in 1912.", "When?", "1912")) == {
        "always yes": "yes",
        "token recall": "yes",
    }
    labels, verdicts = _labels()
    found = check_judge(Recorded(verdicts, "r"), labels).kinds
    kind = found["NeedsCitation"]
    # 25 labels yes, 25 no: 20 and 15 of them came right.
    assert kind.measures["balanced_accuracy"].value == pytest.approx((20 / 25 + 15 / 25) / 2)
    assert kind.measures["f1"].value == pytest.approx(2 * 20 / (25 + 30))
    assert kind.floors["always yes"]["balanced_accuracy"].value == 0.5
    assert kind.floors["always yes"]["share"].value == 1.0
    assert found["Similar"].measures == found["Span"].measures == {}


def test_values_of_whole_answers_are_no_labels_to_check_a_judge_on(tmp_path: Path) -> None:
    grade = {"question": "q1", "score": "faithfulness.supported", "value": 0.5}
    file = write(tmp_path / "labels.jsonl", grade)
    done = CliRunner().invoke(main, ["judge", "check", "lexical", "--labels", str(file)])
    assert (done.exit_code, done.stdout) == (1, "")
    assert "no label of a request" in done.stderr


def test_people_may_contradict_each_other(tmp_path: Path) -> None:
    votes = {"a": ("yes", "yes", "no"), "b": ("no", "yes"), "c": ("no",)}
    rows = [label(NeedsCitation(s), one) for s, given in votes.items() for one in given]
    file = write(tmp_path / "labels.jsonl", *rows)
    found = check_judge(Recorded({}), file)
    assert found.labels == 2
    assert found.votes == (
        "people contradict each other on 2 of 3 requests: on 1 the verdict of most counts, 1 without a majority "
        "are left out"
    )
    said = CliRunner().invoke(main, ["judge", "check", "lexical", "--labels", str(file)])
    assert "People contradict each other on 2 of 3 requests" in said.output


LABELS = [Label(NeedsCitation(f"s{n}"), Verdict("yes" if n < 25 else "no"), n) for n in range(50)]


class Fickle(Judge):
    """Says what the label says; of every tenth ask something else each second time; fails on one."""

    name, batch = "fickle", 7
    kinds = frozenset({NeedsCitation})

    def __init__(self) -> None:
        self.seen: dict[str, int] = {}

    def identity(self) -> Mapping[str, str]:
        return {}

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        for request in requests:
            assert isinstance(request, NeedsCitation)
            number = int(request.sentence[1:])
            turn = self.seen[request.key] = self.seen.get(request.key, 0) + 1
            if number == 49:
                yield request, Failed("no reply")
            else:
                yes = (number < 25) != (number % 10 == 0 and turn % 2 == 0)
                yield request, Verdict("yes" if yes else "no")


def test_flips_are_counted_over_repeats_and_the_first_verdict_counts() -> None:
    once, thrice = (
        check_judge(Fickle(), LABELS, repeats).kinds["NeedsCitation"] for repeats in (1, 3)
    )
    assert once.flips is None
    # 5 of the 49 asks that got verdicts say x, other, x: two of three pairs differ
    assert thrice.flips == pytest.approx(5 * (2 / 3) / 49)
    assert once.accuracy == thrice.accuracy == 1.0
