"""One secret, whoever the season's judge is: it reaches its provider's server, and no other's."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from argue_bench.baselines import generate
from argue_bench.loaders import load
from argue_bench.models.providers import list_providers
from tests.leaderboard.repositories import Repository
from tests.leaderboard.steps import Steps, codes, with_secrets
from tests.models.server import ChatServer

KEY = "the-boards-own-key"


@pytest.fixture
def board(repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Repository:
    """Nobody's keys are around, and every model has a price."""
    monkeypatch.chdir(tmp_path)
    for provider in list_providers({}).values():
        monkeypatch.delenv(provider.key_variable, raising=False)
        monkeypatch.delenv(provider.url_variable, raising=False)
    rows = "".join(f"[{name}]\nin = 0.01\nout = 0.01\n" for name in list_providers({}))
    (tmp_path / "providers.toml").write_text(rows)
    monkeypatch.setenv("ARGUE_BENCH_PROVIDERS", str(tmp_path / "providers.toml"))
    with_secrets(monkeypatch, repository)
    return repository


def judged_by(board: Repository, *specs: str) -> None:
    path = board.folder / "season.json"
    season = json.loads(path.read_text())
    given = {"judge": specs[0], "judges": dict(zip("abc", specs[1:], strict=False))}
    path.write_text(json.dumps({**season, **given, "metrics": ["argue"]}))


def begun(board: Repository, folder: Path) -> tuple[Steps, str]:
    dataset = load("core", "test", board.folder / "topics")
    said = list(generate("bm25-extractive", dataset, "openbook"))
    quiet = [{**one, "answer": one["answer"] if n < 2 else "No."} for n, one in enumerate(said)]
    answers = "".join(json.dumps(one) + "\n" for one in quiet)
    steps = Steps(board, board.send("my-system", answers=answers), folder / "run")
    return steps, steps.intake()


@pytest.mark.parametrize("name", ["openai", "anthropic", "server"])
def test_the_key_reaches_whatever_provider_the_season_names(
    board: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    judged_by(board, f"{name}/some-model")
    steps, digest = begun(board, tmp_path)
    monkeypatch.setenv("JUDGE_API_KEY", f"  {KEY}\n")
    with ChatServer(key=KEY) as server:
        monkeypatch.setenv(list_providers({})[name].url_variable, server.url)
        said = steps.score(digest, "--budget", 5)
    assert said.exit_code == 0, said.stderr
    assert server.requests
    assert steps.outcome["state"] == "scored"
    assert list_providers({})[name].key_variable not in os.environ
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY.encode() not in written
    assert KEY not in said.output


def test_a_wrong_key_is_not_told(
    board: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged_by(board, "together/some-model")
    steps, digest = begun(board, tmp_path)
    monkeypatch.setenv("JUDGE_API_KEY", KEY)
    with ChatServer(key="another") as server:
        monkeypatch.setenv("TOGETHER_BASE_URL", server.url)
        said = steps.score(digest, "--budget", 5)
    assert said.exit_code == 1
    assert codes(steps.outcome) == ["judge-failed"]
    assert KEY not in said.output
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY.encode() not in written


def test_one_key_is_never_given_to_two_providers(
    board: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged_by(board, "anthropic/some-model", "panel:lexical+together/other+lexical")
    steps, digest = begun(board, tmp_path)
    monkeypatch.setenv("JUDGE_API_KEY", KEY)
    said = steps.score(digest, "--budget", 5)
    assert said.exit_code == 2
    assert "ANTHROPIC_API_KEY, TOGETHER_API_KEY instead" in said.stderr
    assert KEY not in said.output


def test_a_key_goes_to_who_wants_one_not_to_ones_own_server(
    board: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judged_by(board, "together/some-model", "server/mine")
    steps, digest = begun(board, tmp_path)
    monkeypatch.setenv("JUDGE_API_KEY", KEY)
    with ChatServer(key=KEY) as paid, ChatServer(key="none") as mine:
        monkeypatch.setenv("TOGETHER_BASE_URL", paid.url)
        monkeypatch.setenv("ARGUE_BENCH_BASE_URL", mine.url)
        path = board.folder / "season.json"
        season = json.loads(path.read_text())
        metrics = ["argue", "argue(judge=a)"]
        path.write_text(json.dumps({**season, "metrics": metrics, "ranked": "argue.f1"}))
        said = steps.score(digest, "--budget", 5)
    assert said.exit_code == 0, said.stderr
    assert paid.requests
    assert mine.requests


def test_without_a_key_it_says_whose_is_missing(board: Repository, tmp_path: Path) -> None:
    judged_by(board, "anthropic/some-model")
    steps, digest = begun(board, tmp_path)
    said = steps.score(digest, "--budget", 5)
    assert said.exit_code == 3
    assert "ANTHROPIC_API_KEY" in said.stderr


def test_a_file_of_variables_in_the_checkout_gets_no_key(
    board: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Merged unseen, it would name the server that judges, and have the board's key."""
    judged_by(board, "openai/some-model")
    steps, digest = begun(board, tmp_path)
    (checkout := tmp_path / "checkout").mkdir()
    monkeypatch.chdir(checkout)
    monkeypatch.setenv("JUDGE_API_KEY", KEY)
    with ChatServer() as server:
        Path(".env").write_text(f"OPENAI_BASE_URL={server.url}\n")
        said = steps.score(digest, "--budget", 5)
    assert (said.exit_code, server.requests) == (2, [])
    assert "Take it away" in said.stderr


@pytest.mark.parametrize("place", ["cascade", "text"])
def test_every_model_of_a_season_has_its_key_and_the_budget(
    place: str, board: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cascade, which costs least, had no key, and a judge in the text of a metric no budget either."""
    name = "together/some-model"
    judged_by(board, f"cascade:lexical>{name}" if place == "cascade" else "lexical")
    if place == "text":
        file = board.folder / "season.json"
        season = json.loads(file.read_text())
        texts = [f"{text}(judge={name})" for text in season["metrics"]]
        ranked = f"{texts[0]}.{season['ranked'].rpartition('.')[2]}"
        file.write_text(json.dumps(season | {"metrics": texts, "ranked": ranked}))
    with ChatServer(key=KEY) as server:
        monkeypatch.setenv("TOGETHER_BASE_URL", server.url)
        monkeypatch.setenv("JUDGE_API_KEY", KEY)
        steps, digest = begun(board, tmp_path)
        assert steps.score(digest).exit_code == 2  # without --budget
        said = steps.score(digest, "--budget", 5)
    assert said.exit_code == 0, said.stderr
    assert server.requests
