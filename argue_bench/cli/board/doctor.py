"""``board doctor``: checks the settings of a board's repository through the platform's API."""

from __future__ import annotations

import os

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import format_option
from argue_bench.cli.tables import print_as, show_table
from argue_bench.table import Table


@command()
@option("--repository", required=True, metavar="OWNER/NAME")
@option("--api", default="https://api.github.com", metavar="URL")
@format_option
def doctor(repository: str, api: str, format: str) -> None:
    """Check the settings of the board's repository on GitHub; reads, and changes nothing.

    The token is in GH_TOKEN; it needs to read administration, environments and secrets' names, else those
    settings are not visible. Exits 1 where a setting is wrong.

    Example: argue-bench board doctor --repository OWNER/NAME
    """
    from dataclasses import asdict

    from argue_bench.leaderboard.seasons.doctor import check_settings
    from argue_bench.leaderboard.seasons.platform import Platform

    found = check_settings(Platform(repository, os.environ.get("GH_TOKEN", ""), api))
    rows = [(one.state, one.place, one.wanted, one.found) for one in found]
    table = Table(("", "where", "wanted", "found"), rows)
    if not print_as(format, [asdict(one) for one in found], table, indent=2):
        show_table(table)
    wrong = sum(one.state == "wrong" for one in found)
    unseen = sum(one.state == "not visible" for one in found)
    click.echo(
        f"{len(found)} settings: {wrong} wrong, {unseen} not visible to this token: look at those yourself.",
        err=True,
    )
    if wrong:
        raise SystemExit(1)
