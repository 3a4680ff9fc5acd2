"""What a system's page shows besides its numbers: scores by family, and two plots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Any

from argue_bench.pages.plots import Plot, Point, interval_plot
from argue_bench.pages.render import Strings

Json = dict[str, Any]


def with_plots(system: Mapping[str, Any], t: Strings) -> Json:
    """The system with its scores by family and metric, and its plots."""
    settings = [
        {**one, "families": _families(one["columns"]), "plots": list(_plots(one, t))}
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


def _plots(one: Json, t: Strings) -> Iterator[Plot]:
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
