"""``argue-bench judge check JUDGE --injections``: texts that try to steer a judge."""

from __future__ import annotations

import json
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.tables import print_as, show_table
from argue_bench.records.atomic import atomic_write
from argue_bench.table import Table

if TYPE_CHECKING:
    from argue_bench.judges import Judge


def check_injections(judge: Judge, format: str, out: Path | None) -> int:
    """Prints how many attempts succeed, by place and kind; how many were made."""
    from argue_bench.judges.prompted.injections import inject

    # The file is opened before the judge is asked, so that a wrong path costs nothing.
    with nullcontext() if out is None else atomic_write(out) as file:
        found = inject(judge)
        if file is not None:
            report = json.dumps(asdict(found), ensure_ascii=False, allow_nan=False)
            file.write(f"{report}\n")
    tables = [
        Table(
            (title, "succeeded", "of"),
            [(name, str(n.succeeded), str(n.attempts)) for name, n in counts.items()],
            right=(1, 2),
        )
        for title, counts in (("place", found.places), ("kind of attempt", found.kinds))
    ]
    if not print_as(format, asdict(found), *tables):
        for one in tables:
            show_table(one)
            click.echo()
        rate = (
            "-" if found.rate is None else f"{found.rate:.1%}, {found.low:.1%} to {found.high:.1%}"
        )
        done = f"{found.succeeded} of {found.attempts} attempts succeeded"
        click.echo(f"{found.judge}: {done} ({rate})")
    for name in found.left_out:
        click.echo(f"left out, wrong without any attempt: {name}", err=True)
    if found.failed:
        click.echo(f"attempts without a verdict: {found.failed}", err=True)
    return found.attempts
