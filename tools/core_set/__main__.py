"""``python -m tools.core_set embed|set|systems|verdicts``: print sets, systems of known quality, right verdicts."""

from __future__ import annotations

from pathlib import Path

import click

import argue_bench
from tools.core_set.seeds import read_secret
from tools.core_set.systems import store_verdicts, submit_scripted, write_demo
from tools.core_set.world import EMBEDDED, GOLD, World, write_set

DATA = Path(argue_bench.__file__).parent / "data"
PATH = click.Path(path_type=Path)
_seed = click.option("--seed-file", type=PATH, help="The secret seed; without it --split is taken.")
_size = click.option("--size", default="small", help="tiny, small, large, or a number of topics.")
_patterns = click.option("--patterns", type=PATH, help="A private pattern file.")
_split = click.option("--split", type=click.Choice(list(EMBEDDED)), default="dev")


@click.group(help=__doc__)
def main() -> None: ...


def _world(split: str, seed_file: Path | None, size: str, patterns: Path | None) -> World:
    if seed_file is not None:
        return World(read_secret(seed_file, "seed"), size, patterns)
    seed, known_size, _ = EMBEDDED[split]
    return World(seed, known_size)


def write_embedded(folder: Path, split: str) -> str:
    """Writes the set that the package holds, "dev" or "test"; returns its digest."""
    seed, size, is_open = EMBEDDED[split]
    return write_set(World(seed, size), folder, split, folder / GOLD if is_open else None)


@main.command()
@click.option("--out", type=PATH, default=DATA, help="Where core/ and demo/ lie.")
def embed(out: Path) -> None:
    """Print what the package holds: core/dev, core/test, and the systems of `argue-bench demo`."""
    for split in EMBEDDED:
        click.echo(f"core/{split}: {write_embedded(out / 'core' / split, split)}")
    write_demo(out / "demo", World(*EMBEDDED["dev"][:2]).topics())


@main.command("set")
@_seed
@_size
@_patterns
@_split
@click.option("--workers", default=1, help="Processes.")
@click.option("--out", type=PATH, required=True, help="The folder of the new set, with its gold.")
def print_set(
    seed_file: Path | None, size: str, patterns: Path | None, split: str, workers: int, out: Path
) -> None:
    """Print a set with its gold; `argue-bench board init --data OUT` makes a board of it."""
    world = _world(split, seed_file, size, patterns)
    click.echo(write_set(world, out, "test", out / GOLD, workers))


@main.command()
@click.argument("board", type=PATH)
@_seed
@_size
@_patterns
@_split
def systems(
    board: Path, seed_file: Path | None, size: str, patterns: Path | None, split: str
) -> None:
    """Write the systems of known quality as submissions into a board's folder."""
    names = submit_scripted(board, _world(split, seed_file, size, patterns).topics())
    click.echo(f"{board}: {len(names)} systems.")


@main.command()
@click.argument("store", type=PATH)
@_seed
@_size
@_patterns
@_split
def verdicts(
    store: Path, seed_file: Path | None, size: str, patterns: Path | None, split: str
) -> None:
    """Keep the right verdicts on these systems in STORE: `judge check JUDGE --labels STORE`."""
    store_verdicts(store, _world(split, seed_file, size, patterns).topics())
    click.echo(f"{store}: written.")


if __name__ == "__main__":
    main()
