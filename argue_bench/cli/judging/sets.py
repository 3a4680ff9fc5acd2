"""``argue-bench judge check JUDGE --labels all``: one row for each public set of labels."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from argue_bench.cli.tables import print_as, show_table
from argue_bench.errors import DataError
from argue_bench.table import Table

if TYPE_CHECKING:
    from argue_bench.judges import Judge


def check_sets(judge: Judge, format: str) -> int:
    """Checks a judge on every set of kinds that it answers; how many verdicts it gave.

    A set that cannot be fetched is named and left out.
    """
    from argue_bench.judges.checks.agreement import check_judge
    from argue_bench.judges.label_sets import find_labels, set_names
    from argue_bench.records import KINDS

    answers = {kind.__name__ for kind in judge.kinds}
    rows, found, answered = [], dict[str, Any](), 0
    for name, kind in set_names().items():
        if kind not in answers:
            continue
        try:
            checked = check_judge(judge, find_labels(Path(name)))
        except DataError as error:
            click.echo(f"left out: {name}: {error}", err=True)
            continue
        one = checked.kinds[kind]
        shown = {key: f"{measured.value:.3f}" for key, measured in one.measures.items()}
        balanced, kappa = one.measures.get("balanced_accuracy"), one.kappa
        ends = "-"
        if balanced is not None and balanced.low is not None and balanced.high is not None:
            ends = f"{balanced.low:.2f} to {balanced.high:.2f}"
        figures = (shown.get("balanced_accuracy", "-"), ends, shown.get("f1", "-"))
        agreed = "-" if kappa is None else f"{kappa:.3f}"
        rows.append((name, kind, f"{one.n:,}", str(one.failed), *figures, agreed))
        found[name] = asdict(one)
        answered += checked.answered
    head = ("set", "kind", "n", "failed", "balanced accuracy", "95 % interval", "F1", "kappa")
    table = Table(head, rows, right=range(2, 8))
    if not print_as(format, {"judge": judge.name, "sets": found}, table):
        show_table(table)
        known = set(set_names().values())
        none = ", ".join(kind for kind in KINDS if kind in answers and kind not in known)
        if none:
            click.echo(f"\nNo public set is known here for: {none}.", err=True)
    return answered
