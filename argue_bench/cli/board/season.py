"""``board season``: begin, check and end a season on a generated set; rehearse with scripted systems."""

from __future__ import annotations

import os
from pathlib import Path

import click

from argue_bench.cli.board.options import SeasonOptions, season_options
from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH

KEY = "ARGUE_BENCH_SEASON_KEY"
_workers = option("--workers", default=1)
_patterns = option("--patterns", type=PATH)
_key_file = option("--key-file", type=PATH)


@command()
@option("--seed-file", type=PATH)
@option("--size", default="small")
@_patterns
@option("--out", type=PATH, required=True)
@season_options
@option("--key-out", type=PATH)
@option("--rehearsal", is_flag=True)
@_workers
def new(
    seed_file: Path | None,
    size: str,
    patterns: Path | None,
    out: Path,
    season: SeasonOptions,
    key_out: Path | None,
    rehearsal: bool,
    workers: int,
) -> None:
    """Write topics, documents, sealed gold and season.json into a folder.

    The key is printed once. Neither seed nor key may lie in a git repository.

    Example: argue-bench board season new --seed-file ~/season.seed --size 40 --out season-1
    """
    from argue_bench.errors import ArgueBenchError
    from argue_bench.leaderboard.seasons import sealing
    from argue_bench.leaderboard.signing.seal import new_key, read_secret, refuse_repository

    if rehearsal:
        if seed_file or patterns or key_out:
            raise click.UsageError("--rehearsal has its own seed and key, and no patterns")
        made = sealing.create_rehearsal(out, workers)
    else:
        if seed_file is None:
            raise click.UsageError("name a --seed-file; make one: openssl rand -hex 32 > F")
        if key_out:
            refuse_repository(key_out, "key")
        if patterns:
            refuse_repository(patterns, "pattern file")
        seed = read_secret(seed_file, "seed")
        key = new_key()
        if key_out:
            _write_secret(key_out, key)
        try:
            made = sealing.create_season(out, seed, size, season.terms(), patterns, key, workers)
        except ArgueBenchError:
            if key_out:
                key_out.unlink()
            raise
    click.echo(
        f"{out}: {made.topics:,} topics, {made.documents:,} documents, gold sealed.", err=True
    )
    if key_out:
        click.echo(f"{key_out} opens the gold. Keep it and the seed secret.", err=True)
        return
    if rehearsal:
        click.echo("This is a rehearsal: its seed and its key are public.", err=True)
    else:
        click.echo(
            f"Keep two secrets until the end: the seed in {seed_file}, and this key, which is "
            "printed once:",
            err=True,
        )
    click.echo(made.key)


@command()
@click.argument("folder", type=PATH)
@_key_file
@option("--out", type=PATH, required=True)
def gold(folder: Path, key_file: Path | None, out: Path) -> None:
    """Open the sealed gold of a season, to score with.

    Example: argue-bench board season gold season-1 --key-file ~/season.key --out /tmp/gold.jsonl
    """
    from argue_bench.leaderboard.seasons.revealing import sealed_gold
    from argue_bench.leaderboard.signing.seal import refuse_repository

    refuse_repository(out, "gold")
    _write_secret(out, sealed_gold(folder, _key(key_file, needed=True)).decode())
    click.echo(f"{out}: score with `argue-bench board score {folder} --gold {out}`", err=True)


@command("reveal")
@click.argument("folder", type=PATH)
@option("--seed-file", type=PATH, required=True)
@_patterns
@_workers
def season_reveal(folder: Path, seed_file: Path, patterns: Path | None, workers: int) -> None:
    """End a season: show its seed, patterns and gold, so that every reader can rescore it.

    Only what matches the hashes of the first day is written, to FOLDER/opened.

    Example: argue-bench board season reveal season-1 --seed-file ~/season.seed
    """
    from argue_bench.leaderboard.seasons.revealing import reveal as reveal_season
    from argue_bench.leaderboard.signing.seal import read_secret

    target = reveal_season(folder, read_secret(seed_file, "seed"), patterns, workers)
    click.echo(f"{target}: seed, gold{' and patterns' if patterns else ''}, as promised.", err=True)


@command("verify")
@click.argument("folder", type=PATH)
@_key_file
@_workers
def season_verify(folder: Path, key_file: Path | None, workers: int) -> None:
    """Check a season's folder: hashes and references; with the key its gold; after the end all bytes.

    Example: argue-bench board season verify season-1
    """
    from argue_bench.leaderboard.seasons.revealing import OPENED, verify_season

    key = _key(key_file)
    findings = verify_season(folder, key, workers)
    for finding in findings:
        click.echo(str(finding), err=True)
    if findings:
        word = "finding" if len(findings) == 1 else "findings"
        click.echo(f"{len(findings)} {word}.", err=True)
        raise SystemExit(1)
    opened = (folder / OPENED).exists()
    looked = ["topics and documents are the promised ones", "the sealed gold is unchanged"]
    looked += ["it opens, and fits the topics"] if key else []
    looked += ["the seed prints every byte of it again"] if opened else []
    click.echo(f"{folder}: {'; '.join(looked)}.")
    if not opened:
        click.echo("The season is not over: its seed has not been shown.", err=True)


@command()
@click.argument("board", type=PATH)
@option("--split", type=click.Choice(["dev", "test"]), default="dev")
@option("--seed-file", type=PATH)
@option("--size", default="small")
@_patterns
@option("--verdicts", type=PATH)
def script(
    board: Path,
    split: str,
    seed_file: Path | None,
    size: str,
    patterns: Path | None,
    verdicts: Path | None,
) -> None:
    """Write the scripted systems as submissions into a board's folder.

    With --verdicts, the right verdicts on them: `judge check JUDGE --labels FILE` measures a judge.

    Example: argue-bench board season script board --verdicts oracle.verdicts
    """
    from argue_bench.leaderboard.seasons.scripted import store_verdicts, submit_scripted
    from argue_bench.leaderboard.signing.seal import read_secret
    from argue_bench.synthetic.world import EMBEDDED, World

    seed, known_size, _ = EMBEDDED[split]
    if seed_file:
        world = World(read_secret(seed_file, "seed"), size, patterns)
    else:
        world = World(seed, known_size)
    topics = list(world.topics())
    names = submit_scripted(board, topics)
    click.echo(f"{board}: {len(names)} systems, {len(topics)} answers each.", err=True)
    if verdicts:
        store_verdicts(verdicts, topics)
        click.echo(f"{verdicts}: the right verdicts on them.", err=True)


def _key(path: Path | None, needed: bool = False) -> str:
    from argue_bench.leaderboard.signing.seal import check_secret, read_secret

    if path:
        return read_secret(path, "key")
    if given := os.environ.get(KEY, ""):
        return check_secret(given, "key")
    if needed:
        raise click.UsageError(f"name the key with --key-file, or set {KEY}")
    return ""


def _write_secret(path: Path, text: str) -> None:
    """A new file that only its owner reads."""
    from argue_bench.errors import Code, DataError

    try:
        with os.fdopen(
            os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600),
            "w",
            encoding="utf-8",
            newline="\n",
        ) as file:
            file.write(text if text.endswith("\n") else f"{text}\n")
    except OSError as error:
        why = f"it can't be written: {error.strerror}"
        hint = "Name a new file: secrets are never overwritten."
        raise DataError.of(Code.NOT_WRITTEN, why, path, hint=hint) from None
