"""The face of the package: its names, and that importing it costs nothing."""

from __future__ import annotations

import importlib.util
import inspect
import json
import subprocess
import sys

import argue_bench
import argue_bench.errors

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
    *("load", "load_dev", "load_test", "from_rows", "evaluate", "aevaluate", "compare"),
    *("Dataset", "Question", "Answer", "Metric", "Tally", "Judge", "Verdict", "Corpus", "Report"),
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
    for function in (argue_bench.evaluate, argue_bench.aevaluate, argue_bench.compare):
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


def test_an_unknown_name_is_an_attribute_error() -> None:
    code = "import argue_bench, json\ntry:\n argue_bench.nothing\nexcept AttributeError as e: print(json.dumps(str(e)))"
    assert in_a_new_process(code) == "module 'argue_bench' has no attribute 'nothing'"
