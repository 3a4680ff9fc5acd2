"""``argue-bench merge``: the stores of several processes or machines as one."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.argument("parts", type=click.Path(path_type=Path), nargs=-1, required=True)
def merge(out: Path, parts: tuple[Path, ...]) -> None:
    """Bring the stores PARTS together in the store OUT: verdicts of judges, replies of models.

    OUT is made where there is none; what stands in it stays. Then run the command without --shard
    and with --store OUT: it finds every verdict and asks nothing.

    Example: argue-bench merge run.verdicts run.verdicts.1-of-2 run.verdicts.2-of-2
    """
    from argue_bench.store.merging import merge_stores as bring_together

    found = bring_together(out, parts)
    click.echo(
        f"{out}: {found.added:,} verdicts added of {found.read:,} in {len(parts)} stores; "
        f"{found.failures:,} asks without a verdict"
        + (
            f"; {found.replies_added:,} replies of {found.replies_read:,}"
            if found.replies_read
            else ""
        )
    )
    if found.differing:
        click.echo(
            f"{found.differing:,} asks have different verdicts or replies of the same judge or model; "
            "the first stands",
            err=True,
        )
