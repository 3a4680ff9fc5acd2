"""Commands that load on use, show their options in groups and refuse an option given twice."""

from __future__ import annotations

import inspect
import json
import sys
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass, field, fields
from functools import wraps
from io import StringIO
from typing import Any, TypeVar, cast

import click

from argue_bench.errors import UnknownName
from argue_bench.satellites import import_text

F = TypeVar("F", bound=Callable[..., Any])
ADVANCED = "Advanced"
_ALL = "argue_bench.help_all"
# The tables that a command shows, where they are printed as JSON; kept with click's context.
TABLES = "argue_bench.tables"


class Option(click.Option):
    """An option that shows its default, under a heading of the help."""

    def __init__(self, *args: Any, group: str = "Options", **attributes: Any) -> None:
        attributes["show_default"] = attributes.get("default") not in (None, "", 0)
        super().__init__(*args, **attributes)
        self.group = group


@dataclass(frozen=True)
class Declared:
    """An option as it is declared, once: it decorates commands."""

    names: tuple[str, ...]
    attributes: Mapping[str, Any]

    def __call__(self, command: F) -> F:
        return click.option(*self.names, cls=Option, **self.attributes)(command)

    def but(self, *names: str, **changes: Any) -> Declared:
        """The same option with other names or attributes, for a command where it means less or more."""
        return Declared(names or self.names, {**self.attributes, **changes})


def option(*names: str, **attributes: Any) -> Declared:
    """An option with its ``help``, the ``group`` of the help that it stands in, and what click takes.

    Options of the group ``ADVANCED`` are shown by ``--help-all`` alone.
    """
    return Declared(names, attributes)


def as_field(declared: Declared) -> Any:
    """The option as a field of a frozen dataclass, which `options` hands to a command.

    The field's name is the parameter's; an option without names is called like it.
    """
    empty = () if declared.attributes.get("multiple") else None
    default: Any = False if declared.attributes.get("is_flag") else empty
    return field(default=declared.attributes.get("default", default), metadata={"option": declared})


def options(
    name: str, kind: type, *, without: Collection[str] = (), **changed: Mapping[str, Any]
) -> Callable[[F], F]:
    """The options that are the fields of a dataclass, handed to the command as one object ``name``.

    ``without``: fields that this command leaves at their defaults. ``changed``: by field, what this command declares otherwise; ``names`` are the option's names.
    """
    declared: dict[str, Declared] = {}
    for one in fields(kind):
        if (found := one.metadata.get("option")) is not None and one.name not in without:
            changes = dict(changed.get(one.name, {}))
            words = changes.pop("names", found.names) or ("--" + one.name.replace("_", "-"),)
            # click takes a word without a dash for the parameter's name, and may be given only one.
            words = [word for word in words if word.startswith("-")]
            declared[one.name] = found.but(*words, one.name, **changes)

    def decorate(command: F) -> F:
        @wraps(command)
        def with_object(*args: Any, **given: Any) -> Any:
            values = {one: given.pop(one) for one in declared}
            return command(*args, **given, **{name: kind(**values)})

        for one in reversed(declared.values()):
            one(with_object)
        return cast("F", with_object)

    return decorate


def long_name(option: click.Parameter) -> str:
    """``--on-failure`` as ``on-failure``."""
    return max(option.opts, key=len).lstrip("-")


class Command(click.Command):
    """A command, or a group of commands, with our options and help."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        # click keeps the last of two values silently, and the first may be what was meant.
        order = self.make_parser(ctx).parse_args(list(args))[2]
        for parameter, times in Counter(order).items():
            if (
                times > 1
                and isinstance(parameter, click.Option)
                and not (parameter.multiple or parameter.count or parameter.is_flag)
            ):
                name = max(parameter.opts, key=len)
                raise click.UsageError(f"{name} was given {times} times; it takes one value", ctx)
        try:
            return super().parse_args(ctx, args)
        except click.Abort:
            if sys.stdin.isatty():
                raise
            asked = [one for one in self.get_params(ctx) if getattr(one, "prompt", None)]
            missing = [f"--{long_name(one)}" for one in asked if one.name not in ctx.params]
            raise click.UsageError(
                f"the command cannot ask questions here: give {', '.join(missing)}", ctx
            ) from None

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        own = super().get_params(ctx)
        # A command with formats of its own, or with commands below it, needs no other one.
        plain = isinstance(self, click.Group) or any(one.name == "format" for one in own)
        return [*own, *([] if plain else [_FORMAT]), _HELP_ALL]

    def invoke(self, ctx: click.Context) -> Any:
        """What a command prints, as JSON where it was asked for: its tables, and its lines."""
        tables = ctx.meta.get(TABLES)
        if tables is None or isinstance(self, click.Group):
            return super().invoke(ctx)
        ended: BaseException | None = None
        with redirect_stdout(StringIO()) as lines:
            try:
                super().invoke(ctx)
            except (click.exceptions.Exit, SystemExit) as error:
                ended = error
        told = {"tables": tables, "lines": lines.getvalue().splitlines()}
        click.echo(json.dumps(told, ensure_ascii=False))
        if ended is not None:
            raise ended
        return None

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None and isinstance(parameter, click.Option):
                groups.setdefault(getattr(parameter, "group", "Options"), []).append(record)
        # A group stands where its first option stands; click's own options go last.
        groups["Options"] = groups.pop("Options")  # --help and --help-all, last
        advanced = groups.pop(ADVANCED, [])
        if not advanced:
            groups["Options"].pop()
        elif ctx.meta.get(_ALL):
            groups[ADVANCED] = advanced
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl(records)

    def get_short_help_str(self, limit: int = 45) -> str:
        """The whole first sentence, on two lines of a list if need be; click would cut it."""
        first = " ".join(inspect.cleandoc(self.help or "").partition("\n\n")[0].split())
        return first.partition(". ")[0].removesuffix(".") + "." if first else ""


class Group(Command, click.Group):
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
        return cast("click.Command", import_text(self.table[name].partition(" ")[0]))

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
    """A group of the commands in ``table``: name to "module:object" below `argue_bench`.

    The first sentence of a command's help may stand behind a blank: a list of commands then does not
    import it.
    """
    return Group(name, table=table, help=help, hidden=hidden)


def _show_all(ctx: click.Context, _: click.Parameter, given: bool) -> None:
    if given and not ctx.resilient_parsing:
        ctx.meta[_ALL] = True
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


_FORMAT = Option(
    ["--format"],
    type=click.Choice(["text", "json"]),
    default="text",
    expose_value=False,
    callback=lambda ctx, _, given: ctx.meta.update({TABLES: []} if given == "json" else {}),
    group=ADVANCED,
    help="How to print the results.",
)
_HELP_ALL = click.Option(
    ["--help-all"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_all,
    help="Show the advanced options too, and exit.",
)
