"""Citations by ALCE's rules against its loop as described: requests saved, and CPU time.

948 answers shaped like ASQA's (four sentences, one to three citations each, some repeated, some beside
the point) over five documents, with a judge that compares words and waits for nothing, then with one that
takes a millisecond a batch and a tenth of that for each request, as a model on a card does. ALCE's loop asks one by
one and forgets what it asked; ours asks what is new, in rounds. The figures must be equal.
"""

from __future__ import annotations

import asyncio
import random
import re
import sys
import time
from collections.abc import AsyncIterator, Callable, Sequence

from argue_bench.eval import evaluate
from argue_bench.judges.base import Counts, Judge, Reply
from argue_bench.loaders.dataset import Dataset
from argue_bench.published.alce import auto_ais as alce_citations
from argue_bench.published.alce import correctness as alce
from argue_bench.records import Answer, Document, Entails, Gold, JudgeRequest, Question, Verdict
from argue_bench.text import sentences
from benchmarks._options import options
from benchmarks._table import at_most, compared, show

ENTRIES = 948
PER_BATCH, PER_ASK = 0.001, 0.0001
Nli = Callable[[str, str], bool]
NAMES = [f"{a}{b}" for a in ("har", "tem", "lee", "sev") for b in ("low", "ford", "den", "wick")]


def main() -> int:
    """1 where a limit is missed."""
    options(__doc__).parse_args()
    lines = []
    data, answers = _made(random.Random(11))
    for label, wait in (
        ("a judge that costs nothing", 0.0),
        ("1 ms a batch, 0.1 ms a request", 1.0),
    ):
        asked: list[tuple[str, str]] = []

        def nli(premise: str, hypothesis: str, wait: float = wait) -> bool:
            asked.append((premise, hypothesis))  # noqa: B023
            time.sleep(wait * (PER_BATCH + PER_ASK))
            return _entails(premise, hypothesis)

        start = time.perf_counter()
        theirs = _literal(data, answers, nli)
        literal = time.perf_counter() - start
        judge = _Words(wait)
        start = time.perf_counter()
        report = evaluate(data, answers, ["citations(rules=alce)"], judge=judge)
        ours = time.perf_counter() - start
        scores = tuple(report.value(f"citations.{name}") or 0.0 for name in ("recall", "precision"))
        equal = all(abs(a - b) < 1e-12 for a, b in zip(theirs, scores, strict=True))
        what = f"citations(rules=alce), {label}"
        # Where asking is free, nothing is gained by asking less: the ratio is of our own work alone.
        least = 2.5 if wait else 0.5
        lines.append(compared(what, "its loop", literal, ours, least, equal=equal))
        calls, distinct = len(asked), len(set(asked))
    print(
        f"\nasked: {calls:,} one by one, {distinct:,} of them distinct; ours {judge.counts.requests:,}"
    )
    most = at_most(
        "requests of them, thousands", judge.counts.requests / 1e3, distinct / 1e3, "", digits=3
    )
    return show([*lines, most])


class _Words(Judge):
    """A judge that compares words, at the price of a model."""

    name, batch, kinds = "words", 512, frozenset[type[JudgeRequest]]([Entails])

    def __init__(self, wait: float) -> None:
        self.wait, self.counts = wait, Counts()

    def identity(self) -> dict[str, str]:
        return {}

    async def judge(self, requests: Sequence[JudgeRequest]) -> AsyncIterator[Reply]:
        self.counts.requests += len(requests)
        if self.wait:
            await asyncio.sleep(self.wait * (PER_BATCH + PER_ASK * len(requests)))
        for request in requests:
            assert isinstance(request, Entails)
            yield (
                request,
                Verdict("yes" if _entails(request.premise_text, request.hypothesis) else "no"),
            )


def _entails(premise: str, hypothesis: str) -> bool:
    return set(re.findall(r"\w+", hypothesis.lower())) <= set(re.findall(r"\w+", premise.lower()))


def _literal(data: Dataset, answers: Sequence[Answer], nli: Nli) -> tuple[float, float]:
    """The published loop, written out from its description (the cut to three citations with it)."""
    recalls, precisions = [], []
    for question, answer in zip(data, answers, strict=True):
        docs = [data.documents[id] for id in question.documents]
        parts = sentences(alce.output(answer.text))
        supported = correct = total = 0
        for part in parts:
            said = alce.without_citations(part).strip()
            refs = [int(number) - 1 for number in alce_citations.CITATION.findall(part)]
            if not refs or any(ref >= len(docs) for ref in refs):
                continue
            refs = refs[:3]
            total += len(refs)
            if not nli(_joined(docs, refs), said):
                continue
            supported += 1
            for ref in refs if len(refs) > 1 else ():
                rest = list(refs)
                rest.remove(ref)
                correct += nli(_joined(docs, [ref]), said) or not nli(_joined(docs, rest), said)
            correct += len(refs) == 1
        recalls.append(supported / len(parts))
        precisions.append(correct / total if total else 0.0)
    return sum(recalls) / len(recalls), sum(precisions) / len(precisions)


def _joined(docs: Sequence[Document], refs: Sequence[int]) -> str:
    return "\n".join(f"Title: {docs[ref].title}\n{docs[ref].text}" for ref in refs)


def _made(draw: random.Random) -> tuple[Dataset, list[Answer]]:
    questions, documents, answers = [], {}, []
    for n in range(ENTRIES):
        facts = [[draw.choice(NAMES) for _ in range(3)] for _ in range(5)]
        ids = tuple(f"{n}/{place}" for place in range(1, 6))
        for id, fact in zip(ids, facts, strict=True):
            filler = f"{' '.join(draw.choices(NAMES, k=2))} page {id}" + " stands" * 80
            documents[id] = Document(id, f"{' '.join(fact)} {filler}", fact[0].title())
        questions.append(Question(str(n), "What?", documents=ids, gold=Gold()))
        said = []
        for _ in range(4):
            cited = draw.choices(range(5), k=draw.choice((0, 1, 1, 2, 2, 3)))
            words = [word for place in (cited or [0])[:2] for word in facts[place]]
            marks = "".join(f"[{place + 1}]" for place in cited)
            said.append(f"{' '.join(words).capitalize()} {marks}.")
        answers.append(Answer(str(n), " ".join(said)))
    return Dataset("made", "dev", tuple(questions), documents), answers


if __name__ == "__main__":
    sys.exit(main())
