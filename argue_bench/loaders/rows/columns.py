"""The rows in an object of a file, and which column of a row is the question, the answer, its contexts, a reference, an id, a language, a cluster.

The names are those of ragas (old and new), deepeval, LangChain, LlamaIndex, TruLens, promptfoo and
MLflow. A dotted name looks into nested objects.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from argue_bench.errors import UsageError
from argue_bench.loaders.answers import MOST_ANSWER
from argue_bench.loaders.rows.contexts import BadContexts, as_object, unwrap
from argue_bench.records import Answer
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
        known = ", ".join(ROLES)
        raise UsageError(f"--columns knows no {unknown[0]!r}; a row has: {known}")
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


def flatten(row: Row) -> Row:
    """The row with the fields that a log keeps in another place as columns.

    Raises UsageError for the row of a log where this copy of the package has no adapters.
    """
    if packed := {k: unwrap(row[k]) for k in _PACKED if isinstance(row.get(k), str)}:
        row = {**row, **packed}
    if any(isinstance(row.get(k), list) for k in _TURNS) or any(k in row for k in _LOGGED):
        read: Row | None = import_text(LOG_ROW)(row)
        if read is not None:
            return read
    return _foreign_row(row) or row


def _foreign_row(row: Row) -> Row | None:
    """The row in a product's saved response; None for a plain row, which no satellite is asked for."""
    found = recognise(row)
    if all(isinstance(look_up(row, found.get(role, "")), str) for role in REQUIRED):
        return None
    # Their readers look for marks in all of a text, which takes a second for each megabyte.
    for name, value in row.items():
        if (longest := _longest(value)) > MOST_ANSWER:
            raise BadContexts(
                f"the column {name!r} has {longest:,} characters, at most {MOST_ANSWER:,} are read"
            )
    readers = filter(None, map(find_text, ROWS))
    return next(filter(None, (read(row) for read in readers)), None)


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
            rows: Iterable[Row] = import_text(TRACE_ROWS)(items, product)
            return rows
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
        evaluated: Iterable[Row] = import_text(MTRAG_ROWS)(value)
        return evaluated
    results = value.get("results")
    if isinstance(results, Mapping) and isinstance(results.get("results"), list):
        exported: list[Any] = results["results"]  # promptfoo
        return exported
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
            found: list[Any] = value[name]
            return found
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
    keys = range(len(first)) if isinstance(first, list) else list(first)
    for key in keys:
        yield {
            name: cells[key] if isinstance(cells, list) else cells.get(key)
            for name, cells in columns.items()
        }
