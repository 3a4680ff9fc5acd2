"""Which pages does a site have? Rendered from the contract alone, files that did not change kept.

`build` makes the contract of a `Site` and renders it; `render` renders a contract that is there
already, so that whoever has only ``data/v1`` gets the same pages. Report viewers are made from run
files, each under the folder that its `View` names.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from argue_bench.loaders.dataset import Dataset
from argue_bench.pages.about import metric_catalogue
from argue_bench.pages.board import board_summary, front_page_rows, with_column_places
from argue_bench.pages.data import site_data
from argue_bench.pages.feed import atom_feed, badge_svg
from argue_bench.pages.inputs import Site
from argue_bench.pages.render import Pages, dump
from argue_bench.pages.system import with_plots
from argue_bench.pages.tables import board_csv

Files = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class View:
    """A run file whose reports are shown under ``folder`` (which ends with a slash)."""

    run: Path
    dataset: Dataset
    folder: str
    system: str
    back: str = ""
    """The board that shows it, from the root of the site."""


@dataclass(frozen=True)
class Built:
    """What a build did: pages and files written, and those that were right already."""

    out: Path
    written: int
    kept: int


def build_pages(site: Site, out: Path, views: Iterable[View] = ()) -> Built:
    """Writes the whole site under ``out``. Raises UsageError where that is no place for it."""
    return render_pages(site_data(site), out, views)


def render_pages(files: Files, out: Path, views: Iterable[View] = ()) -> Built:
    """Writes data and pages of a contract under ``out``."""
    pages = Pages(out)
    pages.check_place()
    pages.static()
    stamps = {path: pages.data(f"data/v1/{path}", value) for path, value in files.items()}
    index = files["index.json"]
    shell = {
        "site": {
            "title": index["title"],
            "url": index["url"],
            "seasons": [
                {
                    "season": s["season"],
                    "title": s["title"],
                    "settings": [x["setting"] for x in s["settings"]],
                }
                for s in index["seasons"]
            ],
        }
    }
    boards = {path: value for path, value in files.items() if path.startswith("board/")}
    _front(pages, shell, index, boards)
    around = dump(shell)
    for path, value in files.items():
        place, stamp = path.removesuffix(".json"), around + stamps[path]
        made = {**shell, "t": pages.t}
        if path.startswith("board/"):
            pages.page(f"{place}.html", "board.html", partial(_board, made, value), stamp)
            pages.file(f"{place}.csv", board_csv(value))
        elif path.startswith("system/"):
            pages.page(f"{place}.html", "system.html", partial(_system, made, value), stamp)
            pages.file(f"{place}.svg", badge_svg(value, pages.t))
        elif path.startswith("topics/"):
            pages.page(f"{place}.html", "topics.html", {**shell, "topics": value})
    _others(pages, shell, files)
    _viewers(pages, views, index["title"])
    pages.close()
    return Built(out, pages.written, pages.kept)


def _board(shell: Mapping[str, Any], value: Mapping[str, Any]) -> dict[str, Any]:
    return {
        **shell,
        "board": with_column_places(value),
        "summary": board_summary(value, shell["t"]),
    }


def _system(shell: Mapping[str, Any], value: Mapping[str, Any]) -> dict[str, Any]:
    return {**shell, "system": with_plots(value, shell["t"])}


def _front(pages: Pages, shell: Mapping[str, Any], index: Mapping[str, Any], boards: Files) -> None:
    seasons = [
        {
            **season,
            "boards": [
                front_page_rows(boards[f"board/{season['season']}/{one['setting']}.json"])
                for one in season["settings"]
            ],
        }
        for season in index["seasons"]
    ]
    pages.page("index.html", "home.html", {**shell, "seasons": seasons, "index": index})


def _others(pages: Pages, shell: Mapping[str, Any], files: Files) -> None:
    """The pages that say what everything is, and what happened when."""
    index, log = files["index.json"], files["log.json"]
    pages.page("data.html", "data.html", {**shell, "index": index})
    for name in ("ledger", "queue", "changelog"):
        pages.page(f"{name}.html", f"{name}.html", {**shell, "log": log, "index": index})
    for name in ("submit", "about"):
        pages.page(f"{name}.html", f"{name}.html", {**shell, "index": index})
    pages.page(
        "metrics.html", "metrics.html", {**shell, "families": metric_catalogue(), "index": index}
    )
    base = index["url"] or "/"
    pages.page("404.html", "404.html", {**shell, "root": base})
    systems = [value for path, value in files.items() if path.startswith("system/")]
    pages.file("feed.xml", atom_feed(index, systems, pages))


def _viewers(pages: Pages, views: Iterable[View], title: str) -> None:
    """The reports of every run; a run that did not change is not read again."""
    from argue_bench.pages.view.pages import write_viewer

    for one in views:
        with one.run.open("rb") as file:
            run = hashlib.file_digest(file, "sha256").hexdigest()
        key = f"{run} {one.dataset.digest} {title}"
        if not pages.keep_folder(one.folder, key):
            write_viewer(
                one.run,
                one.dataset,
                pages.out,
                pages=pages,
                folder=one.folder,
                name=one.system,
                back=one.back,
                board=title,
            )
            pages.note_folder(one.folder, key)
