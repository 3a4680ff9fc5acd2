"""argue-bench: score long-form answers that must cite their sources.

from argue_bench import load_dev
from argue_bench.eval import evaluate

dev = load_dev()
report = evaluate(dev, [{"id": question.id, "answer": "..."} for question in dev])
report.scores["argue.f1"].value
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argue_bench.loaders import load, load_dev, load_test
    from argue_bench.records import Answer, Question

__version__ = "0.1.0"
__all__ = ["Answer", "Question", "__version__", "load", "load_dev", "load_test"]

_FACE = {
    "Answer": "records",
    "Question": "records",
    "load": "loaders",
    "load_dev": "loaders",
    "load_test": "loaders",
    "eval": "eval",
}


def __getattr__(name: str) -> Any:
    """The public names, each imported at its first use, so that importing costs nothing."""
    from importlib import import_module

    if name not in _FACE:
        raise AttributeError(f"module 'argue_bench' has no attribute {name!r}")
    module = import_module(f"argue_bench.{_FACE[name]}")
    return module if name == "eval" else getattr(module, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_FACE])
