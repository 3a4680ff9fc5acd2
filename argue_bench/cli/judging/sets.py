"""``judge check JUDGE --labels all | llm-aggrefact``: one row for each public set of labels, beside what others published."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import click

from argue_bench.cli.tables import points, print_as, show_table
from argue_bench.errors import DataError
from argue_bench.table import Table

if TYPE_CHECKING:
    from argue_bench.judges import Judge
    from argue_bench.judges.checks.agreement import KindAgreement
    from argue_bench.judges.published import PublishedFigures

NEAR = 0.01
"""Balanced accuracies that differ by no more are called the same."""


def check_sets(judge: Judge, names: Iterable[str], format: str) -> int:
    """Checks a judge on every set of kinds that it answers; how many verdicts it gave.

    A set that cannot be fetched is named and left out.
    """
    from argue_bench.judges.checks.agreement import check_judge
    from argue_bench.judges.label_sets import find_labels, set_names
    from argue_bench.judges.published import published_on

    kinds, answered = set_names(), 0
    found: dict[str, KindAgreement] = {}
    known: dict[str, PublishedFigures] = {}
    lost: dict[str, list[str]] = {}
    for name in names:
        try:
            checked = check_judge(judge, find_labels(Path(name)))
        except DataError as error:
            lost.setdefault(str(error), []).append(name)
            continue
        found[name], known[name] = checked.kinds[kinds[name]], published_on(name)
        answered += checked.answered
    for why, left in lost.items():
        click.echo(f"left out: {', '.join(left)}: {why}", err=True)
    tables = [Table(*_agreement(found, kinds), right=range(2, 8))]
    others = _others(judge, found, known)
    tables += [others] if others.rows else []
    sources = sorted({one.source for one in known.values() if one.source})
    data = {
        "judge": judge.name,
        "sets": {
            name: {**asdict(one), "published": dict(known[name].models)}
            for name, one in found.items()
        },
        "sources": sources,
    }
    if not print_as(format, data, *tables):
        show_table(tables[0])
        if others.rows:
            click.echo("\nBalanced accuracy of others on the same rows, as published:")
            show_table(others)
            click.echo(_nearness(judge, found, known), nl=False)
            for source in sources:
                click.echo(f"Source: {source}.")
    return answered


def show_published(others: PublishedFigures) -> None:
    """Prints what others published on the rows of one set, where some did."""
    if others.models:
        figures = ", ".join(f"{model} {points(value)}" for model, value in others.models.items())
        click.echo(f"\nBalanced accuracy of others on the same rows, as published: {figures}.")
        click.echo(f"Source: {others.source}.")


def _agreement(
    found: Mapping[str, KindAgreement], kinds: Mapping[str, str]
) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
    """Head and rows of the table of a judge's own figures."""
    rows: list[tuple[str, ...]] = []
    for name, one in found.items():
        shown = {
            key: f"{measured.value:.3f}"
            for key, measured in one.measures.items()
            if measured.value is not None
        }
        balanced, kappa = one.measures.get("balanced_accuracy"), one.kappa
        ends = "-"
        if balanced is not None and balanced.low is not None and balanced.high is not None:
            ends = f"{balanced.low:.2f} to {balanced.high:.2f}"
        figures = (shown.get("balanced_accuracy", "-"), ends, shown.get("f1", "-"))
        agreed = "-" if kappa is None else f"{kappa:.3f}"
        rows.append((name, kinds[name], f"{one.n:,}", str(one.failed), *figures, agreed))
    head = ("set", "kind", "n", "failed", "balanced accuracy", "95 % interval", "F1", "kappa")
    return head, rows


def _balanced(one: KindAgreement) -> float | None:
    found = one.measures.get("balanced_accuracy")
    return None if found is None else found.value


def _others(
    judge: Judge, found: Mapping[str, KindAgreement], known: Mapping[str, PublishedFigures]
) -> Table:
    """Each set with published figures: the judge, what was published of it, and the other models."""
    models = list(dict.fromkeys(model for one in known.values() for model in one.models))
    listed = [name for name in found if known[name].models]
    columns = [
        {name: _balanced(found[name]) for name in listed},
        {name: known[name].of(judge) for name in listed},
        *({name: known[name].models.get(model) for name in listed} for model in models),
    ]
    rows = [(name, *(points(column[name]) for column in columns)) for name in listed]
    if len(listed) > 1:
        whole = [[v for v in column.values() if v is not None] for column in columns]
        full = [fmean(v) if len(v) == len(listed) else None for v in whole]
        rows.append(("mean", *map(points, full)))
    head = ("set", judge.name, "published of it", *models)
    return Table(head, rows, right=range(1, len(head)))


def _nearness(
    judge: Judge, found: Mapping[str, KindAgreement], known: Mapping[str, PublishedFigures]
) -> str:
    """On how many sets the judge reproduces its published figures; empty where there are none."""
    pairs = [
        (measured, published)
        for name, one in found.items()
        if (measured := _balanced(one)) is not None
        and (published := known[name].of(judge)) is not None
    ]
    if not pairs:
        return ""
    # Published figures have one decimal, in points.
    near = sum(abs(one - other) <= NEAR + 0.0005 for one, other in pairs)
    return f"{near} of {len(pairs)} sets are within {100 * NEAR:g} point of what was published of this checkpoint.\n"
