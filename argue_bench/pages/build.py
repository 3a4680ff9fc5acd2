"""Which pages does a site have? Rendered from the contract alone, files that did not change kept.

`build` makes the contract of a `Site` and renders it; `render` renders a contract that is there
already, so that whoever has only ``data/v1`` gets the same pages.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from argue_bench.pages.board import laid_out, summary, top
from argue_bench.pages.contract import contract
from argue_bench.pages.inputs import Site
from argue_bench.pages.render import Pages
from argue_bench.pages.tables import board_csv

Files = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class Built:
    """What a build did: pages and files written, and those that were right already."""

    out: Path
    written: int
    kept: int


def build(site: Site, out: Path) -> Built:
    """Writes the whole site under ``out``. Raises UsageError where that is no place for it."""
    return render(contract(site), out)


def render(files: Files, out: Path) -> Built:
    """Writes data and pages of a contract under ``out``."""
    pages = Pages(out)
    pages.check_place()
    pages.static()
    for path, value in files.items():
        pages.data(f"data/v1/{path}", value)
    index = files["index.json"]
    shell = {"site": {"title": index["title"], "url": index["url"], "seasons": [
        {"season": s["season"], "title": s["title"], "settings": [x["setting"] for x in s["settings"]]}
        for s in index["seasons"]
    ]}}  # fmt: skip
    boards = {path: value for path, value in files.items() if path.startswith("board/")}
    home = [
        {**season, "boards": [top(boards[f"board/{season['season']}/{one['setting']}.json"])
                              for one in season["settings"]]}
        for season in index["seasons"]
    ]  # fmt: skip
    pages.page("index.html", "home.html", {**shell, "seasons": home, "index": index})
    for path, value in boards.items():
        place = path.removesuffix(".json")
        pages.page(
            f"{place}.html",
            "board.html",
            {**shell, "board": laid_out(value), "summary": summary(value, pages.t)},
        )
        pages.file(f"{place}.csv", board_csv(value))
    for path, value in files.items():
        if path.startswith("system/"):
            pages.page(
                f"{path.removesuffix('.json')}.html", "system.html", {**shell, "system": value}
            )
    pages.close()
    return Built(out, pages.written, pages.kept)
