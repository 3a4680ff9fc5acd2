"""Rows out of files: JSON Lines, JSON, CSV, TSV, Parquet, a folder that Hugging Face `datasets` saved.

What cannot be read is a finding with its row, and the rest is still read. CSV and JSON Lines are
streamed.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from argue_bench.errors import Code, DataError, UsageError, needing
from argue_bench.loaders.findings import Findings, json_kind
from argue_bench.loaders.rows.columns import as_object, rows_of, rows_of_traces
from argue_bench.records.display import is_text
from argue_bench.records.untrusted import (
    Limits,
    open_bounded,
    read_json,
    read_lines,
)

ROW_LIMITS = Limits(
    line_bytes=20_000_000, file_bytes=8_000_000_000, depth=64, lines=50_000_000, utf_16=True
)
# The characters of a cell of CSV; a larger one is a finding.
MOST_CELL = 10_000_000
_SEPARATORS = ",;\t|"

_SUFFIXES = (".jsonl", ".json", ".csv", ".tsv", ".parquet")
# Before the name of a data set on the Hugging Face hub.
HUB = "hf:"
# The files by which a folder that Hugging Face `datasets` saved is known.
SAVED = ("dataset_dict.json", "dataset_info.json", "state.json")
NumberedRow = tuple[int, Mapping[str, Any]]


def row_files(path: Path) -> list[Path]:
    """The files of rows in a folder, by name; else the path itself. Raises DataError where a folder has none."""
    if not path.is_dir() or saved(path):
        return [path]
    files = [one for one in sorted(path.iterdir()) if one.suffix.casefold() in _SUFFIXES]
    if not files:
        message = "the folder holds neither the core format nor rows nor what `datasets` saved"
        hint = f"A data set has questions.jsonl; rows are files {', '.join(_SUFFIXES)}."
        raise DataError.of(Code.WRONG_SHAPE, message, path, hint=hint)
    return files


def saved(folder: Path) -> bool:
    """Whether Hugging Face `datasets` saved a data set in this folder."""
    return any((folder / name).is_file() for name in SAVED)


def records(source: Any) -> Iterable[Any]:
    """The rows of what Python code hands over. Raises UsageError, and DataError for several splits."""
    if hasattr(source, "to_dict") and hasattr(source, "columns"):  # a pandas DataFrame
        return cast("Iterable[Any]", source.to_dict("records"))
    if isinstance(source, Mapping):
        splits = bool(source) and all(hasattr(one, "column_names") for one in source.values())
        return _one_split(source, "rows", "{}[{!r}]") if splits else rows_of(source) or ()
    if isinstance(source, Iterable) and not isinstance(source, str | bytes):
        return source
    raise UsageError(f"rows are a path, a DataFrame or a list of objects, not {source!r:.40}")


def file_rows(path: Path, found: Findings) -> Iterator[NumberedRow]:
    """The rows of a file or folder with their numbers: lines of JSON Lines, else rows from 1.

    Raises DataError where it cannot be opened or holds no rows, and MissingExtra.
    """
    if str(path).startswith(HUB) or path.is_dir():
        return numbered(_hugging_face(path), found)
    suffix = path.suffix.casefold()
    if suffix == ".parquet":
        return numbered(_parquet(path), found)
    if suffix in (".csv", ".tsv"):
        return _csv_rows(path, found)
    return _json_rows(path, found) if suffix == ".json" else _json_lines(path, found)


def numbered(rows: Iterable[Any], found: Findings) -> Iterator[NumberedRow]:
    """The rows that are objects, from 1; the others are findings."""
    found.by_line = False
    for number, given in enumerate(rows, 1):
        row = as_object(given)
        if isinstance(row, Mapping):
            yield number, row
        else:
            found.add(Code.WRONG_SHAPE, f"row {number} is {json_kind(given)}, expected an object")


def _json_lines(path: Path, found: Findings) -> Iterator[NumberedRow]:
    rows = _lines(path, found)
    first = next(rows, None)
    if first is None:
        return
    if rows_of_traces([first[1]]) is None:
        yield first
        yield from rows
        return
    # Spans of one trace may lie far apart.
    yield from numbered(rows_of_traces([first[1], *(row for _, row in rows)]) or (), found)


def _lines(path: Path, found: Findings) -> Iterator[NumberedRow]:
    found.by_line = True
    for line in read_lines(path, ROW_LIMITS, found.file):
        found.extend(line.findings)
        if not line.read:
            continue
        if isinstance(line.value, Mapping):
            yield line.number, line.value
        else:
            found.add(
                Code.WRONG_SHAPE, f"expected an object, found {json_kind(line.value)}", line.number
            )


def _json_rows(path: Path, found: Findings) -> Iterator[NumberedRow]:
    try:
        value = read_json(path, ROW_LIMITS)
    except DataError as error:
        # Many call JSON Lines .json.
        if "Extra data" not in str(error):
            raise
        return _json_lines(path, found)
    rows = rows_of(value)
    if rows is None:
        raise DataError.of(
            Code.WRONG_SHAPE, f"expected a list of rows, found {json_kind(value)}", path
        )
    return numbered(rows, found)


def _parquet(path: Path) -> Iterator[Any]:
    with needing("reading Parquet", "hf"):
        import pyarrow.parquet
    try:
        for batch in pyarrow.parquet.ParquetFile(path).iter_batches(1000):
            yield from batch.to_pylist()
    except (OSError, pyarrow.ArrowException) as error:
        raise DataError.of(Code.WRONG_SHAPE, f"this is not a Parquet file: {error}", path) from None


def _hugging_face(path: Path) -> Iterable[Any]:
    """What `datasets` saved in a folder, or the data set of this name on the hub: ``hf:owner/name:split``."""
    if path.is_dir():
        with needing("reading data sets of Hugging Face", "hf"):
            from datasets import load_from_disk
        return _one_split(load_from_disk(str(path)), path, "{}/{}")
    # Here, since few rows come from the hub.
    from argue_bench.store.fetch import hub_rows

    name, _, split = str(path).removeprefix(HUB).partition(":")
    loaded = hub_rows(name, split=split or None, hint="Is this the name of a data set?")
    return _one_split(loaded, f"{HUB}{name}", "{}:{}")


def _one_split(loaded: Any, place: str | Path, form: str) -> Iterable[Any]:
    """The rows of a data set that has no splits, or one. Raises DataError where there are more."""
    if isinstance(loaded, Mapping):
        splits = list(loaded)
        if len(splits) > 1:
            message = f"the data set has {len(splits)} splits: {', '.join(splits)}"
            hint = f"Name one of them: {form.format(place, splits[0])}"
            raise DataError.of(Code.WRONG_SHAPE, message, place, hint=hint)
        loaded = loaded[splits[0]]
    return cast("Iterable[Any]", loaded)


def _csv_rows(path: Path, found: Findings) -> Iterator[NumberedRow]:
    csv.field_size_limit(MOST_CELL)
    with open_bounded(path, ROW_LIMITS, found.file) as raw:
        text = io.TextIOWrapper(raw, "utf-8-sig", errors="surrogateescape", newline="")
        head = text.read(1 << 16).split("\n", 1)[0]
        separator = max(_SEPARATORS, key=head.count)
        text.seek(0)
        reader = csv.reader((line.replace("\0", "") for line in text), delimiter=separator)
        names: list[str] = []
        while True:
            try:
                cells = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                found.add(Code.WRONG_SHAPE, f"the row cannot be read: {error}", reader.line_num)
                continue
            if not all(map(is_text, cells)):
                found.add(Code.NOT_UTF_8, "the row is not UTF-8", reader.line_num)
                if not names:
                    return
            elif not names:
                names = [cell.strip() for cell in cells]
                if twice := [name for name, times in Counter(names).items() if times > 1]:
                    message = (
                        f"the head names {twice[0]!r} twice; the last of these columns is read"
                    )
                    found.add(Code.ROW_COLUMNS, message, reader.line_num, level="warning")
            elif len(cells) == len(names):
                yield reader.line_num, dict(zip(names, cells, strict=True))
            elif cells:
                message = f"the row has {len(cells)} cells, the head has {len(names)}"
                hint = "Put a cell that holds the separator or a line break between quotes."
                found.add(Code.WRONG_SHAPE, message, reader.line_num, hint=hint)
