"""The command ``argue-bench``: commands parse, call one function, print.

Results go to stdout, messages to stderr. Exit 0 done, 1 findings, 2 wrong usage, 3 a judge failed,
130 stopped by Ctrl-C.
"""

from __future__ import annotations

import json
import os
import signal
from contextlib import suppress
from itertools import pairwise

import click

from argue_bench import satellites
from argue_bench.cli.commands import Group
from argue_bench.errors import ArgueBenchError, DataError, Interrupted, UsageError
from argue_bench.version import __version__

COMMANDS = {
    # name: "module:object", imported when the command is called, and the first sentence of its help
    "init": "cli.data.check:data_init Write a folder with example rows, a configuration and a README.",
    "check": "cli.check:check_command Say of each sentence of one answer whether its contexts support it.",
    "evaluate": "cli.evaluate:evaluate_command Score the answers in ANSWERS.",
    "compare": "cli.compare:compare_command Compare systems from run files: intervals, paired tests, rank bands.",
    "view": "cli.view:view Show every report of a run with every judgment, as pages that need no server.",
    "data": "cli.data:data Look at rows and data sets before scoring; draft and edit nuggets.",
    "generate": "cli.generate:generate_command Write a submission file with the answers of a baseline or a model.",
    "retrieve": "cli.retrieve:retrieve Retrieve passages for every question by BM25+, and measure the ranking.",
    "store": "cli.store:store Look into stores of verdicts and replies, and merge them.",
    "list": "cli.listing:list_ List what can be named on the command line.",
    "explain": "cli.listing:explain Print the meaning of an error code, as errors show it in brackets.",
} | satellites.COMMANDS

# Whether the words of a command ask for JSON, kept with click's context.
_JSON = "argue_bench.json"


class _Main(Group):
    """The table of commands, with defaults of options from the configuration file."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # Before anything else: a program that asked for JSON must be able to read what is wrong with its words.
        ctx.meta[_JSON] = "--format=json" in args or ("--format", "json") in pairwise(args)
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        """Every error of ours becomes its message and its exit code, never a traceback."""
        from argue_bench.cli.config import read_defaults

        with suppress(ValueError):  # not in the main thread
            _end_as_by_ctrl_c()
        # pydantic need not look through all installed packages for plugins, of which we use none.
        os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
        try:
            ctx.default_map = read_defaults(self)
            return super().invoke(ctx)
        except (ArgueBenchError, click.UsageError) as error:
            if isinstance(error, click.UsageError) and not ctx.meta[_JSON]:
                raise
            _print_error(error, ctx.meta[_JSON])
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


def _end_as_by_ctrl_c() -> None:
    """Lets SIGTERM, which schedulers send before they kill, end a command as Ctrl-C does.

    A job in the background of a script ignores Ctrl-C, and could not be ended in order: it listens again.
    """
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _print_error(error: ArgueBenchError | click.UsageError, as_json: bool) -> None:
    if isinstance(error, click.UsageError):
        error = UsageError(error.format_message())
    if as_json:
        click.echo(json.dumps({"errors": error.to_json()}, ensure_ascii=False))
    elif not isinstance(error, DataError):
        click.echo(f"argue-bench: {error}", err=True)
    else:
        for finding in error.findings:
            click.echo(str(finding), err=True)
        if (errors := len(error.to_json())) > 1:
            click.echo(f"{errors} errors. Nothing was done.", err=True)
