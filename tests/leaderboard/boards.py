"""Small boards on disk for these tests: an honest one, to be spoilt in one place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Question
from argue_bench.records.digests import sha256

REHEARSAL_KEY = sha256(b"argue-bench core, rehearsal, season 0, the key")
"""The key of season 0, public as its seed is (docs/submit.md)."""
IDS = ("q1", "q2", "q3")
SET = Dataset("tiny", "test", tuple(Question(id, f"What is {id}?") for id in IDS))
GENERATIONS = ("closedbook-generations", "openbook-generations", "evidenceprovided-generations")


def metadata(system: str, **changes: Any) -> dict[str, Any]:
    """Metadata of a system that takes part in openbook alone."""
    return {
        "name": system.replace("-", " ").title(),
        "authors": "Ada Example",
        "url": "https://example.org/system",
        "citation": "Example, 2026",
        "type": "PROMPT",
        "context": 8192,
        "is_trained_for_function_calling": False,
        "details": None,
        "closedbook_generations": None,
        "openbook_generations": f"{system}.jsonl",
        "evidenceprovided_generations": None,
    } | changes


def answers(ids: tuple[str, ...] = IDS) -> str:
    return "".join(json.dumps({"id": id, "answer": f"It is {id} [d1]."}) + "\n" for id in ids)


def add(folder: Path, system: str, text: str | bytes = "", **changes: Any) -> Path:
    """Adds a system; returns its metadata file."""
    for name in (*GENERATIONS, "metadata"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    content = text if isinstance(text, bytes) else (text or answers()).encode()
    (folder / "openbook-generations" / f"{system}.jsonl").write_bytes(content)
    path = folder / "metadata" / f"{system}.json"
    path.write_text(json.dumps(metadata(system, **changes), indent=2), encoding="utf-8")
    return path
