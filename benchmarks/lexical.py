"""The lexical judge against the truth of a generated world, and scripted systems under it and the oracle.

    python -m benchmarks.lexical

1. Labels that are right by construction, on report sentences of every pattern family. Thresholds were
   chosen on four domains and three families; the rest was not looked at.
2. Scripted systems under the oracle and under the lexical judge, with Kendall's tau of the rankings.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import numpy as np

from argue_bench.baselines.oracle import Oracle
from argue_bench.baselines.scripted import SCRIPTS, report_text
from argue_bench.eval import evaluate
from argue_bench.judges.checks.agreement import check_judge
from argue_bench.judges.lexical import Lexical
from argue_bench.leaderboard.seasons.scripted import synthetic_dataset
from argue_bench.stats.correlation import correlation
from argue_bench.synthetic.world import World
from benchmarks._options import options
from benchmarks._table import Line, at_least, show
from tests.judges.world_labels import TUNED, WorldLabel, labels

SEED = "3a" * 16
TOPICS = 40
LEAST_TAU = 0.85
SAMPLE = Path("argue_bench/data/core/sample-runs/labels.jsonl")


def main() -> int:
    """Prints the tables, in Markdown; 1 where a limit is missed."""
    options(__doc__).parse_args()
    _show_labels()
    _show_sample()
    return show(_show_systems())


def _show_labels() -> None:
    cells: dict[tuple[str, str], Counter[tuple[str, str]]] = {}
    judge, known = Lexical(), list(labels(TOPICS, SEED))
    from argue_bench.judges.lexical.judge import RULES

    for label in known:
        verdict = str(RULES[type(label.request)](label.request).value)
        for group in ("all", _half(label), f"family {label.family}"):
            counter = cells.setdefault((type(label.request).__name__, group), Counter())
            counter[label.right, verdict] += 1
    print(f"\n{judge.name} against construction, {len(known):,} labels of {TOPICS} topics\n")
    print("| kind | sentences of | n | accuracy | F1 of yes |\n|---|---|---|---|---|")
    for (kind, group), count in sorted(cells.items()):
        hits, n = count["yes", "yes"], sum(count.values())
        f1 = 2 * hits / (2 * hits + count["no", "yes"] + count["yes", "no"])
        print(f"| {kind} | {group} | {n:,} | {(hits + count['no', 'no']) / n:.3f} | {f1:.3f} |")


def _half(label: WorldLabel) -> str:
    return "tuned families" if label.family in TUNED[1] else "unseen families"


def _show_sample() -> None:
    print("\nagainst people's labels of the hand-written sample\n")
    print("| kind | n | accuracy | F1 of yes |\n|---|---|---|---|")
    for name, kind in check_judge(Lexical(), SAMPLE).kinds.items():
        if kind.accuracy is not None:
            count = {(label, verdict): n for label, verdict, n in kind.confusion}
            hits = count.get(("yes", "yes"), 0)
            missed = count.get(("yes", "no"), 0) + count.get(("no", "yes"), 0)
            f1 = f"{2 * hits / (2 * hits + missed):.3f}" if hits else "-"
            print(f"| {name} | {kind.n} | {kind.accuracy:.3f} | {f1} |")


def _show_systems() -> list[Line]:
    topics = list(World(SEED, TOPICS).topics())
    dataset = synthetic_dataset(topics)
    reports = {name: {t.id: s.write(t) for t in topics} for name, s in SCRIPTS.items()}
    oracle = Oracle()
    for topic in topics:
        oracle.learn(topic, *(report[topic.id] for report in reports.values()))
    scores: dict[str, list[float]] = {}
    for name, report in reports.items():
        answers = [{"id": id, "answer": report_text(said)} for id, said in report.items()]
        scores[name] = []
        for judge in (oracle, Lexical()):
            found = evaluate(dataset, answers, ["argue"], judge=judge, resamples=0).scores
            scores[name] += [
                found[f"argue.{key}"].value or 0.0
                for key in ("f1", "nugget_coverage", "sentence_support")
            ]
    print(f"\nscripted systems on {TOPICS} topics, argue x 100: oracle, then lexical\n")
    print("| system | f1 | | coverage | | support | |\n|---|---|---|---|---|---|---|")
    for name, row in sorted(scores.items(), key=lambda one: -one[1][0]):
        shown = [f"{100 * row[i]:.1f} | {100 * row[i + 3]:.1f}" for i in range(3)]
        print(f"| {name} | {' | '.join(shown)} |")
    taus = {}
    for place, key in enumerate(("f1", "coverage", "support")):
        told = [row[place] for row in scores.values()]
        said = [row[place + 3] for row in scores.values()]
        taus[key] = correlation("kendall", np.array(told), np.array(said))
    return [
        at_least("lexical judge, Kendall's tau of f1", taus.pop("f1"), LEAST_TAU, "", digits=3),
        *(
            Line(f"lexical judge, Kendall's tau of {key}", f"{tau:.3f}")
            for key, tau in taus.items()
        ),
    ]


if __name__ == "__main__":
    sys.exit(main())
