"""Battles on real votes: the crowd's and a model's preferences between answers to topics of TREC RAG.

    python -m benchmarks.battles [FOLDER]

``../shared/data/crowdrag`` has six answers to each topic, by a model and by a person in three styles, people's
votes on pairs of them along seven dimensions, the label that was inferred from five votes (``_gold``), the published
grades, and a model's preferences. Printed are Kendall's tau between strengths by topic and the grades, the six writers as systems,
what the place of an answer does, and Cohen's kappa of two people, and of the model with the label. The grades are ranks by another
model of ties (Rao and Kupper 1967), whose tau stands beside Davidson's. What holds no known vote is left out and counted.
Exits 1 where Davidson's mean tau from ``_gold`` is below .95.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import minimize

from argue_bench.analysis.battles import AVERAGE_OPPONENT, Battle, position_bias, rank_battles
from argue_bench.lab.votes import agree_on_pairs
from argue_bench.records import JudgeRequest, Prefers
from argue_bench.stats.averages import Array
from argue_bench.stats.correlation import correlation
from benchmarks._options import options

SHARED = Path(os.environ.get("ARGUE_BENCH_SHARED", "../shared")) / "data" / "crowdrag"
LEAST_TAU = 0.95
WORDS = {"a": "A", "b": "B", "n": "tie"}
Row = Mapping[str, Any]


def rows(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def battles(of: Sequence[Row], name: str) -> list[Battle]:
    """One dimension of the rows as battles between answers; ``name`` is its key. Rows without a known vote give none."""
    return [
        Battle(r["query_id"], r["response_a"], r["response_b"], WORDS[word])
        for r in of
        if (word := str(r.get(name)).lower()) in WORDS
    ]


def votes(of: Sequence[Row], dimension: str) -> list[Row]:
    """Each person's vote as a row of its own."""
    return [{**row, "vote": vote} for row in of for vote in row.get(f"{dimension}_vote") or ()]


def davidson(fights: Sequence[Battle]) -> dict[str, float]:
    return {one["system"]: one["strength"] for one in rank_battles(fights)["systems"]}


def rao_kupper(fights: Sequence[Battle], threshold: float = 0.05) -> dict[str, float]:
    """Strengths by the model of the published grades: i wins over j with e^i / (e^i + e^(j + threshold)), else loses or ties.

    Each system also wins and loses a fifth of a battle against an average one.
    """
    names = sorted({name for one in fights for name in one[1:3]})
    at = {name: number for number, name in enumerate(names)}
    shown = [(at[one.first], at[one.second], one.said) for one in fights]
    # A tie is as likely as both wins together, apart from a constant.
    won = [(i, j) for i, j, said in shown if said != "B"]
    won += [(j, i) for i, j, said in shown if said != "A"]
    winner, loser = np.array(won).T

    def minus_likelihood(s: Array) -> float:
        lost = np.logaddexp(0, s[loser] + threshold - s[winner]).sum()
        return float(lost + AVERAGE_OPPONENT * (np.logaddexp(0, s) + np.logaddexp(0, -s)).sum())

    return dict(zip(names, minimize(minus_likelihood, np.zeros(len(names))).x, strict=True))


def taus(
    fought: Sequence[Battle],
    grades: Mapping[str, int],
    model: Callable[[Sequence[Battle]], dict[str, float]] = davidson,
) -> Iterator[float]:
    """Kendall's tau of the strengths by topic and the published grades, where a topic has two of either."""
    by_topic: dict[str, list[Battle]] = defaultdict(list)
    for one in fought:
        by_topic[one.topic].append(one)
    for fights in by_topic.values():
        found = {name: s for name, s in model(fights).items() if name in grades}
        if len({grades[name] for name in found}) > 1:
            truth = np.array([grades[name] for name in found], dtype=float)
            yield correlation("kendall", truth, np.array([*found.values()]).round(4))


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


def report(folder: Path) -> list[float]:
    """Prints everything about a folder; Davidson's taus from ``_gold``, of each topic and dimension."""
    people, models = rows(folder / "people.jsonl"), rows(folder / "models.jsonl")
    grades = rows(folder / "grades.jsonl")
    writers = {
        r["response"]: f"{r['writer']} {r['style']}" for r in rows(folder / "responses.jsonl")
    }
    dimensions = [
        key
        for key in dict.fromkeys(key for row in grades for key in row)
        if any(f"{key}_gold" in row for row in people)
    ]
    found: dict[str, list[float]] = {"gold": [], "published": [], "votes": []}
    topics = len({row["query_id"] for row in people})
    print(f"{topics} topics, {len(people)} pairs, {len(models)} by a model\n")
    print(
        "dimension               tau, gold  as published  tau, votes  shown first  one verdict  two people"
        "                     model and person"
    )
    for name in dimensions:
        known = {row["response"]: row[name] for row in grades if row.get(name) is not None}
        single = votes(people, name)
        gold, crowd = battles(people, f"{name}_gold"), battles(single, "vote")
        own = {
            "gold": list(taus(gold, known)),
            "published": list(taus(gold, known, rao_kupper)),
            "votes": list(taus(crowd, known)),
        }
        for key, of in own.items():
            found[key] += of
        place = position_bias(shown_twice(gold))
        among, against = agree_on_pairs(pairs(crowd), most(pairs(battles(models, name))))
        means = [three(float(np.mean(of)) if of else None) for of in own.values()]
        print(
            f"{name:24}{means[0]:>9}{means[1]:>14}{means[2]:>12}{three(place['first']):>13}"
            f"{three(place['agreed']):>13}  {kappa(among):29}{kappa(against)}"
        )
        if (len(people), len(single)) != (len(gold), len(crowd)):
            print(
                f"{'':24}{len(people) - len(gold)} pairs and {len(single) - len(crowd)} votes left out"
            )
    means = [three(float(np.mean(of)) if of else None) for of in found.values()]
    print(f"{'all':24}{means[0]:>9}{means[1]:>14}{means[2]:>12}\n")
    overall = [
        one._replace(first=writers[one.first], second=writers[one.second])
        for one in battles(people, "quality_overall_gold")
        if {one.first, one.second} <= writers.keys()
    ]
    print(
        "quality_overall, the writers as systems: points, 95 % interval over topics, rank and its range"
    )
    for one in rank_battles(overall)["systems"] if overall else ():
        print(
            f"{one['system']:14} {one['points']:.3f}  {three(one['low'])} to {three(one['high'])}  "
            f"{one['rank']} ({one['rank_low']}-{one['rank_high']})"
        )
    for kind in dict.fromkeys(row.get("inference", "") for row in models):
        some = battles(
            [row for row in models if row.get("inference", "") == kind], "quality_overall"
        )
        place = position_bias(shown_twice(some))
        _, against = agree_on_pairs(
            pairs(battles(people, "quality_overall_gold")), most(pairs(some))
        )
        print(
            f"model, {kind}: {three(place['first'])} ({three(place['low'])} to {three(place['high'])}) for the answer shown "
            f"first, one verdict in both orders {three(place['agreed'])} of {place['pairs']}; with gold {kappa(against)}"
        )
    return found["gold"]


def three(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def kappa(found: tuple[int, float | None, float | None, float | None]) -> str:
    n, value, low, high = found
    ends = "" if None in (low, high) else f"{low:.2f} to {high:.2f}, "
    return f"{'-' if value is None else f'{value:.2f}'} ({ends}n {n})"


def main() -> int:
    """Prints the tables; 1 where the mean tau is below its limit."""
    asked = options(__doc__)
    asked.add_argument("folder", type=Path, nargs="?", default=SHARED)
    folder = asked.parse_args().folder
    if not folder.is_dir():
        print(f"{folder} is not here: nothing was measured")
        return 0
    if not (found := report(folder)):
        print("no topic has labels and grades: nothing was measured")
        return 1
    tau = float(np.mean(found))
    print(f"\nmean tau from gold {tau:.3f}, at least {LEAST_TAU} is wanted")
    return int(tau < LEAST_TAU)


if __name__ == "__main__":
    sys.exit(main())
