"""What can be said of a board from its data: what it resolves, who is best in a column, choices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from argue_bench.pages.columns import FAMILIES, number
from argue_bench.pages.render import Strings

Json = dict[str, Any]
SHOWN_AT_HOME = 8


def laid_out(board: Mapping[str, Any]) -> Json:
    """The board with the places of its columns, for a head of three rows."""
    metrics = list(dict.fromkeys(column["metric"] for column in board["columns"]))
    columns = [
        {
            **c,
            "family_place": FAMILIES.index(c["family"]),
            "metric_place": metrics.index(c["metric"]),
        }
        for c in board["columns"]
    ]
    return {**board, "columns": columns}


def summary(board: Mapping[str, Any], t: Strings) -> Json:
    """What the board's page says besides its rows."""
    rows = [row for section in board["sections"] for row in section["rows"]]
    costs = any(row["cost"] is not None for row in rows)
    tokens = any(row["tokens"] is not None for row in rows)
    width = len(board["columns"]) + 2 + bool(board["bands"]) + costs + tokens
    return {
        "told": told(board, t), "bands": bands(board, t), "costs": costs, "tokens": tokens,
        "width": width,
        "best": {s["signature"] + s["group"]: best(board, s) for s in board["sections"]},
        "choices": {
            "type": _choices(rows, "type"), "base": _choices(rows, "base_model"),
            "judge": _choices(rows, "judge"),
        },
        "plots": [],
    }  # fmt: skip


def _choices(rows: list[Json], key: str) -> list[str]:
    return sorted({row[key] for row in rows if row[key]})


def best(board: Mapping[str, Any], section: Mapping[str, Any]) -> dict[str, float | None]:
    """The best value of each column among rows that rank together; None where none is better."""
    found: dict[str, float | None] = {}
    for column in board["columns"]:
        values = [
            row["scores"][column["key"]]["value"]
            for row in section["rows"]
            if row["scores"].get(column["key"], {}).get("value") is not None
        ]
        pick = {"higher": max, "lower": min}.get(column["better"])
        alone = len(values) < 2
        found[column["key"]] = None if pick is None or alone else pick(values)
    return found


def told(board: Mapping[str, Any], t: Strings) -> str:
    """What the season can resolve, in a sentence."""
    if board["bands"] is None:
        return t("board.untested")
    resolves = board["bands"]["resolves"]
    return t("board.tested") if resolves is None else t("board.resolves", points=number(resolves))


def bands(board: Mapping[str, Any], t: Strings) -> str:
    """How the ranks came about."""
    if board["bands"] is None:
        return t("board.reading.untested")
    return t("board.reading.bands", how=board["bands"]["how"])


def top(board: Mapping[str, Any]) -> Json:
    """The first rows of a board, for the front page."""
    rows = [row for section in board["sections"] for row in section["rows"]]
    return {**board, "sections": [], "top": rows[:SHOWN_AT_HOME], "count": len(rows)}
