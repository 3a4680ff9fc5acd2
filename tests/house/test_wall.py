"""The wall: the core imports no satellite, works without them all, and no part of the house grows."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from argue_bench import satellites
from tests.shared import ROOT

PACKAGE = ROOT / "argue_bench"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
MODULES = sorted(PACKAGE.rglob("*.py"))
SLACK = 60
"""Statements that a budget may lie over the count: more than a commit adds by mending a fault."""
MOST_REPEATED_STEMS = 25


def part_of(path: Path) -> str:
    folder = path.relative_to(PACKAGE).parts[0]
    return folder if folder in satellites.FOLDERS else "core"


def statements(path: Path) -> int:
    return sum(
        isinstance(node, ast.stmt) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    )


def budgets(text: str) -> dict[str, tuple[int, str]]:
    """Part to its budget and the reason why it was raised last, from CONTRIBUTING's table."""
    rows = re.findall(r"^\| `?(\w+)`? \| ([\d,]+) \| (.*?) *\|$", text, re.MULTILINE)
    return {part: (int(number.replace(",", "")), reason) for part, number, reason in rows}


def test_each_part_keeps_its_budget_of_statements() -> None:
    counted: Counter[str] = Counter()
    for path in MODULES:
        counted[part_of(path)] += statements(path)
    allowed = {part: most for part, (most, _) in budgets(CONTRIBUTING.read_text("utf-8")).items()}
    assert set(allowed) == set(counted)
    over = {part: n for part, n in counted.items() if n > allowed[part]}
    assert not over, "take something away, or raise the budget with a reason in CONTRIBUTING.md"
    loose = {part: n for part, n in counted.items() if n < allowed[part] - SLACK}
    assert not loose, "lower the budget in CONTRIBUTING.md, so that what was won stays"


def test_a_budget_is_raised_only_with_a_reason() -> None:
    """Compares each version of CONTRIBUTING.md that git knows with the one before it."""
    log = ["git", "log", "--format=%H", "-30", "--", "CONTRIBUTING.md"]
    done = subprocess.run(log, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("no git repository: the history of the budgets is not at hand")
    show = ["git", "show"]
    versions = [CONTRIBUTING.read_text("utf-8")] + [
        subprocess.run(
            [*show, f"{commit}:CONTRIBUTING.md"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for commit in done.stdout.split()
    ]
    for newer, older in zip(map(budgets, versions), map(budgets, versions[1:]), strict=False):
        for part in newer.keys() & older.keys():
            (now, why), (before, said) = newer[part], older[part]
            assert now <= before or (why and why != said), (
                f"{part}: {before} -> {now} without a reason"
            )


def test_few_module_names_stand_in_several_folders() -> None:
    stems = Counter(path.stem for path in MODULES if not path.stem.startswith("__"))
    repeated = sorted(stem for stem, count in stems.items() if count > 1)
    assert len(repeated) <= MOST_REPEATED_STEMS, repeated


def test_one_file_names_the_satellites() -> None:
    """No other file of the core holds the name of a module behind the wall, not even as a text."""
    behind = re.compile(rf"""["'`](?:argue_bench\.)?(?:{"|".join(satellites.FOLDERS)})\.\w+[.:]""")
    naming = [
        str(path.relative_to(ROOT))
        for path in MODULES
        if part_of(path) == "core"
        and path.stem != "satellites"
        and behind.search(path.read_text(encoding="utf-8"))
    ]
    assert not naming


def test_all_that_satellites_are_named_for_exists() -> None:
    for table in (satellites.COMMANDS, satellites.METRICS):
        for text in table.values():
            assert satellites.import_text(text.partition(" ")[0])


@pytest.fixture(scope="module")
def core_alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package that has only its core."""
    folder = tmp_path_factory.mktemp("core")
    left_out = shutil.ignore_patterns("__pycache__")

    def ignored(directory: str, names: list[str]) -> set[str]:
        out = left_out(directory, names)
        return out | (set(satellites.FOLDERS) if Path(directory) == PACKAGE else set())

    shutil.copytree(PACKAGE, folder / "argue_bench", ignore=ignored)
    shutil.copytree(ROOT / "site", folder / "argue_bench" / "site_files")
    (folder / "argue_bench" / "site_files" / "__init__.py").touch()
    return folder


# An editable installation finds what the copy lacks in the checkout, so its finder must go first.
START = """
import sys
sys.meta_path = [one for one in sys.meta_path if "editable" not in getattr(one, "__module__", "")]
sys.path.insert(0, sys.argv.pop(1))
from argue_bench.cli import main
main()
"""


def run(core: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", START, str(core), *words],
        cwd=core,
        capture_output=True,
        text=True,
        check=False,
    )


ROWS = [
    {
        "question": "Where does the bridge stand?",
        "contexts": ["The bridge stands in Oslo. It was opened in 1931."],
        "answer": f"The bridge stands in {city} [1]. It was opened in 1931 [1].",
    }
    for city in ("Oslo", "Paris", "Oslo", "Rome", "Oslo")
]


def test_the_core_scores_rows_compares_and_shows_them_alone(core_alone: Path) -> None:
    (core_alone / "rows.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    better = [{**row, "answer": row["contexts"][0] + " [1]"} for row in ROWS]  # type: ignore[index]
    (core_alone / "better.jsonl").write_text("\n".join(map(json.dumps, better)))
    for name in ("rows", "better"):
        done = run(
            core_alone, "evaluate", f"{name}.jsonl", "--out", f"{name}.run", "--format", "json"
        )
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)
    compared = run(core_alone, "compare", "rows.run", "better.run")
    assert compared.returncode == 0, compared.stderr
    assert "faithfulness" in compared.stdout.lower()
    seen = run(core_alone, "view", "rows.run", "--out", "pages")
    assert seen.returncode == 0, seen.stderr
    pages = "".join(page.read_text("utf-8") for page in (core_alone / "pages").rglob("*.html"))
    assert "The bridge stands in Paris" in pages


def test_the_core_scores_its_own_set_alone(core_alone: Path) -> None:
    sample = PACKAGE / "data" / "core" / "sample" / "gold.jsonl"
    golds = [json.loads(line) for line in sample.read_text("utf-8").splitlines()]
    lines = [json.dumps({"id": gold["id"], "answer": str(gold.get("answer"))}) for gold in golds]
    (core_alone / "answers.jsonl").write_text("\n".join(lines))
    options = ("--dataset", "core", "--split", "sample", "--out", "core.run")
    done = run(core_alone, "evaluate", "answers.jsonl", *options)
    assert done.returncode == 0, done.stderr
    assert "argue" in done.stdout
    assert run(core_alone, "view", "core.run", "--out", "core.pages").returncode == 0


def test_a_missing_satellite_is_said_in_one_line(core_alone: Path) -> None:
    (core_alone / "one.jsonl").write_text(json.dumps(ROWS[0]))
    done = run(core_alone, "evaluate", "one.jsonl", "-m", "citations(rules=alce)")
    assert done.returncode == 2
    assert "no rules=alce" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_core_says_which_folder_reads_traces(core_alone: Path) -> None:
    (core_alone / "trace.json").write_text(json.dumps({"resourceSpans": []}))
    done = run(core_alone, "evaluate", "trace.json")
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1
    assert "no argue_bench/adapters" in done.stderr
