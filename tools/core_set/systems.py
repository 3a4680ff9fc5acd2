"""Scripted systems as submissions, and the oracle's verdicts on them.

Their scores are known from construction, so a reader sees what a score of the board is worth, and an
organiser whether scoring works. Score them in the group "rehearsal": no season ranks them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

import argue_bench
from argue_bench.eval import evaluate
from argue_bench.leaderboard.formats.layout import SETTINGS
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.limits import text_length
from argue_bench.records.atomic import atomic_write, write_json
from tools.core_set.oracle import Oracle
from tools.core_set.scripted import SCRIPTS, ScriptedSentence, report_text
from tools.core_set.topic import GeneratedTopic

PREFIX = "scripted-"
DEMO = Path(argue_bench.__file__).parent / "data" / "demo"
DEMO_SCRIPTS = (
    *("perfect", "wrong-citations", "half-lists", "superseded"),
    *("one-sentence", "refuses", "stuffs"),
)
"""Those that tell a reader most of what a score is worth."""


def submit_scripted(
    board: Path,
    topics: Iterable[GeneratedTopic],
    settings: Sequence[str] = ("evidenceprovided",),
    names: Sequence[str] = tuple(SCRIPTS),
) -> list[str]:
    """Writes scripted systems into a folder of submissions; returns their names there.

    ``topics`` are those of the board's set (`World(DEV_SEED, "small").topics()` for core dev). They
    read nothing, so they say the same in every setting. Raises DataError where the disk refuses.
    """
    kept = list(topics)
    for name in names:
        rows = [{"id": topic.id, "answer": _within_limit(name, topic)} for topic in kept]
        for setting in settings:
            with atomic_write(board / f"{setting}-generations" / f"{PREFIX}{name}.jsonl") as file:
                file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        write_json(board / "metadata" / f"{PREFIX}{name}.json", _metadata(name, settings))
    return [f"{PREFIX}{name}" for name in names]


def write_demo(folder: Path, topics: Iterable[GeneratedTopic]) -> None:
    """Writes systems.jsonl of ``argue-bench demo``: its systems with their answers to the first topics."""
    about = json.loads((DEMO / "demo.json").read_text(encoding="utf-8"))
    kept = list(islice(topics, about["topics"]))
    with atomic_write(folder / "systems.jsonl") as file:
        for name in DEMO_SCRIPTS:
            row = {
                "system": f"{PREFIX}{name}",
                "metadata": _metadata(name, ("evidenceprovided",)),
                "answers": [
                    {"id": topic.id, "answer": _within_limit(name, topic)} for topic in kept
                ],
            }
            file.write(json.dumps(row, ensure_ascii=False) + "\n")


def _within_limit(name: str, topic: GeneratedTopic) -> str:
    """The report, without the last of what "repeats" says again where the request allows no more."""
    report, request = SCRIPTS[name].write(topic), topic.question.request
    limit = (request.limit if request else None) or sys.maxsize
    again = [place for place, one in enumerate(report) if one.facts and not one.cites]
    while again and text_length(report_text(report)) > limit:
        del report[again.pop()]
    return report_text(report)


def synthetic_dataset(topics: Iterable[GeneratedTopic], split: str = "dev") -> Dataset:
    """The set of a world, with its gold, as `load` gives it from disk."""
    kept = list(topics)
    documents = {document.id: document for topic in kept for document in topic.documents}
    return Dataset("core", split, tuple(topic.question for topic in kept), documents)


def store_verdicts(
    store: Path,
    topics: Iterable[GeneratedTopic],
    metrics: Sequence[str] = ("argue",),
    names: Sequence[str] = tuple(SCRIPTS),
) -> dict[str, dict[str, float | None]]:
    """Lets the oracle judge scripted systems, keeps its verdicts in a store, returns their scores.

    The store replays as ``recorded:STORE``, and ``judge check`` measures any judge against it.
    """
    kept = list(topics)
    reports: dict[str, dict[str, list[ScriptedSentence]]] = {
        name: {topic.id: SCRIPTS[name].write(topic) for topic in kept} for name in names
    }
    oracle, dataset = Oracle(), synthetic_dataset(kept)
    for topic in kept:
        oracle.learn(topic, *(reports[name][topic.id] for name in names))
    scores: dict[str, dict[str, float | None]] = {}
    for name, report in reports.items():
        answers = [{"id": id, "answer": report_text(lines)} for id, lines in report.items()]
        found = evaluate(dataset, answers, list(metrics), judge=oracle, store=store)
        scores[name] = {key: score.value for key, score in found.scores.items()}
    return scores


def _metadata(name: str, settings: Sequence[str]) -> dict[str, object]:
    return {
        "name": f"Scripted: {name.replace('-', ' ')}",
        "authors": "The argue-bench developers",
        "url": None,
        "citation": "argue-bench, 2026",
        "type": "OTHER",
        "context": 0,
        "is_trained_for_function_calling": False,
        "details": f"Follows a script, with the gold at hand: {SCRIPTS[name].summary}.",
        **{
            f"{setting}_generations": f"{PREFIX}{name}.jsonl" if setting in settings else None
            for setting in SETTINGS
        },
    }
