"""promptfoo: a Python assertion by a metric that needs no gold. A file of one line is what promptfoo is given:

    from argue_bench.adapters.promptfoo import get_assert

The answer is the output; question, contexts and reference are the test's variables under their usual names.
``config`` may set ``metric``, ``judge``, ``threshold`` (1 by default) and ``columns``, as rows take them.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from argue_bench.adapters.task import score_row
from argue_bench.errors import UsageError
from argue_bench.eval.flags import flag_lines
from argue_bench.loaders.rows.columns import recognise
from argue_bench.metrics import parse


def get_assert(output: Any, context: Mapping[str, Any]) -> dict[str, Any]:
    """Whether the first headline score of an output reaches the threshold: promptfoo's GradingResult.

    ``namedScores`` hold the scores that apply; an output to which the first one does not apply passes, for nothing is
    held against it. Raises UsageError, DataError and JudgeError, which promptfoo shows as the assertion's failure.
    """
    config = {"metric": "faithfulness", "judge": "lexical", "threshold": 1.0, "columns": {}}
    given = context.get("config") or {}
    if unknown := given.keys() - config:
        raise UsageError(
            f"config has no {', '.join(sorted(unknown))}; it takes {', '.join(config)}"
        )
    metric, judge, threshold, columns = (config | given).values()
    # promptfoo reads an output of JSON before an assertion sees it.
    answer = output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
    row = {**(context.get("vars") or {}), "response": answer}
    if "question" not in recognise(row, columns):
        row["user_input"] = context.get("prompt") or ""
    found, report = score_row(row, parse(metric), judge, columns)
    first = next(iter(found.values()))
    applies = not math.isnan(first)
    return {
        "pass": not applies or first >= threshold,
        "score": first if applies else 1.0,
        "reason": "\n".join(flag_lines(report)) if applies else "the score does not apply",
        "namedScores": {
            f"{metric}.{name}": one for name, one in found.items() if not math.isnan(one)
        },
    }
