"""argue-bench: score long-form answers that must cite their sources.

import argue_bench as ab

dev = ab.load_dev()
report = ab.evaluate(dev, [{"id": question.id, "answer": "..."} for question in dev])
print(report)
report.scores["argue.f1"].value
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from argue_bench.version import __version__

if TYPE_CHECKING:
    from argue_bench.analysis.compare import compare
    from argue_bench.errors import (
        ArgueBenchError,
        DataError,
        Interrupted,
        JudgeError,
        MissingExtra,
        NoGold,
        SealError,
        SubmissionError,
        UnknownName,
        UnlikeSignatures,
        UsageError,
    )
    from argue_bench.eval import Report, aevaluate, evaluate
    from argue_bench.eval.check import Check, acheck, check
    from argue_bench.judges import Judge
    from argue_bench.loaders import load, load_dev, load_test, load_topics, open_collection
    from argue_bench.loaders.dataset import Dataset
    from argue_bench.loaders.rows import from_rows
    from argue_bench.metrics import Metric, metric
    from argue_bench.records import Answer, Question, Tally, Verdict
    from argue_bench.retrieval import Corpus

__all__ = [
    "Answer",
    "ArgueBenchError",
    "Check",
    "Corpus",
    "DataError",
    "Dataset",
    "Interrupted",
    "Judge",
    "JudgeError",
    "Metric",
    "MissingExtra",
    "NoGold",
    "Question",
    "Report",
    "SealError",
    "SubmissionError",
    "Tally",
    "UnknownName",
    "UnlikeSignatures",
    "UsageError",
    "Verdict",
    "__version__",
    "acheck",
    "aevaluate",
    "check",
    "compare",
    "evaluate",
    "from_rows",
    "load",
    "load_dev",
    "load_test",
    "load_topics",
    "metric",
    "open_collection",
]

# Every public name with the module that defines it, for the imports below.
_HOMES = {
    name: module
    for module, names in {
        "analysis.compare": "compare",
        "errors": "ArgueBenchError DataError Interrupted JudgeError MissingExtra NoGold SealError "
        "SubmissionError UnknownName UnlikeSignatures UsageError",
        "eval": "Report aevaluate evaluate",
        "eval.check": "Check acheck check",
        "judges": "Judge",
        "loaders": "load load_dev load_test load_topics open_collection",
        "loaders.dataset": "Dataset",
        "loaders.rows": "from_rows",
        "metrics": "Metric metric",
        "records": "Answer Question Tally Verdict",
        "retrieval": "Corpus",
    }.items()
    for name in names.split()
}


def __getattr__(name: str) -> Any:
    """Imports a public name when it is first used, so that importing the package is fast."""
    from importlib import import_module

    if name == "eval":
        return import_module("argue_bench.eval")
    if name not in _HOMES:
        raise AttributeError(f"module 'argue_bench' has no attribute {name!r}")
    return getattr(import_module(f"argue_bench.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES, "eval"])
