"""Rows that were scored and not merged yet when the board's key, scorer or their own answers changed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from argue_bench.baselines import generate
from argue_bench.eval import signature
from argue_bench.leaderboard.formats.ledger import read_ledger
from argue_bench.leaderboard.scoring import hidden_scoring
from argue_bench.leaderboard.signing.keys import public_pem
from argue_bench.loaders import load
from tests.leaderboard.conftest import Start
from tests.leaderboard.repositories import OTHER_SIGNING, ROOT, SEASON, Repository, git
from tests.leaderboard.steps import Steps, codes, command

pytestmark = pytest.mark.slow

RESULTS = "leaderboard-results"
S = "my-system"


@pytest.fixture(scope="module")
def quoting(pristine: Repository) -> str:
    dataset = load("core", "test", pristine.folder / "topics")
    return "".join(
        json.dumps(one) + "\n" for one in generate("bm25-extractive", dataset, "openbook")
    )


@pytest.fixture
def new_key(repository: Repository, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Puts another key in the place of the board's: the old one is not even among the retired."""

    def rotate() -> None:
        (old,) = (repository.folder / "keys").glob("*.pem")
        name, pem = public_pem(OTHER_SIGNING)
        old.unlink()
        old.with_name(f"{name}.pem").write_bytes(pem)
        keys = {f"{ROOT}/keys/{old.name}": None, f"{ROOT}/keys/{name}.pem": pem}
        repository.merge(repository.commit(keys))
        monkeypatch.setenv("SIGNING_KEY", OTHER_SIGNING)

    return rotate


def events(repository: Repository) -> list[str]:
    return [e.event for e in read_ledger(repository.at(RESULTS, "results/ledger.jsonl"))]


def labelled_again(one: Steps) -> Steps:
    return replace(one, folder=one.folder.with_name(f"{one.folder.name}-again"))


def merged(one: Steps) -> None:
    """Its files on main, as the platform squashes them."""
    paths = git(one.repository.path, "diff", "--name-only", one.request.base, one.request.sha)
    files = {
        path: one.repository.at(one.request.sha, path.removeprefix(f"{ROOT}/"))
        for path in paths.split()
    }
    one.repository.merge(one.repository.commit(files))


def checkout(repository: Repository, folder: Path) -> Path:
    git(folder.parent, "clone", "--quiet", str(repository.path), str(folder))
    return folder / ROOT


def rescored(one: Repository, folder: Path, *more: object, reason: str = "x") -> Any:
    """Scores again what is on main, and records it."""
    main, out = checkout(one, folder), folder.with_name(f"{folder.name}-out")
    given = ("--remote", one.remote, "--reason", reason, "--out", out, *more)
    said = command("board rescore", main, *given)
    for place in sorted(out.glob("*")):
        here = ("--remote", one.remote, "--folder", main)
        assert command("board ci record", "--outcome", place, *here).exit_code == 0
    return said


def verified(repository: Repository, folder: Path) -> tuple[Any, set[str]]:
    main, out = checkout(repository, folder), folder.with_name(f"{folder.name}-shown")
    fetch = command("board fetch", main, "--remote", repository.remote, "--out", out)
    assert fetch.exit_code == 0, fetch.stderr
    names = {path.stem for path in out.glob(f"results/{SEASON}/*.json")}
    return command("board verify", out), names - {"bands", "bridges"}


def test_a_row_that_a_lost_key_signed_comes_by_a_label_and_no_run(
    start: Start, new_key: Any, quoting: str, tmp_path: Path
) -> None:
    one = start(answers=quoting)
    told = one.whole()["settings"]["openbook"]["value"]
    new_key()
    again = labelled_again(one)
    outcome = again.whole()
    assert (outcome["state"], outcome["settings"]["openbook"]["value"]) == ("scored", told)
    assert outcome["runs"] == 1
    merged(one)
    said, rows = verified(one.repository, tmp_path / "main")
    assert (said.exit_code, rows) == (0, {S}), said.stdout
    assert events(one.repository) == ["scored", "re-scored"]
    third = replace(one, folder=tmp_path / "third")  # by now its signature holds
    third.score(third.intake())
    assert codes(third.outcome) == ["already-scored"]


def test_a_row_that_a_lost_key_signed_tells_nothing_but_what_it_told(
    start: Start, new_key: Any, quoting: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = start(answers=quoting)
    told = one.whole()["settings"]["openbook"]["value"]
    new_key()
    # A judge that says something else the second time.
    monkeypatch.setattr(hidden_scoring, "told_value", lambda value, step: told + step / 100)
    again = labelled_again(one)
    again.score(again.intake())
    assert (again.outcome["state"], codes(again.outcome)) == ("refused", ["tallies-other"])
    assert again.outcome["settings"] == {}
    other = start("other", answers=one.repository.answers("Never scored."))
    assert other.whole()["runs"] == 2


def test_a_row_that_a_lost_key_signed_is_scored_again_once_it_is_merged(
    start: Start, new_key: Any, tmp_path: Path
) -> None:
    one = start()
    one.whole()
    new_key()
    merged(one)
    said = rescored(one.repository, tmp_path / "main", "--system", S)
    assert (said.exit_code, said.stdout) == (0, f"{S}: scored\n    openbook: 0.0 -> 0.0\n")
    said, rows = verified(one.repository, tmp_path / "later")
    assert (said.exit_code, rows) == (0, {S}), said.stdout


def test_better_answers_take_the_place_of_a_row_that_a_lost_key_signed(
    start: Start, new_key: Any, quoting: str
) -> None:
    start().whole()
    new_key()
    assert start(answers=quoting).whole()["state"] == "scored"


def test_bridges_that_a_lost_key_signed_stop_no_scoring(
    start: Start, new_key: Any, quoting: str, tmp_path: Path
) -> None:
    one = start()
    one.whole()
    merged(one)
    r = one.repository
    assert rescored(r, tmp_path / "before").exit_code == 0
    new_key()
    better = start("better", author="2002", answers=quoting)
    assert better.whole()["state"] == "scored"
    assert rescored(r, tmp_path / "after", reason="a new key").exit_code == 0
    bridges = json.loads(r.at(RESULTS, f"results/{SEASON}/bridges.json"))["bridges"]
    assert [one["reason"] for one in bridges] == ["a new key"]


def test_a_row_of_the_scorer_before_stands_apart_until_it_is_scored_again(
    start: Start, quoting: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, late = start(), start("late", author="2002", answers=quoting)
    one.whole()
    late.whole()
    merged(one)
    for module in (signature, hidden_scoring):
        monkeypatch.setattr(module, "__version__", "9.9.9")
    assert rescored(one.repository, tmp_path / "again").exit_code == 0
    # A scoring after it, so that the ledger does not say of the late row that it came after the bands.
    assert start("new", author="3003").whole()["state"] == "scored"
    merged(late)
    said, rows = verified(one.repository, tmp_path / "main")
    assert (said.exit_code, rows) == (0, {S, "late"}), said.stdout
    assert "late has no rank in openbook: made otherwise" in said.stdout


def test_a_rescoring_compares_with_the_score_of_the_same_answers(
    start: Start, quoting: str, tmp_path: Path
) -> None:
    one = start()
    one.whole()
    merged(one)
    better = start(answers=quoting)  # and not merged
    assert better.whole()["settings"]["openbook"]["value"] > 0
    said = rescored(one.repository, tmp_path / "again")
    assert (said.exit_code, said.stdout) == (0, f"{S}: scored\n    openbook: 0.0 -> 0.0\n")
    bridges = json.loads(one.repository.at(RESULTS, f"results/{SEASON}/bridges.json"))["bridges"]
    ((row,),) = (one["settings"]["openbook"]["systems"] for one in bridges)
    assert (row["before"], row["after"]) == (0, 0)
