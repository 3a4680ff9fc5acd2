"""Options that several commands of a board share, and the printing of their errors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import click

from argue_bench.cli.commands import ADVANCED, as_field, option
from argue_bench.cli.options import FOLDER, PATH, SETTINGS, judge_option, was_given
from argue_bench.errors import DataError
from argue_bench.leaderboard.formats.layout import TOLD
from argue_bench.leaderboard.seasons.real_data import track_board
from argue_bench.leaderboard.seasons.sealing import Terms

RESULTS = "leaderboard-results"
# Environment variables with the key of the sealed gold, the key that signs, and that of the judge's provider.
ANSWERS_KEY, SIGNING_KEY = "ANSWERS_KEY", "SIGNING_KEY"

remote_option = option(
    "--remote", required=True, help="The board's repository: https:// or file://."
)
results_option = option("--results", default=RESULTS, help="The branch with the results.")
board_option = option(
    "--folder",
    type=PATH,
    default=FOLDER,
    help="The board's own folder of submissions: season and public keys.",
)
spend_option = option(
    "--budget",
    type=float,
    metavar="USD",
    group="Judge",
    help="Stop before judges have spent more US dollars.",
)


secrets_option = option(
    "--secrets",
    type=PATH,
    required=True,
    group="Input",
    help="A folder outside repositories, for the keys.",
)


@dataclass(frozen=True)
class SeasonOptions:
    """The options that define a new season; what else season.json says is edited there."""

    name: str = as_field(
        option("--season", default="season-1", group="Season", help="Name of the season.")
    )
    title: str = as_field(option(default="", group=ADVANCED, help="Title of the season."))
    settings: tuple[str, ...] = as_field(
        option(
            "--setting",
            multiple=True,
            type=click.Choice(SETTINGS),
            group="Season",
            help="Setting of the season; may be repeated. [default: all]",
        )
    )
    metrics: tuple[str, ...] = as_field(
        option(
            "-m",
            "--metric",
            multiple=True,
            group="Season",
            help="Metric of the season; may be repeated.",
        )
    )
    judges: dict[str, str] = as_field(judge_option)
    ranked: str = as_field(option(default="argue.f1", group="Season", help="Score that ranks."))
    quota: int = as_field(
        option(default=5, group=ADVANCED, help="Scored runs of an author; 0: any number.")
    )
    told: str = as_field(
        option(
            type=click.Choice(TOLD),
            default=TOLD[0],
            group=ADVANCED,
            help="What authors learn while gold is hidden: the ranked score in steps, or every score.",
        )
    )

    def terms(self, track: str, data: Mapping[str, Any]) -> Terms:
        """The terms that season.json declares; those that the user did not name come from a TREC track's
        table, or from the ``data`` of the season."""

        judges = {"": "lexical", **self.judges}
        common: dict[str, Any] = {
            "judge": judges.pop(""),
            "judges": judges,
            "quota": self.quota or None,
            "told": self.told,
        }
        own: dict[str, Any] = {
            name: getattr(self, name) for name in ("title", "settings", "metrics", "ranked")
        }
        given = {**data, **{name: value for name, value in own.items() if was_given(name)}}
        if track:
            if was_given("name"):
                common["season"] = self.name
            return track_board(track).terms(**given, **common)
        return Terms(**{"season": self.name, "title": self.title, **given, **common})


@contextmanager
def print_codes_only() -> Iterator[None]:
    """Prints only the codes of a DataError, and exits with 1.

    The logs of a workflow are public: a message could quote a submission, or gold.
    """

    try:
        yield
    except DataError as error:
        click.echo("\n".join(f"code: {finding.code}" for finding in error.findings[:50]), err=True)
        raise SystemExit(1) from None
