"""Files for other programs, besides the JSON files: a board as CSV, the Atom feed, a system's badge."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from typing import Any

from argue_bench.pages.columns import format_score
from argue_bench.pages.render import Pages, Strings
from argue_bench.records.display import csv_cell

MOST_NEWS = 50
ABOUT = ("system", "name", "group", "signature", "judge", "type", "base_model", "cost", "tokens")


def board_csv(board: Mapping[str, Any]) -> str:
    """The rows of a board in its order: what they are, then value, low, high, n of each score."""
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    keys = [column["key"] for column in board["columns"]]
    parts = [(key, part) for key in keys for part in ("value", "low", "high", "n")]
    titles = (f"{key}:{part}" for key, part in parts)
    writer.writerow([*ABOUT, "created", "rank_best", "rank_worst", *titles])
    for section in board["sections"]:
        for row in section["rows"]:
            about = {**row, "group": section["group"], "signature": section["signature"]}
            standing = row["standing"] or {}
            numbers = (row["scores"].get(key, {}).get(part) for key, part in parts)
            writer.writerow(
                [
                    *(csv_cell(about[name]) for name in (*ABOUT, "created")),
                    standing.get("best", ""),
                    standing.get("worst", ""),
                    *("" if number is None else repr(number) for number in numbers),
                ]
            )
    return file.getvalue()


def atom_feed(index: Mapping[str, Any], systems: Sequence[Mapping[str, Any]], pages: Pages) -> str:
    """An Atom feed of the newest results; its ids do not depend on when it is built."""
    newest = sorted(systems, key=lambda s: (s["created"], s["system"]), reverse=True)[:MOST_NEWS]
    updated = max((s["created"] for s in systems), default="") or "1970-01-01T00:00:00Z"
    entries = [
        {
            "id": f"tag:argue-bench,2026:{s['season']}/{s['system']}/{s['created']}",
            "title": s["name"],
            "updated": s["created"] or updated,
            "season": s["title"],
            "href": f"{index['url']}system/{s['season']}/{s['system']}.html",
            "scores": [(one["setting"], one["ranked"], _ranked(one)) for one in s["settings"]],
        }
        for s in newest
    ]
    return pages.render("feed.xml", index=index, entries=entries, updated=updated, root="")


def badge_svg(system: Mapping[str, Any], t: Strings) -> str:
    """A small SVG of numbers alone: the ranked score, and the rank where there is one."""
    words = "–"
    if system["settings"]:
        best = system["settings"][0]
        words = _ranked(best)
        if best["standing"] and best["group"] == "":
            low, high = best["standing"]["best"], best["standing"]["worst"]
            words += f" · {t('badge.rank')} {low}" + (f"–{high}" if high != low else "")
    right = 14 + 7 * len(words)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{88 + right}" height="20" role="img" '
        f'aria-label="argue-bench {words}"><title>argue-bench {words}</title>'
        f'<rect width="{88 + right}" height="20" rx="4" fill="#0b6b62"/>'
        '<rect width="88" height="20" rx="4" fill="#2a2f35"/>'
        '<g fill="#fff" font-family="system-ui,sans-serif" font-size="12">'
        f'<text x="9" y="14">argue-bench</text><text x="{88 + right / 2:g}" y="14" '
        f'text-anchor="middle">{words}</text></g></svg>\n'
    )


def _ranked(setting: Mapping[str, Any]) -> str:
    return format_score(setting["scores"].get(setting["ranked"], {}).get("value"))
