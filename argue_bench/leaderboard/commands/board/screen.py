"""``board screen``: what a maintainer looks at before a row is scored."""

from __future__ import annotations

import tempfile
import textwrap
from pathlib import Path

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH, folder_argument
from argue_bench.cli.tables import show_table
from argue_bench.leaderboard.formats.bundle import read_bundle
from argue_bench.leaderboard.formats.season import Season, read_season
from argue_bench.leaderboard.screening.answers import MOST, flagged, look, read_submitted
from argue_bench.leaderboard.screening.rows import (
    honest_baselines,
    shared,
    texts_shared,
    usual_range,
)
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Answer
from argue_bench.records.display import escape
from argue_bench.records.table import Table

MOST_SHOWN = 5
"""Answers that are shown of each kind of flag, unless a system is compared."""
# Two columns of a terminal, with a bar between them.
_WIDTH = 58


@command()
@folder_argument
@option(
    "--bundle", type=PATH, required=True, help="The bundle that `board ci intake` wrote, or held."
)
@option("--against", default="", help="A merged system whose answers are shown side by side.")
def screen(folder: Path, bundle: Path, against: str) -> None:
    """Show what the screening sees in a submission, beside what is usual on the board in FOLDER.

    Example: argue-bench board screen leaderboard-submissions --bundle taken/bundle --against other-system
    """

    season = read_season(folder)
    dataset, given = season.load(), read_bundle(bundle)
    with tempfile.TemporaryDirectory(prefix="argue-bench-") as name:
        given.unpack(Path(name))
        for path in sorted(Path(name).glob(f"*-generations/{given.system}.jsonl")):
            click.echo(f"\n{path.parent.name}, {given.system}")
            answers = _read(path, season, dataset)
            merged = sorted((folder / path.parent.name).glob("*.jsonl"))
            others = {one.stem: one for one in merged if one.stem != given.system}
            if against:
                _side_by_side(answers, _read(others[against], season, dataset), against)
            else:
                _values(answers, list(others.values()), season, dataset)


def _read(path: Path, season: Season, dataset: Dataset) -> list[Answer]:

    return read_submitted(path, season, dataset)[0]


def _values(answers: list[Answer], others: list[Path], season: Season, dataset: Dataset) -> None:
    """A table of values with the board's usual range and the highest of honest baselines, then passages."""

    merged = [answer for path in others for answer in _read(path, season, dataset)]
    own, board, honest = (
        usual_range(rows, dataset) for rows in (answers, merged, honest_baselines(dataset))
    )
    seen = {answer.id: flagged(look(answer, dataset.by_id[answer.id])) for answer in answers}
    rows = []
    for name, most in MOST.items():
        each = [_span(one.get(name)) for one in (own, board)]
        top = f"{honest[name][1]:.2f}" if name in honest else "-"
        count = sum(name in flags for flags in seen.values())
        rows.append((name, *each, top, f"{most:g}", f"{count:,}"))
    head = (
        "value",
        "5 to 95 % here",
        "on the board",
        "honest baselines",
        "flagged above",
        "flagged",
    )
    show_table(Table(head, rows, right=(5,)))
    by_id = {answer.id: answer for answer in answers}
    for name in MOST:
        for id in [id for id, flags in seen.items() if name in flags][:MOST_SHOWN]:
            click.echo(f"\n{name}, {id}: {_line(by_id[id].text, 400)}")


def _side_by_side(answers: list[Answer], theirs: list[Answer], name: str) -> None:
    """The answers that share most with another system's, in two columns."""

    other = {answer.id: answer.text for answer in theirs}
    found = []
    for answer in answers:
        share = shared(texts_shared({answer.id: answer.text}), other, [answer.id])
        found.append((share, answer))
    for share, answer in sorted(found, key=lambda one: -one[0])[:MOST_SHOWN]:
        click.echo(f"\n{answer.id}: {100 * share:.0f} % shared with {name}")
        columns = [
            textwrap.wrap(_line(text, 2_000), _WIDTH)
            for text in (answer.text, other.get(answer.id, ""))
        ]
        for at in range(max(map(len, columns))):
            left, right = (column[at] if at < len(column) else "" for column in columns)
            click.echo(f"{left:<{_WIDTH}} | {right}")


def _span(values: tuple[float, float] | None) -> str:
    return "-" if values is None else f"{values[0]:.2f} to {values[1]:.2f}"


def _line(text: str, most: int) -> str:

    return escape(text, most)
