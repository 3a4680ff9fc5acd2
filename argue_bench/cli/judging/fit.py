"""``argue-bench judge fit``: fits a judge's thresholds to the user's own labels."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH, format_option, seed_option
from argue_bench.cli.tables import print_as, show_table
from argue_bench.table import Table


@command()
@click.argument("spec", metavar="JUDGE", type=click.Choice(["lexical"]))
@option("--labels", multiple=True, type=PATH, required=True)
@option("--out", type=PATH)
@seed_option
@format_option
def fit(
    spec: str, labels: tuple[Path, ...], out: Path | None, seed: int | None, format: str
) -> None:
    """Set the lexical judge's thresholds by people's labels, about 60 of a kind or more.

    The gain is measured on labels that had no part in the choice. A gain whose interval
    holds 0 is refused, with exit 1. The file is a judge: --judge lexical:FILE.

    Example: argue-bench judge fit lexical --labels labels.jsonl --out own.json
    """
    from argue_bench.judges.checks.fit import fit_lexical, write_thresholds
    from argue_bench.judges.label_sets import find_labels
    from argue_bench.judges.labels import read_all_labels
    from argue_bench.stats.bootstrap import SEED

    given = read_all_labels([find_labels(path) for path in labels])
    found = fit_lexical(given, seed=SEED if seed is None else seed)
    rows = [
        (
            one.threshold.lower(),
            ", ".join(one.kinds),
            str(one.n),
            f"{100 * one.before:.1f}",
            "-" if one.after is None else f"{100 * one.after:.1f}",
            "-" if one.gain is None else f"{100 * one.gain:+.1f}",
            "-"
            if one.low is None or one.high is None
            else f"{100 * one.low:+.1f} to {100 * one.high:+.1f}",
            ", ".join(f"{name.lower()} {value:g}" for name, value in one.fitted.items())
            or f"refused: {one.reason}",
        )
        for one in found
    ]
    head = ("threshold", "kinds", "labels", "balanced", "fitted", "gain", "95 % interval", "set to")
    table = Table(head, rows, right=range(2, 7))
    fitted = any(one.fitted for one in found)
    if not print_as(format, [asdict(one) for one in found], table):
        show_table(table)
        if given.tied:
            click.echo(f"{given.tied} requests are left out: no majority.", err=True)
        if not found:
            click.echo("No label is of a kind whose threshold can be set.", err=True)
    if not fitted:
        raise SystemExit(1)
    if out is not None:
        write_thresholds(out, found, given)
        click.echo(f"{out}: use it as --judge lexical:{out}", err=True)
