"""Defaults of options from ``[tool.argue-bench]`` of pyproject.toml, or from argue-bench.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from argue_bench.cli.commands import long_name
from argue_bench.errors import UnknownName, UsageError
from argue_bench.errors.extensions import is_import_name

OWN_FILE, SHARED_FILE = "argue-bench.toml", "pyproject.toml"
# The workflows' steps take their options from the workflow alone.
IGNORES_CONFIG = {"ci"}
# Options that name who is sent what is scored, or runs it; and those that name a file to write.
_SERVERS, _WRITTEN = {"cluster", "otlp"}, {"out", "store", "report", "annotated", "events"}


def read_defaults(main: click.Group, folder: Path = Path()) -> dict[str, Any]:
    """The defaults by command and parameter, as click's ``default_map`` wants them.

    ``argue-bench.toml`` of the folder decides; without it the table in pyproject.toml. Raises
    UsageError, naming file and key, where a command or an option is unknown or a value does not fit.
    """
    path = next((folder / n for n in (OWN_FILE, SHARED_FILE) if (folder / n).is_file()), None)
    if path is None:
        return {}
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}") from None
    if path.name == SHARED_FILE:
        table = table.get("tool", {}).get("argue-bench", {})
        if not isinstance(table, dict):
            raise UsageError(f"{path}: [tool.argue-bench] must be a table")
    return _of_command(main, table, str(path), "")


def _of_command(
    command: click.Command, table: Mapping[str, Any], file: str, above: str
) -> dict[str, Any]:
    """The defaults of a command's options, and of a group's commands, each in a table of its own."""
    ctx = click.Context(command, info_name=above or "argue-bench")
    options = {long_name(one): one for one in command.params}
    group = command if isinstance(command, click.Group) else None
    found: dict[str, Any] = {}
    for key, value in table.items():
        place = f"{above}.{key}".lstrip(".")
        inner = group.get_command(ctx, key) if group and key not in IGNORES_CONFIG else None
        if key in options and not isinstance(value, dict):
            found[str(options[key].name)] = _value(ctx, options[key], value, f"{file}: {place}")
        elif inner is not None:
            if not isinstance(value, dict):
                raise UsageError(f"{file}: {place} must be a table of options")
            found[key] = _of_command(inner, value, file, place)
        else:
            known = set(group.list_commands(ctx)) - IGNORES_CONFIG if group else options.keys()
            names = [f"{above}.{name}".lstrip(".") for name in sorted(known)]
            what = "command" if group else "option"
            raise UsageError(f"{file}: {UnknownName(what, place, names)}")
    return found


def _value(ctx: click.Context, option: click.Parameter, value: Any, place: str) -> Any:
    """The value as click wants it; an error names the file and not the option.

    The folder may be somebody else's: only a person at the command line decides what code is run.
    """
    several = option.multiple or option.nargs == -1
    if several and not isinstance(value, list):
        value = [value]
    name, plain = long_name(option), value if several else [value]
    kinds = (bool,) if getattr(option, "is_flag", False) else (str, int, float, bool)
    if not all(isinstance(one, kinds) for one in plain):
        raise UsageError(f"{place} must be {'true or false' if len(kinds) == 1 else 'one value'}")
    try:
        option.type_cast_value(ctx, value)
        for text in (str(one).partition("=")[2] or str(one) for one in plain):
            if name == "metric" and is_import_name(text):
                raise UsageError(f"a file cannot name code; write -m {text} on the command line")
            outside = name in _WRITTEN and not {"..", Path("/").anchor}.isdisjoint(Path(text).parts)
            if name in _SERVERS or outside:
                what = "a server" if name in _SERVERS else "a place outside of its folder"
                raise UsageError(f"a file cannot name {what}; write --{name} on the command line")
            if name == "judge":
                from argue_bench.judges import refuse_import

                refuse_import(text)
    except (click.BadParameter, UsageError) as error:
        raise UsageError(f"{place}: {getattr(error, 'message', error)}") from None
    return value
