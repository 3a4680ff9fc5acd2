"""``argue-bench init``: a folder with example rows and a configuration, to start from."""

from __future__ import annotations

from pathlib import Path

import click

from argue_bench.cli.commands import command
from argue_bench.cli.options import PATH
from argue_bench.errors import Code, DataError

_ROWS = """\
{"question": "How long is the Corrigard Bridge?", "contexts": ["The Corrigard Bridge is 412.5 m long. It reopened on 1 March 2022."], "answer": "The Corrigard Bridge is 412.5 m long. It was painted red in 1990."}
{"question": "When did the Corrigard Bridge reopen?", "contexts": ["The Corrigard Bridge is 412.5 m long. It reopened on 1 March 2022."], "answer": "It reopened on 1 March 2022."}
{"question": "Who designed the Corrigard Bridge?", "contexts": ["The Corrigard Bridge is 412.5 m long. It reopened on 1 March 2022."], "answer": "The documents do not say who designed the Corrigard Bridge."}
"""
_CONFIG = """\
# Defaults, by command. `argue-bench evaluate --help-all` lists the options.
[evaluate]
answers = "rows.jsonl"
metric = ["faithfulness"]
show = 10
"""
_README = """\
# Which sentences do the contexts not support?

    argue-bench evaluate
    argue-bench evaluate --out run
    argue-bench view run

rows.jsonl has a question, its contexts and an answer a line: put your own rows there (docs/rows.md lists
the column names that are known). argue-bench.toml sets defaults; `--judge` names a language model.
"""


@command("init")
@click.argument("folder", metavar="[FOLDER]", type=PATH, default=Path("argue"))
def data_init(folder: Path) -> None:
    """Write a folder with example rows, a configuration and a README.

    Example: argue-bench init my-rag
    """
    from argue_bench.records.atomic import atomic_write

    if folder.exists() and any(folder.iterdir() if folder.is_dir() else [folder]):
        hint = "Name a new folder."
        raise DataError.of(Code.NOT_WRITTEN, "there are files here already", folder, hint=hint)
    for name, text in (
        ("rows.jsonl", _ROWS),
        ("argue-bench.toml", _CONFIG),
        ("README.md", _README),
    ):
        with atomic_write(folder / name) as file:
            file.write(text)
    click.echo(f"{folder}: now run: cd {folder} && argue-bench evaluate")
