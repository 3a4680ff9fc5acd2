"""A scorer that fails with the gold in its mouth: what it says leaves encrypted, and in no other way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from argue_bench.leaderboard.commands.board import job
from argue_bench.leaderboard.scoring import scored_settings as scored
from argue_bench.leaderboard.seasons.sealing import sealed_gold
from argue_bench.leaderboard.signing.keys import unseal
from tests.leaderboard.repositories import Repository
from tests.leaderboard.steps import Steps, with_secrets


def test_a_scorer_that_says_the_gold_and_fails_is_a_code(
    repository: Repository,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """It prints, writes past Python, warns, starts a program that prints, and raises: gold each time."""
    with_secrets(monkeypatch, repository)
    one = Steps(repository, repository.send("my-system"), tmp_path / "pr")
    digest = one.intake()
    capfd.readouterr()
    gold = json.loads(sealed_gold(repository.folder, repository.key).splitlines()[0])
    secret = gold["nuggets"][0]["question"]
    said_by = {
        way: f"{way}: {secret}" for way in ("print", "stderr", "descriptor", "program", "raise")
    }

    def fails(*_: object, **__: object) -> None:
        print(said_by["print"])
        print(said_by["stderr"], file=sys.stderr)
        os.write(1, said_by["descriptor"].encode())
        subprocess.run(["echo", said_by["program"]], check=True)
        raise ValueError(said_by["raise"])

    monkeypatch.setattr(scored, "evaluate_setting", fails)
    said = one.score(digest)
    assert (said.stdout, said.stderr) == ("", "state: failed\ncode: scorer-failed\n")
    assert tuple(capfd.readouterr()) == ("", "")
    sealed = (one.scored / "diagnosis.sealed").read_bytes()
    inside = unseal(sealed, repository.key, f"diagnosis/{digest}", "diagnosis").decode()
    assert all(text in inside for text in said_by.values())
    written = b"".join(path.read_bytes() for path in one.scored.rglob("*") if path.is_file())
    assert secret.encode() not in written + one.comment().encode()


@pytest.mark.parametrize(
    ("judge", "wait"),
    [
        ("lexical", 44.5),
        ("server/m", 4_424.5),
        ("panel:lexical+server/m", 4_424.5),
        ("argue(judge=server/m)", 4_424.5),
    ],
)
def test_a_scoring_ends_at_a_full_minute_and_writes_nothing_before(
    repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, judge: str, wait: float
) -> None:
    """The files came before the wait, so that their dates said how long the scoring had taken.

    How often a model is asked hangs on the gold, and an answer of 400 sentences makes minutes of it.
    """
    with_secrets(monkeypatch, repository)
    monkeypatch.setenv("ARGUE_BENCH_BASE_URL", "http://127.0.0.1:9/v1")
    season = repository.folder / "season.json"
    given = json.loads(season.read_text()) | {"group": None}
    # A model may be named in the text of a metric, too.
    named = {"metrics": [*given["metrics"], judge]} if "(" in judge else {"judge": judge}
    season.write_text(json.dumps(given | named))
    one = Steps(repository, repository.send("my-system"), tmp_path / "pr")
    digest, clock = one.intake(), iter((100.0, 175.5))
    waited: list[tuple[float, bool]] = []

    class Time:
        monotonic = staticmethod(lambda: next(clock))
        sleep = staticmethod(lambda seconds: waited.append((seconds, one.scored.exists())))

    monkeypatch.setattr(job, "time", Time)
    monkeypatch.setattr(scored, "evaluate_setting", lambda *_: 1 / 0)
    assert one.score(digest, "--pad", 60, "--minutes", 75).exit_code == 1
    assert waited == [(wait, False)]
    assert (one.scored / "score.json.sig").is_file()
