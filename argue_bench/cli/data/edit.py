"""``argue-bench data edit``: people accept, edit, merge and weight nuggets on a page."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH

if TYPE_CHECKING:
    from argue_bench.drafting.gold import EditableNugget
    from argue_bench.loaders.dataset import Dataset


@command()
@click.argument("folder", type=PATH)
@option("--page", type=PATH, metavar="FILE")
@option("--apply", type=PATH, metavar="FILE")
@option("--port", type=click.IntRange(0, 65535), default=0, metavar="N")
def edit(folder: Path, page: Path | None, apply: Path | None, port: int) -> None:
    """Open a page on which people accept, edit, merge and weight the nuggets in FOLDER.

    A server on this machine saves them as gold and as nugget files; Ctrl-C ends it. With --page the
    page needs no server and saves a file, which --apply takes over.

    Example: argue-bench data edit my-set
    """
    from argue_bench.drafting.gold import read_drafts, save
    from argue_bench.loaders import load
    from argue_bench.pages.edit import EditServer, edit_page
    from argue_bench.records.atomic import atomic_write

    if page is not None and apply is not None:
        raise click.UsageError("--page writes a page and --apply takes its file: one at a time")
    dataset = load(folder)
    if apply is not None:
        done = save(folder, _read(apply, dataset))
        click.echo(f"{done.nuggets:,} nuggets are gold in {folder}")
        return
    nuggets = read_drafts(folder, dataset)
    if page is not None:
        with atomic_write(page) as file:
            file.write(edit_page(dataset, nuggets))
        click.echo(
            f"{page}: {len(nuggets):,} nuggets. Afterwards: argue-bench data edit {folder} --apply FILE"
        )
        return

    def keep(edited: Sequence[EditableNugget]) -> int:
        return save(folder, edited).nuggets

    try:
        server = EditServer(dataset, nuggets, keep, port)
    except OSError as error:
        raise click.UsageError(f"no server on port {port}: {error.strerror}") from None
    with server:
        click.echo(f"{server.address}\n{len(nuggets):,} nuggets; Ctrl-C ends.")
        if sys.stdout.isatty():
            import webbrowser

            webbrowser.open(server.address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo("ended", err=True)


def _read(path: Path, dataset: Dataset) -> list[EditableNugget]:
    """The nuggets in a file that the page saved. Raises DataError with every finding."""
    from argue_bench.drafting.gold import nugget_from_json
    from argue_bench.errors import Code
    from argue_bench.loaders.findings import Findings
    from argue_bench.records.untrusted import GOLD_LIMITS, read_json

    value = read_json(path, GOLD_LIMITS)
    found = Findings(path)
    read: list[EditableNugget] = []
    if not isinstance(value, list):
        found.add(Code.NUGGET_SHAPE, "this is not a list of nuggets, as the page saves one")
        value = []
    for number, one in enumerate(value, 1):
        try:
            read.append(nugget_from_json(one, dataset))
        except ValueError as error:
            found.add(Code.NUGGET_SHAPE, f"nugget {number}: {error}")
    found.raise_errors()
    return read
