"""The face of the package: its names, and that importing it costs nothing."""

from __future__ import annotations

import json
import subprocess
import sys

import argue_bench

HEAVY = {
    "aiohttp",
    "bm25s",
    "click",
    "cryptography",
    "datasets",
    "ftfy",
    "git",
    "jinja2",
    "numpy",
    "openai",
    "pandas",
    "rank_bm25",
    "rapidfuzz",
    "rouge_score",
    "scipy",
    "spacy",
    "sqlite3",
    "torch",
    "transformers",
}


def in_a_new_process(code: str) -> object:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_the_public_names_are_there() -> None:
    assert set(argue_bench.__all__) == {
        "Answer",
        "Question",
        "__version__",
        "load",
        "load_dev",
        "load_test",
    }
    for name in argue_bench.__all__:
        assert getattr(argue_bench, name) is not None
    assert callable(argue_bench.eval.evaluate)


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
