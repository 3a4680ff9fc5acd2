"""The command ``argue-bench``: commands parse, call one function, print.

Results go to stdout, talk to stderr. Exit 0 done, 1 findings, 2 wrong usage, 3 a judge failed.
"""

from __future__ import annotations

import inspect
from importlib import import_module

import click

from argue_bench import __version__
from argue_bench.errors import ArgueBenchError, DataError

COMMANDS = {
    # name: "module:object", imported when the command is called
    "agreement": "judging.agreement:agreement",
    "compare": "compare:compare",
    "power": "board.power:power",
    "board": "board.score:board",
    "annotate": "evaluating.reports:annotate",
    "demo": "demo:demo",
    "evaluate": "evaluating.answers:evaluate",
    "score": "evaluating.judgments:score",
    "import": "board.importing:import_",
    "submission": "submission.check:submission",
    "merge": "merge:merge",
    "generate": "generate:generate",
    "store": "store:store",
    "season": "board.season:season",
    "site": "site.build:site",
    "view": "view:view",
    "systems": "generate:systems",
    "prompts": "generate:prompts",
    "retrieve": "retrieve:retrieve",
    "metrics": "listing:metrics",
    "judge": "judging.check:judge",
    "judges": "listing:judges",
    "datasets": "listing:datasets",
    "formats": "listing:formats",
}


class _Commands(click.Group):
    """The commands of the table above; each is imported only when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[name].partition(":")
        command: click.Command = getattr(import_module(f"argue_bench.cli.{module}"), attribute)
        _say_whole(command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError:
            from argue_bench.errors import UnknownName

            raise click.UsageError(
                str(UnknownName("command", args[0], sorted(COMMANDS), see="argue-bench --help"))
            ) from None

    def invoke(self, ctx: click.Context) -> object:
        """Every error of ours becomes its message and its exit code, never a traceback."""
        try:
            return super().invoke(ctx)
        except ArgueBenchError as error:
            _print_error(error)
            ctx.exit(error.exit_code)
        except BrokenPipeError:
            ctx.exit(0)
        except OSError as error:  # stdout itself refuses, such as a file on a full disk
            click.echo(f"argue-bench: {error}", err=True)
            ctx.exit(1)


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="argue-bench")
def main() -> None:
    """Score long-form answers that must cite their sources, and run an open board for them.

    Example: argue-bench evaluate answers.jsonl --on core
    """


def _say_whole(command: click.Command) -> None:
    """Lists of commands show the whole first sentence, on two lines if need be; click would cut it."""
    if command.help and not command.short_help:
        first = " ".join(inspect.cleandoc(command.help).partition("\n\n")[0].split())
        command.short_help = first.partition(". ")[0].removesuffix(".") + "."
    for below in getattr(command, "commands", {}).values():
        _say_whole(below)


def _print_error(error: ArgueBenchError) -> None:
    if isinstance(error, DataError):
        for finding in error.findings:
            click.echo(str(finding), err=True)
        errors = sum(finding.level == "error" for finding in error.findings)
        click.echo(f"{errors} finding{'s' if errors != 1 else ''}. Nothing was done.", err=True)
    else:
        click.echo(f"argue-bench: {error}", err=True)
