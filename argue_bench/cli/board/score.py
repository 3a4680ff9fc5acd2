"""``board``: what an organiser does with submissions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from argue_bench.cli.board.bundle import bundle_options, open_gold, score_one
from argue_bench.cli.evaluating.answers import DATA_HELP, judge_specs
from argue_bench.cli.submission.check import FOLDER
from argue_bench.leaderboard.formats.layout import GROUPS


@click.group()
def board() -> None:
    """Run a board.

    Example: argue-bench board score leaderboard-submissions
    """


@board.command()
@click.argument("folder", type=click.Path(path_type=Path), default=FOLDER)
@click.option("--on", default="", help="Data set: a name or a folder. [default: the season's]")
@click.option("--data", type=click.Path(path_type=Path), help=DATA_HELP)
@click.option("--split", default="", help="Split of the data set.")
@click.option(
    "--gold",
    type=click.Path(path_type=Path),
    help="Gold of a sealed split: a gold.jsonl, or a copy of the set with answers.",
)
@click.option("--system", default="", help="Score this system only.")
@click.option(
    "--judge",
    "specs",
    multiple=True,
    metavar="[NAME=]SPEC",
    help="Who answers what metrics ask; may be repeated. [default: the season's]",
)
@click.option("--group", type=click.Choice(GROUPS), help="What the rows are, if not ranked ones.")
@click.option("--author", help="Whose the entry is: an id that the organiser gave.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Write OUT/results/SEASON/SYSTEM.json. [default: FOLDER]",
)
@bundle_options
def score(
    folder: Path,
    on: str,
    data: Path | None,
    split: str,
    gold: Path | None,
    system: str,
    specs: tuple[str, ...],
    group: str | None,
    author: str | None,
    out: Path | None,
    bundle: Path | None,
    **options: Any,
) -> None:
    """Check and score the submissions in FOLDER by local gold; with --bundle, one for the board.

    A system with errors is refused, the others are scored; then the exit code is 1. Sealed gold is opened
    with the key in --key-env, unless --gold names it in the open.

    A bundle is scored against the sealed gold of the season in FOLDER, for the board: quota, ladder,
    rounding; what is written to OUT is signed, and shows nothing of the gold.

    Example: argue-bench board score leaderboard-submissions --out /tmp/board
    """
    if bundle is not None:
        if on or data or split or system or group or author:
            raise click.UsageError(
                "a bundle is scored as its season says: only --gold, --judge, --out"
            )
        score_one(folder, bundle, gold, judge_specs(specs), out, **options)
        return
    from argue_bench.cli.progress import Progress
    from argue_bench.leaderboard.formats.season import read_season
    from argue_bench.leaderboard.scoring.local_scoring import JudgeOptions, score_folder, with_gold
    from argue_bench.leaderboard.signing.keys import secret_from

    season = read_season(folder)
    dataset = season.load(on, split, data)
    if gold is not None:
        dataset = with_gold(dataset, gold)
    elif dataset.sealed and season.sealed is not None and not (on or data or split):
        dataset = open_gold(
            folder, season, None, secret_from(options["key_env"], "key of the gold")
        )
    judges = judge_specs(specs)
    what = [""]
    good = bad = 0
    with Progress("scoring", len(dataset), lambda: what[0]) as step:

        def tell(name: str, done: int) -> None:
            what[0] = name
            step(done)

        judging = JudgeOptions(judges.pop("", ""), judges, group or "", author, tell)
        for scored in score_folder(folder, season, dataset, out or folder, judging, system):
            if scored.result is not None:
                good += 1
                click.echo(f"{scored.path}")
                continue
            bad += 1
            for finding in scored.findings:
                click.echo(str(finding), err=True)
            if scored.problem:
                click.echo(f"{scored.system}: {scored.problem}", err=True)
            click.echo(f"{scored.system or folder}: not scored", err=True)
    click.echo(f"{good} scored on {dataset.title}, {bad} refused.", err=True)
    if dataset.note:
        click.echo(dataset.note, err=True)
    if bad:
        raise SystemExit(1)


def _add_steps() -> None:
    from argue_bench.cli.board import admin, rescore, steps

    for step in (
        steps.intake,
        steps.record,
        steps.comment,
        steps.verify,
        steps.fetch,
        admin.init,
        admin.workflows,
        admin.rotate,
        admin.ledger,
        admin.queue,
        admin.take,
        admin.diagnosis,
        rescore.rescore,
    ):
        board.add_command(step)


_add_steps()
