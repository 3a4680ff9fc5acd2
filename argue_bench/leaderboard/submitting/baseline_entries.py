"""The baselines as submissions, for a demo and for a rehearsal."""

from __future__ import annotations

import json
from pathlib import Path

from argue_bench.baselines import BASELINES, SETTINGS, generate
from argue_bench.loaders.dataset import Dataset
from argue_bench.records.atomic import atomic_write, write_json

NAMES = {"bm25-extractive": "BM25, extractive"}
"""Names on the board that are not the system's own with a capital."""


def submit_baseline(board: Path, system: str, dataset: Dataset) -> None:
    """Writes a baseline's answers to ``dataset`` and its metadata into a folder of submissions.

    BM25 enters every setting, and the others, which are floors, that with the documents given.
    Raises DataError where the disk refuses.
    """
    # The others read the documents that come with a question, and have nothing to say without.
    settings = SETTINGS if system == "bm25-extractive" else ("evidenceprovided",)
    for setting in settings:
        with atomic_write(board / f"{setting}-generations" / f"{system}.jsonl") as file:
            for line in generate(system, dataset, setting):
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
    about = {
        "name": NAMES.get(system, system.replace("-", " ").capitalize()),
        "authors": "The argue-bench developers",
        "organisation": "argue-bench",
        "url": None,
        "citation": "argue-bench, 2026",
        "type": "OTHER",
        "context": 0,
        "is_trained_for_function_calling": False,
        "retriever": "BM25",
        "licence": "MIT",
        "details": BASELINES[system].summary,
        **{f"{s}_generations": f"{system}.jsonl" if s in settings else None for s in SETTINGS},
    }
    write_json(board / "metadata" / f"{system}.json", about)
