"""The command ``argue-bench``: commands parse, call one function, print.

Results go to stdout, messages to stderr. Exit 0 done, 1 findings, 2 wrong usage, 3 a judge failed,
130 stopped by Ctrl-C.
"""

from __future__ import annotations

import click

from argue_bench import __version__
from argue_bench.cli.commands import Group
from argue_bench.errors import ArgueBenchError, DataError, Interrupted

COMMANDS = {
    # name: "module:object", imported when the command is called
    "demo": "demo:demo",
    "init": "data.init:init",
    "evaluate": "evaluating.command:evaluate",
    "auto-argue": "evaluating.auto_argue:auto_argue",
    "rageval": "evaluating.rageval:rageval",
    "compare": "compare:compare",
    "view": "view:view",
    "data": "data:data",
    "sources": "sources:sources",
    "generate": "generate:generate",
    "retrieve": "retrieve:retrieve",
    "judge": "judging:judge",
    "store": "store:store",
    "board": "board:board",
    "site": "site:site",
    "submission": "submission:submission",
    "list": "listing:list_",
    "explain": "explain:explain",
}


class _Main(Group):
    """The table of commands, with defaults of options from the configuration file."""

    def invoke(self, ctx: click.Context) -> object:
        """Every error of ours becomes its message and its exit code, never a traceback."""
        from argue_bench.cli.config import read_defaults

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
