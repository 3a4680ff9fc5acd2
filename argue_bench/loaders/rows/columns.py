"""The rows in an object of a file, and which column of a row is the question, the answer, its contexts, a reference, an id, a language, a cluster.

The names are those of ragas (old and new), deepeval, LangChain, LlamaIndex, TruLens, promptfoo and
MLflow. A dotted name looks into nested objects.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple, cast

from argue_bench.errors import UsageError
from argue_bench.records import Answer, Document
from argue_bench.records.untrusted import DEFAULT_LIMITS
from argue_bench.satellites import (
    LOG_ROW,
    MTRAG_ROWS,
    ROWS,
    TRACE_KEYS,
    TRACE_ROWS,
    find_text,
    import_text,
)
from argue_bench.text import CitationIndex

# Retrieved texts in the forms that systems write: a plain text, a LangChain document, a
# LlamaIndex node, JSON in a cell.

# A cell that holds a list as text is parsed up to this many characters.
MOST_NESTED = 1_000_000
# Characters above which a text that Python may take for f-strings is left as it is: these take it minutes.
LONG, _FORMATTED = 20_000, re.compile(r"\b[rR]?[fF][rR]?[\"']")
# What ends a value in a list that Python or numpy printed, and the blanks before the next one.
_PRINTED = re.compile(
    r"""('(?:[^'\\]|\\.)*(?:'|\Z)|"(?:[^"\\]|\\.)*(?:"|\Z)|[\]}])(\s+(?=['"\[{]))?""", re.DOTALL
)
_TEXTS = (
    *("text", "page_content", "content", "pageContent", "passage", "body", "chunk", "snippet"),
    *("document", "value", "output"),
)
_IDS = ("id", "id_", "doc_id", "document_id", "docid", "node_id", "chunk_id", "passage_id")
_TITLES = ("title", "name", "file_name", "filename")
_URLS = ("url", "uri", "link", "source")
_ID = re.compile(r"[^\s\[\]]{1,128}")


class BadContexts(ValueError):
    """The value holds no texts that can be read; the message says what it holds."""


def read_contexts(value: Any) -> list[Document]:
    """The documents in a cell, in order, with an empty one in the place of an empty context. Raises BadContexts.

    A text is one context; a text that holds a list (JSON, or a list as Python prints it, which is how
    pandas writes one into a CSV) is that list.
    """
    value = as_object(unwrap(value))
    if isinstance(value, Mapping):
        names = ("results", "documents", "contexts")
        value = next((value[name] for name in names if isinstance(value.get(name), list)), [value])
    elif isinstance(value, str):
        value = [value] if value.strip() else []
    elif hasattr(value, "tolist"):
        value = value.tolist()
    if value is None:
        return []
    if not isinstance(value, Sequence):
        raise BadContexts(f"expected texts, found {type(value).__name__}")
    return [one for item in value for one in _documents_in(as_object(item))]


def _documents_in(item: Any) -> Iterator[Document]:
    """The document in one item of a list of contexts, or those in the list that it is itself."""
    if item is None or isinstance(item, str):
        yield _document(item or "", {})
    elif isinstance(item, Mapping):
        yield _of_mapping(item)
    elif isinstance(item, list | tuple) and all(isinstance(one, str) for one in item):
        for one in item:
            yield _document(one, {})
    else:
        raise BadContexts(f"expected texts, found {type(item).__name__} in the list")


def as_object(value: Any) -> Any:
    """The fields of an object of LangChain, LlamaIndex or another library, also as LangChain's `dumpd` writes
    one; any other value as it is."""
    if isinstance(value, Mapping):
        # {"lc": 1, "type": "constructor", "id": [...], "kwargs": {...}}
        return (
            value["kwargs"] if "lc" in value and isinstance(value.get("kwargs"), Mapping) else value
        )
    if isinstance(value, type) or type(value).__module__ == "builtins" or hasattr(value, "tolist"):
        return value
    about = {name: one for name, one in getattr(value, "__dict__", {}).items() if name[:1] != "_"}
    if callable(content := getattr(value, "get_content", None)):  # a node of LlamaIndex
        about["text"] = content()
    return about or value


class Placed(NamedTuple):
    """The contexts of a row among the documents of all rows: their ids, and what else names them."""

    ids: tuple[str, ...]
    names: Mapping[str, str]
    # Ids of the row that stand for more than one text.
    doubled: tuple[str, ...]


def place_contexts(given: Sequence[Document], documents: dict[str, Document]) -> Placed:
    """Adds a row's contexts to the ``documents`` of all rows; an id names what this row calls so.

    A text that comes again, also by another id, is one document; an empty one is none, and only counts. An id, title or address of several texts
    names one more document that holds them all: what cites it cites each of them.
    """
    alike: dict[str, dict[tuple[str, str], Document]] = {}
    stated = [one for one in given if one.text.strip()]
    for one in stated:
        for name in {one.id, one.title, one.url} - {""}:
            alike.setdefault(name, {}).setdefault((one.title, one.text), one)
    ids: dict[tuple[str, str], str] = {}
    for one in stated:
        if (one.title, one.text) not in ids:
            ids[one.title, one.text] = _add(one, documents, own=len(alike[one.id]) == 1)
    names: dict[str, str] = {}
    for name, texts in alike.items():
        first = next(iter(texts))
        if len(texts) > 1:
            whole = "\n\n".join(text for _, text in texts)
            id = name if _ID.fullmatch(name) else _digest(name, whole)
            names[name] = _add(Document(id, whole, first[0]), documents)
        elif name not in (ids[first], first[0]):  # its title is known as such
            names[name] = ids[first]
    listed = tuple(dict.fromkeys(ids.values()))
    # A number counts contexts before it is an id.
    if len(listed) < len(given) or any(map(str.isdigit, names)):
        contents = enumerate(((one.title, one.text) for one in given), 1)
        names |= {str(n): ids.get(one, f"{n} (empty)") for n, one in contents}
    doubled = dict.fromkeys(one.id for one in stated if len(alike[one.id]) > 1)
    return Placed(listed, names, tuple(doubled))


def _add(one: Document, documents: dict[str, Document], own: bool = True) -> str:
    """The id of a document among those of all rows: its own, unless another text has that."""
    if own:
        known = documents.setdefault(one.id, one)
        if (known.title, known.text) == (one.title, one.text):
            return one.id
    id = f"{one.id}#{_digest(one.title, one.text)[1:]}"
    documents[id] = replace(one, id=id)
    return id


def _digest(*texts: str) -> str:
    """The id of a text without one: the same text has the same in every row, so that it is one document."""
    whole = "\n".join(filter(None, texts)).encode("utf-8", "surrogatepass")
    return "c" + hashlib.sha256(whole).hexdigest()[:12]


def unwrap(value: Any) -> Any:
    """A list or object that a cell holds as text; NaN and None as None; else the value."""
    if isinstance(value, float) and value != value:  # NaN, the empty cell of pandas
        return None
    if not isinstance(value, str):
        return value
    bare = value.strip()
    if len(bare) > MOST_NESTED or bare[:1] + bare[-1:] not in ("[]", "{}"):
        return value
    for read in (json.loads, _of_python):
        try:
            return read(bare)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
    return value


def _of_python(text: str) -> Any:
    """A list as Python prints it, which pandas writes into a CSV and which is no JSON, or an array as numpy does. Raises ValueError.

    Numpy's has no commas: Python joins texts that only blanks part, and several contexts would be one.
    """
    if len(text) > LONG and _FORMATTED.search(text):
        raise ValueError
    return ast.literal_eval(_PRINTED.sub(lambda one: one[1] + ("," if one[2] else ""), text))


def _of_mapping(item: Mapping[str, Any]) -> Document:
    inner = as_object(item.get("node", item.get("document")))
    if isinstance(inner, Mapping):
        item = {**item, **inner}
    metadata = item.get("metadata")
    about = {**metadata, **item} if isinstance(metadata, Mapping) else dict(item)
    text = next((about[key] for key in _TEXTS if isinstance(about.get(key), str)), None)
    if text is None:
        keys = ", ".join(map(str, list(item)[:6]))
        raise BadContexts(f"a context has no text under a known name; its keys are {keys}")
    return _document(text, about)


def _document(text: str, about: Mapping[str, Any]) -> Document:
    def first(names: Sequence[str]) -> str:
        return next((about[name] for name in names if isinstance(about.get(name), str)), "")

    id, url, title = first(_IDS), first(_URLS), first(_TITLES)
    if not _ID.fullmatch(id):
        id = _digest(title, text)
    return Document(id, text, title, url=url if url.startswith(("http://", "https://")) else "")


# The usual names of the column of each role; case, blanks, hyphens and underscores make no difference.
ROLES: dict[str, tuple[str, ...]] = {
    role: tuple(names.split())
    for role, names in {
        "question": "user_input question query input user_query main_input inputs.question "
        "inputs.query inputs.input vars.question vars.query vars.input prompt request instruction "
        "inputs",
        "answer": "response answer actual_output generated_answer output result model_response "
        "main_output outputs.answer outputs.output outputs.response response.output completion "
        "prediction generation article outputs",
        "contexts": "retrieved_contexts retrieval_context contexts source_documents source_nodes "
        "retrieved_documents retrieved_context context documents passages docs ctxs chunks sources "
        "outputs.contexts outputs.context outputs.documents outputs.source_documents vars.context "
        "vars.contexts retrieved_docs",
        "reference": "reference ground_truth ground_truths expected_output reference_answer "
        "expected_response expected_answer gold_answer target ideal "
        "expectations.expected_response vars.reference reference_outputs.answer",
        "id": "id question_id qid sample_id record_id trace_id request_id run_id example_id "
        "task_id test_id context.span_id",
        "language": "language lang",
        "cluster": "cluster conversation_id session_id thread_id chat_id dialogue_id",
    }.items()
}
REQUIRED = ("question", "answer")
# The column that says that a row's contexts are what the answer quotes of the web pages that it cites.
QUOTED = "contexts_are_quoted"

# The column in which the row of a trace says what no span of it holds.
LACKS = "the trace lacks"


class ForeignAnswer(ABC):
    """An answer in a notation that a satellite reads, in place of a text in a row."""

    text: str
    # What is wrong with its citations, a sentence each.
    problems: Sequence[str]

    @abstractmethod
    def read(self, id: str, index: CitationIndex) -> Answer:
        """The answer with this id, which cites the documents of this index."""


def recognise(row: Mapping[str, Any], given: Mapping[str, str] | None = None) -> dict[str, str]:
    """The column of each role that a row has. ``given`` names go first.

    Raises UsageError where ``given`` names a role that is not known.
    """
    given = given or {}
    if unknown := [role for role in given if role not in ROLES]:
        raise UsageError(f"--columns knows no {unknown[0]!r}; a row has: {', '.join(ROLES)}")
    found: dict[str, str] = {}
    columns = _by_plain_name(tuple(row))
    for role, names in ROLES.items():
        taken = set(found.values()) | (set(given.values()) if role not in given else set())
        names = (given[role],) if role in given else names
        for usual in names:
            name = _column(row, usual, columns)
            value = look_up(row, name)
            if name in taken or value is None:
                continue
            packed = isinstance(value, Mapping) and as_object(value) is value
            if packed and role in REQUIRED and role not in given:
                continue  # "inputs": {...} whose keys were not known
            found[role] = name
            break
    return found


def _column(row: Mapping[str, Any], name: str, columns: Mapping[str, str]) -> str:
    """The column that a row has of this name, in its own spelling; else the name."""
    if name in row:
        return name
    head, dot, rest = name.partition(".")
    if (column := columns.get(_plain_name(head))) is None:
        return columns.get(_plain_name(name), name)
    inner = row[column]
    if not dot or not isinstance(inner, Mapping):
        return f"{column}{dot}{rest}"
    return f"{column}.{_column(inner, rest, _by_plain_name(tuple(inner)))}"


@lru_cache(maxsize=1 << 12)
def _plain_name(name: str) -> str:
    """A column's name without what people write in different ways: ``Retrieved Contexts``, ``actualOutput``."""
    return re.sub(r"[\s_-]", "", str(name)).casefold()


@lru_cache(maxsize=1 << 10)
def _by_plain_name(names: tuple[str, ...]) -> Mapping[str, str]:
    """Columns by their plain names; of two alike the first."""
    return {_plain_name(name): name for name in reversed(names)}


def look_up(row: Mapping[str, Any], name: str) -> Any:
    """The value of a column, or of a dotted name inside nested objects; None where there is none."""
    # A column may have a dot in its own name, as those of data frames have.
    if name in row:
        return row[name]
    value: Any = row
    for key in name.split("."):
        if not isinstance(value, Mapping) or key not in value:
            return None
        value = value[key]
    return value


def parse_columns(texts: tuple[str, ...]) -> dict[str, str]:
    """The columns of ``question=q`` texts. Raises UsageError."""
    pairs = [part.partition("=") for text in texts for part in text.split(",") if part.strip()]
    if bad := [role for role, equals, name in pairs if not equals or not name.strip()]:
        raise UsageError(f"write --columns question=NAME,answer=NAME, not {bad[0]!r}")
    return {role.strip(): name.strip() for role, _, name in pairs}


Row = Mapping[str, Any]
# Columns that hold an object, in a table as JSON.
_PACKED = ("inputs", "outputs", "reference_outputs", "vars")
# Columns that hold a chat, where they are lists.
_TURNS = ("messages", "user_input")
# Columns of Phoenix and TruLens, whose rows keep the contexts in another place.
_LOGGED = ("context.span_id", "record_json")


def flatten(row: Row, given: Mapping[str, str] | None = None) -> Row:
    """The row with the fields that a log keeps in another place as columns; ``given`` names some.

    Raises UsageError for the row of a log where this copy of the package has no adapters.
    """
    if packed := {k: unwrap(row[k]) for k in _PACKED if isinstance(row.get(k), str)}:
        row = {**row, **packed}
    if any(isinstance(row.get(k), list) for k in _TURNS) or any(k in row for k in _LOGGED):
        read: Row | None = import_text(LOG_ROW)(row)
        if read is not None:
            return read
    return _foreign_row(row, given) or row


def _foreign_row(row: Row, given: Mapping[str, str] | None = None) -> Row | None:
    """The row in a product's saved response; None for a plain row, which no satellite is asked for."""
    found = recognise(row)
    if all(isinstance(look_up(row, found.get(role, "")), str) for role in REQUIRED):
        return None
    # Their readers look for marks in all of a text, which takes a second for each megabyte.
    for name, value in row.items():
        if (longest := _longest(value)) > DEFAULT_LIMITS.answer:
            raise BadContexts(
                f"the column {name!r} has {longest:,} characters, at most {DEFAULT_LIMITS.answer:,} are read"
            )
    readers = filter(None, map(find_text, ROWS))
    return next(filter(None, (read(row, given) for read in readers)), None)


def _longest(value: Any) -> int:
    """The characters of the longest text in a JSON value."""
    if isinstance(value, str):
        return len(value)
    inner = value.values() if isinstance(value, Mapping) else value
    return max(map(_longest, inner), default=0) if isinstance(value, Mapping | list) else 0


def rows_of_traces(value: Any) -> Iterable[Row] | None:
    """The rows in an export of traces, one a trace; None where the JSON value is none.

    Raises UsageError for an export where this copy of the package has no adapters.
    """
    items = [value] if isinstance(value, Mapping) else value
    if not isinstance(items, list) or not items or not isinstance(items[0], Mapping):
        return None
    for product, paths in TRACE_KEYS.items():
        # One file holds the export of one product, so its first item tells which.
        if all(look_up(items[0], path) is not None for path in paths):
            return cast("Iterable[Row]", import_text(TRACE_ROWS)(items, product))
    return None


def rows_of(value: Any) -> Iterable[Any] | None:
    """The rows in the JSON value of a file; None where it holds none.

    A list; an object with a list under a usual name; an object of columns; promptfoo's and MT-RAG's;
    traces.
    """
    if (traces := rows_of_traces(value)) is not None:
        return traces
    if isinstance(value, list):
        return value
    if not isinstance(value, Mapping):
        return None
    if isinstance(value.get("tasks"), list) and isinstance(value.get("evaluations"), list):
        return cast("Iterable[Row]", import_text(MTRAG_ROWS)(value))
    results = value.get("results")
    if isinstance(results, Mapping) and isinstance(results.get("results"), list):
        return cast("list[Any]", results["results"])  # promptfoo
    for name in (
        "data",
        "rows",
        "samples",
        "examples",
        "results",
        "test_cases",
        "testCases",
        "records",
    ):
        if isinstance(value.get(name), list):
            return cast("list[Any]", value[name])
    columns = {key: cells for key, cells in value.items() if isinstance(cells, list | Mapping)}
    asked = any(name in columns for name in ROLES["question"])
    if (
        columns
        and (asked or _foreign_row(value) is None)  # the lists of a saved response are no columns
        and len(columns) == len(value)
        and len({len(cells) for cells in columns.values()}) == 1
    ):
        return _of_columns(columns)
    return [value]


def _of_columns(columns: Mapping[str, Any]) -> Iterator[Row]:
    """The rows of {column: [cells]}, as data frames write them, or of {column: {row: cell}}."""
    first = next(iter(columns.values()))
    for key in range(len(first)) if isinstance(first, list) else list(first):
        yield {
            name: cells[key] if isinstance(cells, list) else cells.get(key)
            for name, cells in columns.items()
        }
