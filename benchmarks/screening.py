"""What the screening says of games, and what they earn: refused, held, flagged or unseen.

    python -m benchmarks.screening [--questions N]

Every game of `benchmarks.gaming`, words squeezed out of a baseline's sentences, and a copied row are sent to a
board on core's dev split, where the lexical judge ranks by argue.f1. Honest baselines stand beside them. Exits 1
where an honest baseline is held.
"""

from __future__ import annotations

import inspect
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence

from argue_bench import evaluate
from argue_bench.baselines import generate
from argue_bench.leaderboard.formats.season import Season, SetEntry
from argue_bench.leaderboard.screening.answers import HONEST, facts_of, screen_copies, screen_flags
from argue_bench.leaderboard.submitting.checking import mass_empty
from argue_bench.loaders import load
from argue_bench.loaders.answers import as_answers
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.limits import within_limits
from argue_bench.text.cutting import cut_at_limit
from argue_bench.text.vocabulary import STOP
from benchmarks._options import options
from benchmarks.gaming import games

SEASON = Season("s1", SetEntry("core", "dev"), sentences=100)
Texts = Mapping[str, str]


def main() -> int:
    parser = options(__doc__)
    parser.add_argument("--questions", type=int, default=80, help="the first N of core's dev split")
    dataset = load("core", "dev")[: parser.parse_args().questions]
    rows = dict(entries(dataset))
    leader = _lines(rows["nearest-sentences"])
    print("| answers | decided | argue.f1 |\n|---|---|---|")
    held = 0
    for name, texts in rows.items():
        others: Others = [] if name in HONEST else [("nearest-sentences", lambda: leader)]
        said = decide(texts, dataset, others)
        held += name in HONEST and said.startswith(("held", "refused"))
        print(f"| {name} | {said} | {earned(texts, dataset):.1f} |", flush=True)
    return bool(held)


def entries(dataset: Dataset) -> Iterator[tuple[str, Texts]]:
    """Names and answers: honest baselines, then games, each within the length that its question allows."""
    honest = {}
    for name in HONEST:
        honest[name] = {r["id"]: r["answer"] for r in generate(name, dataset, "evidenceprovided")}
        yield name, honest[name]
    best = honest["nearest-sentences"]
    yield "copied, a blank after each", {id: f"{text} " for id, text in best.items()}
    yield (
        "small words squeezed out",
        {
            id: " ".join(w for w in text.split() if w.lower().strip(".,") not in STOP)
            for id, text in best.items()
        },
    )
    for name, play in inspect.getmembers(games, inspect.isfunction):
        if play.__module__ == games.__name__ and not name.startswith("_"):
            yield (
                name,
                {
                    q.id: _fitting(
                        play(q, dataset.documents_of(q)), q.request.limit if q.request else None
                    )
                    for q in dataset
                },
            )


Others = Sequence[tuple[str, Callable[[], bytes]]]
"""Names of other rows, and what reads each."""


def decide(texts: Texts, dataset: Dataset, others: Others) -> str:
    """The decision in words, with what was seen."""
    given = as_answers([{"id": id, "answer": text} for id, text in texts.items()], dataset)
    cut = within_limits(given, dataset, SEASON.limits).cut
    kept = [answer for id, answer in given.items() if id not in cut]
    said = sum(any(map(str.isalnum, answer.text)) for answer in kept)
    if 2 * said < len(dataset):
        return f"refused: {mass_empty(len(dataset) - said, len(dataset), '').message}"
    found = [*screen_flags(facts_of(kept, dataset, len(cut)), len(dataset), "", False)]
    found += screen_copies(texts, others, "", False)
    seen = {
        code: [one.message.rpartition(": ")[2] for one in found if one.code == code]
        for code in ("held", "flagged")
    }
    return (
        "; ".join(f"{code}: {', '.join(names)}" for code, names in seen.items() if names)
        or "unseen"
    )


def earned(texts: Texts, dataset: Dataset) -> float:
    """argue.f1 in points, by the lexical judge."""
    rows = [{"id": id, "answer": text} for id, text in texts.items()]
    return 100 * (evaluate(dataset, rows, metrics=["argue"]).scores["argue.f1"].value or 0.0)


def _fitting(text: str, limit: int | None) -> str:
    return text if limit is None else cut_at_limit(text, limit)


def _lines(texts: Texts) -> bytes:
    return b"".join(json.dumps({"id": i, "answer": t}).encode() + b"\n" for i, t in texts.items())


if __name__ == "__main__":
    sys.exit(main())
