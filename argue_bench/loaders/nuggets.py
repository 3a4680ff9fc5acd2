"""Nuggets of TREC topics: files ``..._TOPIC.v3.json`` as Auto-ARGUE reads them, requests, qrels.

    {"query_id", "title_query", "full_query", "full_background", "test_collection", "nugget_bank":
        {QUESTION: {"question", "question_id", "aggregator_type": "OR"|"AND",
                    "answers": {TEXT: {"answer", "references": [{"doc_id"}]}},
                    "importance": "vital"|"okay" (optional), "wrong": [TEXT] (ours, optional)}}}

The topic is the part of the file's name after the last ``_``. Texts are kept as they stand: answers
that differ only by blanks are two answers. A question without answers is one that has none.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from argue_bench.errors import Code, DataError, Finding
from argue_bench.loaders.dataset import Dataset
from argue_bench.records import Document, Gold, Nugget, NuggetAnswer, Question, Request
from argue_bench.records.atomic import atomic_write
from argue_bench.records.nugget import Combine, Weight
from argue_bench.records.untrusted import GOLD_LIMITS, open_bounded, read_json, read_lines

SUFFIX = ".v3.json"
REQUEST_KEYS = ("request_id", "topic_id", "narrative_id", "turn_id", "id")
_COMBINE: dict[str, Combine] = {"OR": "any", "AND": "all"}


@dataclass(frozen=True)
class NuggetTopic:
    """One nugget file."""

    id: str
    nuggets: tuple[Nugget, ...]
    request: Request = field(default_factory=Request)
    collection: str = ""


@dataclass(frozen=True)
class NuggetTopics:
    """Topics by id, with what a reader should know about the files (warnings, notices)."""

    topics: Mapping[str, NuggetTopic]
    findings: tuple[Finding, ...] = ()


def read_topics(path: Path) -> NuggetTopics:
    """A nugget file, or every ``*.v3.json`` of a folder. Raises DataError with all findings."""
    files = sorted(path.glob(f"*{SUFFIX}")) if path.is_dir() else [path]
    if not files:
        raise DataError.of(
            Code.NO_NUGGETS,
            "the folder holds no nugget file",
            path,
            hint=f"Nugget files are called NAME_TOPIC{SUFFIX}.",
        )
    findings: list[Finding] = []
    topics: dict[str, NuggetTopic] = {}
    for file in files:
        topic = _read_topic(file, findings)
        if topic is None:
            continue
        if topic.id in topics:
            findings.append(
                Finding(
                    Code.DUPLICATE_TOPIC,
                    f"a second file for the topic {topic.id!r}",
                    str(file),
                    hint="Keep one of them.",
                )
            )
        topics[topic.id] = topic
    if any(finding.level == "error" for finding in findings):
        raise DataError(findings)
    return NuggetTopics(topics, tuple(findings))


def topic_of(path: Path) -> str:
    """The topic that a nugget file's name says."""
    return path.name.removesuffix(SUFFIX).rpartition("_")[2]


def read_requests(path: Path) -> dict[str, Request]:
    """Report requests by id, one JSON object a line. Raises DataError with all findings."""
    findings: list[Finding] = []
    requests: dict[str, Request] = {}
    for line in read_lines(path, GOLD_LIMITS):
        findings.extend(line.findings)
        if not line.read:
            continue
        row = line.value
        keys = [key for key in REQUEST_KEYS if key in row] if isinstance(row, dict) else []
        id = row[keys[0]] if keys else None
        if not isinstance(id, str | int) or isinstance(id, bool):
            findings.append(
                Finding(
                    Code.REQUEST_SHAPE,
                    "a request has no request_id",
                    str(path),
                    line.number,
                    hint=f"Its id is called {', '.join(REQUEST_KEYS)}.",
                )
            )
            continue
        limit = row.get("limit")
        if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool)):
            findings.append(
                Finding(
                    Code.REQUEST_LIMIT,
                    f"limit is {limit!r}, not a whole number",
                    str(path),
                    line.number,
                    "$.limit",
                )
            )
            limit = None
        if str(id) in requests:
            findings.append(
                Finding(Code.DUPLICATE_REQUEST, f"{id!r} stands twice", str(path), line.number)
            )
        title, problem, background = (
            str(row.get(key) or "") for key in ("title", "problem_statement", "background")
        )
        requests[str(id)] = Request(title, problem, background, limit)
    if any(finding.level == "error" for finding in findings):
        raise DataError(findings)
    return requests


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Relevance judgments, lines ``TOPIC 0 DOC REL``: topic to document to label.

    Raises DataError with all findings, also where there is no label at all.
    """
    findings: list[Finding] = []
    qrels: dict[str, dict[str, int]] = {}

    def find(code: Code, message: str, line: int | None, hint: str) -> None:
        findings.append(Finding(code, message, str(path), line, hint=hint))

    with open_bounded(path, GOLD_LIMITS, str(path)) as file:
        for number, raw in enumerate(file, 1):
            if number == 1:
                raw = raw.removeprefix(b"\xef\xbb\xbf")
            if not raw.strip():
                continue
            try:
                topic, _, document, relevance = raw.decode("utf-8").split()
                label = int(relevance)
            except ValueError:  # a UnicodeDecodeError is one, too
                find(
                    Code.QRELS_LINE,
                    "this is not a line TOPIC 0 DOC REL",
                    number,
                    "Four words in UTF-8, the last a whole number.",
                )
                continue
            first = qrels.setdefault(topic, {}).setdefault(document, label)
            if first != label:
                find(
                    Code.TWO_LABELS,
                    f"{document} on topic {topic} is labelled {first} and {label}",
                    number,
                    "Keep one of them.",
                )
    if not qrels and not findings:
        find(Code.NO_LABELS, "the file holds no label", None, "Leave the file out, or fill it.")
    if findings:
        raise DataError(findings)
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
    topics = read_topics(nuggets).topics
    asked = read_requests(requests) if requests is not None else {}
    labels = read_qrels(qrels) if qrels is not None else {}
    given = ((requests, list(asked)), (qrels, list(labels)))
    if strange := [
        Finding(
            Code.NO_SHARED_TOPIC,
            f"it has none of the topics of the nuggets, such as {next(iter(topics))}, but {ids[0]}",
            str(file),
            hint="Name the file that belongs to these nuggets.",
        )
        for file, ids in given
        if ids and topics.keys().isdisjoint(ids)
    ]:
        raise DataError(strange)
    questions = tuple(
        question_of(topic, asked.get(id), labels.get(id)) for id, topic in topics.items()
    )
    bare = Dataset(name, "dev", questions)
    return Dataset(
        name, "dev", questions, documents or {}, metrics=("argue",), declared_digest=bare.digest
    )


def question_of(
    topic: NuggetTopic, request: Request | None = None, relevance: Mapping[str, int] | None = None
) -> Question:
    """A topic as a question; a request of its own takes precedence over the nugget file's."""
    asked = request or topic.request
    text = asked.problem_statement or asked.title or topic.id
    gold = Gold(nuggets=topic.nuggets, relevance=dict(relevance or {}))
    return Question(topic.id, text, asked, gold=gold)


def write_topics(folder: Path, questions: Iterable[Question]) -> list[Path]:
    """Writes the nuggets of each question as a file that `read_topics` and Auto-ARGUE read.

    Wrong answers stand under ``wrong``, which Auto-ARGUE does not know. Raises DataError where the
    disk refuses, and where an id can't be a file's name.
    """
    written = []
    for question in questions:
        if not question.id or set(question.id) & set("/_\\\0"):
            raise DataError.of(
                Code.TOPIC_ID, f"{question.id!r} can't stand in the name of a nugget file"
            )
        path = folder / f"nuggets_{question.id}{SUFFIX}"
        with atomic_write(path) as file:
            json.dump(_to_json(question), file, ensure_ascii=False, indent=1)
        written.append(path)
    return written


def _to_json(question: Question) -> dict[str, Any]:
    request = question.request or Request(problem_statement=question.text)
    nuggets = question.gold.nuggets if question.gold is not None else ()
    return {
        "query_id": question.id,
        "title_query": request.title,
        "full_query": request.problem_statement,
        "full_background": request.background,
        "format_version": "v3",
        "nugget_bank": {
            nugget.question: {
                "question": nugget.question,
                "question_id": nugget.id,
                "aggregator_type": "AND" if nugget.combine == "all" else "OR",
                "query_id": question.id,
                **({} if nugget.weight is None else {"importance": nugget.weight}),
                "answers": {
                    answer.text: {
                        "answer": answer.text,
                        "references": [{"doc_id": id} for id in answer.references],
                    }
                    for answer in nugget.answers
                },
                **({"wrong": list(nugget.wrong)} if nugget.wrong else {}),
            }
            for nugget in nuggets
        },
    }


class _Nuggets:
    """Reads the bank of one file; whatever is wrong becomes a finding with its JSON path."""

    def __init__(self, file: Path, findings: list[Finding]) -> None:
        self._file, self._findings = str(file), findings

    def find(self, code: Code, message: str, path: str, hint: str = "") -> None:
        self._findings.append(Finding(code, message, self._file, None, path, hint))

    def read(self, bank: Mapping[str, Any]) -> Iterator[Nugget]:
        ids: dict[str, str] = {}
        for question, row in bank.items():
            where = f"$.nugget_bank[{question[:60]!r}]"
            if not isinstance(row, dict):
                self.find(Code.NUGGET_SHAPE, "a nugget is not an object", where)
                continue
            nugget = self._nugget(question, row, where)
            if nugget.id in ids:
                self.find(
                    Code.DUPLICATE_NUGGET, f"the question_id {nugget.id!r} stands twice", where
                )
            ids[nugget.id] = question
            yield nugget

    def _nugget(self, question: str, row: Mapping[str, Any], where: str) -> Nugget:
        kind = row.get("aggregator_type")
        if not isinstance(kind, str) or kind not in _COMBINE:
            self.find(
                Code.AGGREGATOR,
                f"aggregator_type is {kind!r}, not 'OR' or 'AND'",
                where,
                "No rule says how such a nugget counts.",
            )
        weight = row.get("importance")
        if weight not in ("vital", "okay", None):
            self.find(Code.IMPORTANCE, f"importance is {weight!r}, not 'vital' or 'okay'", where)
            weight = None
        if row.get("question", question) != question:
            self.find(Code.NUGGET_QUESTION, "the key and the question differ", where)
        wrong = row.get("wrong", [])
        if not isinstance(wrong, list) or not all(isinstance(text, str) for text in wrong):
            self.find(Code.WRONG_ANSWERS, "wrong is not a list of texts", where)
            wrong = []
        return Nugget(
            str(row.get("question_id") or hashlib.md5(question.encode()).hexdigest()),
            question,
            tuple(self._answers(row.get("answers", {}), where)),
            _COMBINE.get(str(kind), "any"),
            cast("Weight | None", weight),
            tuple(wrong),
        )

    def _answers(self, answers: Any, where: str) -> Iterator[NuggetAnswer]:
        if not isinstance(answers, dict):
            self.find(Code.ANSWERS_SHAPE, "answers is not an object of texts", where)
            return
        for text, row in answers.items():
            inside = f"{where}.answers[{text[:40]!r}]"
            references = row.get("references", []) if isinstance(row, dict) else None
            ids: list[Any] = (
                [one.get("doc_id") if isinstance(one, dict) else one for one in references]
                if isinstance(references, list)
                else [None]
            )
            if not all(isinstance(id, str) for id in ids):
                self.find(Code.REFERENCES, "references is not a list of {doc_id}", inside)
                ids = []
            if isinstance(row, dict) and row.get("answer", text) != text:
                self.find(Code.ANSWER_TEXT, "the key and the answer differ", inside)
            yield NuggetAnswer(text, tuple(dict.fromkeys(ids)))


def _read_topic(file: Path, findings: list[Finding]) -> NuggetTopic | None:
    try:
        data = read_json(file)
    except DataError as error:
        findings.extend(error.findings)
        return None
    bank = data.get("nugget_bank") if isinstance(data, dict) else None
    if not isinstance(bank, dict):
        findings.append(
            Finding(
                Code.NUGGET_FILE,
                "this is not a nugget file: it has no nugget_bank",
                str(file),
                hint="Nugget files of version 3 are read.",
            )
        )
        return None
    id, said = topic_of(file), data.get("query_id")
    if said is not None and str(said) != id:
        findings.append(
            Finding(
                Code.TOPIC_ID,
                f"query_id is {said!r}, the file's name says {id!r}",
                str(file),
                path="$.query_id",
                hint=f"Call the file NAME_{said}{SUFFIX}.",
            )
        )
    nuggets = tuple(_Nuggets(file, findings).read(bank))
    findings.extend(_told(file, nuggets))
    title, query, background = (
        str(data.get(key) or "") for key in ("title_query", "full_query", "full_background")
    )
    request = Request(title, query, background)
    return NuggetTopic(id, nuggets, request, str(data.get("test_collection") or ""))


def _told(file: Path, nuggets: tuple[Nugget, ...]) -> Iterator[Finding]:
    """What is right by the format and moves scores all the same."""
    if len({nugget.weight is None for nugget in nuggets}) == 2:
        yield Finding(
            Code.MIXED_IMPORTANCE,
            "some nuggets are labelled vital or okay and some are not",
            str(file),
            hint="Weighted scores do not apply to this topic.",
            level="warning",
        )
    linked = any(answer.references for nugget in nuggets for answer in nugget.answers)
    loose = sum(not answer.references for nugget in nuggets for answer in nugget.answers)
    if linked and loose:
        yield Finding(
            Code.UNLINKED_ANSWERS,
            f"{loose} answers name no document",
            str(file),
            level="notice",
            hint="No assessor attested them; under look-up rules they can never match.",
        )
