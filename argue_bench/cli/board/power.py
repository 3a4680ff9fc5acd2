"""``argue-bench board power``: the number of questions that a difference needs."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH, format_option, own_metric_option
from argue_bench.cli.tables import points, print_as, show_note, show_table
from argue_bench.table import Table

if TYPE_CHECKING:
    from argue_bench.analysis.power import ScorePower
    from argue_bench.metrics import Metric


@command()
@option("--scores", "files", multiple=True, required=True, type=PATH)
@option("--scores-format", default="")
@option("-s", "--score", "keys", multiple=True)
@option("--all-scores", is_flag=True)
@option("--difference", default=2.0)
@option("--power", "sought", default=0.8)
@option("--alpha", default=0.05)
@option("--correlation", default=0.0)
@own_metric_option
@format_option
def power(
    files: tuple[Path, ...],
    scores_format: str,
    keys: tuple[str, ...],
    all_scores: bool,
    difference: float,
    sought: float,
    alpha: float,
    correlation: float,
    metrics: list[Metric],
    format: str,
) -> None:
    """Tell how many questions it takes to find a difference between two systems.

    Example: argue-bench board power --scores alpha.run.jsonl --scores beta.run.jsonl
    """
    from argue_bench.analysis.power import power_of_files

    found = power_of_files(
        files,
        scores_format,
        keys,
        difference,
        alpha=alpha,
        power=sought,
        correlation=correlation,
        metrics=metrics,
    )
    if not keys and not all_scores:
        found = [one for one in found if _is_headline(one.score)]
    table = _table(found, difference)
    if print_as(format, [asdict(one) for one in found], table):
        return
    show_table(table)
    click.echo(
        click.style(
            f"'n sees': the smallest difference that n questions find; 'for {difference:g}': questions"
            f" that find it,\nwith {sought:.0%} probability, by a paired two-sided test at {alpha:g}",
            dim=True,
        )
    )
    show_note(files)


def _is_headline(key: str) -> bool:
    """Whether a score is one that its metric shows first; a measure from a file of scores is."""
    from argue_bench.errors import UsageError
    from argue_bench.metrics import parse

    text, _, score = key.rpartition(".")
    try:
        metric = parse(text)
    except UsageError:
        return True
    return score in (metric.headline or metric.scores)


def _table(found: list[ScorePower], difference: float) -> Table:
    from argue_bench.eval.report import short_key

    rows = []
    for one in found:
        scale = 100 if one.unit == "share" else 1
        rows.append(
            (
                short_key(one.score) if "." in one.score else one.score,
                f"{one.n} in {one.clusters}" if one.clusters else str(one.n),
                str(one.pairs) if one.pairs else "guessed",
                points(one.resolvable, scale),
                "-" if one.needed is None else f"{one.needed:,}",
                "-" if one.needed_worst is None else f"{one.needed_worst:,}",
            )
        )
    head = ("score", "n", "pairs", "n sees", f"for {difference:g}", "for the worst pair")
    return Table(head, rows, right=range(1, 6))
