"""The shape of the house: which way imports point, how long things may be, what linters say."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Container, Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from argue_bench.satellites import FOLDERS
from tests.shared import ROOT

PACKAGE = ROOT / "argue_bench"
MODULES = sorted(PACKAGE.rglob("*.py"))
MOST_LINES_OF_A_MODULE = 600
MOST_LINES_OF_A_FUNCTION = 60
MOST_MODULES_OF_A_FOLDER = 15
WORDS_THAT_NAME_NOTHING = {"utils", "util", "helpers", "helper", "manager", "common", "misc"}


def run(*command: str) -> str:
    """What a tool of the environment said; fails the test where it is not content."""
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout[-6000:]}{done.stderr[-3000:]}"
    return done.stdout


def test_imports_point_one_way() -> None:
    tool = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run([tool], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-6000:]
    assert " 0 broken" in done.stdout


def test_ruff_finds_nothing() -> None:
    run("ruff", "check", ".")


def test_everything_is_formatted() -> None:
    run("ruff", "format", "--check", ".")


def test_types_hold() -> None:
    run("mypy")


def code_lines(node: ast.AST, docstrings: set[int]) -> int:
    assert isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
    lines = set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    return len(lines - docstrings)


def docstring_lines(tree: ast.Module) -> set[int]:
    """The numbers of all lines that belong to docstrings."""
    lines: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                lines.update(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return lines


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_module_can_be_read_in_one_sitting(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    tree = ast.parse(source)
    docstrings = docstring_lines(tree)
    assert len(source.splitlines()) - len(docstrings) <= MOST_LINES_OF_A_MODULE
    long = {
        node.name: code_lines(node, docstrings)
        for node in ast.walk(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and code_lines(node, docstrings) > MOST_LINES_OF_A_FUNCTION
    }
    assert not long


def test_every_module_and_package_says_what_it_is_for() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in MODULES
        if not ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    ]
    assert not silent


def test_no_module_is_named_after_nothing() -> None:
    # The door's modules have the names of FanOutQA's own, `utils` among them.
    ours = [path for path in MODULES if path.parent.name != "fanoutqa"]
    assert not [p for p in ours if WORDS_THAT_NAME_NOTHING & set(p.stem.split("_"))]


def test_the_formatter_lays_out_every_line() -> None:
    kept = re.compile(r"#\s*fmt:\s*(?:skip|off)")
    assert not [p for p in MODULES if kept.search(p.read_text(encoding="utf-8"))]


def test_no_folder_is_overfull() -> None:
    counts = Counter(path.parent.relative_to(PACKAGE).as_posix() for path in MODULES)
    assert not {
        folder: count for folder, count in counts.items() if count > MOST_MODULES_OF_A_FOLDER
    }


def test_a_docstring_states_what_a_module_is() -> None:
    asking = [
        str(path.relative_to(ROOT))
        for path in MODULES
        if re.match(
            r"[^.]*\?", (ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").split("\n")[0]
        )
    ]
    assert not asking


def public_names(path: Path) -> set[str]:
    return {
        node.name
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        and not node.name.startswith("_")
    }


def part_of(path: Path) -> str:
    """The core, a satellite, or a folder of ``published``: the places in which a name means one thing."""
    parts = path.relative_to(PACKAGE).parts
    return (
        "/".join(parts[:2])
        if parts[0] == "published"
        else parts[0]
        if parts[0] in FOLDERS
        else "core"
    )


def test_a_public_name_is_defined_in_one_module() -> None:
    """Within the core, within each satellite and each published program, where names are its own."""
    defined = Counter((part_of(path), name) for path in MODULES for name in public_names(path))
    assert not sorted(name for name, count in defined.items() if count > 1)


def bare_numbers(path: Path) -> Iterator[str]:
    """The named numbers of a module without a docstring below or a comment at or above their line."""
    source = path.read_text(encoding="utf-8")
    lines, body = source.splitlines(), ast.parse(source).body
    for node, after in zip(body, [*body[1:], None], strict=True):
        if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
            continue
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if not isinstance(target, ast.Name) or not target.id.strip("_").isupper():
            continue
        kinds = (ast.Constant, ast.BinOp, ast.operator, ast.UnaryOp, ast.unaryop)
        if not all(isinstance(part, kinds) for part in ast.walk(node.value)):
            continue
        values = [part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant)]
        if not any(
            isinstance(value, (int, float)) and value is not True and value is not False
            for value in values
        ):
            continue
        told = isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant)
        above = lines[node.lineno - 2].lstrip() if node.lineno > 1 else ""
        if not told and "#" not in lines[node.lineno - 1] and not above.startswith("#"):
            yield f"{path.relative_to(ROOT)}: {target.id}"


def test_each_named_number_says_where_it_comes_from() -> None:
    assert not [name for path in MODULES for name in bare_numbers(path)]


def imported(path: Path, modules: Container[str]) -> Iterator[str]:
    """The modules of the package that a file imports when it or a function of it runs."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in list(ast.walk(tree)):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in modules else str(node.module)


def test_no_files_import_each_other() -> None:
    names = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
        for path in MODULES
    }
    graph = {
        name: set(imported(path, names)) & names.keys() - {name} for name, path in names.items()
    }
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        raise AssertionError(f"a circle of imports: {' -> '.join(error.args[1])}") from None
