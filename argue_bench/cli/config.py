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
# A configuration has some kilobytes; a larger file is another one, and is not read into memory.
MOST_BYTES = 1_000_000
IGNORES_CONFIG = {"ci"}
"""The workflows' steps take their options from the workflow alone."""


def read_defaults(main: click.Group, folder: Path = Path()) -> dict[str, Any]:
    """The defaults by command and parameter, as click's ``default_map`` wants them.

    ``argue-bench.toml`` of the folder decides; without it the table in pyproject.toml. Raises
    UsageError, naming file and key, where a command or an option is unknown or a value does not fit.
    """
    path = next((folder / n for n in (OWN_FILE, SHARED_FILE) if (folder / n).is_file()), None)
    if path is None:
        return {}
    table = _parse(path)
    if path.name == SHARED_FILE:
        table = table.get("tool", {}).get("argue-bench", {})
        if not isinstance(table, dict):
            raise UsageError(f"{path}: [tool.argue-bench] must be a table")
    return _of_command(main, table, str(path), "")


def _parse(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise UsageError(f"{path} is larger than {MOST_BYTES:,} bytes; shorten it")
    try:
        return tomllib.loads(content.decode())
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{path} is not valid TOML: {error}") from None


def _of_command(
    command: click.Command, table: Mapping[str, Any], file: str, above: str
) -> dict[str, Any]:
    """The defaults of a command's options, and of a group's commands, each in a table of its own."""
    ctx, options = click.Context(command, info_name=above or "argue-bench"), _options(command)
    group = command if isinstance(command, click.Group) else None
    found: dict[str, Any] = {}
    for key, value in table.items():
        place = f"{above}.{key}".lstrip(".")
        inner = group.get_command(ctx, key) if group and key not in IGNORES_CONFIG else None
        if key in options and not isinstance(value, dict):
            found[str(options[key].name)] = _value(ctx, options[key], value, file, place)
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


def _options(command: click.Command) -> dict[str, click.Parameter]:
    """The options of a command by their long names without dashes, and its arguments."""
    return {long_name(one): one for one in command.params}


def _value(ctx: click.Context, option: click.Parameter, value: Any, file: str, place: str) -> Any:
    """The value converted to the option's type, so that an error names the file and not the option."""
    if getattr(option, "is_flag", False) and not isinstance(value, bool):
        raise UsageError(f"{file}: {place} must be true or false")
    several = option.multiple or option.nargs == -1
    if several and not isinstance(value, list):
        value = [value]
    plain = value if several else [value]
    if not all(isinstance(one, (str, int, float, bool)) for one in plain):
        raise UsageError(f"{file}: {place} must be one value")
    for one in map(str, plain):
        _refuse_code(long_name(option), one.partition("=")[2] or one, f"{file}: {place}")
    try:
        option.type_cast_value(ctx, value)
    except click.BadParameter as error:
        raise UsageError(f"{file}: {place}: {error.message}") from None
    return value


def _refuse_code(option: str, text: str, place: str) -> None:
    """Raises UsageError where a file names a metric or judge to import.

    The folder may be somebody else's: only a person at the command line decides what code is run.
    """
    # `-m module:name` on the command line is the user's own word; the same text in a file may be a stranger's.
    if option == "metric" and is_import_name(text):
        raise UsageError(f"{place}: a file cannot name code; write -m {text} on the command line")
    if option == "judge" and is_import_name(text):
        from argue_bench.judges import refuse_import

        try:
            refuse_import(text)
        except UsageError as error:
            raise UsageError(f"{place}: {error}") from None
