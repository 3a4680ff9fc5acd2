"""``board init|workflows|rotate-key``: a new board, its workflows, its signing key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.board.options import SeasonOptions, season_options, secrets_option
from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH, folder_argument

if TYPE_CHECKING:
    from argue_bench.leaderboard.formats.season import Season

_PACKAGE = "OWNER/NAME@COMMIT"


@command("init")
@click.argument("out", type=PATH)
@option("--data", type=PATH, required=True)
@option("--track", default="")
@secrets_option
@option("--key-file", type=PATH)
@season_options
@option("--quota-days", type=click.IntRange(1, 10000), metavar="DAYS")
@option("--package", default="", metavar=_PACKAGE)
@option("--answer-days", default=7)
@option("--licence", default="CC-BY-4.0")
@option("--owner", "owners", multiple=True)
def board_init(
    out: Path,
    data: Path,
    track: str,
    secrets: Path,
    key_file: Path | None,
    season: SeasonOptions,
    quota_days: int | None,
    package: str,
    answer_days: int,
    licence: str,
    owners: tuple[str, ...],
) -> None:
    """Make a new board in OUT, ready to be pushed: season, sealed gold, public key, texts, workflows.

    Example: argue-bench board init my-board --data my-set --secrets ~/my-board-keys
    """
    from argue_bench.leaderboard.formats.layout import ROOT
    from argue_bench.leaderboard.formats.season import read_season
    from argue_bench.leaderboard.seasons.board_init import Promise, init_board

    terms = season.terms(track, quota_days=quota_days)
    promise = Promise(answer_days, licence, owners)
    made = init_board(out, data, terms, secrets, package, key_file, promise)
    click.echo(f"{out}: a board of {made.topics} topics; results are signed by key {made.key_id}.")
    click.echo(f"{made.secrets}: ANSWERS_KEY and SIGNING_KEY. Keep them out of the repository.")
    click.echo(told_words(read_season(out / ROOT)))
    click.echo(
        f"Before participants come, set up the repository on GitHub: {out}/docs/operate.md lists every "
        "setting, and argue-bench board doctor --repository OWNER/NAME checks them."
    )
    if not package:
        why = f"argue-bench board workflows {out} --package OWNER/NAME@COMMIT"
        click.echo(f"No workflows were written. For GitHub: {why}", err=True)


def told_words(season: Season) -> str:
    """What a season publishes about its hidden gold, and how many bits that is at most."""
    from argue_bench.leaderboard.formats.bound import shown_bits

    if season.step is None:
        return "Everything is told: gold can be read out of the scores. Rehearse with it, rank nothing."
    told = f"Authors learn {season.ranked} in steps of {season.step:g} points, and nothing else."
    if season.quota is None:
        return f"{told} Without a quota nothing bounds what an author learns of the gold."
    most = f"{told} An author learns at most {shown_bits(season.quota, season.step):g} bits of the gold a setting"
    if season.quota_days is None:
        return f"{most}."
    return f"{most} in any {season.quota_days} days; a season that stays open tells more with each such time."


@command()
@click.argument("board", type=PATH, default=Path())
@option("--package", required=True, metavar=_PACKAGE)
def workflows(board: Path, package: str) -> None:
    """Write the workflows of the board in BOARD, or let them call another commit of argue-bench.

    Example: argue-bench board workflows my-board --package OWNER/argue-bench@COMMIT
    """
    from argue_bench.leaderboard.seasons.board_init import write_workflows

    for path in write_workflows(board, package):
        click.echo(f"{path}")


@command("rotate-key")
@folder_argument
@secrets_option
def board_rotate_key(folder: Path, secrets: Path) -> None:
    """Make a new signing key; the one before is retired, and verifies what it signed.

    Example: argue-bench board rotate-key leaderboard-submissions --secrets ~/my-board-keys/2027
    """
    from argue_bench.leaderboard.seasons.board_init import SECRETS
    from argue_bench.leaderboard.seasons.board_init import rotate_key as make

    name, old = make(folder, secrets)
    click.echo(f"{folder}/keys/{name}.pem signs from now on; retired: {', '.join(old) or 'none'}.")
    click.echo(f"{secrets / SECRETS}: the new SIGNING_KEY.")
    click.echo("Commit the keys folder, and put the new key where the scoring runs.", err=True)
