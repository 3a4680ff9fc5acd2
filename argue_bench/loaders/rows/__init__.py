"""Own rows: question, contexts and answer of any RAG system, without citations or gold.

    ragas (old and new), deepeval, LangChain, LlamaIndex, TruLens, promptfoo, OpenAI chat logs,
    MT-RAG's evaluations; as JSON Lines, JSON, CSV, TSV, Parquet, a saved Hugging Face data set, a
    DataFrame or a list of objects

`read_rows` recognises the columns, makes ids, and gives a data set with its answers. A row that
cannot be read is a finding with its row and column; the others are read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, cast

from argue_bench.errors import Code, DataError, Finding, UsageError
from argue_bench.loaders.answers import own_index, with_ids
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import Findings
from argue_bench.loaders.rows.columns import (
    LACKS,
    QUOTED,
    REQUIRED,
    ROLES,
    BadContexts,
    ForeignAnswer,
    Placed,
    as_object,
    flatten,
    look_up,
    place_contexts,
    read_contexts,
    recognise,
    unwrap,
)
from argue_bench.loaders.rows.tables import HUB, file_rows, numbered, records, row_files, saved
from argue_bench.records import Answer, Document, Gold, Question, Request
from argue_bench.records.display import is_text
from argue_bench.records.untrusted import DEFAULT_LIMITS
from argue_bench.satellites import WEB_ANSWER, find_text
from argue_bench.text import read_answer
from argue_bench.text.language import READ, language_names, language_of, primary

# Rows that are looked at to tell rows from answers: the first may lack an optional column.
_LOOKED_AT = 10
# Keys of answers to a data set, of TREC reports and of run files.
_OF_ANSWERS = frozenset(
    ("id", "answer", "responses", "metadata", "header", "topic_id", "narrative_id", "request_id")
)
# The file name in findings about rows that came from no file; the line is their place from 1.
IN_MEMORY = "rows[]"


@dataclass(frozen=True)
class Rows:
    """What rows hold: a data set, its answers by question id, the column of each role, what is wrong."""

    dataset: Dataset
    answers: Mapping[str, Answer]
    columns: Mapping[str, str]
    findings: tuple[Finding, ...] = ()
    # Counts for a reader: rows, with contexts, with a reference, with citations.
    facts: Mapping[str, int] = field(default_factory=dict)
    # By question id: the file, and the line in it where the file is JSON Lines, else 0.
    places: Mapping[str, tuple[str, int]] = field(default_factory=dict)


def read_rows(
    source: Any,
    columns: Mapping[str, str] | None = None,
    *,
    web: bool = False,
    unasked: bool = False,
) -> Rows:
    """The rows of a file or folder or several, a DataFrame, a Hugging Face data set or a list of objects.

    With ``web`` the answers are reports that cite web addresses; with ``unasked`` a question may be empty.

    ``columns`` gives the column of a role ("question", "answer", "contexts", "reference", "id", "group") where
    its name is not a usual one; a dotted name looks into nested objects. Raises DataError where no
    row can be read, UsageError for an unknown role or source, MissingExtra.
    """
    reader = _Reader(dict(columns or {}), web, unasked)
    given = [source] if isinstance(source, str | Path) else source
    if not isinstance(given, list | tuple) or not given or not isinstance(given[0], str | Path):
        reader.read(IN_MEMORY, partial(numbered, records(source)))
        return reader.rows("rows", {})
    paths = [Path(one) for one in given]
    for path in (file for one in paths for file in row_files(one)):
        reader.read(path, partial(file_rows, path))
    place = "hub" if str(paths[0]).startswith(HUB) else "rows"
    # What is not there is a finding, and no source to look for again.
    read = tuple(str(one) for one in paths if place == "hub" or one.exists())
    named = tuple(f"{role}={name}" for role, name in (columns or {}).items())
    return reader.rows(paths[0].stem, {place: read, "columns": named})


def from_rows(
    source: Any, columns: Mapping[str, str] | None = None, on_bad_row: str = "raise"
) -> tuple[Dataset, list[Answer]]:
    """A data set and answers of rows, for `argue_bench.evaluate`.

    * ``source``: a path, a DataFrame, a Hugging Face data set or a list of objects.
    * ``columns`` gives the column of a role ("question", "answer", "contexts", "reference", "id",
      "group") where its name is not a usual one; a dotted name looks into nested objects.
    * ``on_bad_row``: "raise" a DataError with every finding, or "skip" those rows.

    Raises DataError, UsageError for an unknown role or source, and MissingExtra.
    """
    if on_bad_row not in ("raise", "skip"):
        raise UsageError(f"on_bad_row is 'raise' or 'skip', not {on_bad_row!r}")
    read = read_rows(source, columns)
    if on_bad_row == "raise" and any(one.level == "error" for one in read.findings):
        raise DataError(read.findings)
    return read.dataset, list(read.answers.values())


def looks_like_rows(path: Path) -> bool:
    """Whether a file or folder holds rows with a question and an answer, by its first rows.

    A file of answers ({"id", "answer"} or a TREC report) does not, nor does a core-format folder.
    """
    if str(path).startswith(HUB):
        return True
    if path.is_dir() and not saved(path):
        return any(map(looks_like_rows, row_files(path)))
    if path.is_dir() or path.suffix.casefold() in (".csv", ".tsv", ".parquet"):
        return True
    try:
        first = [flatten(row) for _, row in islice(file_rows(path, Findings(path)), _LOOKED_AT)]
    except DataError:
        return False
    known = {role for row in first for role in recognise(row)}
    # Rows with column names of their own are told apart from answers by having none of theirs.
    own = any(len(row) > 1 for row in first) and not any(_OF_ANSWERS & set(row) for row in first)
    return own or {*REQUIRED} <= known or any(LACKS in row for row in first)


def _web_answer(given: Any) -> ForeignAnswer | None:
    """A report that cites addresses, or a product's saved response; None where it is neither, or where
    this copy of the package has no folder that reads them."""
    reader = find_text(WEB_ANSWER)
    return cast("ForeignAnswer | None", reader(given) if reader is not None else None)


def _question(
    id: str,
    text: str,
    reference: str | None,
    background: str | None,
    placed: Placed,
    documents: Mapping[str, Document],
) -> Question:
    # Two systems' rows are paired by what was asked, since their ids are each system's own.
    asked = json.dumps([" ".join(text.split()), reference, background])
    texts = json.dumps([documents[one].text for one in placed.ids])
    return Question(
        id,
        text,
        None if background is None else Request(background=background),
        placed.ids,
        gold=Gold(answer=reference, long_answers=(reference,) if reference else ()),
        pairing=tuple(hashlib.sha256(p.encode()).hexdigest()[:16] for p in (asked, texts)),
        names=placed.names,
    )


class _Reader:
    """Collects questions, documents and answers row by row."""

    def __init__(self, given: Mapping[str, str], web: bool, unasked: bool) -> None:
        self._given, self._web, self._unasked = given, web, unasked
        self._asked: set[str] = set()
        self._found = Findings("")
        self._files: list[Findings] = []
        self._columns: dict[str, str] = {}
        self._questions: dict[str, Question] = {}
        self._documents: dict[str, Document] = {}
        self._answers: dict[str, Answer] = {}
        self._places: dict[str, tuple[str, int]] = {}
        self._facts = dict.fromkeys(("rows", "contexts", "references", "citations"), 0)

    def read(
        self, file: str | Path, rows: Callable[[Findings], Iterator[tuple[int, Mapping[str, Any]]]]
    ) -> None:
        """Reads the rows of one file, or of what Python code handed over."""
        self._found, before = Findings(file), self._facts["rows"]
        self._files.append(self._found)
        try:
            for number, row in rows(self._found):
                self._facts["rows"] += 1
                try:
                    self.add(number, flatten(row, self._given))
                except BadContexts as error:
                    self._found.add(Code.TOO_LARGE, str(error), number)
        except DataError as error:  # of one file; the others are read
            self._found.extend(error.findings)
        if self._facts["rows"] == before and not self._found.errors:
            self._found.add(Code.EMPTY, "there are no rows")

    def add(self, number: int, row: Mapping[str, Any]) -> None:
        named = {
            role: name for role, name in self._columns.items() if look_up(row, name) is not None
        }
        # A column that was found once stays, so that one odd row does not change what the others
        # mean.
        named = named | recognise(row, self._given) | named
        self._columns = {**named, **self._columns}
        missing = [role for role in REQUIRED if role not in named]
        if missing:
            self._missing(number, row, missing)
            return
        question = self._text(number, look_up(row, named["question"]), named["question"])
        answer = self._answer(number, row, named["answer"])
        if question is None or answer is None:
            return
        if not (question.strip() or self._unasked):
            self._found.add(Code.ROW_COLUMNS, f"the column {named['question']!r} is empty", number)
            return
        text = answer if isinstance(answer, str) else answer.text
        if not text.strip():
            message = f"the column {named['answer']!r} is empty: such an answer states nothing"
            self._found.note(Code.ROW_COLUMNS, message, number)
        for problem in () if isinstance(answer, str) else answer.problems:
            self._found.add(Code.CITATION_PLACE, problem, number, level="warning")
        id = self._id(row, named.get("id"))
        if id in self._questions:
            message = f"the id {id[:80]!r} was read before"
            self._found.add(Code.DUPLICATE_ID, message, number, hint="Give every row its own id.")
            return
        # Case and blanks do not make another question.
        same = " ".join(question.split()).casefold()
        if same in self._asked:
            message = f"the column {named['question']!r} repeats an earlier row's question; both are scored"
            self._found.note(Code.ROW_COLUMNS, message, number)
        self._asked.add(same)
        # A snapshot holds what the pages say; a response quotes of them what suits it.
        quoted = self._web and bool(row.get(QUOTED))
        documents = [] if quoted else self._contexts(number, row, named.get("contexts"))
        placed = place_contexts(documents, self._documents)
        for name in placed.doubled:
            self._found.note(
                Code.DUPLICATE_ID,
                f"the id {name[:80]!r} is that of several contexts: each stays, and it names all",
                number,
            )
        reference = None
        if "reference" in named:
            column = named["reference"]
            given = self._text(number, look_up(row, column), column, needed=False)
            reference = given if given and given.strip() else None
        background = told if isinstance(told := row.get("background"), str) else None
        asked = _question(id, question, reference, background, placed, self._documents)
        cluster, language = self._cluster(row, named), self._language(row, named, question, text)
        self._questions[id] = asked = replace(asked, cluster=cluster, language=language)
        self._answers[id] = self._read(asked, answer)
        self._places[id] = (self._found.file, number * self._found.by_line)
        self._facts["contexts"] += bool(placed.ids)
        self._facts["references"] += reference is not None

    def _read(self, question: Question, answer: str | ForeignAnswer) -> Answer:
        index = own_index(question, self._documents)
        # With web answers, addresses are those of the snapshot's pages.
        index = replace(index, addresses={}) if self._web else index
        read = (
            read_answer(question.id, answer, index, question.language)
            if isinstance(answer, str)
            else answer.read(question.id, index)
        )
        self._facts["citations"] += any(sentence.citations for sentence in read.sentences)
        return with_ids(read, question)

    def _language(
        self, row: Mapping[str, Any], named: Mapping[str, str], question: str, answer: str
    ) -> str:
        """The language that a row names by its tag; else that of its question and answer."""
        value = look_up(row, named["language"]) if "language" in named else None
        known = isinstance(value, str) and primary(value) in language_names()
        return str(value) if known else language_of(f"{question}\n{answer}"[:READ], "en")

    def _cluster(self, row: Mapping[str, Any], named: Mapping[str, str]) -> str:
        """The conversation or the like that a row belongs to; empty where it names none."""
        value = look_up(row, named["cluster"]) if "cluster" in named else None
        return str(value)[:128] if isinstance(value, str | int) else ""

    def rows(self, name: str, origin: Mapping[str, tuple[str, ...]]) -> Rows:
        """The rows that were read. Raises DataError where there are none."""
        findings = [one for found in self._files for one in found.all()]
        if not self._questions:
            raise DataError(findings)
        facts = self._facts
        metrics = ["faithfulness"] if facts["contexts"] else []
        # One bracket among hundreds of answers is an accident, not a way of citing.
        cites = bool(facts["citations"]) and 10 * facts["citations"] >= len(self._answers)
        metrics += ["support(citations=all)"] if cites and facts["contexts"] else []
        dataset = Dataset(
            name,
            "",
            tuple(self._questions.values()),
            self._documents,
            tuple(metrics),
            shared=False,
            source=origin,
        )
        return Rows(
            dataset,
            self._answers,
            self._columns,
            tuple(findings),
            facts,
            {} if "hub" in origin else self._places,
        )

    def _missing(self, number: int, row: Mapping[str, Any], roles: list[str]) -> None:
        if LACKS in row:
            self._found.add(Code.ROW_COLUMNS, str(row[LACKS]), number)
            return
        known = [self._columns[role] for role in roles if role in self._columns]
        empty = [name for name in ROLES[roles[0]] if name in row and row[name] is None]
        if known or empty:
            self._found.add(
                Code.ROW_COLUMNS, f"the column {(known or empty)[0]!r} is empty", number
            )
            return
        has = ", ".join(str(key)[:40] for key in list(row)[:12])
        message = f"the row has no column for the {' or the '.join(roles)}; it has {has}"
        hint = (
            f"Name it: --columns {roles[0]}=NAME, with a dot for the part of an object. "
            f"Usual names: {', '.join(ROLES[roles[0]][:4])}."
        )
        self._found.add(Code.ROW_COLUMNS, message, number, hint=hint)

    def _text(self, number: int, value: Any, column: str, needed: bool = True) -> str | None:
        # Exports wrap a single text into a list.
        value = value[0] if isinstance(value, list) and len(value) == 1 else value
        if isinstance(value, float) and value != value:  # NaN, the empty cell of pandas
            value = None
        if isinstance(value, bool | int | float):
            value = str(value)
        if isinstance(value, str) and len(value) > (most := DEFAULT_LIMITS.answer):
            self._found.add(
                Code.TOO_LARGE,
                f"the column {column!r} has {len(value):,} characters, at most {most:,} are read",
                number,
            )
            return None
        if isinstance(value, str) and is_text(value):
            return value
        if needed or value is not None:
            kind = "empty" if value is None else type(value).__name__
            kind = "half a surrogate pair" if isinstance(value, str) else kind
            self._found.add(
                Code.ROW_COLUMNS, f"the column {column!r} is {kind}, expected a text", number
            )
        return None

    def _answer(
        self, number: int, row: Mapping[str, Any], column: str
    ) -> str | ForeignAnswer | None:
        value = look_up(row, column)
        if isinstance(value, ForeignAnswer):
            return value
        nested = as_object(unwrap(value))
        if isinstance(nested, Mapping) and (response := _web_answer(nested)) is not None:
            return response
        if isinstance(nested, Mapping) and "content" in nested:  # a message of LangChain or a chat
            nested = nested["content"]
        if isinstance(nested, list):
            parts = [one.get("text") if isinstance(one, Mapping) else one for one in nested]
            texts = [one for one in parts if isinstance(one, str)]
            if len(texts) == len(parts):
                nested = "\n".join(texts)
                if len(parts) > 1:
                    message = f"the column {column!r} holds several texts, which are joined"
                    self._found.note(Code.ROW_COLUMNS, message, number)
        text = self._text(number, nested if isinstance(nested, str) else value, column)
        return text if text is None or not self._web else _web_answer(text) or text

    def _id(self, row: Mapping[str, Any], column: str | None) -> str:
        value = look_up(row, column) if column else None
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str) and value.strip() and is_text(value):
            return value.strip()[:300]
        # Counted over all rows, also bad ones: ids stay where a row before is mended.
        return f"row-{self._facts['rows']}"

    def _contexts(self, number: int, row: Mapping[str, Any], column: str | None) -> list[Document]:
        if column is None:
            return []
        value = look_up(row, column)
        try:
            documents = read_contexts(value)
            empty = sum(not one.text.strip() for one in documents)
        except BadContexts as error:
            self._found.add(Code.WRONG_SHAPE, f"the column {column!r}: {error}", number)
            return []
        if empty == len(documents):
            message = f"the column {column!r} is empty, so nothing can support the answer"
            self._found.note(Code.WRONG_SHAPE, message, number)
        elif empty:
            message = f"the column {column!r} holds empty contexts, which only count"
            self._found.note(Code.WRONG_SHAPE, message, number)
        elif (
            isinstance(value, str)
            and len(documents) == 1
            # In a table cells are texts: there one text is as it should be.
            and not str(self._found.file).removesuffix(".gz").endswith((".csv", ".tsv"))
        ):
            message = f"the column {column!r} is one text and not a list: it is one context"
            self._found.note(Code.WRONG_SHAPE, message, number)
        return documents
