"""``board export``: a board's scores in the forms in which others collect them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from argue_bench.cli.commands import command, option
from argue_bench.cli.options import PATH, folder_argument

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@command()
@folder_argument
@option("--to", "form", type=click.Choice(["every-eval-ever", "huggingface"]), required=True)
@option("--out", type=PATH, required=True)
@option("--url", default="")
@option("--hub-dataset", default="", metavar="OWNER/NAME")
def export_board(folder: Path, form: str, out: Path, url: str, hub_dataset: str) -> None:
    """Write the scores of the board in FOLDER in forms that others collect.

    every-eval-ever: a JSON file for each system and setting, and for open sets a line a question.
    huggingface: eval.yaml for the data set's repository, and a folder for each system's model.

    Example: argue-bench board export --to every-eval-ever --out exported
    """
    from argue_bench.cli.site import address, read_site
    from argue_bench.cli.tables import show_findings
    from argue_bench.pages.data import site_data
    from argue_bench.records.atomic import atomic_write

    site, _, findings = read_site(folder, address(url))
    show_findings(findings)
    files = site_data(site)
    made = _hub_files(files, hub_dataset) if form == "huggingface" else _records(files, folder)
    written = dict(made)
    for inside, text in written.items():
        with atomic_write(out / inside) as file:
            file.write(text)
    click.echo(f"{out}: {len(written)} files.")


def _records(files: Mapping[str, Any], folder: Path) -> Iterator[tuple[str, str]]:
    """Path and text of each record for every-eval-ever, and of its lines."""
    from argue_bench.pages.files.exchange import every_eval_ever, instances, with_instances

    for path, board in files.items():
        if path.startswith("board/"):
            topics = files.get(path.replace("board/", "topics/", 1))
            for inside, record in every_eval_ever(board, files["index.json"]):
                system = Path(inside).parent.name
                answers = _answers(folder, board["setting"], system)
                lines = instances(record, topics, system, answers) if topics else ()
                yield from with_instances(inside, record, list(lines))


def _hub_files(files: Mapping[str, Any], dataset: str) -> Iterator[tuple[str, str]]:
    """Path and text of the files for Hugging Face: season by season a benchmark, and each system's."""
    from argue_bench.pages.files.exchange import hub_benchmark, hub_dataset, hub_results

    for season in files["index.json"]["seasons"]:
        place = season["season"]
        names = [f"board/{place}/{one['setting']}.json" for one in season["settings"]]
        boards = [files[name] for name in names]
        if text := hub_benchmark(boards):
            yield f"{place}/eval.yaml", text
        for board in boards:
            results = hub_results(board, files["index.json"], dataset or hub_dataset(board))
            for system, text in results:
                yield f"{place}/{system}/.eval_results/{place}-{board['setting']}.yaml", text


def _answers(folder: Path, setting: str, system: str) -> Mapping[str, str]:
    """Question id to answer, of a system's file; nothing where it is not there."""
    from argue_bench.records.untrusted import read_lines

    path = folder / f"{setting}-generations" / f"{system}.jsonl"
    if not path.is_file():
        return {}
    values: list[Any] = [line.value for line in read_lines(path)]
    return {str(v["id"]): str(v["answer"]) for v in values if isinstance(v, dict) and "answer" in v}
