"""``argue-bench data edit``: people accept, edit, merge and weight nuggets on a page."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH

if TYPE_CHECKING:
    from argue_bench.baselines.drafting import DraftedNugget
    from argue_bench.loaders.dataset import Dataset


@command()
@click.argument("folder", type=PATH)
@option(
    "--apply", type=PATH, metavar="FILE", help="Take the edits in this file, which the page saved."
)
def edit(folder: Path, apply: Path | None) -> None:
    """Write FOLDER.html, a page on which people accept, edit, merge and weight the nuggets in FOLDER.

    The page opens in a browser where there is one, needs no server, and saves a file. With --apply the
    edits in that file become the gold and the nugget files of FOLDER.

    Example: argue-bench data edit my-set
    """
    from argue_bench.baselines.drafting.gold import read_drafts, save
    from argue_bench.loaders import load
    from argue_bench.records.atomic import atomic_write
    from argue_bench.view.nugget_page import edit_page

    dataset = load(folder)
    if apply is not None:
        done = save(folder, _read(apply, dataset))
        click.echo(f"{done.nuggets:,} nuggets are gold in {folder}")
        return
    nuggets = read_drafts(folder, dataset)
    place = folder.with_name(f"{folder.absolute().name}.html")
    with atomic_write(place) as file:
        file.write(edit_page(dataset, nuggets))
    click.echo(
        f"{place}: {len(nuggets):,} nuggets. Afterwards: argue-bench data edit {folder} --apply FILE"
    )
    if sys.stdout.isatty():
        click.launch(place.resolve().as_uri())


def _read(path: Path, dataset: Dataset) -> list[DraftedNugget]:
    """The nuggets in a file that the page saved. Raises DataError with every finding."""
    from argue_bench.baselines.drafting.gold import nugget_from_json
    from argue_bench.errors import Code, DataError
    from argue_bench.loaders.findings import Findings
    from argue_bench.records.untrusted import GOLD_LIMITS, read_json

    value = read_json(path, GOLD_LIMITS)
    if not isinstance(value, list):
        why = "this is not a list of nuggets, as the page saves one"
        raise DataError.of(Code.WRONG_SHAPE, why, path)
    found = Findings(path)
    read: list[DraftedNugget] = []
    for number, given in enumerate(value, 1):
        try:
            read.append(nugget_from_json(given, dataset))
        except DataError as error:
            for one in error.findings:
                found.add(Code.WRONG_SHAPE, f"nugget {number}: {one.message}")
    found.raise_errors()
    return read
