"""The command ``argue-bench``: commands parse, call one function, print.

Results go to stdout, messages to stderr. Exit 0 done, 1 findings, 2 wrong usage, 3 a judge failed,
130 stopped by Ctrl-C.
"""

from __future__ import annotations

import atexit
import gc
import os
from collections.abc import Sequence
from typing import Any

import click

from argue_bench import __version__
from argue_bench.cli.commands import Group
from argue_bench.errors import ArgueBenchError, DataError, Interrupted

COMMANDS = {
    # name: "module:object", imported when the command is called, and the first sentence of its help
    "demo": "demo:demo Make submissions, check and score them, and render the board.",
    "init": "data.init:data_init Write a folder with example rows, a configuration and a README.",
    "evaluate": "evaluating.command:evaluate_command Score the answers or reports in ANSWERS.",
    "auto-argue": "evaluating.auto_argue:auto_argue Judge REPORTS by NUGGETS as Auto-ARGUE does, and write its files.",
    "rageval": "evaluating.rageval:rageval Take the command lines of rageval's scripts on ALCE as they are.",
    "compare": "compare:compare_command Compare systems from run files: intervals, paired tests, rank bands.",
    "view": "view:view Show every report of a run with every judgment, as pages that need no server.",
    "data": "data:data Look at rows and data sets before scoring; draft and edit nuggets.",
    "sources": "sources:sources Fetch or import the web pages that answers cite, once; scoring then reads them offline.",
    "generate": "generate:generate_command Write a submission file with the answers of a baseline or a model.",
    "retrieve": "retrieve:retrieve Retrieve passages for every question by BM25+, and measure the ranking.",
    "judge": "judging:judge Find out which judge can be trusted.",
    "store": "store:store Look into stores of verdicts and replies, and merge them.",
    "board": "board:board Run a board.",
    "site": "site:site Make the pages of a board.",
    "submission": "submission:submission Prepare a submission.",
    "list": "listing:list_ List what can be named on the command line.",
    "explain": "explain:explain Print the meaning of an error code, as errors show it in brackets.",
}

_NEW_OBJECTS = 150_000
"""Objects after which a command looks for garbage."""


class _Main(Group):
    """The table of commands, with defaults of options from the configuration file."""

    def main(self, args: Sequence[str] | None = None, *more: Any, **named: Any) -> Any:
        """Runs the words of the command line; without ``args`` this process was started for it."""
        if args is None:
            # Half of a small run is its imports: the objects they make stay, so no garbage is looked for
            # among them, nor at the end, when the process frees them all.
            gc.set_threshold(_NEW_OBJECTS, *gc.get_threshold()[1:])
            atexit.register(gc.freeze)
        return super().main(args, *more, **named)

    def invoke(self, ctx: click.Context) -> object:
        """Every error of ours becomes its message and its exit code, never a traceback."""
        from argue_bench.cli.config import read_defaults

        # pydantic need not look through all installed packages for plugins, of which we use none.
        os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
        try:
            ctx.default_map = read_defaults(self)
            return super().invoke(ctx)
        except ArgueBenchError as error:
            _print_error(error)
            ctx.exit(error.exit_code)
        except KeyboardInterrupt:
            click.echo("argue-bench: stopped", err=True)
            ctx.exit(Interrupted.exit_code)
        except BrokenPipeError:
            ctx.exit(0)
        except OSError as error:  # stdout itself refuses, such as a file on a full disk
            click.echo(f"argue-bench: {error}", err=True)
            ctx.exit(1)


@click.group(
    cls=_Main,
    table=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="argue-bench")
def main() -> None:
    """Score long-form answers that must cite their sources, and run an open board for them.

    Example: argue-bench evaluate answers.jsonl --dataset core
    """


def _print_error(error: ArgueBenchError) -> None:
    if not isinstance(error, DataError):
        click.echo(f"argue-bench: {error}", err=True)
        return
    for finding in error.findings:
        click.echo(str(finding), err=True)
    errors = sum(finding.level == "error" for finding in error.findings)
    if errors > 1:
        click.echo(f"{errors} errors. Nothing was done.", err=True)
