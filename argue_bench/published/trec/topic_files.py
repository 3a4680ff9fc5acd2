"""Nuggets of TREC topics: files ``..._TOPIC.v3.json`` as Auto-ARGUE reads them, requests, qrels.

    {"query_id", "title_query", "full_query", "full_background", "nugget_bank":
        {QUESTION: {"question", "question_id", "aggregator_type": "OR"|"AND",
                    "answers": {TEXT: {"answer", "references": [{"doc_id"}]}},
                    "importance": "vital"|"okay" (optional), "wrong": [TEXT] (ours, optional)}}}

Source: https://github.com/hltcoe/auto-argue, nugget banks of version 3. The topic is the part of the
file's name after the last ``_``. Texts are kept as they are: answers that differ only by blanks are
two answers. A nugget without answers is a question that the documents do not answer.

A file of banks holds one a line (``NAME.nuggets.jsonl``), in either of two forms:

    {"query_id", "title_query", "format_version": "v3", "nugget_bank": {QUESTION: {...}}}
    {"query", "qid", "nuggets": [{"text", "importance"}]}                nuggetizer's, without questions

Source: trec-auto-judge base d58f174; castorini/nuggetizer d00dc3e. Where an aggregator is missing any answer
is enough; a claim (``claim_bank``) is an accepted answer to the topic's title. Of the second form each text
is the accepted answer to the topic's question. nuggetizer writes "failed" where no importance could be read,
and banks of version 3 may hold any text or number: such a nugget has none here, and a warning says so. AutoJudge's
annotation tool writes must_have (vital), should_have (okay) and avoid (left out, with a warning).

``load("trec", path=DIR)`` makes a data set of a folder:

    DIR/nuggets/NAME_TOPIC.v3.json     what good reports say (the split dev)
    DIR/requests.jsonl                 who asks for them and how long they may be (optional with dev)
    DIR/qrels.txt                      TOPIC 0 DOC REL, assessors' grades (optional)
    DIR/collection/ or collection.jsonl, documents.jsonl    what may be cited

Where DIR holds no collection, ``DOC_LOOKUP`` names one. The split ``test`` has the requests alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding, UsageError
from argue_bench.loaders.banks import SUFFIX
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import Findings
from argue_bench.loaders.source import lookup_folder
from argue_bench.published.trec.collection import Collection, collection_paths, find_collection
from argue_bench.records import Document, Gold, Nugget, NuggetAnswer, Question, Request
from argue_bench.records.question import Weight
from argue_bench.records.untrusted import GOLD_LIMITS, open_bounded, read_json, read_lines

REQUEST_KEYS = ("request_id", "topic_id", "narrative_id", "turn_id", "id", "docid", "qid")
# Importance as nuggetizer's files have it, and as AutoJudge's annotation tool exports it.
_WEIGHTS: dict[str | None, Weight] = {
    "vital": "vital",
    "okay": "okay",
    "must_have": "vital",
    "should_have": "okay",
}
# The annotation tool's mark of what a report should not say.
AVOID = "avoid"
# Grades that trec-auto-judge reads.
_WORDS = {"True": 1, "False": 0}
_BANK_HINT = (
    "A line is a bank of version 3 (query_id, title_query, nugget_bank) or nuggetizer's "
    "(qid, query, nuggets)."
)
_SUB = "Write them as nuggets of the bank, if a report should be asked for them."
# Where the nuggets of nuggetizer's form stand.
_NUGGETS = "$.nuggets"
LAYOUT = "a folder with nuggets/, requests.jsonl, and if there are any qrels.txt and collection/"
REQUESTS = ("requests.jsonl", "topics.jsonl")
COLLECTIONS = ("collection", "collection.jsonl", "documents", "documents.jsonl")


@dataclass(frozen=True)
class NuggetTopic:
    """The nuggets of one topic."""

    id: str
    nuggets: tuple[Nugget, ...] = ()
    request: Request = field(default_factory=Request)


def read_topics(path: Path) -> tuple[dict[str, NuggetTopic], list[Finding]]:
    """The topics by id of a nugget file, of every ``*.v3.json`` of a folder, or of a file of banks, one a
    line (``*.jsonl``) or one alone (``*.json``), and what a reader should know about the files (warnings,
    notices). Raises DataError with all findings.
    """
    found = Findings(path)
    topics: dict[str, NuggetTopic] = {}
    for file, line, value in _banks(path, found):
        own = Findings(file)
        topic = _topic(file, value if isinstance(value, dict) else {}, own)
        if topic is not None:
            if topic.id in topics:
                own.add(Code.DUPLICATE_TOPICS, f"a second bank for the topic {topic.id!r}")
            topics[topic.id] = topic
        found.extend(replace(one, line=line) for one in own.all())
    if not topics and not found.errors:
        found.add(Code.EMPTY, "there is no nugget bank", hint=f"Call files NAME_TOPIC{SUFFIX}.")
    found.raise_errors()
    return topics, found.all()


def _banks(path: Path, found: Findings) -> Iterator[tuple[Path, int | None, Any]]:
    """File, line and value of each bank."""
    if path.suffix == ".jsonl":
        for line in read_lines(path, GOLD_LIMITS):
            found.extend(line.findings)
            if line.read:
                yield path, line.number, line.value
        return
    for file in sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]:
        try:
            value = read_json(file)
        except DataError as error:
            found.extend(error.findings)
        else:
            yield file, None, value


def _topic(file: Path, row: Mapping[str, Any], found: Findings) -> NuggetTopic | None:
    """The topic in one bank; None, with a finding, where it is none."""
    key = "qid" if "nuggets" in row or ("qid" in row and "query_id" not in row) else "query_id"
    title = row.get("title_query" if key == "query_id" else "query")
    # Where a bank's query_id is null, trec-auto-judge names the topic by its title.
    unnamed = isinstance(title, str) and key == "query_id" and row.get(key, "") is None
    id = _md5(str(title)) if unnamed else row.get(key)
    if file.name.endswith(SUFFIX):
        named = file.name.removesuffix(SUFFIX).rpartition("_")[2]
        if "nugget_bank" not in row:
            found.add(Code.NUGGET_FILE, "this is not a nugget file: it has no nugget_bank")
            return None
        if row.get(key) is not None and str(id) != named:
            found.add(
                Code.WRONG_SHAPE,
                f"query_id is {id!r}, the file's name says {named!r}: call it NAME_{id}{SUFFIX}",
                path="$.query_id",
            )
        id = named
    if not isinstance(id, str) or not id:
        found.add(Code.NUGGET_FILE, f"{key} is {id!r:.60}, not a text", hint=_BANK_HINT)
        return None
    if not isinstance(title, str) and not file.name.endswith(SUFFIX):
        found.add(Code.NUGGET_FILE, f"its query is {title!r:.60}, not a text", hint=_BANK_HINT)
    if key == "query_id":
        return topic_of_bank(id, row, found)
    question, rows = str(title or id), row.get("nuggets", [])
    claims = rows if isinstance(rows, list) else [rows]
    nuggets = [_claim(id, question, one, _NUGGETS, found) for one in claims]
    return NuggetTopic(id, tuple(filter(None, nuggets)), Request(title=question))


def topic_of_bank(id: str, data: Mapping[str, Any], found: Findings) -> NuggetTopic:
    """The topic in a parsed nugget bank; what is wrong with it, and what a reader should know, is found."""
    nuggets: dict[str, Nugget] = {}
    asked = str(data.get("title_query") or id)
    for part in ("nugget_bank", "claim_bank"):
        bank = {} if data.get(part) is None else data[part]
        if not isinstance(bank, dict):
            found.add(Code.NUGGET_FILE, f"{part} is not an object", hint=_BANK_HINT)
            continue
        for text, row in bank.items():
            where = f"$.{part}[{text[:60]!r}]"
            if not isinstance(row, dict):
                found.add(Code.WRONG_SHAPE, "a nugget is not an object", path=where)
                continue
            nugget = (
                _nugget(text, row, where, found)
                if part == "nugget_bank"
                else _claim(id, asked, {**row, "text": text}, where, found)
            )
            if nugget is None:
                continue
            if nugget.id in nuggets:
                found.add(Code.DUPLICATE_ID, f"the id {nugget.id!r} occurs twice", path=where)
            nuggets[nugget.id] = nugget
    # What the format allows and what changes scores all the same.
    if len({nugget.weight is None for nugget in nuggets.values()}) == 2:
        found.add(
            Code.MIXED_IMPORTANCE,
            "some nuggets are labelled vital or okay and some are not",
            level="warning",
        )
    linked = [bool(one.references) for nugget in nuggets.values() for one in nugget.answers]
    if any(linked) and not all(linked):
        found.add(
            Code.UNLINKED_ANSWERS,
            f"{linked.count(False)} answers name no document",
            level="notice",
        )
    return NuggetTopic(
        id,
        tuple(nuggets.values()),
        _request(data, "title_query", "full_query", "full_background"),
    )


def _nugget(question: str, row: Mapping[str, Any], where: str, found: Findings) -> Nugget | None:
    """A question with its answers, or None where a good report does not give them."""
    kind = row.get("aggregator_type")
    if kind not in ("OR", "AND", "Default", None):
        found.add(Code.WRONG_VALUE, f"aggregator_type is {kind!r}, not 'OR' or 'AND'", path=where)
    if row.get("question", question) != question:
        found.add(Code.WRONG_SHAPE, "the key and the question differ", path=where)
    wrong = row.get("wrong", [])
    answers = {} if row.get("answers") is None else row["answers"]
    if row.get("sub_nuggets"):
        found.add(
            Code.NUGGET_FILE, "sub_nuggets are not read", path=where, hint=_SUB, level="warning"
        )
    if not isinstance(wrong, list) or not all(isinstance(text, str) for text in wrong):
        found.add(Code.WRONG_SHAPE, "wrong is not a list of texts", path=where)
        wrong = []
    if not isinstance(answers, dict):
        found.add(Code.WRONG_SHAPE, "answers is not an object of texts", path=where)
        answers = {}
    nugget = Nugget(
        str(row.get("question_id") or _md5(question)),
        question,
        tuple(
            _answer(text, one, f"{where}.answers[{text[:40]!r}]", found)
            for text, one in answers.items()
        ),
        "all" if kind == "AND" else "any",
        _weight(row, question, where, found),
        tuple(wrong),
    )
    return None if row.get("importance") == AVOID else nugget


def _claim(topic: str, asked: str, row: Any, where: str, found: Findings) -> Nugget | None:
    """A claim as a nugget: an accepted answer to the topic's title, or to a question of its own."""
    text = row.get("text") if isinstance(row, dict) else None
    if not isinstance(text, str):
        found.add(Code.WRONG_SHAPE, "a nugget has no text", path=where, hint=_BANK_HINT)
        return None
    # nuggetizer's nuggets have no id; one text may be a nugget of several topics.
    id = str(row.get("claim_id") or _md5(text if "claim_bank" in where else f"{topic} {text}"))
    answer = _answer(text, {"references": row.get("references") or []}, where, found)
    weight = _weight(row, text, where, found)
    nugget = Nugget(id, str(row.get("question") or asked), (answer,), "any", weight)
    return None if row.get("importance") == AVOID else nugget


def _weight(row: Mapping[str, Any], text: str, where: str, found: Findings) -> Weight | None:
    """The importance of a nugget. What nuggetizer or an annotation tool writes and no weight follows from
    is none, with a warning; anything else is an error."""
    given = row.get("importance")
    if given is None or (isinstance(given, str) and given in _WEIGHTS):
        return _WEIGHTS.get(given)
    # Banks of version 3 may hold any text or number; nuggetizer writes its own words alone.
    if given in ("failed", AVOID) or (where != _NUGGETS and isinstance(given, str | int | float)):
        left = "is left out: a good report avoids it"
        why = left if given == AVOID else f"has the importance {given!r:.60}, which is no weight"
        found.add(Code.MIXED_IMPORTANCE, f"{text!r:.60} {why}", path=where, level="warning")
    else:
        found.add(
            Code.WRONG_VALUE, f"importance is {given!r:.40}, not 'vital' or 'okay'", path=where
        )
    return None


def _answer(text: str, row: Any, where: str, found: Findings) -> NuggetAnswer:
    references = row.get("references") if isinstance(row, dict) else 0
    listed = [] if references is None else references if isinstance(references, list) else [0]
    ids: list[Any] = [one.get("doc_id") if isinstance(one, dict) else one for one in listed]
    if not all(isinstance(id, str) for id in ids):
        found.add(Code.WRONG_SHAPE, "references is not a list of {doc_id}", path=where)
    if isinstance(row, dict) and row.get("answer", text) != text:
        found.add(Code.WRONG_SHAPE, "the key and the answer differ", path=where)
    return NuggetAnswer(text, tuple(dict.fromkeys(id for id in ids if isinstance(id, str))))


def _md5(text: str) -> str:
    """What trec-auto-judge names a nugget by that has no id."""
    return hashlib.md5(text.encode()).hexdigest()


def _request(
    row: Mapping[str, Any], title: str, problem: str, background: str, limit: int | None = None
) -> Request:
    """The request under these keys; what is missing or null is empty."""
    first, second, third = (str(row.get(key) or "") for key in (title, problem, background))
    return Request(first, second, third, limit)


def read_requests(path: Path) -> dict[str, Request]:
    """Report requests by id, one JSON object or ID, tab, TEXT (``*.tsv``) a line.

    Raises DataError with all findings.
    """
    found = Findings(path)
    requests: dict[str, Request] = {}
    for id, (line, row) in topic_rows(path, found).items():
        if type(limit := row.get("limit")) not in (int, type(None)):
            found.add(Code.WRONG_SHAPE, f"{limit!r:.60} is no whole number", line, "$.limit")
        # RAG calls a problem statement a narrative.
        problem = "problem_statement" if row.get("problem_statement") else "narrative"
        requests[id] = _request(row, "title", problem, "background", limit)
    found.raise_errors()
    return requests


def topic_rows(path: Path, found: Findings) -> dict[str, tuple[int, Mapping[str, Any]]]:
    """Each topic's line and keys by its id; what is wrong with the file is added to the findings."""
    topics: dict[str, tuple[int, Mapping[str, Any]]] = {}
    for number, row in _tsv_rows(path) if path.suffix == ".tsv" else _json_rows(path, found):
        id = next((row[key] for key in REQUEST_KEYS if row.get(key) is not None), None)
        if type(id) not in (str, int):
            found.add(
                Code.WRONG_SHAPE,
                "a topic has no id",
                number,
                hint=f"Its id is called {', '.join(REQUEST_KEYS)}.",
            )
        elif str(id) in topics:
            found.add(Code.DUPLICATE_ID, f"{id!r} occurs twice", number)
        else:
            topics[str(id)] = number, row
    return topics


def _json_rows(path: Path, found: Findings) -> Iterator[tuple[int, Mapping[str, Any]]]:
    for line in read_lines(path, GOLD_LIMITS):
        found.extend(line.findings)
        if line.read:
            yield line.number or 0, line.value if isinstance(line.value, dict) else {}


def _tsv_rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    with open_bounded(path, GOLD_LIMITS, str(path)) as file:
        for number, raw in enumerate(file, 1):
            id, _, text = raw.decode("utf-8-sig", "replace").strip().partition("\t")
            if id:
                yield number, {"id": id, "narrative": text, "problem_statement": text}


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Relevance judgments, lines ``TOPIC 0 DOC REL``: topic to document to grade.

    Raises DataError with all findings, also where there is no grade at all.
    """
    found = Findings(path)
    qrels: dict[str, dict[str, int]] = {}
    with open_bounded(path, GOLD_LIMITS, str(path)) as file:
        for number, raw in enumerate(file, 1):
            # Programs on Windows write a byte order mark, which would become part of the first
            # topic.
            line = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
            if not line.strip():
                continue
            try:
                topic, _, document, relevance = line.decode("utf-8").split()
                # "2.0" is a grade, too; 2.5 has no whole number as its ratio.
                grade, parts = float(_WORDS.get(relevance, relevance)).as_integer_ratio()
                if parts != 1:
                    raise ValueError(relevance)
            except (ValueError, OverflowError):  # a UnicodeDecodeError is one, too
                found.add(
                    Code.WRONG_SHAPE,
                    "this is not a line TOPIC 0 DOC REL",
                    number,
                    hint="Four words in UTF-8, the last a whole number.",
                )
                continue
            # The same grade twice is harmless; two grades are an error, since no rule says which
            # counts.
            first = qrels.setdefault(topic, {}).setdefault(document, grade)
            if first != grade:
                found.add(
                    Code.DUPLICATE_ID,
                    f"{document} on topic {topic} is graded {first} and {grade}",
                    number,
                )
    if not qrels and not found.errors:
        found.add(Code.EMPTY, "the file holds no grade", hint="Leave the file out, or fill it.")
    found.raise_errors()
    return qrels


def load_topics(
    nuggets: Path,
    documents: Mapping[str, Document] | None = None,
    requests: Path | None = None,
    qrels: Path | None = None,
    name: str = "nuggets",
) -> Dataset:
    """Topics with nuggets as a data set whose questions may cite any of the documents.

    Raises DataError with all findings, also where requests or qrels are on no topic of the nuggets.
    """
    topics, _ = read_topics(nuggets)
    asked = read_requests(requests) if requests is not None else {}
    grades = read_qrels(qrels) if qrels is not None else {}
    found = Findings(nuggets)
    for file, ids in ((requests, list(asked)), (qrels, list(grades))):
        if ids and topics.keys().isdisjoint(ids):
            first = next(iter(topics))
            message = f"no topic is in the nuggets: they have {first}, this file has {ids[0]}"
            hint = "Name the file that belongs to these nuggets."
            found.extend([Finding(Code.EMPTY, message, str(file), hint=hint)])
    found.raise_errors()
    questions = tuple(
        question_of(topic, asked.get(id), grades.get(id)) for id, topic in topics.items()
    )
    places = {"nuggets": nuggets, "requests": requests, "qrels": qrels}
    source: dict[str, tuple[str, ...]] = {
        key: (str(path),) for key, path in places.items() if path is not None
    }
    if documents is not None and (lie := collection_paths(documents)):
        source["collection"] = tuple(map(str, lie))
    bare = Dataset(name, "dev", questions, metrics=("argue",), source={**source, "name": (name,)})
    # The documents may be a collection on disk: a digest over all of them would read it whole.
    return replace(
        bare, documents={} if documents is None else documents, declared_digest=bare.digest
    )


def question_of(
    topic: NuggetTopic, request: Request | None = None, relevance: Mapping[str, int] | None = None
) -> Question:
    """A topic as a question; a request of its own takes precedence over the nugget file's."""
    asked, gold = request or topic.request, Gold(nuggets=topic.nuggets, relevance=relevance or {})
    return Question(topic.id, asked.problem_statement or asked.title or topic.id, asked, gold=gold)


def load_trec(split: str, path: Path | None) -> Dataset:
    """The topics in a folder. Raises UsageError (no folder) and DataError (with all findings)."""
    if path is None:
        raise UsageError(f"trec is read from a local copy: --data DIR, {LAYOUT}")
    if not path.is_dir():
        raise UsageError(f"No such folder: {path}. trec is read from {LAYOUT}.")
    requests, documents = _first(path, REQUESTS), collection_in(path)
    if documents is None and lookup_folder():
        documents = Collection(find_collection())
    digest = documents.digest if documents is not None else ""
    if split == "dev":
        nuggets = path / "nuggets" if (path / "nuggets").is_dir() else path
        qrels = path / "qrels.txt" if (path / "qrels.txt").is_file() else None
        topics = load_topics(nuggets, None, requests, qrels)
    elif requests is not None:
        questions = tuple(
            Question(id, request.problem_statement or request.title or id, request)
            for id, request in read_requests(requests).items()
        )
        topics = Dataset("trec", "test", questions)
    else:
        why = f"the folder holds no requests, {' or '.join(REQUESTS)}"
        raise DataError.of(Code.EMPTY, why, path, hint="The split test needs them.")
    whole = hashlib.sha256(f"{topics.digest} {digest}".encode()).hexdigest()
    note = "" if digest else "No collection was found, so nothing that is cited attests anything."
    return replace(
        topics,
        name="trec",
        split=split,
        documents={} if documents is None else documents,
        note=note,
        metrics=("argue",),
        declared_digest=f"sha256:{whole}",
        source={},
    )


def collection_in(folder: Path) -> Collection | None:
    """The documents that lie in a track's folder. Raises DataError as `Collection` does."""
    place = _first(folder, COLLECTIONS)
    return None if place is None else Collection(place)


def _first(folder: Path, names: tuple[str, ...]) -> Path | None:
    return next((folder / name for name in names if (folder / name).exists()), None)
