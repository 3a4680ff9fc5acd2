"""The pages of a board and of a system, besides their scores: best values, filters, plots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from itertools import groupby
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
MOST_SYSTEMS = 8
"""Systems on the front page, and in the heat map of categories."""


def with_column_places(board: Mapping[str, Any]) -> Json:
    """The board with the places of its columns, for a head of three rows."""
    metrics = list(dict.fromkeys(column["metric"] for column in board["columns"]))
    columns = [
        {
            **column,
            "family_place": FAMILIES.index(column["family"]),
            "metric_place": metrics.index(column["metric"]),
        }
        for column in board["columns"]
    ]
    return {**board, "columns": columns}


def board_summary(board: Mapping[str, Any], t: Strings) -> Json:
    """Everything but the rows, as the template wants it."""
    rows = _rows(board)
    costs, tokens = (any(row[key] is not None for row in rows) for key in ("cost", "tokens"))
    bands = board["bands"]
    resolution, ranks = t("board.untested"), t("board.reading.untested")
    if bands is not None:
        resolution, ranks = t("board.tested"), t("board.reading.bands", how=bands["method"])
        if bands["resolves"] is not None:
            resolution = t("board.resolves", points=format_score(bands["resolves"]))
    choices = {"type": "type", "base": "base_model", "judge": "judge"}
    return {
        "resolution": resolution,
        "ranks": ranks,
        "costs": costs,
        "tokens": tokens,
        "runs": any(row["runs"] is not None for row in rows),
        "width": len(board["columns"]) + 2 + bool(bands) + costs + tokens,
        "best": {s["signature"] + s["group"]: _best_values(board, s) for s in board["sections"]},
        "choices": {
            name: sorted({row[key] for row in rows if row[key]}) for name, key in choices.items()
        },
        "plots": list(_board_plots(board, t)),
    }


def front_page_rows(board: Mapping[str, Any]) -> Json:
    """The first rows of a board, for the front page."""
    rows = _rows(board)
    return {**board, "sections": [], "top": rows[:MOST_SYSTEMS], "count": len(rows)}


def _rows(board: Mapping[str, Any]) -> list[Json]:
    return [row for section in board["sections"] for row in section["rows"]]


def _score(row: Json, key: str) -> Any:
    return row["scores"].get(key, {}).get("value")


def _best_values(board: Mapping[str, Any], section: Json) -> dict[str, float | None]:
    """The best value of each column; None where no end is better, and for a single system."""
    best: dict[str, float | None] = {}
    for column in board["columns"]:
        found = [_score(row, column["key"]) for row in section["rows"]]
        values = [value for value in found if value is not None]
        pick = {"higher": max, "lower": min}.get(column["better"])
        best[column["key"]] = pick(values) if pick is not None and len(values) > 1 else None
    return best


def _board_plots(board: Mapping[str, Any], t: Strings) -> Iterator[Plot]:
    column = next((c for c in board["columns"] if c["ranked"]), None)
    if column is None or column["unit"] != "share":
        return
    for section in board["sections"]:
        yield from _section_plots(board, section, column, t)
    categories = board["categories"]
    best = [row for row in _rows(board) if row["system"] in categories][:MOST_SYSTEMS]
    names = sorted({name for row in best for name in categories[row["system"]]})
    if len(names) > 1:
        table = {
            name: {row["name"]: categories[row["system"]].get(name) for row in best}
            for name in names
        }
        yield heat_map(t("plot.categories", key=column["key"]), table, t("plot.category"))


def _section_plots(
    board: Mapping[str, Any], section: Json, column: Json, t: Strings
) -> Iterator[Plot]:
    """Intervals with bands, score against cost, against another score, over time: what there is."""
    key, label, system = column["key"], column["label"], t("board.system")
    group = t(
        "plot.group",
        group=t.get("group." + (section["group"] or "ranked"), section["group"]),
        signature=section["signature"],
    )
    rows = [row for row in section["rows"] if _score(row, key) is not None]
    scores = [row["scores"][key] for row in rows]
    if len(rows) > 1 and any(score["low"] is not None for score in scores):
        points = [
            Point(
                row["name"],
                score["value"],
                score["low"],
                score["high"],
                row["standing"]["band"] if row["standing"] else None,
            )
            for row, score in zip(rows, scores, strict=True)
        ]
        title = t("plot.intervals", score=key, group=group)
        yield interval_plot(title, points, (system, label, t("plot.interval")))
    priced = [
        Point(row["name"], _score(row, key), x=float(row["cost"]))
        for row in rows
        if row["cost"] is not None
    ]
    if len(priced) > 1:
        head = (system, t("plot.cost"), label)
        yield cost_plot(t("plot.pareto", score=key, group=group), priced, head)
    # One score of another family: the trade-off between, say, coverage and support.
    families = (c for c in board["columns"] if c["family"] != column["family"])
    other = next((c for c in families if c["unit"] == "share"), None)
    both = [row for row in rows if other is not None and _score(row, other["key"]) is not None]
    if other is not None and len(both) >= 4:
        points = [Point(r["name"], _score(r, key), x=_score(r, other["key"])) for r in both]
        title = t("plot.against", first=key, second=other["key"], group=group)
        yield scatter_plot(title, points, (system, other["label"], label))
    dated = [
        Point(row["name"], _score(row, key), x=_day(row["created"]), label=row["created"])
        for row in rows
        if row["created"]
    ]
    if len({point.x for point in dated}) > 1:
        title = t("plot.time", score=key, group=group)
        yield timeline_plot(title, dated, (system, t("board.date"), label))


def _day(text: str) -> float:
    try:
        return float(date.fromisoformat(text).toordinal())
    except ValueError:
        return 0.0


def with_plots(system: Mapping[str, Any], t: Strings) -> Json:
    """The system with its scores by family and metric, and its plots."""
    settings = [
        {**one, "families": _families(one["columns"]), "plots": list(_system_plots(one, t))}
        for one in system["settings"]
    ]
    return {**system, "settings": settings}


def _families(columns: list[Json]) -> list[Json]:
    families = []
    for family, inside in groupby(columns, key=lambda c: str(c["family"])):
        by_metric = groupby(inside, key=lambda c: str(c["metric"]))
        metrics = [
            {"metric": metric, "judge": rows[0]["judge"], "rows": rows}
            for metric, rows in ((metric, list(rows)) for metric, rows in by_metric)
        ]
        families.append({"family": family, "metrics": metrics})
    return families


def _system_plots(one: Json, t: Strings) -> Iterator[Plot]:
    setting = t.get(f"setting.{one['setting']}", one["setting"])
    points = [
        Point(
            f"{c['label']} ({c['metric'].partition('(')[0]})",
            score["value"],
            score["low"],
            score["high"],
        )
        for c in one["columns"]
        if c["headline"]
        and c["unit"] == "share"
        and (score := one["scores"][c["key"]])["value"] is not None
    ]
    if len(points) > 2:
        head = (t("view.score"), t("view.value"), t("plot.interval"))
        yield interval_plot(t("plot.headline", setting=setting), points, head)
    if len(one["categories"]) > 1:
        points = [Point(name, value) for name, value in one["categories"].items()]
        head = (t("plot.category"), t("plot.score"), t("plot.interval"))
        title = t("plot.bycategory", key=one["ranked"], setting=setting)
        yield interval_plot(title, points, head)
