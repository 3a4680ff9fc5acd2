"""What a cascade behind the lexical judge finds, and how many requests it asks: people's labels as the second judge.

    python -m benchmarks.cascade

Sentences of RAGTruth's answers (``../shared/data/ragtruth``, people's spans), as `faithfulness` asks for them. A
sentence is found if it is bad and the cascade's verdict on it is: by the lexical judge above the upper bound, by
people between the bounds. Exits 1 where the default bounds find fewer than 85 % of the bad sentences of answers
to questions, or ask more than 45 % of the requests. Held out: the bound that one half of the documents chose, on
the other half; the weights of the lexical judge were fitted on some of both.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

import numpy as np

from argue_bench import from_rows
from argue_bench.judges.base import judge_in_batches
from argue_bench.judges.combined import HIGH, LOW, Cascade
from argue_bench.judges.functions import FunctionJudge
from argue_bench.judges.lexical import Lexical
from argue_bench.metrics.citations.support import contexts_of, statements
from argue_bench.records import JudgeRequest, SupportLevel, Verdict
from argue_bench.text.statements import claim_sentences
from benchmarks._options import options

SHARED = Path(os.environ.get("ARGUE_BENCH_SHARED", "../shared")) / "data" / "ragtruth"
LEAST_FOUND, MOST_ASKED = 0.85, 0.45
KINDS = ("qa", "summary", "data2txt")
BOUNDS = (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, LOW, 0.5)


def sentences(path: Path) -> tuple[list[JudgeRequest], np.ndarray, list[str]]:
    """The requests of a file's sentences, which are bad by people's spans, and their documents."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    fields = ("id", "question", "contexts", "answer")
    dataset, answers = from_rows([{name: row[name] for name in fields} for row in rows])
    by_id = {one.id: one for one in answers}
    requests: list[JudgeRequest] = []
    bad: list[bool] = []
    documents: list[str] = []
    for row in rows:
        question, answer = dataset.by_id[row["id"]], by_id[row["id"]]
        contexts = contexts_of(question, answer, dataset.documents)
        for one in statements(question, answer, claim_sentences(answer.sentences, question.text)):
            place = answer.sentences[one.number - 1]
            requests.append(one.asked(SupportLevel, contexts.read_for(one.text)))
            bad.append(any(a < place.end and b > place.start for a, b, _ in row["bad"]))
            documents.append(row["id"].rpartition("-")[0])
    return requests, np.array(bad), documents


def measure(low: float, requests: list[JudgeRequest], bad: np.ndarray) -> tuple[float, float]:
    """The shares of requests that people are asked, and of bad sentences that are found."""
    people = {one: "no" if wrong else "full" for one, wrong in zip(requests, bad, strict=True)}
    judge = Cascade(Lexical(), FunctionJudge(lambda request: people[request]), (low, HIGH))

    async def run() -> dict[JudgeRequest, object]:
        return {
            request: said.value
            async for request, said in judge_in_batches(judge, requests)
            if isinstance(said, Verdict)
        }

    found = asyncio.run(run())
    flagged = np.array([found.get(one) != "full" for one in requests])
    return 1 - judge.counts.saved / len(people), float((flagged & bad).sum() / bad.sum())


def half_of(documents: list[str]) -> np.ndarray:
    """Which sentences are of one half of the documents."""
    return np.array([sum(map(ord, one)) % 2 == 0 for one in documents])


def held_out(requests: list[JudgeRequest], bad: np.ndarray, documents: list[str]) -> None:
    """Prints what a lower bound does on one half of the documents that the other half chose."""
    half = half_of(documents)
    for part in (half, ~half):
        chosen, mine = (
            ([requests[n] for n in np.flatnonzero(of)], bad[of]) for of in (~part, part)
        )
        enough = [low for low in BOUNDS if measure(low, *chosen)[1] >= LEAST_FOUND]
        low = max(enough, default=min(BOUNDS))
        asked, found = measure(low, *mine)
        print(f"  held out, from {low:.2f}: {asked:6.1%} asked, {found:6.1%} found")


def main() -> int:
    """Prints the curve of each kind of task; 1 where a limit is missed on questions."""
    options(__doc__).parse_args()
    missed = False
    for kind in KINDS:
        path = SHARED / f"people-{kind}.jsonl"
        if not path.exists():
            print(f"{path} is not here: nothing was measured")
            continue
        requests, bad, documents = sentences(path)
        print(f"{kind}: {len(bad):,} sentences, {bad.sum():,} bad")
        for low in sorted(set(BOUNDS)):
            asked, found = measure(low, requests, bad)
            print(f"  from {low:.2f}: {asked:6.1%} asked, {found:6.1%} found")
            if kind == "qa" and low == LOW:
                missed = found < LEAST_FOUND or asked > MOST_ASKED
        held_out(requests, bad, documents)
    return int(missed)


if __name__ == "__main__":
    sys.exit(main())
