"""A board as CSV, with cells that no spreadsheet takes for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

ABOUT = (
    "system",
    "name",
    "group",
    "signature",
    "judge",
    "type",
    "base_model",
    "cost",
    "tokens",
    "created",
)


def csv_cell(value: Any) -> str:
    """A cell; one that begins as a formula gets an apostrophe before it."""
    text = "" if value is None else str(value)
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def board_csv(board: Mapping[str, Any]) -> str:
    """The rows of a board in its order: what they are, then value, low, high, n of each score."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    keys = [column["key"] for column in board["columns"]]
    parts = ("value", "low", "high", "n")
    writer.writerow(
        [*ABOUT, "rank_best", "rank_worst", *(f"{key}:{part}" for key in keys for part in parts)]
    )
    for section in board["sections"]:
        for row in section["rows"]:
            standing = row["standing"] or {}
            about = {**row, "group": section["group"], "signature": section["signature"]}
            writer.writerow(
                [
                    *(csv_cell(about[name]) for name in ABOUT),
                    standing.get("best", ""),
                    standing.get("worst", ""),
                    *(
                        csv_number(row["scores"].get(key, {}).get(part))
                        for key in keys
                        for part in parts
                    ),
                ]
            )
    return file.getvalue()


def csv_number(value: Any) -> str:
    """A number as it is, empty where there is none: a negative one is no formula."""
    return "" if value is None else repr(value)
