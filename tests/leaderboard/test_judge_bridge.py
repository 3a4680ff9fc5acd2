"""A season that changes its judge by a signed bridge: rows are carried over until they are scored again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from argue_bench.baselines import generate
from argue_bench.judges import as_judge
from argue_bench.leaderboard.commands.site import read_site
from argue_bench.loaders import load
from argue_bench.pages.data import site_data
from tests.leaderboard.repositories import SEASON, Repository, git
from tests.leaderboard.steps import Steps, codes, command, with_secrets

NEW = "panel:lexical+lexical+lexical"
RESULTS = "leaderboard-results"
RANKED = "argue.f1"
PLACE = f"results/{SEASON}/bridges.json"


def declare(repository: Repository, **changes: Any) -> None:
    path = repository.folder / "season.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **changes}))


def bridge_file(folder: Path, *systems: str, **changes: Any) -> Path:
    one = {"old": 0.6, "new": 0.55, "low": 0.47, "high": 0.63, "n": 400, "drawn": 100}
    value = {
        "schema": 1,
        "old": "lexical",
        "new": NEW,
        "old_identity": dict(as_judge("lexical").identity()),
        "identity": dict(as_judge(NEW).identity()),
        "systems": dict.fromkeys(systems, one),
        "overall": one,
        "agreement": 0.9,
        "slope": 0.8,
        "tau": None,
        "changed": [],
        "apart": [],
    }
    # The mean verdict moves otherwise than the score.
    own = {"old": 0.5, "new": 0.45, "low": 0.37, "high": 0.53, "n": 400, "drawn": 100}
    score = {name: value[name] for name in ("agreement", "slope", "tau", "changed", "apart")}
    score |= {"systems": dict.fromkeys(systems, own), "overall": own}
    mean = {**one, "new": 0.8, "low": 0.7, "high": 0.9}
    value["systems"] = dict.fromkeys(systems, mean)
    value |= {"scores": {RANKED: score}, **changes}
    path = folder / "bridge.json"
    path.write_text(json.dumps(value))
    return path


@pytest.fixture(scope="module")
def scored(pristine: Repository, tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Two systems that the lexical judge scored, in a season that tells all and now names another judge."""
    folder = tmp_path_factory.mktemp("scored")
    repository = pristine.copy(folder / "board")
    declare(repository, told="all", step=None, bits=None)
    with pytest.MonkeyPatch.context() as environment:
        with_secrets(environment, repository)
        for number, author in enumerate(("1001", "2002")):
            add(repository, folder, f"system-{number}", author)
    declare(repository, judge=NEW)
    return repository


@pytest.fixture
def board(scored: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    """A copy that this test may change."""
    with_secrets(monkeypatch, scored)
    return scored.copy(tmp_path / "board")


def add(repository: Repository, folder: Path, system: str, author: str) -> dict[str, Any]:
    """Scores a baseline on a third of the questions, another for each system, and merges it."""
    dataset = load("core", "test", repository.folder / "topics")
    number = int(system[-1])
    answers = "".join(
        json.dumps(one if place % 3 == number else {**one, "answer": "Nothing is known."}) + "\n"
        for place, one in enumerate(generate("bm25-extractive", dataset, "openbook"))
    )
    entry = repository.entry(system, answers)
    request = repository.send(system, author, answers=answers)
    outcome = Steps(repository, request, folder / system).whole()
    repository.merge(repository.commit(entry))
    for path in entry:
        place = repository.folder.parent / path
        place.parent.mkdir(exist_ok=True)
        place.write_text(str(entry[path]))
    return outcome


def sign(repository: Repository, file: Path, *options: object) -> Any:
    return command("board", "bridge", file, repository.folder, "--remote", repository.remote)


def shown(repository: Repository, out: Path) -> tuple[dict[str, Any], list[str]]:
    """The board's sections as where systems rank, which the rehearsal's do not, and what its pages say was left out."""
    fetch = ("board", "fetch", repository.folder, "--remote", repository.remote, "--out", out)
    assert command(*fetch).exit_code == 0
    site, _, findings = read_site(out)
    site = replace(site, seasons=tuple(replace(season, group="") for season in site.seasons))
    return site_data(site)[f"board/{SEASON}/openbook.json"], [f.message for f in findings]


def row(board: dict[str, Any], system: str) -> tuple[dict[str, Any], dict[str, Any]]:
    rows = (one for section in board["sections"] for one in section["rows"])
    found = next(one for one in rows if one["system"] == system)
    return found, found["scores"][board["ranked"]]


def test_rows_are_carried_over_until_they_are_scored_again(
    board: Repository, tmp_path: Path
) -> None:
    before, _ = shown(board, tmp_path / "before")
    assert row(before, "system-0")[0]["standing"]
    said = sign(board, bridge_file(tmp_path, "system-0", "system-1"))
    assert said.exit_code == 0, said.stderr
    carried, _ = shown(board, tmp_path / "carried")
    for system in ("system-0", "system-1"):
        (_, old), (found, score) = row(before, system), row(carried, system)
        assert "carried" in found["flags"]
        assert found["standing"] is None
        assert found["judge"] == "lexical"
        assert score["value"] == pytest.approx(old["value"] - 0.05)
        reach = ((old["high"] - old["value"]) ** 2 + 0.08**2) ** 0.5
        assert score["high"] == pytest.approx(old["value"] - 0.05 + reach)
        assert score["high"] - score["low"] > old["high"] - old["low"]
        # The other scores of the old judge say nothing of the new one.
        assert [key for key in found["scores"] if key.startswith("argue")] == [before["ranked"]]
    verified = command("board", "verify", tmp_path / "carried")
    assert verified.exit_code == 0, verified.stdout
    # What comes meanwhile is scored by the new judge, ranks, and stands above the carried rows.
    assert add(board, tmp_path, "system-2", "3003")["state"] == "scored"
    again = ("board", "rescore", board.folder, "--remote", board.remote, "--reason", "new judge")
    said = command(*again, "--system", "system-1", "--out", tmp_path / "again")
    assert said.exit_code == 0, said.stderr
    record = ("board", "ci", "record", "--remote", board.remote, "--folder", board.folder)
    said = command(*record, "--outcome", tmp_path / "again" / "system-1")
    assert said.exit_code == 0, said.stderr
    mixed, _ = shown(board, tmp_path / "mixed")
    assert [[one["system"] for one in s["rows"]] for s in mixed["sections"]] == [
        ["system-1", "system-2"],
        ["system-0"],
    ]
    assert row(mixed, "system-1")[0]["flags"] == row(before, "system-1")[0]["flags"]
    assert row(mixed, "system-1")[0]["standing"]
    assert row(mixed, "system-0") == row(carried, "system-0")
    assert mixed["sections"][1]["differences"] == []
    verified = command("board", "verify", tmp_path / "mixed")
    assert verified.exit_code == 0, verified.stdout
    # The re-scoring wrote its own bridge beside the signed one.
    bridges = json.loads(board.at(RESULTS, PLACE))["bridges"]
    assert [one["reason"] for one in bridges] == ["", "new judge"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"old_identity": {"rules": "11", "similar": "token-f1"}}, "leads from lexical rules:11 "),
        ({"old": "recorded:x", "old_identity": {}}, "have no such judge"),
        ({"identity": {"1.rules": "11"}}, f"leads to {NEW} 1.rules:11, and season.json names"),
    ],
)
def test_a_bridge_of_other_judges_than_the_rows_and_the_season_is_refused(
    board: Repository, tmp_path: Path, changes: dict[str, Any], says: str
) -> None:
    said = sign(board, bridge_file(tmp_path, "system-0", **changes))
    assert said.exit_code == 2
    assert says in " ".join(said.stderr.split())
    # A season that names its judge later: a new row of another judge than the bridge's is not put beside the old.
    if "identity" in changes:
        declare(board, judge="lexical")
        assert sign(board, bridge_file(tmp_path, "system-0", **changes)).exit_code == 0
        declare(board, judge=NEW)
        late = Steps(board, board.send("late", "3003"), tmp_path / "late")
        late.score(late.intake())
        assert codes(late.outcome) == ["tallies-other"]


def test_a_system_that_the_bridge_does_not_name_stays_as_it_is(
    board: Repository, tmp_path: Path
) -> None:
    before, _ = shown(board, tmp_path / "before")
    assert sign(board, bridge_file(tmp_path, "system-0")).exit_code == 0
    after, _ = shown(board, tmp_path / "after")
    assert row(after, "system-1") == row(before, "system-1")
    assert [len(section["rows"]) for section in after["sections"]] == [1, 1]


def test_a_bridge_whose_signature_fails_carries_nothing(board: Repository, tmp_path: Path) -> None:
    file = bridge_file(tmp_path, "system-0", "system-1")
    assert sign(board, file).exit_code == 0
    out = tmp_path / "shown"
    before, _ = shown(board, out)
    path = out / PLACE
    path.write_bytes(path.read_bytes().replace(b'"new":0.55', b'"new":0.65'))
    said = command("board", "verify", out)
    assert said.exit_code == 1
    site, _, findings = read_site(out)
    site = replace(site, seasons=tuple(replace(season, group="") for season in site.seasons))
    assert any(PLACE in str(one) for one in findings)
    after = site_data(site)[f"board/{SEASON}/openbook.json"]
    assert "carried" in row(before, "system-0")[0]["flags"]
    assert "carried" not in row(after, "system-0")[0]["flags"]
    # On the branch too: nothing is built upon it, and nothing is scored beside the old rows.
    changed = {f"leaderboard-submissions/{PLACE}": path.read_bytes()}
    git(board.path, "update-ref", f"refs/heads/{RESULTS}", board.commit(changed, RESULTS))
    late = Steps(board, board.send("late", "3003"), tmp_path / "late")
    late.score(late.intake())
    assert codes(late.outcome) == ["tallies-other"]
    assert sign(board, file).exit_code == 0
    assert [one["reason"] for one in json.loads(board.at(RESULTS, PLACE))["bridges"]] == [""]


def test_without_a_bridge_nothing_is_scored_beside_another_judges_rows(
    board: Repository, tmp_path: Path
) -> None:
    late = Steps(board, board.send("late", "3003"), tmp_path / "late")
    late.score(late.intake())
    assert codes(late.outcome) == ["tallies-other"]


@pytest.mark.parametrize(
    ("season", "file", "says"),
    [
        ({"told": "ranked"}, {}, "tells scores in steps"),
        ({}, {"agreement": 2.0}, "wrong-value"),
        ({}, {"more": 1}, "wrong-value"),
        ({}, {"scores": {}}, "--whole-answers"),
        # Pages would carry nothing over, and nobody would be told.
        ({}, {"scores": {RANKED: None}}, f"has no shift of {RANKED}, by which the board ranks"),
    ],
)
def test_what_is_not_signed(
    repository: Repository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    season: dict[str, Any],
    file: dict[str, Any],
    says: str,
) -> None:
    with_secrets(monkeypatch, repository)
    declare(repository, **{"told": "all", "step": None, "bits": None, **season})
    said = sign(repository, bridge_file(tmp_path, "system-0", **file))
    assert said.exit_code != 0
    assert says in said.stderr
