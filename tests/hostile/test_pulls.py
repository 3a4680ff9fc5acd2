"""Each hostile pull request ends in its own codes: nothing runs, nothing is written, nobody is harmed."""

from __future__ import annotations

import json
import random
import resource
from pathlib import Path

import pytest
from click.testing import CliRunner

from argue_bench.cli import main
from argue_bench.leaderboard.formats import git_objects
from argue_bench.leaderboard.formats.outcome import read_outcome
from argue_bench.leaderboard.intake.entries import PullRequest
from argue_bench.leaderboard.publishing.comment import write_comment
from tests.hostile.pulls import PULLS, S
from tests.leaderboard.repositories import ROOT, Content, Repository, git

MARKER = Path("/tmp/argue-bench-was-executed")
# Kilobytes by which a pull request may raise the most that this process ever had.
MOST_MEMORY = 500_000


def take(
    request: PullRequest, repository: Repository, out: Path, *options: str
) -> tuple[int, str, str]:
    """The command as the workflow runs it: exit code, stdout, stderr."""
    said = CliRunner().invoke(
        main,
        [
            "board",
            "ci",
            "intake",
            "--remote",
            request.remote,
            "--pr",
            str(request.pr),
            "--sha",
            request.sha,
            "--base",
            request.base,
            "--author",
            request.author,
            "--results",
            request.results,
            "--folder",
            str(repository.folder),
            "--out",
            str(out),
            *options,
        ],
    )
    assert not isinstance(said.exception, Exception) or isinstance(said.exception, SystemExit)
    return said.exit_code, said.stdout, said.stderr


@pytest.mark.parametrize(
    ("bound", "little", "code"),
    [
        (git_objects.DISK_BYTES >> 9, 64, "not-fetched"),
        (git_objects.MEMORY_BYTES >> 10, 64, "git-failed"),
    ],
)
def test_git_ends_where_it_would_fill_disk_or_memory(
    bound: int,
    little: int,
    code: str,
    repository: Repository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    noise = random.Random(1)
    each = ({"id": id, "answer": noise.randbytes(5_000).hex()} for id in repository.ids)
    request = repository.send(S, answers="".join(json.dumps(one) + "\n" for one in each))
    assert "over-limit" in take(request, repository, tmp_path / "read")[2]
    bounds = git_objects.BOUNDED.replace(str(bound), str(little))
    assert bounds != git_objects.BOUNDED
    monkeypatch.setattr(git_objects, "BOUNDED", bounds)
    assert f"code: {code}\n" in take(request, repository, tmp_path / "out")[2]


def refs(repository: Repository) -> str:
    return git(repository.path, "for-each-ref")


def files(folder: Path) -> set[str]:
    return {str(path) for path in folder.rglob("*") if ".git" not in path.suffixes}


def test_there_are_enough_of_them() -> None:
    assert len(PULLS) >= 100


@pytest.mark.parametrize("name", PULLS)
def test_each_ends_in_its_codes_and_harms_nobody(
    name: str, repository: Repository, tmp_path: Path
) -> None:
    make, expected = PULLS[name]
    request = make(repository)
    before = refs(repository), files(repository.folder)
    out = tmp_path / "out"
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    code, printed, talk = take(request, repository, out)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - most < MOST_MEMORY
    assert code == 1, talk
    outcome = read_outcome(out / "intake.json")
    assert outcome.state == "refused"
    assert sorted(set(outcome.codes)) == sorted(set(expected)), outcome.findings
    assert printed == ""
    for line in talk.splitlines():
        assert line.startswith("code: "), line
        assert line.isascii(), line
    assert not MARKER.exists()
    assert not (out / "bundle").exists()
    assert (refs(repository), files(repository.folder)) == before
    shown = write_comment(outcome)
    assert len(shown) < 65_000
    assert "\n::" not in shown
    for mark in ("<script", "<img", "](http", "javascript:alert(document.cookie)\n"):
        assert mark not in shown.replace("`", "\n`") or f"`{mark}" in shown or "`" in shown


ORGANISERS: dict[str, dict[str, Content]] = {
    "workflows": {".github/workflows/score.yml": "on: push\n", "README.md": "x"},
    "a season": {f"{ROOT}/season.json": "{}", f"{ROOT}/gold.jsonl.sealed": "x"},
    "topics": {f"{ROOT}/topics/questions.jsonl": "{}"},
    "a key": {f"{ROOT}/keys/new.pem": "x", f"{ROOT}/judges/lexical.json": "{}"},
    "nothing": {},
}


@pytest.mark.parametrize("name", ORGANISERS)
def test_the_required_check_lets_the_organisers_changes_be_merged(
    name: str, repository: Repository, tmp_path: Path
) -> None:
    """The rule of main wants this check of each pull request: red, nobody could merge a season."""
    request = repository.pull(repository.commit(ORGANISERS[name]))
    code, printed, talk = take(request, repository, tmp_path / "out", "--allow-none")
    assert (code, printed, talk) == (0, "", "")
    outcome = read_outcome(tmp_path / "out" / "intake.json")
    assert (outcome.state, outcome.codes, outcome.digest) == ("none", [], None)
    assert not (tmp_path / "out" / "bundle").exists()
    assert "No submission is changed" in write_comment(outcome)
    code, _, _ = take(request, repository, tmp_path / "scoring")
    assert code == 1, "there is nothing to score"


@pytest.mark.parametrize(
    "name",
    ["a workflow", "the season", "results alone", "a program in the folder", "folders without end"],
)
def test_the_required_check_is_as_strict_with_everything_else(
    name: str, repository: Repository, tmp_path: Path
) -> None:
    make, expected = PULLS[name]
    code, _, _ = take(make(repository), repository, tmp_path / "out", "--allow-none")
    assert code == 1
    outcome = read_outcome(tmp_path / "out" / "intake.json")
    assert (outcome.state, sorted(set(outcome.codes))) == ("refused", sorted(set(expected)))


def test_an_honest_one_becomes_a_bundle(repository: Repository, tmp_path: Path) -> None:
    code, printed, talk = take(repository.send(S), repository, tmp_path / "out")
    assert code == 0, talk
    assert printed.startswith("digest=")
    assert len(printed.strip()) == len("digest=") + 64
    outcome = json.loads((tmp_path / "out" / "intake.json").read_bytes())
    assert (outcome["state"], outcome["system"], outcome["author"]) == ("ready", S, "1001")
