"""How often the flags of the default judge are right: people's marks on answers of language models, by kind of task.

    python -m benchmarks.flags [--write] [--coverage]

Scores the answers of RAGTruth (Niu et al. 2024; ``../shared/data/ragtruth``, half of its test documents) as own
rows, and holds every sentence without full support against the spans that people marked in the answer. A
sentence is bad if a marked span touches it. 95 % intervals resample documents: the answers to one document are
alike. ``--write`` replaces ``argue_bench/data/judges/lexical-flags.json``, from which reports and cards take these
figures, and the table of docs/judges.md.
``--coverage`` asks how often the interval of a corrected score holds the truth: labels and runs are drawn from
the answers of one kind of task (like the data), or the labels from another kind than the runs (not like it).
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import argue_bench
from argue_bench.eval.flags import FLAGS_FILE, TIERS, labelled_flags, tier_of
from argue_bench.judges.lexical import Lexical
from argue_bench.lab.commands.check import flag_table
from argue_bench.stats.classification import ErrorRates, corrected_share
from argue_bench.text.statements import claim_sentences
from benchmarks._options import options

DOCS, MARK, END = (
    Path("docs/judges.md"),
    "<!-- python -m benchmarks.flags --write -->",
    "<!-- end -->",
)
DATA = Path("../shared/data/ragtruth")
TASKS = {"questions": "qa", "summaries": "summary", "data to text": "data2txt"}
RESAMPLES, STUDIES, SEED = 2000, 2000, 7


class Marked(NamedTuple):
    """A judged sentence: its document and answer, the tier of its flag, and whether people marked it."""

    document: str
    answer: str
    tier: str
    flagged: bool
    bad: bool


def marked_sentences(path: Path) -> list[Marked]:
    """Every sentence of a file of answers that the judge was asked about."""
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    fields = ("id", "question", "contexts", "answer")
    dataset, answers = argue_bench.from_rows([{key: row[key] for key in fields} for row in rows])
    report = argue_bench.evaluate(dataset, answers, ["faithfulness"])
    flags = {(one.question, one.number): one for one in report.failed_sentences("faithfulness")}
    by_id = {one.id: one for one in answers}
    found = []
    for row in rows:
        answer = by_id[row["id"]]
        tallies = report.per_question[row["id"]]["faithfulness"]
        if not tallies or not tallies["sentences"].denominator:
            continue  # it declines, or nothing in it states anything
        places = {n: (one.start, one.end) for n, one in enumerate(answer.sentences, 1)}
        for one in claim_sentences(answer.sentences, dataset.by_id[row["id"]].text):
            start, end = places[one.number]
            bad = any(first < end and last > start for first, last, _ in row["bad"])
            flag = flags.get((row["id"], one.number))
            tier = tier_of(flag) if flag else ""
            found.append(
                Marked(row["id"].rpartition("-")[0], row["id"], tier, flag is not None, bad)
            )
    return found


def counted(sentences: Sequence[Marked]) -> dict[str, Any]:
    """The figures of one task, with intervals over documents."""
    documents = sorted({one.document for one in sentences})
    place = {name: n for n, name in enumerate(documents)}
    names = ["all", *TIERS]
    # By document: sentences, bad ones, then flags and right flags of all and of each tier.
    counts = np.zeros((len(documents), 2 + 2 * len(names)))
    for one in sentences:
        row = counts[place[one.document]]
        row[0] += 1
        row[1] += one.bad
        for n, name in enumerate(names):
            if one.flagged and name in ("all", one.tier):
                row[2 + 2 * n] += 1
                row[3 + 2 * n] += one.bad
    drawn = np.random.default_rng(SEED).multinomial(
        len(documents), np.full(len(documents), 1 / len(documents)), RESAMPLES
    )
    samples = np.concatenate([counts.sum(0)[None], drawn @ counts])

    def rate(above: Any, below: Any) -> list[float]:
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = above / below
        ends = np.nanpercentile(shares[1:], [2.5, 97.5])
        return [round(float(one), 4) for one in (shares[0], *ends)]

    def figures(n: int) -> dict[str, Any]:
        flags, right = samples[:, 2 + 2 * n], samples[:, 3 + 2 * n]
        return {
            "n": int(flags[0]),
            "right": int(right[0]),
            "precision": rate(right, flags),
            "recall": rate(right, samples[:, 1]),
        }

    good, false = samples[:, 0] - samples[:, 1], samples[:, 2] - samples[:, 3]
    answers, place_of = by_answer(sentences)
    weighted = np.zeros((len(documents), 4))
    np.add.at(weighted, place_of, answers / answers[:, :1])
    shares = np.concatenate([weighted.sum(0)[None], drawn @ weighted])
    fine, spared = (
        shares[:, 0] - shares[:, 1],
        shares[:, 0] - shares[:, 1] - shares[:, 2] + shares[:, 3],
    )
    return {
        "documents": len(documents),
        "sentences": int(samples[0, 0]),
        "bad": int(samples[0, 1]),
        "flags": {**figures(0), "specificity": rate(good - false, good)},
        # The same with each answer weighing alike, for scores that are means over answers.
        "by_answer": {
            "recall": rate(shares[:, 3], shares[:, 1]),
            "specificity": rate(spared, fine),
        },
        "tiers": {name: figures(n) for n, name in enumerate(names) if n and samples[0, 2 + 2 * n]},
    }


def by_answer(sentences: Sequence[Marked]) -> tuple[np.ndarray, np.ndarray]:
    """Counts of each answer (sentences, bad, flagged, both), and the number of its document."""
    answers = {one.answer: n for n, one in enumerate({s.answer: s for s in sentences}.values())}
    documents = {name: n for n, name in enumerate(sorted({one.document for one in sentences}))}
    counts, place = np.zeros((len(answers), 4)), np.zeros(len(answers), int)
    for one in sentences:
        at = answers[one.answer]
        counts[at] += (1, one.bad, one.flagged, one.bad and one.flagged)
        place[at] = documents[one.document]
    return counts, place


def rates_of(totals: np.ndarray) -> ErrorRates | None:
    """The error rates from counts by document, with as many labels as their spread over documents allows."""
    n, bad, flagged, both = totals.T
    good, spared = n - bad, n - bad - flagged + both
    if not bad.sum() or not good.sum():
        return None
    found: list[tuple[float, int]] = []
    for above, below in ((both, bad), (spared, good)):
        value = float(above.sum() / below.sum())
        error = np.sqrt(((above - value * below) ** 2).sum()) / below.sum()
        count = max(1, round(value * (1 - value) / error**2)) if error else int(below.sum())
        found.append((value, count))
    rates = ErrorRates(*found[0], *found[1])
    return rates if rates.gain > 0 else None


def coverage(
    labelled: tuple[np.ndarray, np.ndarray], run: np.ndarray, answers: int
) -> tuple[float, float]:
    """The share of intervals that hold the truth of the run's answers, and their mean width."""
    rng = np.random.default_rng(SEED)
    counts, place = labelled
    documents = np.zeros((place.max() + 1, 4))
    # The score is a mean over answers, so a sentence of a long answer weighs less.
    np.add.at(documents, place, counts / counts[:, :1])
    truth = float((run[:, 1] / run[:, 0]).mean())
    held, widths = [], []
    for _ in range(STUDIES):
        rates = rates_of(documents[rng.integers(0, len(documents), len(documents))])
        if rates is None:
            continue
        drawn = run[rng.integers(0, len(run), answers)]
        shares = drawn[:, 2] / drawn[:, 0]
        share, error = float(shares.mean()), float(shares.std(ddof=1)) / answers**0.5
        size = share * (1 - share) / error**2 if error else float(answers)
        _, low, high = corrected_share(share, size, rates)
        held.append(low <= truth <= high)
        widths.append(high - low)
    return float(np.mean(held)), float(np.mean(widths))


def _show_coverage(by_task: Mapping[str, Sequence[Marked]]) -> None:
    counted_answers = {task: by_answer(found) for task, found in by_task.items()}
    for labels, labelled in counted_answers.items():
        for task, (run, _) in counted_answers.items():
            shown = (coverage(labelled, run, n) for n in (30, 100, 300))
            told = ", ".join(f"{held:.1%} (width {100 * width:.0f})" for held, width in shown)
            print(f"labels of {labels}, answers of {task}, 30, 100 and 300 of them: {told}")


def main() -> int:
    """Prints a line for each task; 0."""
    parser = options(__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--coverage", action="store_true")
    given = parser.parse_args()
    if not DATA.is_dir():
        print(f"not run: {DATA} is not here")
        return 0
    sets = []
    by_task = {
        task: marked_sentences(DATA / f"people-{file}.jsonl") for task, file in TASKS.items()
    }
    for task, marked in by_task.items():
        found = counted(marked)
        sets.append({"set": "RAGTruth", "task": task, **found})
        told = {"all": found["flags"], **found["tiers"]}
        for name, one in told.items():
            p, r = one["precision"], one["recall"]
            print(
                f"{task:<13} {name:<5} {one['right']:>5} of {one['n']:>5} right: {p[0]:.3f} [{p[1]:.3f}, {p[2]:.3f}] at recall {r[0]:.3f}"
            )
    if given.coverage:
        _show_coverage(by_task)
    if given.write:
        whole = {"judge": "lexical", "rules": Lexical().identity()["rules"], "sets": sets}
        FLAGS_FILE.write_text(f"{json.dumps(whole, indent=1)}\n", encoding="utf-8")
        labelled_flags.cache_clear()
        text = DOCS.read_text(encoding="utf-8")
        head, _, rest = text.partition(f"{MARK}\n")
        DOCS.write_text(
            f"{head}{MARK}\n{flag_table().render('md')}\n{rest[rest.index(END) :]}",
            encoding="utf-8",
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
