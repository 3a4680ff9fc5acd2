"""A TREC track's board: its terms, and a set in the core format made of the track's own files.

    FOLDER/rubrics/ or rubrics.json       DRAGUN's rubrics
    FOLDER/nuggets/ or nuggets.jsonl      nugget files, or banks, one a line
    FOLDER/topics.jsonl, requests.jsonl or topics.tsv (ID, blank, TEXT)
    FOLDER/qrels.txt                      relevance labels (optional)
    FOLDER/documents.jsonl, collection.jsonl, collection/ ...     what may be cited (optional)

A request is taken apart as the table says: which key of a topic is its title, its problem statement, its
background; parts of a narrative become the question's decomposition. No code knows a track by its name.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import TypeAdapter

from argue_bench.errors import Code, DataError, UnknownName
from argue_bench.leaderboard.seasons.sealing import Terms
from argue_bench.loaders.findings import Findings
from argue_bench.loaders.limits import OverLimit
from argue_bench.records.untrusted import GOLD_LIMITS, open_bounded, read_lines
from argue_bench.satellites import (
    DRAGUN_RUBRICS,
    TREC_DOCUMENTS,
    TREC_GRADES,
    TREC_TOPICS,
    TREC_TRACK,
    import_text,
)
from argue_bench.text.cutting import Unit

MOST_DOCUMENTS = 200_000
"""Documents that a board's set may hold: they lie in its repository."""
_TOPICS = ("topics.jsonl", "requests.jsonl", "topics.tsv")
_KEYS = ("request_id", "topic_id", "narrative_id", "turn_id", "id", "docid", "qid")
# In TREC's grades 0 is "not relevant", and 1 and more are.
_RELEVANT = 1


@dataclass(frozen=True)
class TrackBoard:
    """The terms of a track's board.

    title, problem_statement, background    the keys of a topic that may hold each, the first one first
    parts       the keys that may hold the parts of a narrative
    ask         the question, where the topics hold none
    gold        what a good report is told by
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}

    name: str
    season: str
    metrics: tuple[str, ...]
    ranked: str
    limit: int
    unit: Unit = "characters"
    over_limit: OverLimit = "unscored"
    settings: tuple[str, ...] = ("openbook",)
    gold: Literal["rubrics", "nuggets"] = "nuggets"
    ask: str = ""
    title: tuple[str, ...] = ()
    problem_statement: tuple[str, ...] = ()
    background: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()

    def terms(self, **given: Any) -> Terms:
        """The terms of its season; given values replace those of the table."""
        own: dict[str, Any] = {
            "season": self.season,
            "title": import_text(TREC_TRACK)(self.name).title,
            "settings": self.settings,
            "metrics": self.metrics,
            "ranked": self.ranked,
            "limit": self.limit,
            "unit": self.unit,
            "over_limit": self.over_limit,
            "track": self.name,
        }
        return Terms(**{**own, **given})


def track_board(name: str) -> TrackBoard:
    """The board of this track. Raises UnknownName."""
    try:
        return BOARDS[name]
    except KeyError:
        raise UnknownName("track with a board", name, tuple(BOARDS)) from None


def track_set(board: TrackBoard, folder: Path) -> dict[str, bytes]:
    """The files of a set in the core format, made of the track's files in the folder, gold.jsonl too.

    Raises DataError with every finding: files that are missing or cannot be read, topics without gold.
    """
    topics = _read_topics(board, folder)
    gold = {"rubrics": _rubrics, "nuggets": _nuggets}[board.gold](folder)
    documents = _documents(folder)
    if not topics:
        topics = {id: {} for id in gold}
    found = Findings(folder)
    # Gold of topics that are not asked is no fault: assessors often judge more topics than a board takes.
    for id in topics.keys() - gold.keys():
        found.add(Code.MISSING_IDS, f"no {board.gold} of the topic {id}", hint="Add the file.")
    found.raise_errors()
    relevant = _relevant(folder, documents)
    about = {"name": board.name, "version": "1", "split": "test", "language": "en"}
    questions = (
        _question(board, id, topic, gold[id].get("asked", "")) for id, topic in topics.items()
    )
    own = (
        {
            "id": id,
            "answerable": True,
            **gold[id]["gold"],
            "supporting": relevant.get(id, []),
            "decomposition": _decomposition(board, topic),
        }
        for id, topic in topics.items()
    )
    return {
        "set.json": json.dumps(about).encode() + b"\n",
        "questions.jsonl": _lines(questions),
        "documents.jsonl": _lines(documents.values()),
        "gold.jsonl": _lines(own),
    }


def _question(board: TrackBoard, id: str, topic: Mapping[str, Any], asked: str) -> dict[str, Any]:
    parts = {
        name: next((str(topic[key]) for key in keys if topic.get(key)), "")
        for name, keys in (
            ("title", board.title),
            ("problem_statement", board.problem_statement),
            ("background", board.background),
        )
    }
    # Some tracks give a topic no question: then the table's, or that of the nuggets.
    parts["problem_statement"] = parts["problem_statement"] or board.ask or asked
    limit = topic.get("limit")
    return {
        "id": id,
        "text": parts["problem_statement"] or parts["title"] or id,
        "request": {**parts, **({"limit": limit} if isinstance(limit, int) else {})},
    }


def _decomposition(board: TrackBoard, topic: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The parts of a narrative as steps; a part is a text, or an object with one."""
    given: list[Any] = next(
        (topic[key] for key in board.parts if isinstance(topic.get(key), list)), []
    )
    texts = [one.get("text", "") if isinstance(one, dict) else one for one in given]
    kept = [text for text in texts if isinstance(text, str) and text.strip()]
    return [{"id": str(number), "question": text} for number, text in enumerate(kept, 1)]


def _read_topics(board: TrackBoard, folder: Path) -> dict[str, Mapping[str, Any]]:
    """The topics by id; none where the folder has no file of topics."""
    path = next((folder / name for name in _TOPICS if (folder / name).is_file()), None)
    if path is None:
        return {}
    found = Findings(path)
    topics: dict[str, Mapping[str, Any]] = {}
    for number, row in _rows(path, board, found):
        id = next((row[key] for key in _KEYS if row.get(key) is not None), None)
        if type(id) not in (str, int):
            hint = f"Its id is called {', '.join(_KEYS)}."
            found.add(Code.WRONG_SHAPE, "a topic has no id", number, hint=hint)
        elif str(id) in topics:
            found.add(Code.DUPLICATE_ID, f"{id!r} occurs twice", number)
        else:
            topics[str(id)] = row
    found.raise_errors()
    return topics


def _rows(
    path: Path, board: TrackBoard, found: Findings
) -> Iterable[tuple[int, Mapping[str, Any]]]:
    if path.suffix == ".tsv":
        key = (*board.problem_statement, *board.title)[0]
        with open_bounded(path, GOLD_LIMITS, str(path)) as file:
            for number, raw in enumerate(file, 1):
                id, _, text = raw.decode("utf-8", "replace").strip().partition("\t")
                if id:
                    yield number, {"id": id, key: text}
        return
    for line in read_lines(path, GOLD_LIMITS):
        found.extend(line.findings)
        if line.read:
            yield line.number or 0, line.value if isinstance(line.value, dict) else {}


def _rubrics(folder: Path) -> dict[str, dict[str, Any]]:
    place = _place(folder, ("rubrics", "rubrics.json"), "DRAGUN's rubrics")
    return {
        topic: {"gold": {"rubric": [asdict(one) for one in rubric]}}
        for topic, rubric in import_text(DRAGUN_RUBRICS)(place).items()
    }


def _nuggets(folder: Path) -> dict[str, dict[str, Any]]:
    place = _place(folder, ("nuggets", "nuggets.jsonl"), "nuggets")
    topics, _ = import_text(TREC_TOPICS)(place)
    return {
        id: {
            "gold": {"nuggets": [asdict(nugget) for nugget in topic.nuggets]},
            "asked": topic.request.problem_statement or topic.request.title,
        }
        for id, topic in topics.items()
    }


def _relevant(folder: Path, documents: Mapping[str, Any]) -> dict[str, list[str]]:
    """The documents of the set that assessors found relevant, by topic."""
    if not (folder / "qrels.txt").is_file():
        return {}
    return {
        topic: [id for id, grade in rows.items() if grade >= _RELEVANT and id in documents]
        for topic, rows in import_text(TREC_GRADES)(folder / "qrels.txt").items()
    }


def _documents(folder: Path) -> dict[str, dict[str, str]]:
    collection = import_text(TREC_DOCUMENTS)(folder)
    if collection is None:
        return {}
    if len(collection) > MOST_DOCUMENTS:
        why = f"the collection has {len(collection):,} documents, and a board holds {MOST_DOCUMENTS:,}"
        hint = "Put those here that runs cite or assessors judged."
        raise DataError.of(Code.TOO_LARGE, why, collection.paths[0], hint=hint)
    return {
        id: {"id": id, "title": collection[id].title, "text": collection[id].text}
        for id in collection
    }


def _place(folder: Path, names: tuple[str, ...], what: str) -> Path:
    found = next((folder / name for name in names if (folder / name).exists()), None)
    if found is None:
        why = f"the folder holds no {' or '.join(names)}"
        raise DataError.of(Code.NO_SUCH_FILE, why, folder, hint=f"Put {what} there.")
    return found


def _lines(rows: Iterable[Mapping[str, Any]]) -> bytes:
    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)


BOARDS: Mapping[str, TrackBoard] = TypeAdapter(dict[str, TrackBoard]).validate_python(
    {
        name: {"name": name, **row}
        for name, row in tomllib.loads(
            (files(__package__) / "tracks.toml").read_text(encoding="utf-8")
        ).items()
    }
)
