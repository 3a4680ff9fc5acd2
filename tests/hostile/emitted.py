"""Which codes can a step of the board end in? Read out of the code itself, so that none is forgotten."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tests.shared import ROOT

PACKAGE = ROOT / "argue_bench"
STEPS = sorted(
    {
        *(
            PACKAGE / "leaderboard" / f"{name}.py"
            for name in (
                "alike",
                "bundle",
                "flags",
                "gathered",
                "intake",
                "ledger",
                "merged",
                "metadata",
                "objects",
                "outcome",
                "record",
                "results",
                "scored",
                "state",
                "submission",
                "verify",
            )
        ),
        PACKAGE / "records" / "untrusted.py",
        PACKAGE / "loaders" / "answers.py",
        PACKAGE / "loaders" / "coverage.py",
        PACKAGE / "loaders" / "trec" / "runs.py",
    }
)
"""What intake, score, record and verify run that can refuse."""
CODE = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
EVENTS = {"re-scored"}
"""Words that stand where codes do, and are none."""
MAKERS = {"Finding": 0, "refused": 0, "_finding": 0, "_Refused": 0, "add": 0, "_run": 1}
"""Functions that take a code, and which of their arguments it is."""


def codes_in(path: Path) -> set[str]:
    """Every code that a module can emit: given to a maker, paired with words, or listed in a table."""
    tree = ast.parse(path.read_text("utf-8"))
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = (
                node.func.attr
                if isinstance(node.func, ast.Attribute)
                else getattr(node.func, "id", "")
            )
            if name in MAKERS and len(node.args) > MAKERS[name]:
                found |= set(_texts(node.args[MAKERS[name]]))
        elif isinstance(node, ast.Tuple) and len(node.elts) in (2, 3):
            first, second = node.elts[:2]
            paired = isinstance(first, ast.Constant) and "-" in str(first.value)
            if paired or (len(node.elts) == 3 and isinstance(second, ast.Name)):
                found |= set(_texts(first))
        elif isinstance(node, ast.Assign):
            target = getattr(node.targets[0], "id", "")
            if target == "code" or target in ("_BOARDS_OWN", "_MODES"):
                found |= set(_texts(node.value))
    return {code for code in found if CODE.fullmatch(code)} - EVENTS


def _texts(node: ast.expr) -> Iterator[str]:
    """The texts that an expression can be: itself, either side of a choice, the values of a table."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body)
        yield from _texts(node.orelse)
    elif isinstance(node, ast.Dict):
        for value in node.values:
            yield from _texts(value.elts[0] if isinstance(value, ast.Tuple) else value)


def said_in(*folders: Path) -> set[str]:
    """Every text of the tests in these folders, and every X where one holds ``code: X``."""
    found: set[str] = set()
    for folder in folders:
        for path in [*folder.rglob("test_*.py"), *folder.glob("pulls.py")]:
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found |= {node.value, *re.findall(r"code: (\S+)", node.value)}
    return found
