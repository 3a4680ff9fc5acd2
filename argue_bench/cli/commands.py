"""Commands that load on use, show their options in groups and refuse an option given twice."""

from __future__ import annotations

import inspect
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

import click

from argue_bench.errors import UnknownName

F = TypeVar("F", bound=Callable[..., Any])
ADVANCED = "Advanced"
_ALL = "argue_bench.help_all"


class Option(click.Option):
    """An option that shows its default; ``help.toml`` holds its help and its group."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        attributes["show_default"] = attributes.get("default") not in (None, "", 0)
        super().__init__(*args, **attributes)

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        self.help = help_of(self, ctx)[1]
        return super().get_help_record(ctx)


def option(*names: str, **attributes: Any) -> Callable[[F], F]:
    """`click.option` for an option of ours."""
    return click.option(*names, cls=Option, **attributes)


@cache
def _texts() -> dict[str, Any]:
    import tomllib

    return tomllib.loads(Path(__file__).with_name("help.toml").read_text(encoding="utf-8"))


def help_of(option: click.Option, ctx: click.Context) -> tuple[str, str]:
    """The group and the help of an option: the command's own text, else the shared one."""
    name = long_name(option)
    for command in (_words(ctx), "shared"):
        for group, texts in _texts().get(command, {}).items():
            if name in texts:
                return group, texts[name]
    return "Options", option.help or ""


def _words(ctx: click.Context) -> str:
    """The command's words without the name of the program."""
    words: list[str] = []
    while ctx.parent is not None:
        words.insert(0, ctx.info_name or "")
        ctx = ctx.parent
    return " ".join(words)


def long_name(option: click.Parameter) -> str:
    """``--on-failure`` as ``on-failure``."""
    return max(option.opts, key=len).lstrip("-")


class _Grouped(click.Command):
    """The shared behaviour of commands and groups of commands."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # click keeps the last of two values silently, and the first may be what was meant.
        order = self.make_parser(ctx).parse_args(list(args))[2]
        for parameter, times in Counter(order).items():
            if times > 1 and isinstance(parameter, click.Option) and _takes_one(parameter):
                name = max(parameter.opts, key=len)
                raise click.UsageError(f"{name} was given {times} times; it takes one value", ctx)
        try:
            return super().parse_args(ctx, args)
        except click.Abort:
            if sys.stdin.isatty():
                raise
            asked = [one for one in self.get_params(ctx) if getattr(one, "prompt", None)]
            missing = [f"--{long_name(one)}" for one in asked if one.name not in ctx.params]
            why = f"the command cannot ask questions here: give {', '.join(missing)}"
            raise click.UsageError(why, ctx) from None

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        params = super().get_params(ctx)
        # Whether one of them is advanced stands in the help's texts, which only help itself reads.
        if any(isinstance(one, Option) for one in params):
            params = [*params, _HELP_ALL]
        return params

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx) if parameter is not _HELP_ALL else None
            if record is not None and isinstance(parameter, click.Option):
                ours = isinstance(parameter, Option)
                group = help_of(parameter, ctx)[0] if ours else "Options"
                groups.setdefault(group, []).append(record)
        advanced = groups.pop(ADVANCED, [])
        groups["Options"] = groups.pop("Options")  # --help itself, last
        if advanced and (record := _HELP_ALL.get_help_record(ctx)):
            groups["Options"].append(record)
        if ctx.meta.get(_ALL):
            groups[ADVANCED] = advanced
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl(records)

    def get_short_help_str(self, limit: int = 45) -> str:
        """The whole first sentence, on two lines of a list if need be; click would cut it."""
        first = " ".join(inspect.cleandoc(self.help or "").partition("\n\n")[0].split())
        return first.partition(". ")[0].removesuffix(".") + "." if first else ""


class Command(_Grouped):
    """A command with our options and help."""


class Group(_Grouped, click.Group):
    """A group of commands; each is imported when it is needed."""

    command_class = Command

    def __init__(self, *args: Any, table: Mapping[str, str] | None = None, **rest: Any) -> None:
        super().__init__(*args, **rest)
        self.table = dict(table or {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.table, *self.commands]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.table:
            return super().get_command(ctx, name)
        module, _, attribute = self.table[name].partition(" ")[0].partition(":")
        command: click.Command = getattr(import_module(f"argue_bench.cli.{module}"), attribute)
        return command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Each command with its first sentence; one that stands in the table imports nothing."""
        rows = []
        for name in self.list_commands(ctx):
            sentence = self.table.get(name, "").partition(" ")[2]
            if not sentence:
                command = self.get_command(ctx, name)
                if command is None or command.hidden:
                    continue
                sentence = command.get_short_help_str()
            rows.append((name, sentence))
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.list_commands(ctx) and not args[0].startswith("-"):
            unknown = UnknownName(
                "command", args[0], self.list_commands(ctx), see=f"{ctx.command_path} --help"
            )
            raise click.UsageError(str(unknown), ctx)
        return super().resolve_command(ctx, args)


def command(name: str | None = None, **attributes: Any) -> Callable[[Callable[..., Any]], Command]:
    """`click.command` for a command of ours."""
    return click.command(name, cls=Command, **attributes)


def group(name: str, table: Mapping[str, str], help: str, *, hidden: bool = False) -> Group:
    """A group of the commands in ``table``: name to "module:object" below `argue_bench.cli`.

    The first sentence of a command's help may stand behind a blank: a list of commands then does not
    import it.
    """
    return Group(name, table=table, help=help, hidden=hidden)


def _takes_one(option: click.Option) -> bool:
    return not (option.multiple or option.count or option.is_flag)


def _show_all(ctx: click.Context, _: click.Parameter, given: bool) -> None:
    if given and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


_HELP_ALL = click.Option(
    ["--help-all"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_all,
    help="Show the advanced options too, and exit.",
)
