"""``argue-bench power``: how many questions a difference needs."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.evaluating.answers import HANDED_HELP

if TYPE_CHECKING:
    from argue_bench.analysis.power import ScorePower


@click.command()
@click.option(
    "--scores",
    "files",
    multiple=True,
    required=True,
    type=click.Path(path_type=Path),
    help="Run files, or a file of scores on topics; may be repeated.",
)
@click.option("--format", default="", help="Format of a file of scores, such as tot.")
@click.option("-m", "--metric", "metrics", multiple=True, help=HANDED_HELP)
@click.option("-s", "--score", "chosen", multiple=True, help="Score or measure; may be repeated.")
@click.option(
    "--difference",
    default=2.0,
    show_default=True,
    help="What is to be seen, in points of 100; of a count, in its own unit.",
)
@click.option("--power", "sought", default=0.8, show_default=True, help="How surely it is found.")
@click.option("--alpha", default=0.05, show_default=True, help="Level of the two-sided test.")
@click.option(
    "--correlation",
    default=0.0,
    show_default=True,
    help="Of two systems over questions, where the scores hold one system only.",
)
@click.option("--all-scores", is_flag=True, help="Every score, not the headlines alone.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def power(
    files: tuple[Path, ...],
    format: str,
    metrics: tuple[str, ...],
    chosen: tuple[str, ...],
    difference: float,
    sought: float,
    alpha: float,
    correlation: float,
    all_scores: bool,
    as_json: bool,
) -> None:
    """Tell how many questions it takes to find a difference.

    Between two systems; from the scores of two or more on the questions at hand, or of one.

    Example: argue-bench power --scores alpha.run.jsonl --scores beta.run.jsonl --difference 2.0
    """
    from argue_bench.analysis.power import power_of_files
    from argue_bench.cli.tables import show_note
    from argue_bench.metrics import as_metric

    found = power_of_files(
        files,
        format,
        chosen,
        difference,
        alpha=alpha,
        power=sought,
        correlation=correlation,
        metrics=[as_metric(text) for text in metrics],
    )
    if not chosen and not all_scores:
        found = [one for one in found if _is_headline(one.score)]
    if as_json:
        click.echo(json.dumps([asdict(one) for one in found], ensure_ascii=False))
        return
    _show(found, difference, sought, alpha)
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


def _show(found: list[ScorePower], difference: float, sought: float, alpha: float) -> None:
    from argue_bench.eval.report import short_key
    from argue_bench.table import aligned

    rows = [("score", "n", "pairs", "n sees", f"for {difference:g}", "for the worst pair")]
    for one in found:
        scale = 100 if one.unit == "share" else 1
        rows.append(
            (
                short_key(one.score) if "." in one.score else one.score,
                str(one.n),
                str(one.pairs) if one.pairs else "guessed",
                "-" if one.resolvable is None else f"{scale * one.resolvable:.1f}",
                "-" if one.needed is None else f"{one.needed:,}",
                "-" if one.needed_worst is None else f"{one.needed_worst:,}",
            )
        )
    for line in aligned(rows, right=range(1, 6)):
        click.echo(line)
    click.echo(
        click.style(
            f"'n sees': the smallest difference that n questions find; 'for {difference:g}': questions"
            f" that find it,\nwith {sought:.0%} probability, by a paired two-sided test at {alpha:g}",
            dim=True,
        )
    )
