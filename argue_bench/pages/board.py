"""What can be said of a board from its data: what it resolves, who is best in a column, choices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from argue_bench.pages.columns import FAMILIES, format_score
from argue_bench.pages.plots import (
    Plot,
    Point,
    cost_plot,
    heat_map,
    interval_plot,
    scatter_plot,
    timeline_plot,
)
from argue_bench.pages.render import Strings

Json = dict[str, Any]
SHOWN_AT_HOME = 8


def with_column_places(board: Mapping[str, Any]) -> Json:
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


def board_summary(board: Mapping[str, Any], t: Strings) -> Json:
    """What the board's page says besides its rows."""
    rows = [row for section in board["sections"] for row in section["rows"]]
    costs = any(row["cost"] is not None for row in rows)
    tokens = any(row["tokens"] is not None for row in rows)
    width = len(board["columns"]) + 2 + bool(board["bands"]) + costs + tokens
    return {
        "told": resolution_text(board, t),
        "bands": ranks_text(board, t),
        "costs": costs,
        "tokens": tokens,
        "runs": any(row["runs"] is not None for row in rows),
        "width": width,
        "best": {s["signature"] + s["group"]: best_values(board, s) for s in board["sections"]},
        "choices": {
            "type": _choices(rows, "type"),
            "base": _choices(rows, "base_model"),
            "judge": _choices(rows, "judge"),
        },
        "plots": list(board_plots(board, t)),
    }


def board_plots(board: Mapping[str, Any], t: Strings) -> Iterator[Plot]:
    """Intervals with bands, score against cost, score over time, categories: what there is."""
    column = next((c for c in board["columns"] if c["ranked"]), None)
    if column is None or column["unit"] != "share":
        return
    key, places = column["key"], column["label"]
    for section in board["sections"]:
        rows = [
            (row, row["scores"][key])
            for row in section["rows"]
            if row["scores"].get(key, {}).get("value") is not None
        ]
        named = t(
            "plot.group",
            group=t.get("group." + (section["group"] or "ranked"), section["group"]),
            signature=section["signature"],
        )
        if len(rows) > 1 and any(score["low"] is not None for _, score in rows):
            points = [
                Point(
                    row["name"],
                    score["value"],
                    score["low"],
                    score["high"],
                    row["standing"]["band"] if row["standing"] else None,
                )
                for row, score in rows
            ]
            head = (t("board.system"), places, t("plot.interval"))
            yield interval_plot(t("plot.intervals", score=key, group=named), points, head)
        priced = [
            Point(row["name"], score["value"], x=float(row["cost"]))
            for row, score in rows
            if row["cost"] is not None
        ]
        if len(priced) > 1:
            head = (t("board.system"), t("plot.cost"), places)
            yield cost_plot(t("plot.pareto", score=key, group=named), priced, head)
        if (against := _against(board, column, rows)) is not None:
            other, points = against
            title = t("plot.against", first=key, second=other["key"], group=named)
            yield scatter_plot(title, points, (t("board.system"), other["label"], places))
        dated = [
            Point(row["name"], score["value"], x=_day(row["created"]), label=row["created"])
            for row, score in rows
            if row["created"]
        ]
        if len({point.x for point in dated}) > 1:
            head = (t("board.system"), t("board.date"), places)
            yield timeline_plot(t("plot.time", score=key, group=named), dated, head)
    names = {row["system"]: row["name"] for s in board["sections"] for row in s["rows"]}
    if len({c for values in board["categories"].values() for c in values}) > 1:
        best_first = [s for s in names if s in board["categories"]][:SHOWN_AT_HOME]
        categories = sorted({c for s in best_first for c in board["categories"][s]})
        table = {
            c: {names[s]: board["categories"][s].get(c) for s in best_first} for c in categories
        }
        yield heat_map(t("plot.categories", key=key), table, t("plot.category"))


def _against(
    board: Mapping[str, Any], ranked: Json, rows: list[tuple[Json, Json]]
) -> tuple[Json, list[Point]] | None:
    """The first score of another family, with the systems that have both; None for less than four."""
    for column in board["columns"]:
        if column["family"] != ranked["family"] and column["unit"] == "share":
            points = [
                Point(row["name"], score["value"], x=row["scores"][column["key"]]["value"])
                for row, score in rows
                if row["scores"].get(column["key"], {}).get("value") is not None
            ]
            return (column, points) if len(points) >= 4 else None
    return None


def _day(text: str) -> float:
    try:
        return float(date.fromisoformat(text).toordinal())
    except ValueError:
        return 0.0


def _choices(rows: list[Json], key: str) -> list[str]:
    return sorted({row[key] for row in rows if row[key]})


def best_values(board: Mapping[str, Any], section: Mapping[str, Any]) -> dict[str, float | None]:
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


def resolution_text(board: Mapping[str, Any], t: Strings) -> str:
    """What the season can resolve, in a sentence."""
    if board["bands"] is None:
        return t("board.untested")
    resolves = board["bands"]["resolves"]
    return (
        t("board.tested")
        if resolves is None
        else t("board.resolves", points=format_score(resolves))
    )


def ranks_text(board: Mapping[str, Any], t: Strings) -> str:
    """How the ranks came about."""
    if board["bands"] is None:
        return t("board.reading.untested")
    return t("board.reading.bands", how=board["bands"]["method"])


def front_page_rows(board: Mapping[str, Any]) -> Json:
    """The first rows of a board, for the front page."""
    rows = [row for section in board["sections"] for row in section["rows"]]
    return {**board, "sections": [], "top": rows[:SHOWN_AT_HOME], "count": len(rows)}
