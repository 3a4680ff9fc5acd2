"""Every code of a finding, with what is wrong in words: read out of the source, for docs/reference.md.

A finding is made by ``Finding(code, message, ...)`` or by a function or class that takes a ``code`` and
hands it on; the words are the first ones that stand beside the code, ``…`` for what is filled in.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "argue_bench"
KEBAB = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
WORDS = ("message", "why", "text", "what")
SAID = {  # where the words are put together elsewhere
    "bad-ask": "a field of the ask is missing, unknown or of another type",
    "bad-pattern": "a line of a pattern file is no pattern",
    "bad-seed": "the seed is not at least 32 hexadecimal digits",
    "bundle-manifest": "the manifest of the bundle is not canonical",
    "capability": "a row of the table of models can't be used",
    "instructions": "answers hold what reads like instructions to a judge",
    "judge-report": "this is no report of `judge check --injections`, or its figures do not add up",
    "ledger-value": "an event of the ledger is not of the form that steps write",
    "metadata-key-missing": "a key that every system declares is missing",
    "not-pushed": "the remote did not take the branch",
    "not-scored": "the preview could not be scored",
    "result-score": "a score is not an object of numbers",
    "prompt-file": "a file of ALCE's prompts is not of its form",
    "seal": "the sealed gold does not open",
    "stuffing": "answers are lists of names and numbers rather than sentences",
    "system-taken": "two systems come to the same name",
    "unknown-ids": "ids are those of no question",
    "variable": "a template names a variable that it does not have, or lacks one",
}


Makers = dict[str, set[tuple[int, int]]]
"""By name of a function or class: at which places it takes a code and the words."""


@dataclass(frozen=True)
class Code:
    """One code: what is wrong, and the modules that say so."""

    words: str
    modules: tuple[str, ...]


def codes() -> dict[str, Code]:
    """Every code, in alphabetical order."""
    trees = {
        path.relative_to(PACKAGE).with_suffix("").as_posix(): ast.parse(
            path.read_text(encoding="utf-8")
        )
        for path in sorted(PACKAGE.rglob("*.py"))
    }
    makers: Makers = {"Finding": {(0, 1)}}
    for tree in trees.values():
        for name, places in _makers(tree):
            makers.setdefault(name, set()).add(places)
    words: dict[str, str] = {}
    modules: dict[str, dict[str, None]] = {}
    for module, tree in trees.items():
        for code, said in _made(tree, makers):
            words[code] = SAID.get(code) or words.get(code) or said
            modules.setdefault(code, {})[module] = None
    return {code: Code(words[code], tuple(modules[code])) for code in sorted(words)}


def _makers(tree: ast.AST) -> Iterator[tuple[str, tuple[int, int]]]:
    """Functions and classes that take a code: name, and the places of code and words."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
            if names[:1] in (["self"], ["cls"]):
                names = names[1:]
        elif isinstance(node, ast.ClassDef):
            names = [
                item.target.id
                for item in node.body
                if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
            ]
            for item in node.body:
                if isinstance(item, ast.FunctionDef) and item.name == "__init__":
                    names = [a.arg for a in item.args.args][1:]
        else:
            continue
        if "code" in names and node.name not in ("code", "__init__"):
            words = next((names.index(name) for name in WORDS if name in names), len(names))
            yield node.name, (names.index("code"), words)


def _made(tree: ast.AST, makers: Makers) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Tuple):
            yield from _paired(node)
        if not isinstance(node, ast.Call):
            continue
        name = getattr(node.func, "id", None) or getattr(node.func, "attr", "")
        if name not in makers:
            continue
        for place, words in sorted(makers[name]):
            message = _argument(node, words, "message")
            if message is None:
                continue  # such as the ``add`` of a set
            for code in _literals(_argument(node, place, "code")):
                if KEBAB.fullmatch(code):
                    yield code, _words(_named(tree, message))


def _paired(pair: ast.Tuple) -> Iterator[tuple[str, str]]:
    """The code of a tuple (code, words), or of one (code, ..., words) that is told of here."""
    if len(pair.elts) < 2:
        return
    for code in _literals(pair.elts[0]):
        said = _words(pair.elts[-1])
        spoken = len(pair.elts) == 2 and "-" in code and " " in said
        if KEBAB.fullmatch(code) and (code in SAID or spoken):
            yield code, said if said.startswith("this ") else f"expected {said}"


def _argument(call: ast.Call, place: int, name: str) -> ast.expr | None:
    if place < len(call.args):
        return call.args[place]
    return next((k.value for k in call.keywords if k.arg == name), None)


def _named(tree: ast.AST, node: ast.expr | None) -> ast.expr | None:
    """What stands under a name: the last thing that was given it above."""
    if not isinstance(node, ast.Name):
        return node
    given = [
        other.value
        for other in ast.walk(tree)
        if isinstance(other, ast.Assign)
        and other.lineno < node.lineno
        and any(isinstance(t, ast.Name) and t.id == node.id for t in other.targets)
    ]
    return max(given, key=lambda value: value.lineno, default=None)


def _literals(node: ast.expr | None) -> list[str]:
    if isinstance(node, ast.IfExp):
        return [*_literals(node.body), *_literals(node.orelse)]
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


def _words(node: ast.expr | None) -> str:
    if isinstance(node, ast.IfExp):
        return _words(node.body)
    if isinstance(node, ast.BinOp):
        return _words(node.left) + _words(node.right)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(
            str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values
        )
    return ""
