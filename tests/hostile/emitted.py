"""Which error codes the steps of the board can end in, read from their source, so that none is forgotten."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from argue_bench.errors import Code
from tests.shared import ROOT

PACKAGE = ROOT / "argue_bench"
BOARD = PACKAGE / "leaderboard"
STEPS = sorted(
    {
        *(path for path in BOARD.rglob("*.py") if path.parent.name not in ("seasons", "signing")),
        PACKAGE / "records" / "untrusted.py",
        PACKAGE / "loaders" / "answers.py",
        PACKAGE / "loaders" / "findings.py",
    }
    - {
        BOARD / "formats" / "season.py",
        BOARD / "publishing" / "queue.py",
        BOARD / "publishing" / "importing.py",
    }
)
"""What intake, score, record and verify run that can refuse."""


def codes_in(path: Path) -> set[str]:
    """Every code that a module names."""
    return {
        str(Code[node.attr])
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node.value) == "Code"
    }


def codes_asserted(*folders: Path) -> set[str]:
    """Every text of the tests in these folders, and every X where one holds ``code: X`` or ``[X]``."""
    found: set[str] = set()
    for folder in folders:
        for path in [*folder.rglob("test_*.py"), *folder.glob("pulls.py")]:
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found |= {node.value, *re.findall(r"(?:code: |\[)([a-z0-9-]+)", node.value)}
    return found
