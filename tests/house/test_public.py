"""The face of the package: its names, and that importing it costs nothing."""

from __future__ import annotations

import importlib.util
import inspect
import json
import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

import argue_bench
import argue_bench.errors
from argue_bench.cli import main
from argue_bench.cli.commands import Group
from argue_bench.satellites import FOLDERS
from tests.shared import ROOT

HEAVY = {
    "aiohttp",
    "bm25s",
    "click",
    "cryptography",
    "datasets",
    "ftfy",
    "git",
    "jinja2",
    "nltk",
    "numpy",
    "httpx2",
    "openai",
    "pandas",
    "rank_bm25",
    "rapidfuzz",
    "scipy",
    "spacy",
    "sqlite3",
    "torch",
    "transformers",
}


def in_a_new_process(code: str) -> object:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


NAMES = {
    *(
        "load",
        "load_dev",
        "load_test",
        "load_topics",
        "open_collection",
        "from_rows",
        "evaluate",
        "aevaluate",
        "check",
        "acheck",
        "compare",
    ),
    *(
        "Dataset",
        "Question",
        "Answer",
        "Metric",
        "Tally",
        "Judge",
        "Verdict",
        "Corpus",
        "Report",
        "Check",
    ),
    *(
        "ArgueBenchError",
        "DataError",
        "Interrupted",
        "SubmissionError",
        "NoGold",
        "UnlikeSignatures",
        "SealError",
    ),
    *("UsageError", "UnknownName", "MissingExtra", "JudgeError", "__version__", "metric"),
}


def test_the_public_names_are_there() -> None:
    assert set(argue_bench.__all__) == NAMES
    for name in argue_bench.__all__:
        assert getattr(argue_bench, name) is not None
    assert set(dir(argue_bench)) >= NAMES


def test_every_error_of_the_package_is_public() -> None:
    own = {
        name
        for name, one in vars(argue_bench.errors).items()
        if isinstance(one, type) and issubclass(one, argue_bench.ArgueBenchError)
    }
    assert own <= set(argue_bench.__all__)


def test_the_names_do_not_hide_modules_of_the_package() -> None:
    for name in argue_bench.__all__:
        assert importlib.util.find_spec(f"argue_bench.{name}") is None, name


def test_eval_is_a_module() -> None:
    code = (
        "import json, argue_bench as ab; evaluate = ab.eval.evaluate; import argue_bench.eval;"
        "print(json.dumps(argue_bench.eval.evaluate is ab.evaluate is evaluate))"
    )
    assert in_a_new_process(code) is True


def test_an_editor_can_complete_the_doors() -> None:
    for function in (
        argue_bench.evaluate,
        argue_bench.aevaluate,
        argue_bench.check,
        argue_bench.compare,
    ):
        parameters = inspect.signature(function).parameters.values()
        assert not any(p.kind is p.VAR_KEYWORD for p in parameters), function


def test_importing_loads_nothing_heavy() -> None:
    code = "import json, sys; import argue_bench; print(json.dumps(list(sys.modules)))"
    loaded = {str(name).partition(".")[0] for name in in_a_new_process(code)}  # type: ignore[attr-defined]
    assert not loaded & HEAVY


def test_loading_the_embedded_set_loads_nothing_heavy() -> None:
    code = (
        "import json, sys; import argue_bench; argue_bench.load('core', split='sample');"
        "print(json.dumps(list(sys.modules)))"
    )
    loaded = {str(name).partition(".")[0] for name in in_a_new_process(code)}  # type: ignore[attr-defined]
    assert not loaded & (HEAVY - {"click"})


def _loaded_by(*words: str) -> set[str]:
    """The top-level modules, and those of the package, that a command has imported when it ends."""
    code = (
        "import io, json, sys; out, sys.stdout = sys.stdout, io.StringIO()\n"
        f"from argue_bench.cli import main\ntry: main({list(words)!r})\n"
        "except SystemExit: pass\nsys.stdout = out; print(json.dumps(list(sys.modules)))"
    )
    names = {str(name) for name in in_a_new_process(code)}  # type: ignore[attr-defined]
    return {name for name in names if name.startswith("argue_bench")} | {
        name.partition(".")[0] for name in names
    }


def test_help_imports_what_it_shows_and_no_more() -> None:
    loaded = _loaded_by("--help")
    ours = {name for name in loaded if name.startswith("argue_bench.")}
    assert ours == {
        "argue_bench.cli",
        "argue_bench.cli.commands",
        "argue_bench.errors",
        "argue_bench.errors.codes",
        "argue_bench.satellites",
        "argue_bench.version",
    }
    kept_out = {"numpy", "asyncio", "csv", "tempfile", "tomllib"}
    assert not loaded & ((HEAVY - {"click"}) | kept_out)


@pytest.mark.parametrize("name", ["board", "data", "judge", "site", "submission"])
def test_help_of_a_group_imports_none_of_its_commands(name: str) -> None:
    """`board --help` took five times as long when its list read the commands' modules."""
    loaded = _loaded_by(name, "--help")
    assert sum(one.startswith("argue_bench") for one in loaded) <= 12
    assert not loaded & {"numpy", "pydantic", "asyncio"}


def _tables(group: Group) -> Iterator[tuple[str, str, click.Command]]:
    """Each command with its line in the table of its group, and whatever is in groups below."""
    for name, entry in group.table.items():
        command = group.get_command(click.Context(main), name)
        assert command is not None
        yield name, entry, command
        if isinstance(command, Group):
            yield from _tables(command)


def test_the_list_of_commands_has_the_first_sentence_of_each() -> None:
    assert isinstance(main, Group)
    for name, entry, command in _tables(main):
        said = entry.partition(" ")[2]
        # A hidden group is listed nowhere, and its steps are read by nobody but workflows.
        assert said == command.get_short_help_str() or (command.hidden or not said), name


def test_a_small_evaluation_imports_only_what_it_needs() -> None:
    run = ROOT / "argue_bench/data/core/sample-runs/careful.jsonl"
    metrics = ("-m", "argue", "-m", "citations", "-m", "accuracy", "-m", "rouge")
    loaded = _loaded_by("evaluate", str(run), "--split", "sample", *metrics)
    assert "argue_bench.judges.lexical" in loaded
    kept_out = {"scipy", "spacy", "nltk", "http", "aiohttp", "distributed", "sqlite3"}
    unused = (
        *("judges.prompted", "judges.stored", "models.providers", "store"),
        *("loaders.banks", "loaders.rows", "retrieval", "baselines"),
        "metrics.grounding",
        *FOLDERS,
    )
    assert not loaded & {*kept_out, *(f"argue_bench.{name}" for name in unused)}
    # One module of ours takes half a millisecond to import.
    assert sum(name.startswith("argue_bench") for name in loaded) <= 100


def test_an_unknown_name_is_an_attribute_error() -> None:
    code = "import argue_bench, json\ntry:\n argue_bench.nothing\nexcept AttributeError as e: print(json.dumps(str(e)))"
    assert in_a_new_process(code) == "module 'argue_bench' has no attribute 'nothing'"
