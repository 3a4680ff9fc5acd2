"""FanOutQA's own names (Zhu et al. 2024): a program written for its package runs with its import line changed.

from argue_bench import fanoutqa

dev = fanoutqa.load_dev()
pages = fanoutqa.wiki_search("first overall draft picks")
text = fanoutqa.wiki_content(dev[0].necessary_evidence[0])
corpus = fanoutqa.retrieval.Corpus(dev[0].necessary_evidence)
scores = fanoutqa.eval.evaluate(dev, answers)

docs/from/fanoutqa.md says which numbers differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argue_bench.fanoutqa import eval, models, norm, retrieval, utils, wiki
    from argue_bench.fanoutqa.utils import load_dev, load_test
    from argue_bench.fanoutqa.wiki import wiki_content, wiki_search

_MODULES = ["eval", "models", "norm", "retrieval", "utils", "wiki"]
_HOMES = {
    "load_dev": "utils",
    "load_test": "utils",
    "wiki_content": "wiki",
    "wiki_search": "wiki",
}
__all__ = [
    "eval",
    "load_dev",
    "load_test",
    "models",
    "norm",
    "retrieval",
    "utils",
    "wiki",
    "wiki_content",
    "wiki_search",
]


def __getattr__(name: str) -> Any:
    """The names above, each imported at its first use, so that importing the package is free."""
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(f"argue_bench.fanoutqa.{_HOMES[name]}"), name)
    if name in _MODULES:
        return import_module(f"argue_bench.fanoutqa.{name}")
    raise AttributeError(f"module 'argue_bench.fanoutqa' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
