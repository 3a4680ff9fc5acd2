"""What is new, for readers of feeds; and a badge, for a system's own page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from argue_bench.pages.columns import format_score
from argue_bench.pages.render import Pages, Strings

MOST = 50


def atom_feed(index: Mapping[str, Any], systems: Sequence[Mapping[str, Any]], pages: Pages) -> str:
    """An Atom feed of the newest results; its ids stay the same whatever is built when."""
    newest = sorted(systems, key=lambda s: (s["created"], s["system"]), reverse=True)[:MOST]
    updated = max((s["created"] for s in systems), default="") or "1970-01-01T00:00:00Z"
    entries = [
        {
            "id": f"tag:argue-bench,2026:{s['season']}/{s['system']}/{s['created']}",
            "title": s["name"],
            "updated": s["created"] or updated,
            "season": s["title"],
            "href": f"{index['url']}system/{s['season']}/{s['system']}.html",
            "scores": [(one["setting"], one["ranked"], _value(one)) for one in s["settings"]],
        }
        for s in newest
    ]
    template = pages.environment.get_template("feed.xml")
    feed: str = template.render(
        index=index, entries=entries, updated=updated, path="feed.xml", root=""
    )
    return feed


def _value(setting: Mapping[str, Any]) -> str:
    return format_score(setting["scores"].get(setting["ranked"], {}).get("value"))


def badge_svg(system: Mapping[str, Any], t: Strings) -> str:
    """A small SVG made of numbers alone: the ranked score, and the rank where there is one."""
    best = next(iter(system["settings"]), None)
    words = "–" if best is None else _value(best)
    if best is not None and best["standing"] and best["group"] == "":
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
