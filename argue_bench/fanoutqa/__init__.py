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
    from argue_bench.fanoutqa import eval, retrieval
    from argue_bench.fanoutqa.questions import load_dev, load_test
    from argue_bench.retrieval.wikipedia import wiki_content, wiki_search

__all__ = ["eval", "load_dev", "load_test", "retrieval", "wiki_content", "wiki_search"]

_HOMES = {
    "load_dev": "argue_bench.fanoutqa.questions",
    "load_test": "argue_bench.fanoutqa.questions",
    "wiki_content": "argue_bench.retrieval.wikipedia",
    "wiki_search": "argue_bench.retrieval.wikipedia",
}


def __getattr__(name: str) -> Any:
    """The names above, each imported at its first use, so that importing the package is free."""
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    if name in __all__:
        return import_module(f"argue_bench.fanoutqa.{name}")
    raise AttributeError(f"module 'argue_bench.fanoutqa' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
