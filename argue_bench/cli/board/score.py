"""``board score``: the submissions of a folder, scored by local gold."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import click

from argue_bench.cli.board.job import open_gold
from argue_bench.cli.board.options import key_env_option
from argue_bench.cli.commands import command, option
from argue_bench.cli.options import (
    PATH,
    DatasetOptions,
    cluster_of,
    cluster_option,
    dataset_options,
    folder_argument,
    judge_option,
    workers_option,
)
from argue_bench.cli.progress import progress
from argue_bench.cli.tables import show_findings
from argue_bench.leaderboard.formats.layout import GROUPS


@command("score")
@folder_argument
@dataset_options(default="")
@option("--gold", type=PATH)
@option("--system", default="")
@judge_option
@workers_option
@cluster_option
@key_env_option
@option("--group", type=click.Choice(GROUPS))
@option("--author")
@option("--sources", type=PATH, metavar="DIR")
@option("--out", type=PATH)
def board_score(
    folder: Path,
    chosen: DatasetOptions,
    gold: Path | None,
    system: str,
    judges: dict[str, str],
    workers: int | None,
    cluster: str,
    key_env: str,
    group: str | None,
    author: str | None,
    sources: Path | None,
    out: Path | None,
) -> None:
    """Check and score the submissions in FOLDER by local gold.

    A system with errors is refused, the others are scored; then the exit code is 1. Sealed gold is
    opened with the key in --key-env, unless --gold names it in the open.

    Example: argue-bench board score leaderboard-submissions --out /tmp/board
    """
    from argue_bench.leaderboard.formats.season import read_season
    from argue_bench.leaderboard.scoring.local_scoring import JudgeOptions, score_folder, with_gold
    from argue_bench.leaderboard.seasons.sealing import SEALED
    from argue_bench.leaderboard.signing.keys import secret_from

    season = read_season(folder)
    dataset = season.load(chosen.dataset, chosen.split, chosen.data)
    if gold is not None:
        dataset = with_gold(dataset, gold)
    elif dataset.sealed and (folder / SEALED).is_file() and not chosen.given:
        dataset = open_gold(folder, season, None, secret_from(key_env, "key of the gold"))
    system_now = ""
    good = bad = 0
    with (
        progress("scoring", len(dataset), lambda: system_now) as step,
        _standing(cluster_of(workers, cluster)) as shared_with,
    ):

        def tell(name: str, done: int) -> None:
            nonlocal system_now
            system_now = name
            step(done)

        # What people label is a run, so a season that requires labels keeps them.
        runs = None if season.labels is None else (out or folder) / "runs"
        judging = JudgeOptions(judges, group or "", author, tell, runs, shared_with)
        for scored in score_folder(
            folder, season, dataset, out or folder, judging, system, sources
        ):
            if scored.result is not None:
                good += 1
                click.echo(f"{scored.path}")
                continue
            bad += 1
            show_findings(scored.findings)
            if scored.problem:
                click.echo(f"{scored.system}: {scored.problem}", err=True)
            click.echo(f"{scored.system or folder}: not scored", err=True)
    click.echo(f"{good} scored on {dataset.title}, {bad} refused.", err=True)
    if dataset.note:
        click.echo(dataset.note, err=True)
    if bad:
        raise SystemExit(1)


def _standing(cluster: int | str | None) -> AbstractContextManager[Any]:
    """The cluster for all systems; its library is loaded only where one is named."""
    if cluster is None:
        return nullcontext()
    from argue_bench.eval.cluster.connecting import standing

    return standing(cluster)
