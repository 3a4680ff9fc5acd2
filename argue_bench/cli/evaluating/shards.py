"""``--shard I/N``: one part of the judging, for sites without a scheduler; `store merge` joins the stores."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click


def run_shard(
    text: str, whole: Path | None, metrics: Any, judges: Mapping[str, Any], cases: Any, total: int
) -> None:
    """Asks and stores one shard, beside the store ``whole``, and prints what was spent as a line of JSON.

    Raises JudgeError and DataError.
    """
    import asyncio

    from argue_bench.cli.evaluating.costs import show_spent
    from argue_bench.cli.progress import JudgingMeter, progress
    from argue_bench.eval.shards import fill, read_shard

    shard = read_shard(text)
    if whole is None:
        raise click.UsageError(
            "--shard wants --store FILE (or --out RUN), to keep verdicts beside it"
        )
    store = shard.store(whole)
    try:
        cases_here = -(-total // shard.of)
        meter = JudgingMeter(cases_here, judges.values())
        with progress(f"judging {shard}", cases_here, meter) as step:
            done, failed = asyncio.run(fill(store, shard.cases(cases), metrics, judges, step))
    finally:
        spent = {judge.name: vars(judge.counts) for judge in judges.values()}
        show_spent(spent)
        click.echo(json.dumps(spent))
    click.echo(
        f"{store}: shard {shard}, {done:,} answers judged, {failed:,} lack a verdict", err=True
    )
