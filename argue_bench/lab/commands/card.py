"""``argue-bench judge card``: what is known of a judge, as a table and as JSON."""

from __future__ import annotations

import json
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from statistics import fmean
from typing import Any

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH, budget_option
from argue_bench.cli.tables import points, show_table
from argue_bench.eval.warranty import labelled_flags
from argue_bench.lab.commands.check import within_budget
from argue_bench.records.atomic import atomic_write
from argue_bench.records.table import Table


@command()
@click.argument("spec", metavar="JUDGE")
@option(
    "--labels",
    multiple=True,
    metavar="FILE|NAME",
    group="Input",
    help="A label file or the name of a public set, all, or llm-aggrefact=FOLDER; may be repeated. [default: every public set of kinds that it answers]",
)
@option(
    "--injections",
    type=PATH,
    group="Input",
    help="The report of: judge injections JUDGE --out FILE",
)
@budget_option
@option("--out", type=PATH, group="Output", help="The card as JSON.")
def card(
    spec: str,
    labels: tuple[str, ...],
    injections: Path | None,
    budget: float | None,
    out: Path | None,
) -> None:
    """Write how a judge agrees with people, set by set, what a verdict costs, and how easily it is steered.

    Example: argue-bench judge card lexical --labels labels.jsonl --out card.json
    """
    from argue_bench.lab.card import judge_card
    from argue_bench.lab.injections import read_report

    report = read_report(injections) if injections else None
    with within_budget(spec, "card", None, budget) as judge:
        made = asdict(judge_card(judge, labels or ("all",), report))
        _show(made)
        if out is not None:
            with atomic_write(out) as file:
                file.write(json.dumps(made, ensure_ascii=False, indent=1) + "\n")
    if not made["sets"]:
        raise SystemExit(3)


def _show(card: dict[str, Any]) -> None:
    """Prints the judge's own figures, and those that others published on the same rows."""
    rows = []
    for row in card["sets"]:
        measures, floors = row["measures"], row["floors"]
        balanced = measures.get("balanced_accuracy")
        shown = [_number(measures.get(name)) for name in ("balanced_accuracy", "f1", "accuracy")]
        beside = [_number(floor.get("balanced_accuracy")) for _, floor in sorted(floors.items())]
        known = balanced is not None and balanced["low"] is not None
        ends = f"{balanced['low']:.2f} to {balanced['high']:.2f}" if known else "-"
        kappa = _number(row["kappa"])
        agreed = (shown[0], ends, *shown[1:], kappa, " ".join(beside) or "-")
        rows.append((row["set"], row["kind"], f"{row['n']:,}", str(row["failed"]), *agreed))
    head = ("set", "kind", "n", "failed", "balanced", "95 % interval", "F1", "accuracy", "kappa")
    show_table(Table((*head, "floors"), rows, right=range(2, 10)))
    if others := [row for row in card["sets"] if row["published"]]:
        click.echo("\nBalanced accuracy of others on the same rows, as published:")
        show_table(_published(card["judge"], others))
        for source in sorted({row["source"] for row in others}):
            click.echo(f"Source: {source}.")
    # Sets of one publisher are often lost for one reason.
    lost: dict[str, list[str]] = {}
    for name, why in card["left_out"].items():
        lost.setdefault(why, []).append(name)
    for why, names in lost.items():
        click.echo(f"left out: {', '.join(names)}: {why}", err=True)
    if card["judge"] == labelled_flags()["judge"]:
        click.echo("\nHow often its flags were right on answers that people marked:")
        show_table(flag_table())
    if card["summary"]:
        click.echo(f"\n{card['judge']} {card['summary']}.")


def flag_table() -> Table:
    """The figures of `labelled_flags`, a row for each kind of task and tier of flags."""
    rows = []
    for one in labelled_flags()["sets"]:
        for tier, counts in {"all": one["flags"], **one["tiers"]}.items():
            shares = (
                (f"{p:.2f}", f"{low:.2f} to {high:.2f}")
                for p, low, high in (counts["precision"], counts["recall"])
            )
            flags = (f"{counts['right']:,} of {counts['n']:,}", *chain(*shares))
            rows.append((one["set"], one["task"], tier, *flags))
    ends = "95 % interval"
    head = ("set", "task", "flags", "right", "precision", ends, "recall", ends)
    return Table(head, rows, right=range(3, 8))


def _published(judge: str, rows: list[dict[str, Any]]) -> Table:
    """Each set with published figures: the judge and the other models, in points, and their means."""
    models = list(dict.fromkeys(model for row in rows for model in row["published"]))
    columns = [
        [row["measures"].get("balanced_accuracy", {}).get("value") for row in rows],
        *([row["published"].get(model) for row in rows] for model in models),
    ]
    cells = [
        (row["set"], *map(points, values))
        for row, values in zip(rows, zip(*columns, strict=True), strict=True)
    ]
    # A mean over fewer sets would not be comparable.
    means = (None if None in column else fmean(column) for column in columns)
    cells.append(("mean", *map(points, means)))
    return Table(("set", judge, *models), cells, right=range(1, len(models) + 2))


def _number(measured: dict[str, Any] | None) -> str:
    value = measured and measured["value"]
    return "-" if value is None else f"{value:.3f}"
