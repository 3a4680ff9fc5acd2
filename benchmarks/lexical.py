"""The lexical judge on people's labels: its weights fitted, measured on other sources, each feature left out.

    python -m benchmarks.lexical [--write | --docs | --leave-out]

Sources: RAGTruth's answers with people's spans (``../shared/data/ragtruth``, by kind of task), the label sets
of ``../shared/data/labels`` on Entails, and the labels of the sample runs. ``--write`` fits weights, thresholds and shares of right flags on all
of them and writes ``argue_bench/data/judges/lexical-fit.json`` and the tables of docs/judges.md; ``--docs``
writes the tables alone. Without either the table is printed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import isotonic_regression, minimize

from argue_bench import from_rows
from argue_bench.judges.lexical import support
from argue_bench.judges.lexical.reading import read_text
from argue_bench.judges.lexical.rules import RULES
from argue_bench.judges.recorded import read_labels
from argue_bench.metrics.citations.support import contexts_of, statements
from argue_bench.records import SURE, Entails, SupportLevel
from argue_bench.text.statements import claim_sentences
from argue_bench.text.tasks import task_of
from benchmarks._options import options

SHARED = Path(os.environ.get("ARGUE_BENCH_SHARED", "../shared")) / "data"
SAMPLE = Path("argue_bench/data/core/sample-runs/labels.jsonl")
DOCS = Path("docs/judges.md")
OUT = Path("argue_bench/data/judges/lexical-fit.json")
RIDGE = 3.0
FOLDS = 5
RESAMPLES = 1000
ALWAYS = ("contradicted", "value")
"""Classes that are flags whatever the score: a reader can check them at once."""
LEAST = 15
"""Bad sentences that a class must have for shares of its own."""
_WORD = re.compile(r"\w+")
Request = Entails | SupportLevel


@dataclass
class Examples:
    """What people labelled: judge requests, whether each sentence is bad, its document and its answer."""

    task: str
    requests: Sequence[Request]
    bad: Any
    documents: list[str]
    answers: list[int]

    @cached_property
    def compared(self) -> list[support.Compared | None]:
        """None where the judge does not compare: questions, denials, what states nothing."""
        return [_compared(one) for one in self.requests]

    @cached_property
    def features(self) -> Any:
        return np.array(
            [[one.features[n] if one else 0.0 for n in names()] for one in self.compared], float
        )

    @cached_property
    def read(self) -> Any:
        return np.array([one is not None for one in self.compared])

    @cached_property
    def flags(self) -> list[str]:
        return [one.flag if one else "" for one in self.compared]

    @cached_property
    def fold(self) -> Any:
        return np.array([_fold(one) for one in self.documents])


def names() -> list[str]:
    """The features, in the order in which the judge makes them."""
    return list(support.weigh_words("A word.", "", read_text("A.")).features)


def _fold(document: str) -> int:
    return hashlib.sha256(document.encode("utf-8", "replace")).digest()[0] % FOLDS


def _compared(request: Request) -> support.Compared | None:
    _, said, found = support.compared(request)
    return None if said.asks or said.denies else found


def sources() -> dict[str, Examples]:
    """Every source that is here, by name."""
    found = {}
    for kind in ("qa", "summary", "data2txt"):
        path = SHARED / "ragtruth" / f"people-{kind}.jsonl"
        if path.exists():
            found[f"ragtruth-{kind}"] = ragtruth(path)
    paths = sorted((SHARED / "labels").glob("*/labels.jsonl"))
    for path in [*paths, SAMPLE]:
        labels = read_labels(path)
        asked = [one.request for one in labels if isinstance(one.request, Entails)]
        if asked:
            name = path.parent.name if path != SAMPLE else "sample"
            found[name] = Examples(
                "reports",
                asked,
                np.array(
                    [
                        one.verdict.value != "yes"
                        for one in labels
                        if isinstance(one.request, Entails)
                    ]
                ),
                [one.premise_text for one in asked],
                list(range(len(asked))),
            )
    return found


def ragtruth(path: Path) -> Examples:
    """The sentences of answers with people's spans; bad where a span touches the sentence."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    requests, bad, documents, answers = [], [], [], []
    for number, request, start, end in sentences(rows):
        row = rows[number]
        requests.append(request)
        bad.append(any(a < end and b > start for a, b, _ in row["bad"]))
        documents.append(row["id"].rpartition("-")[0])
        answers.append(number)
    return Examples(
        task_of(rows[0]["question"], rows[0]["contexts"]),
        requests,
        np.array(bad),
        documents,
        answers,
    )


def sentences(rows: Sequence[Mapping[str, Any]]) -> Iterable[tuple[int, SupportLevel, int, int]]:
    """The stated sentences of rows as faithfulness asks for them, with where they stand in the answer."""
    keys = ("question", "contexts", "answer")
    data, given = from_rows(
        [{k: row[k] for k in keys} | {"id": str(n)} for n, row in enumerate(rows)]
    )
    by_id = {answer.id: answer for answer in given}
    for number, question in enumerate(data):
        if (answer := by_id.get(question.id)) is None:
            continue
        contexts = contexts_of(question, answer, data.documents)
        words = [(m[0].lower(), *m.span()) for m in _WORD.finditer(rows[number]["answer"])]
        at = 0
        for one in statements(question, answer, claim_sentences(answer.sentences, question.text)):
            said = _WORD.findall(answer.sentences[one.number - 1].text.lower())
            place = next(
                (
                    p
                    for p in range(at, len(words))
                    if [w for w, _, _ in words[p : p + 3]] == said[:3]
                ),
                at,
            )
            at = min(place + len(said), len(words))
            if place < len(words):
                yield (
                    number,
                    one.asked(SupportLevel, contexts.read_for(one.text)),
                    words[place][1],
                    words[at - 1][2],
                )


def _weights(bad: Any) -> Any:
    """Both classes of a source count alike, and every source the same."""
    return np.where(bad, 0.5 / max(1, bad.sum()), 0.5 / max(1, (~bad).sum())) * 1000


def fit(some: Mapping[str, Examples], keep: Any = None, free: bool = False) -> Any:
    """Logistic regression with an intercept for each source; what is missing never speaks for a sentence."""
    blocks, truth, weight = [], [], []
    for number, one in enumerate(some.values()):
        X = one.features[one.read]
        own = np.zeros((len(X), len(some)))
        own[:, number] = 1
        blocks.append(np.c_[X, own])
        truth.append(one.bad[one.read])
        weight.append(_weights(one.bad)[one.read])
    X, y, w = np.concatenate(blocks), np.concatenate(truth).astype(float), np.concatenate(weight)
    n = len(names())
    kept = np.ones(n, bool) if keep is None else keep

    def loss(b: Any) -> tuple[float, Any]:
        z = X @ b
        p = 1 / (1 + np.exp(-z))
        ridge = np.r_[b[:n], np.zeros(len(b) - n)]
        return (w * (np.logaddexp(0, z) - y * z)).sum() + RIDGE * (ridge**2).sum() / 2, X.T @ (
            w * (p - y)
        ) + RIDGE * ridge

    bounds = [(0, None if k else 0) for k in kept]
    b = minimize(
        loss,
        np.zeros(X.shape[1]),
        jac=True,
        method="L-BFGS-B",
        bounds=[*bounds, *[(None, None)] * len(some)],
    ).x
    return b[:n]


def score(one: Examples, weights: Any) -> Any:
    """The score of each sentence; far below all others where the judge does not compare it."""
    return np.where(one.read, one.features @ weights, -99.0)


def threshold(bad: Any, scores: Any) -> float:
    """The score that best tells bad from good sentences, as balanced accuracy counts."""
    order = np.argsort(-scores, kind="stable")
    gain = np.cumsum(np.where(bad[order], 1 / max(1, bad.sum()), -1 / max(1, (~bad).sum())))
    # Of nearly equal ones the highest: it flags least.
    return float(scores[order][int(np.argmax(gain >= gain.max() - 0.01))])


def balanced(flag: Any, bad: Any) -> float:
    return float((flag[bad].mean() + (~flag[~bad]).mean()) / 2)


def precision_at(scores: Any, bad: Any, recall: float) -> float:
    """The best precision of the first flags, by falling score, that hold this share of what is bad."""
    order = np.argsort(-scores, kind="stable")
    right, n = np.cumsum(bad[order]), np.arange(1, len(bad) + 1)
    whole = np.r_[np.diff(scores[order]) != 0, True] & (right >= recall * bad.sum())
    return float((right[whole] / n[whole]).max()) if whole.any() else float("nan")


def shares(bad: Any, scores: Any) -> list[list[float]]:
    """How often a flag of a score is right: isotonic regression, as points between which one interpolates.

    One right and four wrong ones beside each end keep a few lucky sentences from certainty.
    """
    order = np.argsort(scores, kind="stable")
    y, z = bad[order].astype(float), scores[order]
    y, z = np.r_[0.0, y, [1.0, 0.0, 0.0]], np.r_[z[0], z, [z[-1]] * 3]
    blocks = isotonic_regression(y).blocks
    points: list[list[float]] = []
    for start, end in pairwise(blocks):
        points.append([round(float(z[start:end].mean()), 3), round(float(y[start:end].mean()), 4)])
    return points


def out_of_fold(some: Mapping[str, Examples], keep: Any = None) -> dict[str, Any]:
    """The scores of each source by weights that were fitted without the documents of its fold."""
    found = {name: np.zeros(len(one.bad)) for name, one in some.items()}
    for fold in range(FOLDS):
        rest = {name: _part(one, one.fold != fold) for name, one in some.items()}
        weights = fit(rest, keep)
        for name, one in some.items():
            found[name][one.fold == fold] = score(one, weights)[one.fold == fold]
    return found


def _part(one: Examples, kept: Any) -> Examples:
    """The examples of some documents; their features are not made again."""
    places = np.flatnonzero(kept)
    part = Examples(
        one.task,
        [one.requests[int(n)] for n in places],
        one.bad[places],
        [one.documents[n] for n in places],
        [one.answers[n] for n in places],
    )
    part.__dict__.update(
        features=one.features[places],
        read=one.read[places],
        flags=[one.flags[n] for n in places],
        fold=one.fold[places],
    )
    return part


def by_task(some: Mapping[str, Examples]) -> dict[str, dict[str, Examples]]:
    """Of the sources, those of each task that people's labels of real answers come from."""
    found: dict[str, dict[str, Examples]] = defaultdict(dict)
    for name, one in some.items():
        if name != "sample":
            found[one.task][name] = one
    return found


def calibrated(some: Mapping[str, Examples]) -> dict[str, Any]:
    """What the judge rests on: weights, thresholds by task, and shares of right flags by task and class."""
    weights, held = fit(some), out_of_fold(some)
    thresholds, tables, sure = {}, {}, {}
    labelled = by_task(some)
    for task, ones in sorted(labelled.items()):
        thresholds[task] = float(
            np.mean([threshold(one.bad, held[name]) for name, one in ones.items()])
        )
        bad = np.concatenate([one.bad for one in ones.values()])
        scores = np.concatenate([held[name] for name in ones])
        flags = np.array([flag for one in ones.values() for flag in one.flags])
        flagged = scores >= thresholds[task]
        tables[task] = {"all": shares(bad[flagged], scores[flagged])}
        sure[task] = [*ALWAYS]
        for flag in ("name", "nothing", "partly", *ALWAYS):
            mine = flags == flag
            if flag in SURE and mine.sum() >= LEAST and (flag in ALWAYS or bad[mine].mean() >= 0.5):
                # Such a flag is one whatever the rest of its sentence, and as likely right as its class.
                sure[task] = sorted({*sure[task], flag})
                tables[task][flag] = [[0.0, round(float(bad[mine].mean()), 4)]]
            elif min(bad[mine & flagged].sum(), (~bad[mine & flagged]).sum()) >= LEAST:
                tables[task][flag] = shares(bad[mine & flagged], scores[mine & flagged])
    every = [one for task, ones in labelled.items() if task != "reports" for one in ones.values()]
    for table, flag in (
        (one, flag) for one in tables.values() for flag in ALWAYS if flag not in one
    ):
        # Too few of one task: as likely right as in all.
        found = [
            bad for one in every for bad, its in zip(one.bad, one.flags, strict=True) if its == flag
        ]
        table[flag] = [[0.0, round((sum(found) + 1) / (len(found) + 2), 4)]]
    return {
        "weights": {n: round(float(w), 4) for n, w in zip(names(), weights, strict=True) if w},
        "thresholds": {task: round(one, 4) for task, one in thresholds.items()},
        "sure": sure,
        "right": tables,
    }


def probability(table: Mapping[str, Any], one: Examples, scores: Any) -> Any:
    """How likely each flag is right by a table; 0 where the sentence is not flagged."""
    least, sure, right = (table[name][one.task] for name in ("thresholds", "sure", "right"))
    return np.array(
        [
            support.share_right(right, flag, value) if value >= least or flag in sure else 0.0
            for flag, value in zip(one.flags, scores, strict=True)
        ]
    )


def held_out(some: Mapping[str, Examples]) -> dict[str, Any]:
    """How likely each flag is right by weights, thresholds and tables of the other documents."""
    found = {name: np.zeros(len(one.bad)) for name, one in some.items()}
    for fold in range(FOLDS):
        table = calibrated({name: _part(one, one.fold != fold) for name, one in some.items()})
        weights = np.array([table["weights"].get(n, 0.0) for n in names()])
        for name, one in some.items():
            part = _part(one, one.fold == fold)
            found[name][one.fold == fold] = probability(table, part, score(part, weights))
    return found


def measured(some: Mapping[str, Examples], chances: Mapping[str, Any]) -> dict[str, Any]:
    """Counts of each source, by class of the flag: sentences, bad ones, flags, right flags, and those listed."""
    rows: dict[str, Any] = {}
    for name, one in some.items():
        chance, flags = chances[name], np.array(one.flags)
        flagged, listed = chance > 0, chance >= 0.5
        sure = np.array([f in SURE and p >= 0.5 for f, p in zip(flags, chance, strict=True)])
        rows[name] = {
            "task": one.task,
            "documents": len(set(one.documents)),
            "sentences": len(one.bad),
            "bad": int(one.bad.sum()),
            **{
                word: [int(some_.sum()), int((some_ & one.bad).sum())]
                for word, some_ in (("flags", flagged), ("listed", listed), ("sure", sure))
            },
            "precision_at_half": round(precision_at(chance, one.bad, 0.5), 4),
            "precision_at_half_ends": [round(end, 4) for end in half_interval(one, chance)],
            "balanced_accuracy": round(balanced(flagged, one.bad), 4),
            "set_left_out": round(unseen(some, name), 4),
        }
    return rows


def half_interval(one: Examples, chance: Any) -> tuple[float, float]:
    return interval(one, lambda at: precision_at(chance[at], one.bad[at], 0.5))


def unseen(some: Mapping[str, Examples], name: str) -> float:
    """Balanced accuracy on a source by weights and a threshold of the others."""
    rest = {other: it for other, it in some.items() if other != name}
    weights = fit(rest)
    level = float(np.mean([threshold(it.bad, score(it, weights)) for it in rest.values()]))
    return balanced(score(some[name], weights) >= level, some[name].bad)


def tables(measured: Mapping[str, Any], card: Mapping[str, Any]) -> dict[str, str]:
    """The tables of docs/judges.md, by their marks: of the file that `write` makes, and of the judge's card."""
    head = (
        "| set | sentences | bad | flags | right | sure: right | of the bad | first half of the bad: right "
        "| 95 % interval | balanced accuracy | set left out |"
    )
    rows = []
    for name, one in measured.items():
        (flags, right), (sure, sure_right) = one["flags"], one["sure"]
        low, high = one["precision_at_half_ends"]
        rows.append(
            f"| {name} | {one['sentences']:,} | {one['bad']:,} | {flags:,} | {right / flags:.2f} "
            f"| {sure_right / sure:.2f} | {sure_right / one['bad']:.2f} | {one['precision_at_half']:.2f} "
            f"| {low:.2f} to {high:.2f} | {one['balanced_accuracy']:.3f} | {one['set_left_out']:.3f} |"
        )
    agreed = [
        "| {set} | {kind} | {n:,} | {ours[value]:.3f} | {ours[low]:.3f} to {ours[high]:.3f} | {words} |".format(
            **one,
            ours=one["measures"]["balanced_accuracy"],
            words=f"{words['balanced_accuracy']['value']:.3f}"
            if (words := one["floors"].get("token recall"))
            else "–",
        )
        for one in card["sets"]
    ]
    return {
        "python -m benchmarks.lexical --write": "\n".join([head, "|---" * 11 + "|", *rows]),
        "argue-bench judge card lexical": "\n".join(
            [
                "| set | kind | labels | balanced accuracy | 95 % interval | shared words |",
                "|---" * 6 + "|",
                *agreed,
            ]
        ),
    }


def write_docs() -> None:
    """Writes the tables of docs/judges.md anew from the committed files."""
    text = DOCS.read_text("utf-8")
    card = json.loads((OUT.parent / "lexical.json").read_text("utf-8"))
    for mark, table in tables(json.loads(OUT.read_text("utf-8"))["measured"], card).items():
        head, _, rest = text.partition(f"<!-- {mark} -->\n")
        text = f"{head}<!-- {mark} -->\n{table}\n{rest[rest.index('<!-- end -->') :]}"
    DOCS.write_text(text, "utf-8")


def write(some: Mapping[str, Examples]) -> None:
    """Fits on all sources and writes the judge's data file, with the figures of documents left out."""
    table = {
        "rules": RULES,
        "about": "fitted by `python -m benchmarks.lexical --write`; counts are [flags, right ones]",
        "provenance": {
            "ragtruth": "RAGTruth (Niu et al. 2024, MIT), people's spans, half of the test documents",
            "factcheckgpt": "Factcheck-GPT (Wang et al. 2023, Apache-2.0)",
            "wice-dev": "WiCE (Kamoi et al. 2023, ODC-BY)",
            "sample": "the labels of the sample runs of this package",
        },
        **calibrated(some),
        "measured": measured(some, held_out(some)),
    }
    OUT.write_text(json.dumps(table, indent=1) + "\n", "utf-8")
    write_docs()


def interval(one: Examples, count: Any, seed: int = 1) -> tuple[float, float]:
    """The middle 95 % of a figure over resampled documents; ``count`` is called with places of sentences."""
    places = defaultdict(list)
    for place, document in enumerate(one.documents):
        places[document].append(place)
    groups, draw = [np.array(some) for some in places.values()], np.random.default_rng(seed)
    found = [
        count(np.concatenate([groups[n] for n in draw.integers(len(groups), size=len(groups))]))
        for _ in range(RESAMPLES)
    ]
    low, high = np.nanquantile(found, [0.025, 0.975])
    return float(low), float(high)


def show(some: Mapping[str, Examples]) -> None:
    """The first table, in Markdown."""
    print(next(iter(tables(measured(some, held_out(some)), {"sets": ()}).values())))


def leave_out(some: Mapping[str, Examples]) -> None:
    """What each feature earns on sources that are left out of the fit, then on documents that are.

    Fields of records stand in one source, so that no other tells their weight: see them by documents.
    """
    for left in ("source", "document"):
        _show_costs(some, left)


def _show_costs(some: Mapping[str, Examples], left: str) -> None:
    """The table of what balanced accuracy and P@R50 lose without each feature."""

    def figures(keep: Any) -> dict[str, tuple[Any, float]]:
        if left == "document":
            held = out_of_fold(some, keep)
            return {n: (held[n], threshold(one.bad, held[n])) for n, one in some.items()}
        found = {}
        for name in some:
            rest = {other: it for other, it in some.items() if other != name}
            weights = fit(rest, keep)
            level = np.mean([threshold(it.bad, score(it, weights)) for it in rest.values()])
            found[name] = (score(some[name], weights), float(level))
        return found

    whole = figures(None)
    print(
        f"\n| {left}s left out; without | BA costs | 95 % | P@R50 costs | 95 % | sources that lose |\n|---|---|---|---|---|---|"
    )
    for number, name in enumerate(names()):
        without = figures(np.arange(len(names())) != number)
        draws: dict[str, list[Any]] = {"BA": [], "P": []}
        losing = 0
        for source, one in some.items():
            (z, t), (u, v) = whole[source], without[source]

            def cost(
                at: Any, one: Any = one, z: Any = z, t: float = t, u: Any = u, v: float = v
            ) -> Any:
                bad = one.bad[at]
                return np.array(
                    [
                        balanced(z[at] >= t, bad) - balanced(u[at] >= v, bad),
                        precision_at(z[at], bad, 0.5) - precision_at(u[at], bad, 0.5),
                    ]
                )

            own = _resampled(one, cost)
            losing += bool((np.nanmean(own, axis=0) > 0.001).any())
            draws["BA"].append(own[:, 0])
            draws["P"].append(own[:, 1])
        cells = []
        for kind in draws.values():
            mean = np.nanmean(np.array(kind), axis=0)
            low, high = np.nanquantile(mean, [0.025, 0.975])
            cells += [f"{mean.mean():+.3f}", f"{low:+.3f} to {high:+.3f}"]
        print(f"| {name} | {' | '.join(cells)} | {losing} of {len(some)} |")


def _resampled(one: Examples, cost: Any) -> Any:
    places = defaultdict(list)
    for place, document in enumerate(one.documents):
        places[document].append(place)
    groups, draw = [np.array(some) for some in places.values()], np.random.default_rng(2)
    return np.array(
        [
            cost(np.concatenate([groups[n] for n in draw.integers(len(groups), size=len(groups))]))
            for _ in range(RESAMPLES // 10)
        ]
    )


def main() -> int:
    """Prints what was asked for, or fits."""
    parser = options(__doc__)
    for name in ("write", "docs", "leave-out"):
        parser.add_argument(f"--{name}", action="store_true")
    asked = parser.parse_args()
    if asked.docs:
        write_docs()
    elif not (some := sources()):
        print("no labels are here: ARGUE_BENCH_SHARED names their folder")
        return 1
    else:
        (write if asked.write else leave_out if asked.leave_out else show)(some)
    return 0


if __name__ == "__main__":
    sys.exit(main())
