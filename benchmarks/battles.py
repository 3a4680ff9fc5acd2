"""Battles on real votes: the crowd's and a model's preferences between answers to topics of TREC RAG.

    python -m benchmarks.battles [FOLDER]

``../shared/data/crowdrag`` has six answers to each topic, by a model and by a person in three styles, people's
votes on pairs of them along seven dimensions, the label that was inferred from five votes (``_gold``), the published
grades, and a model's preferences. Printed are Kendall's tau between strengths by topic and the grades, the six writers as systems,
what the place of an answer does, and Cohen's kappa of two people, and of the model with the label. Exits 1 where the mean
tau from ``_gold`` is below .95.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from argue_bench.analysis.battles import Battle, position_bias, rank_battles
from argue_bench.lab.votes import agree_on_pairs
from argue_bench.records import JudgeRequest, Prefers
from argue_bench.stats.correlation import correlation
from benchmarks._options import options

SHARED = Path(os.environ.get("ARGUE_BENCH_SHARED", "../shared")) / "data" / "crowdrag"
LEAST_TAU = 0.95
WORDS = {"a": "A", "b": "B", "n": "tie"}
Row = Mapping[str, Any]


def rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def battles(of: Sequence[Row], name: str) -> list[Battle]:
    """One dimension of the rows as battles between answers; ``name`` is its key."""
    return [Battle(r["query_id"], r["response_a"], r["response_b"], WORDS[r[name]]) for r in of]


def votes(of: Sequence[Row], dimension: str) -> list[Row]:
    """Each person's vote as a row of its own."""
    return [{**row, "vote": vote.lower()} for row in of for vote in row[f"{dimension}_vote"]]


def taus(fought: Sequence[Battle], grades: Mapping[str, int]) -> Iterator[float]:
    """Kendall's tau of the strengths by topic and the published grades."""
    by_topic: dict[str, list[Battle]] = defaultdict(list)
    for one in fought:
        by_topic[one.topic].append(one)
    for fights in by_topic.values():
        ranked = rank_battles(fights)["systems"]
        truth = np.array([grades[one["system"]] for one in ranked], dtype=float)
        strengths = np.array([one["strength"] for one in ranked])
        yield correlation("kendall", truth, strengths.round(9))


def shown_twice(fought: Sequence[Battle]) -> list[tuple[str, str, str]]:
    """What was said of the pairs that were shown in both orders, in words of the first."""
    said = {one[:3]: one.said for one in fought}
    return [
        (topic, word, Prefers.mirrored(said[topic, b, a]))
        for (topic, a, b), word in said.items()
        if a < b and (topic, b, a) in said
    ]


def pairs(fought: Sequence[Battle]) -> dict[Prefers, list[str]]:
    """Everything that was said of each pair, in the order in which it was shown."""
    found: dict[Prefers, list[str]] = defaultdict(list)
    for one in fought:
        found[Prefers(one.topic, one.first, one.second)].append(one.said)
    return found


def most(said: Mapping[Prefers, Sequence[str]]) -> dict[JudgeRequest, str]:
    """The word that came most often of each pair, a tie where two came as often."""
    found: dict[JudgeRequest, str] = {}
    for pair, words in said.items():
        (word, n), *rest = Counter(words).most_common(2)
        found[pair] = "tie" if rest and rest[0][1] == n else word
    return found


def report(folder: Path) -> float:
    """Prints everything about a folder; the mean tau from ``_gold`` over topics and dimensions."""
    people, models = rows(folder / "people.jsonl"), rows(folder / "models.jsonl")
    grades = rows(folder / "grades.jsonl")
    writers = {
        r["response"]: f"{r['writer']} {r['style']}" for r in rows(folder / "responses.jsonl")
    }
    dimensions = [key for key in grades[0] if key not in ("response", "query_id")]
    found: dict[str, list[float]] = {"gold": [], "votes": []}
    topics = len({row["query_id"] for row in people})
    print(f"{topics} topics, {len(people)} pairs, {len(models)} by a model\n")
    print(
        "dimension               tau, gold  tau, votes  shown first  one verdict  two people   model and person"
    )
    for name in dimensions:
        known = {row["response"]: row[name] for row in grades}
        gold, single = battles(people, f"{name}_gold"), battles(votes(people, name), "vote")
        own = {"gold": list(taus(gold, known)), "votes": list(taus(single, known))}
        for key, of in own.items():
            found[key] += of
        place = position_bias(shown_twice(gold))
        judged = most(pairs(battles(models, name)))
        among, against = agree_on_pairs(pairs(single), judged)
        print(
            f"{name:24}{np.mean(own['gold']):9.3f}{np.mean(own['votes']):12.3f}"
            f"{place['first']:13.3f}{place['agreed']:13.3f}  {kappa(among)}  {kappa(against)}"
        )
    print(f"{'all':24}{np.mean(found['gold']):9.3f}{np.mean(found['votes']):12.3f}\n")
    overall = [
        one._replace(first=writers[one.first], second=writers[one.second])
        for one in battles(people, "quality_overall_gold")
    ]
    print(
        "quality_overall, the writers as systems: points, 95 % interval over topics, rank and its range"
    )
    for one in rank_battles(overall)["systems"]:
        print(
            f"{one['system']:14} {one['points']:.3f}  {one['low']:.3f} to {one['high']:.3f}  "
            f"{one['rank']} ({one['rank_low']}-{one['rank_high']})"
        )
    for kind in dict.fromkeys(row["inference"] for row in models):
        some = battles([row for row in models if row["inference"] == kind], "quality_overall")
        place = position_bias(shown_twice(some))
        _, against = agree_on_pairs(
            pairs(battles(people, "quality_overall_gold")), most(pairs(some))
        )
        print(
            f"model, {kind}: {place['first']:.3f} ({place['low']:.3f} to {place['high']:.3f}) for the answer shown first, "
            f"one verdict in both orders {place['agreed']:.3f} of {place['pairs']}; with gold {kappa(against)}"
        )
    return float(np.mean(found["gold"]))


def kappa(found: tuple[int, float | None, float | None, float | None]) -> str:
    n, value, low, high = found
    return f"{value:.2f} ({low:.2f} to {high:.2f}, n {n})" if value is not None else f"- (n {n})"


def main() -> int:
    """Prints the tables; 1 where the mean tau is below its limit."""
    asked = options(__doc__)
    asked.add_argument("folder", type=Path, nargs="?", default=SHARED)
    folder = asked.parse_args().folder
    if not folder.is_dir():
        print(f"{folder} is not here: nothing was measured")
        return 0
    tau = report(folder)
    print(f"\nmean tau from gold {tau:.3f}, at least {LEAST_TAU} is wanted")
    return int(tau < LEAST_TAU)


if __name__ == "__main__":
    sys.exit(main())
