"""``argue-bench judge bridge``: what the scores of a retiring judge become under another."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path

import click
import numpy as np

from argue_bench.cli.commands import command, option
from argue_bench.cli.judging import show_spent
from argue_bench.cli.options import PATH, budget_option, limit_spending
from argue_bench.cli.tables import points, show_table
from argue_bench.errors import UsageError
from argue_bench.judges.base import Judge, judge_in_batches
from argue_bench.records import JudgeRequest, Verdict
from argue_bench.records.atomic import atomic_write
from argue_bench.records.table import Table


@command("bridge")
@click.argument("old", metavar="OLD")
@click.argument("new", metavar="NEW")
@click.argument("runs", metavar="RUN...", type=PATH, nargs=-1, required=True)
@option(
    "--items",
    type=click.IntRange(10),
    default=200,
    group="Judge",
    help="Requests that NEW judges too, drawn from each system by its share.",
)
@budget_option
@option("--out", type=PATH, group="Output", help="Write the bridge here, as JSON.")
def judge_bridge(
    old: str,
    new: str,
    runs: tuple[Path, ...],
    items: int,
    budget: float | None,
    out: Path | None,
) -> None:
    """Carry the scores of the judge OLD over to the judge NEW, by requests that both judge.

    RUNs are run files of systems, with the verdicts of OLD in their stores. NEW judges a part of their requests,
    and its verdicts are stored there too. Scores are means of verdicts, yes counting 1 and no 0.

    Example: argue-bench judge bridge openai/old openai/new runs/*.jsonl --items 200 --budget 1
    """
    from argue_bench.judges import as_judge
    from argue_bench.lab.bridge import BridgeFile, bridge, draw, worth

    with nullcontext() if out is None else atomic_write(out) as file:
        judge = as_judge(new)
        limit_spending(budget, [judge])
        known = _known(old, runs)
        names = sorted(known)
        if not names:
            raise UsageError(f"the stores of these runs have no verdict of {old}")
        places = draw([len(known[name]) for name in names], items, np.random.default_rng(0))
        before = {name: np.array([share for _, share, _ in known[name]]) for name in names}
        after = {}
        for name, at in zip(names, places, strict=True):
            rows = [known[name][place] for place in at]
            said = asyncio.run(_judged(judge, [row[0] for row in rows], rows[0][2]))
            shares = [worth(row[0], said[row[0]]) if row[0] in said else None for row in rows]
            if missing := shares.count(None):
                raise UsageError(
                    f"{new} gave no verdict on {missing} of {len(rows)} requests of {name}"
                )
            after[name] = np.array(shares)
        found = bridge(before, after, places)
        if file is not None:
            made = BridgeFile(
                **vars(found), old=old, new=judge.name, identity=dict(judge.identity())
            )
            file.write(f"{json.dumps(asdict(made), ensure_ascii=False)}\n")
    table = [
        (
            *(name, points(one.old), points(one.new)),
            f"{points(one.low)} to {points(one.high)}",
            f"{one.shift:+.3f}",
            f"{one.drawn:,} of {one.n:,}",
        )
        for name, one in [*found.systems.items(), ("all", found.overall)]
    ]
    head = ("system", old, new, "95 % interval", "shift", "judged by both")
    show_table(Table(head, table, right=(1, 2, 3, 4, 5)))
    tau = "-" if found.tau is None else f"{found.tau:.2f}"
    click.echo(f"\nsame verdict {found.agreement:.1%}; tau of the order of systems {tau}")
    for one, other in found.changed:
        click.echo(f"changed order: {one}, {other}")
    show_spent({judge.name: vars(judge.counts)})


def _known(old: str, runs: Sequence[Path]) -> dict[str, list[tuple[JudgeRequest, float, Path]]]:
    """By system: each request of its run with the worth of the old judge's verdict, and its store."""
    from argue_bench.eval.run import read_entries, read_header, run_name
    from argue_bench.lab.bridge import worth
    from argue_bench.records import request_from_json
    from argue_bench.store import Store

    found: dict[str, list[tuple[JudgeRequest, float, Path]]] = {}
    for run in runs:
        store = run.parent / read_header(run).store
        of: dict[str, dict[str, None]] = {}
        for entry in read_entries(run):
            keys = (key for made in entry.requests.values() for key in made)
            of.setdefault(entry.answer.run or run_name(run), {}).update(dict.fromkeys(keys))
        with Store(store, write=False) as opened:
            said = {one.key: one for one in opened if one.judge.name == old}
        for system, made_by in of.items():
            for key in made_by:
                if (one := said.get(key)) is None:
                    continue
                request = request_from_json(dict(one.request))
                if (share := worth(request, one.verdict)) is not None:
                    found.setdefault(system, []).append((request, share, store))
    return found


async def _judged(
    judge: Judge, requests: Sequence[JudgeRequest], store: Path
) -> dict[JudgeRequest, Verdict]:
    """The verdicts of the judge, read from the store or stored there."""
    from argue_bench.judges.stored import stored

    with stored(judge, store) as kept:
        replies = judge_in_batches(kept, requests)
        return {request: one async for request, one in replies if isinstance(one, Verdict)}
