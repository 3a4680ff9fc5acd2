"""``argue-bench judge get``: a published model that reads, fetched once by name."""

from __future__ import annotations

import click

from argue_bench.cli.commands import command
from argue_bench.cli.tables import show_table
from argue_bench.models.fetched import fetch_model, fetched_folder, fetched_models
from argue_bench.records.table import Table


@command("get")
@click.argument("name", required=False)
def judge_get(name: str | None) -> None:
    """Fetch a published model that checks claims, once; without a name, list them.

    Example: argue-bench judge get tinylettuce-68m
    """
    if name is None:
        rows = [
            (
                key,
                f"{one.gigabytes:g} GB",
                f"{one.seconds:g} s",
                one.figure,
                one.licence,
                "here" if fetched_folder(key).is_dir() else "",
            )
            for key, one in fetched_models().items()
        ]
        head = ("name", "size", "400 tokens", "published", "licence", "")
        show_table(Table(head, rows, right=(1, 2)))
        return
    folder, record, new = fetch_model(name)
    model = fetched_models()[name]
    said = "fetched" if new else "is here, and its files are those that were fetched"
    click.echo(
        f"{name} {said}: {record['repository']} at {record['revision'][:12]}, {len(record['files'])} files, "
        f"licence {model.licence}, in {folder}"
    )
    if new and (trusted := sorted(record["files"].keys() - model.files.keys())):
        click.echo(
            f"No digest of {len(trusted)} of them was known beforehand: what the hub served just now was trusted, "
            "and every later fetch is held to it.",
            err=True,
        )
    click.echo(f"Use it: argue-bench evaluate ANSWERS --judge {name}")
