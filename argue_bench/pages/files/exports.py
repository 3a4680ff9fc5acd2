"""Files for other programs, besides the JSON files: a board as CSV, the Atom feed, a system's badges."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from argue_bench.pages.columns import format_score, score_name
from argue_bench.pages.data import site_data
from argue_bench.pages.inputs import Site
from argue_bench.pages.render import Pages, Strings, dump
from argue_bench.records.display import csv_cell

MOST_NEWS = 50
ABOUT = ("system", "name", "group", "signature", "judge", "type", "base_model", "cost", "tokens")


def board_files(site: Site) -> dict[str, bytes]:
    """Each board that has rows, as JSON and as CSV, by the path that it has under ``data/v1``."""
    boards = {
        path: made
        for path, made in site_data(site).items()
        if path.startswith("board/") and any(section["rows"] for section in made["sections"])
    }
    texts = {path: dump(board) + "\n" for path, board in boards.items()}
    texts |= {path.replace(".json", ".csv"): board_csv(board) for path, board in boards.items()}
    return {path: text.encode() for path, text in sorted(texts.items())}


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
    """An Atom feed of the newest results that were scored here; its ids do not depend on the build."""
    scored = [system for system in systems if system["created"]]
    newest = sorted(scored, key=lambda s: (s["created"], s["system"]), reverse=True)[:MOST_NEWS]
    updated = newest[0]["created"] if newest else "1970-01-01T00:00:00Z"
    entries = [
        {
            "id": f"tag:argue-bench,2026:{s['season']}/{s['system']}/{s['created']}",
            "title": s["name"],
            "updated": s["created"],
            "season": s["title"],
            "href": f"{index['url']}system/{s['season']}/{s['system']}.html",
            "scores": [
                (one["setting"], score_name(one["ranked"])[0], _ranked(one))
                for one in s["settings"]
            ],
        }
        for s in newest
    ]
    return pages.render("feed.xml", index=index, entries=entries, updated=updated, root="")


def badges(system: Mapping[str, Any], t: Strings) -> Iterator[tuple[str, str, str]]:
    """For each setting: its name, the badge's words, and a small SVG of them."""
    for one in system["settings"]:
        setting = t.get(f"setting.{one['setting']}", one["setting"])
        words = f"{setting} {_ranked(one)}"
        if one["standing"]:
            words += f" · {t('badge.band', n=one['standing']['band'])}"
        yield one["setting"], f"{system['title']}: {words}", _badge(system["title"], words)


def _badge(title: str, words: str) -> str:
    """A small SVG: the season on the left; setting, score and band on the right."""
    title = title if len(title) < 30 else f"{title[:29]}…"
    left, right = 16 + 6.6 * len(title), 16 + 6.6 * len(words)
    safe_title, safe_words = escape(title), escape(words)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + right:.0f}" height="20" role="img" '
        f'aria-label="{safe_title}: {safe_words}"><title>{safe_title}: {safe_words}</title>'
        f'<rect width="{left + right:.0f}" height="20" rx="4" fill="#0b6b62"/>'
        f'<rect width="{left:.0f}" height="20" rx="4" fill="#2a2f35"/>'
        '<g fill="#fff" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11" text-anchor="middle">'
        f'<text x="{left / 2:.1f}" y="14" textLength="{left - 16:.0f}">{safe_title}</text>'
        f'<text x="{left + right / 2:.1f}" y="14" textLength="{right - 16:.0f}">{safe_words}</text>'
        "</g></svg>\n"
    )


def _ranked(setting: Mapping[str, Any]) -> str:
    return format_score(setting["scores"].get(setting["ranked"], {}).get("value"))
