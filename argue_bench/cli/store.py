"""``argue-bench store``: verdicts of judges and replies of models, as a store keeps them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from argue_bench.cli.commands import Group, option
from argue_bench.cli.options import PATH
from argue_bench.cli.tables import show_table
from argue_bench.records.table import Table
from argue_bench.store import Replies, Store
from argue_bench.store.file import merge_stores


@click.group(cls=Group)
def store() -> None:
    """Look into stores of verdicts and replies, and merge them.

    Example: argue-bench store show answers.replies
    """


@store.command()
@click.argument("file", type=PATH)
@option("--raw", is_flag=True, help="Print every prompt and reply, a JSON object a line.")
def show(file: Path, raw: bool) -> None:
    """Count verdicts and replies by judge or model; with --raw, print each prompt and reply.

    FILE is what `generate` or `evaluate` wrote: OUT.replies, RUN.verdicts.

    Example: argue-bench store show answers.replies --raw
    """

    with Store(file, write=False) as verdicts, Replies(file, write=False) as replies:
        if raw:
            for values in _entries(verdicts, replies):
                click.echo(json.dumps(values, ensure_ascii=False))
            return
        counts = Counter(
            (what, entry.judge.name, _identity(entry.judge.identity))
            for what, entries in (("verdicts", verdicts), ("failures", verdicts.failures()))
            for entry in entries
        )
        counts.update(
            ("replies", reply.model.name, _identity(reply.model.identity)) for reply in replies
        )
    rows = [(f"{count:,}", *who) for who, count in counts.items()]
    head = ("count", "what", "by", "identity")
    if rows:
        show_table(Table(head, rows, right=(0,)))
    else:
        click.echo("nothing is kept here yet", err=True)


@store.command()
@click.argument("out", type=PATH)
@click.argument("parts", type=PATH, nargs=-1, required=True)
def merge(out: Path, parts: tuple[Path, ...]) -> None:
    """Bring the stores PARTS together in the store OUT: verdicts of judges, replies of models.

    OUT is made where there is none; what it holds stays. A run with --store OUT then finds every verdict,
    and asks nothing.

    Example: argue-bench store merge run.verdicts monday.verdicts tuesday.verdicts
    """

    found = merge_stores(out, parts)
    replies = f"; {found.replies_added:,} replies of {found.replies_read:,}"
    click.echo(
        f"{out}: {found.added:,} verdicts added of {found.read:,} in {len(parts)} stores; "
        f"{found.failures:,} requests without a verdict{replies if found.replies_read else ''}"
    )
    if found.differing:
        click.echo(
            f"{found.differing:,} requests have different verdicts or replies of the same judge or "
            "model; the first is kept",
            err=True,
        )


def _entries(verdicts: Any, replies: Any) -> Iterator[dict[str, Any]]:
    """Everything that was kept of each verdict, failure and reply."""
    kept = [({"verdict": one.verdict.value}, one, one.verdict) for one in verdicts]
    kept += [({"failed": one.failed.reason}, one, one.failed) for one in verdicts.failures()]
    for what, one, said in kept:
        about = {"judge": one.judge.name, "key": one.key, "kind": one.kind, **what}
        yield {**about, "request": said.prompt, "reply": said.reply}
    for one in replies:
        about = {"model": one.model.name, "purpose": one.purpose, "attempt": one.attempt}
        yield {**about, **asdict(one.reply), "request": one.sent, "reply": one.received}


def _identity(identity: Any) -> str:
    return " ".join(f"{name}:{value}" for name, value in identity.items())
