"""``python -m tools.rehearse FOLDER``: baselines and what a folder holds, through a submission's whole path."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import folder_argument
from argue_bench.leaderboard.commands.board.options import ANSWERS_KEY
from argue_bench.leaderboard.formats.layout import ROOT

if TYPE_CHECKING:
    from argue_bench.loaders.dataset import Dataset

BRANCH = "leaderboard-results"
SENDER = {
    f"GIT_{role}_{part}": value
    for role in ("AUTHOR", "COMMITTER")
    for part, value in (
        ("NAME", "argue-bench"),
        ("EMAIL", "rehearsal@example.org"),
        ("DATE", "2026-01-01T00:00:00Z"),
    )
}


@command()
@folder_argument
@option(
    "--system",
    "systems",
    multiple=True,
    help="A baseline or an entry of FOLDER; may be repeated. [default: all]",
)
def rehearse(folder: Path, systems: tuple[str, ...]) -> None:
    """Let the baselines and the entries of FOLDER enter its rehearsal season, and lay their signed rows there.

    Each goes through a repository in a temporary folder: a pull request, intake, scoring against the
    sealed gold, and a recorded result. The key that signs is made for this one run and then forgotten:
    its public half stays under keys/retired, where it vouches for these rows and for nothing new.

    Example: python -m tools.rehearse leaderboard-submissions
    """
    from argue_bench.errors import UsageError
    from argue_bench.leaderboard.formats.season import read_season
    from argue_bench.leaderboard.signing.keys import public_pem, secret_from

    season = read_season(folder)
    if season.group != "rehearsal" or season.told != "all":
        raise UsageError(
            f"{season.season} is not a rehearsal that tells everything: send real entries"
        )
    if list((folder / "keys").glob("*.pem")):
        raise UsageError(f"{folder}/keys has a key that signs: its board takes pull requests")
    signing = secrets.token_hex(32)
    name, pem = public_pem(signing)
    given = {ANSWERS_KEY: secret_from(ANSWERS_KEY), "SIGNING_KEY": signing}
    with TemporaryDirectory(prefix="argue-bench-rehearsal-") as place:
        work = Path(place)
        sent = work / "sent"
        known = dict(_write_submissions(sent, folder, season.load(), systems))
        trusted = _begin(work, folder, name, pem)
        for number, (system, files) in enumerate(known.items(), 1):
            _send(work, sent, number, files)
            _score(work, trusted, number, system, given)
            click.echo(f"{system}: recorded ({number} of {len(known)}).", err=True)
        _git(work / "repository", "checkout", "--quiet", BRANCH)
        _lay(work / "repository" / ROOT, sent, folder, season.season)
    key = folder / "keys" / "retired" / f"{name}.pem"
    shutil.rmtree(folder / "keys", ignore_errors=True)
    key.parent.mkdir(parents=True)
    key.write_bytes(pem)
    click.echo(
        f"{folder}: {len(known)} systems; build the pages with: argue-bench site build {folder}"
    )


def _write_submissions(
    sent: Path, folder: Path, dataset: Dataset, wanted: tuple[str, ...]
) -> Iterator[tuple[str, list[Path]]]:
    """Writes answers and metadata of the systems; yields each with its files, from ``sent``.

    Baselines answer anew; other systems are sent as they lie in the folder.
    """
    from argue_bench.baselines import BASELINES
    from argue_bench.leaderboard.commands.demo import submit_baseline

    there = sorted(path.stem for path in folder.glob("metadata/*.json"))
    for system in wanted or dict.fromkeys((*BASELINES, *there)):
        if system in BASELINES:
            submit_baseline(sent, system, dataset)
        else:
            for path in folder.glob(f"*/{system}.json*"):
                place = sent / path.relative_to(folder)
                place.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, place)
        yield system, [path.relative_to(sent) for path in sorted(sent.glob(f"*/{system}.json*"))]


def _begin(work: Path, folder: Path, key: str, pem: bytes) -> Path:
    """A repository whose main holds the board without any entry; returns the board as main has it."""
    trusted = work / "trusted" / ROOT
    trusted.mkdir(parents=True)
    for path in [path for path in folder.iterdir() if path.is_file()]:
        shutil.copyfile(path, trusted / path.name)
    (trusted / "keys").mkdir()
    (trusted / "keys" / f"{key}.pem").write_bytes(pem)
    shutil.copytree(trusted.parent, work / "repository")
    _git(work / "repository", "init", "--quiet", "--initial-branch=main")
    _git(work / "repository", "config", "uploadpack.allowFilter", "true")
    _git(work / "repository", "config", "receive.denyCurrentBranch", "ignore")
    _git(work / "repository", "add", "--all")
    _git(work / "repository", "commit", "--quiet", "-m", "The season")
    return trusted


def _send(work: Path, sent: Path, number: int, files: list[Path]) -> None:
    """One pull request: a commit on main with the system's files."""
    repository = work / "repository"
    board = repository / ROOT
    _git(repository, "checkout", "--quiet", "-b", f"entry-{number}", "main")
    for path in files:
        (board / path.parent).mkdir(exist_ok=True)
        shutil.copyfile(sent / path, board / path)
    _git(repository, "add", "--all")
    _git(repository, "commit", "--quiet", "-m", "An entry")
    _git(repository, "update-ref", f"refs/pull/{number}/head", "HEAD")
    _git(repository, "checkout", "--quiet", "main")


def _score(work: Path, trusted: Path, number: int, system: str, given: dict[str, str]) -> None:
    """Intake, scoring and recording, as the workflow's commands."""
    repository, out = work / "repository", work / f"entry-{number}"
    remote = ("--remote", repository.as_uri())
    sha, base = (_git(repository, "rev-parse", ref) for ref in (f"refs/pull/{number}/head", "main"))
    pull = ("--pr", str(number), "--sha", sha)
    # Authors differ, as a board gives its author's second, weaker system no row.
    author = ("--author", f"rehearsal-{system}")
    taken, scored = out / "taken", out / "scored"
    at = ("--folder", str(trusted))
    said = _step(
        *("intake", *remote, *pull, "--base", base, *author, *at, "--out", str(taken)),
        # Some of its entries are games, which a board would hold: here they are shown on purpose.
        "--screened",
        given=given,
    )
    expect = said.strip().removeprefix("digest=")
    bundle = ("--bundle", str(taken / "bundle"), "--expect", expect)
    _step("score", str(trusted), *bundle, *remote, "--out", str(scored), given=given)
    _step("record", "--outcome", str(scored), *remote, *pull, *at, given=given)


def _lay(branch: Path, sent: Path, folder: Path, season: str) -> None:
    """Copies results, ledger, answers and metadata into the folder, over earlier ones."""
    shutil.rmtree(folder / "results" / season, ignore_errors=True)
    found = [
        path for path in branch.glob(f"results/{season}/*") if path.suffix in (".json", ".sig")
    ]
    copies = {branch / "results" / "ledger.jsonl": "results/ledger.jsonl"}
    copies |= {path: path.relative_to(branch).as_posix() for path in found}
    copies |= {path: path.relative_to(sent).as_posix() for path in sent.glob("*/*.json*")}
    for path, inside in copies.items():
        (folder / inside).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, folder / inside)


def _step(name: str, *arguments: str, given: dict[str, str]) -> str:
    return _run(
        [sys.executable, "-m", "argue_bench", "board", "ci", name, *arguments], Path.cwd(), given
    )


def _git(folder: Path, *arguments: str) -> str:
    return _run(["git", *arguments], folder, {**SENDER, "GIT_CONFIG_GLOBAL": os.devnull}).strip()


def _run(words: list[str], folder: Path, given: dict[str, str]) -> str:
    done = subprocess.run(
        words, cwd=folder, env={**os.environ, **given}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        step = " ".join(words[2:6] if words[0] == sys.executable else words[:2])
        raise click.ClickException(f"{step} failed: {done.stderr.strip()[-600:]}")
    return done.stdout


if __name__ == "__main__":
    rehearse()
