"""A generated world: facts first, then documents and gold printed from the same facts.

Everything follows from (version, seed, size). ``World(seed, size)`` prints topic after topic and keeps
none, so memory does not grow with the number of topics. The same three values give the same bytes on
every platform; a world of another size or seed shares nothing with this one.

`write_set` writes it in the core format, topic by topic: lines of JSON with keys in the order of the
format, UTF-8, no blanks, the same however many workers print it. A file appears when it is complete.
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from argue_bench.errors import UsageError
from argue_bench.records import Gold, Question
from argue_bench.records.atomic import atomic_write
from tools.core_set.grammar import Patterns, public_patterns
from tools.core_set.names import WorldNames
from tools.core_set.stream import RandomStream, read_seed
from tools.core_set.topic import GeneratedTopic, make_topic

VERSION = "1"
"""Of the generator and its public patterns; changes whenever one byte of output would."""
SIZES = {"tiny": 8, "small": 80, "large": 400}
MOST = 1_000_000
DEV_SEED = b"argue-bench core, development set".hex()
TEST_SEED = b"argue-bench core, rehearsal, season 0".hex()
"""Public on purpose: anyone can print the gold of either set."""
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


@dataclass(frozen=True)
class World:
    """A world. ``seed`` is hexadecimal text or bytes, ``size`` a name or a number of topics.

    Raises UsageError for a seed below 128 bits, a size out of range or a bad pattern file.
    """

    seed: str | bytes
    size: str | int = "small"
    pack: Path | None = None
    version: str = VERSION

    def __post_init__(self) -> None:
        object.__setattr__(self, "seed", read_seed(self.seed))
        object.__setattr__(self, "size", read_size(self.size))
        self.patterns  # noqa: B018  a bad file is an error now, not at the first topic

    @cached_property
    def patterns(self) -> Patterns:
        """The sentence patterns; families of the private pack replace public ones."""
        public = public_patterns()
        return public.with_pack(Path(self.pack)) if self.pack else public

    @cached_property
    def stream(self) -> RandomStream:
        return RandomStream(
            "argue-bench", self.version, str(self.seed), str(self.size), self.patterns.digest
        )

    @cached_property
    def tag(self) -> str:
        """Four letters that begin each question's id, so that worlds are not mixed up."""
        return self.stream.child("tag").token(4)

    @cached_property
    def canary(self) -> str:
        """The last line of every document: found in training data, it proves a leak."""
        draw = self.stream.child("canary")
        word = "-".join(f"{draw.bits():08x}" for _ in range(4))
        return f"argue-bench core, not for training. Canary {word}"

    @cached_property
    def names(self) -> WorldNames:
        return WorldNames(self.stream.child("stems"))

    def __len__(self) -> int:
        return SIZES.get(str(self.size)) or int(self.size)

    def topic(self, index: int) -> GeneratedTopic:
        """Topic number ``index`` from 0; no other topic needs to be made before."""
        id = f"{self.tag}-{index + 1:0{max(3, len(str(len(self))))}d}"
        return make_topic(self.stream, self.names, self.patterns, index, id, self.canary)

    def topics(self) -> Iterator[GeneratedTopic]:
        """All topics, one at a time."""
        return (self.topic(index) for index in range(len(self)))


def read_size(size: str | int) -> str | int:
    """A named size, or a number of topics. Raises UsageError."""
    if isinstance(size, str) and size in SIZES:
        return size
    try:
        topics = int(size)
    except ValueError:
        topics = 0
    if not 1 <= topics <= MOST or isinstance(size, bool):
        raise UsageError(
            f"{size!r} is not a size. Expected {', '.join(SIZES)}, or a number of topics from "
            f"1 to {MOST:,}"
        )
    return topics


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
    # The digest is over the files' names, lengths and bytes.
    total = hashlib.sha256()
    for name in names:
        size = (folder / name).stat().st_size
        total.update(name.encode() + b"\0" + str(size).encode() + b"\0")
        with (folder / name).open("rb") as file:
            while block := file.read(1 << 20):
                total.update(block)
    about = {
        "name": "core",
        "version": VERSION,
        "split": split,
        "language": "en",
        "digest": f"sha256:{total.hexdigest()}",
        "licence": "CC0-1.0",
    }
    with atomic_write(folder / SET) as written:
        written.write(json.dumps(about, indent=2) + "\n")
    return about["digest"]


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
    documents: list[str] = []
    gold, questions = [], []
    for index in range(start, min(start + _CHUNK, len(world))):
        topic = world.topic(index)
        documents += map(_line, document_rows(topic))
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
