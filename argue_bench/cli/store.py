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
from argue_bench.cli.options import PATH, format_option
from argue_bench.cli.tables import print_as, show_table
from argue_bench.table import Table


@click.group(cls=Group)
def store() -> None:
    """Look into stores of verdicts and replies, and merge them.

    Example: argue-bench store show answers.replies
    """


@store.command()
@click.argument("file", type=PATH)
@option("--raw", is_flag=True)
@option("--for", "purpose", default="", metavar="ID")
@format_option
def show(file: Path, raw: bool, purpose: str, format: str) -> None:
    """Count verdicts and replies by judge or model; with --raw, print each prompt and reply.

    FILE is what `generate` or `evaluate` wrote: OUT.replies, RUN.verdicts.

    Example: argue-bench store show answers.replies --raw --for flood-toll
    """
    from argue_bench.store import Replies, Store

    if purpose and not raw:
        raise click.UsageError("--for goes with --raw")
    with Store(file, write=False) as verdicts, Replies(file, write=False) as replies:
        if raw:
            for key, values in _entries(verdicts, replies):
                if purpose in ("", key):
                    click.echo(json.dumps(values, ensure_ascii=False))
            return
        counts: Counter[tuple[str, str, str]] = Counter()
        for what, entries in (("verdicts", verdicts), ("failures", verdicts.failures())):
            for entry in entries:
                counts[what, entry.judge.name, _identity(entry.judge.identity)] += 1
        for reply in replies:
            counts["replies", reply.model.name, _identity(reply.model.identity)] += 1
    rows = [(f"{count:,}", *who) for who, count in counts.items()]
    head = ("count", "what", "by", "identity")
    plain = [dict(zip(head, row, strict=True)) for row in rows]
    if print_as(format, plain, Table(head, rows, right=(0,))):
        return
    if rows:
        show_table(Table(head, rows, right=(0,)))
    else:
        click.echo("nothing is kept here yet", err=True)


@store.command()
@click.argument("out", type=PATH)
@click.argument("parts", type=PATH, nargs=-1, required=True)
@option("--expect", type=click.IntRange(min=1), metavar="N")
def merge(out: Path, parts: tuple[Path, ...], expect: int | None) -> None:
    """Bring the stores PARTS together in the store OUT: verdicts of judges, replies of models.

    OUT is made where there is none; what it holds stays. Then run the command without --shard and
    with --store OUT: it finds every verdict and asks nothing.

    Example: argue-bench store merge run.verdicts run.verdicts.1-of-2 run.verdicts.2-of-2
    """
    from argue_bench.store.merging import merge_stores, missing_shards

    found = merge_stores(out, parts, expect)
    if absent := missing_shards(parts):
        click.echo(
            f"not merged: {', '.join(map(str, absent))} (--expect N refuses to merge without them)",
            err=True,
        )
    replies = ""
    if found.replies_read:
        replies = f"; {found.replies_added:,} replies of {found.replies_read:,}"
    click.echo(
        f"{out}: {found.added:,} verdicts added of {found.read:,} in {len(parts)} stores; "
        f"{found.failures:,} requests without a verdict{replies}"
    )
    if found.differing:
        click.echo(
            f"{found.differing:,} requests have different verdicts or replies of the same judge or "
            "model; the first is kept",
            err=True,
        )


def _entries(verdicts: Any, replies: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each verdict, failure and reply: its key or question, and everything that was kept."""
    for entry in verdicts:
        yield (
            entry.key,
            {
                "judge": entry.judge.name,
                "key": entry.key,
                "kind": entry.kind,
                "verdict": entry.verdict.value,
                "request": entry.verdict.prompt,
                "reply": entry.verdict.reply,
            },
        )
    for entry in verdicts.failures():
        yield (
            entry.key,
            {
                "judge": entry.judge.name,
                "key": entry.key,
                "kind": entry.kind,
                "failed": entry.failed.reason,
                "request": entry.failed.prompt,
                "reply": entry.failed.reply,
            },
        )
    for one in replies:
        yield (
            one.purpose,
            {
                "model": one.model.name,
                "purpose": one.purpose,
                "attempt": one.attempt,
                **asdict(one.reply),
                "request": one.sent,
                "reply": one.received,
            },
        )


def _identity(identity: Any) -> str:
    return " ".join(f"{name}:{value}" for name, value in identity.items())
