"""``board export``: a board's scores in the forms in which others collect them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH, folder_argument

if TYPE_CHECKING:
    from collections.abc import Mapping


@command()
@folder_argument
@option("--to", "form", type=click.Choice(["every-eval-ever", "huggingface"]), required=True)
@option("--out", type=PATH, required=True)
@option("--url", default="")
@option("--hub-dataset", default="", metavar="OWNER/NAME")
def export_board(folder: Path, form: str, out: Path, url: str, hub_dataset: str) -> None:
    """Write the scores of the board in FOLDER in forms that others collect.

    every-eval-ever: a JSON file for each system and setting, and for open sets a line a question.
    huggingface: eval.yaml for the data set's repository, and a file for each system's model.

    Example: argue-bench board export --to every-eval-ever --out exported
    """
    from argue_bench.cli.site import address, read_site
    from argue_bench.cli.tables import show_findings
    from argue_bench.pages.data import site_data
    from argue_bench.pages.files.exchange import (
        every_eval_ever,
        huggingface,
        instances,
        with_instances,
    )
    from argue_bench.records.atomic import atomic_write

    site, _, findings = read_site(folder, address(url))
    show_findings(findings)
    files = site_data(site)
    written: dict[str, str] = {}
    for path, board in files.items():
        if not path.startswith("board/"):
            continue
        if form == "huggingface":
            name = hub_dataset or f"OWNER/{board['set']['name'] or board['season']}"
            for inside, text in huggingface(board, files["index.json"], name):
                first = "/".join(path.split("/")[1:]).removesuffix(".json")
                written[f"{first}/{inside}" if inside == "eval.yaml" else inside] = text
            continue
        topics = files.get(path.replace("board/", "topics/", 1))
        rows = [row["system"] for s in board["sections"] for row in s["rows"]]
        by_name = {f"/{system}/": system for system in rows}
        for inside, record in every_eval_ever(board, files["index.json"]):
            system = next(name for part, name in by_name.items() if part in f"{inside}/")
            lines = list(
                instances(record, topics, system, _answers(folder, board["setting"], system))
                if topics is not None
                else ()
            )
            written.update(with_instances(inside, record, lines))
    for inside, text in written.items():
        with atomic_write(out / inside) as file:
            file.write(text)
    click.echo(f"{out}: {len(written)} files.")


def _answers(folder: Path, setting: str, system: str) -> Mapping[str, str]:
    """Question id to answer, of a system's file; nothing where it is not there."""
    from argue_bench.records.untrusted import read_lines

    path = folder / f"{setting}-generations" / f"{system}.jsonl"
    if not path.is_file():
        return {}
    values: list[Any] = [line.value for line in read_lines(path)]
    return {str(v["id"]): str(v["answer"]) for v in values if isinstance(v, dict) and "answer" in v}
