"""``argue-bench judge check JUDGE --alt-test``: whether the judge may replace people."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.tables import print_as, show_table
from argue_bench.table import Table

if TYPE_CHECKING:
    from argue_bench.judges import Judge


def check_alternative(judge: Judge, files: Sequence[Path], epsilon: float, format: str) -> int:
    """Prints the alternative annotator test on each kind; how many verdicts the judge gave."""
    from argue_bench.judges.alternative import alternative_tests
    from argue_bench.judges.checks.agreement import judge_labels
    from argue_bench.judges.labels import read_all_labels
    from argue_bench.records import Verdict

    given = read_all_labels(files)
    first = [next(iter(one.values())) for one in given.by_request.values()]
    replies = asyncio.run(judge_labels(judge, first))
    found = alternative_tests(given, replies, epsilon)
    rows = [
        (
            one.kind,
            person.person,
            str(person.n),
            f"{100 * person.judge:.1f}",
            f"{100 * person.self_rate:.1f}",
            f"{person.p:.3f}",
            "wins" if person.won else "-",
        )
        for one in found
        for person in one.people
    ]
    head = ("kind", "person", "n", "judge as good", "person as good", "p", "the judge")
    table = Table(head, rows, right=range(2, 6))
    plain = [
        {**asdict(one), "winning_rate": one.winning_rate, "passed": one.passed} for one in found
    ]
    if not print_as(format, plain, table):
        show_table(table)
        alpha = given.alpha()
        for one in found:
            may = "may" if one.passed else "may not"
            agreed = alpha.get(one.kind)
            among = "" if agreed is None else f"; people among themselves: alpha {agreed:.2f}"
            click.echo(
                f"{one.kind}: {judge.name} {may} replace people: it wins against "
                f"{one.winning_rate:.0%} of them (50 % needed), and is as good as one drawn at random "
                f"in {one.advantage:.0%} of requests, at epsilon {one.epsilon:g}{among}."
            )
    return sum(isinstance(reply, Verdict) for reply in replies.values())
