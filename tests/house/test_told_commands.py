"""What a message tells people to type can be typed."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import click
import pytest

from argue_bench.cli import main
from tests.shared import ROOT

TOLD = re.compile(r"\bargue-bench ([a-z]+) ([a-z][a-z-]*)")
MODULES = sorted((ROOT / "argue_bench").rglob("*.py"))


def told(path: Path) -> list[tuple[str, str]]:
    """(group, command) of every text in a module; the fixed parts of texts that are filled in too."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    texts = [
        n.value for n in ast.walk(tree) if isinstance(n, ast.Constant) and isinstance(n.value, str)
    ]
    return [(match[1], match[2]) for text in texts for match in TOLD.finditer(text)]


def missing(group: str, name: str) -> bool:
    """Whether a group of ours has no such command; prose after our name is none."""
    context = click.Context(main)
    command = main.get_command(context, group)
    return isinstance(command, click.Group) and command.get_command(context, name) is None


def test_the_modules_tell_of_commands() -> None:
    assert sum(len(told(path)) for path in MODULES) > 30
    assert missing("board", "keys")
    assert not missing("board", "rotate")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_that_is_told_exists(path: Path) -> None:
    assert not [pair for pair in told(path) if missing(*pair)]
