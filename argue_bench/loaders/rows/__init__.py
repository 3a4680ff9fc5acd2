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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from argue_bench.errors import Code, DataError, Finding, UsageError
from argue_bench.loaders.dataset import Dataset
from argue_bench.loaders.findings import Findings
from argue_bench.loaders.rows.columns import REQUIRED, ROLES, look_up, recognise
from argue_bench.loaders.rows.contexts import BadContexts, read_contexts, unwrap
from argue_bench.loaders.rows.logs import flatten, rows_of
from argue_bench.loaders.rows.oddities import Oddities
from argue_bench.loaders.rows.responses import QUOTED
from argue_bench.loaders.rows.tables import HUB, file_rows, numbered
from argue_bench.loaders.rows.traces import LACKS
from argue_bench.records import Answer, Document, Gold, Question, Request
from argue_bench.records.untrusted import is_text
from argue_bench.text import CitationIndex, read_answer
from argue_bench.text.products import ProductAnswer, read_product_response
from argue_bench.text.products.web_answer import read_web_answer
from argue_bench.text.web import identity_key

_LOOKED_AT = 10
_OF_ANSWERS = frozenset(
    ("id", "answer", "responses", "metadata", "header", "topic_id", "narrative_id", "request_id")
)
"""Keys of answers to a data set, of TREC reports and of run files."""
IN_MEMORY = "rows[]"
"""The file name in findings about rows that came from no file; the line is their place from 1."""


@dataclass(frozen=True)
class Rows:
    """What rows hold: a data set, its answers by question id, the column of each role, what is wrong."""

    dataset: Dataset
    answers: Mapping[str, Answer]
    columns: Mapping[str, str]
    findings: tuple[Finding, ...] = ()
    facts: Mapping[str, int] = field(default_factory=dict)
    """Counts for a reader: rows, with contexts, with a reference, with citations."""


def read_rows(source: Any, columns: Mapping[str, str] | None = None, *, web: bool = False) -> Rows:
    """The rows of a file, a folder, a DataFrame, a Hugging Face data set or a list of objects.

    With ``web`` the answers are reports that cite web addresses.

    ``columns`` gives the column of a role ("question", "answer", "contexts", "reference", "id", "cluster") where
    its name is not a usual one; a dotted name looks into nested objects. Raises DataError where no
    row can be read, UsageError for an unknown role or source, MissingExtra.
    """
    if isinstance(source, str | Path):
        path = Path(source)
        found = Findings(path)
        rows, name = file_rows(path, found), path.stem
        place = "hub" if str(path).startswith(HUB) else "rows"
        origin = {place: (str(path),), "columns": _texts(columns)}
    else:
        found = Findings(IN_MEMORY)
        rows, name, origin = numbered(_records(source), found), "rows", {}
    reader = _Reader(found, dict(columns or {}), web)
    for number, row in rows:
        reader.add(number, flatten(row))
    return reader.rows(name, origin)


def from_rows(
    source: Any, columns: Mapping[str, str] | None = None, on_bad_row: str = "raise"
) -> tuple[Dataset, list[Answer]]:
    """A data set and answers of rows, for `argue_bench.evaluate`.

    * ``source``: a path, a DataFrame, a Hugging Face data set or a list of objects.
    * ``columns`` gives the column of a role ("question", "answer", "contexts", "reference", "id",
      "cluster") where its name is not a usual one; a dotted name looks into nested objects.
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
    if path.is_dir():
        return (path / "dataset_info.json").is_file() or (path / "dataset_dict.json").is_file()
    if path.suffix.casefold() in (".csv", ".tsv", ".parquet"):
        return True
    try:
        first = [flatten(row) for _, row in islice(file_rows(path, Findings(path)), _LOOKED_AT)]
    except DataError:
        return False
    known = {role for row in first for role in recognise(row)}
    # Rows with column names of their own are told apart from answers by having none of theirs.
    own = any(len(row) > 1 for row in first) and not any(_OF_ANSWERS & set(row) for row in first)
    return own or {*REQUIRED} <= known or any(LACKS in row for row in first)


def _records(source: Any) -> Iterable[Any]:
    """The rows of what Python code hands over."""
    if hasattr(source, "to_dict") and hasattr(source, "columns"):  # a pandas DataFrame
        records: Iterable[Any] = source.to_dict("records")
        return records
    if isinstance(source, Mapping):
        return rows_of(source) or ()
    if isinstance(source, Iterable):
        return source
    raise UsageError(f"rows are a path, a DataFrame or a list of objects, not {source!r:.40}")


def _texts(columns: Mapping[str, str] | None) -> tuple[str, ...]:
    return tuple(f"{role}={name}" for role, name in (columns or {}).items())


class _Reader:
    """Collects questions, documents and answers row by row."""

    def __init__(self, found: Findings, given: Mapping[str, str], web: bool) -> None:
        self._found, self._given, self._web = found, given, web
        self._odd = Oddities(str(found.file))
        self._columns: dict[str, str] = {}
        self._questions: dict[str, Question] = {}
        self._documents: dict[str, Document] = {}
        self._answers: dict[str, Answer] = {}
        self._facts = dict.fromkeys(("rows", "contexts", "references", "citations"), 0)

    def add(self, number: int, row: Mapping[str, Any]) -> None:
        self._facts["rows"] += 1
        named = {
            role: name for role, name in self._columns.items() if look_up(row, name) is not None
        }
        for role, name in recognise(row, self._given).items():
            named.setdefault(role, name)
        self._columns = {**named, **self._columns}
        missing = [role for role in REQUIRED if role not in named]
        if missing:
            self._missing(number, row, missing)
            return
        question = self._text(number, row, named["question"])
        answer = self._answer(number, row, named["answer"])
        if question is None or answer is None:
            return
        if not question.strip():
            message = f"the column {named['question']!r} is empty"
            self._found.add(Code.ROW_COLUMNS, message, number)
            return
        if isinstance(answer, str) and not answer.strip():
            message = f"the column {named['answer']!r} is empty: such an answer states nothing"
            self._odd.note(Code.ROW_COLUMNS, message, number)
        for problem in self._problems(answer):
            self._found.add(Code.CITATION_PLACE, problem, number, level="warning")
        id = self._id(row, named.get("id"))
        if id in self._questions:
            message = f"the id {id[:80]!r} was read before"
            self._found.add(Code.DUPLICATE_ID, message, number, hint="Give every row its own id.")
            return
        self._odd.question(question, named["question"], number)
        # A snapshot holds what the pages say; a response quotes of them what suits it.
        quoted = self._web and bool(row.get(QUOTED))
        documents = [] if quoted else self._contexts(number, row, named.get("contexts"))
        reference = None
        if "reference" in named:
            given = self._text(number, row, named["reference"], needed=False)
            reference = given if given and given.strip() else None
        self._keep(id, question, answer, documents, reference, row, self._cluster(row, named))

    def _keep(
        self,
        id: str,
        question: str,
        answer: str | ProductAnswer,
        documents: list[Document],
        reference: str | None,
        row: Mapping[str, Any],
        cluster: str,
    ) -> None:
        ids: list[str] = []
        for document in documents:
            known = self._documents.get(document.id)
            if known is not None and known.text != document.text:
                document = Document(f"{id}-{document.id}"[:128], document.text, document.title)
            self._documents.setdefault(document.id, document)
            if document.id not in ids:
                ids.append(document.id)
        gold = Gold(answer=reference, long_answers=(reference,) if reference else ())
        given = row.get("background")
        background = given if isinstance(given, str) else None
        request = None if background is None else Request(background=background)
        asked = json.dumps([" ".join(question.split()), reference, background])
        texts = json.dumps([self._documents[one].text for one in ids])
        pairing = tuple(hashlib.sha256(part.encode()).hexdigest()[:16] for part in (asked, texts))
        self._questions[id] = Question(
            id, question, request, tuple(ids), gold=gold, cluster=cluster, pairing=pairing
        )
        index = CitationIndex.of(ids, [self._documents[one].title for one in ids])
        named = () if self._web else ids  # addresses are those of the snapshot's pages
        keys = {
            identity_key(self._documents[one].url): one for one in named if self._documents[one].url
        }
        if isinstance(answer, str) and not self._web and not (keys and "http" in answer):
            read = read_answer(id, answer, index)
        else:
            numbers = {str(number): one for number, one in enumerate(ids, 1)}
            read = read_web_answer(id, answer, {**numbers, **keys})
        self._answers[id] = read
        self._facts["contexts"] += bool(ids)
        self._facts["references"] += reference is not None
        self._facts["citations"] += any(sentence.citations for sentence in read.sentences)

    def _problems(self, answer: str | ProductAnswer) -> list[str]:
        """What is wrong with citations of the web."""
        if isinstance(answer, str) and not self._web:
            return []
        from argue_bench.loaders.citation_problems import MOST_PROBLEMS, citation_problems

        found = citation_problems(answer) if isinstance(answer, str) else answer.problems
        return found[:MOST_PROBLEMS]

    def _cluster(self, row: Mapping[str, Any], named: Mapping[str, str]) -> str:
        """The conversation or the like that a row belongs to; empty where it names none."""
        value = look_up(row, named["cluster"]) if "cluster" in named else None
        return str(value)[:128] if isinstance(value, str | int) else ""

    def rows(self, name: str, origin: Mapping[str, tuple[str, ...]]) -> Rows:
        """The rows that were read. Raises DataError where there are none."""
        findings = [*self._found.all(), *self._odd.findings()]
        if not self._questions:
            if not findings:
                findings = [Finding(Code.EMPTY, "there are no rows", self._found.file)]
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
            source=origin,
        )
        return Rows(dataset, self._answers, self._columns, tuple(findings), facts)

    def _missing(self, number: int, row: Mapping[str, Any], roles: list[str]) -> None:
        if LACKS in row:
            self._found.add(Code.ROW_COLUMNS, str(row[LACKS]), number)
            return
        known = [role for role in roles if role in self._columns]
        empty = next((n for n in ROLES[roles[0]] if n in row and row[n] is None), None)
        if empty is not None and not known:
            self._found.add(Code.ROW_COLUMNS, f"the column {empty!r} is empty", number)
            return
        if known:
            message = f"the column {self._columns[known[0]]!r} is empty"
            self._found.add(Code.ROW_COLUMNS, message, number)
            return
        nested = {
            role: f"{name}.{next(iter(row[name]))}"
            for role in roles
            for name in ROLES[role]
            if isinstance(row.get(name), Mapping) and row[name]
        }
        has = ", ".join(str(key)[:40] for key in list(row)[:12])
        message = f"the row has no column for the {' or the '.join(roles)}; it has {has}"
        hint = f"Name it: --columns {roles[0]}=NAME. Usual names: {', '.join(ROLES[roles[0]][:4])}."
        if nested:
            named = ",".join(f"{role}={name}" for role, name in nested.items())
            hint = f"Name the part of the object that it is: --columns {named[:200]}"
        self._found.add(Code.ROW_COLUMNS, message, number, hint=hint)

    def _text(
        self, number: int, row: Mapping[str, Any], column: str, needed: bool = True
    ) -> str | None:
        value = look_up(row, column)
        value = value[0] if isinstance(value, list) and len(value) == 1 else value
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        if isinstance(value, float) and value != value:
            value = None
        if isinstance(value, bool | int | float):
            value = str(value)
        if isinstance(value, str) and is_text(value):
            return value
        if needed or value is not None:
            kind = "empty" if value is None else type(value).__name__
            kind = "half a surrogate pair" if isinstance(value, str) else kind
            message = f"the column {column!r} is {kind}, expected a text"
            self._found.add(Code.ROW_COLUMNS, message, number)
        return None

    def _answer(
        self, number: int, row: Mapping[str, Any], column: str
    ) -> str | ProductAnswer | None:
        value = look_up(row, column)
        if isinstance(value, ProductAnswer):
            return value
        if isinstance(value, Mapping | list) or (isinstance(value, str) and value[:1] in "{["):
            nested = unwrap(value)
            response = read_product_response(nested) if isinstance(nested, Mapping) else None
            if response is not None:
                return response
            if (
                isinstance(nested, list)
                and len(nested) > 1
                and all(isinstance(one, str) for one in nested)
            ):
                message = f"the column {column!r} holds {len(nested)} texts; the first is scored"
                self._found.add(Code.ROW_COLUMNS, message, number, level="warning")
                return str(nested[0])
        return self._text(number, row, column)

    def _id(self, row: Mapping[str, Any], column: str | None) -> str:
        value = look_up(row, column) if column else None
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str) and value.strip() and is_text(value):
            return value.strip()[:300]
        return f"row-{self._facts['rows']}"

    def _contexts(self, number: int, row: Mapping[str, Any], column: str | None) -> list[Document]:
        if column is None:
            return []
        value = look_up(row, column)
        try:
            documents = read_contexts(value)
        except BadContexts as error:
            message = f"the column {column!r}: {error}"
            self._found.add(Code.ROW_CONTEXTS, message, number)
            return []
        if not documents:
            message = f"the column {column!r} is empty, so nothing can support the answer"
            self._odd.note(Code.ROW_CONTEXTS, message, number)
        elif isinstance(value, list | tuple) and len(documents) < len(value):
            message = f"the column {column!r} holds empty contexts, which are left out"
            self._odd.note(Code.ROW_CONTEXTS, message, number)
        elif isinstance(value, str) and len(documents) == 1 and not self._in_table:
            message = f"the column {column!r} is one text and not a list: it is one context"
            self._odd.note(Code.ROW_CONTEXTS, message, number)
        return documents

    @property
    def _in_table(self) -> bool:
        """Whether the rows come from a file whose cells are texts, where one text is as it should be."""
        return str(self._found.file).removesuffix(".gz").endswith((".csv", ".tsv"))
