"""How often the intervals of a bridge between judges hold, on SummHay's people and models as judges.

    python -m benchmarks.bridge [--draws 2000]

``../shared/data/summhay`` has the labels of people and of six prompted models on the same insights. Each of the
42 ordered pairs is a change of judge. Of each draw: do the intervals cover the new judge's score on all insights,
and is a pair of writers that people's labels separate ever told apart in the other order? Exits 1 where the
coverage of a pair of judges is outside of 93 to 97 %, or a pair of writers is reversed so.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from collections.abc import Iterable
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from argue_bench.judges import as_judge
from argue_bench.lab.bridge import bridge, draw
from argue_bench.lab.label_agreement import check_judge, cohen_kappa, kappa_interval
from argue_bench.lab.label_sets import Row, distinct, summhay
from argue_bench.stats.correlation import correlations
from benchmarks._options import options

SHARED = (
    Path(os.environ.get("ARGUE_BENCH_SHARED", "../shared")) / "data" / "summhay" / "labels.jsonl"
)
ITEMS = 200
WORTH = {"fully": 1.0, "full": 1.0, "partially": 0.5, "partial": 0.5, "not": 0.0, "no": 0.0}


def labels() -> tuple[list[str], dict[str, dict[str, np.ndarray]]]:
    """The writers, and by judge and writer the worths of the insights."""
    rows = [json.loads(line) for line in SHARED.read_text("utf-8").splitlines()]
    judges = ["annotation", *(name for name in rows[0] if name.startswith("predictions"))]
    found: dict[str, dict[str, list[float]]] = {name: {} for name in judges}
    for row in rows:
        writer = row["summkey"].rpartition("_")[2]
        for judge in judges:
            said = {one["insight_id"]: one["coverage"] for one in row[judge]}
            found[judge].setdefault(writer, []).extend(
                WORTH[said[one["insight_id"]].lower().partition("_")[0]]
                for one in row["reference_insights"]
            )
    writers = sorted(found["annotation"])
    return writers, {j: {w: np.array(of[w]) for w in writers} for j, of in found.items()}


def agreement(judges: dict[str, dict[str, np.ndarray]]) -> None:
    """Prints how far each judge agrees with people on every insight, the lexical one beside the models."""
    people = [float(one) for row in judges["annotation"].values() for one in row]
    print(f"{'judge':30} kappa with people, 95 % interval")
    for name, of in judges.items():
        said = [float(one) for row in of.values() for one in row]
        cells = Counter(zip(people, said, strict=True))
        if name != "annotation":
            _show(name, cohen_kappa(cells), kappa_interval(cells))
    with TemporaryDirectory() as folder:
        path = write_labels(Path(folder) / "labels.jsonl", summhay({"": SHARED}, ""))
        own = check_judge(as_judge("lexical"), path).kinds["SupportLevel"]
    _show("lexical", own.kappa, own.kappa_interval)


def _show(name: str, kappa: float | None, ends: tuple[float, float] | None) -> None:
    shown = f"{ends[0]:.2f} to {ends[1]:.2f}" if ends is not None else "-"
    print(f"{name:30} {'-' if kappa is None else f'{kappa:.2f}'}  {shown}")


def write_labels(path: Path, rows: Iterable[Row]) -> Path:
    """The rows of a label set as a file that `judge check` reads."""
    lines = (
        json.dumps({"ask": ask, "verdict": verdict}) for ask, verdict, _ in distinct(iter(rows))
    )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def separated(people: dict[str, np.ndarray], writers: list[str]) -> list[tuple[int, int]]:
    """Pairs of writers that people's labels tell apart at 95 %, the better one first."""
    mean = [people[w].mean() for w in writers]
    error = [people[w].var(ddof=1) / len(people[w]) for w in writers]
    every = permutations(range(len(writers)), 2)
    return [(a, b) for a, b in every if mean[a] - mean[b] > 1.96 * np.sqrt(error[a] + error[b])]


def main() -> int:
    """Prints a line for each pair of judges; 1 where a limit is missed."""
    asked = options(__doc__)
    asked.add_argument("--draws", type=int, default=2000)
    draws = asked.parse_args().draws
    if not SHARED.exists():
        print(f"{SHARED} is not here: nothing was measured")
        return 0
    writers, judges = labels()
    agreement(judges)
    people, rng = judges["annotation"], np.random.default_rng(0)
    sizes, apart = [len(people[w]) for w in writers], separated(people, writers)
    again = np.array(
        [[rng.choice(people[w], len(people[w])).mean() for w in writers] for _ in range(draws)]
    )
    truth = np.array([[people[w].mean() for w in writers]] * draws)
    own = float(np.nanmean(correlations("kendall", truth, again)))
    print(
        f"{len(writers)} writers, {sum(sizes)} insights; tau of people's resampled labels {own:.2f}"
    )
    missed, taus = 0, []
    for old, new in permutations(judges, 2):
        held = np.zeros(len(writers))
        whole = turned = 0
        full = np.array([judges[new][w].mean() for w in writers])
        score = sum(judges[new][w].sum() for w in writers) / sum(sizes)
        for _ in range(draws):
            places = draw(sizes, ITEMS, rng)
            known = {w: judges[new][w][at] for w, at in zip(writers, places, strict=True)}
            done = bridge(judges[old], known, places)
            ends = np.array([(one.low, one.high) for one in done.systems.values()])
            held += (ends[:, 0] <= full) & (full <= ends[:, 1])
            whole += done.overall.low <= score <= done.overall.high
            turned += any((writers[b], writers[a]) in done.apart for a, b in apart)
            taus.append(done.tau or 0.0)
        share = held.mean() / draws
        bad = not 0.93 <= share <= 0.97 or turned > 0
        missed += bad
        print(
            f"{old[-12:]:>12} > {new[-12:]:12} systems {share:.3f} (least {held.min() / draws:.2f}) "
            f"all {whole / draws:.3f} reversed {turned}{'  MISSED' if bad else ''}"
        )
    print(
        f"tau between old and bridged scores {np.mean(taus):.2f}; {missed} pairs of judges missed a limit"
    )
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main())
