"""Comparisons on tallies written by hand, from real run files."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from argue_bench import compare, evaluate, load
from argue_bench.analysis.compare import Comparison
from argue_bench.errors import UnknownName, UnlikeSignatures, UsageError
from argue_bench.eval.report import Report
from argue_bench.eval.run import Entry, Header, entry_line, read_reports, write_run
from argue_bench.loaders.rows import from_rows
from argue_bench.records import Answer, Tally
from tests.shared import ROOT

Counts = Sequence[Mapping[str, tuple[float, float]] | None]
SIGNATURE = {"metric": "accuracy", "data": "toy@1", "n": "4", "judge": "lexical"}


def run_file(path: Path, counts: Counts, ids: Sequence[str] = (), **signature: str) -> Path:
    """A run file of the metric `accuracy` with these tallies; None where it failed."""
    parts = {**SIGNATURE, "n": str(len(counts)), **signature}
    header = Header("toy@1", "sha256:1", ("accuracy",), {"accuracy": parts}, "leave-out")
    with write_run(path, header) as write:
        for at, columns in enumerate(counts):
            tallies = None if columns is None else {k: Tally(*v) for k, v in columns.items()}
            id = ids[at] if ids else f"q{at}"
            failures = () if columns is not None else ("the judge failed",)
            own = {"accuracy": failures}
            entry = Entry(
                Answer(id), {"accuracy": tallies}, {"accuracy": ()}, own, {"accuracy": {}}
            )
            write(entry_line(entry))
    return path


def loose(*shares: float | None) -> Counts:
    return [
        None if s is None else {"loose": (float(s), 1.0), "strict": (float(s == 1), 1.0)}
        for s in shares
    ]


def reports(tmp_path: Path, **systems: Counts) -> dict[str, Report]:
    return {
        name: next(iter(read_reports(run_file(tmp_path / name, counts)).values()))
        for name, counts in systems.items()
    }


def compare_reports(reports: Mapping[str, Report], **given: Any) -> Comparison:
    every = {"all_scores": "scores" not in given, **given}
    return compare(*reports.values(), names=list(reports), **every)


def test_by_hand(tmp_path: Path) -> None:
    found = compare_reports(
        reports(tmp_path, a=loose(1, 1, 1, 0.5), b=loose(0, 0.5, 1, 0.75)),
        scores=["accuracy.loose"],
    )
    [d] = found.differences
    assert d.scores == (0.875, 0.5625)
    assert d.value == 0.3125
    assert (d.won, d.tied, d.lost, d.n) == (2, 1, 1, 4)
    # gaps 1, .5, 0, -.25: signs that keep 1 and .5 together and .25 against them or along reach 1.25:
    # (+ + -), (+ + +) and their mirrors, each with either sign of 0: 8 of 16
    assert d.p == d.p_holm == 8 / 16
    assert d.winner is None
    assert found.facts["exact"]
    assert found.per_question["accuracy.loose"]["q1"] == (1.0, 0.5)
    json.dumps(found.to_dict(), allow_nan=False)


def test_a_real_difference_and_none(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    base = rng.random(60) * 0.5
    systems = reports(
        tmp_path, a=loose(*(base + 0.3)), b=loose(*base), c=loose(*rng.permutation(base))
    )
    found = compare_reports(systems, scores=["accuracy.loose"])
    by_pair = {(d.first, d.second): d for d in found.differences}
    first = by_pair["a", "b"]
    assert first.winner == "a"
    assert first.low is not None
    assert first.high is not None
    # The same difference on all sixty questions, which does not prove that there is no other.
    assert first.low == pytest.approx(-1 + 1.3 * 0.025 ** (1 / 60))
    assert first.high == pytest.approx(1 - 0.7 * 0.025 ** (1 / 60))
    assert by_pair["b", "c"].winner is None
    assert by_pair["b", "c"].p > 0.9
    assert by_pair["b", "c"].resolvable is not None


def test_holm_runs_over_the_whole_table(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    systems = reports(
        tmp_path,
        **{name: loose(*(rng.random(40) * 0.8 + 0.02 * i)) for i, name in enumerate("abcd")},
    )
    found = compare_reports(systems)
    assert len(found.differences) == 2 * 6 == found.facts["tests"]
    smallest = min(found.differences, key=lambda d: d.p)
    assert smallest.p_holm == pytest.approx(min(1, 12 * smallest.p))


def test_a_failed_question_is_left_out_for_both(tmp_path: Path) -> None:
    good = [1.0] * 99
    found = compare_reports(
        reports(tmp_path, a=loose(*good, None), b=loose(*good, 0.0)), scores=["accuracy.loose"]
    )
    [d] = found.differences
    assert (d.n, d.won, d.tied, d.lost) == (99, 0, 99, 0)
    assert d.scores == (1.0, 0.99)
    assert d.value == 0.0
    assert d.p == 1.0


def test_an_unset_score_is_not_compared(tmp_path: Path) -> None:
    systems = reports(tmp_path, a=loose(1, None, 1), b=loose(1, 1, 1))
    with pytest.raises(UsageError, match="unset for a: 1 judgements failed"):
        compare_reports(systems)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"judge": "openai/x"}, "judge: lexical against openai/x"),
        ({"data": "toy@2"}, "toy@1 against"),
        ({"judge": "openai/x"}, "The same: metric, data, n."),
        ({"judge": "openai/x"}, "Evaluate one again with the same judge"),
    ],
)
def test_unlike_signatures_are_refused_in_plain_words(
    tmp_path: Path, changed: dict[str, str], told: str
) -> None:
    a = read_reports(run_file(tmp_path / "a", loose(1, 0)))[""]
    b = read_reports(run_file(tmp_path / "b", loose(1, 0), **changed))[""]
    with pytest.raises(UnlikeSignatures, match="scored differently") as error:
        compare_reports({"a": a, "b": b})
    assert told in str(error.value)
    assert "a against b" in str(error.value)


def test_a_data_set_is_known_by_its_digest_and_not_by_its_name(tmp_path: Path) -> None:
    a = read_reports(run_file(tmp_path / "a", loose(1, 0)))[""]
    b = read_reports(run_file(tmp_path / "b", loose(0, 0), data="other@1"))[""]
    assert compare_reports({"a": a, "b": b}, scores=["accuracy.loose"]).differences[0].value == 0.5


ROWS = [
    {"question": "Who pays?", "contexts": ["The office pays."], "answer": "The office pays."},
    {"question": "When?", "contexts": ["It opens on Monday."], "answer": "It opens on Sunday."},
    {"question": "Who pays?", "contexts": ["Nobody pays."], "answer": "Nobody pays."},
]


def rows_run(path: Path, rows: Sequence[Mapping[str, object]]) -> Report:
    dataset, answers = from_rows(list(rows))
    evaluate(dataset, answers, ["faithfulness"], out=path)
    return read_reports(path)[""]


def test_own_rows_are_paired_by_what_was_asked(tmp_path: Path) -> None:
    one = rows_run(tmp_path / "one", ROWS)
    right = {"contexts": ["It opens on Sunday.", "On Monday it is shut."], "id": "a trace"}
    other = rows_run(tmp_path / "other", [{**ROWS[1], **right}, ROWS[0], ROWS[2]])
    found = compare(one, other, names=["one", "other"], scores=["faithfulness.supported"])
    assert found.per_question["faithfulness.supported"] == {
        "row-1": (1.0, 1.0),
        "row-2": (0.0, 1.0),
        "row-3": (1.0, 1.0),
    }
    assert "Contexts differ on 1 of 3 questions." in str(found)
    again = compare(one, rows_run(tmp_path / "again", ROWS), names=["one", "again"])
    assert "Contexts differ" not in str(again)


@pytest.mark.parametrize(
    "other",
    [
        [ROWS[0], {**ROWS[1], "question": "When does it open?"}, ROWS[2]],
        [ROWS[0], {**ROWS[1], "reference": "On Monday."}, ROWS[2]],
        [ROWS[0], ROWS[1], {**ROWS[1], "answer": "On Monday."}],
    ],
)
def test_own_rows_with_other_questions_are_refused(
    tmp_path: Path, other: list[Mapping[str, object]]
) -> None:
    one, two = rows_run(tmp_path / "one", ROWS), rows_run(tmp_path / "two", other)
    with pytest.raises(UnlikeSignatures, match="different questions: 2 are in one only") as error:
        compare(one, two, names=["one", "two"])
    assert "Score the same questions with the same references for both" in str(error.value)


def test_other_questions_under_one_signature_are_refused(tmp_path: Path) -> None:
    a = read_reports(run_file(tmp_path / "a", loose(1, 0), ["q1", "q2"]))[""]
    b = read_reports(run_file(tmp_path / "b", loose(1, 0), ["q1", "q3"]))[""]
    with pytest.raises(
        UnlikeSignatures, match=r"different questions: 2 are in one only \(q2, q3\)"
    ):
        compare_reports({"a": a, "b": b})


def test_the_order_of_questions_does_not_matter(tmp_path: Path) -> None:
    a = read_reports(run_file(tmp_path / "a", loose(1, 0, 0.5), ["q1", "q2", "q3"]))[""]
    b = read_reports(run_file(tmp_path / "b", loose(0.5, 0, 1), ["q3", "q2", "q1"]))[""]
    [d, _] = compare_reports({"a": a, "b": b}).differences
    assert (d.won, d.tied, d.lost) == (0, 3, 0)


def test_one_system_and_unknown_scores(tmp_path: Path) -> None:
    systems = reports(tmp_path, a=loose(1, 0), b=loose(0, 0))
    with pytest.raises(UsageError, match="two reports or more"):
        compare_reports({"a": systems["a"]})
    with pytest.raises(UnknownName, match=r"accuracy\.loose"):
        compare_reports(systems, scores=["accuracy.loos"])


def test_compare_takes_reports_and_prints_the_table_of_the_command_line(tmp_path: Path) -> None:
    from click.testing import CliRunner

    from argue_bench.cli import main

    shares = [0.2, 0.4, 0.1, 0.3, 0.5, 0.2, 0.3, 0.1, 0.4, 0.2]
    found = reports(tmp_path, good=loose(*(s + 0.4 for s in shares)), bad=loose(*shares))
    text = str(compare(*found.values(), names=list(found), scores=["accuracy.loose"]))
    files = [str(path) for path in sorted(tmp_path.iterdir())]
    result = CliRunner().invoke(
        main, ["compare", *reversed(files), "-s", "accuracy.loose"], catch_exceptions=False
    )
    assert "good against bad, 10 questions" in text
    assert "good is better on accuracy.loose" in text
    assert [line for line in result.stdout.splitlines() if line not in text] == []


def test_compare_names_reports_and_picks_headline_scores(tmp_path: Path) -> None:
    one, other = reports(tmp_path, a=loose(0.5, 1.0), b=loose(0.0, 1.0)).values()
    found = compare(replace(one, system=""), replace(other, system=""), resamples=200)
    assert found.systems == ("report 1", "report 2")
    assert {d.score for d in found.differences} == {"accuracy.loose", "accuracy.strict"}


def test_compare_refuses_what_it_cannot_name(tmp_path: Path) -> None:
    one, other = reports(tmp_path, a=loose(0.5, 1.0), b=loose(0.0, 1.0)).values()
    with pytest.raises(UsageError, match="takes two reports or more"):
        compare(one)
    with pytest.raises(UsageError, match="takes two reports or more"):
        compare(one, "b.run")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="2 reports need as many different names, not a, a"):
        compare(replace(one, system="a"), replace(other, system="a"))
    with pytest.raises(UsageError, match="2 reports need as many different names, not x"):
        compare(one, other, names=["x"])


@pytest.mark.parametrize("columns", [80, 100])
def test_the_printed_comparison_fits_a_terminal_and_breaks_no_word(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two metrics of one short name and long names of scores, each once under the text of its metric."""
    monkeypatch.setenv("COLUMNS", str(columns))
    sample = load("core", split="sample")
    metrics = ["grounding", "citations", "citations(rules=alce)"]
    runs = [
        evaluate(sample, ROOT / f"argue_bench/data/core/sample-runs/{name}.jsonl", metrics)
        for name in ("careful", "careless")
    ]
    lines = str(compare(*runs, names=["a-system-of-some-length", "other"])).splitlines()
    assert max(map(len, lines)) <= columns
    assert [line for line in lines if line in metrics] == metrics
    assert sum(line.startswith("  recall ") for line in lines) == 2
    assert sum(line.startswith("  refusal_recall_strict ") for line in lines) == 1
    assert sum("metric=" in line for line in lines) == 2


def test_an_interval_that_leaves_out_0_beside_a_p_without_a_star_is_explained(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(9)
    base = rng.random(40) * 0.5
    systems = reports(tmp_path, a=loose(*(base + 0.06 * rng.normal(0.5, 1, 40))), b=loose(*base))
    found = compare(*systems.values(), names=list(systems), scores=["accuracy.loose"])
    (d,) = found.differences
    told = "No star, though an interval leaves out 0: p counts 1 tests"
    for p, said in ((0.06, True), (0.04, False)):
        one = replace(found, differences=(replace(d, low=0.01, high=0.1, p_holm=p),))
        assert (told in str(one)) == said
