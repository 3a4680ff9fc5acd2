"""``argue-bench store``: what judges and models were sent and said, as a store keeps it."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--raw", is_flag=True, help="Print every prompt and reply, a JSON object a line.")
@click.option(
    "--for",
    "purpose",
    default="",
    metavar="ID",
    help="With --raw: only what was asked for this question, or of this ask's key.",
)
def store(file: Path, raw: bool, purpose: str) -> None:
    """Show what a store keeps: whose verdicts and replies, and with --raw each prompt and reply.

    FILE is what 'generate', 'evaluate' or 'annotate' wrote: OUT.replies, RUN.verdicts.

    Example: argue-bench store answers.replies --raw --for flood-toll
    """
    from argue_bench.store import Replies, Store

    if purpose and not raw:
        raise click.UsageError("--for goes with --raw")
    with Store(file, write=False) as verdicts, Replies(file, write=False) as replies:
        if not raw:
            _overview(verdicts, replies)
            return
        for entry in verdicts:
            if purpose in ("", entry.key):
                _line(
                    judge=entry.judge.name,
                    key=entry.key,
                    kind=entry.kind,
                    verdict=entry.verdict.value,
                    request=entry.verdict.prompt,
                    reply=entry.verdict.reply,
                )
        for missed in verdicts.failures():
            if purpose in ("", missed.key):
                _line(
                    judge=missed.judge.name,
                    key=missed.key,
                    kind=missed.kind,
                    failed=missed.failed.reason,
                    request=missed.failed.prompt,
                    reply=missed.failed.reply,
                )
        for one in replies:
            if purpose in ("", one.purpose):
                _line(
                    model=one.model.name,
                    purpose=one.purpose,
                    attempt=one.attempt,
                    **asdict(one.reply),
                    request=one.sent,
                    reply=one.received,
                )


def _overview(verdicts: Any, replies: Any) -> None:
    from argue_bench.table import aligned

    said: Counter[tuple[str, str, str]] = Counter()
    for entry in verdicts:
        said["verdicts", entry.judge.name, _identity(entry.judge.identity)] += 1
    for missed in verdicts.failures():
        said["failures", missed.judge.name, _identity(missed.judge.identity)] += 1
    for one in replies:
        said["replies", one.model.name, _identity(one.model.identity)] += 1
    rows = [(f"{count:,}", *who) for who, count in said.items()]
    for line in aligned(rows):
        click.echo(line)
    if not rows:
        click.echo("nothing is kept here yet", err=True)


def _identity(identity: Any) -> str:
    return " ".join(f"{name}:{value}" for name, value in identity.items())


def _line(**values: object) -> None:
    click.echo(json.dumps(values, ensure_ascii=False))
