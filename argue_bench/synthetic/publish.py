"""How does a world get onto disk? Topic by topic, in the core format, and only whole.

Lines are JSON with keys in the order of the format, UTF-8, no blanks: the same bytes for the same
world, however many workers printed it. Files appear under their names when all are complete.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from argue_bench.errors import UsageError
from argue_bench.records import Gold, Question
from argue_bench.synthetic.topic import GeneratedTopic
from argue_bench.synthetic.world import DEV_SEED, TEST_SEED, VERSION, World

LICENCE = "CC0-1.0"
DOCUMENTS, GOLD, QUESTIONS, SET = "documents.jsonl", "gold.jsonl", "questions.jsonl", "set.json"
EMBEDDED = {"dev": (DEV_SEED, "small", True), "test": (TEST_SEED, "large", False)}
"""Seed, size and whether the gold is open, of the sets in the package."""
GOLD_KEYS = (
    "answerable",
    "answer",
    "short_answers",
    "nuggets",
    "long_answers",
    "claims",
    "supporting",
    "decomposition",
)
"""Named, so that a field that the records gain later does not change a published set."""
_CHUNK = 8
Rows = tuple[bytes, bytes, bytes]
"""The lines of some topics: documents, gold, questions."""


def write_set(
    world: World, folder: Path, split: str, gold: Path | None = None, workers: int = 1
) -> str:
    """Writes documents, questions and set.json into ``folder``, the gold to ``gold`` (None: not at
    all), and returns the set's digest. Memory does not grow with the size of the world.

    Raises UsageError where the folder can't be written.
    """
    targets = {DOCUMENTS: folder / DOCUMENTS, QUESTIONS: folder / QUESTIONS}
    if gold:
        targets[GOLD] = gold
    try:
        folder.mkdir(parents=True, exist_ok=True)
        partial = {name: path.with_name(f".{path.name}.partial") for name, path in targets.items()}
        try:
            _write_rows(world, partial, workers)
            inside = [name for name in sorted(targets) if targets[name].parent == folder]
            digest = digest_of({name: partial[name] for name in inside})
            about = folder / f".{SET}.partial"
            about.write_text(_set_json(split, digest), encoding="utf-8")
            for name, path in targets.items():
                partial[name].replace(path)
            about.replace(folder / SET)
        finally:
            for path in (*partial.values(), folder / f".{SET}.partial"):
                path.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"can't write to {folder}: {error.strerror or error}") from None
    return digest


def digest_of(files: dict[str, Path]) -> str:
    """``sha256:`` and the hash over the files' names, lengths and bytes, in order of the names."""
    total = hashlib.sha256()
    for name in sorted(files):
        size = files[name].stat().st_size
        total.update(name.encode() + b"\0" + str(size).encode() + b"\0")
        with files[name].open("rb") as file:
            while block := file.read(1 << 20):
                total.update(block)
    return f"sha256:{total.hexdigest()}"


def _write_rows(world: World, partial: dict[str, Path], workers: int) -> None:
    with ExitStack() as stack:
        files = {name: stack.enter_context(path.open("wb")) for name, path in partial.items()}
        for documents, gold, questions in _rows(world, workers):
            files[DOCUMENTS].write(documents)
            files[QUESTIONS].write(questions)
            if GOLD in files:
                files[GOLD].write(gold)
        for file in files.values():
            file.flush()
            os.fsync(file.fileno())


def _rows(world: World, workers: int) -> Iterator[Rows]:
    """The lines of all topics in order; a few chunks are under way at once, never all."""
    starts = range(0, len(world), _CHUNK)
    if workers < 2:
        yield from (_chunk(world, start) for start in starts)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, _open, (world,)) as pool:
        waiting: deque[Future[Rows]] = deque()
        for start in starts:
            waiting.append(pool.submit(_chunk_of_mine, start))
            if len(waiting) >= 4 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


_mine: list[World] = []


def _open(world: World) -> None:
    _mine[:] = [World(world.seed, world.size, world.pack, world.version)]


def _chunk_of_mine(start: int) -> Rows:
    return _chunk(_mine[0], start)


def _chunk(world: World, start: int) -> Rows:
    documents, gold, questions = [], [], []
    for index in range(start, min(start + _CHUNK, len(world))):
        topic = world.topic(index)
        documents += [_line(row) for row in document_rows(topic)]
        gold.append(_line(gold_row(topic.question)))
        questions.append(_line(question_row(topic.question)))
    return b"".join(documents), b"".join(gold), b"".join(questions)


def _line(row: dict[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def document_rows(topic: GeneratedTopic) -> Iterator[dict[str, Any]]:
    """The lines of documents.jsonl."""
    for document in topic.documents:
        yield {
            "id": document.id,
            "title": document.title,
            "text": document.text,
            "language": document.language,
            "date": document.date,
        }


def question_row(question: Question) -> dict[str, Any]:
    """The line of questions.jsonl."""
    request = question.request
    return {
        "id": question.id,
        "text": question.text,
        "request": asdict(request) if request else None,
        "documents": list(question.documents),
        "categories": list(question.categories),
        "language": question.language,
    }


def gold_row(question: Question) -> dict[str, Any]:
    """The line of gold.jsonl."""
    gold = question.gold or Gold()
    fields = asdict(gold)
    return {"id": question.id, **{key: fields[key] for key in GOLD_KEYS}}


def _set_json(split: str, digest: str) -> str:
    about = {
        "name": "core",
        "version": VERSION,
        "split": split,
        "language": "en",
        "digest": digest,
        "licence": LICENCE,
    }
    return json.dumps(about, indent=2, ensure_ascii=False) + "\n"
