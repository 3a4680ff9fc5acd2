"""The alternative annotator test: as its authors' procedure gives it, worked by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.stats import false_discovery_control, ttest_1samp, wilcoxon

from argue_bench.cli import main
from argue_bench.errors import UsageError
from argue_bench.judges.alternative import alternative_tests
from argue_bench.judges.labels import Label, Labels
from argue_bench.records import Entails, Refuses, Similar, Source, Verdict, request_to_json

N = 60
PEOPLE = ("ana", "ben", "cai")


def labelled(n: int, slips: dict[str, int]) -> tuple[Labels, dict[str, Verdict]]:
    """The truth alternates; each person, and the judge, errs on every so-manieth request."""
    labels, replies = [], {}
    for at in range(n):
        request = Refuses("Why?", f"answer {at}")
        truth = at % 2 == 0

        def said(who: str, at: int = at, truth: bool = truth) -> Verdict:
            wrong = slips[who] and at % slips[who] == slips[who] - 1
            return Verdict("yes" if truth != bool(wrong) else "no")

        labels += [Label(request, said(person), at + 1, person) for person in PEOPLE]
        replies[request.key] = said("judge")
    return Labels(tuple(labels)), replies


@pytest.mark.parametrize("n", [60, 20])
def test_a_judge_as_good_as_the_best_person_may_replace_people(n: int) -> None:
    slips = {"ana": 4, "ben": 5, "cai": 6, "judge": 0}
    [found] = alternative_tests(*labelled(n, slips), epsilon=0.1)
    assert [one.person for one in found.people] == list(PEOPLE)
    for one in found.people:
        # By hand: the share of requests on which each agrees with the two others at least as well.
        others = [slips[name] for name in PEOPLE if name != one.person]
        right = {
            name: np.array([not slip or at % slip != slip - 1 for at in range(n)])
            for name, slip in slips.items()
        }
        truth = [np.array([at % o != o - 1 for at in range(n)]) for o in others]
        judge, own = (
            np.mean([right[name] == other for other in truth], axis=0)
            for name in ("judge", one.person)
        )
        gaps = (own >= judge).astype(float) - (judge >= own)
        assert one.judge == pytest.approx(np.mean(judge >= own))
        assert one.self_rate == pytest.approx(np.mean(own >= judge))
        test = ttest_1samp(gaps, 0.1, alternative="less")
        expected = test.pvalue if n >= 30 else wilcoxon(gaps - 0.1, alternative="less").pvalue
        assert one.p == pytest.approx(expected)
    by = false_discovery_control([one.p for one in found.people], method="by")
    assert [one.won for one in found.people] == (by <= 0.05).tolist()
    assert found.winning_rate == np.mean(by <= 0.05)
    if n == N:
        assert found.passed


def test_a_judge_that_errs_often_may_not() -> None:
    [found] = alternative_tests(*labelled(N, {"ana": 10, "ben": 12, "cai": 14, "judge": 2}))
    assert found.winning_rate == 0
    assert not found.passed
    assert found.advantage < 0.75


def test_a_judge_that_says_what_a_person_says_wins_by_the_margin_alone() -> None:
    labels, _ = labelled(N, {"ana": 5, "ben": 5, "cai": 5, "judge": 0})
    replies = {one.request.key: one.verdict for one in labels.given if one.by == "ana"}
    [found] = alternative_tests(labels, replies, epsilon=0.1)
    assert [one.p for one in found.people] == [0.0, 0.0, 0.0]
    [without] = alternative_tests(labels, replies, epsilon=0.0)
    assert [one.won for one in without.people] == [False] * 3


def test_numbers_agree_by_their_distance() -> None:
    labels, replies = [], {}
    for at in range(N):
        request = Similar("one", f"other {at}")
        labels += [
            Label(request, Verdict(0.5 + off), at, person)
            for person, off in zip(PEOPLE, (-0.2, 0.0, 0.2), strict=True)
        ]
        replies[request.key] = Verdict(0.51)
    [found] = alternative_tests(Labels(tuple(labels)), replies)
    assert {one.person: one.judge for one in found.people} == {"ana": 1.0, "ben": 0.0, "cai": 1.0}


def test_two_people_are_too_few() -> None:
    labels, replies = labelled(N, {"ana": 5, "ben": 6, "cai": 7, "judge": 0})
    two = Labels(tuple(one for one in labels.given if one.by != "cai"))
    with pytest.raises(UsageError, match="3 people"):
        alternative_tests(two, replies)
    with pytest.raises(UsageError, match="epsilon"):
        alternative_tests(labels, replies, epsilon=1.5)


def test_the_command_reads_a_file_of_each_person(tmp_path: Path) -> None:
    files = []
    for number, person in enumerate(PEOPLE):
        lines = []
        for at in range(N):
            request = Entails((Source("d", f"The river rose {at} m in May."),), f"It rose {at} m.")
            wrong = at % 5 == number
            lines.append({"ask": request_to_json(request), "verdict": "no" if wrong else "yes"})
        files.append(tmp_path / f"{person}.jsonl")
        files[-1].write_text("".join(json.dumps(line) + "\n" for line in lines))
    named = [part for file in files for part in ("--labels", str(file))]
    command = ["judge", "check", "lexical", *named, "--alt-test"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 0, done.output
    assert "Entails: lexical may replace people: it wins against 100% of them" in done.output
    plain = json.loads(CliRunner().invoke(main, [*command, "--format", "json"]).stdout)
    assert [one["person"] for one in plain[0]["people"]] == list(PEOPLE)
    without = CliRunner().invoke(main, ["judge", "check", "lexical", *named])
    assert without.exit_code == 2
    assert "--alt-test" in without.output
