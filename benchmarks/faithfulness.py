"""Does `faithfulness` rank answers as people do? MT-RAG's 477 rated answers (Katsis et al. 2025).

    python -m benchmarks.faithfulness [PATH of mtrag_eval.json] [JUDGE]

Spearman's correlation over answers, with intervals by resampling its 20 conversations, for
`faithfulness`, for the published automatic scores of the file, and for each rater against the mean
of the other two. Answers are those that state something and have contexts; the published scores are
taken on the same ones.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

import argue_bench as ab
from benchmarks._options import options
from benchmarks._table import Line, show
from tests.shared import SHARED

PUBLISHED = ("rb_llm", "rl_f", "rb_agg", "Bert-KPrec", "RougeL")
DRAWS = 2000


def main() -> int:
    """0: nobody set a limit."""
    parser = options(__doc__)
    default = SHARED / "data" / "mtrag" / "mtrag_eval.json"
    parser.add_argument("path", type=Path, nargs="?", default=default)
    parser.add_argument("judge", nargs="?", default="lexical")
    given = parser.parse_args()
    path, judge = given.path, given.judge
    if not path.is_file():
        print(f"left out: {path} is not here")
        return 0
    dataset, answers = ab.from_rows(path)
    report = ab.evaluate(dataset, answers, ["faithfulness"], judge=judge)
    tallies = {
        id: found["supported"].value
        for id, metrics in report.per_question.items()
        if (found := metrics.get("faithfulness"))
    }
    rows = {
        f"{row['task_id']}/{row['model_id']}": row
        for row in json.loads(path.read_text(encoding="utf-8"))["evaluations"]
    }
    ids = [id for id, value in tallies.items() if value is not None]
    rated = [ratings(rows[id]) for id in ids]
    people = np.array([np.mean(one) for one in rated])
    conversations = [id.partition("<::>")[0] for id in ids]
    ours = np.array([tallies[id] for id in ids], dtype=float)
    print(f"{len(ids)} answers of {len(set(conversations))} conversations, judge {judge}\n")
    compared = {"faithfulness": (ours, people)}
    for name in PUBLISHED:
        values = np.array([published(rows[id], name) for id in ids], dtype=float)
        if np.isfinite(values).all():
            compared[name] = (values, people)
    most = max(map(len, rated))
    whole = [at for at, one in enumerate(rated) if len(one) == most]
    each = np.array([rated[at] for at in whole])
    for one in range(most):
        others = np.delete(each, one, axis=1).mean(axis=1)
        compared[f"rater {one + 1}"] = (each[:, one], others)
    rho = {name: spearman(a, b) for name, (a, b) in compared.items()}
    for name, (a, b) in compared.items():
        known = conversations if len(a) == len(ids) else [conversations[at] for at in whole]
        low, high = interval(a, b, known)
        print(f"{name:14} {rho[name]:6.3f}   {low:6.3f} to {high:6.3f}")
    print("\nsystem            faithfulness  people (1 to 4)  answers")
    for system in sorted({id.rpartition("/")[2] for id in ids}):
        own = [at for at, id in enumerate(ids) if id.rpartition("/")[2] == system]
        print(f"{system:18}{100 * ours[own].mean():11.1f}{people[own].mean():17.2f}{len(own):9}")
    return show(Line(f"people's order of answers, {name}", f"{rho[name]:.3f}") for name in rho)


def ratings(row: Mapping[str, Any]) -> list[float]:
    """The three raters' faithfulness, in the order of their ids."""
    found = row["annotations"]["faithfulness"]
    return [float(one["value"]) for _, one in sorted(found.items())]


def published(row: Mapping[str, Any], name: str) -> float:
    found: dict[str, Any] = row["annotations"].get(name, {})
    return float(next((one["value"] for one in found.values()), np.nan))


def ranks(values: np.ndarray) -> np.ndarray:
    """Ranks with ties shared."""
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return (counts.cumsum() - (counts - 1) / 2)[places]


def spearman(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.corrcoef(ranks(a), ranks(b))[0, 1])


def interval(a: np.ndarray, b: np.ndarray, groups: list[str]) -> tuple[float, float]:
    names = sorted(set(groups))
    members = [np.flatnonzero(np.array(groups) == name) for name in names]
    rng = np.random.default_rng(0)
    found = []
    for _ in range(DRAWS):
        drawn = np.concatenate([members[at] for at in rng.integers(len(names), size=len(names))])
        if len(set(a[drawn])) > 1 and len(set(b[drawn])) > 1:
            found.append(spearman(a[drawn], b[drawn]))
    low, high = np.percentile(found, [2.5, 97.5])
    return float(low), float(high)


if __name__ == "__main__":
    sys.exit(main())
