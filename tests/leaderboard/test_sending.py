"""What a participant sends: one commit of exactly its files, from a real clone to a real remote."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from argue_bench.cli import main
from tests.leaderboard.repositories import ROOT, SEASON, Repository, git
from tests.leaderboard.steps import Steps, command, with_secrets

S = "my-system"
INIT = (
    "--name",
    "My System",
    "--authors",
    "Ada",
    "--citation",
    "Ada, 2026",
    "--url",
    "",
    "--type",
    "OTHER",
    "--context",
    "0",
)


@pytest.fixture
def clone(repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A participant's clone with answers in it; its remote is a fork."""
    git(tmp_path, "clone", "--quiet", "--bare", str(repository.path), "fork.git")
    git(tmp_path, "clone", "--quiet", "fork.git", "mine")
    git(tmp_path / "mine", "config", "user.name", "Ada")
    git(tmp_path / "mine", "config", "user.email", "ada@example.org")
    folder = tmp_path / "mine" / ROOT
    (folder / "openbook-generations" / f"{S}.jsonl").write_text(repository.answers())
    monkeypatch.chdir(tmp_path / "mine")
    return tmp_path / "mine"


def init() -> None:
    said = command("submission", "init", "--system", S, *INIT)
    assert said.exit_code == 0, said.stderr


def test_init_writes_what_check_accepts(clone: Path) -> None:
    init()
    assert command("submission", "check", "--system", S).exit_code == 0
    value = json.loads((clone / ROOT / "metadata" / f"{S}.json").read_text())
    assert (value["openbook_generations"], value["closedbook_generations"]) == (f"{S}.jsonl", None)
    assert command("submission", "init", "--system", S, *INIT).exit_code == 2


def test_init_refuses_what_check_would(clone: Path) -> None:
    wrong = [*INIT[:7], "javascript:alert(1)", *INIT[8:]]
    said = command("submission", "init", "--system", S, *wrong)
    assert said.exit_code == 1
    assert "metadata-value" in said.stderr
    assert not (clone / ROOT / "metadata" / f"{S}.json").exists()
    assert command("submission", "init", "--system", "My System", *INIT).exit_code == 2


def test_init_names_what_it_cannot_ask_for(clone: Path) -> None:
    said = command("submission", "init", "--system", S, "--name", "Mine")
    assert said.exit_code == 2
    why = "give --authors, --citation, --url, --type, --context"
    assert f"the command cannot ask questions here: {why}" in said.stderr
    assert "Aborted" not in said.output


def test_check_lets_a_boards_own_files_be(clone: Path) -> None:
    init()
    (clone / ROOT / "judges").mkdir()
    said = command("submission", "check")
    assert "Remove it" not in said.stdout
    assert "no findings. Ready to send." in command("submission", "check", "--system", S).stdout


def test_init_asks_again_for_a_name_a_kind_and_a_number(clone: Path) -> None:
    words = ["My System", S, "Mine", "Ada", "Ada, 2026", "", "MODEL", "PROMPT", "12k", "128000"]
    given = ["submission", "init"]
    said = CliRunner().invoke(main, given, input="".join(f"{w}\n" for w in words))
    assert said.exit_code == 0, said.output
    assert said.output.count("Error: ") == 3
    value = json.loads((clone / ROOT / "metadata" / f"{S}.json").read_text())
    assert (value["url"], value["context"], value["type"]) == (None, 128000, "PROMPT")
    assert not {"base_model", "retriever", "paper"} & value.keys()


def test_send_pushes_one_commit_of_exactly_the_files(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    init()
    (clone / "dev.run.jsonl").write_text("what the sender tried first\n")
    before = git(clone, "status", "--porcelain"), git(clone, "rev-parse", "HEAD")
    dry = command("submission", "send", "--system", S, "--dry-run")
    assert "would be pushed" in dry.stdout
    assert "submission" not in git(clone.parent / "fork.git", "for-each-ref")
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
    said = command("submission", "send", "--system", S)
    assert said.exit_code == 0, said.stderr
    ran = (tmp_path / "trace").read_text()
    assert "git push" in ran
    assert not re.search("commit-tree|update-index|read-tree", ran), "GitPython's objects commit"
    fork = clone.parent / "fork.git"
    changed = git(fork, "diff", "--name-status", "main", f"submission/{S}").splitlines()
    assert changed == [f"A\t{ROOT}/metadata/{S}.json", f"A\t{ROOT}/openbook-generations/{S}.jsonl"]
    assert git(fork, "rev-list", "--count", f"main..submission/{S}") == "1"
    assert (git(clone, "status", "--porcelain"), git(clone, "rev-parse", "HEAD")) == before


def test_send_starts_no_program_that_the_clone_names(clone: Path, tmp_path: Path) -> None:
    """A clone that somebody else packed may hold a hook and a monitor; --dry-run started the monitor, too."""
    init()
    script = clone / ".git" / "hooks" / "pre-push"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path / 'started'}\n")
    script.chmod(0o755)
    git(clone, "config", "core.fsmonitor", str(script))
    for words in (("--dry-run",), ()):
        assert command("submission", "send", "--system", S, *words).exit_code == 0
    assert f"submission/{S}" in git(clone.parent / "fork.git", "for-each-ref")
    assert not (tmp_path / "started").exists()


@pytest.mark.parametrize("written", [S, "My-System"])
def test_what_was_sent_is_taken_in_and_scored(
    written: str,
    clone: Path,
    repository: Repository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Capitals become small letters at home as on the board, with a note."""
    init()
    for path in [*(clone / ROOT).glob(f"*/{S}.json*")]:
        path.rename(path.with_name(path.name.replace(S, written)))
    checked = command("submission", "check", "--system", written)
    assert checked.exit_code == 0
    assert ("the system is my-system on the board" in checked.stdout) == (written != S)
    assert command("submission", "send", "--system", written).exit_code == 0
    git(repository.path, "fetch", "--quiet", str(tmp_path / "fork.git"), f"submission/{S}:tmp")
    with_secrets(monkeypatch, repository)
    steps = Steps(
        repository, repository.pull(git(repository.path, "rev-parse", "tmp")), tmp_path / "p"
    )
    assert steps.whole()["state"] == "scored"


@pytest.mark.parametrize("spoil", ["untracked", "changed", "staged"])
def test_send_refuses_a_dirty_tree(clone: Path, spoil: str) -> None:
    init()
    place = clone / (f"{ROOT}/notes.txt" if spoil == "untracked" else "README.md")
    place.write_text("mine")
    if spoil == "staged":
        git(clone, "add", "README.md")
    said = command("submission", "send", "--system", S)
    assert said.exit_code == 2
    assert place.name in said.stderr


def test_send_refuses_what_is_no_clone_of_a_board(
    clone: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    init()
    alone = tmp_path / "alone"
    shutil.copytree(clone / ROOT, alone / ROOT)
    monkeypatch.chdir(alone)
    assert "no clone" in command("submission", "send", "--system", S).stderr
    git(alone, "init", "--quiet")
    git(alone, "commit", "--quiet", "--allow-empty", "-m", "x")
    assert command("submission", "send", "--system", S, "--base", "HEAD").exit_code == 2


def test_send_says_which_remotes_there_are(clone: Path) -> None:
    init()
    said = command("submission", "send", "--system", S, "--remote", "orign")
    assert said.exit_code == 2
    assert "origin" in said.stderr


def test_send_says_that_the_remote_refused(clone: Path) -> None:
    init()
    git(clone, "remote", "set-url", "origin", str(clone.parent / "nowhere.git"))
    said = command("submission", "send", "--system", S)
    assert said.exit_code == 1
    assert "git-failed" in said.stderr


def test_send_checks_first(clone: Path) -> None:
    init()
    (clone / ROOT / "openbook-generations" / f"{S}.jsonl").write_text("{\n")
    said = command("submission", "send", "--system", S)
    assert said.exit_code == 1
    assert "missing-ids" in said.stdout
    assert "submission" not in git(clone.parent / "fork.git", "for-each-ref")


@pytest.mark.parametrize("word", ["withdrawn", "superseded"])
def test_who_sent_a_system_may_take_it_off(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str
) -> None:
    with_secrets(monkeypatch, repository)
    first = repository.send(S)
    Steps(repository, first, tmp_path / "1").whole()
    repository.merge(first.sha)
    git(tmp_path, "clone", "--quiet", str(repository.path), "checkout")
    folder = tmp_path / "checkout" / ROOT
    show = ("board", "fetch", folder, "--remote", repository.remote, "--out")
    command(*show, tmp_path / "before")
    assert (tmp_path / "before" / "results" / SEASON / f"{S}.json").is_file()
    about = json.loads((folder / "metadata" / f"{S}.json").read_text())
    text = json.dumps({**about, "status": word})
    again = repository.pull(repository.commit({f"{ROOT}/metadata/{S}.json": text}))
    outcome = Steps(repository, again, tmp_path / "2").whole()
    assert outcome["state"] == word
    command(*show, tmp_path / "after")
    assert not (tmp_path / "after" / "results" / SEASON / f"{S}.json").exists()
    ledger = command("board", "ledger", "--remote", repository.remote, "--system", S).stdout
    assert "scored" in ledger
    assert outcome["state"] in ledger
