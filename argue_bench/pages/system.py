"""What does one system's page show besides its numbers? Families in order, and two pictures."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from argue_bench.pages.plots import Plot, Point, interval_plot
from argue_bench.pages.render import Strings

Json = dict[str, Any]


def with_plots(system: Mapping[str, Any], t: Strings) -> Json:
    """The system with its scores by family, a plot of its headline scores and its categories."""
    return {**system, "settings": [_setting(one, t) for one in system["settings"]]}


def _setting(one: Mapping[str, Any], t: Strings) -> Json:
    families = [
        {
            "family": family,
            "metrics": [
                {"metric": metric, "judge": rows[0]["judge"], "rows": rows}
                for metric, inner in groupby(columns, key=lambda c: str(c["metric"]))
                if (rows := list(inner))
            ],
        }
        for family, found in groupby(one["columns"], key=lambda c: str(c["family"]))
        if (columns := list(found))
    ]
    return {
        **one,
        "families": families,
        "plots": list(filter(None, (_scores(one, t), _categories(one, t)))),
    }


def _scores(one: Mapping[str, Any], t: Strings) -> Plot | None:
    points = [
        Point(
            c["label"] + f" ({c['metric'].partition('(')[0]})",
            score["value"],
            score["low"],
            score["high"],
        )
        for c in one["columns"]
        if c["headline"]
        and c["unit"] == "share"
        and (score := one["scores"][c["key"]])["value"] is not None
    ]
    if len(points) < 3:
        return None
    head = (t("view.score"), t("view.value"), t("plot.interval"))
    return interval_plot(t("plot.headline", setting=_name(one, t)), points, head)


def _categories(one: Mapping[str, Any], t: Strings) -> Plot | None:
    if len(one["categories"]) < 2:
        return None
    points = [Point(name, value) for name, value in one["categories"].items()]
    head = (t("plot.category"), t("plot.score"), t("plot.interval"))
    return interval_plot(
        t("plot.bycategory", key=one["ranked"], setting=_name(one, t)), points, head
    )


def _name(one: Mapping[str, Any], t: Strings) -> str:
    return t.get(f"setting.{one['setting']}", one["setting"])
