"""What a board says about prompt injection against its judge: only measurements of that very judge."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from argue_bench.cli import main
from argue_bench.leaderboard.formats.canonical import canonical
from argue_bench.pages.data import site_data
from argue_bench.pages.inputs import MeasuredJudges, Site
from argue_bench.pages.judges import CARDS, SHIPPED, judge_text, read_judges
from tests.pages.boards import SIGNATURE, entry, injection_report, season
from tests.shared import ROOT

REPORT: dict[str, Any] = {
    "schema": 1,
    "judge": "openai/gpt-4o",
    "identity": {"digest": "1"},
    "attempts": 462,
    "succeeded": 3,
    "failed": 2,
    "rate": 3 / 462,
    "low": 0.0022,
    "high": 0.0189,
    "kinds": {
        "order": {"attempts": 400, "succeeded": 3},
        "hidden": {"attempts": 62, "succeeded": 0},
    },
    "argue_bench": "0.1.0",
    "made": "2026-11-20",
}
TOLD = "prompt injection flipped 3 of 462 verdicts (0.6%, CI 0.2 to 1.9)"
UNLABELLED = "not yet compared with people's labels"
UNMEASURED = "not yet tested against prompt injection"


def folder(tmp_path: Path, *reports: Any, judge: str = SIGNATURE["judge"]) -> Path:
    """A board with one result, judged by ``judge``, and reports on judges."""
    board = tmp_path / "leaderboard-submissions"
    scores = {"argue.f1": {"value": 0.5, "low": None, "high": None, "n": 40, "failed": 0}}
    signature = {"argue": {**SIGNATURE, "judge": judge}}
    result = {
        "schema": 1,
        "season": "local",
        "system": "alpha",
        "author": None,
        "commit": None,
        "submission": {},
        "gold_digest": None,
        "created": "2027-01-01T00:00:00Z",
        "settings": {"openbook": {"signature": signature, "scores": scores}},
    }
    place = board / "results" / "local"
    place.mkdir(parents=True)
    (place / "alpha.json").write_bytes(canonical(result))
    (board / "judges").mkdir()
    for number, report in enumerate(reports):
        text = report if isinstance(report, str) else json.dumps(report)
        (board / "judges" / f"{number}.json").write_text(text)
    return board


def build(board: Path, out: Path) -> Result:
    return CliRunner().invoke(main, ["site", "build", str(board), "--out", str(out)])


def head(out: Path) -> str:
    """What the board says of its judges, as text."""
    source = (out / "board/local/openbook.html").read_text("utf-8")
    found = re.search(r'<ul class="judges".*?</ul>', source, re.DOTALL)
    return unescape(re.sub(r"<[^>]+>", "", found.group())) if found else ""


def test_a_measured_judge_is_shown_with_its_figures(tmp_path: Path) -> None:
    board, out = folder(tmp_path, REPORT), tmp_path / "out"
    assert build(board, out).exit_code == 0
    assert head(out) == f"Judge openai/gpt-4o: {TOLD}; {UNLABELLED}"
    metrics = (out / "metrics.html").read_text("utf-8")
    target = re.search(
        r"metrics\.html#(judge-[0-9a-f]{8})", (out / "board/local/openbook.html").read_text()
    )
    assert target is not None
    assert f'id="{target.group(1)}"' in metrics
    assert f"{TOLD}; 2 more got no verdict" in metrics
    row = '<th scope="row">invisible or look-alike characters</th><td>0</td><td>62</td>'
    assert row in metrics
    made = json.loads((out / "data/v1/board/local/openbook.json").read_text())["judges"]
    assert [one["injections"]["succeeded"] for one in made] == [3]
    index = json.loads((out / "data/v1/index.json").read_text())["judges"]
    assert index[0]["kinds"]["order"] == {"attempts": 400, "succeeded": 3}


@pytest.mark.parametrize("other", [{"judge": "openai/gpt-4o-mini"}, {"identity": {"digest": "2"}}])
def test_the_figures_of_another_judge_or_prompt_are_not_its_own(
    other: dict[str, Any], tmp_path: Path
) -> None:
    board, out = folder(tmp_path, {**REPORT, **other}), tmp_path / "out"
    assert build(board, out).exit_code == 0
    assert head(out) == f"Judge openai/gpt-4o: {UNMEASURED}; {UNLABELLED}"
    assert (
        json.loads((out / "data/v1/board/local/openbook.json").read_text())["judges"][0][
            "injections"
        ]
        is None
    )


def test_nothing_judged_is_not_a_rate_of_0(tmp_path: Path) -> None:
    empty = {
        **REPORT,
        "attempts": 0,
        "succeeded": 0,
        "failed": 462,
        "rate": None,
        "low": None,
        "high": None,
        "kinds": {},
    }
    board, out = folder(tmp_path, empty), tmp_path / "out"
    done = build(board, out)
    assert done.exit_code == 0
    assert "wrong-shape" not in done.output
    assert head(out) == f"Judge openai/gpt-4o: {UNMEASURED}; {UNLABELLED}"


CARD: dict[str, Any] = {
    "schema": 1,
    "judge": "openai/gpt-4o",
    "identity": {"digest": "1"},
    "summary": "agrees with people: .99 balanced accuracy on 99 sets of lies",
    "sets": [
        {
            "set": name,
            "kind": kind,
            "n": 100,
            "failed": 0,
            "measures": {"balanced_accuracy": {"value": value, "low": 0.5, "high": 0.9}},
            "kappa": {"value": 0.4, "low": None, "high": None},
            "floors": {"always yes": {"balanced_accuracy": {"value": 0.5}}},
            "each": {"seconds": 0.5, "dollars": 0.001},
        }
        for name, kind, value in (
            ("hagrid", "Entails", 0.7),
            ("begin", "Entails", 0.8),
            ("evouna-nq", "Answers", 0.9),
        )
    ],
    "left_out": {},
    "injections": None,
    "argue_bench": "0.1.0",
    "made": "2026-11-20",
}
AGREES = "agrees with people: .75 balanced accuracy on 2 sets of RAG citations, .90 on 1 set of short answers"


def with_card(board: Path, card: Any) -> Path:
    place = board / CARDS
    place.mkdir(parents=True)
    (place / "card.json").write_text(card if isinstance(card, str) else json.dumps(card))
    return board


def test_a_card_is_counted_again_and_leads_to_its_page(tmp_path: Path) -> None:
    """Of the means .7 and .8 on citations the board says .75, whatever the card's own line says. Its
    page begins with what the ranked score, argue's F1, asks a judge, though the card has refusals first."""
    refusals = {**CARD["sets"][0], "set": "xstest", "kind": "Refuses"}
    card = {**CARD, "sets": [refusals, *CARD["sets"]]}
    board, out = with_card(folder(tmp_path, REPORT), card), tmp_path / "out"
    done = build(board, out)
    assert done.exit_code == 0, done.output
    assert head(out) == f"Judge openai/gpt-4o: {TOLD}; {AGREES}, .70 on 1 set of refusals"
    source = (out / "board/local/openbook.html").read_text("utf-8")
    link = re.search(r'href="\.\./\.\./(judge/[0-9a-f]{8})\.html"', source)
    assert link is not None
    page = unescape((out / f"{link[1]}.html").read_text("utf-8"))
    assert AGREES in page
    assert '<th scope="row">hagrid<small>Do the sources support the sentence?</small></th>' in page
    assert "<td>0.700 <small>0.500 to 0.900</small></td>" in page
    assert "always yes 0.500" in page
    assert "lies" not in page
    data = json.loads((out / f"data/v1/{link[1]}.json").read_text("utf-8"))
    assert [one["set"] for one in data["sets"]] == ["hagrid", "begin", "evouna-nq", "xstest"]
    assert data["sets"][1]["measures"]["balanced_accuracy"]["value"] == 0.8
    assert AGREES in unescape((out / "metrics.html").read_text("utf-8"))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"identity": {"digest": "2"}}, ""),
        ({"schema": 2}, "expected 1"),
        ({"extra": 1}, "the key 'extra' is not known"),
        ({"sets": [{**CARD["sets"][0], "n": -1}]}, "n is -1"),
    ],
)
def test_the_card_of_another_judge_or_a_bad_one_is_not_shown(
    change: dict[str, Any], words: str, tmp_path: Path
) -> None:
    board, out = with_card(folder(tmp_path), {**CARD, **change}), tmp_path / "out"
    done = build(board, out)
    assert done.exit_code == 0, done.output
    assert words in done.output
    assert head(out) == f"Judge openai/gpt-4o: {UNMEASURED}; {UNLABELLED}"
    assert not list(out.glob("judge/*"))


def test_the_card_of_the_offline_judge_comes_with_the_package(tmp_path: Path) -> None:
    """It is shown on boards that the judge of its rules scored; its figures are still the judge's own."""
    from argue_bench.judges import create_judge
    from argue_bench.lab.card import judge_card

    judge = create_judge("lexical")
    # Measuring a card takes public sets, so it may be of earlier rules, which it names.
    card = json.loads((SHIPPED / "lexical.json").read_text("utf-8"))
    signed = judge_text(card["judge"], card["identity"])
    out = tmp_path / "out"
    assert build(folder(tmp_path, judge=signed), out).exit_code == 0
    assert re.search(
        r"agrees with people: .*\.\d\d balanced accuracy on \d+ sets of RAG", head(out)
    )
    made = judge_card(judge, ["refusals-mtrag"])
    (row,) = [one for one in card["sets"] if one["set"] == "refusals-mtrag"]
    assert row["measures"]["balanced_accuracy"]["value"] == pytest.approx(
        made.sets[0].measures["balanced_accuracy"].value
    )


def test_of_several_reports_the_newest_is_shown(tmp_path: Path) -> None:
    older = {
        **REPORT,
        "succeeded": 4,
        "rate": 4 / 462,
        "made": "2026-01-01",
        "kinds": {"order": {"attempts": 462, "succeeded": 4}},
    }
    board, out = folder(tmp_path, REPORT, older), tmp_path / "out"
    build(board, out)
    assert TOLD in head(out)


@pytest.mark.parametrize(
    ("report", "words"),
    [
        ("{", "not JSON"),
        ("[]", "expected an object"),
        ({**REPORT, "schema": 2}, "expected 1"),
        ({**REPORT, "attempts": -1}, "attempts is -1; expected greater than"),
        ({**REPORT, "made": "yesterday"}, "YYYY-MM-DD"),
        ({"schema": 1}, "the key 'judge' is missing"),
    ],
)
def test_a_bad_report_is_named_and_the_judge_not_measured(
    report: Any, words: str, tmp_path: Path
) -> None:
    board, out = folder(tmp_path, report), tmp_path / "out"
    done = build(board, out)
    assert done.exit_code == 0, done.output
    assert "Traceback" not in done.output
    assert words in done.output
    assert "0.json" in done.output
    assert head(out) == f"Judge openai/gpt-4o: {UNMEASURED}; {UNLABELLED}"


def test_every_judge_of_a_board_is_told_the_ranked_one_first() -> None:
    """Two judges of one name are two judges, and each has its own figures."""
    other = {**SIGNATURE, "judge": "openai/gpt-4o digest:2"}
    told = MeasuredJudges((injection_report(identity={"digest": "2"}),))
    site = Site(
        (season(entry("a", 0.5), entry("b", 0.4), entry("c", 0.9, signature=other)),), judges=told
    )
    files = site_data(site)
    judges = files["board/s1/openbook.json"]["judges"]
    assert [one["judge"] for one in judges] == ["openai/gpt-4o digest:1", "openai/gpt-4o digest:2"]
    assert [one["injections"] and one["injections"]["succeeded"] for one in judges] == [None, 1]
    assert len({one["id"] for one in judges}) == 2
    assert [one["judge"] for one in files["index.json"]["judges"]] == [
        one["judge"] for one in judges
    ]


def test_the_report_of_the_shipped_board_is_what_the_command_gives(tmp_path: Path) -> None:
    """It is shown beside scores of this version's lexical judge, so it must be of that judge."""
    out = tmp_path / "lexical.json"
    arguments = ["judge", "check", "lexical", "--injections", str(out)]
    assert CliRunner().invoke(main, arguments).exit_code == 0
    given = json.loads(out.read_text("utf-8"))
    shipped = json.loads((ROOT / "leaderboard-submissions/judges/lexical.json").read_text("utf-8"))
    for key in ("low", "high"):
        assert shipped.pop(key) == pytest.approx(given.pop(key), abs=1e-9)
    assert {**shipped, "made": ""} == {**given, "made": ""}
    findings: list[Any] = []
    # Rows that an earlier version scored keep the report of that version.
    known = read_judges(ROOT / "leaderboard-submissions", findings).injections
    (told,) = [one for one in known if one.identity == given["identity"]]
    assert not findings
    assert told.attempts == given["attempts"] > 0
