"""Small holes that a red team found: cells that are formulas, results that nobody signed, files without end."""

from __future__ import annotations

import csv
import io
import json
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from argue_bench.leaderboard.formats.canonical import canonical
from argue_bench.leaderboard.formats.ledger import append_events, read_ledger
from argue_bench.leaderboard.formats.results import parse_result, write_result
from argue_bench.leaderboard.formats.season import SPARE_LINES, reading_limits
from argue_bench.leaderboard.scoring import scored_settings
from argue_bench.leaderboard.signing.keys import sign_bytes
from argue_bench.leaderboard.submitting.answer_files import check_answer_file
from argue_bench.loaders.limits import AnswerLimits
from argue_bench.models.budget import BudgetSpent
from argue_bench.records import Document
from argue_bench.records.display import csv_cell
from argue_bench.records.table import Table
from argue_bench.text import read_answer
from tests.hostile.conftest import Start
from tests.leaderboard.boards import SET
from tests.leaderboard.repositories import ROOT, SEASON, SIGNING, Repository, git
from tests.leaderboard.steps import Steps, codes, command
from tests.shared import ROOT as PROJECT

RESULTS = "leaderboard-results"
SIGNS = "=+-@\uff1d\uff0b\uff0d\uff20\u2212"


@pytest.mark.parametrize("sign", SIGNS)
@pytest.mark.parametrize(
    "before", ["", "x;", "x,", "x\t", "x|", "x\n", " ", "x; ", 'x;"', "\ufeff"]
)
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_no_cell_is_a_formula_whatever_parts_the_cells(
    sign: str, before: str, separator: str
) -> None:
    text = f"{before}{sign}1+cmd|' /C calc'!A0;{sign}2"
    for written in (f"{csv_cell(text)}\n", Table(("a", "b"), [("1", text)]).to_csv()):
        for row in csv.reader(io.StringIO(written), delimiter=separator):
            assert not [cell for cell in row if cell.strip(' \ufeff"\n').startswith(tuple(SIGNS))]


def test_numbers_and_dashes_stay_what_they_are() -> None:
    for text in ("-0.5", "+3", "1e-9", "-", "GPT-4 - large", "a=b", "x (= y)"):
        assert csv_cell(text) == text


def shown(one: Steps, out: Path) -> Path:
    """The board as the site sees it, with this pull request merged."""
    one.repository.merge(one.request.sha)
    folder = one.repository.folder
    for path in ("openbook-generations/my-system.jsonl", "metadata/my-system.json"):
        (folder / path).write_bytes(one.repository.at("main", path))
    said = command("board", "fetch", folder, "--remote", one.request.remote, "--out", out)
    assert said.exit_code == 0, said.stderr
    assert command("board", "verify", out).exit_code == 0
    return out


def test_a_score_of_the_ledger_that_nobody_signed_is_seen(start: Start, tmp_path: Path) -> None:
    """The last line is held by no hash of a next one: 0.818 became 0.918, and all was whole."""
    one = start()
    one.whole()
    board = shown(one, tmp_path / "shown")
    path = board / "results" / "ledger.jsonl"
    *before, last = read_ledger(path.read_bytes())
    value: dict[str, Any] = {**json.loads(last.to_bytes()), "scores": {"openbook": 0.95}}
    path.write_bytes(append_events(b"", before) + canonical(value) + b"\n")
    said = command("board", "verify", board)
    assert said.exit_code == 1
    assert "ledger-other" in said.stdout


def test_what_the_organiser_imported_leaves_the_board_whole(start: Start, tmp_path: Path) -> None:
    """A signed result of no author and no commit is of no event, and no scoring ranks it."""
    one = start()
    one.whole()
    board = shown(one, tmp_path / "shown")
    place = board / "results" / SEASON / "my-system.json"
    scored = replace(parse_result(place.read_bytes(), place), system="imported")
    for result, code in ((replace(scored, author=None, commit=None), 0), (scored, 1)):
        path = write_result(board, result)
        path.with_suffix(".json.sig").write_bytes(sign_bytes(path.read_bytes(), SIGNING))
        said = command("board", "verify", board)
        assert said.exit_code == code, said.stdout
    assert "imported.json: The ledger holds no scoring of this result" in said.stdout


def test_an_unsigned_result_beside_signed_bands_has_no_rank(start: Start, tmp_path: Path) -> None:
    one = start()
    one.whole()
    board = shown(one, tmp_path / "shown")
    path = board / "results" / SEASON / "my-system.json"
    path.write_bytes(path.read_bytes().replace(b'"value":0.0', b'"value":0.999'))
    path.with_name("my-system.json.sig").unlink()
    said = command("board", "verify", board)
    assert said.exit_code == 1
    assert "bad-signature" in said.stdout
    assert command("site", "build", board, "--out", tmp_path / "site").exit_code == 0
    built = json.loads(
        (tmp_path / "site" / "data" / "v1" / "board" / SEASON / "openbook.json").read_text()
    )
    (row,) = [row for section in built["sections"] for row in section["rows"]]
    assert row["seal"] == "unsigned"
    assert row["standing"] is None


def stripped(season: Path) -> None:
    for path in season.glob("*.sig"):
        path.unlink()
    path = season / "my-system.json"
    path.write_bytes(path.read_bytes().replace(b'"value":0.0', b'"value":0.999'))


def stripped_of_all(season: Path) -> None:
    """Every signature and the ledger too: nothing is left that says that the board signs."""
    stripped(season)
    (season / "../ledger.jsonl").unlink()


def without(*names: str) -> Callable[[Path], None]:
    def gone(season: Path) -> None:
        for name in names:
            (season / name).unlink()

    return gone


TAKEN_AWAY: dict[str, tuple[Callable[[Path], None], str]] = {
    "every signature, and a score changed": (stripped, "bad-signature"),
    "every signature and the ledger, and a score changed": (stripped_of_all, "bad-signature"),
    "the ledger": (without("../ledger.jsonl"), "ledger-other"),
    "a rival's result": (without("other.json", "other.json.sig"), "ledger-other"),
    "the bands": (without("bands.json", "bands.json.sig"), "ledger-other"),
}


@pytest.fixture
def two_rows(start: Start, tmp_path: Path) -> tuple[Path, dict[str, bytes]]:
    """A board of two rows as the site sees it, and the bands that were signed when it had one."""
    one, other = start(), start("other", author="2002")
    one.whole()
    place, there = f"results/{SEASON}/bands.json", one.repository
    old = {name: there.at(RESULTS, f"{place}{name}") for name in ("", ".sig")}
    other.whole()
    there.merge(there.commit({**there.entry("my-system"), **there.entry("other")}))
    git(tmp_path, "clone", "--quiet", str(there.path), "checkout")
    main = tmp_path / "checkout" / ROOT
    said = command("board", "fetch", main, "--remote", there.remote, "--out", tmp_path / "shown")
    assert said.exit_code == 0, said.stderr
    whole = command("board", "verify", tmp_path / "shown")
    assert whole.exit_code == 0, whole.stdout
    assert "3 signed files" in whole.stdout
    return tmp_path / "shown", old


def test_what_was_taken_away_from_a_board_is_seen(two_rows: tuple[Path, dict[str, bytes]]) -> None:
    """By somebody who may push and holds no key: each of these was called whole."""
    board, old = two_rows
    for name, (take, code) in TAKEN_AWAY.items():
        copy = board.with_name(f"copy-{name.replace(' ', '-').replace(',', '')}")
        shutil.copytree(board, copy)
        take(copy / "results" / SEASON)
        said = command("board", "verify", copy)
        assert said.exit_code == 1, name
        assert f"[{code}]" in said.stdout, name
        assert "whole" not in said.stdout, name
    for suffix, content in old.items():  # a replay of bands that the board did sign
        (board / "results" / SEASON / f"bands.json{suffix}").write_bytes(content)
    said = command("board", "verify", board)
    assert said.exit_code == 1
    assert "other has no rank" in said.stdout
    assert "[other-result]" in said.stdout


def test_a_board_of_nothing_does_not_verify(tmp_path: Path) -> None:
    folder = tmp_path / "board"
    folder.mkdir()
    said = command("board", "verify", folder)
    assert said.exit_code == 1
    assert "leaderboard-results" in said.stderr
    assert "board fetch" in said.stderr
    assert "whole" not in said.stdout
    assert command("board", "verify", folder, "--allow-empty").exit_code == 0


def test_a_million_wrong_lines_end_early(tmp_path: Path) -> None:
    """By the lines that are read, not by seconds: ten times the file takes no more time."""
    used, bounds = [], reading_limits(AnswerLimits(), SET)
    for lines in (50_000, 500_000):
        path = tmp_path / f"{lines}.jsonl"
        path.write_bytes(b'{"id": "nobody", "answer": 1}\n' * lines)
        begun = time.process_time()
        seen, findings = check_answer_file(path, {"q1", "q2", "q3"}, bounds)
        used.append(time.process_time() - begun)
        assert seen == set()
        assert any(f.code == "too-many" and f.line == 7 + SPARE_LINES for f in findings)
    assert used[1] < 3 * used[0] + 0.2


# Scorings that would not end.


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["clock", "budget"])
def test_a_scoring_that_outruns_clock_or_budget_is_a_run(
    start: Start, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """It cost $5 or an hour and a half a label, any number of times, and left no trace."""
    one = start()

    def endless(*_: object, **__: object) -> None:
        if kind == "budget":
            raise BudgetSpent("the budget of $5 is spent")
        while True:
            time.sleep(0.01)

    monkeypatch.setattr(scored_settings, "evaluate_setting", endless)
    # The budget must end it before the clock does, however slow the machine is.
    minutes = {"clock": 0.01, "budget": 60}[kind]
    said = one.score(one.intake(), "--minutes", minutes)
    assert said.exit_code == 0
    assert (one.outcome["state"], codes(one.outcome)) == ("outran", ["out-of-budget"])
    assert (one.outcome["settings"], one.outcome["files"]) == ({}, {})
    assert one.record().exit_code == 0, "recorded as a run"
    assert "counts as a run" in one.comment()
    (event,) = read_ledger(one.repository.at(RESULTS, "results/ledger.jsonl"))
    assert (event.event, event.system, event.scores) == ("outran", "my-system", {})
    again = start("other-name")
    again.score(again.intake(), "--minutes", minutes)
    assert again.outcome["runs"] == 2


@pytest.mark.parametrize("others", ["", "Thank you for the question."])
def test_answers_that_are_nearly_all_empty_are_refused(
    start: Start, repository: Repository, others: str
) -> None:
    lines = repository.answers(others).splitlines()
    said = {"id": repository.ids[0], "answer": "It is so."}
    one = start(answers="\n".join([json.dumps(said), *lines[1:]]) + "\n")
    asked = one.request
    refused = command(
        "board ci intake",
        remote=asked.remote,
        pr=asked.pr,
        sha=asked.sha,
        base=asked.base,
        author=asked.author,
        folder=repository.folder,
        out=one.taken,
    )
    assert refused.exit_code == 1
    assert "code: mass-empty" in refused.stderr


def test_the_clock_ends_work_that_never_waits() -> None:
    from argue_bench.leaderboard.formats.clock import OutOfTime, clock

    def busy() -> None:
        with clock(0.05):
            while True:
                pass

    with pytest.raises(OutOfTime):
        busy()
    with clock(0):
        pass


def test_tables_of_empty_rows_are_read_in_little_time() -> None:
    """The parser gives each row all columns of its head: 20,000 characters took 38 seconds and a gigabyte."""
    table = "|" + "a|" * 181 + "\n|" + "-|" * 181 + "\n" + "|\n" * 362 + "\n"
    began = time.process_time()
    answer = read_answer("q", table * 14, {"a": Document("a", "")})
    assert time.process_time() - began < 5
    assert answer.sentences


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node, to run the page's own script")
@pytest.mark.parametrize(
    "text",
    ["x;=A1", " =1+1", "\uff1dcmd", '"@x', "-x", "-1.5", "+1e3", "a,b", "it is so", "1\n=2", ""],
)
def test_a_cell_that_the_page_saves_is_as_safe_as_the_servers(text: str) -> None:
    """The page makes its own CSV of the rows in sight."""
    script = (PROJECT / "site/static/board.js").read_text("utf-8")
    lines = [
        one
        for one in script.splitlines()
        if one.strip().startswith(("const FORMULA", "const quoted"))
    ]
    asked = f"\nprocess.stdout.write(quoted({json.dumps(text)}))"
    shown = subprocess.run(
        ["node", "-e", "\n".join(lines) + asked], capture_output=True, text=True, check=True
    )
    assert next(csv.reader(io.StringIO(shown.stdout, newline="")), [""]) == [csv_cell(text)]
