"""Options that several commands of a board share, and the printing of their errors."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from argue_bench.cli.commands import option
from argue_bench.cli.options import (
    FOLDER,
    PATH,
    SETTINGS,
    group_options,
    judge_option,
    was_given,
)
from argue_bench.leaderboard.formats.layout import TOLD

if TYPE_CHECKING:
    from argue_bench.leaderboard.seasons.sealing import Terms

RESULTS = "leaderboard-results"
JUDGE_KEY = "JUDGE_API_KEY"

remote_option = option("--remote", required=True)
results_option = option("--results", default=RESULTS)
board_option = option("--folder", type=PATH, default=FOLDER)
key_env_option = option("--key-env", default="ANSWERS_KEY")
signing_env_option = option("--signing-env", default="SIGNING_KEY")
judge_key_env_option = option("--judge-key-env", default=JUDGE_KEY)
spend_option = option("--budget", type=float, metavar="USD")


secrets_option = option("--secrets", type=PATH, required=True)


@dataclass(frozen=True)
class SeasonOptions:
    """The options that define a new season."""

    name: str
    title: str
    settings: tuple[str, ...]
    metrics: tuple[str, ...]
    judges: dict[str, str]
    ranked: str
    quota: int
    told: str
    step: float | None
    limit: int
    over_limit: str
    sources: str

    def terms(self, track: str = "", **further: Any) -> Terms:
        """The terms that season.json declares; for the board of a TREC track the table
        gives those that the user did not."""
        from argue_bench.leaderboard.seasons.sealing import Terms

        judges = {"": "lexical", **self.judges}
        common: dict[str, Any] = {
            "judge": judges.pop(""),
            "judges": judges,
            "quota": self.quota or None,
            "told": self.told,
            "step": self.step,
            "sources": self.sources or None,
            **further,
        }
        own: dict[str, Any] = {
            "season": self.name,
            "title": self.title,
            "settings": self.settings,
            "metrics": self.metrics,
            "ranked": self.ranked,
            "limit": self.limit,
            "over_limit": self.over_limit,
        }
        if track:
            from argue_bench.leaderboard.seasons.tracks import track_board

            given = {key: value for key, value in own.items() if was_given(_NAMES.get(key, key))}
            return track_board(track).terms(**given, **common)
        empty = {key for key in ("settings", "metrics") if not own[key]}
        return Terms(**{key: value for key, value in own.items() if key not in empty}, **common)


_NAMES = {"season": "name"}
"""Terms whose option has another name."""
season_options = group_options(
    "season",
    SeasonOptions,
    option("--season", "name", default="season-1"),
    option("--title", default=""),
    option("--setting", "settings", multiple=True, type=click.Choice(SETTINGS)),
    option("-m", "--metric", "metrics", multiple=True),
    judge_option,
    option("--ranked", default="argue.f1"),
    option("--quota", default=5),
    option("--told", type=click.Choice(TOLD), default=TOLD[0]),
    option("--step", type=float, metavar="POINTS"),
    option("--limit", type=click.IntRange(1, 200_000), metavar="CHARACTERS", default=4_000),
    option("--over-limit", type=click.Choice(["refuse", "cut"]), default="refuse"),
    option("--sources", default="", metavar="fetched|SHA256"),
)


def remote_and_token(remote: str) -> tuple[str, str]:
    """The address and the token for it, which comes from the environment alone (GH_TOKEN)."""
    return remote, os.environ.get("GH_TOKEN", "")


@contextmanager
def print_codes_only() -> Iterator[None]:
    """Prints only the codes of a DataError, and exits with 1.

    The logs of a workflow are public: a message could quote a submission, or gold.
    """
    from argue_bench.errors import DataError

    try:
        yield
    except DataError as error:
        for finding in error.findings[:50]:
            click.echo(f"code: {finding.code}", err=True)
        raise SystemExit(1) from None


def write_files(out: Path, files: Mapping[str, bytes]) -> None:
    """Writes each file below ``out``."""
    for path, content in files.items():
        place = out / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content)
