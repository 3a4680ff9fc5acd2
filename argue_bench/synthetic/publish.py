"""Writes a world to disk in the core format, topic by topic.

Lines are JSON with keys in the order of the format, UTF-8, no blanks: the same bytes for the same
world, however many workers printed it. A file appears under its name when it is complete.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from argue_bench.records import Gold, Question
from argue_bench.records.atomic import atomic_write
from argue_bench.synthetic.topic import GeneratedTopic
from argue_bench.synthetic.world import DEV_SEED, TEST_SEED, VERSION, World

DOCUMENTS, GOLD, QUESTIONS, SET = "documents.jsonl", "gold.jsonl", "questions.jsonl", "set.json"
EMBEDDED = {"dev": (DEV_SEED, "small", True), "test": (TEST_SEED, "large", False)}
"""Seed, size and whether the gold is open, of the sets in the package."""
_DOCUMENT_KEYS = ("id", "title", "text", "language", "date")
_GOLD_KEYS = (
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
Rows = tuple[str, str, str]
"""The lines of some topics: documents, gold, questions."""


def write_set(
    world: World, folder: Path, split: str, gold: Path | None = None, workers: int = 1
) -> str:
    """Writes documents, questions and set.json into ``folder``, the gold to ``gold`` (None: not at
    all), and returns the set's digest. Memory does not grow with the size of the world.

    Raises DataError where the disk refuses.
    """
    with ExitStack() as stack:
        documents = stack.enter_context(atomic_write(folder / DOCUMENTS))
        questions = stack.enter_context(atomic_write(folder / QUESTIONS))
        answers = stack.enter_context(atomic_write(gold)) if gold else None
        for rows in _rows(world, workers):
            documents.write(rows[0])
            questions.write(rows[2])
            if answers:
                answers.write(rows[1])
    names = [DOCUMENTS, *([GOLD] if gold == folder / GOLD else []), QUESTIONS]
    about = {
        "name": "core",
        "version": VERSION,
        "split": split,
        "language": "en",
        "digest": _digest(folder, names),
        "licence": "CC0-1.0",
    }
    with atomic_write(folder / SET) as file:
        file.write(json.dumps(about, indent=2) + "\n")
    return about["digest"]


def _digest(folder: Path, names: list[str]) -> str:
    """``sha256:`` and the hash over the files' names, lengths and bytes, in order of the names."""
    total = hashlib.sha256()
    for name in names:
        size = (folder / name).stat().st_size
        total.update(name.encode() + b"\0" + str(size).encode() + b"\0")
        with (folder / name).open("rb") as file:
            while block := file.read(1 << 20):
                total.update(block)
    return f"sha256:{total.hexdigest()}"


def _rows(world: World, workers: int) -> Iterator[Rows]:
    """The lines of all topics in order; a few chunks are under way at once, never all."""
    starts = range(0, len(world), _CHUNK)
    if workers < 2:
        yield from (_chunk(world, start) for start in starts)
        return
    spec = (world.seed, world.size, world.pack, world.version)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context) as pool:
        waiting: deque[Future[Rows]] = deque()
        for start in starts:
            waiting.append(pool.submit(_chunk_of, spec, start))
            if len(waiting) >= 4 * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


_world = cache(World)
"""A worker opens its world once: sending the patterns with each chunk would cost more than printing."""


def _chunk_of(spec: tuple[str | bytes, str | int, Path | None, str], start: int) -> Rows:
    return _chunk(_world(*spec), start)


def _chunk(world: World, start: int) -> Rows:
    documents, gold, questions = [], [], []
    for index in range(start, min(start + _CHUNK, len(world))):
        topic = world.topic(index)
        documents += [_line(row) for row in document_rows(topic)]
        gold.append(_line(gold_row(topic.question)))
        questions.append(_line(question_row(topic.question)))
    return "".join(documents), "".join(gold), "".join(questions)


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")) + "\n"


def document_rows(topic: GeneratedTopic) -> Iterator[dict[str, Any]]:
    """The lines of documents.jsonl."""
    for document in topic.documents:
        yield {key: getattr(document, key) for key in _DOCUMENT_KEYS}


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
    fields = asdict(question.gold or Gold())
    return {"id": question.id, **{key: fields[key] for key in _GOLD_KEYS}}
