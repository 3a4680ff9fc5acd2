"""The lexical judge where nothing of it was fitted: on hard pairs, and on the order of later models.

    python -m benchmarks.lexical_checks [--pairs | --order]

``tests/judges/hard_pairs.jsonl`` has pairs of a source and a statement, ``../shared/data/ragtruth/models.jsonl`` answers of later
models, each with the set's verdict. Without an option both tables are printed.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
from scipy.stats import kendalltau

from argue_bench.judges.lexical import support
from argue_bench.records import SURE, Entails, Source
from benchmarks._options import options
from benchmarks.lexical import SHARED, sentences

PAIRS = Path("tests/judges/hard_pairs.jsonl")


def show_pairs() -> None:
    """Accuracy by kind of hard pair; nothing was fitted on them."""
    cells: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for line in PAIRS.read_text("utf-8").splitlines():
        row = json.loads(line)
        verdict = support.judged(Entails((Source("d", row["source"]),), row["statement"]))
        for kind in (row["kind"], "all"):
            cells[kind].append((row["label"] == "no", verdict.value != "full"))
    print(
        "| kind | n | right | of the wrong statements flagged | of the right ones |\n|---|---|---|---|---|"
    )
    for kind, found in sorted(cells.items()):
        bad, flag = np.array(found).T
        shares_ = (
            f"{one:.2f}" for one in ((bad == flag).mean(), flag[bad].mean(), flag[~bad].mean())
        )
        print(f"| {kind} | {len(bad)} | {' | '.join(shares_)} |")


def show_order() -> None:
    """Kendall's tau of later models: the share of their answers with a flag, and that of rejected ones."""
    path = SHARED / "ragtruth"
    rows = [json.loads(line) for line in (path / "models.jsonl").read_text("utf-8").splitlines()]
    given = {}
    for kind in ("qa", "summary", "data2txt"):
        for line in (path / f"people-{kind}.jsonl").read_text("utf-8").splitlines():
            row = json.loads(line)
            given[row["id"].rpartition("-")[0]] = {k: row[k] for k in ("question", "contexts")}
    print(
        "| task | systems | tau, all flags | tau, right half the time | tau, sure |\n|---|---|---|---|---|"
    )
    for kind in ("qa", "summary", "data2txt"):
        some = [
            row | given[row["source"]]
            for row in rows
            if row["source"].startswith(kind) and row["verdict"] != "invalid"
        ]
        found = np.zeros((3, len(some)), bool)
        for number, request, _, _ in sentences(some):
            verdict = support.judged(request)
            chance = verdict.probability or 0.0
            found[:, number] |= (
                verdict.value != "full",
                chance >= 0.5,
                verdict.flag in SURE and chance >= 0.5,
            )
        systems = np.array([row["system"] for row in some])
        rejected = np.array([row["verdict"] == "inconsistent" for row in some])
        known = sorted(set(systems))
        truth = [rejected[systems == one].mean() for one in known]
        taus = [
            kendalltau([row[systems == one].mean() for one in known], truth)[0] for row in found
        ]
        print(f"| {kind} | {len(known)} | {' | '.join(f'{tau:.2f}' for tau in taus)} |")


def main() -> int:
    """Prints what was asked for."""
    parser = options(__doc__)
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--order", action="store_true")
    asked = parser.parse_args()
    if asked.pairs or not asked.order:
        show_pairs()
    if asked.pairs and not asked.order:
        return 0
    if not (SHARED / "ragtruth").is_dir():
        print("no answers are here: ARGUE_BENCH_SHARED names their folder")
        return 1
    show_order()
    return 0


if __name__ == "__main__":
    sys.exit(main())
