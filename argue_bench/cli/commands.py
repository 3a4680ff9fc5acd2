"""Commands that load on use, show their options in groups and refuse an option given twice."""

from __future__ import annotations

import inspect
from collections import Counter
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, TypeVar

import click

from argue_bench.errors import UnknownName

F = TypeVar("F", bound=Callable[..., Any])
ADVANCED = "Advanced"
_ALL = "argue_bench.help_all"


class Option(click.Option):
    """An option that the help shows in its group; those of the group Advanced by --help-all alone."""

    def __init__(self, *args: Any, group: str = "", **attributes: Any) -> None:
        self.group = group
        super().__init__(*args, **attributes)


def option(*names: str, group: str = "", **attributes: Any) -> Callable[[F], F]:
    """`click.option` with the group of the help in which it stands."""
    return click.option(*names, cls=Option, group=group, **attributes)


class _Grouped(click.Command):
    """What commands and groups of commands share."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # click keeps the last of two values silently, and the first may be what was meant.
        order = self.make_parser(ctx).parse_args(list(args))[2]
        for parameter, times in Counter(order).items():
            if times > 1 and isinstance(parameter, click.Option) and _takes_one(parameter):
                name = max(parameter.opts, key=len)
                raise click.UsageError(f"{name} was given {times} times; it takes one value", ctx)
        return super().parse_args(ctx, args)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        params = super().get_params(ctx)
        if any(getattr(parameter, "group", "") == ADVANCED for parameter in params):
            more = click.Option(
                ["--help-all"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=_show_all,
                help="Show the advanced options too, and exit.",
            )
            params = [*params, more]
        return params

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                groups.setdefault(getattr(parameter, "group", "") or "Options", []).append(record)
        advanced = groups.pop(ADVANCED, [])
        groups["Options"] = groups.pop("Options")  # --help itself, last
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
    """A command of ours."""


class Group(_Grouped, click.Group):
    """A group of commands; those of its table are imported when they are needed."""

    command_class = Command

    def __init__(self, *args: Any, table: Mapping[str, str] | None = None, **rest: Any) -> None:
        super().__init__(*args, **rest)
        self.table = dict(table or {})

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [*self.table, *self.commands]

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in self.table:
            return super().get_command(ctx, name)
        module, _, attribute = self.table[name].partition(":")
        command: click.Command = getattr(import_module(f"argue_bench.cli.{module}"), attribute)
        return command

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        super().format_options(ctx, formatter)
        self.format_commands(ctx, formatter)

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
    """A group of the commands in ``table``: name to "module:object" below `argue_bench.cli`."""
    return Group(name, table=table, help=help, hidden=hidden)


def _takes_one(option: click.Option) -> bool:
    return not (option.multiple or option.count or option.is_flag)


def _show_all(ctx: click.Context, _: click.Parameter, given: bool) -> None:
    if given and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()
