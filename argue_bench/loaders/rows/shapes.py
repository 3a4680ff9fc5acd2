"""The rows in an object of a file: plain ones here, those of logs and traces by an adapter.

Each reader turns one exported object into rows with the columns question, answer, contexts,
reference and id; anything else stays as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from argue_bench.loaders.answer_parser import MOST_ANSWER
from argue_bench.loaders.rows.columns import REQUIRED, ROLES, look_up, recognise
from argue_bench.loaders.rows.contexts import BadContexts, unwrap
from argue_bench.satellites import (
    LOG_ROW,
    MTRAG_ROWS,
    ROWS,
    TRACE_KEYS,
    TRACE_ROWS,
    find_text,
    import_text,
)

Row = Mapping[str, Any]
_PACKED = ("inputs", "outputs", "reference_outputs", "vars")
"""Columns that hold an object, in a table as JSON."""
_TURNS = ("messages", "user_input")
"""Columns that hold a chat, where they are lists."""
_LOGGED = ("context.span_id", "record_json")
"""Columns of Phoenix and TruLens, whose rows keep the contexts in another place."""


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
