"""What a message tells people to type can be typed."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import click

from argue_bench.cli import main
from tests.shared import ROOT

TOLD = re.compile(r"\bargue-bench ([a-z]+) ([a-z][a-z0-9_-]*)")
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


def test_every_command_that_is_told_exists() -> None:
    assert missing("board", "keys")
    pairs = [(path.name, *pair) for path in MODULES for pair in told(path)]
    assert len(pairs) > 30
    assert not [pair for pair in pairs if missing(*pair[1:])]
