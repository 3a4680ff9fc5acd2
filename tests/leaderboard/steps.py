"""The steps of the board as commands, one after the other, as the workflow runs them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from argue_bench.cli import main
from argue_bench.leaderboard.intake.entries import PullRequest
from tests.leaderboard.repositories import SIGNING, Repository


def command(words: str, *arguments: object, **options: object) -> Result:
    """What a command says; an option that is True has no value."""
    given = [*words.split(), *map(str, arguments)]
    for name, value in options.items():
        given += [f"--{name.replace('_', '-')}", *([] if value is True else [str(value)])]
    said = CliRunner().invoke(main, given)
    if said.exception is not None and not isinstance(said.exception, SystemExit):
        raise said.exception
    return said


@dataclass
class Steps:
    """One pull request on its way."""

    repository: Repository
    request: PullRequest
    folder: Path

    @property
    def taken(self) -> Path:
        return self.folder / "taken"

    @property
    def scored(self) -> Path:
        return self.folder / "scored"

    def intake(self) -> str:
        """The digest of the bundle."""
        r = self.request
        said = command(
            "board ci intake",
            remote=r.remote,
            pr=r.pr,
            sha=r.sha,
            base=r.base,
            author=r.author,
            folder=self.repository.folder,
            out=self.taken,
            **({"screened": True} if r.screened else {}),
        )
        assert said.exit_code == 0, said.stderr
        return said.stdout.strip().removeprefix("digest=")

    def score(self, digest: str, *options: object) -> Result:
        return command(
            "board ci score",
            self.repository.folder,
            *options,
            bundle=self.taken / "bundle",
            expect=digest,
            remote=self.request.remote,
            out=self.scored,
        )

    def record(self) -> Result:
        r = self.request
        return command(
            "board ci record",
            outcome=self.scored,
            remote=r.remote,
            pr=r.pr,
            sha=r.sha,
            folder=self.repository.folder,
        )

    def comment(self) -> str:
        out = self.folder / "comment.md"
        said = command("board", "ci", "comment", "--outcome", self.scored, "--out", out)
        assert said.exit_code == 0, said.stderr
        return out.read_text(encoding="utf-8")

    @property
    def outcome(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads((self.scored / "score.json").read_bytes())
        return value

    def whole(self) -> dict[str, Any]:
        """Everything, recorded; the outcome."""
        self.score(self.intake())
        said = self.record()
        assert said.exit_code == 0, said.stderr
        return self.outcome


def codes(outcome: dict[str, Any]) -> list[str]:
    return [code for level, code, _, _ in outcome["findings"] if level == "error"]


def with_secrets(monkeypatch: pytest.MonkeyPatch, repository: Repository) -> None:
    monkeypatch.setenv("ANSWERS_KEY", repository.key)
    monkeypatch.setenv("SIGNING_KEY", SIGNING)
