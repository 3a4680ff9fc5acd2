"""``argue-bench judge card``: what is known of a judge, as JSON and as a page."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.evaluating.costs import paid_store, show_spent
from argue_bench.cli.options import (
    PATH,
    Spending,
    budget_option,
    rpm_option,
    strict_model_option,
    tpm_option,
)
from argue_bench.cli.tables import show_table
from argue_bench.records.atomic import atomic_write
from argue_bench.table import Table


@command()
@click.argument("spec", metavar="JUDGE")
@option("--labels", multiple=True, metavar="FILE|NAME")
@option("--injections", type=PATH)
@option("--store", type=PATH)
@budget_option
@rpm_option
@tpm_option
@strict_model_option
@option("--out", type=PATH)
@option("--page", type=PATH)
def card(
    spec: str,
    labels: tuple[str, ...],
    injections: Path | None,
    store: Path | None,
    budget: float | None,
    rpm: float | None,
    tpm: float | None,
    strict_model: bool,
    out: Path | None,
    page: Path | None,
) -> None:
    """Write how a judge agrees with people, set by set, what a verdict costs, and how easily it is steered.

    Example: argue-bench judge card lexical --labels labels.jsonl --out card.json --page card.html
    """
    from argue_bench.judges import Judge, as_judge
    from argue_bench.judges.checks.card import judge_card
    from argue_bench.judges.stored import Stored, open_store

    judge: Judge = as_judge(spec)
    steered = _injections(injections) if injections else None
    store = paid_store(store, "card", [spec])
    Spending(budget, rpm, tpm, strict_model).limit([judge], stored=store is not None)
    with ExitStack() as stack:
        if store is not None:
            judge = Stored(judge, stack.enter_context(open_store(store)))
        made = asdict(judge_card(judge, labels or ("all",), steered))
    _show(made)
    if out is not None:
        with atomic_write(out) as file:
            file.write(json.dumps(made, ensure_ascii=False, indent=1) + "\n")
    if page is not None:
        from argue_bench.pages.render import Pages

        with atomic_write(page) as file:
            file.write(Pages(page.parent).render("judge_card.html", card=made))
    show_spent({judge.name: vars(judge.counts)})
    if not made["sets"]:
        raise SystemExit(3)


def _injections(path: Path) -> dict[str, Any]:
    """The rate in a report on planted instructions. Raises DataError."""
    from argue_bench.errors import Code
    from argue_bench.judges.prompted.injections import InjectionReport
    from argue_bench.pages.judges import HINT, LIMITS
    from argue_bench.records.untrusted import read_json
    from argue_bench.records.validation import validate

    report = validate(InjectionReport, read_json(path, LIMITS), Code.JUDGE_REPORT, path, hint=HINT)
    return {name: getattr(report, name) for name in ("rate", "low", "high", "attempts")}


def _show(card: dict[str, Any]) -> None:
    rows = []
    for row in card["sets"]:
        measures, floors = row["measures"], row["floors"]
        balanced = measures.get("balanced_accuracy")
        shown = [_number(measures.get(name)) for name in ("balanced_accuracy", "f1", "accuracy")]
        beside = [_number(floor.get("balanced_accuracy")) for _, floor in sorted(floors.items())]
        known = balanced is not None and balanced["low"] is not None
        ends = f"{balanced['low']:.2f} to {balanced['high']:.2f}" if known else "-"
        agreed = (shown[0], ends, *shown[1:], _number(row["kappa"]), " ".join(beside) or "-")
        rows.append((row["set"], row["kind"], f"{row['n']:,}", *agreed))
    head = ("set", "kind", "n", "balanced", "95 % interval", "F1", "accuracy", "kappa", "floors")
    show_table(Table(head, rows, right=range(2, 9)))
    for name, why in card["left_out"].items():
        click.echo(f"left out: {name}: {why}", err=True)
    if card["summary"]:
        click.echo(f"\n{card['judge']} {card['summary']}.")


def _number(measured: dict[str, Any] | None) -> str:
    value = measured and measured["value"]
    return "-" if value is None else f"{value:.3f}"
