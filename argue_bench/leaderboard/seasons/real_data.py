"""The data of a new season: a data set by name and file, or an own folder, with what a board of it ranks by.

    fanoutqa:dev.json   alce:asqa_eval_gtr_top100.json   luciole/tatqa:rows.jsonl   my-set

A named set is read by its own reader and written in the core format, gold and all; `seal_set` then takes the
gold out. Questions that name pages of an encyclopedia (FanOutQA) get those pages as documents, from a folder
or fetched at their revision; without pages nobody could be given the evidence, so the season is closed book.
A TREC track's own files become such a set too (`track_set`).
"""

from __future__ import annotations

import json
import math
import secrets
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from importlib.resources import files
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Literal

import numpy as np
from pydantic import TypeAdapter

from argue_bench.cli.progress import Step, progress
from argue_bench.errors import Code, DataError, UnknownName, UsageError
from argue_bench.leaderboard.formats.layout import write_files
from argue_bench.leaderboard.formats.season import CHARACTERS
from argue_bench.leaderboard.screening.answers import fold
from argue_bench.leaderboard.seasons.sealing import Terms
from argue_bench.loaders import DATASETS, load
from argue_bench.loaders.core import load_folder, write_folder
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import Findings, few
from argue_bench.loaders.limits import AnswerLimits, OverLimit, Unit
from argue_bench.metrics import parse
from argue_bench.records import Document, Evidence, Question
from argue_bench.records.atomic import write_json
from argue_bench.records.display import normalise
from argue_bench.records.question import leaves
from argue_bench.records.untrusted import read_json, read_lines
from argue_bench.satellites import (
    DRAGUN_RUBRICS,
    LUCIOLE,
    TREC_DOCUMENTS,
    TREC_GRADES,
    TREC_ROWS,
    TREC_TOPICS,
    TREC_TRACK,
    WIKIPEDIA_PAGES,
    import_text,
)
from argue_bench.text import read_answer
from argue_bench.text.citations import EMPTY_INDEX

# Questions by which the requests of a run are estimated.
SAMPLED = 20
# For ``pages``: from Wikipedia, or from the MediaWiki that ARGUE_BENCH_WIKIPEDIA names.
FETCH = "fetch"
# Half a per cent by each of the two bounds, so that at most one in a hundred answers is over either.
WITHIN = 99.5
# What an entry of each of ALCE's sets has, and the others have not.
_ALCE = {"qa_pairs": "alce-asqa", "claims": "alce-eli5", "answers": "alce-qampari"}
_FIRST_LINE = (
    "which reads the first line of an answer alone, and nothing of its lists and paragraphs"
)
# Metrics that would not do a board, the one that counts the same there, and why not.
BOARD_METRICS = {
    "accuracy(rules=fanoutqa)": (
        "accuracy(rules=fanoutqa-lookup,text=plain)",
        "whose model the workflows do not install",
    ),
    "accuracy(rules=fanoutqa-lookup)": (
        "accuracy(rules=fanoutqa-lookup,text=plain)",
        "to which a word with another dash, with a mark at it or in a link is another word",
    ),
    "length(rules=alce)": ("length", _FIRST_LINE),
    "str_em(rules=alce)": ("str_em(rules=alce,lines=all)", _FIRST_LINE),
    "rouge_lsum(rules=alce)": ("rouge_lsum(rules=alce,lines=all)", _FIRST_LINE),
    "qampari(rules=alce)": ("qampari", _FIRST_LINE),
}


@dataclass(frozen=True)
class SeasonData:
    """A data set with its gold, the terms that follow from it, and what its organiser must know."""

    path: Path
    """The folder that was named; of a named set its file."""
    dataset: Dataset | None = None
    """A set to be written in the core format; None where ``path`` holds one, or a track's own files."""
    terms: dict[str, Any] = field(default_factory=dict)
    """Terms that hold where the organiser names none."""
    notes: tuple[str, ...] = ()

    def in_settings(self, settings: Sequence[str]) -> SeasonData:
        """The data as a season in these settings publishes it. Raises DataError.

        Pages that questions rest on are named where systems are given them alone: their titles hold half of FanOutQA's gold.
        Then what the titles or the question hold isn't gold, unless nothing else is.
        """
        dataset = self.dataset or load_folder(self.path)
        if not any(one.evidence for one in dataset):
            return self
        asked, notes = [replace(one, evidence=(), documents=()) for one in dataset], self.notes
        if "evidenceprovided" in settings:
            asked = list(map(_without_given, dataset))
            before, after = (
                sum(len([*leaves(one.gold.answer)]) for one in questions if one.gold)
                for questions in (dataset, asked)
            )
            notes += (
                f"{before - after:,} of {before:,} strings of the gold stand in the titles of the pages that everybody "
                "is given, or in the question. They are left out, for a list of these titles would earn them.",
            )
        return replace(self, dataset=replace(dataset, questions=tuple(asked)), notes=notes)

    def write(self, folder: Path) -> Path:
        """The folder with the set in the core format, ``folder`` where it is written there."""
        if self.dataset is None:
            return self.path
        write_folder(folder, self.dataset)
        write_json(
            folder / "set.json", {**read_json(folder / "set.json"), "licence": self.dataset.licence}
        )
        return folder


def read_season_data(text: str, pages: str = "") -> SeasonData:
    """The data that ``text`` names: NAME:FILE, NAME/SPLIT:FILE, or a folder.

    ``pages`` is a folder with ``PAGEID-dated.md`` (FanOutQA's page cache), ``PAGEID.md`` or ``TITLE.md``
    of those without an id, or "fetch".
    Raises UsageError, UnknownName (no such set), DataError (the files, or pages that are missing).
    """
    name, colon, file = text.partition(":")
    name, _, split = name.partition("/")
    if Path(text).is_file():
        raise UsageError(
            f"{text} is a file. Say of which set it is, such as fanoutqa:{text} (argue-bench list datasets)"
        )
    if not colon or Path(text).exists():
        return SeasonData(Path(text))
    path = Path(file)
    if not path.exists():
        raise DataError.of(Code.NO_SUCH_FILE, "no such file or folder", path)
    if name == "alce":
        name = _alce(path)
    if name not in DATASETS:
        raise UnknownName("data set", name, (*DATASETS, "alce"), see="argue-bench list datasets")
    dataset = load(name, split, path)
    drawn, rows = dataset.name == "luciole" and dataset.version, len(dataset)
    if drawn:
        dataset = import_text(LUCIOLE)(split, path, secret=secrets.token_hex())
    if dataset.sealed:
        raise DataError.of(
            Code.EMPTY, "no question of it has gold, so nothing could be scored", path
        )
    terms, notes = _ranking(dataset)
    if drawn:
        notes.append(
            "Which rows lost their support was drawn in secret. Whoever has the rows sees it, so take none that were published."
        )
        if left_out := rows - len(dataset):
            notes.append(
                f"{left_out:,} of {rows:,} rows are left out: their documents, or those of other rows, would tell whether they have support."
            )
    wanted = tuple(dict.fromkeys(page for question in dataset for page in question.evidence))
    if wanted and pages:
        read = _read_pages(wanted, pages)
        if lacking := [page.title for page in wanted if page.title not in read]:
            without = [x.id for x in dataset if any(page.title in lacking for page in x.evidence)]
            why = "are gone" if pages == FETCH else f"have no id and no TITLE.md in {pages}"
            notes.append(
                f"{len(lacking):,} pages {why}: {len(without):,} questions ({few(without, 3)}) go without {few(lacking, 3)}."
            )
        dataset = _with_pages(dataset, read)
    elif wanted or not dataset.documents:
        terms["settings"] = ("closedbook",)
        notes += [
            f"The questions rest on {len(wanted):,} pages whose texts are not in {path}: without "
            "--setting the season is closed book only. --pages DIR brings them from a folder, --pages fetch from Wikipedia."
        ] * bool(wanted)
    return SeasonData(path, dataset, terms, tuple(notes))


def _without_given(question: Question) -> Question:
    """The question with the gold strings that neither it nor the titles of its pages hold; all of them where none is left."""
    titles = "\n".join((question.text, *(page.title for page in question.evidence)))
    given, gold = f" {' '.join(fold(titles))} ", question.gold
    kept = gold and tuple(x for x in leaves(gold.answer) if f" {' '.join(fold(x))} " not in given)
    return replace(question, gold=replace(gold, answer=kept)) if gold and kept else question


def asked_in_a_run(folder: Path, terms: Terms) -> str:
    """A note on how often an honest run asks the season's judge in a setting; empty where that is the lexical one.

    By the first answers of a baseline that quotes. What a model is asked costs money and minutes, and a run that
    ends by these is spent.
    """
    from argue_bench.baselines import generate
    from argue_bench.eval.driver import estimate_requests
    from argue_bench.eval.judging import prepare

    dataset = load_folder(folder)
    sample = dataset[:SAMPLED]
    if terms.judge == "lexical" or not dataset.documents:
        return ""
    answers = list(generate("nearest-sentences", sample, "evidenceprovided"))
    asking = [metric for metric in map(parse, terms.metrics) if metric.requests]
    ready = prepare(sample, answers, asking, judge=terms.judge)
    bounds = estimate_requests(ready.cases(), ready.selection.metrics)
    fewest, most = (
        # In two digits, since it is an estimate.
        float(f"{sum(counts) * len(dataset) / len(sample):.2g}")
        for counts in ([one.fewest for one in bounds], [one.most for one in bounds])
    )
    if not most:
        return ""
    return (
        f"A run asks {terms.judge} some {fewest:,.0f} to {most:,.0f} times or more in a setting. argue-bench evaluate --dry-run says what that "
        "costs: JUDGE_BUDGET and the workflow's minutes must hold it, or fewer questions, or asking=batched."
    )


def fits_into_an_answer(folder: Path, limit: int | None) -> str:
    """A warning where an answer may hold all documents of most questions; empty where it may not."""
    dataset = load_folder(folder)
    sizes = {id: len(one.text) for id, one in dataset.documents.items()}
    whole = sum(sizes.values())
    length = median(sum(map(sizes.__getitem__, one.documents)) or whole for one in dataset)
    if not length or limit is None or length > limit:
        return ""
    return (
        f"Half of the questions have documents of {length:,.0f} characters or fewer, and an answer may have {limit:,}: who copies "
        "them all finds every fact. Add documents, or lower the limit in season.json."
    )


def answer_limit(published: Path) -> dict[str, int]:
    """The limit of a season, as terms, by published answers: at most 1 % of them exceed it.

    ``published`` is a file of answers, or a folder with such files at any depth. Raises DataError.
    """
    sizes = []
    for path in sorted(published.rglob("*.jsonl")) if published.is_dir() else [published]:
        for line in read_lines(path):
            given = line.value.get("answer") if isinstance(line.value, dict) else None
            if isinstance(given, str):
                # What is far over any limit need not be read to be counted as over it.
                read = read_answer("", given[: 10 * CHARACTERS], EMPTY_INDEX, "en", "")
                sizes.append((len(normalise("NFKC", given)), len(read.sentences)))
    if not sizes:
        raise DataError.of(Code.EMPTY, "no file holds a published answer", published)
    characters, sentences = np.percentile(np.array(sizes), WITHIN, axis=0, method="higher")
    # Rounded up to a figure that people remember.
    return {
        "limit": min(200_000, max(100, 100 * math.ceil(characters / 100))),
        "sentences": min(400, max(10, 10 * math.ceil(sentences / 10))),
    }


def _alce(path: Path) -> str:
    """Which of ALCE's sets a file holds."""
    rows = read_json(path) if path.is_file() else None
    rows = rows.get("data") if isinstance(rows, dict) else rows
    keys = {*rows[0]} if isinstance(rows, list) and rows and isinstance(rows[0], dict) else set()
    found = next((name for key, name in _ALCE.items() if key in keys), None)
    if found is None:
        raise DataError.of(
            Code.WRONG_SHAPE,
            f"its entries have none of {', '.join(_ALCE)}, by which ALCE's sets are told apart",
            path,
            hint="Name the set: alce-asqa:FILE.",
        )
    return found


def _ranking(dataset: Dataset) -> tuple[dict[str, Any], list[str]]:
    """Metrics and ranked score of a board for a set: its own metrics, those alone that need no judge."""
    metrics = {text: parse(BOARD_METRICS.get(text, (text,))[0]) for text in dataset.metrics}
    kept = {text: metric for text, metric in metrics.items() if not metric.requests}
    ranked = [f"{m}.{m.ranked_by[0]}" for m in kept.values() if m.ranked_by]
    if not ranked:
        raise UsageError(f"no metric of {dataset.name} ranks without a judge: name -m and --ranked")
    left = sorted(metrics.keys() - kept.keys())
    notes = [f"Not scored, since these need a judge: {', '.join(left)}."] if left else []
    notes += [
        f"{metric} takes the place of {text}, {BOARD_METRICS[text][1]}."
        for text, metric in kept.items()
        if text in BOARD_METRICS
    ]
    return {"metrics": tuple(map(str, kept.values())), "ranked": ranked[0]}, notes


def _read_pages(wanted: Sequence[Evidence], pages: str) -> dict[str, Document]:
    """Pages of an encyclopedia by title. Raises DataError with every page that could not be had."""
    if pages == FETCH:
        # Each page is a polite request with a pause: a set of 1,600 pages takes minutes.
        with progress("fetching pages", len(wanted)) as step:
            source, told = import_text(WIKIPEDIA_PAGES)(), _told(wanted, step)
            # One page that was removed since must not cost the others; a source with none is the wrong one.
            return dict(source.documents(told, pass_over_missing=True) or source.documents(wanted))
    folder, found, read = Path(pages), Findings(pages), {}
    for page in wanted:
        names = [f"{id}.md" for id in (f"{page.pageid}-dated", page.pageid, page.revid) if id]
        # Pages that were added to FanOutQA by hand have no id, and no file in its cache.
        if page.pageid is None:
            names = [f"{page.title.replace('/', '_')}.md"]
        path = next((folder / name for name in names if (folder / name).is_file()), None)
        if path is None and page.pageid is not None:
            found.add(Code.NO_SUCH_FILE, f"no {names[0]}, which is {page.title!r}")
        elif path is not None:
            read[page.title] = Document(
                page.title,
                path.read_text(encoding="utf-8", errors="replace"),
                page.title,
                url=page.url,
            )
    found.raise_errors()
    return read


def _told(pages: Iterable[Evidence], step: Step) -> Iterator[Evidence]:
    """The pages, each with a word of how many came before it."""
    for done, page in enumerate(pages):
        step(done)
        yield page


def _with_pages(dataset: Dataset, pages: dict[str, Document]) -> Dataset:
    found = ([page.title for page in one.evidence if page.title in pages] for one in dataset)
    questions = tuple(
        replace(one, documents=tuple(dict.fromkeys(titles)))
        for one, titles in zip(dataset, found, strict=True)
    )
    return replace(dataset, questions=questions, documents=pages, collection=True)


# Documents that a board's set may hold: they lie in its repository.
MOST_DOCUMENTS = 200_000
_TOPICS = ("topics.jsonl", "requests.jsonl", "topics.tsv")
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

        FOLDER/rubrics/ or rubrics.json       DRAGUN's rubrics
        FOLDER/nuggets/ or nuggets.jsonl      nugget files, or banks, one a line
        FOLDER/topics.jsonl, requests.jsonl or topics.tsv (ID, blank, TEXT)
        FOLDER/qrels.txt                      relevance labels (optional)
        FOLDER/documents.jsonl, collection.jsonl, collection/ ...     what may be cited (optional)

    A request is taken apart as the table says: which key of a topic is its title, its problem statement, its
    background; parts of a narrative become the question's decomposition. No code knows a track by its name.

    Raises DataError with every finding: files that are missing or cannot be read, topics without gold.
    """
    topics = _read_topics(board, folder)
    readers = {"rubrics": _rubrics, "nuggets": _nuggets}
    gold = readers.pop(board.gold)(folder)
    # Organisers may have the other kind of gold too, on some of the topics.
    for name, read in readers.items():
        if any((folder / f"{name}{ending}").exists() for ending in ("", ".json", ".jsonl")):
            for id, more in read(folder).items():
                gold.get(id, more)["gold"].update(more["gold"])
    documents = _documents(folder)
    topics = topics or {id: {} for id in gold}
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


def track_dataset(name: str, folder: Path) -> Dataset:
    """A track's files as a data set with metrics and limits of its board, and `rubric` where it has rubrics.

    Raises UnknownName, and DataError as `track_set` does.
    """
    board = track_board(name)
    with TemporaryDirectory() as place:
        write_files(Path(place), track_set(board, folder))
        # The digest is over the gold too, as on the board: a changed rubric or nugget is another set.
        made = load_folder(Path(place))
    own = ["rubric"] * any(one.gold is not None and bool(one.gold.rubric) for one in made)
    return replace(
        made,
        metrics=tuple(dict.fromkeys((*board.metrics, *own))),
        limits=AnswerLimits(board.limit, None, board.over_limit, board.unit),
    )


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
    topics = {id: row for id, (_, row) in import_text(TREC_ROWS)(path, found).items()}
    found.raise_errors()
    return topics


def _rubrics(folder: Path) -> dict[str, dict[str, Any]]:
    place = _place(folder, ("rubrics", "rubrics.json"), "DRAGUN's rubrics")
    return {
        topic: {"gold": {"rubric": [asdict(one) for one in rubric]}}
        for topic, rubric in import_text(DRAGUN_RUBRICS)(place).items()
    }


def _nuggets(folder: Path) -> dict[str, dict[str, Any]]:
    topics, _ = import_text(TREC_TOPICS)(_place(folder, ("nuggets", "nuggets.jsonl"), "nuggets"))
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
        raise DataError.of(
            Code.TOO_LARGE,
            f"the collection has {len(collection):,} documents, and a board holds {MOST_DOCUMENTS:,}",
            collection.paths[0],
            hint="Put those here that runs cite or assessors judged.",
        )
    return {
        id: {"id": id, "title": collection[id].title, "text": collection[id].text}
        for id in collection
    }


def _place(folder: Path, names: tuple[str, ...], what: str) -> Path:
    found = next((folder / name for name in names if (folder / name).exists()), None)
    if found is None:
        raise DataError.of(
            Code.NO_SUCH_FILE,
            f"the folder holds no {' or '.join(names)}",
            folder,
            hint=f"Put {what} there.",
        )
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
