"""Does `faithfulness` order answers and systems as people do? MT-RAG and RAGTruth, for docs and the front page.

    python -m benchmarks.agreement [--write]

MT-RAG (Katsis et al. 2025): 477 answers of two models and of people, each rated 1 to 4 by three people; groups
are its conversations. RAGTruth (Niu et al. 2024, half of its test documents): answers of six models with the
spans that people marked, an answer's value being the share of its sentences that no mark touches; and answers
of 46 later models with the verdicts of a language model that had people's examples, so not people's. Groups
are documents. Correlations are Spearman's over answers, orders Kendall's tau-b over systems; intervals resample
groups; two systems are told apart where a paired permutation test says so at 5 %, Holm-corrected over the pairs.

``--write`` replaces ``argue_bench/data/figures/mtrag.json`` and ``ragtruth.json``, from which the front page
and the table of benchmarks/README.md are made. Figures alone are kept, and of texts one answer beside its passage.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import kendalltau, spearmanr

import argue_bench as ab
from argue_bench.judges.lexical import Lexical
from argue_bench.records import NOT_APPLICABLE, Answer, Tally
from argue_bench.stats.averages import columns_of, macro
from argue_bench.stats.bootstrap import intervals, number_groups
from argue_bench.stats.permutation import holm, permutation_test
from benchmarks._options import options
from benchmarks.flags import DATA, TASKS, marked_sentences
from tests.shared import SHARED

FIGURES = Path("argue_bench/data/figures")
README, MARK, END = (
    Path("benchmarks/README.md"),
    "<!-- python -m benchmarks.agreement --write -->",
    "<!-- end of agreement -->",
)
MTRAG = SHARED / "data" / "mtrag" / "mtrag_eval.json"
NAMES = {"reference": "People", "gpt-4o": "GPT-4o", "llama-3.1-405b-instruct": "Llama 3.1 405B"}
PUBLISHED = {
    "rl_f": "RL_F",
    "Bert-KPrec": "BERT K-precision",
    "rb_agg": "RB_agg",
    "rb_llm": "RB_llm",
}
"""Automatic scores that MT-RAG publishes beside the answers."""
EXAMPLE = "d5f0e7023ab90fe0240b7fc46cf00c26<::>6"
"""The one task whose question, passage and answer are copied: Apache-2.0, its passage of Wikipedia."""
SHOWN = "llama-3.1-405b-instruct"
OUTCOMES = {"contradicted": "contradicted", "partly": "partly", "nothing": "unsupported"}
LICENCE = (
    "question, answer and marks: MT-RAG (Katsis et al. 2025), Apache-2.0; passage: Wikipedia, "
    "“{title}”, by its authors, CC BY-SA 3.0, as in CLAPnq"
)
SCALE = (1, 4)
"""The raters' worst and best mark."""
DRAWS, SEED = 2000, 7


def figure(value: float, low: float, high: float) -> list[float]:
    return [round(float(one), 4) for one in (value, low, high)]


def resampled(groups: Sequence[str], of: Callable[[np.ndarray], float]) -> list[float]:
    """A figure with its 95 % interval; ``of`` is called with the places of answers."""
    names = sorted(set(groups))
    known = np.array(groups)
    members = [np.flatnonzero(known == name) for name in names]
    rng = np.random.default_rng(SEED)
    draws = (rng.integers(len(names), size=len(names)) for _ in range(DRAWS))
    found = [of(np.concatenate([members[at] for at in drawn])) for drawn in draws]
    return figure(of(np.arange(len(known))), *np.nanpercentile(found, [2.5, 97.5]))


def correlated(a: np.ndarray, b: np.ndarray, groups: Sequence[str]) -> list[float]:
    return resampled(groups, lambda at: spearmanr(a[at], b[at]).statistic)


def shifted(ours: np.ndarray, people: np.ndarray, groups: Sequence[str]) -> list[float]:
    return resampled(groups, lambda at: float((ours[at] - people[at]).mean()))


def systems_of(
    values: Mapping[str, Mapping[str, Mapping[str, float]]], groups: Mapping[str, str]
) -> dict[str, Any]:
    """Each system's mean by each measure with its interval, and which pairs a test tells apart.

    ``values`` is measure to system to question; ``groups`` gives the group of a question.
    """
    questions = sorted(groups)
    numbered = number_groups(groups[one] for one in questions)
    made: dict[str, dict[str, Any]] = {}
    pairs: dict[tuple[str, str], dict[str, float]] = {}
    for measure, by_system in values.items():
        columns = {
            name: columns_of(
                {"x": Tally(found[one]) if one in found else NOT_APPLICABLE} for one in questions
            )
            for name, found in by_system.items()
        }
        for name, found in by_system.items():
            ends = intervals({"x": macro("x")}, columns[name], groups=numbered)["x"]
            assert ends is not None
            made.setdefault(name, {"system": name, "n": len(found)})[measure] = figure(
                float(np.mean(list(found.values()))), *ends
            )
        couples = list(combinations(by_system, 2))
        tests = [
            float(permutation_test(macro("x"), columns[a], columns[b], groups=numbered))
            for a, b in couples
        ]
        for couple, p in zip(couples, holm(tests), strict=True):
            pairs.setdefault(couple, {})[measure] = round(float(p), 4)
    return {
        "systems": sorted(made.values(), key=lambda one: -one["people"][0]),
        "pairs": [{"of": list(couple), **p} for couple, p in pairs.items()],
        "tau": round(
            float(
                kendalltau(*([one[m][0] for one in made.values()] for m in ("ours", "people")))[0]
            ),
            4,
        ),
    }


def supported(rows: Iterable[Mapping[str, Any]] | Path) -> dict[str, float]:
    """`faithfulness.supported` of each answer that states something, by id."""
    dataset, answers = ab.from_rows(rows)
    return values_of(ab.evaluate(dataset, answers, ["faithfulness"]))


def values_of(report: ab.Report) -> dict[str, float]:
    return {
        id: float(found["supported"].value)
        for id, metrics in report.per_question.items()
        if (found := metrics.get("faithfulness")) and found["supported"].value is not None
    }


def example(
    row: Mapping[str, Any], dataset: ab.Dataset, answers: Iterable[Answer], report: ab.Report
) -> dict[str, Any]:
    """One answer, sentence by sentence as the judge marks it, beside its passage and the raters' marks."""
    id = f"{row['task_id']}/{row['model_id']}"
    flags = {one.number: one for one in report.failed_sentences() if one.question == id}
    question = dataset.by_id[id]
    [source] = dataset.documents_of(question).values()
    [answer] = [one for one in answers if one.id == id]
    title, _, text = source.text.partition("\n")
    return {
        "question": question.text,
        "system": NAMES[row["model_id"]],
        "ratings": [int(one["value"]) for one in row["annotations"]["faithfulness"].values()],
        "sentences": [
            {
                "text": sentence.plain,
                "outcome": OUTCOMES[flags[n].lack] if n in flags else "supported",
                "reason": flags[n].reason if n in flags else "",
            }
            for n, sentence in enumerate(answer.sentences, 1)
        ],
        "source": {"title": title, "text": text, "licence": LICENCE.format(title=title)},
    }


def mtrag(path: Path) -> dict[str, Any]:
    """The figures of MT-RAG."""
    given = json.loads(path.read_text("utf-8"))["evaluations"]
    rows = {f"{row['task_id']}/{row['model_id']}": row["annotations"] for row in given}
    dataset, answers = ab.from_rows(path)
    report = ab.evaluate(dataset, answers, ["faithfulness"])
    ours = values_of(report)
    [shown] = [row for row in given if row["task_id"] == EXAMPLE and row["model_id"] == SHOWN]
    ids = list(ours)
    low, high = SCALE
    marks = [
        [(float(one["value"]) - low) / (high - low) for _, one in sorted(found.items())]
        for found in (rows[id]["faithfulness"] for id in ids)
    ]
    people = np.array([np.mean(one) for one in marks])
    conversations = [id.partition("<::>")[0] for id in ids]
    # A few answers lack a rater: one rater is held against the others where all are there.
    raters = max(map(len, marks))
    whole = [at for at, one in enumerate(marks) if len(one) == raters]
    rated = np.array([marks[at] for at in whole])
    mine = np.array([ours[id] for id in ids])
    others = {}
    for name, title in PUBLISHED.items():
        values = np.array([float(next(iter(rows[id][name].values()))["value"]) for id in ids])
        others[title] = correlated(values, people, conversations)
    by_system: dict[str, dict[str, dict[str, float]]] = {"ours": {}, "people": {}}
    for id, one, other in zip(ids, mine, people, strict=True):
        task, _, system = id.rpartition("/")
        by_system["ours"].setdefault(NAMES[system], {})[task] = float(one)
        by_system["people"].setdefault(NAMES[system], {})[task] = float(other)
    tasks = {id.rpartition("/")[0]: id.partition("<::>")[0] for id in ids}
    return {
        "set": "MT-RAG",
        "rated": len(rows),
        "answers": len(ids),
        "groups": len(set(conversations)),
        "raters": raters,
        "ours": correlated(mine, people, conversations),
        "one_rater": [
            correlated(
                rated[:, one],
                np.delete(rated, one, axis=1).mean(axis=1),
                [conversations[at] for at in whole],
            )
            for one in range(raters)
        ],
        "published": others,
        "shift": shifted(mine, people, conversations),
        **systems_of(by_system, tasks),
        "example": example(shown, dataset, answers, report),
    }


def ragtruth(folder: Path) -> dict[str, Any]:
    """The figures of RAGTruth: six models that people marked, and later models that a model judged."""
    tasks, later = [], read_lines(folder / "models.jsonl")
    ours_of: dict[str, dict[str, float]] = {}
    people_of: dict[str, dict[str, float]] = {}
    documents: dict[str, str] = {}
    for task, file in TASKS.items():
        path = folder / f"people-{file}.jsonl"
        rows = {row["id"]: row for row in read_lines(path)}
        fields = ("id", "question", "contexts", "answer")
        ours = supported([{key: row[key] for key in fields} for row in rows.values()])
        marks: dict[str, list[bool]] = {}
        for one in marked_sentences(path):
            marks.setdefault(one.answer, []).append(one.bad)
        ids = [id for id in ours if id in marks]
        mine = np.array([ours[id] for id in ids])
        people = np.array([1 - np.mean(marks[id]) for id in ids])
        groups = [id.rpartition("-")[0] for id in ids]
        for id, one, other, group in zip(ids, mine, people, groups, strict=True):
            system = rows[id]["system"]
            ours_of.setdefault(system, {})[group] = float(one)
            people_of.setdefault(system, {})[group] = float(other)
            documents[group] = group
        given = {row["id"].rpartition("-")[0]: row for row in rows.values()}
        tasks.append(
            {
                "task": task,
                "answers": len(ids),
                "groups": len(set(groups)),
                "ours": correlated(mine, people, groups),
                "shift": shifted(mine, people, groups),
                "later": order_of_later(later, given),
            }
        )
    return {
        "set": "RAGTruth",
        "tasks": tasks,
        **systems_of({"ours": ours_of, "people": people_of}, documents),
    }


def order_of_later(
    rows: Sequence[Mapping[str, Any]], given: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """Kendall's tau-b over later models, of their means and the share of their answers that were accepted."""
    some = [row for row in rows if row["source"] in given and row["verdict"] != "invalid"]
    made = [
        {"id": str(n), "answer": row["answer"]}
        | {key: given[row["source"]][key] for key in ("question", "contexts")}
        for n, row in enumerate(some)
    ]
    ours = supported(made)
    kept = [(row, ours[str(n)]) for n, row in enumerate(some) if str(n) in ours]
    names = sorted({row["system"] for row, _ in kept})
    place = np.array([names.index(row["system"]) for row, _ in kept])
    mine = np.array([value for _, value in kept])
    accepted = np.array([row["verdict"] == "consistent" for row, _ in kept], float)

    def tau(at: np.ndarray) -> float:
        n = np.bincount(place[at], minlength=len(names))
        means = [
            np.bincount(place[at], one[at], len(names))[n > 0] / n[n > 0]
            for one in (mine, accepted)
        ]
        return float(kendalltau(*means)[0])

    return {
        "systems": len(names),
        "answers": len(kept),
        "tau": resampled([row["source"] for row, _ in kept], tau),
    }


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def table(found: Mapping[str, Any]) -> str:
    """The correlations of MT-RAG as a table in Markdown."""
    rows = {"`faithfulness`, lexical judge": found["ours"]}
    rows |= {f"{name} (published with the data)": one for name, one in found["published"].items()}
    rows |= {
        f"rater {n} against the mean of the others": one
        for n, one in enumerate(found["one_rater"], 1)
    }
    lines = [
        f"| {name} | {v:.2f} | {low:.2f} to {high:.2f} |" for name, (v, low, high) in rows.items()
    ]
    return "\n".join(["| | correlation | 95 % interval |", "|---|---|---|", *lines])


def main() -> int:
    """Prints the figures; 0, as nobody set a limit."""
    parser = options(__doc__)
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    about = {"judge": "lexical", "rules": Lexical().identity()["rules"]}
    for name, path, count in (("mtrag", MTRAG, mtrag), ("ragtruth", DATA, ragtruth)):
        if not path.exists():
            print(f"left out: {path} is not here")
            continue
        found = about | count(path)
        text = json.dumps(found, indent=1)
        print(text)
        if write:
            FIGURES.mkdir(exist_ok=True)
            (FIGURES / f"{name}.json").write_text(f"{text}\n", "utf-8")
        if write and name == "mtrag":
            page = README.read_text("utf-8")
            head, _, rest = page.partition(f"{MARK}\n")
            README.write_text(f"{head}{MARK}\n{table(found)}\n{rest[rest.index(END) :]}", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
