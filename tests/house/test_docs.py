"""Every example in the documents is run, in the order in which a reader would run it.

In README.md and every page below docs/ a ```bash block is run by bash, a ```python block by Python, all of one
document in one folder that holds what a clone has beside the package; a block begins in the folder where the
one before it ended, as for a reader who types them into one shell. A ```text block says what the
block before it prints, where a line ``...`` stands for any lines. A block that can't be run here says
why in a comment before it: ``<!-- not run: it needs a key -->``.
"""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from argue_bench.errors import Code
from argue_bench.eval import evaluate
from argue_bench.loaders.dataset import Dataset
from argue_bench.metrics import METRICS
from argue_bench.models.providers import list_providers
from argue_bench.records import Criterion, Document, Gold, Nugget, Question, Refuses
from argue_bench.records.question import NuggetAnswer, ShortAnswer
from tests.house import reference
from tests.models.server import ChatServer, data_of, reply
from tests.shared import ROOT

DOCUMENTS = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"<!-- not run: .+ -->\s*\Z")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SLOW = (
    "submit.md",
    "labels.md",
    "operate.md",
    "core.md",
    "llm-judges.md",
    "viewer.md",
    "statistics.md",
    "from/trec.md",
    "models.md",
)
"""Pages whose examples take longer than `make test` may; `.ci/run` runs them."""
WRITE = "write it anew: python -m tests.house.reference"
VARIABLE = re.compile(
    r"(ARGUE_BENCH|FANOUTQA|GH|SOURCE_DATE)_[A-Z_]+|DOC_LOOKUP|[A-Z]+(_[A-Z]+)*_(KEY|TOKEN|BASE_URL)"
    "|AZURE_OPENAI_ENDPOINT|AWS_BEARER_TOKEN_BEDROCK"
)
APPLY_BARE = ("argue", "citations", "support", "grounding", "grounding_judge")
GOLD = {
    "answer": Gold(answer="1931"),
    "short_answers": Gold(short_answers=(ShortAnswer("When?", ("1931",)),)),
    "nuggets": Gold(
        nuggets=(Nugget("n1", "When?", (NuggetAnswer("1931", ("d1",)),), weight="vital"),)
    ),
    "long_answers": Gold(long_answers=("It opened in 1931 [d1].", "The bridge opened in 1931.")),
    "claims": Gold(claims=("The bridge opened in 1931.",)),
    "supporting": Gold(supporting=("d1",)),
    "rubric": Gold(rubric=(Criterion("c1", "Says that the bridge opened in 1931."),)),
    "answerable": Gold(answerable=False),
}


def name_of(path: Path) -> str:
    """``argue.md``, ``from/auto-argue.md``."""
    return path.relative_to(ROOT).as_posix().removeprefix("docs/")


@dataclass(frozen=True)
class Block:
    language: str
    text: str
    line: int


def blocks(path: Path) -> list[Block]:
    text = path.read_text(encoding="utf-8")
    found = []
    for match in BLOCK.finditer(text):
        before = text[: match.start()]
        if not NOT_RUN.search(before):
            found.append(Block(match[1], match[2], before.count("\n") + 1))
    return found


def says_whether_words_are_shared(body: dict[str, Any]) -> str:
    """A model for the pages that use one: yes where a source has most words of the sentence."""

    def said(datum: dict[str, Any]) -> str:
        text = json.dumps([value for key, value in datum.items() if key != "sentence"]).lower()
        words = [word for word in re.findall(r"\w+", datum["sentence"].lower()) if len(word) > 3]
        return "yes" if sum(word in text for word in words) > 0.7 * len(words) else "no"

    (data,) = data_of(body)
    return reply(body, said(data))


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    with ChatServer(model=says_whether_words_are_shared, keep=False) as server:
        yield server.url


def run(block: Block, folder: Path, model: str = "") -> str:
    bin = Path(sys.executable).parent
    place = folder.with_name(f"{folder.name}.pwd")
    environment = {
        **os.environ,
        "PATH": f"{bin}{os.pathsep}{os.environ['PATH']}",
        "HF_HUB_OFFLINE": "1",
        "ARGUE_BENCH_CACHE": str(folder / "cache"),
        "COLUMNS": "100",
    } | ({"ARGUE_BENCH_BASE_URL": model} if model else {})
    command = (
        ["bash", "-euo", "pipefail", "-c", f"{block.text}\npwd > '{place}'"]
        if block.language == "bash"
        else [sys.executable, "-c", block.text]
    )
    here = place.read_text(encoding="utf-8").strip() if place.is_file() else folder
    done = subprocess.run(
        command, cwd=here, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"line {block.line}:\n{block.text}\n{done.stdout}{done.stderr}"
    return done.stdout


def fits(expected: str, printed: str) -> bool:
    """Whether the lines printed are those expected, ``...`` standing for any number of them."""
    parts = [re.escape(line.rstrip()) for line in expected.strip("\n").splitlines()]
    pattern = r"\n".join("(?:.*\n)*?.*" if part == r"\.\.\." else part for part in parts)
    text = "\n".join(line.rstrip() for line in printed.strip("\n").splitlines())
    return re.fullmatch(pattern, text) is not None


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(path, id=name_of(path), marks=[pytest.mark.slow] * (name_of(path) in SLOW))
        for path in DOCUMENTS
    ],
)
def test_examples_run_and_print_what_is_said(
    path: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    uses_model = "server/my-judge" in path.read_text(encoding="utf-8")
    model = request.getfixturevalue("model") if uses_model else ""
    shutil.copytree(ROOT / "leaderboard-submissions", tmp_path / "leaderboard-submissions")
    (tmp_path / "tools").symlink_to(ROOT / "tools")
    printed = None
    for block in blocks(path):
        if block.language in ("bash", "python"):
            printed = run(block, tmp_path, model)
        elif block.language == "text" and printed is not None:
            assert fits(block.text, printed), f"{path.name}:{block.line} prints:\n{printed}"
            printed = None


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: name_of(path))
def test_links_between_documents_lead_somewhere(path: Path) -> None:
    targets = [t.partition("#")[0] for t in LINK.findall(path.read_text(encoding="utf-8"))]
    local = [target for target in targets if target and not re.match(r"[a-z]+:", target)]
    assert not [target for target in local if not (path.parent / target).exists()]


@pytest.mark.parametrize("path", reference.documents(), ids=lambda path: path.name)
def test_a_list_says_what_the_code_says(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    start, end = reference.part(text)
    assert text[start:end] == reference.documents()[path], WRITE


def test_the_picture_of_the_house_names_every_folder() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    shown = re.findall(
        r"<text[^>]*>([^<]+)<", (ROOT / "docs/pictures/house.svg").read_text("utf-8")
    )
    assert set(re.findall(r"\w+", " ".join(layers))) <= set(shown)


def test_every_error_code_is_raised_somewhere() -> None:
    source = "".join(p.read_text(encoding="utf-8") for p in (ROOT / "argue_bench").rglob("*.py"))
    named = set(re.findall(r"\bCode\.([A-Z0-9_]+)", source))
    assert {code.name for code in Code} - named == set()


def test_every_variable_is_listed() -> None:
    read = {
        node.value
        for path in (ROOT / "argue_bench").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and VARIABLE.fullmatch(str(node.value))
    }
    read |= {p.key_variable for p in list_providers({}).values()} | {
        p.url_variable for p in list_providers({}).values()
    }
    assert set(_first_cells("reference.md", VARIABLE)) == read


def test_every_extra_is_listed() -> None:
    setup = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
    names: set[str] = set()
    for node in ast.walk(setup):
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]).startswith("EXTRAS"):
            target, value = node.targets[0], node.value
            if isinstance(target, ast.Subscript):
                names.add(ast.literal_eval(target.slice))
            else:
                assert isinstance(value, ast.Dict)
                names |= {ast.literal_eval(key) for key in value.keys if key is not None}
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    table = text[text.index("## Extras") : text.index("## Exit codes")]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    assert {name for row in rows for name in re.findall("`([a-z]+)`", row)} == names


def test_every_paper_of_a_metric_is_listed() -> None:
    listed = {cells[1].strip() for cells in _rows("metrics.md")}
    for metric in METRICS.values():
        for cited in re.findall(r"[A-Z]\w+(?: et al\.)? \d{4}|arXiv [\d.]+", metric.paper):
            assert cited in listed


def test_every_schema_is_named() -> None:
    text = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    schemas = (ROOT / "argue_bench" / "loaders" / "schemas").glob("*.schema.json")
    files = text[text.index("## Files") :]
    assert {s.name for s in schemas} == {
        f"{name.removesuffix('.schema.json')}.schema.json"
        for names in re.findall(r"((?:`\w+`(?:, | and ))*`\w+\.schema\.json`)", files)
        for name in re.findall(r"`([\w.]+)`", names)
    }


@pytest.mark.parametrize("row", sorted(set(METRICS) - {"mauve"}))
def test_a_metric_applies_where_its_gold_is(row: str) -> None:
    """The table of docs/metrics.md: with the gold it names there are scores, without it none are new."""
    [needs] = [
        cells[2] for cells in _rows("metrics.md") if len(cells) == 4 and f"`{row}`" in cells[1]
    ]
    named = {word for word in re.findall(r"`(\w+)`", needs) if word in GOLD}
    bare = _applies(row, Gold())
    assert {field for field, gold in GOLD.items() if _applies(row, gold) != bare} == named
    assert bool(bare) == (not named or row in APPLY_BARE)


def _applies(metric: str, gold: Gold) -> set[str]:
    documents = {"d1": Document("d1", "The bridge opened in 1931.")}
    question = Question("q1", "When did the bridge open?", documents=("d1",), gold=gold)
    answers = [{"id": "q1", "answer": "The bridge opened in 1931 [1]."}]
    judge = _a_model if METRICS[metric].wants_judge else "lexical"
    report = evaluate(Dataset("x", "dev", (question,), documents), answers, [metric], judge=judge)
    return {key for key, score in report.scores.items() if score.value is not None}


def _a_model(request: Any) -> Any:
    if isinstance(request, Refuses):
        return "no"
    words = request.verdicts if isinstance(request.verdicts, tuple) else None
    return words[-1] if words else 1.0 if request.verdicts is float else "1931"


def _rows(name: str) -> list[list[str]]:
    text = (ROOT / "docs" / name).read_text(encoding="utf-8")
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    return [re.split(r"(?<!\\)\|", line) for line in lines]


def _first_cells(name: str, fits: re.Pattern[str] = re.compile(r"[a-z0-9-]+")) -> list[str]:
    words = [word for cells in _rows(name) for word in re.findall("`([^`]+)`", cells[1])]
    return [word for word in words if fits.fullmatch(word)]


def test_the_reader_of_examples_can_fail() -> None:
    assert fits("a\n...\nd", "a\nb\nc\nd")
    assert fits("a\n...", "a\nb")
    assert not fits("a\n...\nd", "a\nb\nc")
    assert not fits("a", "b")
