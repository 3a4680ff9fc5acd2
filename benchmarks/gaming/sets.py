"""The sets that games are played on: documents to cite, gold, and a limit of characters."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from argue_bench import load
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Document, Gold, Question, Request, SubQuestion
from argue_bench.records.question import leaves

SHARED = Path(__file__).parents[3] / "shared" / "data"
LIMIT = 1_500
"""Characters, where a set has no limit of its own."""
DISTRACTORS = 6
"""Documents of other questions that are listed with one of MTRAG."""
SETS: dict[str, tuple[str, ...]] = {
    "core": (
        "argue",
        "citations",
        "faithfulness",
        "support",
        "grounding",
        "rouge",
        "argue(rules=argue-2024)",
        "argue(rules=auto-argue)",
        "citations(rules=alce)",
        "citations(rules=rageval)",
        "grounding(rules=luciole-v1)",
        "grounding(rules=luciole-head)",
        "accuracy(rules=fanoutqa)",
        "str_em(rules=alce)",
        "rouge_lsum(rules=alce)",
        "claims(rules=alce)",
        "nuggets(rules=nuggetizer)",
    ),
    "fanoutqa": ("rouge", "accuracy(rules=fanoutqa)"),
    "mtrag": ("citations", "faithfulness", "support", "grounding", "rouge_lsum(rules=alce)"),
}


def core() -> Dataset:
    return load("core", "dev")


def fanoutqa() -> Dataset:
    """FanOutQA dev with pages made of its own decomposition, since Wikipedia's are not at hand.

    Each page holds what the steps that rest on it say; the pages of other questions are distractors.
    """
    dataset = load("fanoutqa", "dev", SHARED / "fanoutqa" / "dev.json")
    pages: dict[str, list[str]] = {}
    listed: dict[str, list[str]] = {}
    for question in dataset:
        assert question.gold is not None
        for step in _steps(question.gold.decomposition):
            if step.evidence is not None and step.answer is not None:
                said = f"{step.question.rstrip('?')}: {', '.join(leaves(step.answer))}."
                pages.setdefault(step.evidence.title, []).append(said)
                listed.setdefault(question.id, []).append(step.evidence.title)
    ids = {title: f"p{place}" for place, title in enumerate(pages)}
    documents = {
        ids[title]: Document(ids[title], " ".join(dict.fromkeys(said)), title)
        for title, said in pages.items()
    }
    own = {q: [ids[one] for one in titles] for q, titles in listed.items()}
    # A page is a line or two, so that many fit into the limit: there are more of other questions.
    return _with_distractors(dataset, documents, own, 10 * DISTRACTORS)


def _steps(steps: Iterable[SubQuestion]) -> Iterator[SubQuestion]:
    for step in steps:
        yield step
        yield from _steps(step.decomposition)


def mtrag() -> Dataset:
    """The tasks of MTRAG: the passages of a task support its answer, those of others do not."""
    data = json.loads((SHARED / "mtrag" / "mtrag_eval.json").read_text("utf-8"))
    documents = {
        one["document_id"]: Document(
            one["document_id"], one["text"], one["text"].split("\n")[0][:80]
        )
        for one in data["documents"]
    }
    questions, listed = [], {}
    for task in data["tasks"]:
        own = [one["document_id"] for one in task["contexts"]]
        asked = " ".join(turn["text"] for turn in task["input"] if turn["speaker"] == "user")
        answerable = task["Answerability"][0] in ("ANSWERABLE", "PARTIAL")
        target = task["targets"][0]["text"]
        gold = Gold(
            answerable=answerable,
            answer=target if answerable else None,
            long_answers=(target,),
            supporting=tuple(own) if answerable else (),
        )
        questions.append(Question(task["task_id"], asked[-600:], gold=gold))
        listed[task["task_id"]] = own
    return _with_distractors(Dataset("mtrag", "dev", tuple(questions)), documents, listed)


def _with_distractors(
    dataset: Dataset,
    documents: Mapping[str, Document],
    listed: Mapping[str, Sequence[str]],
    distractors: int = DISTRACTORS,
) -> Dataset:
    """The set with documents; a question lists its own and some of others, in an order drawn by its id."""
    questions = []
    for question in dataset:
        draw = random.Random(question.id)
        own = dict.fromkeys(listed.get(question.id, ()))
        others = [id for id in documents if id not in own]
        ids = [*own, *draw.sample(others, distractors)]
        draw.shuffle(ids)
        questions.append(replace(question, documents=tuple(ids), request=Request(limit=LIMIT)))
    return replace(dataset, questions=tuple(questions), documents=dict(documents))


LOADERS = {"core": core, "fanoutqa": fanoutqa, "mtrag": mtrag}
