"""How often the intervals of a bridge between judges hold, on SummHay's people and models as judges.

    python -m benchmarks.bridge [--draws 2000] [--seed 0] [--judge lexical]

``../shared/data/summhay`` has the labels of people and of six prompted models on the same insights; what one of
them did not label is left out and counted. ``--judge`` stands beside them (may be repeated). Each of the
42 ordered pairs is a change of judge. Of each draw: do the intervals cover the new judge's score on all insights,
and is a pair of writers that people's labels separate, with no correction for the number of pairs, ever told apart in
the other order? Of a tenth of as many draws of whole summaries: do the intervals cover the new judge's scores, a mean over summaries, a
share of insights and a harmonic mean? Exits 1 where a coverage is outside of 93 to 97 %, or a pair of writers is reversed so.
"""

from __future__ import annotations

import json
import math
import os
import sys
from collections import Counter
from collections.abc import Iterable
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from argue_bench.judges import as_judge
from argue_bench.lab.bridge import bridge, draw, score_bridge
from argue_bench.lab.label_agreement import check_judge, cohen_kappa, kappa_interval
from argue_bench.lab.label_sets import Row, distinct, summhay
from argue_bench.records import Tally
from argue_bench.stats.averages import Harmonic, columns_of, macro, micro, value_of
from argue_bench.stats.correlation import correlations
from benchmarks._options import options

SHARED = (
    Path(os.environ.get("ARGUE_BENCH_SHARED", "../shared")) / "data" / "summhay" / "labels.jsonl"
)
ITEMS = 200
WORTH = {"fully": 1.0, "full": 1.0, "partially": 0.5, "partial": 0.5, "not": 0.0, "no": 0.0}


Worths = dict[str, dict[str, np.ndarray]]
# Scores of a writer, from each summary's tallies.
SCORES = {
    "mean over summaries": macro("covered"),
    "share of insights": micro("covered"),
    "harmonic mean": Harmonic(macro("covered"), micro("fully")),
}


def labels() -> tuple[list[str], Worths, list[np.ndarray]]:
    """The writers, by judge and writer the worths of the insights, and by writer the number of each's summary."""
    rows = [json.loads(line) for line in SHARED.read_text("utf-8").splitlines()]
    judges = ["annotation", *(name for name in rows[0] if name.startswith("predictions"))]
    found: dict[str, dict[str, list[float]]] = {name: {} for name in judges}
    summaries: dict[str, list[int]] = {}
    left = 0
    for number, row in enumerate(rows):
        writer = row["summkey"].rpartition("_")[2]
        said = {judge: known_worths(row.get(judge) or ()) for judge in judges}
        insights = [one["insight_id"] for one in row["reference_insights"]]
        kept = [id for id in insights if all(id in own for own in said.values())]
        left += len(insights) - len(kept)
        summaries.setdefault(writer, []).extend([number] * len(kept))
        for judge in judges:
            found[judge].setdefault(writer, []).extend(said[judge][id] for id in kept)
    if left:
        print(f"{left} insights left out, which not every judge labelled")
    writers = sorted(found["annotation"])
    of = [np.unique(summaries[w], return_inverse=True)[1] for w in writers]
    return writers, {j: {w: np.array(of[w]) for w in writers} for j, of in found.items()}, of


def known_worths(labels: Iterable[dict[str, Any]]) -> dict[str, float]:
    """By insight what its label is worth, where it is one of the three."""
    words = {one["insight_id"]: str(one.get("coverage")).lower() for one in labels}
    worths = {id: WORTH.get(word.partition("_")[0]) for id, word in words.items()}
    return {id: worth for id, worth in worths.items() if worth is not None}


def agreement(judges: dict[str, dict[str, np.ndarray]], specs: Iterable[str]) -> None:
    """Prints how far each judge agrees with people on every insight, our own beside the models."""
    people = [float(one) for row in judges["annotation"].values() for one in row]
    print(f"{'judge':30} kappa with people, 95 % interval")
    for name, of in judges.items():
        said = [float(one) for row in of.values() for one in row]
        cells = Counter(zip(people, said, strict=True))
        if name != "annotation":
            _show(name, cohen_kappa(cells), kappa_interval(cells))
    with TemporaryDirectory() as folder:
        path = write_labels(Path(folder) / "labels.jsonl", summhay({"": SHARED}, ""))
        for spec in specs:
            own = check_judge(as_judge(spec), path).kinds["SupportLevel"]
            _show(spec, own.kappa, own.kappa_interval)


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


def tallies(worths: np.ndarray, of: np.ndarray) -> list[dict[str, Tally]]:
    """The tallies of each summary of a writer."""
    parts = [worths[of == one] for one in range(int(of.max()) + 1)]
    return [
        {"covered": Tally(part.sum(), len(part)), "fully": Tally((part == 1).sum(), len(part))}
        for part in parts
    ]


def scores_held(judges: Worths, of: list[np.ndarray], draws: int, rng: np.random.Generator) -> bool:
    """Prints how often the intervals of each score hold that of the new judge; whether all are within the limits."""
    counted = {
        judge: {
            writer: tallies(one, at) for (writer, one), at in zip(found.items(), of, strict=True)
        }
        for judge, found in judges.items()
    }
    sizes = [int(at.max()) + 1 for at in of]
    wanted = math.ceil(ITEMS * sum(sizes) / sum(map(len, of)))
    good = True
    for name, average in SCORES.items():
        held: list[list[bool]] = []
        whole: list[bool] = []
        for old, new in permutations(judges, 2):
            full = [value_of(average, columns_of(rows)) or 0.0 for rows in counted[new].values()]
            mean = float(np.average(full, weights=sizes))
            for _ in range(draws):
                systems = {}
                for writer, n, at in zip(
                    counted[old], sizes, draw(sizes, wanted, rng), strict=True
                ):
                    told = [counted[new][writer][one] if one in at else None for one in range(n)]
                    systems[writer] = list(zip(counted[old][writer], told, strict=True))
                done = score_bridge(average, systems)
                if isinstance(done, str):
                    continue
                ends = [(one.low, one.high) for one in done.systems.values()]
                held.append([a <= f <= b for (a, b), f in zip(ends, full, strict=True)])
                whole.append(done.overall.low <= mean <= done.overall.high)
        share, every = float(np.mean(held)), float(np.mean(whole))
        pairs = np.mean(np.array(held).reshape(len(judges) * (len(judges) - 1), -1), axis=1)
        within = 0.93 <= share <= 0.97 and len(held) == draws * len(pairs)
        good &= within
        print(
            f"{name:20} systems {share:.3f} (pairs of judges {pairs.min():.2f} to {pairs.max():.2f}) all {every:.3f}, "
            f"{wanted} of {sum(sizes)} summaries{'' if within else '  MISSED'}"
        )
    return good


def main() -> int:
    """Prints a line for each pair of judges; 1 where a limit is missed."""
    asked = options(__doc__)
    asked.add_argument("--draws", type=int, default=2000)
    asked.add_argument("--seed", type=int, default=0)
    asked.add_argument("--judge", action="append")
    draws, seed, specs = vars(asked.parse_args()).values()
    if not SHARED.exists():
        print(f"{SHARED} is not here: nothing was measured")
        return 0
    writers, judges, of = labels()
    agreement(judges, specs or ["lexical"])
    people, rng = judges["annotation"], np.random.default_rng(seed)
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
            done = bridge(judges[old], known, places, of)
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
    good = scores_held(judges, of, max(1, draws // 10), rng)
    return int(missed > 0 or not good)


if __name__ == "__main__":
    sys.exit(main())
